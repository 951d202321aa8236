"""alder diagnose: what it says of kernels, and that the command it prints does what it found."""
import json
import math
import shlex
import signal
import time
import unittest

from program import ProgramTest


def rows_of(text):
    """Labels and dense features of LIBSVM text."""
    rows = []
    for line in text.splitlines():
        label, *features = line.split()
        rows.append((float(label), {int(f.split(":")[0]): float(f.split(":")[1]) for f in features}))
    return rows


def alignment_of(rows, sigma):
    """The definition."""
    def kernel(x, z):
        return math.exp(-sum((x.get(j, 0) - z.get(j, 0)) ** 2 for j in x.keys() | z.keys()) / (2 * sigma ** 2))
    return len(rows) - sum(y * w * kernel(x, z) for y, x in rows for w, z in rows) / len(rows)


class DiagnoseTest(ProgramTest):
    def diagnose_json(self, *arguments, **options):
        return json.loads(self.alder("diagnose", *arguments, "--json", "--quiet", **options).stdout)


class Findings(DiagnoseTest):
    def test_the_alignment_is_that_of_the_definition(self):
        file = self.generate("checkerboard", 150)
        found = self.diagnose_json(file, "--sigma", "0.1,0.5,8")
        rows = rows_of(self.read(file).decode())
        self.assertEqual([kernel["sigma"] for kernel in found["kernels"]], [0.1, 0.5, 8])
        for kernel in found["kernels"]:
            expected = alignment_of(rows, kernel["sigma"])
            self.assertAlmostEqual(kernel["alignment"] / expected, 1, delta=1e-9)
            self.assertAlmostEqual(kernel["explained"], 1 - expected / 150, delta=1e-9)
            self.assertIsNone(kernel["alignment_error"])
            self.assertTrue(kernel["eigenvalues"]["exact"])
            bound = 6 * 25 * math.sqrt(expected + 2) + 9 * 25
            self.assertAlmostEqual(kernel["regret_bound"]["by_alignment"] / bound, 1, delta=1e-9)

    def test_the_run_is_that_of_train(self):
        file = self.generate("rings", 2500)
        found = self.diagnose_json(file, "--sigma", "0.2,1", "--zeta", 0.5, "--eigenvalues", 20)
        for kernel in found["kernels"]:
            again = self.train_json(file, "--learner", "pomdr", "--sigma", kernel["sigma"], "--zeta", 0.5,
                                    "--horizon", 2500)
            for name in ("mistakes", "hinge_loss", "support_vectors", "switch_round", "sum_delta"):
                self.assertEqual(again[name], kernel["run"][name], name)
            self.assertFalse(kernel["eigenvalues"]["exact"])
            self.assertEqual(kernel["eigenvalues"]["rows"], 2500)

    def test_the_command_makes_the_mistakes_it_says(self):
        for name, options in (("rings", []), ("checkerboard", ["--sigma", "0.05,0.1"]),
                              ("blobs", ["--shuffle", "--seed", 5, "--scale", "standard", "--limit", 800])):
            file = self.generate(name, 1200)
            best = self.diagnose_json(file, *options)["recommendation"]
            words = shlex.split(best["command"])
            self.assertEqual(words[:2], ["alder", "train"])
            self.assertEqual(self.train_json(*words[2:])["mistakes"], best["mistakes"], best["command"])

    def test_the_bounds_hold_for_phase_one(self):
        found = self.diagnose_json(self.generate("rings", 900), "--sigma", "0.2,0.5,2", "--zeta", 1, "--ald", 1,
                                   "--factor", 1)
        for kernel in found["kernels"]:
            self.assertTrue(kernel["regret_bound"]["as_proved"])
            self.assertLessEqual(kernel["phase_one"]["support_vectors"], kernel["budget_by_eigenvalues"])
            self.assertLessEqual(kernel["run"]["sum_delta"], 4 * kernel["alignment"] + 8)

    def test_other_kernels_can_be_diagnosed(self):
        file = self.generate("blobs", 300)
        for count, *options in ((2, "--kernel", "laplacian", "--sigma", "0.5,1"), (1, "--kernel", "linear"),
                                (2, "--kernel", "polynomial", "--degree", "2,3"), (2, "--gamma", "0.5,2"),
                                (1, "--kernel", "laplacian", "--gamma", 1)):
            kernels = self.diagnose_json(file, *options)["kernels"]
            self.assertEqual(len(kernels), count, options)
            for kernel in kernels:
                self.assertGreaterEqual(kernel["trace"], kernel["alignment"] * (1 - 1e-9))

    def test_a_sample_says_how_far_off_it_may_be(self):
        file = self.generate("blobs", 3000)
        exact = self.diagnose_json(file, "--sigma", 2, "--eigenvalues", 5)["kernels"][0]
        kernel = self.diagnose_json(file, "--sigma", 2, "--eigenvalues", 5, "--sample", 400)["kernels"][0]
        self.assertEqual(kernel["alignment_rows"], 400)
        self.assertGreater(kernel["alignment_error"], 0)
        self.assertLess(abs(kernel["alignment"] - exact["alignment"]), 5 * kernel["alignment_error"])

    def test_the_same_on_any_number_of_threads(self):
        file = self.generate("blobs", 2200)
        self.assertEqual(self.diagnose_json(file, "--jobs", 1, "--sigma", 2, "--eigenvalues", 20),
                         self.diagnose_json(file, "--jobs", 3, "--sigma", 2, "--eigenvalues", 20))


class Words(DiagnoseTest):
    def test_a_table_a_paragraph_for_each_width_and_a_recommendation(self):
        done = self.alder("diagnose", self.generate("rings", 500), "--sigma", "0.1,0.5")
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0], "diagnosing pomdr: the theory is about it; `alder train` uses alder unless told otherwise")
        self.assertIn("sigma", lines[2])
        self.assertEqual(len([line for line in lines if line.startswith("sigma 0.")]), 2)
        self.assertTrue(any(line.startswith("recommended") for line in lines))
        self.assertIn("alder train", lines[-1])
        self.assertLessEqual(max(map(len, lines[:-1])), 100)

    def test_without_widths_it_tries_five(self):
        found = self.diagnose_json(self.generate("rings", 200))
        self.assertEqual(len(found["kernels"]), 5)
        self.assertEqual(found["learner"], "pomdr")
        self.assertIn("`alder train` uses alder", found["learner_reason"])


class Mistakes(DiagnoseTest):
    def refuse(self, message, *arguments, status=1, stdin=""):
        done = self.alder("diagnose", *arguments, status=status, stdin=stdin)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def test_bad_input_is_one_line(self):
        self.refuse("no rows in it", self.write("empty", ""))
        self.refuse("of one class", self.write("one", "+1 1:2\n"))
        self.refuse("of one class", self.write("class", "+1 1:2\n+1 1:3\n+1 1:4\n"))
        self.refuse("nan", self.write("nan", "+1 1:2\n-1 1:nan\n"))
        self.refuse("No such file", "nowhere.txt")

    def test_bad_options_are_one_line(self):
        file = self.generate("rings", 50)
        for options, message in ((["--sigma", "1,x"], "--sigma"), (["--sigma", "1,auto"], "--sigma"),
                                 (["--sigma", "-1"], "sigma is -1"), (["--sample", 5], "--sample is 5"),
                                 (["--eigenvalues", 0], "--eigenvalues is 0"), (["--most", 1], "--most is 1"),
                                 (["--learner", "fogd"], "expected pomdr"), (["--eigenvalues", 1001], "expected 1 to"),
                                 (["--zeta", "0.5,1"], "--zeta has 2 values"),
                                 (["--kernel", "linear", "--sigma", 1], "no --sigma")):
            status = 1 if options == ["--sigma", "-1"] else 2
            self.refuse(message, file, *options, status=status)

    def test_two_rows_are_enough(self):
        found = self.diagnose_json(self.write("two", "+1 1:2\n-1 1:3\n"), "--sigma", 1)
        self.assertEqual(found["rows"], 2)
        self.alder("diagnose", "two")

    def test_an_interrupt_ends_it(self):
        file = self.generate("blobs", 30000)
        process = self.start("diagnose", file, "--sigma", "1,2,3,4,5,6,7,8")
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, error)
        self.assertEqual(error, "alder: stopped before the diagnosis was over\n")


if __name__ == "__main__":
    unittest.main()
