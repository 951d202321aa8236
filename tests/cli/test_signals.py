"""Ctrl-C, kill, kill -9, pipes that close."""
import json
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
import unittest

from program import ALDER, ProgramTest


class Signals(ProgramTest):
    def rows(self, count):
        return self.alder("generate", "rings", "-n", count).stdout

    def wait_for_line(self, process, words):
        """Reads standard error up to a line with these words."""
        alarm = threading.Timer(60, process.kill)
        alarm.start()
        line = process.stderr.readline()
        while line and words not in line:
            line = process.stderr.readline()
        alarm.cancel()
        self.assertIn(words, line)

    def wait_for_the_handler(self, process, number):
        """Until the program handles this signal; under sanitizers and load, its start takes seconds."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        end = time.monotonic() + 60
        while status.exists() and time.monotonic() < end:  # a system without /proc: the sleeps must do
            caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
            if int(caught.split()[1], 16) >> (number - 1) & 1:
                break
            time.sleep(0.02)

    def test_an_interrupt_saves_the_model_and_prints_the_summary(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            # The pipe stays open: the program waits for more rows when the signal comes.
            process = self.start("train", "-", "--sigma", "0.5", "-o", "model")
            process.stdin.write(self.rows(1000))
            process.stdin.flush()
            self.wait_for_line(process, "512 ")
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

    def test_a_signal_that_was_ignored_at_the_start_stays_ignored(self):
        for ignored in (signal.SIGHUP, signal.SIGINT):
            # As nohup does, and a shell without job control for its background jobs.
            process = self.start("train", "-", "--sigma", "0.5", "-o", "model",
                                 preexec_fn=lambda: signal.signal(ignored, signal.SIG_IGN))
            process.stdin.write(self.rows(1000))
            process.stdin.flush()
            self.wait_for_line(process, "512 ")
            process.send_signal(ignored)
            process.stdin.write(self.rows(500))
            process.stdin.flush()
            self.wait_for_line(process, "1024 ")
            process.send_signal(signal.SIGTERM)
            _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 143, error)
            self.assertGreater(json.loads(self.alder("info", "model", "--json").stdout)["rounds"], 1023)

    def test_a_signal_ends_the_wait_for_the_reader_of_a_pipe(self):
        rows = self.generate("rings", 3000)
        self.alder("train", rows, "-o", "model", "--quiet")
        os.mkfifo(self.folder / "pipe")
        for arguments, last in ((("train", rows, "-o", "pipe"), "2048 "), (("train", rows, "--trace", "pipe"), None),
                                (("predict", "model", rows, "-o", "pipe"), None)):
            process = self.start(*arguments)
            self.wait_for_the_handler(process, signal.SIGTERM)
            if last:
                self.wait_for_line(process, last)
            time.sleep(0.5)  # it waits for a reader by then
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1, error)
            self.assertIn("alder: pipe: ", error)

    def test_a_model_for_a_pipe_without_a_reader_does_not_keep_a_program_that_was_told_to_end(self):
        os.mkfifo(self.folder / "pipe")
        process = self.start("train", "-", "--sigma", "0.5", "-o", "pipe")
        process.stdin.write(self.rows(1000))
        process.stdin.flush()
        self.wait_for_line(process, "512 ")
        process.send_signal(signal.SIGTERM)  # it learns, or waits for rows
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, error)
        self.assertIn("alder: pipe: a signal came before all of it was written\n", error)

    def test_a_reader_that_comes_after_the_signal_gets_the_model(self):
        os.mkfifo(self.folder / "pipe")
        process = self.start("train", "-", "--sigma", "0.5", "-o", "pipe")
        process.stdin.write(self.rows(1000))
        process.stdin.flush()
        self.wait_for_line(process, "512 ")
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        self.write("model", subprocess.run(["cat", "pipe"], cwd=self.folder, capture_output=True, timeout=60).stdout)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertGreater(json.loads(self.alder("info", "model", "--json").stdout)["rounds"], 511)

    def test_a_signal_ends_the_wait_for_a_slow_reader_and_the_model_is_saved(self):
        rows = self.generate("rings", 30000)
        self.alder("train", rows, "-o", "model", "--quiet", "--limit", 1000)
        for arguments in (("train", rows, "--trace", "/dev/stdout", "-o", "new"),
                          ("predict", "model", rows, "--scores")):
            process = self.start(*arguments)
            process.stdout.read(1)
            time.sleep(1)  # the pipe is full by then
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)  # nothing is read
            error = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 143, error)
        self.assertGreater(json.loads(self.alder("info", "new", "--json").stdout)["rounds"], 100)

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
