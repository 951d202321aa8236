"""A page of tables and figures over the results of `alder bench`.

From the command line: ``python -m alder.report RESULTS -o report.html``.
"""
from .page import write_report
from .results import Results, ResultsError, read_results

__all__ = ["Results", "ResultsError", "read_results", "write_report"]
