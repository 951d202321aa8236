"""A page over what `alder info --json` found: what a model has chosen, and which features matter to it."""
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

Model = Mapping[str, Any]

_SET = "model"
_FIELDS = ("path", "learner", "classes", "features", "rounds", "mistake_rate", "support_vectors", "importances")
_MOST_BARS = 30
_TRANSFORMS = {"raw": "as they are", "range": "divided by their ranges", "deviation": "divided by their deviations",
               "normal": "by their ranks, as in a normal distribution"}


def read_model(path: str | os.PathLike[str]) -> Model | None:
    """What `alder info --json` wrote; None if the file is something else. Raises OSError or ResultsError."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        return None
    if not isinstance(found, dict) or "format_version" not in found:
        return None
    name = os.fspath(path)
    for field in _FIELDS:
        if field not in found:
            raise ResultsError(f"{name}: found no field {field!r}; expected what `alder info --json` writes")
    shares = found["importances"]
    if not isinstance(shares, list) or not all(isinstance(one, dict) and {"feature", "share"} <= one.keys()
                                               for one in shares):
        raise ResultsError(f"{name}: found importances without 'feature' and 'share'; expected what `alder info "
                           "--json` writes")
    return found


def render_model(model: Model) -> str:
    """The page as text."""
    facts = [("Learner", str(model["learner"])), ("Classes", text.count(len(model["classes"]))),
             ("Features", text.count(model["features"])), ("Rows learned", text.count(model["rounds"])),
             ("Mistakes", f"{100 * model['mistake_rate']:.2f} %"),
             ("Stored rows", text.count(model["support_vectors"]))]
    items = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    parts = [
        f"<header><h1>{escape(os.path.basename(str(model['path'])))}</h1>",
        "<p>What this model has chosen by itself, and which features matter to it. Mistakes are those in rows that it "
        "predicted before it learned them.</p>",
        f'<p class="headline">{escape(_headline(model))}</p>', f'<dl class="facts">{items}</dl></header>',
        '<main aria-busy="true">',
        '<section class="part"><h2>Which features matter</h2>',
        "<p>By how much the score of a row changes, in the mean, if the feature's value is taken from another row; as a "
        "share of the sum over all features. Features that say the same share what they are worth.</p>",
        figure_html("importances", _caption(model), False), "</section>"]
    if model.get("race"):
        parts += ["<h2>The last race</h2>", table_html(_race(model))]
    parts += ["</main>", "<footer><p>Written by alder.report from what alder info found.</p></footer>"]
    figures = {"importances": {_SET: described(_figure(model), "Importance by feature")}}
    return document(f"alder info {model['path']}", "\n".join(parts), {"sets": [_SET], "figures": figures})


def _metric(runner: Mapping[str, Any]) -> str:
    words = _TRANSFORMS.get(runner["transform"], str(runner["transform"]))
    return words + (", with learned scales" if runner["is_scaled"] else "")


def _headline(model: Model) -> str:
    metric = model.get("metric")
    if not metric:
        return f"{model['learner']} with a kernel that was given."
    width = model.get("chosen_sigma")
    words = f"Features are taken {_metric(metric)}; the kernel is {metric['kernel']}"
    words += "" if width is None else f", of width {width:.3g}"
    times = model.get("reopened") or 0
    if times:
        words += f". The race was opened again {'once' if times == 1 else f'{times} times'}, since the stream changed"
    return words + "."


def _ranked(model: Model) -> list[Mapping[str, Any]]:
    return sorted(model["importances"], key=lambda one: -float(one["share"]))


def _name(one: Mapping[str, Any]) -> str:
    return str(one.get("name") or f"feature {one['feature']}")


def _caption(model: Model) -> str:
    left_out = _ranked(model)[_MOST_BARS:]
    if not left_out:
        return "The share of each feature."
    rest = sum(float(one["share"]) for one in left_out)
    return (f"The share of the {_MOST_BARS} features that matter most; the other {text.count(len(left_out))} have "
            f"{100 * rest:.1f} % together.")


def _figure(model: Model) -> go.Figure | str:
    import plotly.graph_objects as go

    from .figures import BLUE, finished

    shown = _ranked(model)[:_MOST_BARS][::-1]
    if not shown:
        return "This model does not tell which features matter."
    figure = go.Figure()
    shares = [100 * float(one["share"]) for one in shown]
    figure.add_bar(x=shares, y=[_name(one) for one in shown], orientation="h", marker={"color": BLUE},
                   text=[f"{share:.1f} %" for share in shares], textposition="outside", cliponaxis=False,
                   showlegend=False, hovertemplate="%{y}: %{x:.2f} %<extra></extra>")
    figure.update_xaxes(title={"text": "share of what the score depends on, %"}, rangemode="tozero",
                        range=[0, 1.12 * max(*shares, 1e-9)])
    figure.update_yaxes(type="category")
    return finished(figure, 120 + 22 * len(shown))


def _race(model: Model) -> Table:
    runners = sorted(model["race"], key=lambda runner: (runner["is_out"], -runner["rounds"], runner["charge"]))
    rows = [[Cell(_metric(runner)), Cell(str(runner["kernel"])), Cell(f"{runner['sigma']:.3g}"),
             Cell(f"{runner['charge']:.1f}"), Cell(text.count(runner["rounds"])),
             Cell("left" if runner["is_out"] else "stays")] for runner in runners]
    return Table("The candidates of the last race: what is done to the features, the kernel and its width, what the "
                 "candidate was charged for mistakes and losses, and in how many rounds", ["features", "kernel",
                 "width", "charge", "rounds", ""], rows)
