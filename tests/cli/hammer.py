"""Hammers on the program for as long as wanted; ctest runs each part for a short time.

    ALDER=build/ci/cli/alder python3 tests/cli/hammer.py kills 1000     kill -9 while learning and saving, then resume
    ALDER=build/ci/cli/alder python3 tests/cli/hammer.py writers 500    two processes save to one file at a time
    ALDER=build/ci/cli/alder python3 tests/cli/hammer.py inputs 2000    mutated input files

Prints what it counted, and ends with 1 if anything was broken or different.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ALDER = os.path.abspath(os.environ["ALDER"])
LEARNERS = ["alder", "pomdr", "nogd", "bao2ks"]


def run(folder, *arguments, stdin=None):
    """Runs the program; returns how it ended. An end by a signal shows as a negative status."""
    return subprocess.run([ALDER, *map(str, arguments)], cwd=folder, input=stdin, capture_output=True, timeout=100)


def rounds_of(folder, model):
    """The rounds of a model, or None if it cannot be read."""
    done = run(folder, "info", model, "--json")
    return json.loads(done.stdout)["rounds"] if done.returncode == 0 else None


def kills(folder, wanted, chance):
    """Learns streams, killed again and again; each time the saved model goes on with the rows that it has not seen."""
    killed = broken = different = streams = 0
    while killed < wanted:
        learner = LEARNERS[streams % len(LEARNERS)]
        generator = chance.choice(["rings", "checkerboard", "blobs"])
        rows = run(folder, "generate", generator, "-n", 4000, "--seed", streams).stdout.splitlines(keepends=True)
        settings = ["--learner", learner] + ([] if learner == "alder" else ["--sigma", "0.3"])
        run(folder, "train", "-", *settings, "-o", "whole", "--quiet", stdin=b"".join(rows))
        streams += 1
        model = folder / "cut"
        model.unlink(missing_ok=True)
        learned = 0
        while learned < len(rows):
            start = ["-i", "cut"] if model.exists() else settings
            process = subprocess.Popen([ALDER, "train", "-", *start, "-o", "cut", "--checkpoint-every",
                                        str(chance.randrange(1, 400)), "--quiet"], cwd=folder, stdin=subprocess.PIPE)
            try:
                process.stdin.write(b"".join(rows[learned:]))
                process.stdin.close()
                process.wait(timeout=chance.uniform(0.005, 0.06))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=100)
                killed += 1
            except BrokenPipeError:
                process.wait(timeout=100)
            if model.exists():
                found = rounds_of(folder, "cut")
                if found is None or found < learned:
                    broken += 1
                    print(f"{learner}, {generator}: after {learned} rows: {found}")
                    break
                learned = found
        if model.read_bytes() != (folder / "whole").read_bytes():
            different += 1
            print(f"{learner}, {generator}, seed {streams - 1}: the model differs from that of an uninterrupted run")
    left = {file.name for file in folder.iterdir()} - {"cut", "whole"}
    print(f"{killed} kills in {streams} streams: {broken} broken, {different} different; {len(left)} files left behind")
    return broken + different


def writers(folder, wanted, chance):
    """Two processes save to one file, some of them killed; every reader finds a whole model."""
    broken = reads = 0
    rows = folder / "rows"
    run(folder, "generate", "rings", "-n", 300, "-o", "rows")
    run(folder, "train", "rows", "-o", "model", "--quiet")
    for _ in range(wanted):
        pair = [subprocess.Popen([ALDER, "train", rows, "-o", "model", "--checkpoint-every", "10", "--quiet", "--seed",
                                  str(seed)], cwd=folder, stderr=subprocess.PIPE) for seed in (1, 2)]
        deadline = time.monotonic() + chance.uniform(0.0, 0.05)
        while any(process.poll() is None for process in pair):
            reads += 1
            broken += rounds_of(folder, "model") is None
            if time.monotonic() > deadline and chance.random() < 0.3:
                pair[0].kill()
        errors = [process.communicate(timeout=100)[1] for process in pair]
        if pair[1].returncode != 0 or rounds_of(folder, "model") is None:
            broken += 1
            print(pair[1].returncode, errors[1])
    run(folder, "train", rows, "-o", "model", "--quiet")
    left = {file.name for file in folder.iterdir()} - {"rows", "model"}
    print(f"{wanted} pairs of writers, {reads} reads: {broken} broken; {len(left)} files left behind")
    return broken + len(left)


def mutated(text, chance):
    """Bytes of a file with some of them changed, repeated, dropped or cut off."""
    text = bytearray(text)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            text[at:at + 1] = bytes([chance.choice(b"\0\n\r\t ,:;\"'+-.#?eE0919\xff\x80{[")])
        elif kind == 1:
            text[at:at] = text[at:at + chance.randrange(200)] * chance.randrange(3)
        elif kind == 2:
            del text[at:at + chance.randrange(200)]
        elif kind == 3:
            text[at:at] = chance.choice([b"nan", b"inf", b"1e999", b"-1e308", b"4294967296:1", b"1:1e38 ", b"99999999999999999999",
                                         b"\"", b"\"\"", b"\xef\xbb\xbf", b"0x10", b"\0" * 40, b"9" * 400])
        else:
            del text[at:]
        if not text:
            text = bytearray(b"\n")
    return bytes(text)


def inputs(folder, wanted, chance):
    """Mutated rows: each is learned or refused with a message; the program never ends by a signal."""
    broken = refused = 0
    libsvm = run(folder, "generate", "rings", "-n", 60).stdout
    csv = b"a,b,kind\n" + b"".join(b"%d,%.3f,%s\n" % (i, i / 7, b"yes" if i % 3 else b"no") for i in range(60))
    for i in range(wanted):
        (folder / "rows").write_bytes(mutated(chance.choice([libsvm, csv]), chance))
        done = run(folder, "train", "rows", "--quiet", "--learner", chance.choice(LEARNERS + ["linear", "fogd"]))
        refused += done.returncode != 0
        if done.returncode not in (0, 1, 2) or (done.returncode != 0 and not done.stderr.startswith(b"alder: ")):
            broken += 1
            print(f"input {i}: status {done.returncode}, {done.stderr[:200]}")
    print(f"{wanted} inputs: {refused} refused, {broken} broken")
    return broken


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="alder-hammer-") as name:
        part, count = sys.argv[1], int(sys.argv[2])
        parts = {"kills": kills, "writers": writers, "inputs": inputs}
        sys.exit(1 if parts[part](pathlib.Path(name), count, random.Random(2023)) else 0)
