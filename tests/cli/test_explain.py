"""`alder explain`: which features and which stored rows moved a prediction."""
import json
import unittest

from program import ProgramTest


class Explain(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = self.generate("checkerboard", 2000)
        self.more = self.generate("checkerboard", 12, seed=2)
        self.alder("train", self.rows, "-o", "model", "--quiet")

    def explain(self, *arguments, **options):
        return [json.loads(line) for line in self.alder("explain", *arguments, "--json", **options).stdout.splitlines()]

    def test_every_row_is_explained_as_predict_predicts_it(self):
        found = self.explain("model", self.more, "--top", 0)
        scores = self.alder("predict", "model", self.more, "--scores", "--quiet").stdout.split()
        classes = self.alder("predict", "model", self.more, "--quiet").stdout.split()
        self.assertEqual([one["row"] for one in found], list(range(1, 13)))
        self.assertEqual([one["predicted"] for one in found], classes)
        self.assertEqual([one["score"] for one in found], [float(score) for score in scores])
        for one in found:
            self.assertIn(one["label"], ("+1", "-1"))
            self.assertEqual((one["towards"], one["against"]), ("+1", "-1"))
            self.assertTrue(one["has_exact_gradients"])
            self.assertEqual(len(one["stored_rows"]), one["stored_count"])
            parts = [row["contribution"] for row in one["stored_rows"]]
            self.assertAlmostEqual(sum(parts) + one["rest"], one["score"], delta=1e-5 * (1 + sum(map(abs, parts))))

    def test_an_effect_is_the_score_less_that_of_the_row_without_the_feature(self):
        self.write("one.txt", "+1 1:0.3 2:0.7\n")
        self.write("without.txt", "+1 2:0.7\n+1 1:0.3\n")
        effects = {one["feature"]: one["effect"] for one in self.explain("model", "one.txt")[0]["features"]}
        score = self.explain("model", "one.txt")[0]["score"]
        others = [float(text) for text in self.alder("predict", "model", "without.txt", "--scores", "--quiet").stdout.split()]
        self.assertEqual(effects, {1: score - others[0], 2: score - others[1]})

    def test_the_text_has_the_top_features_and_rows_by_name(self):
        self.write("table.csv", "height,width,kind\n" + "".join(
            f"{(i * 37 % 100) / 50 - 1},{(i * 53 % 100) / 50 - 1},{'ab'[i * 37 % 100 > 50]}\n" for i in range(400)))
        self.alder("train", "table.csv", "--label-column", "kind", "-o", "table", "--quiet")
        text = self.alder("explain", "table", "table.csv", "--label-column", "kind", "--rows", 2, "--top", 1).stdout
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^row 1: [ab] \(score -?[0-9.e-]+, probability [0-9.]+\), label a$")
        self.assertRegex(lines[1], r"^  features     (height|width) = [0-9.-]+: [+-][0-9.e-]+$")
        self.assertRegex(lines[2], r"^  stored rows  #\d+ \(similarity [0-9.e-]+\): [+-][0-9.e-]+$")
        self.assertEqual(len(lines), 6)

    def test_rows_limits_how_many_are_explained(self):
        self.assertEqual(len(self.explain("model", self.more, "--rows", 3)), 3)
        self.assertEqual(len(self.explain("model", self.more)), 12)

    def test_of_many_classes_the_lead_over_the_best_rival_is_explained(self):
        rows = self.write("three.txt", "".join(
            f"{'abc'[i % 3]} 1:{(i % 3) + 0.1 * (i * 7 % 5)} 2:{0.1 * (i % 7)}\n" for i in range(600)))
        self.alder("train", rows, "-o", "three", "--quiet")
        found = self.explain("three", rows, "--rows", 9)
        for one in found:
            self.assertEqual(one["towards"], one["predicted"])
            self.assertNotEqual(one["against"], one["predicted"])
            self.assertGreaterEqual(one["score"], 0.0)
        text = self.alder("explain", "three", rows, "--rows", 1).stdout
        self.assertRegex(text, r"^row 1: a \(score [0-9.e-]+ more than [bc], probability [0-9.]+\), label a\n")

    def test_a_row_without_a_label_and_an_empty_row_are_explained_too(self):
        self.write("bare.txt", "0 1:0.3\n+1\n")
        found = self.explain("model", "bare.txt")
        self.assertEqual([one["label"] for one in found], [None, "+1"])
        self.assertEqual(found[1]["features"], [])

    def test_every_learner_explains_itself(self):
        listed = self.alder("learners").stdout.split("\n\n")[0].splitlines()
        self.assertGreater(len(listed), 10)
        for line in listed:
            name = line.split()[0]
            self.alder("train", self.rows, "--learner", name, "-o", "other", "--quiet")
            for one in self.explain("other", self.more, "--rows", 2):
                self.assertTrue(one["has_exact_gradients"], name)
                self.assertEqual(len(one["features"]), 2, name)

    def test_an_output_that_is_the_input_is_refused(self):
        done = self.alder("explain", "model", self.more, "-o", self.more, status=2)
        self.assertIn(" is the same file as ", done.stderr)
        self.alder("explain", "model", self.more, "-o", "text")
        self.assertTrue(self.read("text").startswith(b"row 1: "))


if __name__ == "__main__":
    unittest.main()
