"""A page over what `alder diagnose --json` found: how the eigenvalues fall, and what that means."""
from __future__ import annotations

import json
import math
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

Diagnosis = Mapping[str, Any]

_SET = "diagnosis"
_FIELDS = ("alignment_per_round", "explained", "eigenvalues", "phase_one", "run", "regret_bound", "verdict")


def read_diagnosis(path: str | os.PathLike[str]) -> Diagnosis | None:
    """What `alder diagnose --json` wrote; None if the file is something else. Raises OSError or ResultsError."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        return None
    if not isinstance(found, dict) or "kernels" not in found:
        return None
    name = os.fspath(path)
    kernels = found["kernels"]
    if not isinstance(kernels, list) or not kernels:
        raise ResultsError(f"{name}: found no kernels; expected what `alder diagnose --json` writes")
    for number, kernel in enumerate(kernels, 1):
        missing = [field for field in _FIELDS if not isinstance(kernel, dict) or field not in kernel]
        if missing:
            raise ResultsError(f"{name}: kernel {number}: found no field {missing[0]!r}; expected what "
                               "`alder diagnose --json` writes")
    for field in ("rows", "recommendation"):
        if field not in found:
            raise ResultsError(f"{name}: found no field {field!r}; expected what `alder diagnose --json` writes")
    return found


def render_diagnosis(diagnosis: Diagnosis) -> str:
    """The page as text."""
    kernels = diagnosis["kernels"]
    best = diagnosis["recommendation"]
    facts = [("Rows", text.count(diagnosis["rows"])), ("Features", text.count(diagnosis.get("features", 0))),
             ("Kernels", str(len(kernels))),
             ("Explained by a constant", f"{100 * diagnosis.get('explained_by_a_constant', 0):.1f} %")]
    items = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    verdicts = "".join(f"<h3>{escape(_name(kernel))}</h3><p>{escape(kernel['verdict'])}</p>" for kernel in kernels)
    parts = [
        "<header><h1>alder diagnose</h1>",
        "<p>How hard these rows are for a kernel, what the theory of POMDR promises, and what really happens.</p>",
        f'<p class="headline">{escape(best["reason"])}</p>', f'<dl class="facts">{items}</dl></header>',
        '<main aria-busy="true">', table_html(_table(diagnosis)),
        '<section class="part"><h2>How the eigenvalues fall</h2>',
        "<p>The faster, the fewer rows span the others. A straight line on the left is an exponential decay, on the "
        "right a polynomial one.</p>",
        figure_html("eigenvalues", "Eigenvalues of the kernel matrix, divided by the number of its rows. Dashed: the "
                    "law that fits better.", False), "</section>",
        '<section class="part"><h2>How the kernels fit the labels</h2>',
        "<p>A<sub>T</sub>/T is what the kernel does not explain of the labels before anything is learned, Σδ/T what is "
        "left of it in the rounds that cost something; the regret bounds grow with their roots. What the best function "
        "of a kernel can do is another matter: that shows in the mistakes.</p>",
        figure_html("alignment", "Left: A<sub>T</sub>/T, Σδ/T and mistakes of POMDR. Right: the rows that phase 1 needs "
                    "(open: it was given up there) and what Theorem 1 promises.", False), "</section>",
        "<h2>Kernel by kernel</h2>", verdicts,
        f"<h2>Recommended</h2><p>{escape(best['reason'])}</p><pre>{escape(best['command'])}</pre>", "</main>",
        "<footer><p>Written by alder.report from what alder diagnose found.</p></footer>"]
    figures = {"eigenvalues": {_SET: described(_eigenvalues(diagnosis), "Eigenvalues by index")},
               "alignment": {_SET: described(_alignment(diagnosis), "Alignment and support by kernel")}}
    return document("alder diagnose", "\n".join(parts), {"sets": [_SET], "figures": figures})


def _name(kernel: Mapping[str, Any]) -> str:
    sigma = kernel.get("sigma")
    return f"σ = {text.value(sigma)}" if sigma is not None else str(kernel.get("kernel"))


def _law(kernel: Mapping[str, Any]) -> str:
    decay = kernel.get("decay")
    if not decay:
        return "not at all"
    if decay["law"] == "polynomial":
        return f"i^−{decay['p']:.2f}"
    digits = max(2, min(8, 1 + math.ceil(-math.log10(1 - decay["r"])))) if decay["r"] < 1 else 8
    return f"{decay['r']:.{digits}f}^i"


def _needs(kernel: Mapping[str, Any]) -> str:
    phase_one = kernel["phase_one"]
    return f"{'' if phase_one['switch_round'] is None else '≥ '}{text.count(phase_one['support_vectors'])}"


def _promised(kernel: Mapping[str, Any], rows: int) -> str:
    promised = kernel.get("budget_promised")
    return "nothing" if promised is None or promised >= rows else text.count(promised)


def _table(diagnosis: Diagnosis) -> Table:
    rows = []
    for kernel in diagnosis["kernels"]:
        bound = min(kernel["regret_bound"]["by_delta"], kernel["regret_bound"]["by_alignment"]) / diagnosis["rows"]
        error = kernel.get("alignment_error")
        rows.append([Cell(_name(kernel)), Cell(f"{100 * kernel['explained']:.1f} %"),
                     Cell(f"{kernel['alignment_per_round']:.4f}",
                          "" if error is None else f"± {error / diagnosis['rows']:.4f}"),
                     Cell(f"{(kernel['run'].get('sum_delta') or 0) / diagnosis['rows']:.4f}"),
                     Cell(_law(kernel)), Cell(_promised(kernel, diagnosis["rows"])), Cell(_needs(kernel)),
                     Cell(f"{bound:.3g}"), Cell(f"{100 * kernel['run']['mistake_rate']:.2f} %")])
    return Table("How much of the labels the kernel explains before learning, how its eigenvalues fall, how many rows "
                 "phase 1 stores (promised by Theorem 1, and needed), the smaller regret bound of Theorem 2 and "
                 "Corollary 1, and the mistakes of POMDR",
                 ["kernel", "explained", "A_T/T", "Σδ/T", "eigenvalues", "promised", "needed", "bound a round",
                  "mistakes"], rows)


def _colours(count: int) -> list[str]:
    from .figures import BLUE, GREEN, ORANGE, VERMILION, spread

    return spread((BLUE, GREEN, ORANGE, VERMILION), count)


def _eigenvalues(diagnosis: Diagnosis) -> go.Figure | str:
    """λ_i/rows against i, on a straight and on a logarithmic axis."""
    from plotly.subplots import make_subplots

    from .figures import finished, log_axis

    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.04)
    seen: list[float] = []
    longest = 1
    for kernel, colour in zip(diagnosis["kernels"], _colours(len(diagnosis["kernels"]))):
        leading = kernel["eigenvalues"]
        values = [value / leading["rows"] for value in leading["values"] if value > 0]
        kept = [(i, value) for i, value in enumerate(values, 1) if value > 1e-12 * values[0]]
        longest = max(longest, len(kept))
        seen += [value for _, value in kept]
        decay = kernel.get("decay")
        for column in (1, 2):
            figure.add_scatter(x=[i for i, _ in kept], y=[value for _, value in kept], mode="lines", name=_name(kernel),
                               row=1, col=column, showlegend=column == 1, line={"color": colour, "width": 2.2},
                               hovertemplate=f"%{{y:.3~g}}<extra>{_name(kernel)}</extra>")
            if decay:
                law = [(i, decay["r0"] / diagnosis["rows"] * (decay["r"] ** i if "r" in decay else i ** -decay["p"]))
                       for i, _ in kept]
                figure.add_scatter(x=[i for i, _ in law], y=[value for _, value in law], mode="lines",
                                   name=f"{_name(kernel)}: {_law(kernel)}", row=1, col=column, showlegend=False,
                                   line={"color": colour, "width": 1.2, "dash": "dash"}, hoverinfo="skip")
    if not seen:
        return "No eigenvalue is above 0."
    figure.update_xaxes(title={"text": "index"}, row=1, col=1)
    figure.update_xaxes(title={"text": "index, logarithmic"}, row=1, col=2, **log_axis([1, max(2, longest)]))
    figure.update_yaxes(**log_axis(seen, padding=0.04))
    figure.update_yaxes(title={"text": "eigenvalue / rows"}, row=1, col=1)
    return finished(figure, 420)


def _alignment(diagnosis: Diagnosis) -> go.Figure | str:
    """A_T/T, mistakes, and what phase 1 needs, by width."""
    from plotly.subplots import make_subplots

    from .figures import BLUE, GREEN, GREY, SKY, VERMILION, finished, log_axis

    kernels = sorted(diagnosis["kernels"], key=lambda kernel: kernel.get("sigma") or math.inf)
    sigmas = [kernel.get("sigma") for kernel in kernels]
    by_width = all(sigma is not None for sigma in sigmas)
    x = sigmas if by_width else [_name(kernel) for kernel in kernels]
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.1)
    errors = [(kernel.get("alignment_error") or 0) / diagnosis["rows"] for kernel in kernels]
    figure.add_scatter(x=x, y=[kernel["alignment_per_round"] for kernel in kernels], mode="lines+markers",
                       name="A_T/T", error_y={"array": errors, "visible": any(errors)},
                       line={"color": BLUE, "width": 2.2}, marker={"color": BLUE, "symbol": "circle", "size": 8},
                       row=1, col=1)
    figure.add_scatter(x=x, y=[(kernel["run"].get("sum_delta") or 0) / diagnosis["rows"] for kernel in kernels],
                       mode="lines+markers", name="Σδ/T", line={"color": SKY, "width": 2.2},
                       marker={"color": SKY, "symbol": "diamond", "size": 8}, row=1, col=1)
    figure.add_scatter(x=x, y=[kernel["run"]["mistake_rate"] for kernel in kernels], mode="lines+markers",
                       name="mistakes / T", line={"color": VERMILION, "width": 2.2},
                       marker={"color": VERMILION, "symbol": "square", "size": 8}, row=1, col=1)
    needs = [kernel["phase_one"]["support_vectors"] for kernel in kernels]
    symbols = ["circle" if kernel["phase_one"]["switch_round"] is None else "circle-open" for kernel in kernels]
    figure.add_scatter(x=x, y=needs, mode="lines+markers", name="phase 1 needs", line={"color": GREEN, "width": 2.2},
                       marker={"color": GREEN, "symbol": symbols, "size": 9, "line": {"color": GREEN, "width": 2}},
                       row=1, col=2)
    promised = [kernel.get("budget_promised") for kernel in kernels]
    promised = [value if value is not None and value < diagnosis["rows"] else None for value in promised]
    if any(value is not None for value in promised):
        figure.add_scatter(x=x, y=promised, mode="lines+markers", name="Theorem 1 promises",
                           line={"color": GREY, "width": 1.6, "dash": "dash"},
                           marker={"color": GREY, "symbol": "diamond", "size": 8}, row=1, col=2)
    if by_width:
        for column in (1, 2):
            figure.update_xaxes(title={"text": "kernel width σ"}, row=1, col=column,
                                **log_axis([sigma for sigma in sigmas if sigma], padding=0.05))
    figure.update_yaxes(rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title={"text": "rows"}, row=1, col=2,
                        **log_axis([*needs, *(value for value in promised if value)], padding=0.08))
    return finished(figure, 380)
