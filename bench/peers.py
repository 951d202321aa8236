"""Compares alder with what one might take instead: online mistakes, speed, memory and model size, side by side.

    pip install -r bench/peers_requirements.txt
    python bench/peers.py --data DIR --sets a9a,SUSY --out FOLDER

    python bench/peers.py --classes --data DIR
    python bench/peers.py --drift
    python bench/peers.py --numbers --rows 5000

DIR has data sets as NAME.libsvm.xz; without any, streams are made up. With --classes they have any number of classes, and
what is compared is online mistakes and log loss, and mistakes on the second half of the rows after learning the first. With
--drift they are streams that change, in the order of the file, and what is compared is online mistakes and time. With
--numbers they are NAME.csv.xz without a header, the target first, and what is compared is the errors of regressors, online
and on the second half. With these two DIR is data/drift or data/numbers in the folder `shared` beside the repository, or in
the one that ALDER_SHARED names. Peers run one after another, each in a process of its own on one core. The tables go to
standard output as Markdown, a picture to FOLDER/peers.svg.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leave nothing in the repository

from peers import class_report, classes, drift, drift_report, number_report, numbers, report, streams  # in peers/
from peers.learners import PEERS
from peers.measure import Outcome, is_installed, measure


def main() -> None:
    options = _options()
    if options.classes:
        _compare_classes(options)
        return
    if options.drift:
        _compare_drift(options)
        return
    if options.numbers:
        _compare_numbers(options)
        return
    installed = [name for name in options.peers if is_installed(PEERS[name])]
    missing = [name for name in options.peers if name not in installed]
    if missing:
        _say(f"Left out, not installed: {', '.join(missing)}. Install: pip install -r bench/peers_requirements.txt, and "
             "for dlib apt-get install g++ libdlib-dev.")
    print(report.introduction({PEERS[name].package for name in installed}, options.limit, options.seed), flush=True)
    outcomes: list[Outcome] = []
    prepared = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets:
            stream = streams.prepare(name, options.data, options.seed, Path(folder))
            prepared.append(stream)
            here = _measure(installed, PEERS, measure, name, stream, options)
            outcomes += here
            print("\n" + report.table(stream, here, missing), flush=True)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        _say("No picture: pip install matplotlib for one.")
        return
    options.out.mkdir(parents=True, exist_ok=True)
    report.draw(outcomes, prepared, options.out / "peers.svg")
    _say(f"The picture is {options.out / 'peers.svg'}.")


def _compare_classes(options: argparse.Namespace) -> None:
    installed = [name for name in options.peers if classes.is_installed(classes.PEERS[name])]
    missing = [name for name in options.peers if name not in installed]
    print(class_report.introduction(installed, options.limit, options.seed), flush=True)
    outcomes: list[classes.ClassOutcome] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.sets:
            data = classes.prepare(name, options.data, options.seed, Path(folder))
            here = _measure(installed, classes.PEERS, classes.measure, name, data, options)
            outcomes += here
            print("\n" + class_report.tables(data, here, missing), flush=True)
    print("\n" + class_report.summary(outcomes, options.sets), flush=True)


def _compare_drift(options: argparse.Namespace) -> None:
    program, moa = shutil.which(options.program) or "", drift.find_moa(options.moa)
    there = [name for name in options.peers if drift.is_there(drift.PEERS[name], program, moa)]
    missing = [name for name in options.peers if name not in there]
    print(drift_report.introduction(there, moa, options.limit, options.seed), flush=True)
    outcomes: list[drift.DriftOutcome] = []
    for name in options.sets:
        with tempfile.TemporaryDirectory() as folder:
            stream = drift.prepare(name, options.data, options.rows, options.seed, program, moa, Path(folder))
            here = _measure(there, drift.PEERS, drift.measure, name, stream, options)
        outcomes += here
        print("\n" + drift_report.table(stream, here, missing), flush=True)
    print("\n" + drift_report.summary(outcomes, options.sets), flush=True)


def _compare_numbers(options: argparse.Namespace) -> None:
    installed = [name for name in options.peers if numbers.is_installed(numbers.PEERS[name])]
    missing = [name for name in options.peers if name not in installed]
    print(number_report.introduction(installed, options.limit, options.rows, options.seed), flush=True)
    outcomes: list[numbers.NumberOutcome] = []
    for name in options.sets:
        with tempfile.TemporaryDirectory() as folder:
            data = numbers.prepare(name, options.data, options.rows, options.seed, name in options.shuffle, Path(folder))
            here = _measure(installed, numbers.PEERS, numbers.measure, name, data, options)
        outcomes += here
        print("\n" + number_report.tables(data, here, missing), flush=True)
    print("\n" + number_report.summary(outcomes, options.sets), flush=True)


def _measure(names: list[str], peers: Any, measure_one: Any, data: str, stream: Any, options: argparse.Namespace) -> list[Any]:
    """The outcomes of these peers on a data set, one after the other."""
    outcomes = []
    for name in names:
        _say(f"{data}: {peers[name].title} …")
        outcomes.append(measure_one(name, stream, options.limit))
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(dataclasses.asdict(outcomes[-1])) + "\n")
    return outcomes


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, metavar="DIR",
                        help="folder with the data sets (default: ../shared/data, with --drift and --numbers as said above)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--classes", action="store_true", help="data sets of any number of classes")
    kind.add_argument("--drift", action="store_true", help="streams that change, in the order of the file")
    kind.add_argument("--numbers", action="store_true", help="data sets whose targets are numbers")
    parser.add_argument("--sets", "--streams", type=_names, metavar="NAMES",
                        help=f"data sets, comma-separated (default: all in DIR, else {','.join(streams.MADE_UP)})")
    parser.add_argument("--peers", type=_names, metavar="NAMES",
                        help=f"of {','.join(PEERS)}; with --classes of {','.join(classes.PEERS)}; with --drift of "
                             f"{','.join(drift.PEERS)} (default: all but the last of these); with --numbers of "
                             f"{','.join(numbers.PEERS)}")
    parser.add_argument("--rows", type=int, default=0, metavar="N",
                        help="with --drift and --numbers: only the first N; 0: all")
    parser.add_argument("--shuffle", type=_names, metavar="NAMES",
                        help=f"with --numbers: sets to permute (default: all but {','.join(numbers.IN_ORDER)})")
    parser.add_argument("--seed", type=int, default=1,
                        help="of the order of the rows, with --drift of the peers alone (default: %(default)s)")
    parser.add_argument("--limit", type=float, metavar="SECONDS",
                        help="learning time after which a peer is stopped (default: 120, with --drift 1800)")
    parser.add_argument("--program", default=os.environ.get("ALDER", "alder"), metavar="FILE",
                        help="with --drift: alder (default: what ALDER names, else the one that is installed)")
    parser.add_argument("--moa", type=Path, default=Path(__file__).resolve().parents[1] / "build" / "moa",
                        metavar="FOLDER", help="with --drift: has MOA's jar (default: build/moa)")
    parser.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER", help="for the picture (default: here)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append every outcome as a line of JSON")
    options = parser.parse_args()
    options.limit = options.limit or (1800.0 if options.drift else 120.0)
    known = (drift.PEERS if options.drift else classes.PEERS if options.classes else numbers.PEERS if options.numbers
             else PEERS)
    options.peers = options.peers or [name for name in known if not getattr(known[name], "only_if_named", False)]
    unknown = [name for name in options.peers if name not in known]
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)}; there are {', '.join(known)}")
    suffix = numbers.SUFFIX if options.numbers else streams.SUFFIX
    if options.drift or options.numbers:
        folder = "drift" if options.drift else "numbers"
        options.data = options.data or streams.shared_folder(folder)
        there = streams.available(options.data, suffix)
        if not there:
            parser.error(f"{options.data} has no data sets; NAME{suffix} belong into ../shared/data/{folder} or "
                         f"$ALDER_SHARED/data/{folder}, or --data DIR")
    else:
        options.data = options.data or Path("../shared/data")
        there = streams.available(options.data) or ([] if options.classes else list(streams.MADE_UP))
    options.sets = options.sets or there
    made_up = () if options.drift or options.classes or options.numbers else streams.MADE_UP
    absent = [name for name in options.sets if name not in (*made_up, *there)]
    if absent or not there:
        parser.error(f"{options.data} has no {', '.join(name + suffix for name in absent or ['NAME'])}")
    if options.shuffle is None:
        options.shuffle = [name for name in options.sets if name not in numbers.IN_ORDER]
    return options


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
