"""A page over what `alder regret --json` found: the regret as the rows grow, beside what the theory allows."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from . import text
from .page import described, document, figure_html, table_html
from .results import ResultsError, read_text
from .tables import Cell, Table

if TYPE_CHECKING:
    import plotly.graph_objects as go

Regret = Mapping[str, Any]

_SET = "regret"
_FIELDS = ("rows", "loss", "best_loss", "best_loss_at_least", "regret", "delta_bound", "alignment_bound")


def read_regret(path: str | os.PathLike[str]) -> Regret | None:
    """What `alder regret --json` wrote; None if the file is something else. Raises OSError or ResultsError."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        return None
    if not isinstance(found, dict) or "regret" not in found:
        return None
    name = os.fspath(path)
    points = found["regret"]
    if not isinstance(points, list) or not points:
        raise ResultsError(f"{name}: found no regret; expected what `alder regret --json` writes")
    for number, point in enumerate(points, 1):
        missing = [field for field in _FIELDS if not isinstance(point, dict) or field not in point]
        if missing:
            raise ResultsError(f"{name}: point {number}: found no field {missing[0]!r}; expected what "
                               "`alder regret --json` writes")
    for field in ("learner", "radius", "as_proved"):
        if field not in found:
            raise ResultsError(f"{name}: found no field {field!r}; expected what `alder regret --json` writes")
    return found


def render_regret(regret: Regret) -> str:
    """The page as text."""
    learner = escape(str(regret["learner"]))
    has_bounds = any(point["delta_bound"] is not None for point in regret["regret"])
    proof = ("" if not has_bounds else "The settings are those for which the bounds are proved." if regret["as_proved"]
             else "The bounds are proved for other settings than these, so they may be exceeded.")
    parts = [
        "<header><h1>alder regret</h1>",
        f"<p>What {learner} lost, each row predicted before it was learned, beside the best function with a norm of at "
        f"most {text.value(regret['radius'])}, which knew all rows from the start.</p>",
        f'<p class="headline">{escape(_headline(regret))}</p><p>{proof}</p></header>',
        '<main aria-busy="true">', table_html(_table(regret, has_bounds)),
        '<section class="part"><h2>How the regret grows</h2>',
        "<p>Both axes are logarithmic: a slope of 1 is a regret that grows with the rows, of 1/2 with their root.</p>",
        figure_html("regret", "Hinge losses, the regret, and what is allowed. What is not above 0 is left out.", False),
        "</section></main>", "<footer><p>Written by alder.report from what alder regret found.</p></footer>"]
    figures = {"regret": {_SET: described(_figure(regret), "Losses and regret by rows")}}
    return document("alder regret", "\n".join(parts), {"sets": [_SET], "figures": figures})


def _headline(regret: Regret) -> str:
    known = [point for point in regret["regret"] if point["regret"] is not None]
    if not known:
        return "The best function was not looked for."
    last = known[-1]
    words = (f"After {text.count(last['rows'])} rows the regret is {last['regret']:,.1f}, "
             f"{last['regret'] / last['rows']:.4f} a row")
    if last["delta_bound"] is None:
        return words + "."
    return f"{words}; Theorem 2 allows {last['delta_bound']:,.1f}."


def _table(regret: Regret, has_bounds: bool) -> Table:
    def cell(value: float | None) -> Cell:
        return Cell("–" if value is None else f"{value:,.1f}")

    rows = []
    for point in regret["regret"]:
        best = point["best_loss"]
        uncertain = "" if best is None else f"± {best - point['best_loss_at_least']:.2f}"
        row = [Cell(text.count(point["rows"])), cell(point["loss"]),
               Cell("–" if best is None else f"{best:,.1f}", uncertain), cell(point["regret"])]
        rows.append(row + ([cell(point["delta_bound"]), cell(point["alignment_bound"])] if has_bounds else []))
    titles = ["rows", "learner's loss", "best in hindsight", "regret"]
    return Table("Hinge losses of the learner and of the best function in hindsight, the regret between them, and what "
                 "the theorems allow", titles + (["Theorem 2", "Corollary 1"] if has_bounds else []), rows)


def _figure(regret: Regret) -> go.Figure | str:
    import plotly.graph_objects as go

    from .figures import BLUE, GREEN, ORANGE, SKY, VERMILION, finished, log_axis

    figure = go.Figure()
    seen: list[float] = []
    for field, name, colour, dash in (("loss", "learner's loss", SKY, "solid"),
                                      ("best_loss", "best in hindsight", GREEN, "solid"),
                                      ("regret", "regret", BLUE, "solid"), ("delta_bound", "Theorem 2", ORANGE, "dash"),
                                      ("alignment_bound", "Corollary 1", VERMILION, "dash")):
        kept = [(point["rows"], point[field]) for point in regret["regret"] if point[field] is not None
                and point[field] > 0.01]
        if not kept:
            continue
        seen += [value for _, value in kept]
        figure.add_scatter(x=[rows for rows, _ in kept], y=[value for _, value in kept], mode="lines+markers", name=name,
                           line={"color": colour, "width": 2.2, "dash": dash}, marker={"size": 5},
                           hovertemplate=f"%{{y:.1f}}<extra>{name}</extra>")
    if not seen:
        return "No loss is above 0."
    figure.update_xaxes(title={"text": "rows"}, **log_axis([point["rows"] for point in regret["regret"]]))
    figure.update_yaxes(title={"text": "hinge loss"}, **log_axis(seen, padding=0.05))
    return finished(figure, 460, hovermode="x")
