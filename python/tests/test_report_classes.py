"""What the report shows of a suite with probabilities: tables, confusion, reliability. All results here are made up."""
import json
import random

import pytest
from test_report import curve_line, quick_lines, run_line, suite_line, write_lines
from test_report_browser import CHROMIUM, DRIVER, PHONE, complaints, figures, open_browser, show

from alder.report import read_results, tables, write_report
from alder.report.classes import MOST_CLASSES, confusion, confusion_counts, reliability
from alder.report.markdown import write_markdown
from alder.report.results import ResultsError


def matrices(classes, rows, amr, rng, bend):
    """A confusion in which a class is most often taken for the next one, and bins whose share bends off the diagonal."""
    counts = {}
    for _ in range(rows):
        actual = min(int(rng.expovariate(0.15)), classes - 1) if classes > 5 else rng.randrange(classes)
        wrong = rng.random() < amr / 100
        guess = (actual + (1 if rng.random() < 0.7 else rng.randrange(classes))) % classes if wrong else actual
        counts[actual, guess] = counts.get((actual, guess), 0) + 1
    entries = sorted(([actual, guess, n] for (actual, guess), n in counts.items()), key=lambda entry: -entry[2])
    told = [(i + 0.5) / 15 for i in range(15)]
    weight = [0 if classes > 2 and i < 2 else round(rows * (0.02 + 0.5 * (i > 12))) for i in range(15)]
    return {"confusion": [[0, None, 1], *entries],
            "reliability": {"weight": weight, "probability": [p if w else 0 for p, w in zip(told, weight)],
                            "right": [min(1, p ** bend) if w else 0 for p, w in zip(told, weight)]}}


def class_lines():
    """A small bench of two data sets, one with more classes than a matrix has room for."""
    rng = random.Random(4)
    data = {"digits": {"file": "digits", "settings": {"sigma": [0.5, 1]}},
            "words": {"file": "words", "settings": {"sigma": [0.5, 1]}}}
    lines = [suite_line("classes", data, 2)]
    for name, classes, rows in (("digits", 10, 3000), ("words", 40, 5000)):
        lines.append({"kind": "data", "data": name, "file": name, "scale": "none", "rows": rows, "features": 2,
                      "checksum": "0"})
        for learner, settings, amr, bend in (("alder", {}, 3, 1.05), ("fogd", {"sigma": 0.5, "step": 1}, 9, 1.5),
                                             ("fogd", {"sigma": 1, "step": 1}, 6, 1.3)):
            for seed in (1, 2):
                line = run_line(name, learner, settings, seed, rows, amr * rng.uniform(0.9, 1.1), rng,
                                log_loss=amr / 40, calibration_error=bend / 100, balanced_error=amr / 80, kappa=0.9)
                lines.append({**line, **(matrices(classes, rows, amr, rng, bend) if seed == 1 else {})})
        lines.append(curve_line(name, "alder", {}, rows, 3, None, rng))
    return lines


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return read_results(write_lines(tmp_path_factory.mktemp("results") / "results.jsonl", class_lines()))


def test_tables_have_log_loss_and_calibration_error_where_runs_have_them(results, tmp_path):
    table = tables.learners_table(results, "digits")
    assert table.columns[:5] == ["Learner", "AMR in %", "Balanced error in %", "Log loss", "Calibration error in %"]
    assert [cell.text for cell in table.rows[0][2:5]] == ["3.75", "0.0750", "1.05"]
    assert table.rows[1][-1].text == "σ = 1, step = 1"
    assert "| 0.0750 | 1.05 |" in write_markdown(results)
    plain = read_results(write_lines(tmp_path / "plain.jsonl", quick_lines()))
    assert tables.learners_table(plain, "rings").columns[:3] == ["Learner", "AMR in %", "Stored rows"]


def test_pomdr_of_many_classes_has_no_phases_to_show(results, tmp_path):
    write_report(results, tmp_path / "without.html")
    assert "The two phases of POMDR" not in (tmp_path / "without.html").read_text()
    lines, rng = class_lines(), random.Random(5)
    for sigma in (0.5, 1):
        line = run_line("digits", "pomdr", {"sigma": sigma}, 1, 3000, 8, rng)
        lines.append({**line, "sum_delta": None, "switch_round": None})
    lines.append({**curve_line("digits", "pomdr", {"sigma": 1}, 3000, 8, None, rng), "sum_delta": None})
    several = read_results(write_lines(tmp_path / "several.jsonl", lines))
    write_report(several, tmp_path / "several.html")
    page = (tmp_path / "several.html").read_text()
    assert "The two phases of POMDR" not in page and "What the kernel width does" not in page
    assert "Which class is taken for which" in page and "Mistakes over the stream" in page


def test_a_run_without_probabilities_has_a_dash(tmp_path):
    lines = class_lines()
    for line in lines:
        if line.get("learner") == "fogd":
            for name in ("log_loss", "calibration_error"):
                line[name] = None
            line.pop("confusion", None), line.pop("reliability", None)
    found = read_results(write_lines(tmp_path / "results.jsonl", lines))
    assert [cell.text for cell in tables.learners_table(found, "digits").rows[1][3:5]] == ["–", "–"]
    assert len(reliability(found, "digits").data) == 3  # the diagonal, one learner, its rows


def test_widths_that_are_only_tried_do_not_hide_the_best_settings(results):
    assert results.best("digits", "fogd", tables.wanted_settings(results, "digits")).settings["sigma"] == 1
    assert results.own_settings("digits") == {}


def test_the_confusion_is_that_of_the_best_learner(results):
    figure = confusion(results, "digits")
    run = next(run for run in results.runs if run.learner == "alder" and run.confusion)
    trace = figure.data[0]
    assert list(trace.x) == list(trace.y) == [str(i) for i in range(10)]
    for actual, predicted, rows in run.confusion[1:]:
        assert trace.customdata[actual][predicted][0] == rows
    for row in trace.customdata:
        assert sum(share for _, share in row) == pytest.approx(100)
    assert trace.z[3][3] == pytest.approx((trace.customdata[3][3][1] / 100) ** (1 / 3))
    assert "ALDER" in figure.layout.xaxis.title.text


def test_of_many_classes_the_largest_have_a_row_and_no_row_is_lost(results):
    run = next(run for run in results.runs if run.data == "words" and run.confusion)
    names, counts = confusion_counts(run.confusion)
    assert len(names) == MOST_CLASSES and names[-1] == "rest"
    assert [int(name) for name in names[:-1]] == sorted(int(name) for name in names[:-1])
    assert sum(map(sum, counts)) == 5000
    sizes = [sum(rows for actual, guess, rows in run.confusion if actual == i and guess is not None) for i in range(40)]
    smallest_shown = min(sizes[int(name)] for name in names[:-1])
    assert all(sizes[i] <= smallest_shown for i in range(40) if str(i) not in names)
    assert confusion(results, "words").data[0].texttemplate is None


def test_few_classes_are_all_shown():
    names, counts = confusion_counts([(0, None, 1), (7, 7, 5), (0, 0, 4), (0, 7, 1)])
    assert names == ["0", "7"] and counts == [[4, 1], [0, 5]]


def test_the_reliability_has_every_learner_and_the_rows_of_the_best(results):
    figure = reliability(results, "digits")
    named = {trace.name: trace for trace in figure.data}
    assert list(named)[0] == "exactly right" and list(named["exactly right"].x) == [0, 100]
    assert "ALDER (1.05 %)" in named and "FOGD (1.30 %)" in named
    trace = named["ALDER (1.05 %)"]
    assert len(trace.x) == 13  # bins without rows have no point
    assert trace.x[0] == pytest.approx(100 * 2.5 / 15) and trace.y[0] == pytest.approx(100 * (2.5 / 15) ** 1.05)
    bars = figure.data[-1]
    assert bars.type == "bar" and len(bars.y) == 15 and bars.y[0] == 0 and bars.y[14] == max(bars.y)


def test_without_matrices_the_page_has_no_place_for_them(results, tmp_path):
    write_report(read_results(write_lines(tmp_path / "plain.jsonl", quick_lines())), tmp_path / "plain.html")
    assert 'data-figure="confusion"' not in (tmp_path / "plain.html").read_text("utf-8")
    write_report(results, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert 'data-figure="confusion"' in page and 'data-figure="reliability"' in page


def test_a_set_without_the_first_permutation_says_so(tmp_path):
    lines = [line for line in class_lines() if line.get("data") != "words" or line.get("seed") != 1]
    found = read_results(write_lines(tmp_path / "results.jsonl", lines))
    assert confusion(found, "words").startswith("There is none") and reliability(found, "words").startswith("There is")
    assert not isinstance(confusion(found, "digits"), str)


@pytest.mark.parametrize("name, value, words", [
    ("confusion", {"0": 1}, "expected 'confusion' to be an array or null"),
    ("confusion", [[0, 1]], "found [0, 1] in 'confusion'; expected a class"),
    ("confusion", [[0, "1", 5]], "in 'confusion'"),
    ("confusion", [[None, 1, 5]], "in 'confusion'"),
    ("confusion", [[True, 1, 5]], "in 'confusion'"),
    ("reliability", [], "expected 'reliability' to be an object or null"),
    ("reliability", {"weight": [1], "probability": [1]}, "no field 'right'"),
    ("reliability", {"weight": [1], "probability": [1, 2], "right": [1]}, "found 2 entries in 'probability'; expected 1"),
    ("log_loss", "low", "expected 'log_loss' to be a number or null")])
def test_what_is_wrong_is_said(tmp_path, name, value, words):
    lines = class_lines()
    line = next(line for line in lines if line["kind"] == "run")
    line[name] = value
    with pytest.raises(ResultsError) as error:
        read_results(write_lines(tmp_path / "results.jsonl", lines))
    assert words in str(error.value) and "results.jsonl:3" in str(error.value), json.dumps(value)


@pytest.mark.skipif(not CHROMIUM.exists() or not DRIVER.exists(), reason="no chromium and chromium-driver here")
def test_a_browser_draws_them_in_the_colours_of_the_page(results, tmp_path):
    path = tmp_path / "page.html"
    write_report(results, path)
    with open_browser() as browser:
        colours = {}
        for scheme, size in (("light", (1280, 900)), ("dark", (1280, 900)), ("light", PHONE)):
            show(browser, path, size, scheme)
            found = figures(browser)
            assert not found["confusion"]["missing"] and not found["reliability"]["missing"]
            assert found["reliability"]["traces"] >= 3
            assert complaints(browser) == []
            colours[scheme, size] = browser.execute_script(
                "const plot = document.querySelector('[data-figure=confusion] .plot');"
                "return [plot.data[0].colorscale[1][1], plot.data[0].textfont.color,"
                "        plot.querySelectorAll('.heatmap-label').length, plot.querySelectorAll('.hm image').length]")
        light, dark = colours["light", (1280, 900)], colours["dark", (1280, 900)]
        assert light[0] != dark[0] and light[1] != dark[1]
        assert light[2] >= 10 and light[3] == 1
