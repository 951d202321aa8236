"""python -m alder.report RESULTS -o report.html"""
from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

from .batch import read_comparison, render_comparison
from .diagnosis import read_diagnosis, render_diagnosis
from .markdown import write_markdown
from .model import read_model, render_model
from .page import write_page, write_report
from .regret import read_regret, render_regret
from .results import ResultsError, read_results


# What else there are pages of: in words, who reads it, who writes the page.
_PAGES: list[tuple[str, Callable[[str], Any], Callable[[Any], str]]] = [
    ("a diagnosis", read_diagnosis, render_diagnosis),
    ("a regret", read_regret, render_regret),
    ("a comparison", read_comparison, render_comparison),
    ("a model", read_model, render_model),
]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m alder.report",
                                     description="Write a page of tables and figures over what `alder bench`, "
                                                 "`alder diagnose --json`, `alder regret --json` or `alder info --json` found.")
    parser.add_argument("results", metavar="RESULTS",
                        help="what `alder bench`, or `diagnose`, `regret` or `info` with --json wrote, also gz or xz")
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page [report.html]")
    parser.add_argument("--markdown", action="store_true", help="print the tables as markdown instead")
    options = parser.parse_args(arguments)
    if not options.markdown and importlib.util.find_spec("plotly") is None:
        return _fail('plotly is not installed; expected: pip install "alder[report]"')
    try:
        for what, read, render in _PAGES:
            found = read(options.results)
            if found is None:
                continue
            if options.markdown:
                return _fail(f"{options.results}: found {what}; expected results of `alder bench` for --markdown")
            write_page(render(found), options.output)
            return 0
        results = read_results(options.results)
        if options.markdown:
            print(write_markdown(results), end="")
        else:
            write_report(results, options.output)
    except ResultsError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename or options.results}: {error.strerror or error}")
    return 0


def _fail(message: str) -> int:
    print(f"alder.report: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
