"""Where results go: files that must not be overwritten, files that cannot be written, what is said of them."""
import json
import os
import shutil
import signal
import subprocess
import threading
import unittest

from program import ALDER, ProgramTest


class OutputTest(ProgramTest):
    def setUp(self):
        super().setUp()
        os.rename(self.folder / self.generate("rings", 600), self.folder / "rows")
        self.alder("train", "rows", "-o", "model", "--quiet")
        self.alder("scale", "rows", "-o", "scaled", "--save-params", "params")
        os.link(self.folder / "rows", self.folder / "hard-rows")
        os.symlink("rows", self.folder / "soft-rows")
        os.link(self.folder / "model", self.folder / "hard-model")
        os.symlink("hard-model", self.folder / "soft-model")
        self.before = self.content()

    def content(self):
        return {name: (self.read(name), os.stat(self.folder / name).st_ino) for name in os.listdir(self.folder)
                if (self.folder / name).exists()}

    def shell(self, command, status):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              env={**os.environ, "ALDER": ALDER})
        self.assertEqual(done.returncode, status, (command, done.stdout, done.stderr))
        return done


class SameFile(OutputTest):
    def refused(self, *arguments):
        done = self.alder(*arguments, status=2)
        self.assertIn(" is the same file as ", done.stderr, arguments)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
        self.assertEqual(self.content(), self.before, arguments)
        return done.stderr

    def test_an_output_that_is_an_input_is_refused_and_nothing_is_written(self):
        for rows in ("rows", "./rows", "hard-rows", "soft-rows"):
            self.refused("train", "rows", "-o", rows)
            self.refused("train", "rows", "--trace", rows)
            self.refused("train", "scaled", rows, "-o", "rows")
            self.refused("train", "scaled", "--holdout", rows, "--trace", "rows")
            self.refused("train", "scaled", "--holdout", rows, "-o", "rows")
            self.refused("predict", "model", "rows", "-o", rows)
            self.refused("scale", "rows", "-o", rows)
            self.refused("scale", "rows", "--save-params", rows)
        for model in ("model", "hard-model", "soft-model"):
            self.refused("train", "rows", "-i", "model", "--trace", model)
            self.refused("predict", "model", "rows", "-o", model)
        self.refused("scale", "rows", "--params", "params", "-o", "params")

    def test_the_message_says_what_is_the_same_and_what_was_expected(self):
        self.assertEqual(self.refused("train", "rows", "--trace", "soft-rows"),
                         "alder: --trace soft-rows is the same file as the input rows, which writing would destroy; "
                         "expected another file to write to\n")

    def test_two_outputs_that_are_one_file_are_refused(self):
        os.symlink("none", self.folder / "soft-none")  # leads nowhere yet
        for one, other in (("new", "new"), ("new", "./new"), ("none", "soft-none"), ("model", "hard-model")):
            for arguments in (("train", "rows", "-o", one, "--trace", other),
                              ("scale", "rows", "-o", one, "--save-params", other)):
                error = self.alder(*arguments, status=2).stderr
                self.assertIn("is the same file as", error)
                self.assertIn("expected a file for each", error)
                self.assertEqual(self.content(), self.before)

    def test_standard_input_and_output_count(self):
        for command in ("train - --trace rows < rows", "train - -o hard-rows < rows",
                        "train /dev/stdin --trace rows < rows", "predict model - -o rows < rows", "predict model rows >> rows", "predict model rows >> model",
                        "scale - --params params -o rows < rows", "scale rows >> rows", "train rows --json >> rows",
                        "tune rows --learner fogd --json >> rows", "regret rows --json >> rows",
                        "diagnose rows --json >> rows", "train rows --json -o model >> model"):
            self.assertIn(" is the same file as ", self.shell(f'"$ALDER" {command}', 2).stderr)
            self.assertEqual(self.content(), self.before, command)

    def test_a_bench_does_not_overwrite_its_suite_or_its_data(self):
        suite = {"name": "mini", "seed": 1, "data": {"rows": {"file": "rows"}},
                 "permutations": 1, "experiments": [{"learners": ["linear"]}]}
        self.write("mini.json", json.dumps(suite))
        self.before = self.content()
        for output in ("mini.json", "rows", "hard-rows"):
            self.refused("bench", "mini.json", "-o", output)

    def test_what_is_read_whole_may_be_replaced_whole(self):
        for model in ("model", "hard-model", "soft-model"):
            self.alder("train", "rows", "-i", "model", "-o", model, "--quiet")
            self.assertGreater(json.loads(self.alder("info", model, "--json").stdout)["rounds"], 600)
        self.alder("scale", "rows", "--params", "params", "--save-params", "params", "-o", "new")
        self.assertEqual((self.read("params"), self.read("new")), (self.before["params"][0], self.read("scaled")))

    def test_devices_may_be_named_twice(self):
        self.alder("train", "rows", "-o", "/dev/null", "--trace", "/dev/null", "--quiet")
        self.shell('"$ALDER" scale rows > /dev/null < /dev/null', 0)


class Unwritable(OutputTest):
    def error_before_reading(self, *arguments, program=ALDER, **options):
        """What the program says although its input neither has a row nor ends."""
        process = subprocess.Popen([program, *arguments], cwd=self.folder, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.kill)
        process.wait(timeout=30)
        out, error = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (1, ""), (arguments, error))
        return error

    def test_a_bad_output_is_noticed_before_the_first_row_is_read(self):
        os.mkdir(self.folder / "folder")
        os.symlink("loop", self.folder / "loop")
        os.symlink("no/x", self.folder / "soft-no")
        for path, reason in (("no/x", "No such file or directory"), ("folder", "Is a directory"),
                             ("rows/x", "Not a directory"), ("loop", "Too many levels of symbolic links"),
                             ("soft-no", "No such file or directory")):
            for arguments in (("train", "-", "-o", path), ("train", "-", "--trace", path),
                              ("train", "-", "--shuffle", "-o", path), ("predict", "model", "-", "-o", path),
                              ("scale", "-", "--params", "params", "-o", path),
                              ("scale", "-", "--params", "params", "--save-params", path),
                              ("generate", "rings", "-o", path)):
                self.assertEqual(self.error_before_reading(*arguments), f"alder: {path}: {reason}\n")

    def test_a_folder_that_must_not_be_written_to_is_noticed_as_well(self):
        os.chmod(self.folder, 0o755)
        shutil.copy(ALDER, self.folder / "alder")
        os.mkdir(self.folder / "closed")
        shutil.copy(self.folder / "rows", self.folder / "closed/rows")
        os.chmod(self.folder / "closed/rows", 0o444)
        os.chmod(self.folder / "closed", 0o555)
        # The rights of root have no limits.
        user = {"user": 65534} if os.geteuid() == 0 else {}
        for arguments in (("train", "-", "-o", "closed/x"), ("train", "-", "-o", "closed/rows"),
                          ("train", "-", "--trace", "closed/x"), ("train", "-", "--trace", "closed/rows"),
                          ("predict", "model", "-", "-o", "closed/x")):
            self.assertEqual(self.error_before_reading(*arguments, program=self.folder / "alder", **user),
                             f"alder: {arguments[-1]}: Permission denied\n")
        os.chmod(self.folder / "closed", 0o755)

    def test_a_bench_notices_it_before_its_first_run(self):
        for path, reason in (("no/x", "No such file or directory"), (".", "Is a directory")):
            self.assertIn(f"alder: {path}: {reason}", self.alder("bench", "quick", "-o", path, status=1).stderr)
        self.assertIn("standard output: Bad file descriptor", self.shell('"$ALDER" bench quick -o - >&-', 1).stderr)


class Saved(OutputTest):
    def test_two_processes_save_to_one_file_and_it_is_always_whole(self):
        command = [ALDER, "train", "rows", "-o", "new", "--checkpoint-every", "2", "--quiet"]
        self.alder(*command[1:])
        processes = [subprocess.Popen(command, cwd=self.folder, text=True, stderr=subprocess.PIPE) for _ in range(2)]
        looks = 0
        while any(process.poll() is None for process in processes) and looks < 10000:
            self.alder("info", "new")
            looks += 1
        for process in processes:
            self.assertEqual((process.communicate(timeout=120)[1], process.returncode), ("", 0))
        self.assertGreater(looks, 0)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".part")], [])

    def test_the_summary_and_the_json_say_where_the_model_is(self):
        done = self.alder("train", "rows", "-o", "new", "--json")
        self.assertRegex(done.stderr, r"\nmodel +saved in new\n")
        self.assertEqual(json.loads(done.stdout)["model"], "new")
        done = self.alder("train", "rows", "--json")
        self.assertNotIn("\nmodel ", done.stderr)
        self.assertIsNone(json.loads(done.stdout)["model"])

    def test_after_a_signal_too(self):
        for quiet in ([], ["--quiet"]):
            process = subprocess.Popen([ALDER, "train", "-", "-o", "new", "--trace", "trace", *quiet], cwd=self.folder,
                                       stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            alarm = threading.Timer(60, process.kill)
            alarm.start()
            process.stdin.write(self.read("rows").decode())
            process.stdin.flush()
            while not (self.folder / "trace").exists() or "256," not in self.read("trace").decode():
                if process.poll() is not None:
                    break
                process.stdin.write("+1 1:0.5\n" * 100)
                process.stdin.flush()
            process.send_signal(signal.SIGTERM)
            error = process.communicate(timeout=60)[1]
            alarm.cancel()
            self.assertEqual(process.returncode, 143, error)
            self.assertRegex(error, r"alder: stopped after \d+ rows; the model is saved in new\n")
            os.unlink(self.folder / "trace")

    def test_after_a_bad_row_too(self):
        self.write("bad", "+1 1:1\n-1 1:2\n+1 1:x\n")
        error = self.alder("train", "bad", "--quiet", "-o", "new", status=1).stderr
        self.assertTrue(error.startswith("alder: bad:3: "), error)
        self.assertTrue(error.endswith("; the model of the 2 rows before is saved in new\n"), error)
        self.assertNotIn("saved", self.alder("train", "bad", "--quiet", status=1).stderr)
        error = self.alder("train", "bad", "--quiet", "-o", "/dev/full", status=1).stderr
        self.assertTrue(error.startswith("alder: bad:3: "), error)
        self.assertIn("; the model of the 2 rows before is lost: /dev/full: No space left on device\n", error)

    def test_after_an_error_of_another_file_too(self):
        self.write("bad", "+1 1:1\n-1 x\n")
        for arguments in (("--holdout", "bad"), ("--trace", "/dev/full"), ("--trace", "/dev/full", "--shuffle")):
            error = self.alder("train", "rows", "--quiet", "-o", "new", *arguments, status=1).stderr
            self.assertRegex(error, r"; the model of the \d+ rows before is saved in new\n")
            self.assertGreater(json.loads(self.alder("info", "new", "--json").stdout)["rounds"], 0)
            os.unlink(self.folder / "new")


if __name__ == "__main__":
    unittest.main()
