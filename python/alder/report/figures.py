"""The figures of one data set, as plotly describes them. What depends on light or dark is left to page.js.

Each function gives a figure, or says in a sentence why the results do not have it.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from . import tables, text
from .results import Results, Summary, least_mistakes

#: The palette of Okabe and Ito, which colour-blind people can tell apart too, without its yellow and black, which are
#: lost on light and on dark. More learners than colours: dashes and symbols tell the rest apart.
ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#8A8F98"


@dataclass(frozen=True)
class Look:
    """A learner looks the same in the whole report."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


_LOOKS = {
    "alder": Look(GREEN, symbol="star-diamond"), "pomdr": Look(VERMILION), "fogd": Look(BLUE, symbol="square"),
    "nogd": Look(SKY, symbol="diamond"), "skegd": Look(GREEN, "dash", "triangle-up"), "bao2ks": Look(PURPLE, symbol="triangle-down"),
    "ogd": Look(ORANGE, symbol="cross"), "bogd": Look(ORANGE, "dash", "x"), "pegasos": Look(ORANGE, "dot", "star"),
    "perceptron": Look(GREY, symbol="pentagon"), "projectron": Look(GREY, "dash", "hexagon"),
    "projectron++": Look(GREY, "dot", "hexagram"), "linear": Look(GREY, "dashdot", "bowtie")}


def look(learner: str) -> Look:
    return _LOOKS.get(learner, Look(GREY, "longdash", "asterisk-open"))


def mistake_curves(results: Results, data: str) -> go.Figure | str:
    """The part of the rounds so far that were mistakes, for all learners."""
    curves = sorted((c for c in results.curves if c.data == data and c.rounds), key=lambda c: c.learner != "pomdr")
    if not curves:
        return "There is no curve of this data set: the suite does not ask for one, or the bench did not get to it."
    # The first rounds are chance; from here on the rates say something.
    start = max(10, curves[0].rounds[-1] // 200)
    figure = go.Figure()
    rates_seen: list[float] = []
    for curve in reversed(curves):
        kept = [(t, 100 * m / t) for t, m in zip(curve.rounds, curve.mistakes) if t >= start]
        rates_seen += [rate for t, rate in kept if t >= 4 * start]
        style = look(curve.learner)
        name = text.learner_name(curve.learner)
        figure.add_scatter(x=[t for t, _ in kept], y=[rate for _, rate in kept], name=name, mode="lines",
                           legendrank=curves.index(curve),
                           line={"color": style.colour, "dash": style.dash,
                                 "width": 3 if curve.learner == "pomdr" else 1.8},
                           hovertemplate=f"%{{y:.2f}} %<extra>{name}, {text.settings(curve.settings)}</extra>")
    figure.update_xaxes(title={"text": "rounds so far"}, **log_axis([start, curves[0].rounds[-1]]))
    figure.update_yaxes(title={"text": "mistakes so far in %"})
    low, high = min(rates_seen, default=0.0), max(rates_seen, default=1.0)
    if 0 < 8 * low < high:
        figure.update_yaxes(**log_axis([low, high], padding=0.05))
    else:
        figure.update_yaxes(range=[max(0.0, low - 0.08 * (high - low)), high + 0.15 * (high - low)])
    return finished(figure, 420, hovermode="x")


def phases(results: Results, data: str) -> go.Figure | str:
    """The support set, the learning rate and Σδ of POMDR over the rounds, with t̄ and the removals."""
    curve = next((c for c in results.curves if c.data == data and c.learner == "pomdr" and c.rounds), None)
    if curve is None:
        return "There is no curve of POMDR here: the suite does not ask for one, or the bench did not get to it."
    if curve.sum_delta is None:
        return "With more than two classes POMDR is a learner for each: these have no phases in common."
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.07, row_heights=[0.4, 0.3, 0.3])
    panels = [("|S|", curve.support, GREEN, "stored rows |S|"),
              ("λ<sub>t</sub>", curve.learning_rate, BLUE, "learning rate λ"),
              ("Σδ", curve.sum_delta, PURPLE, "Σδ so far")]
    for row, (title, values, colour, name) in enumerate(panels, 1):
        if values is not None:
            figure.add_scatter(x=curve.rounds, y=values, mode="lines", line={"color": colour, "width": 2}, name=name,
                               row=row, col=1, hovertemplate=f"%{{y:.4g}}<extra>{name}</extra>")
        figure.update_yaxes(title={"text": title}, row=row, col=1)
    for row in (1, 3):
        figure.update_yaxes(rangemode="tozero", row=row, col=1)
    figure.update_yaxes(**log_axis(curve.learning_rate), row=2, col=1)
    figure.update_xaxes(range=[0, curve.rounds[-1]], tickformat=",d")
    figure.update_xaxes(title={"text": "round"}, row=3, col=1)
    if curve.removal_rounds:
        figure.add_scatter(x=curve.removal_rounds, y=[0] * len(curve.removal_rounds), mode="markers", row=1, col=1,
                           marker={"symbol": "line-ns", "size": 9, "line": {"color": VERMILION, "width": 1.2}},
                           name="a removal", hovertemplate="round %{x}<extra>half of S is removed</extra>")
    if curve.switch_round is not None:
        for row in (1, 2, 3):
            figure.add_vline(x=curve.switch_round, line={"color": VERMILION, "dash": "dash", "width": 1.5}, row=row,
                             col=1)
        figure.add_annotation(x=curve.switch_round, y=1, yref="y domain",
                              text=f" t̄ = {text.count(curve.switch_round)}",
                              showarrow=False, xanchor="left", yanchor="bottom", font={"color": VERMILION}, row=1,
                              col=1)
    return finished(figure, 540, margin_top=26)


def by_width(results: Results, data: str, learner: str = "pomdr") -> list[tuple[float, Summary]]:
    """For each kernel width, ascending, the best of the other settings."""
    groups: dict[float, list[Summary]] = {}
    for summary in results.summaries(data, learner):
        sigma = summary.settings.get("sigma")
        if isinstance(sigma, (int, float)):
            groups.setdefault(float(sigma), []).append(summary)
    return [(sigma, best) for sigma, group in sorted(groups.items()) if (best := least_mistakes(group)) is not None]


def kernel_widths(results: Results, data: str) -> go.Figure | str:
    """AMR and Σδ of POMDR against σ: what a well-tuned kernel is worth."""
    best = by_width(results, data)
    if len(best) < 2:
        return "POMDR was run with fewer than two kernel widths on this data set."
    if all(summary.sum_delta is None for _, summary in best):
        return "With more than two classes POMDR is a learner for each: these have no Σδ in common."
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    groups = [("circle", "all runs stay in phase 1", [e for e in best if e[1].switch_round is None]),
              ("circle-open", "all runs leave phase 1", [e for e in best if not e[1].never_switched]),
              ("diamond-open-dot", "some runs leave phase 1",
               [e for e in best if 0 < e[1].never_switched < len(e[1].runs)])]
    panels: list[tuple[int, str, Any, Any, str]] = [
        (1, VERMILION, lambda s: s.amr, lambda s: s.amr_deviation, "AMR"),
        (2, PURPLE, lambda s: s.sum_delta, lambda s: s.sum_delta_deviation, "Σδ")]
    for row, colour, mean, deviation, name in panels:
        figure.add_scatter(x=[sigma for sigma, _ in best], y=[mean(s) for _, s in best], mode="lines", row=row, col=1,
                           line={"color": colour, "width": 2}, showlegend=False, hoverinfo="skip")
        for symbol, meaning, entries in groups:
            if entries:
                figure.add_scatter(
                    x=[sigma for sigma, _ in entries], y=[mean(s) for _, s in entries], mode="markers", row=row, col=1,
                    error_y={"type": "data", "array": [deviation(s) or 0 for _, s in entries], "thickness": 1.2,
                             "width": 3},
                    marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 2, "color": colour}},
                    name=meaning, showlegend=row == 1,
                    customdata=[[text.settings(s.settings), len(s.runs) - s.never_switched, len(s.runs)]
                                for _, s in entries],
                    hovertemplate=f"{name} %{{y:.5~g}}<br>%{{customdata[0]}}<br>%{{customdata[1]}} of "
                                  "%{customdata[2]} runs leave phase 1<extra></extra>")
    _add_published_widths(figure, results, data)
    figure.update_yaxes(title={"text": "AMR in %"}, row=1, col=1)
    figure.update_yaxes(title={"text": "Σδ"}, rangemode="tozero", tickformat=",d", row=2, col=1)
    sigmas = [sigma for sigma, _ in best]
    figure.update_xaxes(type="log", tickvals=sigmas, ticktext=[text.value(sigma) for sigma in sigmas])
    figure.update_xaxes(title={"text": "kernel width σ"}, row=2, col=1)
    chosen = tables.wanted_settings(results, data).get("sigma")
    if isinstance(chosen, (int, float)):
        for row in (1, 2):
            figure.add_vline(x=chosen, line={"color": GREY, "dash": "dash", "width": 1.2}, row=row, col=1,
                             layer="below")
        # Annotations, unlike traces and lines, take the logarithm where the axis is logarithmic.
        figure.add_annotation(x=math.log10(chosen), y=1, yref="y domain", text=f" chosen: σ = {text.value(chosen)}",
                              showarrow=False, xanchor="left", yanchor="bottom", row=1, col=1)
    return finished(figure, 500, margin_top=26)


def cost(results: Results, data: str) -> go.Figure | str:
    """Mistakes against time, each learner with its best settings."""
    found = [best for best in tables.best_of_each(results, data) if best.seconds > 0]
    if not found:
        return "There is no run of this data set that took any time."
    found.sort(key=lambda best: best.learner != "pomdr")
    amrs, times = [best.amr for best in found], [1000 * best.seconds_per_thousand for best in found]
    logarithmic = min(amrs) > 0 and max(amrs) > 6 * min(amrs)
    figure = go.Figure()
    for best, time, position in zip(found, times, _label_positions(found, times, amrs, logarithmic)):
        style = look(best.learner)
        name = text.learner_name(best.learner)
        figure.add_scatter(
            x=[time], y=[best.amr], mode="markers+text", name=name, text=[name], textposition=position,
            error_y={"type": "data", "array": [best.amr_deviation or 0], "thickness": 1.2, "width": 3},
            marker={"color": style.colour, "symbol": style.symbol, "size": 14 if best.learner == "pomdr" else 11},
            hovertemplate=f"<b>{name}</b><br>AMR %{{y:.2f}} %<br>%{{x:.3~r}} ms for 1,000 rows<br>"
                          f"{text.settings(best.settings)}<extra></extra>")
    figure.update_xaxes(title={"text": "milliseconds for 1,000 rows"}, **log_axis(times, padding=0.12))
    if logarithmic:
        figure.update_yaxes(**log_axis(amrs, padding=0.1))
    else:
        padding = 0.1 * (max(amrs) - min(amrs)) or 0.1 * max(amrs) or 1
        figure.update_yaxes(range=[min(amrs) - padding, max(amrs) + padding])
    figure.update_yaxes(title={"text": "AMR in %"})
    return finished(figure, 440, hovermode="closest")


def eigenvalues(results: Results, data: str) -> go.Figure | str:
    """How fast the eigenvalues of the kernel matrix decay, for several widths."""
    spectra = sorted((s for s in results.spectra if s.data == data and s.index), key=lambda s: s.sigma)
    if not spectra:
        return "There are no eigenvalues here: the suite does not ask for them, or the bench did not get to them."
    chosen = tables.wanted_settings(results, data).get("sigma")
    colours = spread((SKY, "#2F7DC4", "#8E6BC8"), len(spectra))
    figure = go.Figure()
    values_seen = []
    for spectrum, colour in zip(spectra, colours):
        highlighted = spectrum.sigma == chosen
        name = f"σ = {text.value(spectrum.sigma)}" + (" (chosen)" if highlighted else "")
        # What is below is rounding.
        kept = [(i, value) for i, value in zip(spectrum.index, spectrum.eigenvalue) if value > 1e-12]
        values_seen += [value for _, value in kept]
        figure.add_scatter(x=[i for i, _ in kept], y=[value for _, value in kept], mode="lines", name=name,
                           line={"color": VERMILION if highlighted else colour, "width": 3.5 if highlighted else 1.8},
                           hovertemplate=f"%{{y:.3~g}}<extra>{name}</extra>")
    if not values_seen:
        return "No eigenvalue of this data set is above what rounding leaves."
    figure.update_xaxes(title={"text": "index"}, **log_axis([1, max(spectrum.index[-1] for spectrum in spectra)]))
    figure.update_yaxes(title={"text": "eigenvalue / rows"}, **log_axis(values_seen, padding=0.04))
    return finished(figure, 420, hovermode="x")


def _add_published_widths(figure: go.Figure, results: Results, data: str) -> None:
    """The paper's Table 3, as crosses."""
    compared = tables.compare_alignments(results)
    entries = [entry for entry in compared if entry.ours is not None and entry.ours.data == data]
    for row, values in ((1, [e.published.amr for e in entries]), (2, [e.expected_sum_delta for e in entries])):
        if entries:
            figure.add_scatter(x=[e.published.sigma for e in entries], y=values, mode="markers", name="published",
                               row=row, col=1, marker={"color": GREY, "symbol": "x-thin", "size": 11,
                                                       "line": {"width": 2, "color": GREY}},
                               showlegend=row == 1, hovertemplate="%{y:.5~g}<extra>published</extra>")


def log_axis(values: Sequence[float], padding: float = 0.0) -> dict[str, Any]:
    """A logarithmic axis that just holds these, with ticks at round numbers. The padding is a part of its length."""
    known = [value for value in values if value > 0]
    low, high = (math.log10(min(known)), math.log10(max(known))) if known else (0.0, 1.0)
    margin = padding * (high - low) or 0.05
    low, high = low - (margin if padding else 0), high + (margin if padding else 0)
    if high - low > 2.2:
        mantissas: tuple[float, ...] = (1,)
    elif high - low > 0.7:
        mantissas = (1, 2, 5)
    else:
        mantissas = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    ticks = [mantissa * 10.0 ** power for power in range(math.floor(low), math.floor(high) + 1)
             for mantissa in mantissas]
    ticks = [tick for tick in ticks if low - 1e-9 <= math.log10(tick) <= high + 1e-9]
    axis: dict[str, Any] = {"type": "log", "range": [low, high]}
    if len(ticks) < 2:
        return axis
    if min(ticks) < 0.0009 and mantissas == (1,):
        names = [f"10<sup>{math.log10(tick):.0f}</sup>".replace("-", "−").replace("10<sup>0</sup>", "1")
                 for tick in ticks]
    else:
        names = [f"{tick:,.10g}" for tick in ticks]
    return {**axis, "tickvals": ticks, "ticktext": names}


def _label_positions(found: Sequence[Summary], xs: Sequence[float], ys: Sequence[float], log_y: bool) -> list[str]:
    """Beside each point, where its name covers the fewest others; in pixels of a figure on a desk."""
    def scaled(values: Sequence[float], length: float) -> list[float]:
        span = max(values) - min(values) or 1.0
        return [length * (value - min(values)) / span for value in values]
    px = scaled([math.log10(x) for x in xs], 780)
    py = scaled([math.log10(y) for y in ys] if log_y else ys, 300)
    taken = [(x - 8, y - 8, x + 8, y + 8) for x, y in zip(px, py)]
    positions = []
    for best, x, y in zip(found, px, py):
        width, height = 7.5 * len(text.learner_name(best.learner)), 15
        places = {"middle right": (x + 9, y - 7), "top center": (x - width / 2, y + 9),
                  "middle left": (x - 9 - width, y - 7), "bottom center": (x - width / 2, y - 9 - height)}
        boxes = {name: (left, bottom, left + width, bottom + height) for name, (left, bottom) in places.items()}
        chosen = min(boxes, key=lambda name: sum(_overlap(boxes[name], other) for other in taken))
        positions.append(chosen)
        taken.append(boxes[chosen])
    return positions


def _overlap(left: tuple[float, ...], right: tuple[float, ...]) -> float:
    """The area that two boxes (left, bottom, right, top) share."""
    width = min(left[2], right[2]) - max(left[0], right[0])
    height = min(left[3], right[3]) - max(left[1], right[1])
    return width * height if width > 0 and height > 0 else 0.0


def spread(stops: Sequence[str], count: int) -> list[str]:
    """So many colours, evenly spread over the way from stop to stop."""
    channels = [[int(stop[i:i + 2], 16) for i in (1, 3, 5)] for stop in stops]
    colours = []
    for i in range(count):
        place = (len(stops) - 1) * i / max(1, count - 1)
        first = min(int(place), len(stops) - 2)
        mixed = [a + (place - first) * (b - a) for a, b in zip(channels[first], channels[first + 1])]
        colours.append("#" + "".join(f"{round(value):02x}" for value in mixed))
    return colours


def finished(figure: go.Figure, height: int, margin_top: int = 10, **layout: Any) -> go.Figure:
    figure.update_layout(height=height, margin={"l": 64, "r": 16, "t": margin_top, "b": 44}, showlegend=False, **layout)
    figure.update_xaxes(automargin=True, title={"standoff": 8})
    figure.update_yaxes(automargin=True)
    return figure
