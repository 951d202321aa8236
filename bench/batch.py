"""Compares batch learning by one pass of POMDR with kernel Pegasos and LIBSVM: error, time and size, on one split.

    python bench/batch.py --alder build/release/cli/alder --train a9a.train --test a9a.test --sigma 4 --json batch.json

LIBSVM's svm-train and svm-predict are left out where they are not installed (Debian: libsvm-tools). Training is timed
from the command line, reading and saving included, in seconds of processor time; what draws or depends on the order is
run on several permutations. A table goes to standard output, and `python -m alder.report batch.json` makes a page of it.
"""
from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def timed(command: list[str], output: int | None = subprocess.DEVNULL) -> float:
    """Runs a command; returns its seconds of processor time."""
    before = os.times()
    subprocess.run(command, check=True, stdout=output, stderr=subprocess.PIPE)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def rows_in(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def alder(options: argparse.Namespace, name: str, flags: list[str], folder: Path) -> dict[str, Any]:
    errors, seconds, model = [], [], folder / "alder.model"
    command = ["train", str(options.train), "--sigma", str(options.sigma), *flags, "--quiet", "-o", str(model)]
    for seed in range(1, options.repeat + 1):
        seconds.append(timed([options.alder, *command, "--shuffle", "--seed", str(seed)]))
        predicted = subprocess.run([options.alder, "predict", model, options.test, "--quiet"], check=True,
                                   capture_output=True, text=True).stdout.split()
        labels = [line.split()[0] for line in options.test.read_text().splitlines()]
        errors.append(sum(float(p) != float(y) for p, y in zip(predicted, labels, strict=True)) / len(labels))
    info = json.loads(subprocess.run([options.alder, "info", model, "--json"], check=True, capture_output=True).stdout)
    shown = (f"alder train {options.train.name} --sigma {options.sigma:g} {' '.join(flags)} --shuffle "
             f"--seed 1..{options.repeat}")
    return {"name": name, "command": shown, "error": statistics.mean(errors),
            "deviation": statistics.stdev(errors) if len(errors) > 1 else None, "seconds": statistics.mean(seconds),
            "model_bytes": model.stat().st_size, "support_vectors": info["support_vectors"]}


def libsvm(options: argparse.Namespace, penalty: float, folder: Path) -> dict[str, Any]:
    model, predictions = folder / "svm.model", folder / "svm.predicted"
    flags = ["-s", "0", "-t", "2", "-g", f"{1 / (2 * options.sigma ** 2):g}", "-c", f"{penalty:g}", "-m", "1000"]
    seconds = timed(["svm-train", "-q", *flags, str(options.train), str(model)])
    subprocess.run(["svm-predict", options.test, model, predictions], check=True, stdout=subprocess.DEVNULL)
    labels = [line.split()[0] for line in options.test.read_text().splitlines()]
    predicted = predictions.read_text().split()
    error = sum(float(p) != float(y) for p, y in zip(predicted, labels, strict=True)) / len(labels)
    support = next(int(line.split()[1]) for line in model.read_text().splitlines() if line.startswith("total_sv"))
    return {"name": f"LIBSVM, C = {penalty:g}", "command": f"svm-train {' '.join(flags)} {options.train.name}",
            "error": error, "deviation": None, "seconds": seconds, "model_bytes": model.stat().st_size,
            "support_vectors": support}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--alder", required=True, metavar="PROGRAM", help="the program")
    parser.add_argument("--train", required=True, type=Path, metavar="FILE", help="rows to learn, as LIBSVM text")
    parser.add_argument("--test", required=True, type=Path, metavar="FILE", help="rows to measure on")
    parser.add_argument("--sigma", required=True, type=float, help="width of the Gaussian kernel, for all")
    parser.add_argument("--zeta", type=float, default=0.5, help="of POMDR [%(default)s]")
    parser.add_argument("--regularization", type=float, default=1e-4, help="of Pegasos [%(default)s]")
    parser.add_argument("--penalty", type=float, nargs="*", default=[1.0], metavar="C", help="of LIBSVM [1]")
    parser.add_argument("--repeat", type=int, default=10, help="permutations [%(default)s]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write it here")
    options = parser.parse_args()
    comparison = []

    def tell(entry: dict[str, Any]) -> None:
        if not comparison:
            print(f"{'learner':<20} {'error':>16} {'seconds':>8} {'rows':>7} {'KiB':>7}")
        comparison.append(entry)
        deviation = "" if entry["deviation"] is None else f"± {100 * entry['deviation']:.2f}"
        print(f"{entry['name']:<20} {100 * entry['error']:>7.2f} % {deviation:>6} {entry['seconds']:>8.3g} "
              f"{entry['support_vectors']:>7} {entry['model_bytes'] / 1024:>7.0f}", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for choice in ("random", "last", "average"):
            tell(alder(options, f"POMDR, {choice}", ["--learner", "pomdr", "--zeta", f"{options.zeta:g}", "--batch", choice], folder))
        tell(alder(options, "Pegasos, one pass",
                   ["--learner", "pegasos", "--regularization", f"{options.regularization:g}"], folder))
        if shutil.which("svm-train") is None:
            print("LIBSVM is left out: svm-train is not installed", file=sys.stderr)
        else:
            for penalty in options.penalty:
                tell(libsvm(options, penalty, folder))
    if options.json:
        found = {"data": options.train.name, "rows": rows_in(options.train), "held_out": rows_in(options.test),
                 "sigma": options.sigma, "comparison": comparison}
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
