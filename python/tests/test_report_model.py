"""The page over what `alder info --json` found."""
import json
import os
import subprocess

import pytest

from alder.report.__main__ import main


def info(**changes):
    shares = [{"feature": 1, "share": 0.25}, {"feature": 7, "share": 0.7}, {"feature": 9, "share": 0.05, "name": "age <5"}]
    runner = {"transform": "normal", "is_scaled": True, "kernel": "laplacian-l1", "sigma": 0.512345, "handicap": 0.0,
              "charge": 33.4, "rounds": 8192, "is_out": False}
    return {"format_version": 2, "path": "a/b & c.alder", "learner": "alder", "classes": [{}, {}, {}], "features": 9,
            "rounds": 12345, "mistake_rate": 0.0625, "support_vectors": 377, "importances": shares, "reopened": 2,
            "chosen_sigma": 0.512345, "metric": runner,
            "race": [{**runner, "is_out": True, "charge": 55.5}, runner], **changes}


@pytest.fixture
def page(tmp_path):
    def make(content, status=0):
        source, target = tmp_path / "found.json", tmp_path / "page.html"
        source.write_text(json.dumps(content))
        assert main([str(source), "-o", str(target)]) == status
        return target.read_text() if status == 0 else None
    return make


def test_says_all_that_was_found(page):
    text = page(info())
    for words in ("b &amp; c.alder", "12,345", "6.25 %", "377", "laplacian-l1, of width 0.512",
                  "by their ranks, as in a normal distribution, with learned scales", "opened again 2 times", "33.4",
                  "feature 7", "age \\u003c5", "70.0 %"):
        assert words in text, words
    assert text.index("33.4") < text.index("55.5")  # who stays comes first


def test_shows_the_most_important_of_many(page):
    shares = [{"feature": j, "share": 1 / 64} for j in range(1, 65)]
    text = page(info(importances=shares))
    assert "the other 34 have 53.1 % together" in text
    assert '"feature 30"' in text and '"feature 31"' not in text


def test_of_a_model_without_a_race_and_importances(page):
    text = page(info(learner="pomdr", importances=[], race=None, metric=None))
    assert "does not tell which features matter" in text and "The last race" not in text


def test_of_a_damaged_file_names_what_is_missing(page, capsys):
    broken = info()
    del broken["rounds"]
    page(broken, status=1)
    assert "found no field 'rounds'; expected what `alder info --json` writes" in capsys.readouterr().err
    page(info(importances=[1]), status=1)
    assert "importances without 'feature' and 'share'" in capsys.readouterr().err


@pytest.mark.skipif("ALDER" not in os.environ, reason="ALDER does not name the program")
def test_of_a_real_model(page, tmp_path):
    program = os.environ["ALDER"]
    rows = subprocess.run([program, "generate", "rings", "-n", "600"], capture_output=True, check=True).stdout
    subprocess.run([program, "train", "-", "-o", tmp_path / "model", "--quiet"], input=rows, capture_output=True, check=True)
    found = subprocess.run([program, "info", tmp_path / "model", "--json"], capture_output=True, check=True).stdout
    assert "feature 1" in page(json.loads(found))
