"""alder predict: JSON, several files, threads."""
import json
import unittest

from program import ProgramTest


class PredictTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = self.generate("checkerboard", 3000)
        self.alder("train", self.rows, "-o", "model", "--quiet")

    def lines(self, *arguments, model="model", **options):
        """The objects that --json prints, one for each line."""
        done = self.alder("predict", model, *arguments, "--json", "--quiet", **options)
        self.assertEqual(done.stderr, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def text(self, *arguments, model="model"):
        return self.alder("predict", model, *arguments, "--quiet").stdout.splitlines()


class InJson(PredictTest):
    def test_has_what_the_text_has(self):
        found = self.lines(self.rows)
        self.assertEqual([list(line) for line in found],
                         [["class", "probability", "probabilities", "score", "label"]] * 3000)
        self.assertEqual([line["class"] for line in found], self.text(self.rows))
        self.assertEqual([line["score"] for line in found], list(map(float, self.text(self.rows, "--scores"))))
        head, *probabilities = (line.split("\t") for line in self.text(self.rows, "--probabilities"))
        self.assertEqual([list(line["probabilities"].items()) for line in found],
                         [list(zip(head, map(float, each))) for each in probabilities])
        self.assertEqual([line["label"] for line in found],
                         [line.split()[0] for line in self.read(self.rows).decode().splitlines()])
        for line in found:
            self.assertEqual(line["probability"], line["probabilities"][line["class"]])

    def test_has_a_score_for_each_of_more_than_two_classes(self):
        names = ("red", '"a, ""b"""', "é")  # as CSV writes them
        self.write("three.csv", "".join(f"{i % 3 + i % 7 / 10},{i % 5},{names[i % 3]}\n" for i in range(90)))
        self.alder("train", "three.csv", "-o", "three", "--quiet")
        found = self.lines("three.csv", model="three")
        self.assertEqual(set(found[0]), {"class", "probability", "probabilities", "scores", "label"})
        for line in found:
            self.assertEqual(set(line["scores"]), {"red", 'a, "b"', "é"})
            self.assertEqual(line["class"], max(line["scores"], key=line["scores"].get))
            self.assertAlmostEqual(sum(line["probabilities"].values()), 1)

    def test_rows_without_a_label_of_the_model_have_none(self):
        self.write("some", "+1 1:0.1 2:0.2\nother 1:0.1 2:0.2\n")
        first, second = self.lines("some")
        self.assertEqual(first.pop("label"), "+1")
        self.assertEqual(first, second)

    def test_a_model_without_probabilities_prints_none(self):
        self.alder("train", self.rows, "-o", "bare", "--no-probabilities", "--quiet")
        self.assertEqual(set(self.lines(self.rows, model="bare")[0]), {"class", "score", "label"})
        done = self.alder("predict", "bare", self.rows, "--json", "--probabilities", status=1)
        self.assertIn("a model that has learned no probabilities", done.stderr)

    def test_the_threshold_moves_the_class(self):
        plain, found = self.lines(self.rows), self.lines(self.rows, "--threshold", 0.9, "--probabilities")
        for before, after in zip(plain, found):
            self.assertEqual(after["class"], "+1" if before["probabilities"]["+1"] >= 0.9 else "-1")
            self.assertEqual(after["probabilities"], before["probabilities"])
            self.assertEqual(after["probability"], after["probabilities"][after["class"]])

    def test_the_accuracy_is_the_same(self):
        self.assertEqual(self.alder("predict", "model", self.rows, "--json").stderr,
                         self.alder("predict", "model", self.rows).stderr)

    def test_names_of_classes_may_hold_quotes_and_letters_of_latin_1(self):
        self.write("bytes", b"\xe9\xe8 1:1\n\"q 1:2\n" * 20)
        self.alder("train", "bytes", "-o", "bytes.model", "--quiet")
        self.assertEqual(set(self.lines("bytes", model="bytes.model")[1]["probabilities"]), {'"q', "éè"})


class SeveralFiles(PredictTest):
    def test_rows_come_in_the_order_of_the_files(self):
        other = self.generate("checkerboard", 700, seed=2)
        for flags in ([], ["--scores"], ["--json"]):
            both = self.alder("predict", "model", other, self.rows, *flags, "--quiet").stdout
            apart = [self.alder("predict", "model", file, *flags, "--quiet").stdout for file in (other, self.rows)]
            self.assertEqual(both, "".join(apart))
        self.assertIn(" of 3700 labelled rows", self.alder("predict", "model", other, self.rows).stderr)
        piped = self.alder("predict", "model", other, "-", stdin=self.read(self.rows).decode())
        self.assertEqual(piped.stdout, self.alder("predict", "model", other, self.rows).stdout)

    def test_none_of_them_is_overwritten(self):
        self.write("other", self.read(self.rows))
        done = self.alder("predict", "model", self.rows, "other", "-o", "other", status=2)
        self.assertIn("-o other is the same file as the input other", done.stderr)

    def test_one_that_is_missing_is_named_before_anything_is_printed(self):
        done = self.alder("predict", "model", self.rows, "none", status=1)
        self.assertEqual((done.stdout, done.stderr), ("", "alder: none: No such file or directory\n"))


class OnThreads(PredictTest):
    def test_their_number_changes_nothing(self):
        results = {self.alder("predict", "model", self.rows, "--json", "--threads", count).stdout
                   for count in (0, 1, 2, 7, 100000)}
        self.assertEqual(len(results), 1)


if __name__ == "__main__":
    unittest.main()
