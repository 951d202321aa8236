"""Outcomes on numbers as Markdown tables."""
from __future__ import annotations

import platform
from collections.abc import Callable

from .numbers import PEERS, STEPS, UNCOUNTED, WIDTHS, NumberData, NumberOutcome
from .report import _processor, _version

MEASURES = ("nRMSE", "nMAE")


def introduction(installed: list[str], limit: float, rows: int, seed: int) -> str:
    """What was compared, where and how."""
    packages = sorted({PEERS[name].package for name in installed})
    versions = ", ".join(f"{package} {_version(package)}" for package in packages)
    return f"""{versions}; Python {platform.python_version()}, one core of {_processor()}.

The same rows in the same order, {f'the first {rows:,}' if rows else 'all'} of each set; sets without an order are permuted before (seed {seed}).
*Online*: each row is predicted before it is learned, once. *nRMSE*, *nMAE*: the root of the mean square of the errors and
their mean size, from row {UNCOUNTED + 1} on, divided by the standard deviation of the target over the same rows. *µs a row*: processor
time for predicting and learning, without reading; a peer is stopped when that would take more than {limit:g} s. *Half and
half*: the first half of the rows is learned, the second one predicted and counted. Where several settings are named, the peer
has the best of them in hindsight, by the nRMSE that is told, which is not known in advance. FOGD, NOGD and OGD have
widths of {_list(WIDTHS)} times the median distance and steps of {_list(STEPS)}."""


def tables(data: NumberData, outcomes: list[NumberOutcome], missing: list[str]) -> str:
    """One data set: what learns online, then what learned the first half."""
    order = "permuted" if data.is_permuted else "in their order"
    lines = [f"### {data.name}", "", f"{data.rows:,} rows of {data.features} features, {order}."]
    for title, halves in (("Online", False), ("Half and half", True)):
        here = [_row(outcome) for outcome in outcomes if PEERS[outcome.peer].halves == halves]
        here += [f"| {PEERS[name].title} | not installed | | | `pip install {PEERS[name].package}` |"
                 for name in missing if PEERS[name].halves == halves]
        if here:
            lines += ["", f"| {title} | nRMSE | nMAE | µs a row | Settings |", "| --- | ---: | ---: | ---: | --- |", *here]
    return "\n".join(lines) + "\n"


def summary(outcomes: list[NumberOutcome], sets: list[str]) -> str:
    """Errors of all, their time, and where another one is not worse than ALDER on the same rows."""
    lines = ["### All"]
    for title, halves, ours in (("online", False, "alder"), ("half and half", True, "alder-half")):
        found = {(outcome.data, outcome.peer): outcome for outcome in outcomes
                 if outcome.errors and PEERS[outcome.peer].halves == halves}
        there = [name for name in PEERS if any(peer == name for _, peer in found)]
        for measure, name in enumerate(MEASURES):
            if there:
                lines += ["", *_all(f"{name}, {title}", measure, found, there, sets)]
            if ours in there:
                lines += ["", _behind(name, measure, found, ours, there, sets)]
        if there:
            lines += ["", *_table(f"µs a row, {title}", there, sets,
                                  lambda data, peer: _time(found.get((data, peer))))]
    return "\n".join(lines) + "\n"


_Found = dict[tuple[str, str], NumberOutcome]


def _all(title: str, measure: int, found: _Found, there: list[str], sets: list[str]) -> list[str]:
    """The least of those that learned all rows is bold."""
    least = {data: min((found[data, name].error[measure] for name in there if _is_whole(found.get((data, name)))), default=None)
             for data in sets}

    def cell(data: str, name: str) -> str:
        outcome = found.get((data, name))
        if outcome is None:
            return "–"
        text = _digits(outcome.error[measure])
        if outcome.stopped:
            return f"{text} (of {outcome.rows:,})"
        return f"**{text}**" if outcome.error[measure] == least[data] else text
    return _table(title, there, sets, cell)


def _table(title: str, there: list[str], sets: list[str], cell: Callable[[str, str], str]) -> list[str]:
    return [f"| {title} | {' | '.join(PEERS[name].title for name in there)} |", f"| --- |{' ---: |' * len(there)}",
            *(f"| {data} | {' | '.join(cell(data, name) for name in there)} |" for data in sets)]


def _behind(title: str, measure: int, found: _Found, ours: str, there: list[str], sets: list[str]) -> str:
    """Compared after the rows that both have learned."""
    behind = []
    for data in sets:
        mine = found.get((data, ours))
        for name in there:
            theirs = found.get((data, name))
            if name.startswith("alder") or mine is None or theirs is None:
                continue
            rows = min(mine.rows, theirs.rows)
            pair = mine.errors[rows][measure], theirs.errors[rows][measure]
            if not pair[0] < pair[1]:
                behind.append(f"{data}, {PEERS[name].title} {_digits(pair[1])} against {_digits(pair[0])}")
    return (f"By {title} ALDER is not ahead everywhere: {'; '.join(behind)}." if behind
            else f"By {title} ALDER is ahead of each of the others on every set.")


def _row(outcome: NumberOutcome) -> str:
    peer = PEERS[outcome.peer]
    if outcome.failure:
        return f"| {peer.title} | failed | | | {outcome.failure.replace('|', ' ')} |"
    if not outcome.errors:
        return f"| {peer.title} | stopped | | | not ready in time |"
    remarks = [f"stopped after {outcome.rows:,} rows"] if outcome.stopped else []
    remarks += [_settings(outcome), peer.remark]
    cells = (peer.title, *map(_digits, outcome.error), _time(outcome), "; ".join(filter(None, remarks)))
    return f"| {' | '.join(cells)} |"


def _settings(outcome: NumberOutcome) -> str:
    """What was set, and of how many settings it is the best."""
    count, settings = len(PEERS[outcome.peer].settings), dict(outcome.settings)
    if count < 2:
        return ""
    words = [f"σ = {settings.pop('width'):g} × the median distance"] if "width" in settings else []
    words += [f"{name} {value:g}" for name, value in settings.items()]
    return f"{', '.join(words) or 'defaults'} (best of {count} in hindsight)"


def _list(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def _is_whole(outcome: NumberOutcome | None) -> bool:
    return outcome is not None and not outcome.stopped


def _digits(error: float) -> str:
    return f"{error:.3f}" if error < 100 else f"{error:.3g}"


def _time(outcome: NumberOutcome | None) -> str:
    return "–" if outcome is None else f"{float(f'{outcome.microseconds:.3g}'):,g}"
