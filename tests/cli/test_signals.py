"""Ctrl-C, kill, kill -9, pipes that close."""
import json
import os
import random
import signal
import subprocess
import time
import unittest

from program import ALDER, ProgramTest


class Signals(ProgramTest):
    def rows(self, count):
        return self.alder("generate", "rings", "-n", count).stdout

    def test_an_interrupt_saves_the_model_and_prints_the_summary(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            # The pipe stays open: the program waits for more rows when the signal comes.
            process = self.start("train", "-", "--sigma", "0.5", "-o", "model")
            process.stdin.write(self.rows(1000))
            process.stdin.flush()
            seen = ""
            while "512 " not in seen:
                seen = process.stderr.readline()
            time.sleep(0.2)
            process.send_signal(number)
            out, error = process.communicate(timeout=20)
            self.assertEqual(process.returncode, status, error)
            self.assertIn("support set", error)
            self.assertEqual(json.loads(self.alder("info", "model", "--json").stdout)["rounds"], 1000)
            (self.folder / "model").unlink()

    def test_signals_reach_the_program_though_the_tests_ignore_them(self):
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.test_an_interrupt_saves_the_model_and_prints_the_summary()

    def test_a_closed_pipe_is_an_error(self):
        process = subprocess.run(f"'{ALDER}' generate rings -n 100000 | head -n 1; exit ${{PIPESTATUS[0]}}", shell=True,
                                 executable="/bin/bash", text=True, capture_output=True, timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(process.stderr, "alder: standard output: Broken pipe\n")

    def test_killed_at_any_moment_the_old_or_the_new_model_is_there(self):
        rows = self.generate("rings", 3000)
        self.alder("train", rows, "--sigma", "0.5", "-o", "model", "--quiet", "--limit", 50)
        begin = time.monotonic()
        self.alder("train", rows, "-i", "model", "-o", "model", "--quiet", "--limit", 1)
        start = time.monotonic() - begin  # of the program; slow under sanitizers
        chance = random.Random(3)
        rounds = set()
        for _ in range(200):
            # Saves after every row, so that the kill falls into saving most of the time.
            process = self.start("train", rows, "-i", "model", "-o", "model", "--checkpoint-every", "1", "--quiet",
                                 "--limit", "2000")
            time.sleep(chance.uniform(0.3 * start, start + 0.03))
            self.stop(process)
            info = json.loads(self.alder("info", "model", "--json").stdout)
            self.assertGreaterEqual(info["rounds"], max(rounds, default=51))
            rounds.add(info["rounds"])
        self.assertGreater(len(rounds), 20)
        # What the last of them left behind, the next save removes.
        self.alder("train", rows, "-i", "model", "-o", "model", "--quiet", "--limit", 1)
        self.assertEqual(set(os.listdir(self.folder)), {"model", rows})


if __name__ == "__main__":
    unittest.main()
