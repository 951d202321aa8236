"""What is measured runs in a process of its own, on one core, until its time is up."""
from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class Clock:
    """Adds up the processor time spent in `with clock:`. Reading and converting rows is outside, and not counted.

    After `end_after` the time of the process goes on in steps of some milliseconds. That of the thread does not, and will do
    where learners start no others.
    """

    def __init__(self, now: Callable[[], float] = time.process_time) -> None:
        self.seconds = 0.0
        self._now = now

    def __enter__(self) -> None:
        self._begin = self._now()

    def __exit__(self, *exception: object) -> None:
        self.seconds += self._now() - self._begin


def run(module: str, task: dict[str, Any]) -> dict[str, Any]:
    """The fields of the outcome that `module`, which calls `answer`, makes of a task; of a run that was ended `stopped`
    alone, of one that went wrong `failure`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcome.json"
        environment = {**os.environ, **ONE_THREAD, "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1"}
        child = subprocess.run([sys.executable, "-m", module, json.dumps(task), str(path)], capture_output=True, text=True,
                               env=environment, check=False, cwd=Path(__file__).resolve().parents[1])
        if child.returncode == 0:
            return json.loads(path.read_text())
    if child.returncode == -signal.SIGPROF:
        return {"stopped": True}
    return {"failure": (child.stderr.strip().splitlines() or [f"ended with code {child.returncode}"])[-1]}


def answer(perform: Callable[[dict[str, Any]], Any]) -> None:
    """What that process does: it performs its task and writes the outcome."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    outcome = perform(json.loads(sys.argv[1]))
    Path(sys.argv[2]).write_text(json.dumps(dataclasses.asdict(outcome), default=_plain))


def end_after(seconds: float) -> None:
    """Lets the system end this process when it has had so much more processor time."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def parts(ends: Iterable[int], clock: Clock, limit: float) -> Iterator[slice]:
    """Rows up to each of these ends, until the clock would go beyond the limit if they are as slow as the slowest so far."""
    first, slowness = 0, 0.0  # seconds a row
    for end in ends:
        if clock.seconds + (end - first) * slowness > limit:
            return
        before = clock.seconds
        yield slice(first, end)
        slowness = max(slowness, (clock.seconds - before) / (end - first))
        first = end


def every(size: int, rows: int, *more: int) -> list[int]:
    """Ends of parts of equal length, with some more that are wanted."""
    return sorted({*range(size, rows, size), rows, *more})


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written as JSON")
