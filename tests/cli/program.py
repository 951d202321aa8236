"""What the tests of the program share: running it, folders of their own, made-up files."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

ALDER = os.environ["ALDER"]


def default_signals():
    """What a shell gives to a program in the foreground, however the tests themselves were started."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, in which the program runs, and with a limit to its time."""

    seconds = int(os.environ.get("ALDER_TEST_SECONDS", 110))

    def setUp(self):
        def stop(number, frame):
            raise TimeoutError(f"{self.id()} is not over after {self.seconds} s")

        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, stop))
        signal.alarm(self.seconds)
        self.addCleanup(signal.alarm, 0)
        folder = tempfile.TemporaryDirectory(prefix="alder-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def alder(self, *arguments, status=0, stdin="", env=None):
        """Runs `alder ARGUMENTS`; checks how it ends."""
        done = subprocess.run([ALDER, *map(str, arguments)], cwd=self.folder, input=stdin, text=True,
                              capture_output=True, timeout=100, env={**os.environ, **(env or {})})
        self.assertEqual(done.returncode, status, f"alder {arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *arguments, preexec_fn=default_signals):
        """Starts `alder ARGUMENTS` with pipes, for a test that sends it signals. It does not outlive the test."""
        process = subprocess.Popen([ALDER, *map(str, arguments)], cwd=self.folder, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec_fn)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        process.kill()
        process.communicate(timeout=20)

    def alder_in_a_gibibyte(self, *arguments):
        """Runs `alder ARGUMENTS` with so little memory that it cannot have many threads; returns how it ended."""
        def run(*words):
            limit = (2 ** 30, resource.RLIM_INFINITY)
            return subprocess.run([ALDER, *words], cwd=self.folder, text=True, capture_output=True, timeout=100,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))

        if run("--version").returncode != 0:
            self.skipTest("the program does not start in a gibibyte: it is built with sanitizers")
        return run(*arguments)

    def train_json(self, *arguments, **options):
        return json.loads(self.alder("train", *arguments, "--json", "--quiet", **options).stdout)

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def generate(self, name, rows, seed=1):
        file = f"{name}-{rows}-{seed}.txt"
        self.alder("generate", name, "-n", rows, "--seed", seed, "-o", file)
        return file

    def read(self, name):
        return (self.folder / name).read_bytes()
