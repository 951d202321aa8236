"""Weights of rows and of classes: where they come from, what they change, what is said of wrong ones."""
import random
import unittest

from program import ProgramTest


class Weights(ProgramTest):
    """One row of ten is of the class that matters."""

    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        lines = []
        for _ in range(3000):
            rare = draw.random() < 0.1
            lines.append((f"{draw.gauss(1.0 if rare else 0.0, 0.8):.4f}", f"{draw.gauss(0, 1):.4f}", "rare" if rare else "usual"))
        self.lines = lines
        self.weights = ["5" if line[2] == "rare" else "1" for line in lines]
        self.write("rows.csv", "a,b,kind\n" + "".join(",".join(line) + "\n" for line in lines))

    def train(self, *arguments, **options):
        return self.train_json(*arguments, "--label-column", "kind", **options)

    def test_column_file_and_libsvm_agree(self):
        self.write("weights", "\n".join(self.weights))
        self.write("column.csv", "a,w,b,kind\n" + "".join(f"{a},{w},{b},{kind}\n" for (a, b, kind), w in zip(self.lines, self.weights)))
        self.write("rows.txt", "".join(f"{kind} {w} 1:{a} 2:{b}\n" for (a, b, kind), w in zip(self.lines, self.weights)))
        plain = self.train("rows.csv")
        by_file = self.train("rows.csv", "--weights", "weights")
        self.assertGreater(by_file["recall"]["rare"], plain["recall"]["rare"] + 0.1)
        self.assertEqual(by_file["weight"], sum(map(float, self.weights)))
        same = ("mistakes", "hinge_loss", "log_loss", "balanced_error", "weight", "weighted_mistake_rate", "features")
        for other in (self.train("column.csv", "--weight-column", "w"), self.train("column.csv", "--weight-column", 2),
                      self.train_json("rows.txt")):
            self.assertEqual([by_file[name] for name in same], [other[name] for name in same])
        self.assertNotIn("weight", plain)

    def test_weights_stay_with_their_rows(self):
        self.write("weights", "\n".join(self.weights))
        for options in (["--shuffle"], ["--scale", "minmax"], ["--holdout", "0.2"]):
            result = self.train("rows.csv", "--weights", "weights", *options)
            self.assertGreater(result["recall"]["rare"], self.train("rows.csv", *options)["recall"]["rare"] + 0.1)
        held = self.train("rows.csv", "--weights", "weights", "--holdout", "0.2")["holdout"]
        labels = [line[2] for line in self.lines[2400:]]
        self.assertAlmostEqual(held["mistake_rate"], held["mistakes"] / len(labels))
        limited = self.train("rows.csv", "--weights", "weights", "--limit", 100)
        self.assertEqual(limited["weight"], sum(map(float, self.weights[:100])))
        repeated = self.train("rows.csv", "--weights", "weights", "--repeat", 2)
        self.assertEqual(repeated["weight"], sum(map(float, self.weights)))

    def test_rows_of_weight_0_change_nothing(self):
        lines = self.read("rows.csv").decode().splitlines(keepends=True)
        weights = ["0" if i % 3 == 0 else "1" for i in range(3000)]
        self.write("weights", "\n".join(weights))
        self.write("fewer.csv", "".join(lines[:1] + [line for line, weight in zip(lines[1:], weights) if weight == "1"]))
        fewer = self.train("fewer.csv", "-o", "a")
        zeros = self.train("rows.csv", "--weights", "weights", "-o", "b")
        for name in ("examples", "mistakes", "hinge_loss", "log_loss"):
            self.assertEqual(fewer[name], zeros[name], name)

    def test_wrong_weights_are_told_with_their_place(self):
        self.write("bad.csv", "a,w,kind\n1,1,x\n2,heavy,y\n")
        error = self.alder("train", "bad.csv", "--weight-column", "w", "--quiet", status=1).stderr
        self.assertEqual(error, "alder: bad.csv:3: 'heavy' in column 2 'w'; expected a weight, a number from 0 to 1000000\n")
        self.assertIn("no column 'v' in the header", self.alder("train", "bad.csv", "--weight-column", "v", status=1).stderr)
        self.write("weights", "1\n")
        error = self.alder("train", "rows.csv", "--weights", "weights", "--quiet", "--label-column", "kind", status=1).stderr
        self.assertEqual(error, "alder: weights: 1 weights; expected one for every row, also for that of rows.csv:3\n")
        self.alder("train", "bad.csv", "--weights", "weights", "--weight-column", "w", status=2)
        self.alder("train", "bad.csv", "--weights", "-", status=2)
        self.assertIn("weights: No such", self.alder("train", "rows.csv", "--weights", "no-weights", status=1).stderr)
        self.assertIn("--trace", self.alder("train", "rows.csv", "--weights", "weights", "--trace", "weights", status=2).stderr)

    def test_theory_has_no_weights(self):
        self.write("rows.txt", "1 2 1:1\n0 1:2\n" * 20)
        for verb in ("diagnose", "regret"):
            self.assertIn("rows.txt: rows with weights; expected none", self.alder(verb, "rows.txt", "--quiet", status=1).stderr)

    def test_class_weights(self):
        plain = self.train("rows.csv")
        for value in ("balanced", "rare=9", "rare=9,usual=1"):
            weighted = self.train("rows.csv", "--class-weight", value)
            self.assertGreater(weighted["recall"]["rare"], plain["recall"]["rare"] + 0.2, value)
            self.assertLess(weighted["balanced_error"], plain["balanced_error"] - 0.05, value)
            self.assertEqual(weighted["warnings"], plain["warnings"])
        text = self.alder("train", "rows.csv", "--label-column", "kind", "--class-weight", "balanced").stderr
        self.assertIn("class weights balanced: all classes count alike", text)

    def test_class_weights_with_names_that_are_none(self):
        warnings = self.train("rows.csv", "--class-weight", "rar=9")["warnings"]
        self.assertEqual(warnings[0], "--class-weight names rar, but no class is called so")
        self.assertIn("\nwarning: --class-weight names rar,",
                      self.alder("train", "rows.csv", "--label-column", "kind", "--class-weight", "rar=9").stderr)
        for value, words in (("rare", "--class-weight is rare; expected balanced, or NAME=W,NAME=W"), ("rare=x", "with 'x' for rare"),
                             ("rare=-1", "with '-1' for rare"), ("rare=1,rare=2", "with rare twice"), ("=1", "expected balanced"),
                             ("rare=1,", "with ''"), ("rare=", "with '' for rare"), ("rare=1e7", "from 0 to 1000000")):
            self.assertIn(words, self.alder("train", "rows.csv", "--class-weight", value, status=2).stderr)
        self.assertIn("--class-weight names rar, which is none of --labels",
                      self.alder("train", "rows.csv", "--labels", "usual,rare", "--class-weight", "rar=2", status=2).stderr)

    def test_class_weights_of_numbers_however_written(self):
        rows = self.generate("rings", 600)
        self.assertEqual(self.train_json(rows, "--class-weight", "1=3")["mistakes"], self.train_json(rows, "--class-weight", "+1=3")["mistakes"])
        self.assertEqual(self.train_json(rows, "--class-weight", "1=3")["warnings"], [])

    def test_what_a_model_has_cannot_be_changed(self):
        self.alder("train", "rows.csv", "--label-column", "kind", "-o", "model", "--quiet")
        for option in (["--class-weight", "balanced"], ["--no-probabilities"], ["--labels", "a,b"]):
            self.assertIn(f"{option[0]} cannot be changed", self.alder("train", "rows.csv", "-i", "model", *option, status=2).stderr)


if __name__ == "__main__":
    unittest.main()
