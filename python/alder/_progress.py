"""How far learning is."""
from __future__ import annotations

import sys
from typing import Any


class Progress:
    """A bar by tqdm if it is there, else lines of text; neither without `verbose`."""

    def __init__(self, verbose: int, rows: int) -> None:
        self._rows = rows
        self._bar: Any = None
        self._active = bool(verbose)
        if not self._active:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=rows, unit="rows")

    @property
    def callback(self) -> Any:
        return self._tell if self._active else None

    def _tell(self, done: int) -> None:
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        else:
            print(f"\r{done} of {self._rows} rows", end="", file=sys.stderr)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self._active and kind is None:
            self._tell(self._rows)
        if self._bar is not None:
            self._bar.close()
        elif self._active:
            print(file=sys.stderr)
