"""Times two builds of the program against each other, in turn, so that a noisy machine is as unkind to one as to the other.

    python bench/side_by_side.py OLD NEW --learners pomdr,alder --data FILE... [--verb train|predict] [--runs 9] [--callgrind]

Prints a line for each file and learner: the median user CPU seconds of each build (`predict`: with a model that each trains
itself before), the median of the runs' ratios NEW to OLD, and the range in which half of those ratios lie. With --callgrind
also the instructions of one run of each, and their ratio: these hardly depend on the machine's load. What follows `--` goes to
`alder train`, for example: -- --sigma 4 --shuffle.
"""
from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    options = _options()
    columns = ["data", "learner", "old s", "new s", "new/old", "half of the runs"]
    columns += ["old instructions", "new instructions", "new/old"] if options.callgrind else []
    print(f"{options.verb}, user CPU seconds, {options.runs} runs of each build in turn\n")
    _print_row(columns)
    _print_row(["---", "---"] + ["---:"] * (len(columns) - 2))
    with tempfile.TemporaryDirectory() as folder:
        for data in options.data:
            for learner in options.learners:
                _print_row([data.name, learner, *_compare(options, data, learner, Path(folder))])


def _compare(options: argparse.Namespace, data: Path, learner: str, folder: Path) -> list[str]:
    commands = [_command(options, program, data, learner, folder / f"model{i}")
                for i, program in enumerate((options.old, options.new))]
    seconds: list[list[float]] = [[], []]
    for run in range(options.runs):
        # Each is the first of a pair as often as the other.
        for i in (0, 1) if run % 2 == 0 else (1, 0):
            seconds[i].append(user_seconds(commands[i]))
    ratios = [new / old for old, new in zip(*seconds)]
    low, _, high = quartiles(ratios)
    cells = [*(f"{statistics.median(times):.3f}" for times in seconds), f"{statistics.median(ratios):.3f}",
             f"{low:.3f} … {high:.3f}"]
    if options.callgrind:
        old, new = (instructions(command, folder) for command in commands)
        cells += [f"{old:,}", f"{new:,}", f"{new / old:.4f}"]
    return cells


def _command(options: argparse.Namespace, program: Path, data: Path, learner: str, model: Path) -> list[str]:
    train = [str(program), "train", str(data), "--learner", learner, "--quiet", *options.arguments]
    if options.verb == "train":
        return train
    _run([*train, "-o", str(model)])
    return [str(program), "predict", str(model), str(data), "-o", os.devnull]


def user_seconds(command: list[str]) -> float:
    """The user CPU time of a command, in seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    _check(command, process.returncode, message)
    return usage.ru_utime


def instructions(command: list[str], folder: Path) -> int:
    """How many instructions a command executes, by callgrind."""
    done = _run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'callgrind'}", *command])
    found = re.search(rb"Collected : (\d+)", done.stderr)
    if found is None:
        sys.exit(f"callgrind has counted nothing; expected a line 'Collected' in\n{done.stderr.decode(errors='replace')}")
    return int(found[1])


def quartiles(values: list[float]) -> list[float]:
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3


def _run(command: list[str]) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    _check(command, done.returncode, done.stderr)
    return done


def _check(command: list[str], status: int, message: bytes) -> None:
    if status != 0:
        sys.exit(f"{' '.join(command)}\nended with status {status}; expected 0:\n{message.decode(errors='replace')}")


def _print_row(cells: list[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], epilog="What follows -- goes to alder train.")
    parser.add_argument("old", type=_program, metavar="OLD", help="the program of one build")
    parser.add_argument("new", type=_program, metavar="NEW", help="that of the other")
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FILE", help="as for alder train")
    parser.add_argument("--learners", type=lambda text: text.split(","), default=["alder", "pomdr"], metavar="A,B")
    parser.add_argument("--verb", choices=("train", "predict"), default="train")
    parser.add_argument("--runs", type=_count, default=9, metavar="N", help="of each build")
    parser.add_argument("--callgrind", action="store_true", help="count instructions too, once; takes 50 times as long")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:cut])
    options.arguments = words[cut + 1:]
    return options


def _program(text: str) -> Path:
    path = Path(text).resolve()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is no program; expected the path of a build's alder")
    return path


def _count(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text}; expected a number from 1")
    return int(text)


if __name__ == "__main__":
    main()
