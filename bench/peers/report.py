"""Outcomes as Markdown tables and as a picture."""
from __future__ import annotations

import importlib.metadata
import math
import platform
from pathlib import Path

from .learners import PEERS
from .measure import Outcome
from .streams import Stream

MEASURES = ("Mistakes in %", "Rows a second", "Peak memory in MB", "Model in kB")
COLOURS = {"alder": "#1b7f4b", "scikit-learn": "#e0862c", "river": "#2f6db5", "vowpalwabbit": "#8457a8", "dlib": "#666666"}


def introduction(packages: set[str], limit: float, seed: int) -> str:
    """What was compared, where and how."""
    versions = ", ".join(f"{package} {_version(package)}" for package in sorted(packages))
    return (f"{versions}; Python {platform.python_version()}, one core of {_processor()}.\n\n"
            f"Every peer learns the same rows in the same order (seed {seed}), each row predicted before it is learned, and "
            f"is stopped after {limit:g} s. *Mistakes*: of all rows, and of the second half of them. *Rows a second*: by "
            "processor time for predicting and learning, without reading; the median of three runs if a run takes less than "
            "5 s. *Memory*: at the peak, beyond that of the rows and the imported packages; about 2 MB of it are the 4,096 rows "
            "at hand and code that is loaded on first use. *Model*: as a file. alder has its defaults, the others the best of "
            "the settings that were tried; σ is given to all.")


def table(stream: Stream, outcomes: list[Outcome], missing: list[str]) -> str:
    """One data set: a row for each peer, then what the others had reached where a peer was stopped."""
    lines = [f"### {stream.name}", "",
             f"{stream.rows:,} rows of {stream.features} features, σ = {stream.sigma:g} (γ = {stream.gamma:g}).", "",
             "| Peer | Mistakes | Second half | Rows a second | Memory | Model | Settings |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    lines += [_table_row(outcome) for outcome in outcomes]
    lines += [f"| {PEERS[name].title} | not installed | | | | | `pip install {PEERS[name].package}` |" for name in missing]
    for outcome in outcomes:
        if outcome.stopped and outcome.rows:
            others = [(PEERS[other.peer].title, other.error_after(outcome.rows)) for other in outcomes]
            reached = ", ".join(f"{title} {_percent(error)}" for title, error in others if error is not None)
            lines += ["", f"After the {outcome.rows:,} rows that {PEERS[outcome.peer].title} got through: {reached}."]
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
                axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
                axis.xaxis.set_minor_formatter(NullFormatter())
        for outcome in outcomes:
            if outcome.stream == stream.name and outcome.seconds:
                _draw_points(row, shown.index(outcome.peer), outcome)
        row[0].set_xlim(left=0)
        for axis in row[1:]:
            low, high = axis.get_xlim()
            axis.set_xlim(10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)))  # whole decades
    figure.supxlabel("hollow: stopped before the end, or trained on the first half and tested on the second", fontsize=9)
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
    remarks = [_settings(outcome)] if outcome.settings else ["defaults"] if not peer.batch else []
    remarks += [peer.remark] if peer.remark else []
    if outcome.failure:
        return f"| {peer.title} | failed | | | | | {outcome.failure.replace('|', ' ')} |"
    if outcome.stopped and not outcome.rows:
        return f"| {peer.title} | stopped | | | | | {'; '.join(remarks)}; not ready in time |"
    if outcome.stopped:
        remarks.insert(0, f"stopped after {outcome.rows:,} rows")
    cells = (peer.title, _percent(outcome.error), _percent(outcome.second_half), f"{_digits(outcome.rows_per_second)}",
             _bytes(outcome.memory), _bytes(outcome.model_bytes), "; ".join(remarks))
    return "| " + " | ".join(cells) + " |"


def _settings(outcome: Outcome) -> str:
    if "arguments" in outcome.settings:
        return f"`{outcome.settings['arguments']}`".replace("{gamma}", "γ")
    if outcome.settings.get("components") == 0:
        return f"rate = {outcome.settings['rate']:g}"
    return ", ".join(f"{name} = {value}" for name, value in outcome.settings.items())


def _percent(error: float | None) -> str:
    return "–" if error is None else f"{100 * error:.2f} %"


def _digits(number: float) -> str:
    """Three digits that count."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _bytes(number: int) -> str:
    if number < 1e5:
        return "< 0.1 MB" if number == 0 else f"{number / 1e3:.1f} kB"
    return f"{number / 1e6:.1f} MB" if number < 1e8 else f"{number / 1e6:.0f} MB"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(unknown version)"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
