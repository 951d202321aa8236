"""Tables to predict: what they may lack, and what is said of cells, headers and labels that do not fit."""
import unittest

from table_test import TableTest, lines, made_up


class ATable(TableTest):
    def setUp(self):
        super().setUp()
        self.head = ["age", "job", "answer"]
        self.records = [record[:2] + record[5:] for record in made_up(300)]
        self.write("plain.csv", lines([self.head] + self.records))
        self.train("plain.csv", "--quiet", model="model")

    def test_may_have_one_column(self):
        self.write("texts.csv", "text,label\n" + "".join(
            f"good {i} day for all,a\nbad {i} night of none,b\n" for i in range(100)))
        self.alder("train", "texts.csv", "-o", "texts", "--quiet")
        self.write("one.csv", "text\ngood day for you\nbad night\n")
        self.assertEqual(self.alder("predict", "texts", "one.csv").stdout, "a\nb\n")
        self.write("numbers.csv", "x,y\n" + "".join(f"{i % 10},{int(i % 10 > 4)}\n" for i in range(200)))
        self.alder("train", "numbers.csv", "-o", "numbers", "--quiet")
        self.write("one.csv", "x\n1\n8\n")
        self.assertEqual(self.alder("predict", "numbers", "one.csv").stdout, "0\n1\n")

    def test_is_warned_of_if_cells_are_of_another_kind(self):
        self.write("strange.csv", lines([self.head] + [["unknown", *record[1:]] for record in self.records]))
        done = self.alder("predict", "model", "strange.csv")
        self.assertIn("warning: age: 300 of 300 cells are no number, and unknown to the model\n", done.stderr)
        holes = lines([self.head] + [[record[0], record[1] if i else "", record[2]] for i, record in enumerate(self.records)])
        self.write("holes.csv", holes)
        for file in ("plain.csv", "holes.csv"):
            self.assertNotIn("warning", self.alder("predict", "model", file).stderr)

    def test_that_is_appended_to_has_the_first_header(self):
        self.write("other.csv", lines(record[::-1] for record in [self.head] + self.records))
        done = self.alder("predict", "model", "plain.csv", "other.csv", "--append", "--quiet", status=1)
        self.assertIn("other.csv:2: another header than the first file's", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 301)
        appended = self.alder("predict", "model", "plain.csv", "--append", "--quiet").stdout
        self.write("appended.csv", appended)
        again = self.alder("predict", "model", "appended.csv", "--append", "--quiet").stdout
        self.assertTrue(again.startswith("age,job,answer,prediction,prediction_\n"), again[:80])

    def test_has_no_label_that_is_a_feature_or_mistyped(self):
        for name, message in (("job", "'job' is a feature of the model"), ("anser", "no column 'anser' in the header")):
            done = self.alder("predict", "model", "plain.csv", "--label", name, status=1)
            self.assertIn(message, done.stderr)
        self.write("rows.txt", "+1 1:2\n-1 1:3\n")
        done = self.alder("train", "rows.txt", "--label", "answer", "--quiet", status=1)
        self.assertIn("rows.txt:1: LIBSVM has no columns; expected a table with column 'answer'", done.stderr)


if __name__ == "__main__":
    unittest.main()
