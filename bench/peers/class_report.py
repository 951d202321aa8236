"""Outcomes of many classes as Markdown tables."""
from __future__ import annotations

import platform

from .classes import PEERS, PREFIX, ClassData, ClassOutcome, ClassPeer
from .report import _processor, _version


def introduction(installed: list[str], limit: float, seed: int) -> str:
    """What was compared, where and how."""
    packages = sorted({PEERS[name].package for name in installed})
    versions = ", ".join(f"{package} {_version(package)}" for package in packages)
    return f"""{versions}; Python {platform.python_version()}, one core of {_processor()}.

The same rows in the same order (seed {seed}), every feature scaled to [0, 1]. *Online*: each row is predicted before it is
learned; a peer is stopped when that would take more than {limit:g} s of processor time, and the others are then compared
after the same rows. *Log loss*: in nats, of the rows whose class was met before; a probability below 2⁻⁵² counts as that.
*Half and half*: the first half of the rows is learned, the second one predicted. Of several settings the best on the first
{PREFIX:,} rows is taken: online, or for batch learners in three folds of that many rows of the first half."""


def tables(data: ClassData, outcomes: list[ClassOutcome], missing: list[str]) -> str:
    """One data set: what learns online, then what learned the first half."""
    lines = [f"### {data.name}", "", f"{data.rows:,} rows of {data.features} features, {data.classes} classes.", "",
             "| Online | Mistakes | Log loss | µs a row | Settings |", "| --- | ---: | ---: | ---: | --- |"]
    online = [outcome for outcome in outcomes if not PEERS[outcome.peer].halves]
    halves = [outcome for outcome in outcomes if PEERS[outcome.peer].halves]
    lines += [_row(outcome, 1e6 * outcome.seconds / outcome.rows if outcome.rows else 0.0) for outcome in online]
    lines += [_missing(PEERS[name]) for name in missing if not PEERS[name].halves]
    for rows in sorted({outcome.rows for outcome in online if outcome.stopped and outcome.rows}):
        there = " and ".join(PEERS[outcome.peer].title for outcome in online
                             if outcome.stopped and outcome.rows == rows)
        reached = [(PEERS[outcome.peer].title, outcome.error_after(rows)) for outcome in online if outcome.rows]
        errors = ", ".join(f"{title} {_percent(error)}" for title, error in reached if error is not None)
        lines += ["", f"After {rows:,} rows, where {there} had to stop: {errors}."]
    lines += ["", "| Half and half | Mistakes | Log loss | s to learn | Settings |", "| --- | ---: | ---: | ---: | --- |"]
    lines += [_row(outcome, outcome.seconds) for outcome in halves]
    lines += [_missing(PEERS[name]) for name in missing if PEERS[name].halves]
    return "\n".join(lines) + "\n"


def summary(outcomes: list[ClassOutcome], sets: list[str]) -> str:
    """Mistakes of all, and where another one that learns online makes no more than ALDER on the same rows."""
    there = [name for name in PEERS if any(outcome.peer == name for outcome in outcomes)]
    found = {(outcome.data, outcome.peer): outcome for outcome in outcomes if outcome.rows}
    lines = ["### All", "", f"| Mistakes | {' | '.join(PEERS[name].title for name in there)} |",
             f"| --- |{' ---: |' * len(there)}"]
    rivals = [name for name in ("sgd-nystroem", "arf") if name in there and "alder" in there]
    ahead = []
    for data in sets:
        cells = []
        for name in there:
            outcome = found.get((data, name))
            stopped = f" (of {outcome.rows:,})" if outcome and outcome.stopped else ""
            cells.append("–" if outcome is None else _percent(outcome.error) + stopped)
        lines.append(f"| {data} | {' | '.join(cells)} |")
        ours = found.get((data, "alder"))
        for name in rivals:
            theirs = found.get((data, name))
            if ours is None or theirs is None:
                ahead.append(f"{data}, {PEERS[name].title}: not measured")
                continue
            error = ours.error_after(theirs.rows)
            if error is None or error >= theirs.error:
                ahead.append(f"{data}, {PEERS[name].title}: {_percent(theirs.error)} against {_percent(error)}")
    if not rivals:
        return "\n".join(lines) + "\n"
    lines += ["", "ALDER makes fewer mistakes than each of the others that learn online, on every set."
              if not ahead else f"ALDER is not ahead everywhere: {'; '.join(ahead)}."]
    return "\n".join(lines) + "\n"


def _row(outcome: ClassOutcome, cost: float) -> str:
    peer = PEERS[outcome.peer]
    if outcome.failure:
        return f"| {peer.title} | failed | | | {outcome.failure.replace('|', ' ')} |"
    remarks = [_settings(outcome), peer.remark]
    if outcome.stopped and not outcome.rows:
        return f"| {peer.title} | stopped | | | {'; '.join(filter(None, [*remarks, 'not ready in time']))} |"
    if outcome.stopped:
        remarks.insert(0, f"stopped after {outcome.rows:,} rows")
    loss = "–" if outcome.log_loss is None else f"{outcome.log_loss:.4f}"
    if outcome.stopped and outcome.log_loss is not None:
        loss += " (of these)"
    cells = (peer.title, _percent(outcome.error), loss, f"{float(f'{cost:.3g}'):,g}", "; ".join(filter(None, remarks)))
    return f"| {' | '.join(cells)} |"


def _missing(peer: ClassPeer) -> str:
    return f"| {peer.title} | not installed | | | `pip install {peer.package}` |"


def _settings(outcome: ClassOutcome) -> str:
    """What was set, and of how many settings it is the best."""
    peer, settings = PEERS[outcome.peer], dict(outcome.settings)
    if len(peer.settings) < 2:
        return ""
    words = []
    if "width" in settings:
        words.append(f"σ = {settings.pop('width'):g} × the median distance")
    if "eta0" in settings:
        words.append(f"step {settings['eta0']:g}/√t")
        settings = {}
    words += [f"{name} {value:g}" for name, value in settings.items()]
    return f"{', '.join(words) or 'defaults'} (best of {len(peer.settings)})"


def _percent(error: float | None) -> str:
    return "–" if error is None else f"{100 * error:.2f} %"
