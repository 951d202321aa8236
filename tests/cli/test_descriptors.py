"""Standard input, output and error that are closed or full: the run goes on, and its results are kept or an error."""
import json
import os
import resource
import signal
import subprocess
import unittest

from program import ALDER, ProgramTest


class Descriptors(ProgramTest):
    def shell(self, command):
        """Runs a command of bash in which $ALDER is the program; returns how it ended."""
        return subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL, env={**os.environ, "ALDER": ALDER})

    def rounds(self, model):
        return json.loads(self.alder("info", model, "--json").stdout)["rounds"]

    def test_a_standard_error_that_takes_nothing_loses_no_model(self):
        rows = self.generate("rings", 3000)
        for number, end in enumerate(("2>/dev/full", "2>&-", "2>&1 | head -n 1; exit ${PIPESTATUS[0]}")):
            done = self.shell(f'"$ALDER" train {rows} -o model{number} --scale online {end}')
            self.assertEqual(done.returncode, 0, (end, done.stderr))
            self.assertEqual(self.rounds(f"model{number}"), 3000)

    def test_every_verb_goes_on_without_a_standard_error(self):
        rows = self.generate("rings", 300)
        self.alder("train", rows, "-o", "model", "--quiet")
        self.write("bad", self.read(rows) + b"+1 x\n")
        for verb in (f"predict model {rows}", f"tune {rows} --learner fogd --frequencies 10 --json",
                     f"regret {rows} --json", f"diagnose {rows} --sigma 0.5 --json", "bench quick --show",
                     f"train {rows} --repeat 2 --json", "train bad --skip-bad 1 --json"):
            for end in ("2>/dev/full", "2>&-"):
                done = self.shell(f'"$ALDER" {verb} {end}')
                self.assertEqual(done.returncode, 0, (verb, end, done.stderr))
                self.assertNotEqual(done.stdout, "")

    def test_errors_end_with_their_status_also_when_they_cannot_be_told(self):
        for verb, status in (("train none", 1), ("train", 2), ("nothing", 2), ("--nothing", 2)):
            for end in ("2>/dev/full", "2>&-"):
                self.assertEqual(self.shell(f'"$ALDER" {verb} {end}').returncode, status, (verb, end))

    def test_a_standard_output_that_takes_nothing_is_an_error(self):
        rows = self.generate("rings", 300)
        self.alder("train", rows, "-o", "model", "--quiet")
        for verb in ("--help", "train --help", "--version", "learners", "info model", f"predict model {rows}",
                     "generate rings", f"scale {rows}", f"train {rows} --json --quiet", "bench quick --show"):
            for end, reason in (("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
                done = self.shell(f'"$ALDER" {verb} {end}')
                self.assertEqual((done.returncode, done.stdout), (1, ""), (verb, end, done.stderr))
                self.assertEqual(done.stderr.splitlines()[-1], f"alder: standard output: {reason}", verb)

    def test_a_standard_input_that_is_closed_is_an_error(self):
        for verb in ("train -", "train - -o model --trace trace", "tune -"):
            done = self.shell(f'"$ALDER" {verb} <&-')
            self.assertEqual(done.returncode, 1, verb)
            self.assertEqual(done.stderr.splitlines()[-1], "alder: standard input: Bad file descriptor")

    def test_messages_do_not_get_into_files(self):
        rows = self.generate("rings", 300)
        self.alder("train", rows, "--trace", "trace", "-o", "model")
        for closed in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            done = self.shell(f'"$ALDER" train {rows} --trace trace-closed -o model-closed {closed}')
            self.assertEqual(done.returncode, 0, closed)
            self.assertEqual(self.read("trace-closed"), self.read("trace"), closed)
            self.assertEqual(self.read("model-closed"), self.read("model"), closed)

    def test_a_limit_on_the_size_of_files_is_like_a_full_disk(self):
        rows = self.generate("rings", 3000)
        self.alder("train", rows, "-o", "model", "--quiet", "--limit", 10)
        before = self.read("model")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

        for arguments, file in ((("train", rows, "-o", "model", "--quiet"), "model"),
                                (("train", rows, "--trace", "trace", "--quiet"), "trace"),
                                (("scale", rows, "-o", "scaled"), "scaled")):
            done = subprocess.run([ALDER, *arguments], cwd=self.folder, text=True, capture_output=True, timeout=120,
                                  preexec_fn=limit)
            self.assertEqual((done.returncode, done.stderr), (1, f"alder: {file}: File too large\n"))
        self.assertEqual(self.read("model"), before)
        self.assertEqual(set(os.listdir(self.folder)), {"model", "trace", "scaled", rows})


if __name__ == "__main__":
    unittest.main()
