"""Outcomes on streams that change as Markdown tables."""
from __future__ import annotations

import math
import platform
from pathlib import Path

from .drift import GET_MOA, PEERS, DriftOutcome, DriftStream
from .report import _digits, _percent, _processor, _version


def introduction(there: list[str], moa: str, limit: float, seed: int) -> str:
    """What was compared, where and how."""
    versions = ["alder's program"]
    versions += [f"River {_version('river')}"] if any(PEERS[name].package == "river" for name in there) else []
    versions += [f"MOA {Path(moa).stem.removeprefix('moa-')}"] if moa else []
    return f"""{', '.join(versions)}; Python {platform.python_version()}, one core of {_processor()}.

The same rows in the order of the file, once; each is predicted before it is learned. *Error*: mistakes among all rows.
*Seconds*: processor time for predicting and learning, without reading; a learner is stopped when that would be more than
{limit:g}. River's random learners have the seed {seed}; nothing was tuned."""


def table(stream: DriftStream, outcomes: list[DriftOutcome], missing: list[str]) -> str:
    """One stream: a row for each learner."""
    lines = [f"### {stream.name}", "", f"{stream.rows:,} rows of {stream.features} features.", "",
             "| Learner | Error | Error, ALDER = 1 | Seconds | Rows a second | Seconds, ALDER = 1 | Settings |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    ours = next((outcome for outcome in outcomes if outcome.peer == "alder" and outcome.rows), None)
    lines += [_row(outcome, ours) for outcome in outcomes]
    lines += [f"| {PEERS[name].title} | not there | | | | | {_how_to_get(name)} |" for name in missing]
    return "\n".join(lines) + "\n"


def summary(outcomes: list[DriftOutcome], streams: list[str]) -> str:
    """Errors of all, their means, the time of each, and where another learner makes no more mistakes than ALDER."""
    there = [name for name in PEERS if any(outcome.peer == name and outcome.rows for outcome in outcomes)]
    found = {(outcome.stream, outcome.peer): outcome for outcome in outcomes if outcome.rows}
    lines = ["### All", "", f"| Error in % | {' | '.join(PEERS[name].title for name in there)} |",
             f"| --- |{' ---: |' * len(there)}"]
    ahead = []
    for stream in streams:
        cells = [_error(found.get((stream, name))) for name in there]
        least = min((found[stream, name].error for name in there if _is_whole(found.get((stream, name)))), default=None)
        best = [_is_whole(found.get((stream, name))) and found[stream, name].error == least for name in there]
        lines.append(f"| {stream} | {' | '.join(f'**{c}**' if b else c for c, b in zip(cells, best))} |")
        ours = found.get((stream, "alder"))
        ahead += [f"{stream}, {PEERS[name].title} {_percent(found[stream, name].error)} against {_percent(ours.error)}"
                  for name in there if PEERS[name].package != "alder" and ours is not None
                  and _is_whole(found.get((stream, name))) and found[stream, name].error <= ours.error]
    whole = {name: [found[stream, name] for stream in streams if _is_whole(found.get((stream, name)))] for name in there}
    full = {name: all_ for name, all_ in whole.items() if len(all_) == len(streams)}

    def row(title: str, value: dict[str, str]) -> str:
        return f"| {title} | {' | '.join(value.get(name, '–') for name in there)} |"
    lines += [row("mean", {name: f"{100 * sum(one.error for one in all_) / len(all_):.2f}" for name, all_ in full.items()}),
              row("seconds in all", {name: _seconds(sum(one.seconds for one in all_)) for name, all_ in full.items()}),
              row("rows a second", {name: _digits(sum(one.rows for one in all_) / sum(one.seconds for one in all_))
                                    for name, all_ in full.items()})]
    if "alder" in full:
        lines.append(row("seconds, ALDER = 1, geometric mean", {
            name: f"{_geometric_mean([one.seconds / ours.seconds for one, ours in zip(all_, full['alder'])]):.3g}"
            for name, all_ in full.items()}))
        lines += ["", "ALDER makes fewer mistakes than each of the others on every stream." if not ahead
                  else f"ALDER is not ahead everywhere: {'; '.join(ahead)}."]
    return "\n".join(lines) + "\n"


def _geometric_mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _row(outcome: DriftOutcome, ours: DriftOutcome | None) -> str:
    peer = PEERS[outcome.peer]
    if outcome.failure:
        return f"| {peer.title} | failed | | | | | {outcome.failure.replace('|', ' ')} |"
    if not outcome.rows:
        return f"| {peer.title} | stopped | | | | | {peer.remark}; not ready in time |"
    is_same = ours is not None and ours.rows == outcome.rows
    remark = f"stopped after {outcome.rows:,} rows; {peer.remark}" if outcome.stopped else peer.remark
    cells = (peer.title, _percent(outcome.error),
             f"{outcome.error / ours.error:.2f}" if is_same and ours.mistakes else "–",
             _seconds(outcome.seconds), _digits(outcome.rows_per_second),
             f"{outcome.seconds / ours.seconds:.3g}" if is_same else "–", remark)
    return f"| {' | '.join(cells)} |"


def _is_whole(outcome: DriftOutcome | None) -> bool:
    return outcome is not None and not outcome.stopped


def _error(outcome: DriftOutcome | None) -> str:
    if outcome is None:
        return "–"
    return f"{100 * outcome.error:.2f}" + (f" (of {outcome.rows:,})" if outcome.stopped else "")


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"


def _how_to_get(name: str) -> str:
    package = PEERS[name].package
    return {"alder": "build it, and --program FILE", "moa": GET_MOA}.get(package, f"`pip install {package}`")
