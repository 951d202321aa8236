"""alder predict, info and scale; model files that Python opens by itself; damaged ones."""
import json
import random
import struct
import unittest

from program import ProgramTest


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        self.rows = self.generate("rings", 2000)
        self.test_rows = self.generate("rings", 500, seed=2)
        self.alder("train", self.rows, "--learner", "pomdr", "--sigma", "0.5", "-o", "model", "--quiet")

    def test_one_line_a_row_and_the_accuracy(self):
        done = self.alder("predict", "model", self.test_rows)
        lines = done.stdout.splitlines()
        labels = [line.split()[0] for line in self.read(self.test_rows).decode().splitlines()]
        right = sum(line == label for line, label in zip(lines, labels))
        self.assertEqual(len(lines), 500)
        self.assertIn(f"{right} of 500 labelled rows are right", done.stderr)
        self.assertGreater(right, 450)

    def test_scores_have_the_sign_of_the_class(self):
        classes = self.alder("predict", "model", self.test_rows).stdout.split()
        scores = self.alder("predict", "model", self.test_rows, "--scores", "-o", "scores").stdout
        self.assertEqual(scores, "")
        scores = [float(line) for line in self.read("scores").decode().split()]
        self.assertEqual(classes, ["+1" if score >= 0 else "-1" for score in scores])

    def test_labels_may_be_absent(self):
        text = "".join("? " + line.split(" ", 1)[1] for line in self.read(self.test_rows).decode().splitlines(keepends=True))
        done = self.alder("predict", "model", "-", stdin=text)
        self.assertEqual(len(done.stdout.splitlines()), 500)
        self.assertNotIn("accuracy", done.stderr)

    def test_scaling_and_classes_are_part_of_the_model(self):
        text = "a,b,kind\n" + "".join(f"{1000 * (i % 7)},{i % 3},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(700))
        self.write("rows.csv", text)
        self.alder("train", "rows.csv", "--scale", "standard", "-o", "scaled", "--quiet")
        done = self.alder("predict", "scaled", "rows.csv")
        self.assertEqual(set(done.stdout.split()), {"no", "yes"})
        self.assertIn("accuracy 100.00%", done.stderr)
        info = json.loads(self.alder("info", "scaled", "--json").stdout)
        self.assertEqual((info["scaling"], info["classes"]), ("standard", [{"name": "no", "number": 0}, {"name": "yes", "number": 1}]))


class Info(ProgramTest):
    def test_says_what_is_inside(self):
        rows = self.generate("checkerboard", 2000)
        trained = self.train_json(rows, "--learner", "pomdr", "--sigma", "0.1", "-o", "model")
        info = json.loads(self.alder("info", "model", "--json").stdout)
        self.assertEqual((info["learner"], info["rounds"], info["mistakes"]), ("pomdr", 2000, trained["mistakes"]))
        self.assertEqual(info["options"]["kernel"]["name"], "gaussian")
        self.assertEqual(info["bytes"], len(self.read("model")))
        text = self.alder("info", "model").stdout
        for words in ("checksum", info["checksum"], "gaussian, sigma 0.1", "2000", "support set"):
            self.assertIn(words, text)


class ModelFile(ProgramTest):
    def setUp(self):
        super().setUp()
        rows = self.generate("checkerboard", 1000)
        self.alder("train", rows, "--learner", "pomdr", "--sigma", "0.1", "-o", "model", "--quiet")
        self.bytes = self.read("model")

    def test_python_opens_it_without_this_project(self):
        (length,) = struct.unpack_from("<Q", self.bytes)
        header = json.loads(self.bytes[8:8 + length])
        data = self.bytes[8 + length:]
        metadata = header.pop("__metadata__")
        settings = json.loads(metadata["settings"])
        self.assertEqual((metadata["format"], settings["learner"]), ("alder", "pomdr"))
        self.assertEqual(settings["state"]["rounds"], 1000)
        end = 0
        for entry in header.values():
            self.assertEqual(entry["data_offsets"][0], end)
            end = entry["data_offsets"][1]
            size = 8 if entry["dtype"] in ("F64", "U64") else 4
            self.assertEqual(end - entry["data_offsets"][0], size * entry["shape"][0])
        self.assertEqual(end, len(data))
        # The CRC-64 of ECMA-182, reflected, with the digits of the checksum taken as zeros.
        digits = self.bytes.index(b'"checksum":"') + 12
        crc = 0xFFFFFFFFFFFFFFFF
        for byte in self.bytes[:digits] + b"0" * 16 + self.bytes[digits + 16:]:
            crc ^= byte
            for _ in range(8):
                crc = (crc >> 1) ^ (0xC96C5795D7870F42 if crc & 1 else 0)
        self.assertEqual(metadata["checksum"], f"{crc ^ 0xFFFFFFFFFFFFFFFF:016x}")

    def test_damage_is_one_line_and_no_crash(self):
        chance = random.Random(1)
        for _ in range(40):
            damaged = bytearray(self.bytes)
            if chance.random() < 0.5:
                damaged = damaged[:chance.randrange(len(damaged))]
            else:
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            self.write("damaged", bytes(damaged))
            error = self.alder("info", "damaged", status=1).stderr
            self.assertTrue(error.startswith("alder: damaged: "), error)
            self.assertEqual(error.count("\n"), 1)

    def test_a_newer_format_is_named(self):
        self.write("newer", self.bytes.replace(b'"format_version":"2"', b'"format_version":"3"'))
        self.assertIn("a model of format version 3, written by alder", self.alder("info", "newer", status=1).stderr)


class Scale(ProgramTest):
    def test_minmax_and_its_reuse_on_another_file(self):
        self.write("a", "+1 1:0 2:10\n-1 1:4 2:30\n+1 1:1 2:20\n")
        self.write("b", "+1 1:2 2:40\n")
        self.alder("scale", "a", "-o", "scaled", "--save-params", "params")
        self.assertEqual(self.read("scaled"), b"+1\n-1 1:1 2:1\n+1 1:0.25 2:0.5\n")
        self.assertEqual(self.alder("scale", "b", "--params", "params").stdout, "+1 1:0.5 2:1.5\n")
        piped = self.alder("scale", "-", "--params", "params", stdin="1 1:2 2:40\n").stdout
        self.assertEqual(piped.split()[1:], ["1:0.5", "2:1.5"])

    def test_standard(self):
        self.write("a", "+1 1:1\n-1 1:3\n")
        self.assertEqual(self.alder("scale", "a", "--method", "standard").stdout, "+1 1:-1\n-1 1:1\n")


if __name__ == "__main__":
    unittest.main()
