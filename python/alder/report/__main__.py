"""python -m alder.report RESULTS -o report.html"""
from __future__ import annotations

import argparse
import importlib.util
import sys

from .diagnosis import read_diagnosis, render_diagnosis
from .markdown import write_markdown
from .page import write_page, write_report
from .results import ResultsError, read_results


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m alder.report",
                                     description="Write a page of tables and figures over what `alder bench` or "
                                                 "`alder diagnose --json` found.")
    parser.add_argument("results", metavar="RESULTS",
                        help="what `alder bench` or `alder diagnose --json` wrote, also gz or xz")
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page [report.html]")
    parser.add_argument("--markdown", action="store_true", help="print the tables as markdown instead")
    options = parser.parse_args(arguments)
    if not options.markdown and importlib.util.find_spec("plotly") is None:
        return _fail('plotly is not installed; expected: pip install "alder[report]"')
    try:
        diagnosis = read_diagnosis(options.results)
        if diagnosis is not None:
            if options.markdown:
                return _fail(f"{options.results}: found a diagnosis; expected results of `alder bench` for --markdown")
            write_page(render_diagnosis(diagnosis), options.output)
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
