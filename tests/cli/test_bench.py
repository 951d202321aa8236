"""alder bench: suites, results, and benches that are interrupted."""
import json
import os
import signal
import subprocess
import time
import unittest

from program import ALDER, ProgramTest

# Learners of all sorts on a made-up stream and on a file, with curves and eigenvalues.
MINI = {
    "name": "mini", "seed": 3, "permutations": 2,
    "data": {
        "board": {"generate": "checkerboard", "rows": 400, "settings": {"sigma": 0.1}},
        "rows": {"file": "rows", "scale": "minmax", "settings": {"sigma": 0.5, "zeta": 0.6666666666666666},
                 "source": "https://example.org/rows"},
    },
    "experiments": [
        {"learners": ["pomdr"], "options": {"sigma": [0.1, 0.25], "factor": 0.1}, "curve": True},
        {"learners": ["fogd", "bogd"], "options": {"step": [1, 10]}, "tune": 1},
        {"learners": ["ogd"], "options": {"kernel": "laplacian", "precision": "double"}},
        {"learners": ["linear", "projectron++"]},
    ],
    "spectrum": {"rows": 50, "sigma": [0.5]},
}

# So long that a signal finds it at work.
LONG = {
    "name": "long", "permutations": 12, "data": {"board": {"generate": "checkerboard", "rows": 3000}},
    "experiments": [{"learners": ["pomdr", "fogd"], "options": {"sigma": [0.05, 0.1, 0.2]}, "tune": 4, "curve": True}],
}


class BenchTest(ProgramTest):
    def suite(self, suite=MINI, name="mini.json"):
        return self.write(name, suite if isinstance(suite, str) else json.dumps(suite))

    def rows_file(self, rows=300):
        text = self.alder("generate", "blobs", "-n", rows).stdout
        return self.write("rows", text)

    def lines(self, name):
        return [json.loads(line) for line in self.read(name).decode().splitlines()]

    def timeless(self, name):
        return [{key: value for key, value in line.items() if key != "seconds"} for line in self.lines(name)]

    def error(self, *arguments, status=1):
        done = self.alder(*arguments, status=status)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.splitlines()[-1].startswith("alder: "), done.stderr)
        return done.stderr


class Bench(BenchTest):
    def test_quick_needs_nothing_and_says_how_it_went(self):
        done = self.alder("bench", "quick")
        self.assertEqual(done.stdout, "")
        self.assertNotIn("\033", done.stderr)
        self.assertIn("quick-results.jsonl", done.stderr)
        for learner in "pomdr fogd nogd skegd bao2ks bogd ogd projectron++ perceptron linear".split():
            self.assertIn(f"checkerboard   {learner} ", done.stderr)
        kinds = [line["kind"] for line in self.lines("quick-results.jsonl")]
        self.assertEqual(kinds, sorted(kinds, key=["suite", "data", "run", "curve", "spectrum"].index))
        self.assertEqual((kinds[0], kinds.count("data"), kinds.count("spectrum")), ("suite", 2, 12))

    def test_every_run_is_repeated_by_train(self):
        self.rows_file()
        self.alder("bench", self.suite(), "-o", "results", "--quiet")
        lines = self.lines("results")
        files = {}
        for line in lines:
            if line["kind"] == "data" and "generate" in line:
                seed = lines[0]["suite"]["seed"]
                files[line["data"]] = (self.generate(line["generate"], line["rows"], seed), line["scale"])
            elif line["kind"] == "data":
                files[line["data"]] = (line["file"], line["scale"])
        self.assertEqual({name: scale for name, (_, scale) in files.items()}, {"board": "none", "rows": "minmax"})
        runs = [line for line in lines if line["kind"] == "run"]
        self.assertEqual({run["learner"] for run in runs}, {"pomdr", "fogd", "bogd", "ogd", "linear", "projectron++"})
        for run in runs:
            file, scale = files[run["data"]]
            flags = [word for name, value in run["settings"].items() for word in (f"--{name}", value)]
            again = self.train_json(file, "--learner", run["learner"], "--shuffle", "--seed", run["seed"], "--scale",
                                    scale, *flags)
            for mine, theirs in (("rounds", "examples"), ("mistakes", "mistakes"), ("hinge_loss", "hinge_loss"),
                                 ("support", "support_vectors"), ("switch_round", "switch_round"),
                                 ("removals", "removals"), ("sum_delta", "sum_delta")):
                self.assertEqual(run[mine], again[theirs], (mine, run))

    def test_the_number_of_jobs_changes_nothing(self):
        self.rows_file()
        for jobs in (1, 2, 7):
            self.alder("bench", self.suite(), "-o", f"results{jobs}", "--quiet", "--jobs", jobs)
        self.assertEqual(self.timeless("results1"), self.timeless("results2"))
        self.assertEqual(self.timeless("results1"), self.timeless("results7"))

    def test_the_same_command_again_changes_nothing(self):
        self.rows_file()
        self.alder("bench", self.suite())
        before = self.read("mini-results.jsonl")
        done = self.alder("bench", "mini.json")
        self.assertEqual(self.read("mini-results.jsonl"), before)
        self.assertIn("pomdr", done.stderr)

    def test_the_table_has_means_and_deviations(self):
        self.rows_file()
        table = self.alder("bench", self.suite(), "-o", "results").stderr
        runs = [line for line in self.lines("results") if line["kind"] == "run" and line["learner"] == "linear"
                and line["data"] == "rows"]
        rates = [100 * run["mistakes"] / run["rounds"] for run in runs]
        mean = sum(rates) / 2
        deviation = (sum((rate - mean) ** 2 for rate in rates)) ** 0.5
        self.assertIn(f"{mean:.2f} ± {deviation:>6.2f}", [line for line in table.splitlines()
                                                         if line.startswith("rows ") and " linear " in line][0])

    def test_quiet_prints_nothing(self):
        self.rows_file(50)
        done = self.alder("bench", self.suite(), "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_results_on_standard_output_whether_it_is_a_pipe_or_a_file(self):
        self.rows_file(50)
        self.write("pipe", self.alder("bench", self.suite(), "--quiet", "-o", "-").stdout)
        with open(self.folder / "file", "w") as file:
            done = subprocess.run([ALDER, "bench", "mini.json", "--quiet", "-o", "-"], cwd=self.folder, text=True,
                                  stdout=file, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [sorted(json.dumps(line) for line in self.timeless(name)) for name in ("pipe", "file")]
        self.assertEqual(lines[0], lines[1])
        self.assertGreater(len(lines[0]), 20)

    def test_show_prints_a_suite_that_can_be_run(self):
        for name in ("quick", "paper", "classes"):
            shown = self.alder("bench", name, "--show").stdout
            self.assertEqual(json.loads(shown)["name"], name)
        shown = json.loads(self.alder("bench", "quick", "--show").stdout)
        for data in shown["data"].values():
            data["rows"] = 60
        self.suite(shown, "own.json")
        self.assertEqual(self.alder("bench", "own.json", "--show").stdout, json.dumps(shown))
        self.alder("bench", "own.json", "--quiet")
        self.assertEqual(self.lines("quick-results.jsonl")[0]["suite"], shown)
        self.assertFalse((self.folder / "paper-results.jsonl").exists())

    def test_files_are_looked_for_beside_the_suite_or_in_the_folder_that_is_named(self):
        (self.folder / "sub").mkdir()
        self.rows_file(50)
        os.rename(self.folder / "rows", self.folder / "sub" / "rows.txt")
        self.suite(MINI, "sub/mini.json")
        self.alder("bench", "sub/mini.json", "--quiet", "-o", "a")
        self.suite(MINI, "mini.json")
        self.alder("bench", "mini.json", "--quiet", "-o", "b", "--data", "sub")
        self.assertEqual(self.timeless("a"), self.timeless("b"))
        self.assertEqual([line["file"] for line in self.lines("a") if "file" in line], ["rows.txt"])

    def test_a_file_that_is_missing_is_named_with_its_source(self):
        done = self.alder("bench", self.suite())
        self.assertIn("rows is not in . and is left out; it is at https://example.org/rows", done.stderr)
        self.assertNotIn("rows", [line.get("data") for line in self.lines("mini-results.jsonl")])


class Interrupted(BenchTest):
    def wait_for(self, name, lines):
        while not (self.folder / name).exists() or self.read(name).count(b"\n") < lines:
            time.sleep(0.002)

    def setUp(self):
        super().setUp()
        self.suite(LONG, "long.json")
        self.alder("bench", "long.json", "-o", "whole", "--quiet")
        self.whole = self.timeless("whole")

    def test_an_interrupt_keeps_what_was_finished_and_the_same_command_goes_on(self):
        for number, status, lines in ((signal.SIGINT, 130, 3), (signal.SIGTERM, 143, 15)):
            command = ("bench", "long.json", "-o", f"part{status}", "--jobs", 2)
            process = self.start(*command)
            self.wait_for(f"part{status}", lines)
            process.send_signal(number)
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (status, ""), error)
            self.assertIn(f"alder: stopped; what was finished is in part{status}, and the same command goes on", error)
            part = self.timeless(f"part{status}")
            self.assertLess(len(part), len(self.whole))
            for line in part:
                self.assertIn(line, self.whole)
            times = {json.dumps(line) for line in self.lines(f"part{status}") if "seconds" in line}
            self.alder(*command, "--quiet")
            self.assertEqual(self.timeless(f"part{status}"), self.whole)
            self.assertLessEqual(times, {json.dumps(line) for line in self.lines(f"part{status}")})

    def test_killed_at_any_moment_it_goes_on(self):
        for lines in (1, 2, 9, 20, 30):
            command = ("bench", "long.json", "-o", f"part{lines}", "--jobs", 2, "--quiet")
            process = self.start(*command)
            self.wait_for(f"part{lines}", lines)
            self.stop(process)
            self.alder(*command)
            self.assertEqual(self.timeless(f"part{lines}"), self.whole)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".part")], [])


class Failures(BenchTest):
    def test_wrong_usage_ends_with_2(self):
        for arguments, words in ((["bench"], "SUITE is required"), (["bench", "quick", "--jobs", "0"], "--jobs is 0"),
                                 (["bench", "quick", "--jobs", "-1"], "--jobs"), (["bench", "quick", "x"], "x"),
                                 (["bench", "quick", "--job", "1"], "--job")):
            self.assertIn(words, self.alder(*arguments, status=2).stderr, arguments)
        self.assertEqual(os.listdir(self.folder), [])

    def test_suites_that_are_none(self):
        self.assertEqual(self.error("bench", "slow"),
                         "alder: slow: no such suite; expected a file, or one of ablation, classes, paper, quick\n")
        self.assertEqual(self.error("bench", "slow", "--show"),
                         "alder: slow: no such suite; expected a file, or one of ablation, classes, paper, quick\n")
        self.suite("{\"name\":", "broken.json")
        self.assertIn("alder: broken.json: it is no JSON: ", self.error("bench", "broken.json"))
        self.assertIn("alder: typo.json: suite: unknown sead",
                      self.error("bench", self.suite({**MINI, "sead": 1}, "typo.json")))
        self.assertIn("typo.json: ", self.error("bench", self.suite({**MINI, "spectrum": {"rows": -1}}, "typo.json")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["broken.json", "typo.json"])

    # The message begins with the file, also if the file is named like the place in it.
    def test_the_file_of_a_broken_suite_is_named_whatever_its_name_is(self):
        self.assertIn("alder: suite: suite: it has no name",
                      self.error("bench", self.suite({"data": {}}, "suite")))
        self.assertIn("alder: s: suite: it has no name", self.error("bench", self.suite({"data": {}}, "s")))

    def test_none_of_the_files_is_there(self):
        message = self.error("bench", "paper")
        for words in ("a9a is not in . and is left out; it is at https://www.csie.ntu.edu.tw/",
                      "magic04 is not in .", "https://archive.ics.uci.edu/dataset/159",
                      "alder: none of the data sets is in .; name their folder: --data DIR"):
            self.assertIn(words, message)
        self.assertIn("is not in nowhere", self.error("bench", "paper", "--data", "nowhere"))
        own = {**MINI, "data": {"rows": MINI["data"]["rows"]}}
        self.suite(own, "own.json")
        self.assertIn("none of the data sets is in .; name their folder", self.error("bench", "own.json"))

    # An empty results file would only be in the way.
    def test_a_bench_that_cannot_begin_leaves_no_file(self):
        self.error("bench", "paper")
        self.assertEqual(os.listdir(self.folder), [])

    def test_results_that_cannot_be_written(self):
        self.assertEqual(self.error("bench", "quick", "-o", "no/results"),
                         "alder: no/results: No such file or directory\n")
        self.assertEqual(self.error("bench", "quick", "-o", "."), "alder: .: Is a directory\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_file_of_someone_else_is_left_alone(self):
        rows = self.generate("rings", 5)
        before = self.read(rows)
        self.assertIn(f"alder: {rows}:1: this is no JSON; expected the results of a bench, or no such file",
                      self.error("bench", "quick", "-o", rows))
        self.assertEqual(self.read(rows), before)
        self.rows_file(30)
        self.alder("bench", self.suite(), "-o", "results", "--quiet")
        before = self.read("results")
        other = {**MINI, "seed": 4}
        message = self.error("bench", self.suite(other, "other.json"), "-o", "results")
        self.assertIn("alder: results: its suite is not the same as now; expected results of this suite", message)
        self.assertEqual(self.read("results"), before)

    def test_data_that_has_changed_is_an_error(self):
        self.rows_file(30)
        self.alder("bench", self.suite(), "-o", "results", "--quiet")
        whole = self.read("results").splitlines(keepends=True)
        self.write("results", b"".join(whole[:-1]))  # the spectrum of the file is missing
        self.rows_file(31)
        self.assertIn("alder: results: data set rows has changed since",
                      self.error("bench", "mini.json", "-o", "results"))
        self.rows_file(30)
        self.alder("bench", "mini.json", "-o", "results", "--quiet")
        self.assertEqual([json.loads(line) for line in whole][:-1], self.lines("results")[:-1])

    def test_a_bad_row_is_named(self):
        self.write("rows", "+1 1:1\n-1 1:x\n")
        self.assertIn("alder: rows:2: value 'x' of feature 1", self.error("bench", self.suite(), "--quiet"))

    def test_more_jobs_than_there_can_be_threads_are_no_crash(self):
        done = self.alder_in_a_gibibyte("bench", "quick", "--jobs", "3000", "--quiet")
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_help_fits_a_screen(self):
        lines = self.alder("bench", "--help").stdout.splitlines()
        self.assertLess(len(lines), 50)
        self.assertLess(max(map(len, lines)), 130)


if __name__ == "__main__":
    unittest.main()
