"""alder tune: what it tries, and that the command it prints does what it found."""
import csv
import json
import os
import shlex
import signal
import subprocess
import time
import unittest

from program import ALDER, ProgramTest


class TuneTest(ProgramTest):
    def tune(self, *arguments, **options):
        """Tunes pomdr, which has much to tune and is fast, unless another learner is named."""
        learner = [] if "--learner" in arguments else ["--learner", "pomdr"]
        return self.alder("tune", *arguments, *learner, **options)

    def tune_json(self, *arguments, **options):
        return json.loads(self.tune(*arguments, "--json", "--quiet", **options).stdout)

    def check_command(self, *arguments, **options):
        """Checks that the printed command repeats the mistakes of the winner; returns all that was found."""
        found = self.tune_json(*arguments, **options)
        words = shlex.split(found["command"])
        self.assertEqual(words[:2], ["alder", "train"])
        best = found["candidates"][0]
        again = self.train_json(*words[2:], **options)
        self.assertEqual((again["examples"], again["mistakes"], again["hinge_loss"], again["support_vectors"]),
                         tuple(best[name] for name in ("rows", "mistakes", "hinge_loss", "support_vectors")),
                         found["command"])
        return found


class Command(TuneTest):
    def test_repeats_the_best_of_every_learner(self):
        rows = self.generate("checkerboard", 700)
        for learner, options in (("pomdr", []), ("fogd", ["--frequencies", 30]), ("ogd", ["--step", "1,100"]),
                                 ("linear", []), ("projectron++", []),
                                 ("bogd", ["--budget", 20, "--removal", "weighted"]),
                                 ("skegd", ["--budget", 30, "--step", 10]), ("bao2ks", ["--step", "1,10"]),
                                 ("nogd", ["--step", 10]), ("pegasos", []), ("perceptron", []), ("projectron", [])):
            with self.subTest(learner):
                found = self.check_command(rows, "--learner", learner, *options)
                self.assertEqual(found["learner"], learner)
                self.assertIn(f"--learner {learner} ", found["command"])

    def test_repeats_what_was_shuffled_scaled_limited_drawn(self):
        rows = self.generate("blobs", 900)
        for options in (["--shuffle"], ["--shuffle", "--seed", 7], ["--scale", "minmax"], ["--limit", 333],
                        ["--seed", 9], ["--scale", "standard", "--shuffle", "--limit", 555, "--seed", 3],
                        ["--search", "random", "--draws", 7],
                        ["--search", "random", "--draws", 5, "--seed", 2, "--shuffle"],
                        ["--horizon", 5000], ["--horizon", "100,5000", "--shuffle"], ["--zeta", "0.5,0.66666,1"],
                        ["--b0", "20,40", "--budget", "100"], ["--precision", "float,double"], ["--gamma", 2]):
            with self.subTest(str(options)):
                self.check_command(rows, *options)
                self.check_command(rows, "--learner", "fogd", "--step", 10, "--frequencies", 20,
                                   *[word for word in options if options[0] not in ("--zeta", "--b0")])

    def test_repeats_the_kernel(self):
        rows = self.generate("checkerboard", 600)
        for options in (["--kernel", "laplacian"], ["--kernel", "laplacian", "--sigma", "0.1,0.5"],
                        ["--kernel", "laplacian", "--gamma", 3], ["--kernel", "gaussian"],
                        ["--kernel", "polynomial"], ["--kernel", "polynomial", "--degree", 2, "--coef0", 0.5],
                        ["--kernel", "linear"]):
            with self.subTest(str(options)):
                self.check_command(rows, "--learner", "ogd", "--step", "1,10", *options)

    # "auto" leaves an option to the learner.
    def test_repeats_what_is_left_to_the_learner(self):
        rows = self.generate("rings", 300)
        for options in (["--horizon", "auto"], ["--b0", "auto"], ["--b0", "auto,30"], ["--sigma", "auto"]):
            with self.subTest(str(options)):
                self.check_command(rows, *options)

    def test_repeats_the_input(self):
        lines = [line.split() for line in self.read(self.generate("blobs", 400)).decode().splitlines()]
        with open(self.folder / "it's a table.csv", "w", newline="") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerow(["kind"] + [f"f{j}" for j in range(8)])
            for label, *features in lines:
                values = {int(f.split(":")[0]): f.split(":")[1] for f in features}
                writer.writerow(["a good one" if label == "+1" else "bad"] + [values.get(j + 1, 0) for j in range(8)])
        self.check_command("it's a table.csv", "--label-column", "kind", "--sigma", "1,2")
        self.check_command("it's a table.csv", "--label-column", 1, "--separator", ";", "--labels", "bad,a good one",
                           "--sigma", 2)
        self.check_command("it's a table.csv", "--label-column", -9, "--format", "csv", "--scale", "standard")
        text = self.read("it's a table.csv").decode()
        self.write("tabs.csv", text.replace(";", "\t"))
        self.check_command("tabs.csv", "--separator", "tab", "--label-column", "kind", "--sigma", 1)
        self.write("spoiled.csv", text + "bad;1\nbad;x;1;1;1;1;1;1;1\n")
        self.check_command("spoiled.csv", "--label-column", "kind", "--skip-bad", 2, "--sigma", 1)

    def test_repeats_several_files_and_standard_input(self):
        a, b = self.generate("rings", 200, seed=1), self.generate("rings", 150, seed=2)
        found = self.check_command(a, b, "--sigma", "0.5,1")
        self.assertEqual(found["candidates"][0]["rows"], 350)
        text = self.read(a).decode()
        piped = self.check_command("-", "--sigma", "0.5,1", stdin=text)
        self.assertEqual(piped["candidates"][0]["rows"], 200)

    def test_is_what_a_shell_runs(self):
        os.rename(self.folder / self.generate("rings", 200), self.folder / "a $HOME `it's`\\.txt")
        shown = self.tune("a $HOME `it's`\\.txt", "--sigma", "0.5,1").stderr
        command = [line for line in shown.splitlines() if line.startswith("  alder train ")][0]
        done = subprocess.run(command.replace("alder", shlex.quote(ALDER), 1) + " --json --quiet", shell=True,
                              text=True, cwd=self.folder, capture_output=True, check=True, timeout=60)
        self.assertEqual(json.loads(done.stdout)["examples"], 200)


class Search(TuneTest):
    def test_commas_separate_what_is_tried(self):
        rows = self.generate("rings", 300)
        found = self.tune_json(rows, "--sigma", "0.5,1,2", "--zeta", "0.5", "--factor", "0.05,0.1", "--precision",
                               "float,double")
        tried = sorted(json.dumps(candidate["settings"]) for candidate in found["candidates"])
        expected = [{"sigma": sigma, "zeta": 0.5, "factor": factor, "precision": precision}
                    for sigma in (0.5, 1, 2) for factor in (0.05, 0.1) for precision in ("float", "double")]
        self.assertEqual(tried, sorted(map(json.dumps, expected)))

    def test_what_is_not_given_is_tried_at_what_the_learner_finds_worth_it(self):
        found = self.tune_json(self.generate("rings", 300), "--learner", "pegasos")
        self.assertEqual({candidate["settings"]["regularization"] for candidate in found["candidates"]},
                         {1e-6, 1e-5, 1e-4, 1e-3, 1e-2})
        widths = sorted({candidate["settings"]["sigma"] for candidate in found["candidates"]})
        self.assertEqual(len(widths), 7)
        self.assertEqual(len(found["candidates"]), 35)
        for narrow, wide in zip(widths, widths[1:]):
            self.assertAlmostEqual(wide / narrow, 2, delta=0.03)

    def test_json_has_all_candidates_the_best_first(self):
        found = self.tune_json(self.generate("checkerboard", 4000), "--learner", "fogd", "--frequencies", 20, "--step",
                               "0.1,1,10,100")
        candidates = found["candidates"]
        self.assertEqual(len(candidates), 28)
        self.assertEqual(len({json.dumps(candidate["settings"]) for candidate in candidates}), 28)
        self.assertEqual([candidate["rows"] for candidate in candidates],
                         sorted((candidate["rows"] for candidate in candidates), reverse=True))
        self.assertEqual(candidates[0]["rows"], 4000)
        self.assertLess(candidates[-1]["rows"], 4000)
        self.assertEqual(candidates[0]["mistakes"], min(c["mistakes"] for c in candidates if c["rows"] == 4000))
        for candidate in candidates:
            self.assertEqual(list(candidate), ["settings", "rows", "mistakes", "mistake_rate", "hinge_loss",
                                               "support_vectors", "seconds"])
            self.assertEqual(candidate["mistake_rate"], candidate["mistakes"] / candidate["rows"])

    def test_the_number_of_jobs_changes_nothing(self):
        rows = self.generate("checkerboard", 2000)
        results = []
        for jobs in (1, 2, 9):
            found = self.tune_json(rows, "--jobs", jobs)
            for candidate in found["candidates"]:
                del candidate["seconds"]
            results.append(found)
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_random_draws_follow_the_seed(self):
        rows = self.generate("rings", 200)
        draws = [[candidate["settings"] for candidate in self.tune_json(
            rows, "--search", "random", "--draws", 6, "--seed", seed, "--window", "2,30")["candidates"]]
            for seed in (1, 1, 2)]
        self.assertEqual(len(draws[0]), 6)
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])
        for settings in draws[0]:
            self.assertIsInstance(settings["window"], int)
            self.assertTrue(2 <= settings["window"] <= 30 and 0.5 <= settings["zeta"] <= 2 / 3)

    # The budget of pomdr is even: a number between two even ones need not be.
    def test_random_draws_are_settings_that_the_learner_takes(self):
        self.check_command(self.generate("rings", 200), "--search", "random", "--draws", 20, "--budget", "100,400")

    def test_what_people_see(self):
        rows = self.generate("checkerboard", 2000)
        done = self.tune(rows, "--top", 3)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("\033", done.stderr)
        self.assertIn("28 settings on 666 rows\n", done.stderr)
        self.assertIn(" on 2000 rows\n", done.stderr)
        self.assertIn("\n    3 ", done.stderr)
        self.assertNotIn("\n    4 ", done.stderr)
        self.assertIn("and 25 more\n", done.stderr)
        quiet = self.tune(rows, "--quiet", "--sigma", 1)
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))

    def test_a_sorted_file_is_warned_of(self):
        lines = sorted(self.read(self.generate("rings", 2000)).decode().splitlines(keepends=True))
        self.write("sorted", "".join(lines))
        warning = "rows are all of one class, so the first choice is blind; try --shuffle"
        self.assertIn(warning, self.tune("sorted").stderr)
        self.assertNotIn(warning, self.tune("sorted", "--shuffle").stderr)
        # There is no first choice if all settings get all rows.
        self.write("one class", "+1 1:1\n+1 1:2\n")
        self.assertNotIn("first choice is blind", self.tune("one class", "--sigma", 1).stderr)

    def test_one_row_is_enough(self):
        self.write("one", "+1 1:0.5\n")
        found = self.check_command("one")
        self.assertEqual(found["candidates"][0]["rows"], 1)
        self.check_command("one", "--scale", "standard", "--shuffle", "--learner", "ogd")


class Default(TuneTest):
    def test_is_the_learner_of_train(self):
        rows = self.generate("rings", 300)
        done = self.alder("tune", rows, "--json")
        self.assertEqual(done.stderr.splitlines()[0],
                         "tuning alder: `alder train` uses it unless told otherwise; it finds its kernel by itself")
        found = json.loads(done.stdout)
        self.assertEqual(found["learner"], self.train_json(rows)["learner"])
        self.assertIn("`alder train` uses it", found["learner_reason"])
        self.assertGreater(len(found["candidates"]), 1)
        again = self.train_json(*shlex.split(found["command"])[2:])
        self.assertEqual(again["mistakes"], found["candidates"][0]["mistakes"])

    def test_a_kernel_that_is_given_is_not_said_to_be_found(self):
        done = self.alder("tune", self.generate("rings", 100), "--sigma", "0.5,1")
        self.assertEqual(done.stderr.splitlines()[0], "tuning alder: `alder train` uses it unless told otherwise")

    def test_an_option_of_another_learner_says_whose_it_is(self):
        done = self.alder("tune", self.generate("rings", 10), "--zeta", "0.5", status=2)
        self.assertIn("alder has no --zeta, which is an option of pomdr;", done.stderr)


class Failures(TuneTest):
    def test_wrong_usage_ends_with_2(self):
        rows = self.generate("rings", 10)
        for arguments, words in (([], "DATA is required"), ([rows, "--jobs", 0], "--jobs is 0"),
                                 ([rows, "--draws", 0], "--draws is 0"), ([rows, "--search", "best"], "best"),
                                 ([rows, "--sigma", "1,wide"], "--sigma is wide; expected a number"),
                                 ([rows, "--sigma", "1,"], "--sigma is "), ([rows, "--sigma", ",1"], "--sigma is "),
                                 ([rows, "--sigma", "1,,2"], "--sigma is "),
                                 ([rows, "--window", "1,2.5"], "--window is 2.5; expected a whole number"),
                                 ([rows, "--precision", "float,half"], "--precision is half; expected float or double"),
                                 ([rows, "--step", "1"], "pomdr has no --step"),
                                 ([rows, "--learner", "linear", "--sigma", "1"], "linear has no --sigma"),
                                 ([rows, "--learner", "svm"], "svm"),
                                 ([rows, "--sigma", "1", "--gamma", "1"], "--gamma"),
                                 ([rows, "--kernel", "linear", "--sigma", "1,2"], "the linear kernel has no --sigma"),
                                 ([rows, "--shuffel"], "--shuffel")):
            done = self.tune(*arguments, status=2)
            self.assertIn(words, done.stderr, arguments)
            self.assertEqual(done.stdout, "")

    def test_what_the_learner_rejects_ends_with_1(self):
        rows = self.generate("rings", 10)
        for arguments, words in ((["--zeta", "0.5,2"], "zeta is 2"), (["--sigma", "0,1"], "sigma is 0"),
                                 (["--budget", "401"], "expected an even number"), (["--sigma", "-1"], "sigma is -1"),
                                 (["--learner", "fogd", "--kernel", "linear"], "expected gaussian or laplacian")):
            done = self.tune(rows, *arguments, "--quiet", status=1)
            self.assertIn(words, done.stderr)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)

    def test_auto_is_no_value_among_widths(self):
        done = self.tune(self.generate("rings", 10), "--sigma", "auto,1", "--quiet", status=2)
        self.assertIn("--sigma", done.stderr)

    def test_the_other_parameters_of_kernels_take_lists_too(self):
        rows = self.generate("rings", 100)
        for options in (["--gamma", "1,2"], ["--kernel", "polynomial", "--degree", "2,3"],
                        ["--kernel", "polynomial", "--coef0", "0,1"]):
            with self.subTest(str(options)):
                self.assertEqual(len(self.tune_json(rows, "--learner", "ogd", "--step", 1, *options)["candidates"]), 2)

    def test_files_that_cannot_be_read(self):
        self.assertEqual(self.tune("none", status=1).stderr, "alder: none: No such file or directory\n")
        self.assertEqual(self.tune(self.write("empty", ""), status=1).stderr,
                         "alder: empty: no rows in it; expected at least one\n")
        self.write("bad", "+1 1:1\n-1 1:x\n")
        self.assertTrue(self.tune("bad", status=1).stderr.startswith("alder: bad:2: "))
        self.write("huge", "+1 1:1\n-1 1:1e39\n")
        self.assertIn("huge:2: value '1e39' of feature 1; expected a value in the range of float",
                      self.tune("huge", "--sigma", 1, status=1).stderr)

    def test_more_jobs_than_there_can_be_threads_are_no_crash(self):
        rows = self.generate("rings", 500)
        done = self.alder_in_a_gibibyte("tune", rows, "--jobs", "3000", "--quiet")
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_help_fits_a_screen(self):
        lines = self.alder("tune", "--help").stdout.splitlines()
        self.assertLess(len(lines), 56)
        self.assertLess(max(map(len, lines)), 140)

    def test_an_interrupt_ends_the_search(self):
        rows = self.generate("checkerboard", 20000)
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start("tune", rows, "--learner", "ogd", "--json")
            self.assertEqual(process.stderr.readline(), "tuning ogd: named by --learner\n")
            self.assertIn("settings on", process.stderr.readline())
            begin = time.monotonic()
            process.send_signal(number)
            out, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (status, ""), error)
            self.assertIn("alder: stopped before the search was over", error)
            self.assertLess(time.monotonic() - begin, 10)

    def test_an_interrupt_while_rows_are_read(self):
        process = self.start("tune", "-", "--quiet")
        process.stdin.write("+1 1:1\n-1 1:2\n")
        process.stdin.flush()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (130, ""), error)


if __name__ == "__main__":
    unittest.main()
