"""Runs a peer in a process of its own, on one core, and measures what it reaches and what it takes."""
from __future__ import annotations

import ctypes
import dataclasses
import importlib
import importlib.util
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import apart
from .apart import Clock
from .learners import FIRST_PART, PEERS, Peer
from .streams import Stream

QUICK = 5.0  #: a run of fewer seconds is repeated, as its time varies the most
RUNS = 3


@dataclass
class Outcome:
    """What one peer did on one stream. A peer that was stopped or has failed has no `second_half`."""

    stream: str
    peer: str
    settings: dict[str, Any]
    rows: int = 0  #: learned, fewer than the stream has if it was stopped
    curve: list[tuple[int, int]] = dataclasses.field(default_factory=list)  #: rows, mistakes so far; empty for a batch
    second_half: float | None = None  #: mistakes per row in the second half of the stream
    seconds: float = 0.0
    memory: int = 0  #: bytes at the peak, beyond those in use when the rows were read and the packages imported
    model_bytes: int = 0
    stopped: bool = False
    failure: str = ""

    @property
    def error(self) -> float | None:
        """Mistakes per row, each predicted before it was learned."""
        return self.curve[-1][1] / self.curve[-1][0] if self.curve else None

    @property
    def rows_per_second(self) -> float | None:
        return self.rows / self.seconds if self.seconds else None

    def error_after(self, rows: int) -> float | None:
        return next((mistakes / seen for seen, mistakes in self.curve if seen == rows), None)


def is_installed(peer: Peer) -> bool:
    if peer.is_installed is not None:
        return peer.is_installed()
    return importlib.util.find_spec(peer.module.partition(".")[0]) is not None


def measure(name: str, stream: Stream, limit: float) -> Outcome:
    """Runs a peer with each of its settings and gives what the best did; stops it after `limit` seconds of learning."""
    peer = PEERS[name]
    settings = peer.settings
    if len(settings) > 1 and peer.compared_on:
        tried = [_run(name, one, stream, limit, peer.compared_on) for one in settings]
        settings = (min(tried, key=_badness).settings,)
    best = min((_run(name, one, stream, limit, stream.rows) for one in settings), key=_badness)
    if not best.failure and best.seconds < QUICK:
        again = [_run(name, best.settings, stream, limit, stream.rows) for _ in range(RUNS - 1)]
        best.seconds = statistics.median([best.seconds, *(run.seconds for run in again)])
        best.memory = int(statistics.median([best.memory, *(run.memory for run in again)]))
    return best


def _badness(outcome: Outcome) -> tuple[bool, int, float]:
    """Failed, then few rows, then many mistakes."""
    return bool(outcome.failure), -outcome.rows, outcome.error or 0.0


def _run(name: str, settings: dict[str, Any], stream: Stream, limit: float, rows: int) -> Outcome:
    task = {"peer": name, "settings": settings, "stream": dataclasses.asdict(stream), "limit": limit, "rows": rows}
    return Outcome(**{"stream": stream.name, "peer": name, "settings": settings, **apart.run("peers.measure", task)})


def _learn(task: dict[str, Any]) -> Outcome:
    """What the process of its own does."""
    stream, peer, limit = Stream(**task["stream"]), PEERS[task["peer"]], task["limit"]
    importlib.import_module(peer.module)
    X, y = stream.read()
    X, y = X[:task["rows"]], y[:task["rows"]]
    before = _restart_peak()
    outcome = Outcome(stream.name, task["peer"], task["settings"])
    learner = peer.make(stream, *peer.fixed, **task["settings"])
    clock = Clock()
    half = len(y) // 2
    if peer.batch:
        apart.end_after(limit)  # nothing can be asked of it before it has finished
        learner.fit(X[:half], y[:half], clock)
        outcome.second_half = learner.count_mistakes(X[half:], y[half:], clock) / (len(y) - half)
        outcome.rows = len(y)
    else:
        apart.end_after(3 * limit + 60)  # conversions are not in the limit
        mistakes = 0
        for part in apart.parts(apart.every(FIRST_PART, len(y), half), clock, limit):
            mistakes += int(learner.learn(X[part], y[part], clock))
            outcome.curve.append((part.stop, mistakes))
        outcome.rows = outcome.curve[-1][0]
        outcome.stopped = outcome.rows < len(y)
        if not outcome.stopped:
            outcome.second_half = (mistakes - dict(outcome.curve)[half]) / (len(y) - half)
    outcome.seconds = clock.seconds
    outcome.memory = max(0, _memory("VmHWM") - before)
    outcome.model_bytes = learner.model_bytes()
    return outcome


def _restart_peak() -> int:
    """Gives unused memory back, lets the peak of this process begin at what is in use now, and returns that."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no {field}; memory can be measured on Linux only")


if __name__ == "__main__":
    apart.answer(_learn)
