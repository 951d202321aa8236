"""The page over what `alder diagnose --json` found. All of it is made up here."""
import json

import pytest

from alder.report.__main__ import main
from alder.report.diagnosis import read_diagnosis, render_diagnosis
from alder.report.results import ResultsError


def kernel(sigma, **changes):
    values = [1000 * 0.8 ** i for i in range(40)]
    return {"kernel": "gaussian", "sigma": sigma, "alignment": 900.0, "alignment_error": None,
            "alignment_per_round": 0.9, "explained": 0.1,
            "eigenvalues": {"values": values, "rows": 1000, "trace": 1000.0, "exact": True, "columns": 0, "unseen": 0},
            "decay": {"law": "exponential", "r": 0.8, "r0": 1250.0, "r_squared": 1.0, "fitted": 40},
            "budget_promised": 80.4, "phase_one": {"support_vectors": 33, "switch_round": None},
            "run": {"mistakes": 12, "mistake_rate": 0.012, "sum_delta": 50.0},
            "regret_bound": {"by_delta": 700.0, "by_alignment": 4700.0}, "verdict": f"A verdict on <{sigma}>.",
            **changes}


def diagnosis(*kernels):
    return {"rows": 1000, "features": 7, "explained_by_a_constant": 0.02, "kernels": list(kernels),
            "recommendation": {"settings": {}, "mistakes": 12, "reason": "It is good.",
                               "command": "alder train a.txt --sigma 2"}}


@pytest.fixture
def write(tmp_path):
    def put(content):
        path = tmp_path / "diagnosis.json"
        path.write_text(json.dumps(content, indent=2))
        return str(path)
    return put


def test_a_page_says_all_that_was_found(write, tmp_path):
    page = tmp_path / "page.html"
    found = diagnosis(kernel(0.5, decay={"law": "polynomial", "p": 1.25, "r0": 1000.0, "r_squared": 0.9}),
                      kernel(2, phase_one={"support_vectors": 1000, "switch_round": 77}, budget_promised=5000.0))
    assert main([write(found), "-o", str(page)]) == 0
    text = page.read_text()
    for words in ("It is good.", "alder train a.txt --sigma 2", "A verdict on &lt;0.5&gt;.", "i^−1.25", "0.80^i",
                  "≥ 1,000", "nothing", "σ = 2"):
        assert words in text, words


@pytest.mark.parametrize("changes", [{"sigma": None, "kernel": "linear"}, {"decay": None, "budget_promised": None},
                                     {"alignment_error": 30.0},
                                     {"eigenvalues": {"values": [0.0], "rows": 5, "trace": 0.0}}])
def test_whatever_may_be_missing(changes):
    assert "alder diagnose" in render_diagnosis(diagnosis({**kernel(1), **changes}))


def test_other_files_are_something_else(write, tmp_path):
    assert read_diagnosis(write([1, 2])) is None
    assert read_diagnosis(write({"kind": "suite"})) is None
    lines = tmp_path / "results.jsonl"
    lines.write_text('{"kind": "suite"}\n{"kind": "run"}\n')
    assert read_diagnosis(lines) is None


@pytest.mark.parametrize("content, message", [
    ({"kernels": []}, "found no kernels"), ({"kernels": [{}]}, "kernel 1: found no field 'alignment_per_round'"),
    ({"kernels": [kernel(1)], "rows": 5}, "found no field 'recommendation'")])
def test_half_a_diagnosis_is_an_error(write, content, message):
    with pytest.raises(ResultsError, match=message):
        read_diagnosis(write(content))


def test_there_is_no_markdown_of_it(write, capsys):
    assert main([write(diagnosis(kernel(1))), "--markdown"]) == 1
    assert "found a diagnosis" in capsys.readouterr().err
