"""The figures of one data set's classes: which is taken for which, and how far probabilities can be believed.

Each function gives a figure, or says in a sentence why the results do not have it.
"""
from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from . import tables, text
from .figures import GREY, finished, look
from .results import Results, Run

#: Classes that a matrix has a row for; the rest share one.
MOST_CLASSES = 30
#: Up to here there is room for a number in each cell.
MOST_NUMBERS = 12

_MISSING = ("There is none of this data set: the suite does not ask for probabilities, or the bench did not get to the "
            "first permutation.")


def runs_of(results: Results, data: str) -> list[Run]:
    """Of each learner with its best settings, the run that has the matrices; the fewest mistakes first."""
    found = sorted(tables.best_of_each(results, data), key=lambda best: best.amr)
    firsts = (next((run for run in best.runs if run.confusion is not None), None) for best in found)
    return [run for run in firsts if run is not None]


def confusion(results: Results, data: str) -> go.Figure | str:
    """How the rows of each class were predicted, by the learner with the fewest mistakes."""
    runs = runs_of(results, data)
    if not runs or not runs[0].confusion:
        return _MISSING
    names, counts = confusion_counts(runs[0].confusion)
    sums = [sum(row) for row in counts]
    shares = [[100 * cell / total if total else 0.0 for cell in row] for row, total in zip(counts, sums)]
    numbers = len(names) <= MOST_NUMBERS
    heat: dict[str, Any] = {}
    if numbers:
        heat = {"text": [[_share(share) for share in row] for row in shares], "texttemplate": "%{text}"}
    figure = go.Figure(go.Heatmap(
        # Few mistakes are to be seen beside many hits, so colours go by the cube root.
        z=[[(share / 100) ** (1 / 3) for share in row] for row in shares], x=names, y=names, zmin=0, zmax=1,
        showscale=False, xgap=1, ygap=1, customdata=[[[cell, share] for cell, share in zip(*row)]
                                                     for row in zip(counts, shares)],
        hovertemplate=(f"{text.learner_name(runs[0].learner)}: of class %{{y}}, predicted as %{{x}}:<br>"
                       "%{customdata[0]:,d} rows, %{customdata[1]:.2f} % of the class<extra></extra>"), **heat))
    figure.update_xaxes(title={"text": f"predicted by {text.learner_name(runs[0].learner)}"}, type="category",
                        showgrid=False, tickangle=0)
    figure.update_yaxes(title={"text": "class"}, type="category", autorange="reversed", showgrid=False)
    return finished(figure, 160 + max(22 * len(names), 160), hovermode="closest")


def confusion_counts(entries: list[tuple[int, int | None, int]]) -> tuple[list[str], list[list[int]]]:
    """Names of classes and a matrix of rows, class by predicted class. The largest classes, by number; the rest
    together. Rows of which nothing was predicted are left out."""
    sizes: dict[int, int] = {}
    for actual, predicted, rows in entries:
        if predicted is not None:
            sizes[actual] = sizes.get(actual, 0) + rows
            sizes.setdefault(predicted, 0)
    kept = sorted(sizes, key=lambda name: (-sizes[name], name))
    if len(kept) > MOST_CLASSES:
        kept = kept[:MOST_CLASSES - 1]
    kept.sort()
    place = {name: i for i, name in enumerate(kept)}
    others = len(sizes) - len(kept)
    names = [str(name) for name in kept] + (["rest"] if others else [])
    counts = [[0] * len(names) for _ in names]
    for actual, predicted, rows in entries:
        if predicted is not None:
            counts[place.get(actual, len(kept))][place.get(predicted, len(kept))] += rows
    return names, counts


def reliability(results: Results, data: str) -> go.Figure | str:
    """How often what was told with some probability was right, and how often it was told."""
    runs = [run for run in runs_of(results, data) if run.reliability is not None]
    if not runs:
        return _MISSING
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.74, 0.26])
    figure.add_scatter(x=[0, 100], y=[0, 100], mode="lines", line={"color": GREY, "dash": "dot", "width": 1.5},
                       name="exactly right", hoverinfo="skip", row=1, col=1, legendrank=999)
    for rank, run in reversed(list(enumerate(runs))):
        assert run.reliability is not None
        style, first = look(run.learner), rank == 0
        name = text.learner_name(run.learner)
        shown = name if run.calibration_error is None else f"{name} ({100 * run.calibration_error:.2f} %)"
        bins = [entry for entry in zip(*run.reliability) if entry[0] > 0]
        figure.add_scatter(x=[100 * told for _, told, _ in bins], y=[100 * right for _, _, right in bins], name=shown,
                           mode="lines+markers", row=1, col=1, legendrank=rank,
                           line={"color": style.colour, "dash": style.dash, "width": 3 if first else 1.5},
                           marker={"symbol": style.symbol, "size": 9 if first else 6},
                           customdata=[[rows] for rows, _, _ in bins],
                           hovertemplate=f"told %{{x:.1f}} %, right %{{y:.1f}} %<br>%{{customdata[0]:,.6~g}} rows"
                                         f"<extra>{name}</extra>")
    best = runs[0]
    assert best.reliability is not None
    weights = best.reliability[0]
    width = 100 / len(weights)
    figure.add_bar(x=[width * (i + 0.5) for i in range(len(weights))], y=weights, width=0.92 * width, row=2, col=1,
                   marker={"color": look(best.learner).colour, "line": {"width": 0}}, showlegend=False,
                   hovertemplate=f"%{{y:,.6~g}} rows<extra>{text.learner_name(best.learner)}</extra>")
    ticks = {"tickvals": [0, 20, 40, 60, 80, 100], "range": [-1, 101]}
    figure.update_xaxes(**ticks)
    figure.update_yaxes(**ticks, title={"text": "right in %"}, row=1, col=1)
    figure.update_yaxes(title={"text": "rows"}, rangemode="tozero", tickformat=",", nticks=4, row=2, col=1)
    figure.update_xaxes(title={"text": "probability that was told, in %"}, row=2, col=1)
    return finished(figure, 520, hovermode="closest")


def _share(percent: float) -> str:
    """Blank for none, so that what is there stands out."""
    if percent == 0:
        return ""
    return f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}" if percent >= 0.05 else "·"
