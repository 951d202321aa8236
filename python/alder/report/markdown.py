"""The tables as GitHub's markdown."""
from __future__ import annotations

from . import tables
from .results import Results
from .tables import Cell, Table


def write_markdown(results: Results) -> str:
    """All tables of the report, each under a heading; the paper's only if its data sets are there."""
    parts = []
    comparisons = tables.compare(results)
    if comparisons:
        parts += [("Mistakes", tables.amr_table(results, comparisons)),
                  ("Order", tables.order_table(tables.orders(comparisons))),
                  ("Widths tuned, too", tables.tuned_table(results, comparisons))]
        alignments = tables.compare_alignments(results)
        if alignments:
            parts.append(("Kernel widths", tables.alignment_table(alignments)))
        parts.append(("Time", tables.time_table(results, comparisons)))
    parts += [(f"All learners on {data}", tables.learners_table(results, data)) for data in results.sets]
    return "\n".join(f"## {_escaped(heading)}\n\n{_table(table)}" for heading, table in parts if table.rows)


def _table(table: Table) -> str:
    align = ["---" if i == 0 or i in table.text_columns else "---:" for i in range(len(table.columns))]
    rows = [[_escaped(column) for column in table.columns], align, *([_cell(cell) for cell in row] for row in table.rows)]
    lines = [f"{_escaped(table.caption)}.\n", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def _cell(cell: Cell) -> str:
    first = " ".join(part for part in (cell.text, f"*{cell.mark}*" if cell.mark else "") if part)
    return "<br>".join(_escaped(part) for part in (first, cell.note, cell.detail) if part)


def _escaped(text: str) -> str:
    """Text that markdown shows as it is, on one line."""
    for letter in "\\`|":
        text = text.replace(letter, "\\" + letter)
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").split())
