"""The report over the results of `alder bench`: what it reads, compares and writes. All results here are made up."""
import dataclasses
import gzip
import json
import lzma
import math
import pathlib
import random
import subprocess
import sys

import pytest

from alder.report import paper, read_results, tables
from alder.report.__main__ import main
from alder.report.markdown import write_markdown
from alder.report.results import ResultsError

DEFAULTS = {
    "pomdr": {"budget": 400, "radius": 25, "window": 15, "zeta": 0.6667, "ald": 10, "factor": 0.05, "b0": "auto"},
    "fogd": {"step": 100, "frequencies": 400}, "nogd": {"step": 100, "budget": 400},
    "skegd": {"step": 100, "budget": 400}, "bao2ks": {"step": 10, "budget": 400}, "ogd": {"step": 100, "radius": 25},
    "bogd": {"step": 100, "budget": 400}, "pegasos": {"regularization": 0.0001}, "projectron": {"threshold": 0.2},
    "projectron++": {"threshold": 0.2}, "perceptron": {}, "linear": {"step": 0.1}}
ROWS = {"SUSY": 39930}
OTHERS = {"ogd": 0.99, "bogd": 1.5, "pegasos": 1.3, "projectron": 1.4, "projectron++": 1.2, "perceptron": 1.6,
          "linear": 1.25}


def suite_line(name, data, permutations):
    return {"kind": "suite", "version": "0.1.0", "cpu": "A made-up processor", "cores": 4, "instruction_set": "AVX2",
            "defaults": DEFAULTS,
            "suite": {"name": name, "seed": 1, "permutations": permutations, "data": data, "experiments": []}}


def run_line(data, learner, settings, seed, rounds, amr, rng, **changes):
    mistakes = max(1, round(rounds * amr / 100))
    line = {"kind": "run", "data": data, "learner": learner, "settings": settings, "seed": seed, "rounds": rounds,
            "mistakes": mistakes, "hinge_loss": 2.5 * mistakes, "support": 400, "bytes": 400_000, "switch_round": None,
            "removals": 0, "sum_delta": None, "seconds": rounds * rng.uniform(0.9, 1.1) * 1e-5}
    return {**line, **changes}


def curve_line(data, learner, settings, rounds, amr, switch, rng):
    points = sorted({min(rounds, max(1, round(rounds ** (i / 149)))) for i in range(150)}
                    | {round(rounds * i / 60) for i in range(1, 61)})
    rate = [amr / 100 * (1 + 3 / math.sqrt(1 + t / 50)) for t in points]
    phase_2 = learner == "pomdr" and switch is not None
    removals = list(range(switch + 900, rounds, 2500)) if phase_2 else []
    support = [min(150, t // 3) if not phase_2 or t <= switch else 200 + (t * 200 // 2500) % 200 for t in points]
    return {"kind": "curve", "data": data, "learner": learner, "settings": settings, "seed": 1, "switch_round": switch,
            "round": points, "mistakes": [round(t * r * rng.uniform(0.97, 1.03)) for t, r in zip(points, rate)],
            "support": support, "learning_rate": [25 / math.sqrt(3 + t * amr / 40) for t in points],
            "sum_delta": [t * amr / 40 for t in points] if learner == "pomdr" else None, "removal_rounds": removals}


def spectrum_line(data, sigma, rows=800):
    index = [i for i in range(1, rows) if i < 40 or i % 20 == 0]
    decay = 1 + sigma / 4
    return {"kind": "spectrum", "data": data, "sigma": sigma, "rows": rows, "seed": 1, "index": index,
            "eigenvalue": [0.7 * i ** -decay for i in index]}


def paper_lines(permutations=10, sets=tuple(paper.SETS), sigmas=(0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)):
    """What a bench of the paper's data might give: the published figures with a little noise."""
    rng = random.Random(1)
    data = {}
    for name in sets:
        settings = {"sigma": paper.SETS[name].sigma, "zeta": round(paper.SETS[name].zeta, 4)}
        data[name] = {"file": f"{name}.libsvm.xz", "scale": "minmax" if name == "magic04" else "none",
                      "source": "a web page", "settings": settings}
    lines = [suite_line("paper", data, permutations)]
    for name, entry in data.items():
        rows = ROWS.get(name, paper.SETS[name].rows)
        lines.append({"kind": "data", "data": name, "file": entry["file"], "scale": entry["scale"], "rows": rows,
                      "features": 100, "checksum": "0"})
    for name in sets:
        lines += paper_runs(name, ROWS.get(name, paper.SETS[name].rows), permutations, sigmas, rng)
    return lines


def paper_runs(name, rows, permutations, sigmas, rng):
    published = paper.SETS[name]
    sigma, zeta = published.sigma, round(published.zeta, 4)
    lines, curves = [], []
    for learner in paper.LEARNERS[:-1]:
        figure = published.figures[learner]
        for step, worse in ((1, 1.4), (10, 1.1), (100, 1.0), (1000, 1.3)):
            lines += [run_line(name, learner, {"sigma": sigma, "step": step}, seed, rows,
                               rng.gauss(figure.amr * worse, figure.amr_deviation), rng)
                      for seed in range(1, permutations + 1)]
        curves.append(curve_line(name, learner, {"sigma": sigma, "step": 100}, rows, figure.amr, None, rng))
    figure = published.figures["pomdr"]
    alignments = {a.sigma: a for a in paper.ALIGNMENTS if a.data == name}
    for width in sigmas:
        distance = abs(math.log2(width / sigma))
        known = alignments.get(width)
        amr = known.amr if known else figure.amr * (1 + 0.2 * distance)
        sum_delta = (known.sum_delta * rows / published.rows if known else
                     min(0.9, figure.amr / 50 * (1 + 0.3 * distance)) * rows)
        switch = (known.switch_round if known else None if width > 8 else round(400 * (1 + width)))
        for factor in (0.05, 0.1):
            for seed in range(1, permutations + 1):
                lines.append(run_line(
                    name, "pomdr", {"sigma": width, "zeta": zeta, "factor": factor}, seed, rows,
                    abs(rng.gauss(amr * (1.05 if factor == 0.1 else 1), figure.amr_deviation)), rng,
                    switch_round=switch and round(switch * rng.uniform(0.95, 1.05)),
                    removals=0 if switch is None else 7, sum_delta=sum_delta * rng.uniform(0.99, 1.01),
                    support=120 if switch is None else 317))
        if width == sigma:
            curves.append(
                curve_line(name, "pomdr", {"sigma": width, "zeta": zeta, "factor": 0.05}, rows, amr, switch, rng))
    for learner, worse in OTHERS.items():
        settings = {name: value for name, value in DEFAULTS[learner].items() if name not in ("radius", "budget")}
        if learner != "linear":
            settings["sigma"] = sigma
        lines += [run_line(name, learner, settings, seed, rows,
                           abs(rng.gauss(figure.amr * worse, figure.amr_deviation)), rng,
                           support=0 if learner == "linear" else 5000) for seed in range(1, permutations + 1)]
    return lines + curves + [spectrum_line(name, width) for width in (0.5, 1, 2, 4, 8) if name != "ijcnn1"]


def quick_lines():
    """A small bench of made-up streams, without the paper's data."""
    rng = random.Random(2)
    data = {"rings": {"generate": "rings", "rows": 2000}, "blobs": {"generate": "blobs", "rows": 1000}}
    lines = [suite_line("quick", data, 2)]
    for name, entry in data.items():
        lines.append({
            "kind": "data", "data": name, "generate": name, "scale": "none", "rows": entry["rows"], "features": 2,
            "checksum": "0"
        })
        lines += [run_line(name, learner, {}, seed, entry["rows"], amr * rng.uniform(0.9, 1.1), rng)
                  for learner, amr in (("pomdr", 3), ("ogd", 3.1), ("linear", 48)) for seed in (1, 2)]
        if name == "rings":
            lines.append(curve_line(name, "pomdr", {}, entry["rows"], 3, 700, rng))
    return lines


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def read_lines(path, lines):
    return read_results(write_lines(path / "results.jsonl", lines))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return read_lines(tmp_path_factory.mktemp("results"), paper_lines(permutations=4))


def few_runs(amrs_by_settings, learner="fogd", data="a9a", rows=1000, own=None, permutations=2):
    """Runs of one learner whose mistake ratios are given, by settings."""
    rng = random.Random(3)
    lines = [
        suite_line("own", {data: {"file": data, "settings": own or {}}}, permutations),
        {"kind": "data", "data": data, "file": data, "scale": "none", "rows": rows, "features": 3, "checksum": "0"}
    ]
    return lines + [run_line(data, learner, settings, seed, rows, amr, rng)
                    for settings, amrs in amrs_by_settings for seed, amr in enumerate(amrs, 1)]


def test_the_best_settings_are_those_with_the_least_amr_among_the_sets_own(tmp_path):
    found = read_lines(tmp_path, few_runs(
        [({"sigma": 2, "step": 1}, [5, 5]), ({"sigma": 4, "step": 1}, [20, 22]), ({"sigma": 4, "step": 10}, [16, 18])]))
    best = found.best("a9a", "fogd", {"sigma": 4, "zeta": 0.5})
    assert best.settings == {"sigma": 4, "step": 10}
    assert best.amr == pytest.approx(17) and best.amr_deviation == pytest.approx(math.sqrt(2))
    assert found.best("a9a", "fogd", {}).settings["sigma"] == 2
    assert found.best("a9a", "fogd", {"sigma": 8}) is None
    assert found.best("a9a", "nogd", {}) is None


def test_a_few_lucky_permutations_do_not_beat_the_full_number(tmp_path):
    found = read_lines(tmp_path, few_runs([({"step": 1}, [1]), ({"step": 10}, [9, 11]), ({"step": 100}, [12, 14])]))
    assert found.best("a9a", "fogd", {}).settings == {"step": 10}


def test_a_permutation_that_was_run_twice_counts_once(tmp_path):
    lines = few_runs([({"step": 1}, [10, 12])])
    assert len(read_lines(tmp_path, [*lines, lines[-1]]).best("a9a", "fogd", {}).runs) == 2


def test_settings_that_were_not_set_are_the_defaults(tmp_path):
    found = read_lines(tmp_path, few_runs([({"sigma": 4}, [10, 10])], learner="pomdr"))
    assert found.best("a9a", "pomdr", {"sigma": 4, "zeta": 2 / 3}) is not None
    assert found.best("a9a", "pomdr", {"sigma": 4, "zeta": 0.5}) is None


@pytest.mark.parametrize("amr, mark", [
    (16.90, "within"), (17.33, "within"), (17.34, "worse"), (16.43, "within"), (16.42, "better")])
def test_marks_allow_three_of_the_larger_deviation(amr, mark):
    ours = type("Summary", (), {"amr": amr, "amr_deviation": 0.10})
    assert tables.amr_mark(ours, 16.88, 0.15) == mark


def test_a_deviation_is_at_least_what_rounding_hides():
    ours = type("Summary", (), {"amr": 9.594, "amr_deviation": None})
    assert tables.amr_mark(ours, 9.58, 0.00) == "within"
    ours.amr = 9.596
    assert tables.amr_mark(ours, 9.58, 0.00) == "worse"


def test_all_published_figures_are_compared(results):
    comparisons = tables.compare(results)
    assert len(comparisons) == 7 * 5 and all(entry.ours for entry in comparisons)
    assert {entry.mark for entry in comparisons} == {"within"}
    assert [entry.learner for entry in comparisons[:5]] == list(paper.LEARNERS)
    alignments = tables.compare_alignments(results)
    assert len(alignments) == 12 and "ijcnn1" not in {entry.published.data for entry in alignments}
    assert all(entry.sum_delta_mark == entry.switch_mark == "within" for entry in alignments)


def test_sum_delta_is_scaled_where_the_paper_has_other_rows(results):
    susy = [entry for entry in tables.compare_alignments(results) if entry.published.data == "SUSY"]
    assert [entry.expected_sum_delta for entry in susy] == pytest.approx([22378 * 39930 / 50000, 39468 * 39930 / 50000])
    others = [entry for entry in tables.compare_alignments(results) if entry.published.data != "SUSY"]
    assert all(entry.scale == 1 for entry in others)
    assert "39,930 rows, the paper's 50,000" in tables.data_note(results, "SUSY")


@pytest.mark.parametrize("published, rounds, mark", [(469, [400, 540], "within"), (469, [300, 400], "differs"),
                                                     (469, [469, None], "differs"), (None, [None, None], "within"),
                                                     (None, [None, 700], "differs")])
def test_a_run_that_never_switches_agrees_only_with_never(results, published, rounds, mark):
    best = results.best("magic04", "pomdr", {"sigma": 0.5})
    runs = [dataclasses.replace(run, switch_round=t) for run, t in zip(best.runs, rounds)]
    alignment = dataclasses.replace(paper.ALIGNMENTS[0], switch_round=published)
    entry = tables.AlignmentComparison(alignment, dataclasses.replace(best, runs=runs), 0.2, 1.0)
    assert entry.switch_mark == mark
    if None in rounds and any(rounds):
        assert tables.alignment_table([entry]).rows[0][4].detail == "1 of 2 never"


def test_the_papers_order_holds_but_for_ties(results):
    comparisons = [entry for entry in tables.compare(results) if entry.data == "a9a"]

    def order(**amrs):
        changed = [dataclasses.replace(entry, ours=type("Summary", (), {
            "amr": amrs.get(entry.learner, entry.published.amr), "amr_deviation": 0.1})) for entry in comparisons]
        return tables.orders(changed)[0]

    assert order().mark == "holds"
    assert order(fogd=16.60).mark == "ties"
    assert order(fogd=16.60).ours == ["pomdr", "nogd", "fogd", "skegd", "bao2ks"]
    assert order(bao2ks=16.0).mark == "differs"


@pytest.mark.parametrize("lines", [
    few_runs([({"sigma": 4}, [10])], rows=1000),  # far fewer rows
    few_runs([({"sigma": 2}, [10])], rows=48842, own={"sigma": 2}),  # another kernel
    few_runs([({"sigma": 4}, [10])], rows=48842, data="mine"),
    quick_lines()], ids=["rows", "sigma", "name", "made up"])
def test_what_is_not_the_papers_is_not_compared(tmp_path, lines):
    found = read_lines(tmp_path, lines)
    assert tables.compare(found) == [] and tables.compare_alignments(found) == []
    assert "paper" not in write_markdown(found)


def test_the_settings_of_alder_are_compared_if_there_are_several(tmp_path):
    rng = random.Random(1)
    lines = [suite_line("ablation", {"rings": {"rows": 100}, "blobs": {"rows": 100}}, 2)]
    for data in ("rings", "blobs"):
        lines.append({"kind": "data", "data": data, "generate": data, "scale": "none", "rows": 100, "features": 2,
                      "checksum": "0"})
        lines += [run_line(data, "alder", {}, seed, 100, 10, rng) for seed in (1, 2)]

    def table():
        path = tmp_path / "results.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return tables.settings_table(read_results(path), "alder")

    assert table() is None
    lines += [run_line("blobs", "alder", {"budget": 50}, seed, 100, 20, rng) for seed in (1, 2)]
    found = table()
    assert list(found.columns) == ["Settings", "rings", "blobs"]
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["as it is", "10.00 ± 0.00", "10.00 ± 0.00"], ["budget = 50", "–", "20.00 ± 0.00"]]


def test_too_few_runs_are_pointed_out(tmp_path):
    found = read_lines(tmp_path, few_runs([({"sigma": 4, "step": 10}, [16, 17])], rows=48842, permutations=10))
    cells = tables.amr_table(found, tables.compare(found)).rows[0]
    assert cells[1].detail == "step = 10, only 2 runs"
    assert (cells[2].text, cells[2].detail) == ("–", "not run")


def test_the_best_of_all_widths_is_shown_where_others_than_the_papers_were_tried(tmp_path):
    lines = paper_lines(permutations=2, sets=("a9a",))
    plain = [line for line in lines if line["kind"] != "run" or line["settings"].get("sigma") == 4]
    narrow = [run_line("a9a", "fogd", {"sigma": 2, "step": 10}, seed, 48842, 12.5, random.Random(1)) for seed in (1, 2)]
    for content, expected in ((plain, None), (plain + narrow, "12.50 ± 0.00")):
        results = read_lines(tmp_path, content)
        table = tables.tuned_table(results, tables.compare(results))
        assert [row[1].text for row in table.rows] == ([expected] if expected else [])
    assert table.rows[0][1].detail == "σ = 2, step = 10"
    assert table.rows[0][5].text == tables.amr_table(results, tables.compare(results)).rows[0][5].text


def test_markdown_has_all_tables(results):
    text = write_markdown(results)
    for heading in ("Mistakes", "Order", "Kernel widths", "Time", "All learners on SUSY"):
        assert f"## {heading}\n" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(row.endswith("|") for row in rows) and len(rows) > 7 * 14


def test_names_do_not_break_markdown(tmp_path):
    name = "a|b `c` <img src=x>\n\n# d\\"
    lines = [{key: name if key == "data" else value for key, value in line.items()} for line in quick_lines()
             if line.get("data") in (None, "rings")]
    lines[0]["suite"] = {**lines[0]["suite"], "data": {name: lines[0]["suite"]["data"]["rings"]}}
    for line in lines:
        if line.get("learner") == "ogd":
            line["learner"] = name
    text = write_markdown(read_lines(tmp_path, lines))
    shown = "a\\|b \\`c\\` &lt;img src=x> # d\\\\"
    assert text.startswith(f"## All learners on {shown}\n\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any(row.startswith(f"| {shown} |") for row in rows)
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1
    assert "<img" not in text and "\n# d" not in text


def test_the_document_shows_what_the_committed_results_say():
    docs = pathlib.Path(__file__).parents[2] / "docs"
    document = (docs / "reproduction.md").read_text(encoding="utf-8")
    parts = write_markdown(read_results(docs / "results" / "paper.jsonl.xz")).split("## ")[1:]
    assert len(parts) == 12
    for part in parts:
        heading, table = part.split("\n\n", 1)
        assert table.strip() in document, heading


@pytest.mark.parametrize("compress", [lambda content: content, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_results_may_be_compressed_and_cut_off(tmp_path, compress):
    path = write_lines(tmp_path / "results", quick_lines())
    content = path.read_bytes()
    path.write_bytes(compress(content[:-20]))
    found = read_results(path)
    assert found.cut_off and found.sets == ["rings", "blobs"] and len(found.runs) == 11
    path.write_bytes(compress(content))
    assert len(read_results(path).runs) == 12 and not read_results(path).cut_off


@pytest.mark.parametrize("content, message", [
    (b"", ":1: found nothing"), (b"+1 1:0.5 3:1\n-1 2:1\n", ":1: found +1 1:0.5 3:1; expected a JSON object"),
    (b"[1]\n", ":1: found [1]; expected a JSON object"), (b'{"kind": "run"}\n', ":1: found a line of kind 'run'"),
    (b'{"a": 1}\n', ":1: found no field 'kind'"), (b"\x89PNG\r\n\xff\xfe", ":1: found bytes that are not UTF-8"),
    (b'{"kind": "suite"}\n', ":1: found no field 'suite'; expected 'suite' to be an object"),
    (gzip.compress(b"x" * 99, mtime=0)[:-9], "cut off")])
def test_what_is_not_results_is_refused_with_the_place(tmp_path, content, message):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match="other") as caught:
        read_results(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("change, message", [({"rounds": 0}, "found 'rounds' = 0; expected at least 1"),
                                             ({"seconds": "1"}, "'seconds' to be a number"),
                                             ({"switch_round": 1.5}, "'switch_round' to be a whole number or null"),
                                             ({"kind": "walk"}, "of kind 'walk'; expected data, run")])
def test_a_wrong_line_is_named(tmp_path, change, message):
    lines = few_runs([({}, [10, 10])])
    lines[2] = {**lines[2], **change}
    with pytest.raises(ResultsError, match=r"results.jsonl:3: ") as caught:
        read_lines(tmp_path, lines)
    assert message in str(caught.value)


def test_the_command_line_reports_errors_without_a_traceback(tmp_path):
    (tmp_path / "other").write_text("hello\n")
    done = subprocess.run([sys.executable, "-m", "alder.report", "other"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "alder.report: other:1: found hello; expected a JSON object\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["other"]


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path, capsys):
    assert main([str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.endswith("none: No such file or directory\n")
    results = write_lines(tmp_path / "results.jsonl", quick_lines())
    assert main([str(results), "-o", str(tmp_path / "none" / "report.html")]) == 1
    assert "No such file or directory" in capsys.readouterr().err


def test_without_plotly_the_command_line_says_what_to_install(tmp_path, capsys, monkeypatch):
    results = str(write_lines(tmp_path / "results.jsonl", quick_lines()))
    monkeypatch.setitem(sys.modules, "plotly", None)
    assert main([results, "-o", str(tmp_path / "report.html")]) == 1
    assert 'pip install "alder[report]"' in capsys.readouterr().err
    assert main([results, "--markdown"]) == 0
    assert "## All learners on rings" in capsys.readouterr().out


def test_the_page_replaces_what_was_there(tmp_path, monkeypatch):
    write_lines(tmp_path / "results.jsonl", quick_lines())
    (tmp_path / "report.html").write_text("old")
    monkeypatch.chdir(tmp_path)
    assert main(["results.jsonl"]) == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.html", "results.jsonl"]


def test_names_from_the_file_cannot_become_markup(tmp_path):
    from alder.report.page import render
    name = "</script><img src=x onerror=alert(1)>"
    page = render(read_lines(tmp_path, few_runs([({"step": 1}, [10, 10])], data=name)))
    assert "<img" not in page
