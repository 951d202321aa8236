"""The pages over what `alder regret --json` and bench/batch.py found. All of it is made up here."""
import json

import pytest

from alder.report.__main__ import main
from alder.report.batch import read_comparison
from alder.report.regret import read_regret
from alder.report.results import ResultsError


def point(rows, **changes):
    return {"rows": rows, "loss": 0.9 * rows, "best_loss": 0.5 * rows, "best_loss_at_least": 0.49 * rows,
            "regret": 0.4 * rows, "delta_bound": 300.0, "alignment_bound": 700.0, **changes}


def regret(*points, **changes):
    return {"learner": "pomdr", "radius": 25.0, "as_proved": True, "regret": list(points), **changes}


def learner(name, **changes):
    return {"name": name, "command": f"alder <{name}>", "error": 0.155, "deviation": 0.001, "seconds": 0.05,
            "model_bytes": 70000, "support_vectors": 415, **changes}


def comparison(*learners):
    return {"data": "a9a.train", "rows": 32561, "held_out": 16281, "comparison": list(learners)}


@pytest.fixture
def page(tmp_path):
    def make(content):
        source, target = tmp_path / "found.json", tmp_path / "page.html"
        source.write_text(json.dumps(content))
        assert main([str(source), "-o", str(target)]) == 0
        return target.read_text()
    return make


def test_regret_says_all_that_was_found(page):
    text = page(regret(point(1), point(2), point(1024)))
    for words in ("After 1,024 rows the regret is 409.6", "Theorem 2 allows 300.0", "those for which the bounds are proved",
                  "± 10.24"):
        assert words in text, words


@pytest.mark.parametrize("changes", [{"best_loss": None, "best_loss_at_least": None, "regret": None},
                                     {"delta_bound": None, "alignment_bound": None}, {"regret": -3.0},
                                     {"loss": 0.0, "best_loss": 0.0, "regret": 0.0, "delta_bound": None,
                                      "alignment_bound": None}])
def test_regret_without_some_of_it(page, changes):
    assert "alder regret" in page(regret(point(1, **changes), as_proved=False))


def test_comparison_says_all_that_was_found(page):
    text = page(comparison(learner("POMDR, average"), learner("LIBSVM", deviation=None, seconds=50.0, error=0.15)))
    for words in ("15.50 %", "± 0.10", "alder &lt;POMDR, average&gt;", "a9a.train", "32,561"):
        assert words in text, words


def test_says_what_is_missing(tmp_path):
    path = tmp_path / "found.json"
    for read, content, words in ((read_regret, regret(), "no regret"), (read_regret, regret({"rows": 1}), "no field 'loss'"),
                                 (read_regret, {"regret": [point(1)]}, "no field 'learner'"),
                                 (read_comparison, comparison(), "no learners"),
                                 (read_comparison, comparison({}), "no field 'name'"),
                                 (read_comparison, {"comparison": [learner("a")]}, "no field 'data'")):
        path.write_text(json.dumps(content))
        with pytest.raises(ResultsError, match=words):
            read(path)
    path.write_text("{}")
    assert read_regret(path) is None and read_comparison(path) is None
    path.write_text("no JSON")
    assert read_regret(path) is None and read_comparison(path) is None
