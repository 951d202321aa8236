"""Reads the results of `alder bench` (docs/bench.md); sums up runs that differ only in their permutation."""
from __future__ import annotations

import gzip
import json
import lzma
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

Settings = Mapping[str, Any]  #: options by the name of their flag


class ResultsError(Exception):
    """A file is not what it should be: says where, what was found and what was expected."""


@dataclass(frozen=True)
class DataSet:
    name: str
    origin: str  #: the file's name, or that of the made-up stream
    made_up: bool
    scale: str
    rows: int
    features: int


@dataclass(frozen=True)
class Run:
    """One learner on one permutation of a data set."""

    data: str
    learner: str
    settings: Settings
    seed: int
    rounds: int
    mistakes: int
    support: int
    bytes: int
    switch_round: int | None  #: the round that ended phase 1; None: never
    removals: int
    sum_delta: float | None
    seconds: float
    #: What follows is None where it is not defined, in files of earlier versions, and in suites without probabilities.
    balanced_error: float | None = None
    kappa: float | None = None
    log_loss: float | None = None
    calibration_error: float | None = None
    confusion: list[tuple[int, int | None, int]] | None = None  #: class, predicted class, rows; one permutation has it
    reliability: tuple[list[float], ...] | None = None  #: by bin: weight, mean probability, share that was right


@dataclass(frozen=True)
class Curve:
    """How a run went; all arrays have one entry for each of `rounds`."""

    data: str
    learner: str
    settings: Settings
    switch_round: int | None
    rounds: list[int]
    mistakes: list[int]
    support: list[int]
    learning_rate: list[float]
    sum_delta: list[float] | None
    removal_rounds: list[int] | None  #: None: too many to list


@dataclass(frozen=True)
class Spectrum:
    """Some eigenvalues of a kernel matrix, divided by its number of rows."""

    data: str
    sigma: float
    rows: int
    index: list[int]
    eigenvalue: list[float]


@dataclass(frozen=True)
class Summary:
    """Runs of one learner with the same settings on permutations of one data set; there is at least one."""

    data: str
    learner: str
    settings: Settings
    runs: Sequence[Run]

    @property
    def amr(self) -> float:
        """The average mistake ratio in %."""
        return fmean(100 * run.mistakes / run.rounds for run in self.runs)

    @property
    def amr_deviation(self) -> float | None:
        return _deviation([100 * run.mistakes / run.rounds for run in self.runs])

    def mean(self, name: str) -> float | None:
        """Of a number that some runs have; None: none has."""
        known = [getattr(run, name) for run in self.runs if getattr(run, name) is not None]
        return fmean(known) if known else None

    @property
    def seconds(self) -> float:
        return fmean(run.seconds for run in self.runs)

    @property
    def seconds_deviation(self) -> float | None:
        return _deviation([run.seconds for run in self.runs])

    @property
    def seconds_per_thousand(self) -> float:
        return 1000 * fmean(run.seconds / run.rounds for run in self.runs)

    @property
    def support(self) -> float:
        return fmean(run.support for run in self.runs)

    @property
    def bytes(self) -> float:
        return fmean(run.bytes for run in self.runs)

    @property
    def sum_delta(self) -> float | None:
        known = [run.sum_delta for run in self.runs if run.sum_delta is not None]
        return fmean(known) if known else None

    @property
    def sum_delta_deviation(self) -> float | None:
        return _deviation([run.sum_delta for run in self.runs if run.sum_delta is not None])

    @property
    def switch_round(self) -> float | None:
        """The mean over the runs that left phase 1; None: no run did."""
        known = [run.switch_round for run in self.runs if run.switch_round is not None]
        return fmean(known) if known else None

    @property
    def never_switched(self) -> int:
        return sum(run.switch_round is None for run in self.runs)


@dataclass
class Results:
    """A results file. What an interrupted bench did not get to is simply not there."""

    suite: Mapping[str, Any]
    version: str
    cpu: str
    cores: int
    instruction_set: str
    defaults: Mapping[str, Settings]  #: by learner
    data: dict[str, DataSet] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    spectra: list[Spectrum] = field(default_factory=list)
    cut_off: bool = False  #: the last line was incomplete

    @property
    def sets(self) -> list[str]:
        """The data sets of which anything is known, in the suite's order."""
        known = {entry.data for part in (self.runs, self.curves, self.spectra) for entry in part}
        order = [*self.suite.get("data", {}), *self.data, *sorted(known)]
        return [name for name in dict.fromkeys(order) if name in known]

    @property
    def has_matrices(self) -> bool:
        return any(run.confusion is not None for run in self.runs)

    def rows(self, data: str) -> int:
        """Its size, 0 if nothing tells."""
        if data in self.data:
            return self.data[data].rows
        return max((run.rounds for run in self.runs if run.data == data), default=0)

    def own_settings(self, data: str) -> Settings:
        """What the suite says suits the data set, such as its kernel width; not what it only says to try."""
        entry = self.suite.get("data", {}).get(data, {})
        settings = entry.get("settings", {}) if isinstance(entry, dict) else {}
        return {name: value for name, value in settings.items() if not isinstance(value, list)}

    def learners(self, data: str | None = None) -> list[str]:
        """Those that were run, in the order of the file."""
        return list(dict.fromkeys(run.learner for run in self.runs if data in (None, run.data)))

    def summaries(self, data: str, learner: str) -> list[Summary]:
        """One for each settings. A permutation that was run twice counts once."""
        groups: dict[str, dict[int, Run]] = {}
        for run in self.runs:
            if run.data == data and run.learner == learner:
                groups.setdefault(json.dumps(run.settings, sort_keys=True), {})[run.seed] = run
        return [Summary(data, learner, next(iter(group.values())).settings, tuple(group.values()))
                for group in groups.values()]

    def suits(self, summary: Summary, wanted: Settings) -> bool:
        """Whether it was run with these settings, apart from those that its learner does not have."""
        defaults = self.defaults.get(summary.learner, {})
        return all(same(summary.settings[name], value) if name in summary.settings else
                   name not in defaults or same(defaults[name], value) for name, value in wanted.items())

    def best(self, data: str, learner: str, wanted: Settings) -> Summary | None:
        """The settings with the least AMR among those that suit; few lucky permutations do not beat the full number."""
        return least_mistakes(s for s in self.summaries(data, learner) if self.suits(s, wanted))


def same(left: Any, right: Any) -> bool:
    """Equal, but for what rounding does to numbers: 0.6667 in a file is 2/3."""
    if isinstance(left, bool) or isinstance(right, bool) or not (_is_number(left) and _is_number(right)):
        return bool(left == right)
    return math.isclose(left, right, rel_tol=1e-4, abs_tol=1e-12)


def least_mistakes(summaries: Iterable[Summary]) -> Summary | None:
    """The best of those that have the most permutations."""
    summaries = list(summaries)
    most = max((len(s.runs) for s in summaries), default=0)
    return min((s for s in summaries if len(s.runs) == most), key=lambda s: s.amr, default=None)


def read_results(path: str | os.PathLike[str]) -> Results:
    """Reads a results file, which may be compressed by gzip or xz. Raises OSError or ResultsError."""
    return _parse(os.fspath(path), read_text(path))


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, which may be compressed by gzip or xz. Raises OSError or ResultsError."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        content = file.read()
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        elif content.startswith(b"\xfd7zXZ\x00"):
            content = lzma.decompress(content)
    except (EOFError, OSError, lzma.LZMAError) as error:
        raise ResultsError(f"{name}: the compressed data is damaged or cut off: {error}") from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ResultsError(f"{name}:{line}: found bytes that are not UTF-8 text; expected the JSON lines that `alder "
                           "bench` writes") from error


def _parse(name: str, text: str) -> Results:
    results: Results | None = None
    lines = text.split("\n")
    for number, content in enumerate(lines, 1):
        if not content.strip():
            continue
        try:
            value = json.loads(content)
        except ValueError:
            # Only what a bench was writing when it was stopped ends without a line break.
            if number == len(lines) and results is not None:
                results.cut_off = True
                break
            raise ResultsError(f"{name}:{number}: found {_excerpt(content)}; expected a JSON object") from None
        if not isinstance(value, dict):
            raise ResultsError(f"{name}:{number}: found {_excerpt(content)}; expected a JSON object")
        line = _Line(f"{name}:{number}", value)
        kind = line.get("kind", str)
        if results is None:
            if kind != "suite":
                raise ResultsError(f"{name}:{number}: found a line of kind {kind!r}; expected the first one to be of "
                                   "kind 'suite', as `alder bench` writes it")
            results = Results(line.get("suite", dict), line.get("version", str), line.get("cpu", str),
                              line.get("cores", int), line.get("instruction_set", str), line.get("defaults", dict))
        elif kind in _KINDS:
            _KINDS[kind](results, line)
        else:
            raise ResultsError(f"{name}:{number}: found a line of kind {kind!r}; expected {', '.join(_KINDS)}")
    if results is None:
        raise ResultsError(f"{name}:1: found nothing; expected the results of `alder bench`")
    return results


class _Line:
    """One object of the file, and where it stands."""

    def __init__(self, where: str, value: dict[str, Any]) -> None:
        self._where = where
        self._value = value

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def get(self, name: str, kind: type, optional: bool = False) -> Any:
        """The field, of this type; None also if it is optional. An integer does for a float."""
        if name not in self._value:
            found = f"no field {name!r}"
        else:
            value = self._value[name]
            if value is None and optional:
                return None
            if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
                return value
            if kind is float and _is_number(value):
                return float(value)
            found = f"{name!r} = {_excerpt(json.dumps(value))}"
        raise ResultsError(f"{self._where}: found {found}; expected {name!r} to be {_TYPE_NAMES[kind]}"
                           f"{' or null' if optional else ''}")

    def numbers(self, name: str, length: int | None = None, optional: bool = False) -> Any:
        """An array of numbers; null inside stands for what JSON cannot write and is NaN."""
        values = self.get(name, list, optional)
        if values is None:
            return None
        if not all(value is None or _is_number(value) for value in values):
            raise ResultsError(f"{self._where}: found other things in {name!r}; expected an array of numbers")
        if length is not None and len(values) != length:
            raise ResultsError(f"{self._where}: found {len(values)} entries in {name!r}; expected {length}")
        return [math.nan if value is None else value for value in values]

    def confusion(self) -> list[tuple[int, int | None, int]] | None:
        entries = self.get("confusion", list, optional=True) if "confusion" in self else None
        for entry in entries or ():
            if not isinstance(entry, list) or [type(part) for part in entry] not in _ENTRIES:
                raise ResultsError(f"{self._where}: found {_excerpt(json.dumps(entry))} in 'confusion'; expected a class, "
                                   "the class predicted or null, and a number of rows")
        return None if entries is None else [tuple(entry) for entry in entries]

    def reliability(self) -> tuple[list[float], ...] | None:
        bins = self.get("reliability", dict, optional=True) if "reliability" in self else None
        if bins is None:
            return None
        inner = _Line(f"{self._where}: 'reliability'", bins)
        count = len(inner.numbers("weight"))
        return tuple(inner.numbers(name, count) for name in ("weight", "probability", "right"))

    def positive(self, name: str) -> int:
        value: int = self.get(name, int)
        if value < 1:
            raise ResultsError(f"{self._where}: found {name!r} = {value}; expected at least 1")
        return value


def _add_data(results: Results, line: _Line) -> None:
    made_up = "generate" in line
    name = line.get("data", str)
    origin = line.get("generate" if made_up else "file", str)
    results.data[name] = DataSet(name, origin, made_up, line.get("scale", str), line.get("rows", int),
                                 line.get("features", int))


def _add_run(results: Results, line: _Line) -> None:
    results.runs.append(Run(
        line.get("data", str), line.get("learner", str), line.get("settings", dict), line.get("seed", int),
        line.positive("rounds"), line.get("mistakes", int), line.get("support", int), line.get("bytes", int),
        line.get("switch_round", int, optional=True), line.get("removals", int),
        line.get("sum_delta", float, optional=True), line.get("seconds", float),
        *(line.get(name, float, optional=True) if name in line else None
          for name in ("balanced_error", "kappa", "log_loss", "calibration_error")), line.confusion(), line.reliability()))


def _add_curve(results: Results, line: _Line) -> None:
    rounds = line.numbers("round")
    count = len(rounds)
    results.curves.append(Curve(
        line.get("data", str), line.get("learner", str), line.get("settings", dict),
        line.get("switch_round", int, optional=True), rounds, line.numbers("mistakes", count),
        line.numbers("support", count), line.numbers("learning_rate", count),
        line.numbers("sum_delta", count, optional=True),
        line.numbers("removal_rounds", optional=True)))


def _add_spectrum(results: Results, line: _Line) -> None:
    index = line.numbers("index")
    results.spectra.append(Spectrum(line.get("data", str), line.get("sigma", float), line.get("rows", int), index,
                                    line.numbers("eigenvalue", len(index))))


_KINDS: dict[str, Callable[[Results, _Line], None]] = {
    "data": _add_data, "run": _add_run, "curve": _add_curve, "spectrum": _add_spectrum}
_ENTRIES = ([int, int, int], [int, type(None), int])  # of a confusion matrix
_TYPE_NAMES: dict[type, str] = {
    str: "a text", int: "a whole number", float: "a number", dict: "an object", list: "an array"}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _deviation(values: Sequence[float]) -> float | None:
    """The sample standard deviation; one value has none."""
    return stdev(values) if len(values) > 1 else None


def _excerpt(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
