"""A reader of standard output that goes away ends the program without a message, and loses no model."""
import json
import os
import subprocess
import unittest

from program import ALDER, ProgramTest, default_signals


class Pipes(ProgramTest):
    def without_reader(self, *arguments):
        """Runs the program with a standard output whose reader has gone; returns its status and standard error."""
        read, write = os.pipe()
        os.close(read)
        try:
            done = subprocess.run([ALDER, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=write,
                                  stderr=subprocess.PIPE, text=True, timeout=100, preexec_fn=default_signals)
        finally:
            os.close(write)
        return done.returncode, done.stderr

    def rounds(self, model):
        return json.loads(self.alder("info", model, "--json").stdout)["rounds"]

    def test_head_ends_what_writes_much(self):
        rows = self.generate("rings", 20000)
        self.alder("train", rows, "-o", "model", "--quiet", "--limit", 500)
        for command in ("generate rings -n 300000", f"predict model {rows} --scores", f"predict model {rows} --json",
                        f"scale {rows}", f"train {rows} --trace - --quiet"):
            done = subprocess.run(f"'{ALDER}' {command} | head -n 1; exit ${{PIPESTATUS[0]}}", shell=True, text=True,
                                  executable="/bin/bash", cwd=self.folder, capture_output=True, timeout=100)
            self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (141, "", 1), command)

    def test_every_verb_ends_without_a_message(self):
        rows = self.generate("rings", 300)
        self.alder("train", rows, "-o", "model", "--quiet")
        for arguments in (["--help"], ["help", "train"], ["--version"], ["learners"], ["info", "model"],
                          ["info", "model", "--json"], ["generate", "rings"], ["scale", rows],
                          ["predict", "model", rows], ["predict", "model", rows, "--json"],
                          ["train", rows, "--json", "--quiet"], ["regret", rows, "--json", "--quiet"],
                          ["tune", rows, "--learner", "linear", "--json", "--quiet"],
                          ["diagnose", rows, "--sigma", 1, "--json", "--quiet"], ["bench", "quick", "--show"],
                          ["bench", "quick", "-o", "-", "--quiet"]):
            self.assertEqual(self.without_reader(*arguments), (141, ""), arguments)

    def test_the_model_is_saved(self):
        rows = self.generate("rings", 3000)
        self.assertEqual(self.without_reader("train", rows, "--json", "--quiet", "-o", "model"), (141, ""))
        self.assertEqual(self.rounds("model"), 3000)
        # The trace is given up, the training is not.
        status, error = self.without_reader("train", rows, "--trace", "-", "-o", "traced")
        self.assertEqual((status, self.rounds("traced")), (0, 3000))
        self.assertRegex(error, r"\nmodel +saved in traced\n$")
        self.assertEqual(self.read("model"), self.read("traced"))

    def test_another_file_whose_reader_goes_is_an_error(self):
        os.mkfifo(self.folder / "pipe")
        reader = subprocess.Popen(["head", "-c", "1", "pipe"], cwd=self.folder, stdout=subprocess.DEVNULL)
        self.addCleanup(reader.wait)
        done = self.alder("generate", "rings", "-n", 300000, "-o", "pipe", status=1)
        self.assertEqual(done.stderr, "alder: pipe: Broken pipe\n")


if __name__ == "__main__":
    unittest.main()
