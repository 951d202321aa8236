"""Labels that are numbers: train, predict, info, explain."""
import json
import math
import random
import unittest

from program import ProgramTest

LEARNERS = ["linear", "ogd", "fogd", "nogd"]
FIGURES = ["rmse", "nrmse", "mae", "nmae", "r2", "coverage_80", "coverage_90", "coverage_95", "width_80", "width_90",
           "width_95", "pinball"]


def records(rows, seed=1):
    """Two numbers, a category and a price that follows from them, but for noise."""
    draw = random.Random(seed)
    found = []
    for _ in range(rows):
        size, age, kind = draw.uniform(20, 200), draw.uniform(0, 50), draw.choice(["flat", "house"])
        price = 1000 * size * (1.5 if kind == "house" else 1) - 2000 * age + draw.gauss(0, 10000)
        found.append((f"{size:.1f}", f"{age:.0f}", kind, f"{price:.2f}"))
    return found


def table(rows):
    return "".join(",".join(row) + "\n" for row in [("size", "age", "kind", "price"), *rows])


class NumbersTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = records(1500)
        self.write("rows.csv", table(self.rows))

    def train(self, *arguments, learner="linear", file="rows.csv", model="model", **options):
        return self.alder("train", file, "--label", "price", "--learner", learner, "--scale", "online", "-o", model,
                          *arguments, **options)

    def result(self, *arguments, learner="linear", file="rows.csv"):
        return self.train_json(file, "--label", "price", "--learner", learner, "--scale", "online", *arguments)

    def values(self, *arguments, model="model", file="rows.csv"):
        done = self.alder("predict", model, file, "--quiet", *arguments)
        return [line.split("\t") for line in done.stdout.splitlines()]


class Training(NumbersTest):
    def test_tells_errors_in_units_of_the_target(self):
        for learner in LEARNERS:
            found = self.result(learner=learner)
            self.assertEqual(found["task"], "numbers")
            self.assertEqual((found["examples"], found["rounds"]), (1500, 1500))
            for name in ("mistakes", "mistake_rate", "hinge_loss", "classes", "balanced_error", "recall"):
                self.assertNotIn(name, found)
            self.assertLess(found["rmse"], 0.8 * found["yardsticks"]["mean_rmse"], learner)
            self.assertAlmostEqual(found["r2"], 1 - found["nrmse"] ** 2)
            self.assertAlmostEqual(found["coverage_90"], 0.9, delta=0.03)
            self.assertLess(found["width_80"], found["width_95"])
            self.assertEqual([name for name in FIGURES if name not in found], [])

    def test_the_figures_are_those_of_the_predictions_in_the_trace(self):
        found = self.result("--trace", "trace.csv")
        lines = [line.split(",") for line in self.read("trace.csv").decode().splitlines()[1:]]
        self.assertEqual([float(line[1]) for line in lines], [float(row[-1]) for row in self.rows])
        errors = [float(line[2]) - float(line[1]) for line in lines[1:]]  # the first has no prediction
        self.assertAlmostEqual(found["rmse"], math.sqrt(sum(e * e for e in errors) / len(errors)), places=5)
        self.assertAlmostEqual(found["mae"], sum(map(abs, errors)) / len(errors), places=5)
        targets = [float(row[-1]) for row in self.rows]
        steps = [b - a for a, b in zip(targets, targets[1:])]
        self.assertAlmostEqual(found["yardsticks"]["last_value_mae"], sum(map(abs, steps)) / len(steps), places=5)

    def test_the_summary_and_the_table_speak_of_numbers(self):
        done = self.train()
        self.assertIn("task          numbers: 512 different labels in the first 512 rows; --task classes takes them as "
                      "classes\n", done.stderr)
        for line in ("errors        RMSE ", "of the spread nRMSE ", "intervals     80% hold ", "quantiles     pinball loss ",
                     "yardsticks    always the mean so far RMSE "):
            self.assertIn("\n" + line, done.stderr)
        self.assertIn("RMSE     since      mean      last", done.stderr)
        self.assertNotIn("mistakes", done.stderr)

    def test_a_run_that_is_resumed_has_the_same_bits(self):
        for learner in LEARNERS:
            self.train("--quiet", learner=learner, model="whole")
            self.write("first.csv", table(self.rows[:700]))
            self.write("second.csv", table(self.rows[700:]))
            self.alder("train", "first.csv", "--label", "price", "--learner", learner, "--scale", "online", "-o", "part",
                       "--quiet", *(("--horizon", 1500) if learner != "linear" else ()))
            self.train("--quiet", *(("--horizon", 1500) if learner != "linear" else ()), learner=learner, model="whole")
            self.alder("train", "second.csv", "-i", "part", "-o", "part", "--quiet")
            self.assertTrue(self.read("part") == self.read("whole"), learner)

    def test_repeat_tells_means_and_deviations(self):
        found = self.result("--repeat", 3, "--holdout", 0.2)
        self.assertEqual([len(found["runs"]), found["examples"]], [3, 1200])
        for name in FIGURES:
            of_runs = [run[name] for run in found["runs"]]
            self.assertAlmostEqual(found[name + "_mean"], sum(of_runs) / 3, places=5)
            self.assertGreater(found[name + "_std"], 0)
            self.assertIn("holdout_" + name + "_mean", found)
        self.assertEqual(found["holdout"]["rows"], 300)
        self.assertIn("rmse", found["holdout"])
        self.assertNotIn("mistakes", found["holdout"])
        done = self.alder("train", "rows.csv", "--label", "price", "--learner", "linear", "--repeat", 2)
        self.assertIn("run   1 of 2: RMSE ", done.stderr)

    def test_rows_without_a_number_are_bad(self):
        self.rows[600] = (*self.rows[600][:3], "unknown")
        self.rows[700] = (*self.rows[700][:3], "")
        self.write("bad.csv", table(self.rows))
        done = self.train(file="bad.csv", status=1)
        self.assertIn("bad.csv:602: label 'unknown'; expected a finite number", done.stderr)
        done = self.train("--skip-bad", 2, file="bad.csv")
        self.assertIn("bad.csv:702: no label; expected a finite number", done.stderr)
        self.assertIn("rounds        1498 in", done.stderr)

    def test_weights_count(self):
        self.write("weights", "".join(f"{i % 3}\n" for i in range(1500)))
        found = self.result("--weights", "weights")
        self.assertEqual(found["examples"], 1000)
        # The first row that was learned has the weight 1.
        self.assertEqual(found["weight"], 1500 - 1)


class WithoutOptions(NumbersTest):
    def test_numbers_are_found_learned_and_resumed(self):
        found = self.train_json("rows.csv", "--label", "price", "-o", "whole")
        self.assertEqual(found["task"], "numbers")
        self.assertLess(found["nrmse"], 0.5)
        for level in (80, 90, 95):
            self.assertAlmostEqual(found[f"coverage_{level}"], level / 100, delta=0.03)
        self.write("first.csv", table(self.rows[:700]))
        self.write("second.csv", table(self.rows[700:]))
        self.alder("train", "first.csv", "--label", "price", "-o", "part", "--quiet")
        self.alder("train", "second.csv", "-i", "part", "-o", "part", "--quiet")
        self.assertTrue(self.read("part") == self.read("whole"))
        wide = [float(high) - float(low) for _, low, high in self.values("--interval", "0.9", model="whole")[1:]]
        self.assertGreater(max(wide), 1.01 * min(wide))  # each row has a deviation of its own


class Tasks(NumbersTest):
    def test_the_loss_says_it_and_must_fit(self):
        self.write("few", "1 1:1\n2 1:2\n3 1:3\n" * 5)
        self.assertEqual(self.train_json("few", "--learner", "linear")["task"], "classes")
        self.assertEqual(self.train_json("few", "--learner", "linear", "--loss", "absolute")["task"], "numbers")
        self.assertEqual(self.train_json("few", "--learner", "linear", "--task", "numbers")["task"], "numbers")
        self.assertEqual(self.train_json("rows.csv", "--learner", "linear", "--loss", "hinge", "--ignore", "price",
                                         "--label", "age")["task"], "classes")
        done = self.alder("train", "few", "--learner", "linear", "--loss", "hinge", "--task", "numbers", status=1)
        self.assertIn("the loss hinge is of classes, and the targets are numbers", done.stderr)
        done = self.alder("train", "few", "--learner", "perceptron", "--task", "numbers", status=1)
        self.assertIn("perceptron learns classes and no numbers; expected one of", done.stderr)

    def test_a_learner_of_classes_takes_labels_as_classes(self):
        self.assertEqual(self.result("--limit", 50, learner="perceptron")["task"], "classes")

    def test_many_whole_numbers_that_are_taken_for_classes_are_told(self):
        self.write("ages", "".join(f"{i % 40} 1:{i % 7}\n" for i in range(200)))
        warning = "the first 200 rows have 40 different labels, all whole numbers, and each is learned as a class"
        self.assertIn(warning, self.alder("train", "ages", "--learner", "linear").stderr)
        self.assertNotIn(warning, self.alder("train", "ages", "--learner", "linear", "--task", "classes").stderr)
        self.assertNotIn(warning, self.alder("train", "ages", "--learner", "linear", "--task", "numbers").stderr)

    def test_options_of_classes_are_refused_by_name(self):
        for option in (["--class-weight", "balanced"], ["--labels", "1,2"], ["--no-probabilities"], ["--batch"]):
            done = self.alder("train", "rows.csv", "--learner", "linear", "--task", "numbers", *option, status=2)
            self.assertIn(f"{option[0]} is of classes; expected none of it where numbers are learned", done.stderr)
        self.train("--quiet")
        for option in (["--probabilities"], ["--threshold", "0.5"], ["--scores"]):
            done = self.alder("predict", "model", "rows.csv", *option, status=1)
            self.assertIn(f"{option[0]} is of classes; model predicts numbers", done.stderr)
        self.write("two", "1 1:1\n2 1:2\n" * 5)
        self.alder("train", "two", "-o", "two-model", "--quiet")
        for option in (["--interval", "0.9"], ["--quantiles", "0.5"]):
            done = self.alder("predict", "two-model", "two", *option, status=1)
            self.assertIn(f"{option[0]} is of numbers; two-model predicts classes", done.stderr)

    def test_a_model_says_what_its_labels_are(self):
        self.train("--quiet")
        self.write("few.csv", table([(*row[:3], "7") for row in self.rows[:30]]))
        found = self.train_json("few.csv", "-i", "model")
        self.assertEqual((found["task"], found["rounds"], found["examples"]), ("numbers", 1530, 30))
        done = self.alder("train", "few.csv", "-i", "model", "--task", "classes", status=2)
        self.assertIn("--task is classes; model learns numbers, and goes on with these", done.stderr)

    def test_verbs_of_classes_say_so(self):
        for verb, what in (("tune", "tune chooses settings"), ("regret", "the regret is"), ("diagnose", "the diagnosis is")):
            done = self.alder(verb, "rows.csv", "--label", "price", status=1)
            self.assertIn("rows.csv: the labels are numbers, 512 different ones in the first 512 rows; expected classes: "
                          f"{what} of classes. --task classes takes every label as a class", done.stderr)
            done = self.alder(verb, "rows.csv", "--label", "price", "--task", "numbers", status=2)
            self.assertIn(f"{what} of classes; it does not take --task numbers", done.stderr)
        self.write("suite.json", json.dumps({"name": "s", "data": {"prices": {"file": "rows.csv"}},
                                             "experiments": [{"learners": ["linear"], "data": ["prices"]}]}))
        done = self.alder("bench", "suite.json", "-o", "out.jsonl", "--quiet", status=1)
        self.assertIn("a bench compares learners of classes", done.stderr)


class Predictions(NumbersTest):
    def setUp(self):
        super().setUp()
        self.train("--quiet")

    def test_are_one_value_a_line(self):
        values = [float(value) for value, in self.values()]
        errors = [value - float(row[-1]) for value, row in zip(values, self.rows)]
        self.assertEqual(len(values), 1500)
        done = self.alder("predict", "model", "rows.csv")
        rmse, mae = math.sqrt(sum(e * e for e in errors) / 1500), sum(map(abs, errors)) / 1500
        self.assertRegex(done.stderr, rf"^RMSE {rmse:.0f}, MAE {mae:.0f} on 1500 labelled rows; intervals of 90% hold "
                                      r"[0-9.]+%\n\Z")

    def test_have_intervals_and_quantiles(self):
        head, *lines = self.values("--interval", "0.8", "--quantiles", "0.5,0.01")
        self.assertEqual(head, ["value", "low", "high", "0.5", "0.01"])
        self.assertEqual([line[0] for line in lines], [value for value, in self.values()])
        covered = 0
        for line, row in zip(lines, self.rows):
            _, low, high, middle, least = map(float, line)
            self.assertLessEqual(least, low)
            self.assertTrue(low <= middle <= high)
            covered += low <= float(row[-1]) <= high
        done = self.alder("predict", "model", "rows.csv", "--interval", "0.8")
        self.assertIn(f"; intervals of 80% hold {100 * covered / 1500:.1f}%\n", done.stderr)
        self.assertAlmostEqual(covered / 1500, 0.8, delta=0.06)
        for bad in ("0", "1", "90", "x", "0.1,0.2", ""):
            self.assertIn("--interval", self.alder("predict", "model", "rows.csv", "--interval", bad, status=2).stderr)

    def test_in_json_and_behind_the_rows(self):
        done = self.alder("predict", "model", "rows.csv", "--json", "--quiet", "--interval", "0.9", "--quantiles", "0.25")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(list(found[0]), ["value", "low", "high", "quantiles", "label"])
        self.assertEqual([one["label"] for one in found], [float(row[-1]) for row in self.rows])
        done = self.alder("predict", "model", "rows.csv", "--append", "--quiet", "--interval", "0.9", "--quantiles", "0.25")
        head, *lines = done.stdout.splitlines()
        self.assertEqual(head, "size,age,kind,price,prediction,low,high,quantile 0.25")
        for line, one in zip(lines, found):
            self.assertEqual([float(cell) for cell in line.split(",")[4:]],
                             [one["value"], one["low"], one["high"], one["quantiles"]["0.25"]])
        self.write("rows.json", "".join(json.dumps(dict(zip(("size", "age", "kind"), row))) + "\n" for row in self.rows[:5]))
        done = self.alder("predict", "model", "rows.json", "--append", "--quiet")
        self.assertEqual([json.loads(line)["prediction"] for line in done.stdout.splitlines()],
                         [one["value"] for one in found[:5]])

    def test_labels_that_are_no_numbers_are_none(self):
        self.rows[3] = (*self.rows[3][:3], "?")
        self.rows[4] = (*self.rows[4][:3], "soon")
        self.write("some.csv", table(self.rows))
        done = self.alder("predict", "model", "some.csv")
        self.assertIn("on 1498 labelled rows", done.stderr)
        self.assertIn("; 2 rows have no number as their label\n", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1500)

    def test_threads_change_nothing(self):
        self.assertEqual(self.values("--interval", "0.9", "--threads", 1), self.values("--interval", "0.9", "--threads", 4))


class OfAModel(NumbersTest):
    def test_info_tells_the_task_and_what_it_is_worth(self):
        self.train("--quiet")
        text = self.alder("info", "model").stdout
        self.assertIn("\ntask          numbers\n", text)
        self.assertIn("\nrounds        1500\n", text)
        self.assertRegex(text, r"\nerrors        RMSE [0-9.e+]+, MAE [0-9.e+]+, nRMSE 0\.[0-9]+, R² 0\.[0-9]+\n")
        found = json.loads(self.alder("info", "model", "--json").stdout)
        self.assertEqual((found["task"], found["rounds"]), ("numbers", 1500))
        self.assertEqual([name for name in FIGURES if name not in found], [])
        for name in ("classes", "positive", "probabilities", "threshold", "mistakes"):
            self.assertNotIn(name, found)

    def test_an_explanation_is_of_the_value(self):
        self.train("--quiet")
        done = self.alder("explain", "model", "rows.csv", "--rows", 2, "--json")
        first = json.loads(done.stdout.splitlines()[0])
        self.assertEqual(first["label"], float(self.rows[0][-1]))
        self.assertEqual(first["value"], first["score"])
        self.assertNotIn("predicted", first)
        text = self.alder("explain", "model", "rows.csv", "--rows", 1).stdout
        self.assertTrue(text.startswith(f"row 1: {first['value']:.6g}, label {first['label']:.6g}\n"), text)


if __name__ == "__main__":
    unittest.main()
