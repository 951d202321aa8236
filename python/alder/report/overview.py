"""The figure at the top of the report: mistakes of all learners on all data sets, and what the kernel width does."""
from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from . import paper, tables, text
from .figures import GREY, PURPLE, VERMILION, by_width, log_axis, look
from .results import Results, Summary

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class _Panel:
    data: str
    ours: dict[str, Summary]
    published: dict[str, paper.Figure]


def overview(results: Results, columns: int) -> go.Figure | str:
    """Small multiples: a dot is our AMR with its deviation, a ring the published one. A ring with the dot inside is a
    figure that was reproduced."""
    panels = _panels(results)
    if not panels:
        return "There are no runs yet."
    learners = _learners(results, panels)
    widths = widest_difference(results)
    count = len(panels) + (1 if widths else 0)
    rows = math.ceil(count / columns)
    columns = math.ceil(count / rows)
    titles = [f"<b>{panel.data}</b>" for panel in panels] + ([_widths_title(widths)] if widths else [])
    height = 60 + rows * (62 + 22 * len(learners))
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=titles, horizontal_spacing=0.2 / columns,
                           vertical_spacing=64 / (height - 60))
    for number, panel in enumerate(panels):
        _add_panel(figure, panel, learners, number // columns + 1, number % columns + 1)
    if widths:
        _add_widths(figure, results, widths, (count - 1) // columns + 1, (count - 1) % columns + 1)
    for annotation in figure.layout.annotations[:count]:
        annotation.update(font={"size": 12.5}, yshift=2)
    room = 24 + 7 * max(len(text.learner_name(learner)) for learner in learners)
    figure.update_layout(height=height, margin={"l": room, "r": 14, "t": 34, "b": 44}, showlegend=False,
                         hovermode="closest")
    return figure


def picture(results: Results) -> go.Figure:
    """The overview on a sheet of its own, with a heading and solid white behind it. Needs at least one run."""
    figure = overview(results, 4)
    if isinstance(figure, str):
        raise ValueError(figure)
    rings = any(panel.published for panel in _panels(results))
    heading = "<b>Mistakes in %</b>, mean ± deviation over random orders: ● alder" + ("  ○ published" if rings else "")
    figure.add_annotation(text=heading, xref="paper", yref="paper", x=0, y=1, xanchor="left", yanchor="bottom",
                          xshift=16 - figure.layout.margin.l, yshift=34, showarrow=False, font={"size": 15})
    if widest_difference(results):
        figure.add_annotation(text="last: POMDR by kernel width σ", xref="paper", yref="paper", x=1, y=1,
                              xanchor="right", yanchor="bottom", yshift=34, showarrow=False,
                              font={"size": 12, "color": "#5b6470"})
    figure.update_layout(width=1000, height=figure.layout.height + 40, paper_bgcolor="#ffffff", plot_bgcolor="#ffffff",
                         font={"family": _FONT, "color": "#1f2328", "size": 12}, margin={"t": 76, "b": 44})
    figure.update_xaxes(gridcolor="#e6e8eb", zerolinecolor="#e6e8eb", linecolor="#c4c9d0")
    figure.update_yaxes(gridcolor="#f0f1f3", zerolinecolor="#f0f1f3", linecolor="#c4c9d0")
    return figure


def _panels(results: Results) -> list[_Panel]:
    """The paper's data sets and algorithms if they are there, else all."""
    comparisons = tables.compare(results)
    panels = []
    for data in dict.fromkeys(entry.data for entry in comparisons) or results.sets:
        entries = [entry for entry in comparisons if entry.data == data]
        wanted = tables.wanted_settings(results, data)
        learners = [entry.learner for entry in entries] or results.learners(data)
        found = {learner: best for learner in learners if (best := results.best(data, learner, wanted)) is not None}
        if found:
            panels.append(_Panel(data, found, {entry.learner: entry.published for entry in entries}))
    return panels


def _learners(results: Results, panels: list[_Panel]) -> list[str]:
    """From the bottom to the top."""
    shown = {learner for panel in panels for learner in (*panel.ours, *panel.published)}
    order = dict.fromkeys([*paper.LEARNERS, *results.learners()])
    return sorted((learner for learner in order if learner in shown), key=lambda learner: learner == "pomdr")


def widest_difference(results: Results) -> str | None:
    """The data set on which the kernel width makes the most difference to Σδ; None: too few widths were run."""
    spans = {}
    for data in (panel.data for panel in _panels(results)):
        sums = [s.sum_delta for _, s in by_width(results, data) if s.sum_delta]
        if len(sums) > 2:
            spans[data] = max(sums) / min(sums)
    return max(spans, key=lambda data: spans[data], default=None)


def _add_panel(figure: go.Figure, panel: _Panel, learners: list[str], row: int, column: int) -> None:
    for y, learner in enumerate(learners):
        style, name = look(learner), text.learner_name(learner)
        published, ours = panel.published.get(learner), panel.ours.get(learner)
        if published is not None:
            figure.add_scatter(x=[published.amr], y=[y], mode="markers", row=row, col=column, showlegend=False,
                               marker={"symbol": "circle-open", "size": 13, "color": style.colour,
                                       "line": {"width": 1.6}},
                               hovertemplate=f"{name}, published<br>"
                                             f"{text.fixed(published.amr, published.amr_deviation)} %<extra></extra>")
        if ours is not None:
            figure.add_scatter(x=[ours.amr], y=[y], mode="markers", row=row, col=column, showlegend=False,
                               error_x={"type": "data", "array": [ours.amr_deviation or 0], "thickness": 1.4,
                                        "width": 0},
                               marker={"symbol": "circle", "size": 7, "color": style.colour},
                               hovertemplate=f"{name}<br>{text.fixed(ours.amr, ours.amr_deviation)} %<br>"
                                             f"{text.settings(ours.settings)}<extra></extra>")
    entries: list[paper.Figure | Summary] = [*panel.published.values(), *panel.ours.values()]
    values = [entry.amr + sign * (entry.amr_deviation or 0) for entry in entries for sign in (-1, 1)]
    low, high = min(values), max(values)
    if low > 0 and high > 15 * low:
        figure.update_xaxes(**log_axis(values, padding=0.06), row=row, col=column)
    else:
        pad = 0.08 * (high - low) or 0.1 * high or 1
        figure.update_xaxes(range=[max(low - pad, -0.4 * pad), high + pad], nticks=6, row=row, col=column)
    figure.update_yaxes(range=[-0.6, len(learners) - 0.4], tickvals=list(range(len(learners))), row=row, col=column,
                        ticktext=[text.learner_name(learner) for learner in learners], showticklabels=column == 1,
                        ticks="")


def _widths_title(data: str) -> str:
    def coloured(name: str, colour: str) -> str:
        return f'<span style="color:{colour}">{name}</span>'
    return f"<b>{data}</b> {coloured('AMR', VERMILION)}, {coloured('Σδ/T', PURPLE)}"


def _add_widths(figure: go.Figure, results: Results, data: str, row: int, column: int) -> None:
    """AMR and Σδ, both in % of the rounds, on one logarithmic axis."""
    best = by_width(results, data)
    lines = [("Σδ/T", PURPLE, [100 * (s.sum_delta or 0) / results.rows(data) for _, s in best]),
             ("AMR", VERMILION, [s.amr for _, s in best])]
    sigmas = [sigma for sigma, _ in best]
    for name, colour, values in lines:
        figure.add_scatter(x=sigmas, y=values, mode="lines+markers", line={"color": colour, "width": 2},
                           marker={"size": 6}, row=row, col=column, showlegend=False,
                           hovertemplate=f"{name} %{{y:.3~g}} %<br>σ = %{{x}}<extra></extra>")
    ticks = sigmas if len(sigmas) < 6 else sigmas[::2]
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[text.value(sigma) for sigma in ticks],
                        title={"text": "σ", "standoff": 2}, row=row, col=column)
    figure.update_yaxes(**log_axis([value for _, _, values in lines for value in values], padding=0.1), row=row,
                        col=column)
    chosen = tables.wanted_settings(results, data).get("sigma")
    if isinstance(chosen, (int, float)):
        figure.add_vline(x=chosen, line={"color": GREY, "dash": "dash", "width": 1.2}, row=row, col=column)
