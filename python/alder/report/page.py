"""The report as one HTML file that needs nothing else, not even a network."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from . import paper, tables, text
from .results import Results
from .tables import Cell, Table

#: Part of the page: the name of the figure, its heading, what it is about, and its caption.
_FIGURES = (
    ("curves", "Mistakes over the stream",
     "Each row is predicted before it is learned. The curves show the part of the predictions so far that was wrong, "
     "in the first permutation, each learner with its best settings.",
     "Mistakes so far over rounds so far. The first rounds, which are chance, are left out."),
    ("phases", "The two phases of POMDR",
     "In phase 1, POMDR projects what it can on the stored rows S, and its learning rate λ falls with Σδ, the part of "
     "the gradients that it could not foresee. If S outgrows the logarithm of the stream, at round t̄, phase 2 stores "
     "every violation and removes half of S whenever it is full.",
     "From top to bottom: stored rows, learning rate, Σδ. Dashed line: t̄, if phase 1 ended. Ticks: removals."),
    ("widths", "What the kernel width does",
     "A kernel that suits the data makes few mistakes and a small Σδ, the proxy for the kernel alignment that bounds "
     "the regret. A kernel that is too wide can keep POMDR in phase 1 and still be a bad one.",
     "POMDR with the best of its other settings at each σ; bars are standard deviations over the permutations."),
    ("cost", "Mistakes and time",
     "Further left is faster, further down is better. Each learner with its best settings, on one core.",
     "Processor time of learning 1,000 rows, without reading them, against AMR; bars are standard deviations."),
    ("spectrum", "Eigenvalues of the kernel matrix",
     "The faster they decay, the fewer rows span what the kernel can tell apart, and the longer phase 1 lasts.",
     "Eigenvalues divided by the number of rows, so that all of them add up to 1."),
)
#: The same of suites with probabilities.
_CLASS_FIGURES = (
    ("confusion", "Which class is taken for which",
     "Of the learner with the fewest mistakes, in the first permutation: the rows of each class, and what they were "
     "predicted as before they were learned.",
     "In % of the rows of a class; a dot is less than 0.05. Colours go by the cube root, so that few mistakes can be "
     "seen. Of many classes the largest are shown, the rest together. The first row of all, for which there was no "
     "class to predict, is left out."),
    ("reliability", "How far probabilities can be believed",
     "Of all rows of which something was told with 70 %, it should be right for 70 % of them. Each row was told of before "
     "it was learned, in the first permutation, each learner with its best settings.",
     "What is told of is the second class if there are two, otherwise the class with the largest probability; 15 bins of "
     "equal width. In brackets the calibration error: the mean distance from the dotted line. Below: how many rows "
     "there are in each bin, of the learner with the fewest mistakes."),
)


def write_report(results: Results, path: str | os.PathLike[str]) -> None:
    """Writes the page, or leaves what was there if that fails. Raises OSError, and ImportError without plotly."""
    write_page(render(results), path)


def write_page(page: str, path: str | os.PathLike[str]) -> None:
    """Writes a file whole, or leaves what was there."""
    target = os.path.abspath(path)
    descriptor, temporary = tempfile.mkstemp(prefix=".report-", suffix=".html", dir=os.path.dirname(target))
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(page)
        # As any other new file, not as a temporary one, which only its owner may read.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def render(results: Results) -> str:
    """The page as text."""
    body = "\n".join([_header(results), '<main aria-busy="true">', _overview(results), _paper(results),
                      _per_set(results), _parts_of_alder(results),
                      _repeat(results), "</main>", _footer(results)])
    return document(_title(results), body, _figure_data(results))


def document(title: str, body: str, figures: Mapping[str, Any]) -> str:
    """A page of this body; page.js draws the figures."""
    from plotly.offline import get_plotlyjs

    own = files(__package__)
    # Inside a script, "<" could end it.
    data = json.dumps(figures, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{(own / "page.css").read_text("utf-8")}</style>
</head>
<body>
{body}
<script type="application/json" id="figures">{data}</script>
<script>{get_plotlyjs()}</script>
<script>
{(own / "page.js").read_text("utf-8")}</script>
</body>
</html>
"""


def headline(results: Results) -> str:
    """What the results say, in a sentence or two."""
    comparisons = tables.compare(results)
    ours = [entry for entry in comparisons if entry.learner == "pomdr" and entry.ours]
    if not ours:
        return _plain_headline(results)
    good = [entry for entry in ours if entry.mark != "worse"]
    better = ", or better" if any(entry.mark == "better" for entry in good) else ""
    sentence = (f"{len(good)} of the {len(ours)} mistake ratios published for POMDR are reproduced: ours are within "
                f"{tables.DEVIATIONS:.0f} standard deviations of them{better}.")
    found = tables.orders(comparisons)
    if found:
        here = sum(order.ours[0] == "pomdr" for order in found)
        there = sum(order.published[0] == "pomdr" for order in found)
        sentence += (f" Of the paper’s {len(paper.LEARNERS)} algorithms POMDR makes the fewest mistakes on {here} of "
                     f"{text.number(len(found), 'data set')} here, and on {there} in the paper.")
    return sentence


def _plain_headline(results: Results) -> str:
    winners = []
    for data in results.sets:
        best = min(tables.best_of_each(results, data), key=lambda summary: summary.amr, default=None)
        if best is not None:
            winners.append(f"{text.learner_name(best.learner)} on {data} ({text.fixed(best.amr)} %)")
    return f"The fewest mistakes: {text.listing(winners)}." if winners else "No run has finished yet."


def _title(results: Results) -> str:
    return f"alder bench: {results.suite.get('name', 'results')}"


def _header(results: Results) -> str:
    machine = f"{results.cpu}, {text.number(results.cores, 'thread')}, {results.instruction_set}"
    facts = [("Runs", text.count(len(results.runs))), ("Data sets", str(len(results.sets))),
             ("Learners", str(len(results.learners()))), ("alder", results.version), ("Machine", machine)]
    items = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    orders = max((len({run.seed for run in results.runs if run.data == data}) for data in results.sets), default=0)
    about = ("Learners that see each row once, and predict it before they learn it, on "
             f"{text.number(len(results.sets), 'data set')}, in {text.number(orders, 'random order')} of each.")
    cut = '<p class="note">The last line of the results is incomplete: the bench was interrupted.</p>'
    return "\n".join([f"<header><h1>{escape(_title(results))}</h1>", f"<p>{about}</p>",
                      f'<p class="headline">{escape(headline(results))}</p>', f'<dl class="facts">{items}</dl>',
                      cut if results.cut_off else "", "</header>"])


def _overview(results: Results) -> str:
    from .overview import widest_difference

    caption = "A dot is the AMR in %, with its standard deviation over the permutations."
    if tables.compare(results):
        caption += " A ring is the published one: a dot in its ring is a figure that was reproduced."
    data = widest_difference(results)
    if data:
        caption += (f" The last panel is POMDR on {escape(data)} with other kernel widths, both lines in % of the "
                    "rounds: where Σδ is small, the kernel suits the data.")
    return figure_html("overview", caption, False)


def _paper(results: Results) -> str:
    comparisons = tables.compare(results)
    if not comparisons:
        return ""
    parts = [
        "<h2>The published tables</h2>",
        "<p>Junfan Li and Shizhong Liao, <cite>Improved Kernel Alignment Regret Bound for Online Kernel "
        "Learning</cite>, AAAI 2023, compare POMDR with four other algorithms on three data sets, and on four more in "
        "a supplement. AMR is the average mistake ratio: the part of the rows that was predicted wrongly before being "
        "learned.</p>",
        "<h3>Mistakes</h3>",
        f"<p>A figure is <em>within</em> if it is no more than {tables.DEVIATIONS:.0f} standard deviations (the "
        "larger one of the paper’s and ours) from the paper’s, else <em>better</em> or <em>worse</em>. Ours has the "
        "best settings that were run, like the paper’s; they are below it.</p>",
        table_html(tables.amr_table(results, comparisons))]
    found = tables.orders(comparisons)
    if found:
        parts += ["<p>Whether the paper’s order of its algorithms <em>holds</em>; <em>ties</em>: but for algorithms "
                  "that the deviations tell apart neither in the paper nor here.</p>",
                  table_html(tables.order_table(found))]
    tuned = tables.tuned_table(results, comparisons)
    if tuned.rows:
        parts += ["<p>The tables above have one kernel width for each data set, the paper’s. This one has the width that "
                  "is best for each algorithm.</p>", table_html(tuned)]
    parts += ["<h3>Kernel widths</h3>", _alignments(results), "<h3>Time</h3>",
              "<p>Another machine and another language: what compares is the ratio between algorithms.</p>",
              table_html(tables.time_table(results, comparisons))]
    return "\n".join(parts)


def _alignments(results: Results) -> str:
    found = tables.compare_alignments(results)
    if not found:
        return '<p class="missing">There is no run of POMDR at a width of the paper’s Table 3.</p>'
    about = (f"Σδ should be within {100 * tables.SUM_DELTA_TOLERANCE:.0f}&nbsp;% of the paper’s A<sub>T</sub>, and t̄, "
             f"the round that ends phase 1, within {100 * tables.SWITCH_TOLERANCE:.0f}&nbsp;%; ∞: phase 1 never ends.")
    scaled = list(dict.fromkeys(entry.published.data for entry in found if entry.scale != 1))
    if scaled:
        about += (" Where the paper has another number of rows, its A<sub>T</sub> is scaled by ours over its: "
                  f"{text.listing(scaled)}.")
    return f"<p>{about}</p>\n{table_html(tables.alignment_table(found))}"


def _per_set(results: Results) -> str:
    sets = results.sets
    if not sets:
        return ""
    buttons = "".join(f'<button type="button" value="{escape(data)}" aria-pressed="false">{escape(data)}</button>'
                      for data in sets)
    name = f'<span class="set-name">{escape(sets[0])}</span>'
    parts = ["<h2>Data set by data set</h2>",
             f'<div class="sets" role="group" aria-label="Data set">{buttons}</div>',
             "<noscript><p class=missing>The figures need JavaScript, which is part of this file.</p></noscript>"]
    for figure, heading, about, caption in _figures_of(results):
        parts += [f'<section class="part"><h3>{heading}: {name}</h3>', f"<p>{about}</p>",
                  figure_html(figure, caption, True), "</section>"]
    parts += [f"<h3>All learners: {name}</h3>", "<p>Each with its best settings.</p>"]
    parts += [f'<div class="part" data-only="{escape(data)}">{table_html(tables.learners_table(results, data))}</div>'
              for data in sets]
    return "\n".join(parts)


def _figures_of(results: Results) -> Sequence[tuple[str, str, str, str]]:
    if not results.has_matrices:
        return _FIGURES
    # With many classes there may be nothing of which some tell.
    makers = _makers()
    return [figure for figure in _FIGURES + _CLASS_FIGURES
            if any(not isinstance(makers[figure[0]](results, data), str) for data in results.sets)]


def _parts_of_alder(results: Results) -> str:
    table = tables.settings_table(results, "alder")
    if table is None:
        return ""
    return "\n".join(['<section class="part"><h2>What the parts of ALDER are good for</h2>',
                      "<p>One setting changed at a time. Without σ it finds the width in a race over the first rows.</p>",
                      table_html(table), "</section>"])


def _repeat(results: Results) -> str:
    suite = str(results.suite.get("name", "SUITE"))
    folder = "" if all(origin.made_up for origin in results.data.values()) else " --data FOLDER"
    parts = ['<section class="part"><h2>How to repeat this</h2>',
             "<p>The results, and this page from them. Only the times will differ.</p>",
             f"<pre>alder bench {escape(suite)}{folder} -o results.jsonl\n"
             "python -m alder.report results.jsonl -o report.html</pre>"]
    command = _command(results)
    if command:
        parts += ["<p>Any single run, to the last mistake: <code>alder train</code> with its settings as flags. For "
                  "example the first permutation of the best settings:</p>", f"<pre>{escape(command)}</pre>"]
    return "\n".join([*parts, "</section>"])


def _command(results: Results) -> str:
    """The first run of POMDR, or of what there is, as a command."""
    for data in results.sets:
        learners = sorted(results.learners(data), key=lambda learner: learner != "pomdr")
        if data not in results.data or not learners:
            continue
        best = results.best(data, learners[0], tables.wanted_settings(results, data))
        if best is None:
            continue
        run, origin = min(best.runs, key=lambda run: run.seed), results.data[data]
        flags = "".join(f" --{name} {value}" for name, value in run.settings.items())
        source = "-" if origin.made_up else origin.origin
        entry = results.suite.get("data", {}).get(data, {})
        seed = f" --seed {entry['seed']}" if "seed" in entry else ""
        generate = f"alder generate {origin.origin} --rows {origin.rows}{seed} | " if origin.made_up else ""
        return (f"{generate}alder train {source} --learner {run.learner} --shuffle --seed {run.seed} "
                f"--scale {origin.scale}{flags}")
    return ""


def _footer(results: Results) -> str:
    return f"<footer><p>Written by alder.report from the results of alder {escape(results.version)}.</p></footer>"


def figure_html(name: str, caption: str, by_set: bool) -> str:
    of = ' <span class="set-name"></span>:' if by_set else ""
    return (f'<figure data-figure="{name}"><div class="plot" role="img"></div><ul class="legend"></ul>'
            f'<p class="missing" hidden></p><figcaption>{of} {caption}</figcaption></figure>')


def _makers() -> Mapping[str, Callable[[Results, str], Any]]:
    """What draws a figure of a data set, or says why there is none."""
    from . import classes, figures

    return {"curves": figures.mistake_curves, "phases": figures.phases, "widths": figures.kernel_widths,
            "cost": figures.cost, "spectrum": figures.eigenvalues, "confusion": classes.confusion,
            "reliability": classes.reliability}


def _figure_data(results: Results) -> dict[str, Any]:
    """All figures of all data sets: drawn when a reader asks for them."""
    from .overview import overview

    makers = _makers()
    found: dict[str, Any] = {"overview": {
        kind: described(overview(results, columns), "AMR of the learners on all data sets")
        for kind, columns in (("wide", 4), ("narrow", 2))}}
    for name, heading, _, _ in _figures_of(results):
        found[name] = {data: described(makers[name](results, data), f"{heading}, {data}") for data in results.sets}
    return {"sets": results.sets, "figures": found}


def described(figure: Any, label: str) -> dict[str, Any]:
    if isinstance(figure, str):
        return {"missing": figure}
    description = json.loads(figure.to_json())
    description["layout"].pop("template", None)
    names = [trace["name"] for trace in description["data"] if "name" in trace and trace.get("showlegend") is not False]
    return {"data": description["data"], "layout": description["layout"],
            "label": f"{label}: {text.listing(names)}" if names else label}


def table_html(table: Table) -> str:
    def cell(index: int, content: Cell) -> str:
        mark = f'<span class="mark {content.mark}">{content.mark}</span>' if content.mark else ""
        detail = mark + (f'<span class="why">{escape(content.detail)}</span>' if content.detail else "")
        inner = escape(content.text) + "".join(f'<span class="below">{part}</span>'
                                               for part in (escape(content.note), detail) if part)
        if index == 0:
            return f'<th scope="row">{inner}</th>'
        return f'<td class="words">{inner}</td>' if index in table.text_columns else f"<td>{inner}</td>"

    heads = "".join(f'<th scope="col"{_words(table, index)}>{escape(name)}</th>'
                    for index, name in enumerate(table.columns))
    rows = "\n".join("<tr>" + "".join(cell(*entry) for entry in enumerate(row)) + "</tr>" for row in table.rows)
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.caption)}"><table>'
            f"<caption><span>{escape(table.caption)}</span></caption>\n<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>{rows}</tbody></table></div>")


def _words(table: Table, index: int) -> str:
    return ' class="words"' if index in table.text_columns else ""
