"""What the report says in numbers: results beside the published ones, and all learners beside each other.

The first half computes, the second half puts what was computed into tables that page.py and markdown.py write.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from . import paper, text
from .results import Results, Settings, Summary

#: A difference of so many standard deviations is none. No deviation counts as less than what two decimals round away.
DEVIATIONS, ROUNDING = 3.0, 0.005
#: How far, relatively, our Σδ and t̄ may be from the published ones.
SUM_DELTA_TOLERANCE, SWITCH_TOLERANCE = 0.05, 0.15


@dataclass(frozen=True)
class Comparison:
    """One learner on one data set: published and ours."""

    data: str
    learner: str
    published: paper.Figure
    ours: Summary | None  #: None: not in the results

    @property
    def mark(self) -> str:
        """within, better or worse; empty if there is nothing to compare."""
        if self.ours is None:
            return ""
        return amr_mark(self.ours, self.published.amr, self.published.amr_deviation)


@dataclass(frozen=True)
class AlignmentComparison:
    """POMDR with one kernel width: published and ours."""

    published: paper.Alignment
    ours: Summary | None
    amr_deviation: float  #: published; 0 where it is not
    scale: float  #: our number of rows by the paper's, where they differ

    @property
    def expected_sum_delta(self) -> float:
        return self.published.sum_delta * self.scale

    @property
    def amr_mark(self) -> str:
        return "" if self.ours is None else amr_mark(self.ours, self.published.amr, self.amr_deviation)

    @property
    def sum_delta_mark(self) -> str:
        if self.ours is None or self.ours.sum_delta is None:
            return ""
        return _relative_mark(self.ours.sum_delta, self.expected_sum_delta, SUM_DELTA_TOLERANCE)

    @property
    def switch_mark(self) -> str:
        """A run that never leaves phase 1 agrees only with a paper's that never does."""
        if self.ours is None:
            return ""
        if self.published.switch_round is None:
            return "within" if self.ours.switch_round is None else "differs"
        if self.ours.switch_round is None or self.ours.never_switched:
            return "differs"
        return _relative_mark(self.ours.switch_round, self.published.switch_round, SWITCH_TOLERANCE)


@dataclass(frozen=True)
class Order:
    """The paper's algorithms from the fewest mistakes to the most."""

    data: str
    published: Sequence[str]
    ours: Sequence[str]
    mark: str  #: holds; ties: but for pairs that neither the paper nor we can tell apart; differs


def amr_mark(ours: Summary, published: float, deviation: float) -> str:
    if _indistinct(ours.amr, published, ours.amr_deviation or 0.0, deviation):
        return "within"
    return "better" if ours.amr < published else "worse"


def published(results: Results, data: str) -> tuple[str, paper.Published] | None:
    """The paper's name for the data set and its figures, if the set is the paper's: by its name, at least half of its
    rows, and its kernel width."""
    name = next((name for name in paper.SETS if name.lower() == data.lower()), None)
    if name is None or (data in results.data and results.data[data].made_up):
        return None
    figures = paper.SETS[name]
    sigma = results.own_settings(data).get("sigma", figures.sigma)
    return (name, figures) if results.rows(data) >= figures.rows / 2 and sigma == figures.sigma else None


def wanted_settings(results: Results, data: str) -> Settings:
    """What suits a data set: what the suite says, else what the paper says, else anything."""
    own = results.own_settings(data)
    found = published(results, data)
    return {"sigma": found[1].sigma, "zeta": found[1].zeta} if found and not own else own


def best_of_each(results: Results, data: str) -> list[Summary]:
    """Each learner that was run on the data set, with its best settings among those that suit."""
    wanted = wanted_settings(results, data)
    found = (results.best(data, learner, wanted) for learner in results.learners(data))
    return [best for best in found if best is not None]


def compare(results: Results) -> list[Comparison]:
    """For each of the paper's data sets in the results, each of its algorithms, if any of them was run."""
    comparisons = []
    for data in results.sets:
        found = published(results, data)
        if found is None:
            continue
        wanted = wanted_settings(results, data)
        entries = [Comparison(data, learner, figure, results.best(data, learner, wanted))
                   for learner, figure in found[1].figures.items()]
        if any(entry.ours for entry in entries):
            comparisons += entries
    return comparisons


def compare_alignments(results: Results) -> list[AlignmentComparison]:
    """For each entry of the paper's Table 3 of which there is a run."""
    comparisons = []
    for data in results.sets:
        found = published(results, data)
        if found is None:
            continue
        name, figures = found
        for alignment in paper.ALIGNMENTS:
            if alignment.data != name:
                continue
            ours = results.best(data, "pomdr", {**wanted_settings(results, data), "sigma": alignment.sigma})
            deviation = figures.figures["pomdr"].amr_deviation if alignment.sigma == figures.sigma else 0.0
            if ours is not None:
                comparisons.append(AlignmentComparison(alignment, ours, deviation, results.rows(data) / figures.rows))
    return comparisons


def orders(comparisons: Sequence[Comparison]) -> list[Order]:
    """For each data set of which all of the paper's algorithms are there."""
    found = []
    for data in dict.fromkeys(entry.data for entry in comparisons):
        entries = [entry for entry in comparisons if entry.data == data]
        if any(entry.ours is None for entry in entries):
            continue
        theirs = sorted(entries, key=lambda entry: entry.published.amr)
        ours = sorted(entries, key=lambda entry: entry.ours.amr)  # type: ignore[union-attr]
        swapped = [(a, b) for i, a in enumerate(theirs) for b in theirs[i + 1:] if ours.index(a) > ours.index(b)]
        mark = "holds" if not swapped else "ties" if all(_tied(a, b) for a, b in swapped) else "differs"
        found.append(Order(data, [entry.learner for entry in theirs], [entry.learner for entry in ours], mark))
    return found


def _tied(left: Comparison, right: Comparison) -> bool:
    a, b, p, q = left.ours, right.ours, left.published, right.published
    assert a is not None and b is not None
    return (_indistinct(a.amr, b.amr, a.amr_deviation or 0.0, b.amr_deviation or 0.0)
            and _indistinct(p.amr, q.amr, p.amr_deviation, q.amr_deviation))


def _indistinct(left: float, right: float, left_deviation: float, right_deviation: float) -> bool:
    # The last term lets a difference of exactly so many deviations pass, whatever its last bit.
    return abs(left - right) <= DEVIATIONS * max(left_deviation, right_deviation, ROUNDING) + 1e-9


def _relative_mark(ours: float, theirs: float, tolerance: float) -> str:
    return "within" if abs(ours - theirs) <= tolerance * theirs else "differs"


@dataclass(frozen=True)
class Cell:
    text: str
    note: str = ""  #: below it: what it is compared with
    detail: str = ""  #: below that: how it came about
    mark: str = ""  #: how it compares, in a word


@dataclass(frozen=True)
class Table:
    """The first column is text and heads its rows; the others are numbers unless they are among `text_columns`."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    text_columns: Sequence[int] = field(default=())


def amr_table(results: Results, comparisons: Sequence[Comparison]) -> Table:
    def cell(entry: Comparison) -> Cell:
        note = f"paper {text.fixed(entry.published.amr, entry.published.amr_deviation)}"
        if entry.ours is None:
            return Cell("–", note, "not run")
        runs, full = len(entry.ours.runs), results.suite.get("permutations", 0)
        details = [text.settings(entry.ours.settings, without=wanted_settings(results, entry.data)).replace("–", ""),
                   f"only {text.number(runs, 'run')}" if runs < full else ""]
        return Cell(text.fixed(entry.ours.amr, entry.ours.amr_deviation), note, ", ".join(filter(None, details)),
                    entry.mark)
    return _matrix(results, comparisons, "AMR in %, mean ± standard deviation over the permutations", cell)


def tuned_table(results: Results, comparisons: Sequence[Comparison]) -> Table:
    """The best of all settings, also of those that are not the paper's. No rows if these were not tried."""
    def cell(entry: Comparison) -> Cell:
        best = results.best(entry.data, entry.learner, {})
        if best is None:
            return Cell("–")
        return Cell(text.fixed(best.amr, best.amr_deviation), detail=text.settings(best.settings))
    table = _matrix(results, comparisons, "AMR in % with the best of all settings that were tried", cell)
    tried = (results.best(entry.data, entry.learner, {}) for entry in comparisons)
    others = any(best is not None and not results.suits(best, wanted_settings(results, best.data)) for best in tried)
    return table if others else Table(table.caption, table.columns, [])


def time_table(results: Results, comparisons: Sequence[Comparison]) -> Table:
    def cell(entry: Comparison) -> Cell:
        note = f"paper {text.fixed(entry.published.seconds, entry.published.seconds_deviation)}"
        return Cell("–" if entry.ours is None else text.seconds(entry.ours.seconds, entry.ours.seconds_deviation), note)
    caption = "Seconds for one pass, mean ± standard deviation; the paper's are of R on a laptop"
    return _matrix(results, comparisons, caption, cell)


def order_table(found: Sequence[Order]) -> Table:
    def listed(learners: Sequence[str]) -> str:
        return " < ".join(text.learner_name(learner) for learner in learners)
    return Table("The paper's algorithms, fewest mistakes first", ["Data set", "Paper", "Ours", "The paper's order"],
                 [[Cell(order.data), Cell(listed(order.published)), Cell(listed(order.ours)), Cell("", mark=order.mark)]
                  for order in found], text_columns=(1, 2, 3))


def alignment_table(comparisons: Sequence[AlignmentComparison]) -> Table:
    rows = []
    for entry in comparisons:
        theirs, ours = entry.published, entry.ours
        assert ours is not None
        scaled = f" × {entry.scale:.3f} = {text.count(entry.expected_sum_delta)}" if entry.scale != 1 else ""
        never = f"{ours.never_switched} of {len(ours.runs)} never" if 0 < ours.never_switched < len(ours.runs) else ""
        rows.append([
            Cell(theirs.data), Cell(text.value(theirs.sigma)),
            Cell(text.fixed(ours.amr, ours.amr_deviation), f"paper {theirs.amr:.2f}", "", entry.amr_mark),
            Cell("–" if ours.sum_delta is None else text.count(ours.sum_delta),
                 f"paper {text.count(theirs.sum_delta)}{scaled}", "", entry.sum_delta_mark),
            Cell(text.rounds(ours.switch_round), f"paper {text.rounds(theirs.switch_round)}", never, entry.switch_mark),
            Cell(text.settings(ours.settings, without=("sigma",)))])
    columns = ["Data set", "σ", "AMR in %", "Σδ (A_T)", "t̄", "Settings"]
    return Table("POMDR at the paper's kernel widths", columns, rows, text_columns=(5,))


#: What suites with probabilities have more: the head, the name, in units of how much of 1, and with how many digits.
_PROBABILITIES = [("Balanced error in %", "balanced_error", 100, 2), ("Log loss", "log_loss", 1, 4),
                  ("Calibration error in %", "calibration_error", 100, 2)]


def learners_table(results: Results, data: str) -> Table:
    """All learners on one data set, each with its best settings, fewest mistakes first."""
    found = sorted(best_of_each(results, data), key=lambda best: best.amr)
    more = _PROBABILITIES if any(best.mean("log_loss") is not None for best in found) else []

    def worth(best: Summary, name: str, scale: int, digits: int) -> Cell:
        mean = best.mean(name)
        return Cell("–" if mean is None else f"{scale * mean:.{digits}f}")
    rows = [[Cell(text.learner_name(best.learner)), Cell(text.fixed(best.amr, best.amr_deviation)),
             *(worth(best, name, scale, digits) for _, name, scale, digits in more),
             Cell(text.count(best.support)), Cell(text.size(best.bytes)), Cell(text.seconds(best.seconds)),
             Cell(str(len(best.runs))), Cell(text.settings(best.settings))] for best in found]
    columns = ["Learner", "AMR in %", *(head for head, _, _, _ in more), "Stored rows", "Memory", "Seconds", "Runs",
               "Settings"]
    return Table(f"{data}: {text.count(results.rows(data))} rows", columns, rows, text_columns=(len(columns) - 1,))


def settings_table(results: Results, learner: str) -> Table | None:
    """One learner with all its settings on all data sets; None if it was not run with several."""
    found = {data: {text.settings(summary.settings): summary for summary in results.summaries(data, learner)}
             for data in results.sets}
    rows = []
    for shown in dict.fromkeys(shown for summaries in found.values() for shown in summaries):
        cells = [summaries.get(shown) for summaries in found.values()]
        rows.append([Cell(shown.replace("–", "as it is")),
                     *(Cell("–" if cell is None else text.fixed(cell.amr, cell.amr_deviation)) for cell in cells)])
    if len(rows) < 2:
        return None
    return Table(f"{text.learner_name(learner)}: mistakes in % by its settings", ["Settings", *results.sets], rows)


def data_note(results: Results, data: str) -> str:
    """The set's settings, and its rows where the paper had another number."""
    note = text.settings(wanted_settings(results, data))
    found = published(results, data)
    if found and results.rows(data) != found[1].rows:
        note += f"; {text.count(results.rows(data))} rows, the paper's {text.count(found[1].rows)}"
    return note


def _matrix(results: Results, comparisons: Sequence[Comparison], caption: str,
            cell: Callable[[Comparison], Cell]) -> Table:
    rows = []
    for data in dict.fromkeys(entry.data for entry in comparisons):
        entries = [entry for entry in comparisons if entry.data == data]
        rows.append([Cell(data, data_note(results, data)), *(cell(entry) for entry in entries)])
    return Table(caption, ["Data set", *(text.learner_name(learner) for learner in paper.LEARNERS)], rows)
