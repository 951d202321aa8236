"""alder train: warnings where a figure would mislead."""
import json
import random
import unittest

from program import ProgramTest


def runs_in(text):
    return "labels come in runs" in text


class LabelOrder(ProgramTest):
    def rows(self, rows=1000):
        """The lines of a made-up stream."""
        return self.read(self.generate("rings", rows)).decode().splitlines(keepends=True)

    def test_rows_sorted_by_class_are_told_after_the_summary(self):
        lines = sorted(self.rows())
        positive = sum(line.startswith("+1") for line in lines)
        expected = round(2 * positive * (1000 - positive) / 1000)
        self.write("sorted", "".join(lines))
        done = self.alder("train", "sorted")
        self.assertRegex(done.stderr, rf"\nwarning: labels come in runs: 1 change in 1000 rows; in random order about {expected} "
                                      r"would be expected\. .*--shuffle.*--holdout FILE\n$")
        self.assertGreater(done.stderr.index("warning:"), done.stderr.index("mistakes   "))

    def test_the_same_rows_in_random_order_are_fine(self):
        lines = sorted(self.rows())
        self.write("sorted", "".join(lines))
        self.assertNotIn("warning", self.alder("train", "sorted", "--shuffle").stderr)
        random.Random(1).shuffle(lines)
        self.assertNotIn("warning", self.alder("train", self.write("shuffled", "".join(lines))).stderr)

    def test_the_mistakes_of_sorted_rows_do_flatter(self):
        self.write("sorted", "".join(sorted(self.rows(3000))))
        for learner in ("alder", "pomdr"):
            told = self.train_json("sorted", "--learner", learner)
            honest = self.train_json("sorted", "--learner", learner, "--shuffle")
            self.assertTrue(runs_in(told["warnings"][0]))
            self.assertEqual(honest["warnings"], [])
            self.assertLess(told["mistake_rate"], honest["mistake_rate"])

    def test_alternating_labels_are_fine(self):
        lines = self.rows()
        sides = [[line for line in lines if line.startswith(sign)] for sign in "+-"]
        self.write("alternating", "".join(a + b for a, b in zip(*sides)))
        self.assertEqual(self.train_json("alternating")["warnings"], [])

    def test_labels_that_mostly_stay_come_in_runs(self):
        draw = random.Random(2)
        sides = {sign: [line for line in self.rows(4000) if line.startswith(sign)] for sign in "+-"}
        sign, lines = "+", []
        for _ in range(1000):
            if draw.random() < 0.1:
                sign = "-" if sign == "+" else "+"
            lines.append(sides[sign].pop())
        warnings = self.train_json(self.write("slow", "".join(lines)))["warnings"]
        self.assertEqual([runs_in(warning) for warning in warnings], [True])

    def test_one_label_only_is_told(self):
        self.write("one", "".join(line for line in self.rows() if line.startswith("+1")))
        self.assertIn("rows have the same label", self.train_json("one")["warnings"][0])

    def test_quiet_silences_them(self):
        self.write("sorted", "".join(sorted(self.rows())))
        self.assertEqual(self.alder("train", "sorted", "--quiet").stderr, "")
        self.assertEqual(len(self.train_json("sorted")["warnings"]), 1)


class Scales(ProgramTest):
    def wide(self, name="wide.csv", header=True):
        """Rings whose first feature is 10,000 times as wide as the second."""
        lines = ["width,height,label\n"] if header else []
        for line in self.read(self.generate("rings", 600)).decode().splitlines():
            label, a, b = line.split()
            lines.append(f"{float(a[2:]) * 1e4},{b[2:]},{label}\n")
        return self.write(name, "".join(lines))

    def test_the_widest_feature_and_a_narrow_one_are_named(self):
        self.assertRegex(self.alder("train", self.wide(), "--learner", "pomdr").stderr,
                         r"warning: scales of features differ: width spans \S+, height only \S+; distances "
                         r"between rows hardly depend on 1 of 2 features\. Try --scale online")

    def test_libsvm_features_are_counted_from_1(self):
        lines = [f"{i % 2} 1:0.{i % 7} 3:{i * 1000}\n" for i in range(200)]
        self.assertIn("feature 3 spans 1.99e+05, feature 1 only 0.6;", self.alder("train", self.write("rows", "".join(lines)), "--sigma", 1).stderr)

    def test_a_label_column_before_others_does_not_move_names(self):
        lines = ["a,class,b,c\n"] + [f"{i % 5},{i % 2},{i % 3},{i * 1000}\n" for i in range(200)]
        self.assertIn(": c spans", self.alder("train", self.write("rows.csv", "".join(lines)), "--sigma", 1).stderr)

    def test_only_kernels_of_distances_are_warned_about(self):
        file = self.wide()
        for arguments in (["--learner", "pomdr"], ["--learner", "fogd"], ["--kernel", "laplacian"], ["--sigma", 0.5]):
            self.assertEqual(len(self.train_json(file, *arguments)["warnings"]), 1, arguments)
        for arguments in ([], ["--learner", "linear"], ["--learner", "ogd", "--kernel", "linear"]):
            self.assertEqual(self.train_json(file, *arguments)["warnings"], [], arguments)

    def test_scaled_rows_are_fine(self):
        file = self.wide()
        for scale in ("online", "minmax", "standard"):
            scaled = self.train_json(file, "--learner", "pomdr", "--scale", scale)
            self.assertEqual(scaled["warnings"], [])
        self.assertLess(scaled["mistake_rate"], 0.5 * self.train_json(file, "--learner", "pomdr")["mistake_rate"])

    def test_going_on_from_a_model_does_not_ask_for_what_cannot_be_changed(self):
        file = self.wide()
        self.train_json(file, "--learner", "pomdr", "-o", "model")
        self.assertEqual(self.train_json(file, "-i", "model")["warnings"], [])


class GuessedLabel(ProgramTest):
    ROWS = "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(40))

    def test_the_column_is_named_before_learning(self):
        file = self.write("rows.csv", "a,b,c\n" + self.ROWS)
        done = self.alder("train", file)
        self.assertTrue(done.stderr.startswith("warning: labels are taken from column 3 'c', the last: "), done.stderr)
        self.assertEqual(done.stderr.count("warning"), 1)
        self.assertIn("--label", done.stderr)
        self.assertIn("column 3 'c'", self.train_json(file)["warnings"][0])

    def test_without_a_header_it_has_a_number_only(self):
        self.assertIn("labels are taken from column 3, the last", self.train_json(self.write("rows.csv", self.ROWS))["warnings"][0])

    def test_it_is_said_before_labels_that_are_no_classes_are_learned(self):
        rows = "".join(f"{i % 2},{i}\n" for i in range(40))
        done = self.alder("train", self.write("rows.csv", rows))
        self.assertTrue(done.stderr.startswith("warning: labels are taken from column 2"), done.stderr)

    def test_a_column_that_was_given_or_has_a_usual_name_is_no_guess(self):
        for header in ("a,b,class", "a,b,Target", "a,b,y"):
            self.assertEqual(self.train_json(self.write("rows.csv", f"{header}\n{self.ROWS}"))["warnings"], [], header)
        file = self.write("rows.csv", "a,b,c\n" + self.ROWS)
        for column in ("c", "3", "-1"):
            self.assertEqual(self.train_json(file, "--label-column", column)["warnings"], [], column)

    def test_two_usual_names_are_a_guess(self):
        self.assertEqual(len(self.train_json(self.write("rows.csv", "y,b,class\n" + self.ROWS))["warnings"]), 1)

    def test_libsvm_has_nothing_to_guess(self):
        self.assertEqual(self.train_json(self.generate("rings", 300))["warnings"], [])

    def test_a_pipe_and_several_files_are_told_once(self):
        done = self.alder("train", "-", stdin=self.ROWS)
        self.assertEqual(done.stderr.count("warning"), 1)
        file = self.write("rows.csv", self.ROWS)
        self.assertEqual(self.alder("train", file, file, "--shuffle").stderr.count("warning"), 1)


if __name__ == "__main__":
    unittest.main()
