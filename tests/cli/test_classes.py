"""Labels of any number and text, and probabilities: train, predict, info, scale and the others."""
import csv
import json
import math
import random
import unittest

from program import ProgramTest

FIGURES = ("balanced_error", "log_loss", "brier", "calibration_error", "auc", "f1", "kappa")


def clouds(rows, names, seed=1, spread=0.35):
    """CSV text: a cloud around a corner of a polygon for each class."""
    draw = random.Random(seed)
    lines = ["x,y1,kind"]
    for _ in range(rows):
        k = draw.randrange(len(names))
        angle = 2 * math.pi * k / len(names)
        lines.append(f"{math.cos(angle) + draw.gauss(0, spread)},{math.sin(angle) + draw.gauss(0, spread)},{names[k]}")
    return "\n".join(lines) + "\n"


NAMES = ["setosa", "versicolor", "virginica", "very long name of a class"]


class ManyClasses(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", clouds(1500, NAMES))
        self.write("more.csv", clouds(400, NAMES, seed=2))

    def test_words_are_classes(self):
        result = self.train_json("rows.csv", "--label-column", "kind")
        self.assertEqual(result["classes"], sorted(NAMES))
        self.assertLess(result["mistake_rate"], 0.15)
        self.assertEqual(set(result["recall"]), set(NAMES))
        self.assertIsNone(result["hinge_loss"])
        self.assertIsNone(result["auc"])
        for name in set(FIGURES) - {"auc"}:
            self.assertGreater(result[name], 0, name)
        self.assertLess(result["log_loss"], 0.5)
        entries = result["confusion"]
        self.assertEqual(sum(entry["rows"] for entry in entries), 1500)
        self.assertEqual(sum(entry["rows"] for entry in entries if entry["actual"] != entry["predicted"]), result["mistakes"])
        of_setosa = [entry for entry in entries if entry["actual"] == "setosa"]
        hits = sum(entry["rows"] for entry in of_setosa if entry["predicted"] == "setosa")
        self.assertAlmostEqual(result["recall"]["setosa"], hits / sum(entry["rows"] for entry in of_setosa))
        recalls = list(result["recall"].values())
        self.assertAlmostEqual(result["balanced_error"], 1 - sum(recalls) / len(recalls))

    def test_the_table_and_the_summary(self):
        text = self.alder("train", "rows.csv", "--label-column", "kind").stderr
        head = text.splitlines()[:2]
        self.assertIn("log loss", head[0])
        self.assertIn("predicted", head[0])
        self.assertEqual(text.count("on avg last line"), 1)
        self.assertRegex(text, r"(?m)^ +[0-9.]+% +[0-9.]+% +[0-9.]+ +[0-9.]+% +[0-9.]+% +1024 +(setosa|versicol…|virginica|very lon…) ")
        self.assertIn("classes       4: setosa, versicolor, very long name of a class, virginica; 2 features\n", text)
        self.assertRegex(text, r"\nby class      balanced error [0-9.]+%, F1 0\.\d+, Cohen's kappa 0\.\d+\n")
        self.assertRegex(text, r"\nrecall        setosa [0-9.]+%, versicolor [0-9.]+%, very long name of a class [0-9.]+%, virginica ")
        self.assertRegex(text, r"\nconfusions    .+ taken for .+: \d+ rows; ")
        self.assertRegex(text, r"\nprobabilities log loss 0\.\d+, Brier score 0\.\d+, calibration error 0\.\d+\n")
        self.assertNotIn("hinge loss", text)

    def test_many_classes_are_counted_and_the_first_named(self):
        self.write("many.csv", clouds(600, [f"class{k:02}" for k in range(12)]))
        text = self.alder("train", "many.csv", "--label-column", "kind").stderr
        self.assertIn("classes       12: class00, class01, class02, class03, class04, class05, class06, class07 and 4 more;", text)
        self.assertNotIn("\nrecall ", text)

    def test_a_third_class_in_a_pipe_changes_the_head(self):
        lines = clouds(1000, ["a", "b"]).splitlines(keepends=True) + ["5,5,c\n"] * 300  # columns are found in 512 rows
        process = self.start("train", "-", "--label-column", "kind")
        process.stdin.write("".join(lines[:600]))
        process.stdin.flush()
        for line in iter(process.stderr.readline, ""):
            if " 64 " in line:  # so the head is printed before a third class is read
                break
        rest = process.communicate("".join(lines[600:]), timeout=60)[1]
        self.assertIn("predicted", rest)
        self.assertIn("classes       3: a, b, c;", rest)

    def test_saved_and_gone_on_with_exactly(self):
        lines = clouds(700, NAMES).splitlines(keepends=True)
        options = ["--label-column", "kind", "--quiet"]
        self.alder("train", "-", *options, "-o", "whole", stdin="".join(lines))
        for split in (2, 5, 64, 400):
            self.alder("train", "-", *options, "-o", "half", stdin="".join(lines[:split]))
            self.alder("train", "-", *options, "-i", "half", "-o", "half", stdin="".join(lines[:1] + lines[split:]))
            self.assertEqual(self.read("half"), self.read("whole"), split)

    def test_the_figures_are_those_of_the_run(self):
        self.alder("train", "rows.csv", "--label-column", "kind", "-o", "model", "--quiet")
        second = self.train_json("more.csv", "--label-column", "kind", "-i", "model")
        self.assertEqual((second["examples"], sum(entry["rows"] for entry in second["confusion"])), (400, 400))
        self.assertAlmostEqual(second["mistake_rate"], sum(entry["rows"] for entry in second["confusion"]
                                                           if entry["actual"] != entry["predicted"]) / 400)

    def test_repeat_has_means_and_deviations(self):
        result = self.train_json("rows.csv", "--label-column", "kind", "--repeat", 3)
        for name in ("mistake_rate", *FIGURES):
            values = [run[name] for run in result["runs"]]
            if name == "auc":
                self.assertEqual((result["auc_mean"], result["auc_std"]), (None, None))
                continue
            mean = sum(values) / 3
            self.assertAlmostEqual(result[f"{name}_mean"], mean)
            self.assertAlmostEqual(result[f"{name}_std"], (sum((value - mean) ** 2 for value in values) / 2) ** 0.5)
        self.assertIn("log loss", self.alder("train", "rows.csv", "--label-column", "kind", "--repeat", 2).stderr)

    def test_holdouts_have_the_same_figures(self):
        for holdout in ("0.25", "more.csv"):
            result = self.train_json("rows.csv", "--label-column", "kind", "--holdout", holdout)["holdout"]
            for name in set(FIGURES) - {"auc"}:
                self.assertGreater(result[name], 0, name)
            self.assertIsNone(result["risk"])
            self.assertEqual(result["mistake_rate"], result["error"])
            self.assertEqual(sum(entry["rows"] for entry in result["confusion"]), result["rows"])
        repeated = self.train_json("rows.csv", "--label-column", "kind", "--holdout", "0.25", "--repeat", 2)
        self.assertGreater(repeated["holdout_log_loss_mean"], 0)
        self.assertIn("log loss", self.alder("train", "rows.csv", "--label-column", "kind", "--holdout", "0.25").stderr.split("held out")[1])

    def test_a_class_that_is_only_held_out_is_mistaken(self):
        self.write("other.csv", "x,y1,kind\n1,0,setosa\n9,9,unheard\n")
        result = self.train_json("rows.csv", "--label-column", "kind", "--holdout", "other.csv")["holdout"]
        self.assertEqual(result["recall"]["unheard"], 0.0)

    def test_a_trace_has_names(self):
        self.alder("train", "rows.csv", "--label-column", "kind", "--trace", "trace.csv", "--quiet")
        with open(self.folder / "trace.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        labels = [line.rsplit(",", 1)[1] for line in self.read("rows.csv").decode().splitlines()[1:]]
        self.assertEqual([line["label"] for line in lines[50:]], labels[50:])
        for line in lines:
            self.assertTrue(math.isfinite(float(line["score"])))

    def test_batch_keeps_a_function_of_two(self):
        error = self.alder("train", "rows.csv", "--label-column", "kind", "--batch", "average", "--quiet", status=1).stderr
        self.assertIn("--batch keeps one function, of two classes; expected no third, but there is '", error)

    def test_theory_is_of_two(self):
        for verb in ("diagnose", "regret"):
            error = self.alder(verb, "rows.csv", "--label-column", "kind", "--quiet", status=1).stderr
            self.assertIn("rows.csv: 4 classes, setosa, versicolor, very long name of a class, virginica; expected two", error)
        done = self.alder("regret", "rows.csv", "--label-column", "kind", "--limit", 400, "--labels", "setosa,virginica",
                          "--skip-bad", 1000, "--json", "--quiet")
        self.assertIn("regret", json.loads(done.stdout))

    def test_tune_searches_with_any_number_of_classes(self):
        done = self.alder("tune", "rows.csv", "--label-column", "kind", "--learner", "alder", "--sigma", "0.5,1", "--json", "--quiet")
        self.assertLess(json.loads(done.stdout)["candidates"][0]["mistake_rate"], 0.2)

    def test_scale_keeps_labels_and_weights(self):
        self.write("a.csv", "w,x,kind\n2.5,0,red\n1,4,green tea\n0,2,green_tea\n1,1,red\n")
        done = self.alder("scale", "a.csv", "--weight-column", "w", "--label-column", "kind")
        self.assertEqual(done.stdout, "red 2.5\ngreen_tea 1:1\ngreen_tea_2 0 1:0.5\nred 1:0.25\n")
        self.assertIn("class green tea is written as green_tea:", done.stderr)

    def test_labels_that_look_like_numbers_are_told_early(self):
        draw = random.Random(1)
        self.write("numbers", "".join(f"{draw.random()} 1:{draw.random()}\n" for _ in range(1100)))
        done = self.alder("train", "numbers", "--limit", 1000, "--task", "classes")
        self.assertEqual(done.stderr.count("the first 1000 rows have 1000 different labels, which look like numbers"), 2)
        self.assertLess(done.stderr.index("look like numbers"), done.stderr.index("learner  "))
        self.assertNotIn("look like", self.alder("train", "rows.csv", "--label-column", "kind").stderr)

    def test_names_that_are_no_text_do_no_harm(self):
        self.write("rows", b"\xe9\xe8 1:1\nb\x1b[31m 1:2\nc 1:3\n" * 20)
        result = self.train_json("rows", "-o", "model")
        self.assertEqual(len(result["classes"]), 3)
        self.assertNotIn("\x1b", self.alder("info", "model").stdout)


class Labels(ProgramTest):
    def test_the_order_of_two_decides_which_is_positive(self):
        self.write("rows.csv", clouds(300, ["a", "b"]))
        by_name = self.train_json("rows.csv", "--label-column", "kind", "-o", "by_name")
        swapped = self.train_json("rows.csv", "--label-column", "kind", "--labels", "b, a", "-o", "swapped")
        self.assertEqual((by_name["classes"], swapped["classes"]), (["a", "b"], ["b", "a"]))
        self.assertEqual(by_name["mistakes"], swapped["mistakes"])
        scores = [[float(score) for score in self.alder("predict", model, "rows.csv", "--scores", "--quiet").stdout.split()]
                  for model in ("by_name", "swapped")]
        self.assertEqual(scores[0], [-score for score in scores[1]])

    def test_others_are_bad_rows(self):
        self.write("rows.csv", clouds(300, ["a", "b", "c"]))
        error = self.alder("train", "rows.csv", "--label-column", "kind", "--labels", "a,c", "--quiet", status=1).stderr
        self.assertRegex(error, r"rows\.csv:\d+: label 'b'; expected a or c")
        result = self.train_json("rows.csv", "--label-column", "kind", "--labels", "c,a", "--skip-bad", 200)
        self.assertEqual(result["classes"], ["c", "a"])
        self.assertLess(result["examples"], 250)

    def test_one_class_in_a_pipe_is_shown_at_once(self):
        process = self.start("train", "-")
        process.stdin.write("+1 1:1\n")
        process.stdin.flush()
        lines = [process.stderr.readline() for _ in range(3)]
        self.assertEqual(lines[2].split()[-5:-3], ["+1", "0.0000"], lines)
        process.communicate(timeout=20)


class Probabilities(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("three.csv", clouds(1200, ["a", "b", "c"]))
        self.write("two.csv", clouds(1200, ["no", "yes"], spread=0.8))

    def predicted(self, *arguments):
        return self.alder("predict", *arguments, "--quiet").stdout.splitlines()

    def test_a_line_of_names_and_then_one_a_class(self):
        for rows, names in (("three.csv", ["a", "b", "c"]), ("two.csv", ["no", "yes"])):
            self.alder("train", rows, "--label-column", "kind", "-o", "model", "--quiet")
            lines = self.predicted("model", rows, "--probabilities")
            self.assertEqual(lines[0].split("\t"), names)
            classes = self.predicted("model", rows)
            self.assertEqual(len(lines), 1201)
            agree = 0
            for line, label in zip(lines[1:], classes):
                numbers = [float(number) for number in line.split("\t")]
                self.assertEqual(len(numbers), len(names))
                self.assertAlmostEqual(sum(numbers), 1.0)
                agree += names[numbers.index(max(numbers))] == label
            self.assertGreater(agree, 1150)

    def test_scores_of_many_classes_are_one_a_class(self):
        self.alder("train", "three.csv", "--label-column", "kind", "-o", "model", "--quiet")
        classes = self.predicted("model", "three.csv")
        for line, label in zip(self.predicted("model", "three.csv", "--scores"), classes):
            numbers = [float(number) for number in line.split("\t")]
            self.assertEqual("abc"[numbers.index(max(numbers))], label)

    def test_the_log_loss_is_that_of_the_printed_probabilities(self):
        self.alder("train", "three.csv", "--label-column", "kind", "-o", "model", "--quiet")
        done = self.alder("predict", "model", "three.csv", "--probabilities")
        labels = [line.rsplit(",", 1)[1] for line in self.read("three.csv").decode().splitlines()[1:]]
        losses = [-math.log(float(line.split("\t")["abc".index(label)]))
                  for line, label in zip(done.stdout.splitlines()[1:], labels)]
        self.assertIn(f"; log loss {sum(losses) / len(losses):.4f}\n", done.stderr)

    def test_a_threshold_moves_the_border(self):
        self.alder("train", "two.csv", "--label-column", "kind", "-o", "model", "--quiet")
        lines = self.predicted("model", "two.csv", "--probabilities")[1:]
        for threshold in ("0", "0.2", "0.9", "1"):
            expected = ["yes" if float(line.split("\t")[1]) >= float(threshold) else "no" for line in lines]
            self.assertEqual(self.predicted("model", "two.csv", "--threshold", threshold), expected)
        self.assertIn("--threshold is 1.5; expected a probability", self.alder("predict", "model", "two.csv", "--threshold", 1.5, status=2).stderr)
        self.alder("train", "three.csv", "--label-column", "kind", "-o", "three", "--quiet")
        self.assertIn("--threshold is of two classes; three has 3", self.alder("predict", "three", "three.csv", "--threshold", 0.5, status=1).stderr)

    def test_they_need_not_be_learned(self):
        text = self.alder("train", "two.csv", "--label-column", "kind", "--no-probabilities", "-o", "model").stderr
        self.assertNotIn("log loss", text)
        with_them = self.train_json("two.csv", "--label-column", "kind")
        without = self.train_json("two.csv", "--label-column", "kind", "--no-probabilities")
        self.assertEqual((with_them["mistakes"], with_them["hinge_loss"]), (without["mistakes"], without["hinge_loss"]))
        self.assertEqual([without[name] for name in ("log_loss", "brier", "calibration_error", "auc")], [None] * 4)
        self.assertIn("probabilities not learned", self.alder("info", "model").stdout)
        error = self.alder("predict", "model", "two.csv", "--probabilities", "-o", "out", status=1).stderr
        self.assertIn("model: a model that has learned no probabilities; expected one that has", error)
        self.assertFalse((self.folder / "out").exists())
        self.assertNotIn("log loss", self.alder("predict", "model", "two.csv").stderr)

    def test_unlabelled_rows_and_unknown_labels(self):
        self.alder("train", "three.csv", "--label-column", "kind", "-o", "model", "--quiet")
        done = self.alder("predict", "model", "-", "--probabilities", stdin="0.5,0.5\n-1,0\n")
        self.assertEqual((len(done.stdout.splitlines()), done.stderr), (3, ""))
        done = self.alder("predict", "model", "-", stdin="x,y1,kind\n0.5,0.5,a\n-1,0,unheard\n")
        self.assertIn("of 1 labelled rows are right; 1 rows have no label of the model's", done.stderr)

    def test_rows_of_a_slow_pipe_are_predicted_when_they_come(self):
        self.alder("train", "three.csv", "--label-column", "kind", "-o", "model", "--quiet")
        process = self.start("predict", "model", "-", "--quiet", "--format", "csv", "--label-column", "none")
        for row, label in (("1,0", "a"), ("-0.5,0.87", "b"), ("1,0", "a")):
            process.stdin.write(row + "\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), label + "\n")  # would wait for ever if rows were held back
        self.assertEqual(process.communicate(timeout=20)[0], "")

    def test_many_rows_are_predicted_alike_in_pieces(self):
        rows = self.generate("checkerboard", 9000)
        self.alder("train", rows, "--limit", 2000, "-o", "model", "--quiet")
        whole = self.predicted("model", rows, "--probabilities")[1:]
        lines = self.read(rows).decode().splitlines(keepends=True)
        pieces = []
        for first in range(0, 9000, 3000):
            self.write("piece", "".join(lines[first:first + 3000]))
            pieces += self.predicted("model", "piece", "--probabilities")[1:]
        self.assertEqual(whole, pieces)

    def test_info_tells_what_is_learned(self):
        self.alder("train", "three.csv", "--label-column", "kind", "-o", "model", "--class-weight", "a=2,b=0.5", "--quiet")
        text = self.alder("info", "model").stdout
        for line in ("classes       3: a, b, c\n", "class weights a 2, b 0.5; others 1\n", "probabilities learned\n"):
            self.assertIn(line, text)
        info = json.loads(self.alder("info", "model", "--json").stdout)
        self.assertEqual(info["class_weights"], {"balanced": False, "factors": {"a": 2.0, "b": 0.5}})
        self.assertEqual((info["probabilities"], info["threshold"]), (True, None))


if __name__ == "__main__":
    unittest.main()
