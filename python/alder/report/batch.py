"""A page over what `bench/batch.py` found: batch learning by one pass, beside learners that take longer."""
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

Comparison = Mapping[str, Any]

_SET = "batch"
_FIELDS = ("name", "command", "error", "deviation", "seconds", "model_bytes", "support_vectors")


def read_comparison(path: str | os.PathLike[str]) -> Comparison | None:
    """What `bench/batch.py --json` wrote; None if the file is something else. Raises OSError or ResultsError."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        return None
    if not isinstance(found, dict) or "comparison" not in found:
        return None
    name = os.fspath(path)
    if not isinstance(found["comparison"], list) or not found["comparison"]:
        raise ResultsError(f"{name}: found no learners; expected what bench/batch.py writes")
    for number, entry in enumerate(found["comparison"], 1):
        missing = [field for field in _FIELDS if not isinstance(entry, dict) or field not in entry]
        if missing:
            raise ResultsError(f"{name}: learner {number}: found no field {missing[0]!r}; expected what bench/batch.py "
                               "writes")
    for field in ("data", "rows", "held_out"):
        if field not in found:
            raise ResultsError(f"{name}: found no field {field!r}; expected what bench/batch.py writes")
    return found


def render_comparison(comparison: Comparison) -> str:
    """The page as text."""
    entries = comparison["comparison"]
    commands = "".join(f"<dt>{escape(entry['name'])}</dt><dd><code>{escape(entry['command'])}</code></dd>"
                       for entry in entries)
    parts = [
        "<header><h1>Batch learning</h1>",
        f"<p>{escape(str(comparison['data']))}: {text.count(comparison['rows'])} rows learned, "
        f"{text.count(comparison['held_out'])} others to measure on. POMDR sees each row once.</p></header>",
        '<main aria-busy="true">', table_html(_table(comparison)),
        '<section class="part"><h2>What it costs, what it reaches</h2>',
        figure_html("cost", "Error on rows held out against the seconds of processor time that training took, reading "
                    "included. The larger, the larger the model file.", False), "</section>",
        f"<h2>How it was measured</h2><dl>{commands}</dl>", "</main>",
        "<footer><p>Written by alder.report from what bench/batch.py found.</p></footer>"]
    figures = {"cost": {_SET: described(_figure(comparison), "Error against seconds")}}
    return document("Batch learning", "\n".join(parts), {"sets": [_SET], "figures": figures})


def _deviation(entry: Mapping[str, Any]) -> str:
    return "" if entry["deviation"] is None else f"± {100 * entry['deviation']:.2f}"


def _table(comparison: Comparison) -> Table:
    rows = [[Cell(entry["name"]), Cell(f"{100 * entry['error']:.2f} %", _deviation(entry)),
             Cell(f"{entry['seconds']:.3g}"), Cell(text.count(entry["support_vectors"])),
             Cell(f"{entry['model_bytes'] / 1024:.0f}")] for entry in comparison["comparison"]]
    return Table("Error on the rows held out, seconds of processor time, stored rows and the size of the model file",
                 ["learner", "error", "seconds", "rows stored", "KiB"], rows)


def _figure(comparison: Comparison) -> go.Figure | str:
    import plotly.graph_objects as go

    from .figures import BLUE, GREEN, ORANGE, VERMILION, finished, log_axis, spread

    entries = comparison["comparison"]
    figure = go.Figure()
    largest = max(entry["model_bytes"] for entry in entries)
    for entry, colour in zip(entries, spread((BLUE, GREEN, ORANGE, VERMILION), len(entries))):
        size = 10 + 30 * (entry["model_bytes"] / largest) ** 0.5
        figure.add_scatter(x=[entry["seconds"]], y=[100 * entry["error"]], mode="markers+text", text=[entry["name"]],
                           textposition="middle right", name=entry["name"], marker={"size": size, "color": colour},
                           error_y={"array": [100 * (entry["deviation"] or 0.0)]},
                           hovertemplate=f"%{{y:.2f}} % in %{{x:.3~g}} s<extra>{entry['name']}</extra>")
    errors = [100 * (entry["error"] + sign * (entry["deviation"] or 0.0)) for entry in entries for sign in (-1, 1)]
    padding = 0.1 * (max(errors) - min(errors)) or 0.1
    figure.update_xaxes(title={"text": "seconds"},
                        **log_axis([max(1e-3, entry["seconds"]) for entry in entries], padding=0.12))
    figure.update_yaxes(title={"text": "error in %"}, range=[min(errors) - padding, max(errors) + padding])
    return finished(figure, 440, hovermode="closest")
