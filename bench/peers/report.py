"""Outcomes as Markdown tables and as a picture."""
from __future__ import annotations

import importlib.metadata
import math
import platform
from pathlib import Path

from . import dlib_peer
from .learners import PEERS
from .measure import Outcome
from .streams import Stream

MEASURES = ("Mistakes in %", "Rows a second", "Peak memory in MB", "Model in kB")
COLOURS = {"alder": "#1b7f4b", "scikit-learn": "#e0862c", "river": "#2f6db5", "vowpalwabbit": "#8457a8",
           "dlib": "#666666"}


def introduction(packages: set[str], limit: float, seed: int) -> str:
    """What was compared, where and how."""
    versions = ", ".join(f"{package} {_version(package)}" for package in sorted(packages))
    return f"""{versions}; Python {platform.python_version()}, one core of {_processor()}.

Every peer learns the same rows in the same order (seed {seed}), each row predicted before it is learned, and is stopped
when that would take more than {limit:g} s. *Mistakes*: of all rows, and of the second half of them. *Rows a second*: by
processor time for predicting and learning, without reading; the median of three runs if a run takes less than 5 s.
*Memory*: at the peak, beyond that of the rows and the imported packages; about 2 MB of it are the rows at hand and code
that is loaded on first use. *Model*: as a file. σ is given to all. alder is told ζ and the number of rows and has
its defaults otherwise; the others have the best of a few settings, by the same mistakes."""


def table(stream: Stream, outcomes: list[Outcome], missing: list[str]) -> str:
    """One data set: a row for each peer, then what the others had reached where a peer was stopped."""
    lines = [f"### {stream.name}", "",
             f"{stream.rows:,} rows of {stream.features} features, σ = {stream.sigma:g} (γ = {stream.gamma:g}).", "",
             "| Peer | Mistakes | Second half | Rows a second | Memory | Model | Settings |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    lines += [_table_row(outcome) for outcome in outcomes]
    for name in missing:
        peer = PEERS[name]
        lines.append(f"| {peer.title} | not installed | | | | | `{peer.install or 'pip install ' + peer.package}` |")
    for rows in sorted({outcome.rows for outcome in outcomes if outcome.stopped and outcome.rows}):
        stopped = [outcome.peer for outcome in outcomes if outcome.stopped and outcome.rows == rows]
        there = " and ".join(PEERS[name].title for name in stopped)
        reached = [(PEERS[outcome.peer].title, outcome.error_after(rows)) for outcome in outcomes]
        errors = ", ".join(f"{title} {_percent(error)}" for title, error in reached if error is not None)
        lines += ["", f"After {rows:,} rows, where {there} had to stop: {errors}."]
    return "\n".join(lines) + "\n"


def draw(outcomes: list[Outcome], streams: list[Stream], path: Path) -> None:
    """A row of panels for each data set, a point for each peer."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, NullFormatter

    plt.rcParams.update({"svg.hashsalt": "alder", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
    shown = [name for name in PEERS if any(outcome.peer == name and outcome.seconds for outcome in outcomes)]
    figure, axes = plt.subplots(len(streams), len(MEASURES), squeeze=False, sharey=True, layout="constrained",
                                figsize=(12, 0.6 + len(streams) * (0.7 + 0.19 * len(shown))))
    for row, stream in zip(axes, streams):
        row[0].set_title(stream.name, loc="left", fontweight="bold")
        for axis, measure in zip(row, MEASURES):
            axis.set_yticks(range(len(shown)), [PEERS[name].title for name in shown])
            axis.set_ylim(len(shown) - 0.5, -0.5)
            axis.set_xlabel(measure)
            axis.grid(color="#e4e4e4", linewidth=0.8)
            axis.set_axisbelow(True)
            axis.spines[["top", "right"]].set_visible(False)
            axis.tick_params(length=0)
            if measure != MEASURES[0]:
                axis.set_xscale("log")
                axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
                axis.xaxis.set_minor_formatter(NullFormatter())
        for outcome in outcomes:
            if outcome.stream == stream.name and outcome.seconds:
                _draw_points(row, shown.index(outcome.peer), outcome)
        row[0].margins(x=0.1)
        row[0].set_xlim(left=max(0, row[0].get_xlim()[0]))
        for axis in row[1:]:
            low, high = axis.get_xlim()
            axis.set_xlim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))  # whole decades
    figure.supxlabel("hollow: stopped early, or trained on the first half and tested on the second", fontsize=9)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _draw_points(axes: list, place: int, outcome: Outcome) -> None:
    peer = PEERS[outcome.peer]
    error = outcome.second_half if peer.batch else outcome.error
    values = (100 * error, outcome.rows_per_second, max(outcome.memory, 1e5) / 1e6, outcome.model_bytes / 1e3)
    colour = COLOURS[peer.package]
    for axis, value in zip(axes, values):
        axis.plot(value, place, "o", markersize=6, color=colour, clip_on=False,
                  markerfacecolor="white" if outcome.stopped or peer.batch else colour)


def _table_row(outcome: Outcome) -> str:
    peer = PEERS[outcome.peer]
    remarks = _settings(outcome) + ([peer.remark] if peer.remark else [])
    if outcome.failure:
        return f"| {peer.title} | failed | | | | | {outcome.failure.replace('|', ' ')} |"
    if outcome.stopped and not outcome.rows:
        return f"| {peer.title} | stopped | | | | | {'; '.join(remarks)}; not ready in time |"
    if outcome.stopped:
        remarks.insert(0, f"stopped after {outcome.rows:,} rows")
    cells = (peer.title, _percent(outcome.error), _percent(outcome.second_half), _digits(outcome.rows_per_second),
             _bytes(outcome.memory), _bytes(outcome.model_bytes), "; ".join(remarks))
    return "| " + " | ".join(cells) + " |"


def _settings(outcome: Outcome) -> list[str]:
    """What was set, and of how many settings it is the best."""
    peer, settings = PEERS[outcome.peer], outcome.settings
    if len(peer.settings) < 2:
        return [] if peer.batch else ["defaults"]
    if not settings:
        text = "defaults"
    elif "arguments" in settings:
        text = f"`{settings['arguments'].strip()}`".replace("{gamma}", "γ")
    elif "eta0" in settings:
        text = f"step {settings['eta0']:g}/√t"
    elif "lambda" in settings:
        text = f"λ {settings['lambda']:g}"
    elif settings.get("components"):
        text = f"{settings['components']} components, rate {settings['rate']:g}"
    else:
        text = f"rate {settings['rate']:g}"
    where = f" on the first {peer.compared_on:,} rows" if peer.compared_on else ""
    return [f"{text} (best of {len(peer.settings)}{where})"]


def _percent(error: float | None) -> str:
    return "–" if error is None else f"{100 * error:.2f} %"


def _digits(number: float) -> str:
    """Three digits that count."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _short(number: float) -> str:
    return f"{number / 1e6:g} M" if number >= 1e6 else f"{number / 1e3:g} k" if number >= 1e3 else f"{number:g}"


def _bytes(number: int) -> str:
    if number < 1e5:
        return "< 0.1 MB" if number == 0 else f"{number / 1e3:.1f} kB"
    return f"{number / 1e6:.1f} MB" if number < 1e8 else f"{number / 1e6:.0f} MB"


def _version(package: str) -> str:
    if package == "dlib":
        return dlib_peer.version()
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(unknown version)"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
