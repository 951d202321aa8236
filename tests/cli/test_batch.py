"""alder train --batch and --holdout: which function is kept, what it is worth, and what is refused."""
import json
import lzma
import os
import pathlib
import unittest

from program import ProgramTest

SHARED = os.environ.get("ALDER_SHARED") or pathlib.Path(__file__).resolve().parents[3] / "shared"
A9A = pathlib.Path(SHARED) / "data" / "a9a.libsvm.xz"
SMALL = ["--learner", "pomdr", "--sigma", 0.4, "--b0", 8, "--budget", 30]


class BatchTest(ProgramTest):
    def error_of(self, model, rows):
        """The part of the rows that the saved model predicts wrongly."""
        predicted = self.alder("predict", model, rows, "--quiet").stdout.split()
        labels = [line.split()[0] for line in self.read(rows).decode().splitlines()]
        return sum(float(p) != float(y) for p, y in zip(predicted, labels, strict=True)) / len(labels)


class Kept(BatchTest):
    def test_model_makes_the_mistakes_that_were_reported(self):
        train, test = self.generate("checkerboard", 1200), self.generate("checkerboard", 500, seed=2)
        for choice in ("random", "last", "average"):
            with self.subTest(choice):
                found = self.train_json(train, "--batch", choice, "--holdout", test, *SMALL, "-o", "kept.model")
                self.assertEqual(found["batch"]["hypothesis"], choice)
                self.assertEqual(found["holdout"]["rows"], 500)
                self.assertEqual(found["holdout"]["mistakes"], round(500 * found["holdout"]["error"]))
                self.assertAlmostEqual(self.error_of("kept.model", test), found["holdout"]["error"])
                scores = [float(s) for s in self.alder("predict", "kept.model", test, "--scores").stdout.split()]
                labels = [float(line.split()[0]) for line in self.read(test).decode().splitlines()]
                risk = sum(max(0.0, 1.0 - y * s) for s, y in zip(scores, labels)) / 500
                self.assertAlmostEqual(found["holdout"]["risk"], risk, places=6)
                info = json.loads(self.alder("info", "kept.model", "--json").stdout)
                self.assertEqual(info["learner"], "hypothesis")
                self.assertEqual(info["support_vectors"], found["batch"]["support_vectors"])
                self.assertEqual(info["hypothesis"], {"learner": "pomdr", "first_round": found["batch"]["first_round"],
                                                      "last_round": found["batch"]["last_round"]})
                self.assertIn("learns no more", self.alder("info", "kept.model").stdout)

    def test_last_is_what_the_next_round_would_predict_with(self):
        train, test = self.generate("rings", 800), self.generate("rings", 300, seed=2)
        self.alder("train", train, *SMALL, "--precision", "double", "--quiet", "-o", "last.model", "--batch", "last")
        last = [float(s) for s in self.alder("predict", "last.model", test, "--scores").stdout.split()]
        # Its hint is made of the last rows, so that a model without --batch, which predicts without it, differs a little;
        # but the score of round 801 is the same.
        next_row = self.read(test).splitlines(keepends=True)[0]
        (self.folder / "more").write_bytes(self.read(train) + next_row)
        self.alder("train", "more", *SMALL, "--precision", "double", "--quiet", "--trace", "trace.csv")
        score = float(self.read("trace.csv").decode().splitlines()[801].split(",")[2])
        self.assertAlmostEqual(score, last[0], places=9)

    def test_rounds_are_drawn_by_the_seed(self):
        train = self.generate("blobs", 400)
        rounds = [self.train_json(train, "--batch", "--seed", seed)["batch"]["first_round"] for seed in range(8)]
        self.assertEqual(rounds, [self.train_json(train, "--batch", "--seed", seed)["batch"]["first_round"]
                                  for seed in range(8)])
        self.assertGreater(len(set(rounds)), 4)
        self.assertTrue(all(1 <= round <= 400 for round in rounds))

    def test_average_begins_in_the_middle(self):
        for rows, first in ((1, 1), (2, 2), (7, 4), (400, 201)):
            found = self.train_json(self.generate("blobs", rows), "--batch", "average")["batch"]
            self.assertEqual((found["first_round"], found["last_round"]), (first, rows))

    def test_scaled_and_from_csv(self):
        lines = ["a,b,class"]
        lines += [f"{i % 17},{(i * 7) % 23},{'yes' if (i % 17) > (i * 7) % 23 else 'no'}" for i in range(600)]
        self.write("rows.csv", "\n".join(lines) + "\n")
        found = self.train_json("rows.csv", "--scale", "standard", "--batch", "average", "--holdout", 0.25, "--shuffle",
                                "-o", "kept.model")
        self.assertEqual(found["holdout"]["rows"], 150)
        self.assertEqual(found["examples"], 450)
        self.assertLess(found["holdout"]["error"], 0.2)
        self.assertIn("accuracy", self.alder("predict", "kept.model", "rows.csv").stderr)


class RealRows(BatchTest):
    @unittest.skipUnless(A9A.exists(), f"{A9A.name} is not there; it belongs into ../shared/data or $ALDER_SHARED/data")
    def test_average_comes_within_a_point_of_libsvm(self):
        lines = lzma.decompress(A9A.read_bytes()).decode().splitlines(keepends=True)
        self.write("train.txt", "".join(lines[:32561]))
        self.write("test.txt", "".join(lines[32561:]))
        found = self.train_json("train.txt", "--holdout", "test.txt", "--batch", "average", "--sigma", 4, "--zeta", 0.5,
                                "--repeat", 3)
        libsvm = 0.1499  # of svm-train -g 0.03125 -c 1, docs/theory.md
        self.assertEqual(found["holdout"]["rows"], 16281)
        for run in found["runs"]:
            self.assertLess(run["holdout"]["error"], libsvm + 0.01)


class Holdout(BatchTest):
    def test_is_the_last_part_of_the_rows(self):
        whole = self.generate("checkerboard", 1000)
        lines = self.read(whole).decode().splitlines(keepends=True)
        self.write("first.txt", "".join(lines[:700]))
        self.write("rest.txt", "".join(lines[700:]))
        by_part = self.train_json(whole, "--holdout", 0.3, *SMALL)
        by_file = self.train_json("first.txt", "--holdout", "rest.txt", "--horizon", 700, *SMALL)
        self.assertEqual(by_part["mistakes"], by_file["mistakes"])
        self.assertEqual(by_part["holdout"]["mistakes"], by_file["holdout"]["mistakes"])
        self.assertAlmostEqual(by_part["holdout"]["risk"], by_file["holdout"]["risk"])
        self.assertNotIn("batch", by_part)

    def test_of_several_runs(self):
        train, test = self.generate("checkerboard", 500), self.generate("checkerboard", 200, seed=2)
        for held_out in (test, 0.2):
            found = self.train_json(train, "--batch", "--holdout", held_out, "--repeat", 3, *SMALL)
            errors = [run["holdout"]["error"] for run in found["runs"]]
            self.assertAlmostEqual(found["holdout_error_mean"], sum(errors) / 3)
            self.assertEqual(len({run["batch"]["first_round"] for run in found["runs"]}), 3)
        text = self.alder("train", train, "--batch", "average", "--holdout", test, "--repeat", 2, *SMALL).stderr
        self.assertIn("held out", text)
        self.assertIn("hypothesis", text)

    def test_is_told_in_words(self):
        train = self.generate("checkerboard", 300)
        for choice, words in (("random", "drawn at random"), ("last", "the next to come"), ("average", "the mean of")):
            text = self.alder("train", train, "--batch", choice, "--holdout", 0.1).stderr
            self.assertRegex(text, f"\nhypothesis +.*{words}")
            self.assertRegex(text, r"\nheld out +[0-9.]+% mistakes on 30 rows; risk [0-9.]+")


class Refused(BatchTest):
    def fails(self, words, *arguments, status=1):
        done = self.alder(*arguments, status=status)
        self.assertIn(words, done.stderr)
        self.assertLessEqual(len(done.stderr.strip().splitlines()), 2, done.stderr)

    def test_what_makes_no_sense(self):
        rows = self.generate("blobs", 50)
        self.alder("train", rows, "--batch", "-o", "kept.model", "--quiet")
        self.write("empty.txt", "")
        self.fails("a hypothesis, which learns no more", "train", rows, "-i", "kept.model")
        self.fails("--batch is best; expected random, last or average", "train", rows, "--batch=best", status=2)
        self.fails("fogd has none", "train", rows, "--batch", "--learner", "fogd", status=2)
        self.fails("expected neither -i nor", "train", rows, "--batch", "last", "-i", "kept.model", status=2)
        self.fails("expected neither -i nor", "train", rows, "--batch", "last", "-o", "x", "--checkpoint-every", 5,
                   status=2)
        self.fails("No such file", "train", rows, "--holdout", "nothing.txt")
        self.fails("no rows", "train", rows, "--holdout", "empty.txt", "--quiet")
        for part in ("0", "1", "1.5", "-0.1"):
            self.fails("between 0 and 1", "train", rows, f"--holdout={part}", status=2)
        self.fails("expected at least one to learn", "train", rows, "--holdout", 0.001)

    def test_damaged_files(self):
        rows = self.generate("blobs", 60)
        self.alder("train", rows, "--batch", "average", "-o", "kept.model", "--quiet")
        whole = self.read("kept.model")
        for at in range(0, len(whole), max(1, len(whole) // 40)):
            self.write("bad.model", whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            self.alder("predict", "bad.model", rows, status=1)
            self.write("short.model", whole[:at])
            self.alder("predict", "short.model", rows, status=1)


if __name__ == "__main__":
    unittest.main()
