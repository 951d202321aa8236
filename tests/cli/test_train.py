"""alder train: options, input, what it prints, where models go."""
import csv
import gzip
import json
import lzma
import random
import unittest

from program import ProgramTest

JSON_FIELDS = """learner kernel sigma gamma precision seed examples features mistakes mistake_rate hinge_loss
support_vectors budget switch_round removals sum_delta seconds read_seconds rows_per_second peak_rss_bytes
model_bytes""".split()

LEARNERS = "alder pomdr ogd bogd fogd nogd skegd bao2ks projectron projectron++ pegasos perceptron linear".split()


class NoOptions(ProgramTest):
    """`alder train FILE`, and nothing else."""

    def test_says_what_was_chosen_and_why(self):
        done = self.alder("train", self.generate("checkerboard", 6000))
        self.assertIn("learner       alder, float", done.stderr)
        self.assertRegex(done.stderr, r"kernel        (gaussian|laplacian-l1), sigma [0-9.]+, chosen by itself")
        self.assertRegex(done.stderr, r"metric        .*; chosen by itself")
        self.assertRegex(done.stderr, r"race          \d+ candidates tried; ")
        self.assertRegex(done.stderr, r"forgets       ")

    def test_the_race_is_in_the_model_and_its_description(self):
        rows = self.generate("checkerboard", 6000)
        trained = self.train_json(rows, "-o", "model")
        self.assertEqual((trained["learner"], trained["kernel"], len(trained["race"])), ("alder", trained["metric"]["kernel"], 2))
        self.assertIn(trained["sigma"], [runner["sigma"] for runner in trained["race"]])
        self.assertGreater(trained["tried"], 10)
        info = json.loads(self.alder("info", "model", "--json").stdout)
        self.assertEqual((info["chosen_sigma"], info["race"]), (trained["sigma"], trained["race"]))
        self.assertRegex(self.alder("info", "model").stdout, r"chosen by itself\n(.*\n)+that matter   feature [12] \d+.\d%, feature")
        self.assertAlmostEqual(sum(one["share"] for one in info["importances"]), 1.0)

    def test_going_on_from_a_model_is_never_having_stopped(self):
        text = self.read(self.generate("checkerboard", 5000)).decode().splitlines(keepends=True)
        self.alder("train", "-", "-o", "whole", "--quiet", stdin="".join(text))
        for split in (1, 31, 32, 33, 700, 4500):
            self.alder("train", "-", "-o", "half", "--quiet", stdin="".join(text[:split]))
            self.alder("train", "-", "-i", "half", "-o", "half", "--quiet", stdin="".join(text[split:]))
            self.assertEqual(self.read("half"), self.read("whole"), split)

    def test_a_width_that_is_given_is_taken(self):
        trained = self.train_json(self.generate("rings", 300), "--sigma", 0.5)
        self.assertEqual((trained["learner"], trained["sigma"], trained["race"]), ("alder", 0.5, []))

    def test_scales_by_the_first_rows_when_asked(self):
        rows = self.read(self.generate("rings", 3000)).decode()
        wide = "".join(f"{label} 1:{float(a[2:]) * 1e4 + 7e5} {b}\n" for label, a, b in map(str.split, rows.splitlines()))
        (self.folder / "wide").write_text(wide)
        plain = self.train_json("wide")
        scaled = self.train_json("wide", "--scale", "online", "-o", "model")
        for trained in (plain, scaled):  # it needs no scaling, and takes it
            self.assertLess(trained["mistake_rate"], 0.05)
        self.assertEqual(json.loads(self.alder("info", "model", "--json").stdout)["options"]["scale"], "online")
        self.assertIn("accuracy 99", self.alder("predict", "model", "wide").stderr)
        shuffled = self.train_json("wide", "--scale", "online", "--shuffle")
        self.assertLess(shuffled["mistake_rate"], 0.05)
        others = [self.train_json("wide", "--learner", "pomdr", *more)["mistake_rate"] for more in ([], ["--scale", "online"])]
        self.assertLess(others[1], 0.5 * others[0])


class Train(ProgramTest):
    def test_json_is_one_object_with_all_fields(self):
        rows = self.generate("rings", 3000)
        result = self.train_json(rows, "--sigma", "0.5")
        for field in JSON_FIELDS:
            self.assertIn(field, result)
        self.assertEqual((result["examples"], result["features"], result["sigma"], result["gamma"]), (3000, 2, 0.5, 2.0))
        self.assertIsNone(result["switch_round"])
        self.assertLess(result["mistake_rate"], 0.05)
        self.assertEqual(result["mistake_rate"], result["mistakes"] / 3000)

    def test_compressed_piped_and_split_input_give_the_same_result(self):
        rows = self.generate("blobs", 2000)
        text = self.read(rows)
        half = text.index(b"\n", len(text) // 2) + 1
        self.write("rows.gz", gzip.compress(text))
        self.write("rows.xz", lzma.compress(text))
        self.write("a", text[:half])
        self.write("b", gzip.compress(text[half:]))
        plain = self.train_json(rows, "--sigma", 1)
        same = ("examples", "mistakes", "hinge_loss", "sum_delta", "support_vectors")
        for arguments, stdin in ((["rows.gz"], ""), (["rows.xz"], ""), (["a", "b"], ""), (["-"], text.decode())):
            other = self.train_json(*arguments, "--sigma", 1, stdin=stdin)
            self.assertEqual([plain[key] for key in same], [other[key] for key in same], arguments)

    def test_csv_and_libsvm_of_the_same_rows_give_the_same_result(self):
        rows = self.generate("blobs", 1000)
        lines = [line.split() for line in self.read(rows).decode().splitlines()]
        with open(self.folder / "rows.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([f"f{j}" for j in range(8)] + ["class"])
            for label, *features in lines:
                values = {int(f.split(":")[0]): f.split(":")[1] for f in features}
                writer.writerow([values.get(j + 1, 0) for j in range(8)] + ["good" if label == "+1" else "bad"])
        libsvm = self.train_json(rows, "--sigma", 1)
        table = self.train_json("rows.csv", "--sigma", 1, "--labels", "bad,good")
        for key in ("examples", "mistakes", "hinge_loss", "features"):
            self.assertEqual(libsvm[key], table[key])
        self.assertEqual(table["classes"], ["bad", "good"])

    def test_labels_of_any_kind(self):
        rows = self.read(self.generate("rings", 500)).decode()
        plain = self.train_json("-", "--sigma", 0.5, stdin=rows)
        for negative, positive in (("0", "1"), ("1", "2"), ("ham", "spam")):
            text = rows.replace("-1 ", "NEGATIVE ").replace("+1 ", f"{positive} ").replace("NEGATIVE", negative)
            other = self.train_json("-", "--sigma", 0.5, stdin=text)
            self.assertEqual(plain["mistakes"], other["mistakes"])
            self.assertEqual(other["classes"], [negative, positive])

    def test_width_is_half_the_median_distance(self):
        # Points 0, 1, 2, 3 on a line, again and again: of their distances 0, 1, 2 and 3 the median is 1.
        done = self.alder("train", "-", "--learner", "pomdr", stdin="+1 1:0\n-1 1:1\n+1 1:2\n-1 1:3\n" * 200)
        self.assertIn("gaussian, sigma 0.5", done.stderr)

    def test_shuffle_repeat_and_scale_read_the_file_whole(self):
        rows = self.generate("checkerboard", 2000)
        result = self.train_json(rows, "--learner", "pomdr", "--repeat", 4, "--seed", 7, "--scale", "minmax")
        self.assertEqual(result["options"]["horizon"], 2000)
        self.assertEqual([run["seed"] for run in result["runs"]], [7, 8, 9, 10])
        rates = [run["mistake_rate"] for run in result["runs"]]
        mean = sum(rates) / 4
        deviation = (sum((rate - mean) ** 2 for rate in rates) / 3) ** 0.5
        self.assertAlmostEqual(result["mistake_rate_mean"], mean)
        self.assertAlmostEqual(result["mistake_rate_std"], deviation)
        for field in ("seconds_mean", "switch_round_mean", "sum_delta_mean"):
            self.assertIn(field, result)
        again = self.train_json(rows, "--learner", "pomdr", "--repeat", 4, "--seed", 7, "--scale", "minmax")
        self.assertEqual(rates, [run["mistake_rate"] for run in again["runs"]])
        shuffled = self.train_json(rows, "--learner", "pomdr", "--shuffle", "--seed", 8, "--scale", "minmax")
        self.assertEqual(shuffled["mistake_rate"], rates[1])

    def test_trace_has_a_line_a_round(self):
        rows = self.generate("rings", 300)
        self.alder("train", rows, "--sigma", 0.5, "--trace", "trace.csv", "--quiet")
        with open(self.folder / "trace.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(list(lines[0]), ["round", "label", "score", "lambda", "size", "norm"])
        self.assertEqual([int(line["round"]) for line in lines], list(range(1, 301)))
        # Of the first row nothing can be predicted, which counts as a mistake.
        mistakes = 1 + sum((float(line["score"]) >= 0) != (line["label"] == "1") for line in lines[1:])
        self.assertEqual(mistakes, self.train_json(rows, "--sigma", 0.5)["mistakes"])

    def test_limit(self):
        self.assertEqual(self.train_json(self.generate("rings", 300), "--limit", 77)["examples"], 77)

    def test_output_for_people_is_plain_text_and_quiet_is_quiet(self):
        rows = self.generate("checkerboard", 3000)
        done = self.alder("train", rows, "--learner", "pomdr", "--sigma", "0.1")
        self.assertEqual(done.stdout, "")
        self.assertNotIn("\033", done.stderr)
        self.assertIn("    2048 ", done.stderr)
        self.assertIn("to phase 2    at round t̄ = ", done.stderr)
        quiet = self.alder("train", rows, "--sigma", "0.1", "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))

    def test_going_on_from_a_model_is_never_having_stopped(self):
        text = self.read(self.generate("checkerboard", 4000)).decode().splitlines(keepends=True)
        options = ["--learner", "pomdr", "--sigma", "0.1", "--horizon", "4000"]
        self.alder("train", "-", *options, "-o", "whole", "--quiet", stdin="".join(text))
        for split in (1, 57, 400, 1999, 3999):
            self.alder("train", "-", *options, "-o", "half", "--quiet", stdin="".join(text[:split]))
            self.alder("train", "-", "-i", "half", "-o", "half", "--quiet", stdin="".join(text[split:]))
            self.assertEqual(self.read("half"), self.read("whole"), split)

    def test_every_learner_learns_is_saved_and_goes_on(self):
        rows = self.generate("rings", 1500)
        text = self.read(rows).decode().splitlines(keepends=True)
        for name in LEARNERS:
            with self.subTest(name):
                options = ["--learner", name] + ([] if name == "linear" else ["--sigma", "0.5"])
                result = self.train_json(rows, *options, "-o", "whole")
                self.assertEqual((result["learner"], result["examples"]), (name, 1500))
                self.assertLess(result["mistake_rate"], 0.6 if name == "linear" else 0.15)
                self.alder("train", "-", *options, "-o", "half", "--quiet", stdin="".join(text[:700]))
                self.alder("train", "-", "-i", "half", "-o", "half", "--quiet", stdin="".join(text[700:]))
                self.assertEqual(self.read("half"), self.read("whole"))
                self.assertIn("accuracy", self.alder("predict", "half", rows).stderr)
                info = self.alder("info", "half").stdout
                self.assertIn(f"learner       {name}\n", info)
                self.assertIn(f"{name}, float", self.alder("train", rows, *options).stderr)

    def test_learners_that_draw_follow_the_seed(self):
        rows = self.generate("checkerboard", 2000)
        for name in ("bogd", "fogd", "skegd", "bao2ks"):
            with self.subTest(name):
                options = [rows, "--learner", name, "--sigma", "0.1"] + ([] if name == "fogd" else ["--budget", "50"])
                runs = [self.train_json(*options, "--seed", seed)["hinge_loss"] for seed in (1, 1, 2)]
                self.assertEqual(runs[0], runs[1])
                self.assertNotEqual(runs[0], runs[2])

    def test_learners_are_listed_with_their_options(self):
        listed = self.alder("learners").stdout
        for name in LEARNERS:
            self.assertIn(f"\n{name} ", "\n" + listed)
        help_of_fogd = self.alder("train", "--learner", "fogd", "--help").stdout
        self.assertIn("--frequencies N [400]", help_of_fogd)
        self.assertNotIn("--window", help_of_fogd)

    def test_help_fits_a_screen(self):
        for verb in ([], ["train"], ["predict"], ["info"], ["learners"], ["generate"], ["scale"],
                     *(["train", "--learner", name] for name in LEARNERS)):
            lines = self.alder(*verb, "--help").stdout.splitlines()
            self.assertLess(len(lines), 60, verb)
            self.assertLess(max(map(len, lines)), 140, verb)


class WrongUsage(ProgramTest):
    def test_ends_with_2_and_says_what_was_expected(self):
        rows = self.generate("rings", 10)
        for arguments, words in (
                ([], "alder: expected a verb; `alder help` lists them\n"),
                (["trian"], "unknown verb trian; expected train, predict, explain, info, learners, generate, scale"),
                (["train"], "DATA is required"),
                (["train", rows, "--sgima", "1"], "--sgima"),
                (["train", rows, "--sigma", "wide"], "--sigma is wide; expected a number or auto"),
                (["train", rows, "--learner", "pomdr", "--horizon", "1e6"],
                 "--horizon is 1e6; expected a whole number or auto"),
                (["train", rows, "--budget", "-4"], "--budget is -4; expected a whole number"),
                (["train", rows, "--learner", "pomdr", "--radius", "nan"], "--radius is nan; expected a number"),
                (["train", rows, "--precision", "half"], "--precision is half; expected float or double"),
                (["train", rows, "--learner", "linear", "--sigma", "1"], "linear has no --sigma"),
                (["train", rows, "--learner", "fogd", "--window", "1"], "fogd has no --window"),
                (["train", rows, "--kernel", "rbf"], "rbf"),
                (["train", rows, "--step", "1"], "alder has no --step"),
                (["train", rows, "--repeat", "2", "-o", "m"], "--repeat measures several runs"),
                (["train", rows, "--checkpoint-every", "5"], "expected -o with it"),
                (["train", rows, "--sigma", "1", "--gamma", "1"], "--gamma"),
                (["train", rows, "--labels", "one"], "--labels is one; expected two names"),
                (["scale", "-"], "scale reads its input twice")):
            done = self.alder(*arguments, status=2)
            self.assertIn(words, done.stderr, arguments)
            self.assertEqual(done.stdout, "")

    def test_options_that_contradict_the_paper_end_with_1(self):
        rows = self.generate("rings", 10)
        for arguments, words in ((["--budget", "401"], "expected an even number"), (["--sigma", "0"], "sigma is 0"),
                                 (["--b0", "400"], "expected more than b0 = 400"), (["--zeta", "2"], "zeta is 2"),
                                 (["--horizon", "0"], "horizon is 0"), (["--radius", "0"], "radius is 0"),
                                 (["--learner", "fogd", "--kernel", "linear"], "expected gaussian or laplacian")):
            learner = [] if "--learner" in arguments else ["--learner", "pomdr"]
            self.assertIn(words, self.alder("train", rows, *learner, *arguments, status=1).stderr)


class Failures(ProgramTest):
    def one_line(self, *arguments, stdin=""):
        done = self.alder(*arguments, status=1, stdin=stdin)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr.rstrip("\n")

    def test_files_that_cannot_be_read_or_written(self):
        rows = self.generate("rings", 10)
        self.assertEqual(self.one_line("train", "none", "--quiet"), "alder: none: No such file or directory")
        self.assertEqual(self.one_line("train", ".", "--quiet"), "alder: .: Is a directory")
        self.assertEqual(self.one_line("train", rows, "--quiet", "-o", "no/model"),
                         "alder: no/model: No such file or directory")
        self.assertEqual(self.one_line("train", rows, "--quiet", "-o", "/dev/full"),
                         "alder: /dev/full: No space left on device")
        self.assertEqual(self.one_line("train", rows, "--quiet", "--trace", "/dev/full"),
                         "alder: /dev/full: No space left on device")
        self.assertEqual(self.one_line("generate", "rings", "-o", "/dev/full"), "alder: /dev/full: No space left on device")
        self.assertEqual(self.one_line("predict", rows, rows),
                         f"alder: {rows}: not a sound alder model: it begins as a text does")
        self.assertIn("no rows in it", self.one_line("train", self.write("empty", ""), "--quiet"))

    def test_a_bad_row_stops_with_its_line(self):
        self.write("bad", "+1 1:1\n-1 1:2\n+1 1:x\n")
        self.assertTrue(self.one_line("train", "bad", "--quiet").startswith("alder: bad:3: "))
        self.write("nan", "+1 1:1\n-1 1:nan\n")
        self.assertTrue(self.one_line("train", "nan", "--quiet").startswith("alder: nan:2: "))

    def test_a_value_that_a_float_cannot_hold_is_named_as_it_was_written(self):
        text = "+1 1:1 7:2\n# none\n-1 1:2 7:1e300\n+1 1:1\n-1 1:2\n"
        message = "value '1e300' of feature 7; expected a value in the range of float, or double precision"
        self.write("huge", text)
        for options in ([], ["--shuffle"], ["--repeat", 2], ["--learner", "linear"]):
            self.assertEqual(self.one_line("train", "huge", "--quiet", *options), f"alder: huge:3: {message}")
        self.assertEqual(self.one_line("regret", "huge", "--quiet"), f"alder: huge:3: {message}")
        self.write("large", text.replace("1e300", "1e100"))
        self.assertIn("large:3: value '1e100' of feature 7", self.one_line("train", "large", "--quiet"))
        self.alder("train", "large", "--quiet", "--precision", "double")
        self.alder("train", "huge", "--quiet", "--scale", "minmax")
        self.assertEqual(self.train_json("huge", "--skip-bad", 1)["examples"], 3)
        self.write("rows", text.replace("1e300", "1"))
        self.alder("train", "rows", "--quiet", "-o", "model")
        for verb in (["predict", "model", "huge"], ["train", "huge", "-i", "model", "--quiet"],
                     ["train", "rows", "--holdout", "huge", "--quiet"]):
            self.assertEqual(self.one_line(*verb), f"alder: huge:3: {message}")
        self.write("huge.csv", "low,high,kind\n1,2,no\n1,-1e39,yes\n")
        self.assertEqual(self.one_line("train", "huge.csv", "--quiet"), "alder: huge.csv:3: '-1e39' in column 2 'high'; "
                         "expected a value in the range of float, or double precision")

    def test_nul_bytes_are_no_text(self):
        self.write("nul", b"+1 1:1\n" + bytes(1000) + b"\n-1 1:2\n")
        self.assertEqual(self.one_line("train", "nul", "--quiet"), "alder: nul:2: a NUL byte; expected text")
        self.assertEqual(self.train_json("nul", "--skip-bad", 1)["examples"], 2)
        self.write("nul.csv", b"a,kind\n1,no\n2,y\0es\n")
        self.assertEqual(self.one_line("train", "nul.csv", "--quiet"), "alder: nul.csv:3: a NUL byte; expected text")

    def test_skip_bad_tolerates_and_reports(self):
        self.write("bad", "+1 1:1\n-1 1:x\n-1 1:2\n+1 2:3 1:3\n")
        done = self.alder("train", "bad", "--skip-bad", 2, "--json", "--quiet")
        self.assertEqual(json.loads(done.stdout)["examples"], 2)
        self.assertIn("2 bad rows were skipped", done.stderr)
        self.assertIn("bad:2: ", done.stderr)
        self.assertIn("bad:4: ", self.alder("train", "bad", "--skip-bad", 1, "--quiet", status=1).stderr)

    def test_what_was_learned_before_a_bad_row_is_saved(self):
        self.write("bad", "+1 1:1\n-1 1:2\n+1 1:x\n")
        self.alder("train", "bad", "--quiet", "-o", "model", status=1)
        self.assertEqual(json.loads(self.alder("info", "model", "--json").stdout)["rounds"], 2)

    def test_the_environment_chooses_the_instruction_set(self):
        rows = self.generate("blobs", 2000)
        error = self.alder("train", rows, status=1, env={"ALDER_INSTRUCTION_SET": "MMX"}).stderr
        self.assertIn("ALDER_INSTRUCTION_SET is 'MMX'; expected one that this machine has: ", error)
        names = error.strip().split(": ")[-1].split(", ")
        self.assertGreater(len(names), 1)
        best = self.train_json(rows, "--sigma", 1)
        for name in [*names, names[0].lower(), ""]:
            other = self.train_json(rows, "--sigma", 1, env={"ALDER_INSTRUCTION_SET": name})
            self.assertAlmostEqual(other["mistakes"], best["mistakes"], delta=20, msg=name)
            self.assertAlmostEqual(other["hinge_loss"] / best["hinge_loss"], 1, delta=0.02, msg=name)

    def test_two_million_features_cost_what_the_rows_hold(self):
        numbers = random.Random(1)
        rows = []
        for _ in range(3000):
            features = sorted(numbers.sample(range(1, 2_000_001), 100))
            rows.append(f"{numbers.choice('+-')}1 " + " ".join(f"{f}:{numbers.random():.3f}" for f in features))
        self.write("wide", "\n".join(rows))
        done = self.alder_in_a_gibibyte("train", "wide", "--sigma", "3", "--budget", "400", "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertGreaterEqual(result["support_vectors"], 200)
        self.assertLess(result["model_bytes"], 40e6)
        self.assertLess(result["peak_rss_bytes"], 200e6)

if __name__ == "__main__":
    unittest.main()
