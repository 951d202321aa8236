"""alder regret: what it measures, against what other verbs say, and what it refuses."""
import json
import math
import unittest

from program import ProgramTest


class RegretTest(ProgramTest):
    def regret_json(self, *arguments, **options):
        return json.loads(self.alder("regret", *arguments, "--json", "--quiet", **options).stdout)


class Measured(RegretTest):
    def test_losses_are_those_of_training(self):
        rows = self.generate("checkerboard", 600)
        for learner in ("pomdr", "fogd", "pegasos", "perceptron", "bogd"):
            with self.subTest(learner):
                found = self.regret_json(rows, "--learner", learner, "--sigma", 0.3)
                self.assertEqual([point["rows"] for point in found["regret"]], [2 ** k for k in range(10)] + [600])
                known = ["--horizon", 600] if learner not in ("pegasos", "perceptron") else []
                again = self.train_json(rows, "--learner", learner, "--sigma", 0.3, *known)
                last = found["regret"][-1]
                self.assertEqual(last["loss"], again["hinge_loss"])
                for point in found["regret"]:
                    self.assertAlmostEqual(point["regret"], point["loss"] - point["best_loss"])
                    self.assertLessEqual(point["best_loss_at_least"], point["best_loss"])
                    self.assertLessEqual(point["best_loss"] - point["best_loss_at_least"],
                                         1e-3 * max(1.0, point["best_loss"]))
                    self.assertLessEqual(point["best_norm"], 25.0 * (1 + 1e-9))
                    self.assertEqual(point["delta_bound"] is None, learner != "pomdr")

    def test_best_loss_rises_with_the_rows_and_falls_with_the_ball(self):
        rows = self.generate("blobs", 300)
        by_ball = []
        for ball in (0.5, 2, 10, 50):
            found = self.regret_json(rows, "--sigma", 0.5, "--ball", ball)["regret"]
            for before, after in zip(found, found[1:]):
                self.assertGreaterEqual(after["best_loss"], before["best_loss_at_least"] - 1e-9)
            by_ball.append(found[-1])
        for smaller, larger in zip(by_ball, by_ball[1:]):
            self.assertLessEqual(larger["best_loss_at_least"], smaller["best_loss"])

    def test_bounds_hold_with_the_settings_of_the_theorem(self):
        for name in ("rings", "checkerboard", "blobs"):
            rows = self.generate(name, 500)
            for options in ([], ["--b0", 5, "--budget", 20]):
                found = self.regret_json(rows, "--theorem", "--sigma", 0.4, *options)
                self.assertTrue(found["as_proved"])
                self.assertEqual([found["options"][key] for key in ("zeta", "ald", "factor")], [1, 1, 1])
                for point in found["regret"]:
                    self.assertLessEqual(point["loss"] - point["best_loss_at_least"], point["delta_bound"])
                    self.assertLessEqual(point["delta_bound"], point["alignment_bound"])
                    d = max(0.0, point["alignment"]) + 2
                    bound = 6 * 25 * math.sqrt(d) + 9 * 25
                    if point["removals"]:
                        bound += 6 * 25 * math.sqrt(2 * point["rows"] * d / found["options"]["budget"])
                    self.assertAlmostEqual(point["alignment_bound"], bound, places=6)
        self.assertFalse(self.regret_json(rows, "--sigma", 0.4)["as_proved"])

    def test_alignment_is_that_of_diagnose(self):
        rows = self.generate("rings", 300)
        found = self.regret_json(rows, "--sigma", 0.5)["regret"][-1]
        diagnosed = json.loads(self.alder("diagnose", rows, "--sigma", 0.5, "--json", "--quiet").stdout)
        self.assertIn(f"{found['alignment']:.6g}", [f"{value:.6g}" for value in numbers(diagnosed)])

    def test_leaves_out_what_was_not_looked_for(self):
        found = self.regret_json(self.generate("blobs", 200), "--most", 64)["regret"]
        self.assertEqual([point["best_loss"] is None for point in found], [point["rows"] > 64 for point in found])

    def test_tells_in_words(self):
        rows = self.generate("blobs", 200)
        text = self.alder("regret", rows, "--theorem").stderr
        for words in ("theorem 2", "corollary 1", "hindsight", "Theorem 2 allows", "with a norm of at most 25"):
            self.assertIn(words, text)
        self.assertIn("--theorem takes those", self.alder("regret", rows).stderr)
        self.assertIn("no bound here for ogd", self.alder("regret", rows, "--learner", "ogd").stderr)
        self.assertIn("--most N looks further", self.alder("regret", rows, "--most", 50).stderr)


def numbers(value):
    """All numbers in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in numbers(part)]
    return [value] if isinstance(value, (int, float)) else []


class Named(RegretTest):
    def test_the_learner_and_why_it_is_that_one(self):
        rows = self.generate("blobs", 30)
        done = self.alder("regret", rows, "--json")
        self.assertEqual(done.stderr.splitlines()[0],
                         "comparing pomdr: the bounds are proved for it; alder, the default of `alder train`, has no "
                         "fixed kernel unless --sigma is given")
        found = json.loads(done.stdout)
        self.assertEqual(found["learner"], "pomdr")
        self.assertIn("the bounds are proved for it", found["learner_reason"])
        found = self.regret_json(rows, "--learner", "alder", "--sigma", 1)
        self.assertEqual((found["learner"], found["learner_reason"]), ("alder", "named by --learner"))


class Refused(RegretTest):
    def test_what_makes_no_sense(self):
        rows = self.generate("blobs", 30)
        self.write("empty.txt", "")
        self.write("nan.txt", "+1 1:nan\n-1 1:2\n")
        for status, words, arguments in (
                (2, "linear has no kernel", [rows, "--learner", "linear"]),
                (2, "alder chooses its kernel while it learns", [rows, "--learner", "alder"]),
                (2, "--zeta is part of --theorem", [rows, "--theorem", "--zeta", 0.5]),
                (2, "--theorem is of pomdr", [rows, "--theorem", "--learner", "ogd"]),
                (2, "--most is 0", [rows, "--most", 0]),
                (2, "--ball", [rows, "--ball", -1]),
                (2, "--tolerance", [rows, "--tolerance", 0]),
                (2, "regret has no option --balls; did you mean '--ball'?", [rows, "--balls", 3]),
                (1, "no rows in it", ["empty.txt"]),
                (1, "nothing.txt", ["nothing.txt"]),
                (1, "nan.txt", ["nan.txt"])):
            with self.subTest(words):
                done = self.alder("regret", *arguments, status=status)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_one_row_and_one_class_are_rows(self):
        self.write("one.txt", "+1 1:2\n")
        self.assertEqual(len(self.regret_json("one.txt", "--sigma", 1)["regret"]), 1)
        self.write("class.txt", "+1 1:2\n+1 1:3\n+1 1:2\n")
        last = self.regret_json("class.txt", "--sigma", 1)["regret"][-1]
        self.assertAlmostEqual(last["best_loss"], 0.0)


if __name__ == "__main__":
    unittest.main()
