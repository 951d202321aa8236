"""docs/model-format.md names everything that a model file holds."""
import json
import pathlib
import re
import struct
import subprocess

import pytest
from conftest import CLASSIFIERS, ring_rows
from test_stream import PROGRAM, needs_program

import alder

DOCUMENT = (pathlib.Path(__file__).parents[2] / "docs" / "model-format.md").read_text(encoding="utf-8")
FROZEN = pathlib.Path(__file__).parents[2] / "tests" / "frozen" / "v1"
OF_EVERY_FILE = {"format", "format_version", "alder_version", "checksum", "settings"}


def names_in(path):
    """The names of the tensors of a model file, and of the keys in its header and settings, options apart."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    metadata = header.pop("__metadata__")
    settings = json.loads(metadata["settings"])
    options = settings.pop("options")
    kernel = options.get("kernel") or {}
    first_rows = settings.pop("first_rows", {})
    members = settings.get("one_vs_rest", {}).get("states", [])
    keys = {*metadata, *kernel, *settings, *(f"metrics.{name}" for name in settings["metrics"])}
    keys |= {f"earlier.{name}" for name in settings.get("earlier", {})}
    keys |= {f"first_rows.{name}" for name in first_rows}
    keys |= {f"state.{name}" for state in members for name in state} | ({"one_vs_rest.states", "classC.*"} if members else set())
    keys |= {"options.scale"} if "scale" in options else set()
    keys |= {name for entry in settings["classes"] for name in entry}
    for key, value in settings.get("state", {}).items():
        inner = value if isinstance(value, dict) else {}
        keys |= {f"state.{key}.{name}" for name in inner} if inner else {f"state.{key}"}
        for runner in inner.get("runners", []):
            keys |= set(runner)
    names = {re.sub(r"^class\d+\.", "", name) for name in header} if members else header
    return keys, {re.sub(r"(geometry|candidate|predictor)\d+", lambda found: found[1] + found[1][0].upper(), name) for name in names}


def check(path):
    keys, tensors = names_in(path)
    assert keys > OF_EVERY_FILE
    missing = [name for name in sorted(keys | tensors) if f"`{name}`" not in DOCUMENT]
    assert not missing, f"docs/model-format.md does not mention {', '.join(missing)}"


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_the_document_names_all_that_a_model_holds(cls, tmp_path):
    X, y = ring_rows(5000, seed=4)
    seen = set()
    small = {name: size for name, size in (("budget", 50), ("b0", 20)) if hasattr(cls(), name)}
    polynomial = {"kernel": "polynomial"} if hasattr(cls(), "kernel") and cls is not alder.FogdClassifier else {}
    for options in ({}, small, polynomial, {"scale": "online"}):
        model, learned = cls(**options), 0
        for cut in (10, 40, 200, 1000, 5000):  # before, in and after the phases of learners that have some
            model.partial_fit(X[learned:cut], y[learned:cut], classes=[0, 1])
            learned = cut
            alder.save(model, tmp_path / "model")
            check(tmp_path / "model")
            seen.add(tuple(map(frozenset, names_in(tmp_path / "model"))))
    if cls in (alder.AlderClassifier, alder.PomdrClassifier):
        assert len(seen) > 1  # phases were met
    assert {"first_rows.targets", "first_rows.scaling.divisors"} <= set().union(*(tensors for _, tensors in seen))


def test_the_document_names_all_that_a_model_of_version_1_becomes(tmp_path):
    alder.save(alder.load(FROZEN / "pomdr-phase2-float.model"), tmp_path / "model")
    check(tmp_path / "model")
    assert "earlier.rows" in names_in(tmp_path / "model")[0]


@needs_program
def test_the_document_names_all_that_the_program_adds(tmp_path):
    def program(*arguments):
        subprocess.run([PROGRAM, *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=60)

    program("generate", "rings", "-n", "2000", "-o", "rows")
    for options in (["--scale", "standard"], ["--batch", "average"], ["--learner", "pomdr", "--kernel", "laplacian"]):
        program("train", "rows", "-o", "model", "--quiet", *options)
        check(tmp_path / "model")
