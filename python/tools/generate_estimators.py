"""Writes python/alder/estimators.py from the registry of learners in the installed module.

    python python/tools/generate_estimators.py           writes it
    python python/tools/generate_estimators.py --check   fails if it is not what would be written
"""
import pathlib
import sys
import textwrap

from alder import _alder

TARGET = pathlib.Path(__file__).parent.parent / "alder" / "estimators.py"
KERNELS = [kernel["name"] for kernel in _alder.kernels()]
KERNEL = [
    ("kernel", "str", f'"{KERNELS[0]}"', ", ".join(map(repr, KERNELS[:-1])) + f" or {KERNELS[-1]!r}."),
    ("sigma", "float | str", '"auto"', "Width of a gaussian or laplacian kernel; 'auto': half the median distance of the "
                                       "first rows."),
    ("gamma", "float | None", "None", "Instead of sigma: exp(-gamma d^2) of the gaussian kernel, exp(-gamma d) of the "
                                      "laplacian; also the factor in the polynomial kernel."),
    ("degree", "int", "3", "Of the polynomial kernel."),
    ("coef0", "float", "1.0", "Of the polynomial kernel."),
]
BATCH = [
    ("batch", "str | None", "None", "What fit leaves behind, for rows that were drawn independently: None: the learner, "
                                    "with which partial_fit goes on; 'random': the function of a round drawn at random, "
                                    "which the theory is about; 'last': that of the last; 'average': the mean over the "
                                    "last half of the rounds. These are fixed and learn no more."),
]
FOUND_SIGMA = ("sigma", "float | str", '"auto"', "Width of a gaussian or laplacian kernel; 'auto': found with the "
                                                 "kernel, and what is done to the features, in a race.")
#: Losses that a classifier may have; all others are of regressors.
OF_CLASSES = ("margin", "hinge", "squared_hinge", "logistic")
#: Options that only the one or the other has.
OF_REGRESSORS = ("loss_parameter", "target_center", "target_scale")
OF_CLASSIFIERS = ("head", "forget", "growth", "covariance", "noise")
SHUFFLE = [
    ("shuffle", "bool", "True", "Whether fit learns the rows in a random order. partial_fit never changes it."),
    ("random_state", "int | np.random.RandomState | None", "1", "Of that order, and of learners that draw."),
    ("verbose", "int", "0", "1: show how far fit is, with tqdm if that is there."),
]
COLUMNS = [
    ("columns", "dict | None", "None", "What columns of a table are, by name: 'number', 'category', 'boolean', 'time', 'text' or "
                                       "'ignore'; those that it leaves out, as their types say, or for text as the first rows "
                                       "do. Of an array, whose columns are called 0, 1, ..., they are numbers."),
]
CLASSES = [
    ("class_weight", "dict | str | None", "None", "How much the rows of a class count: a dict of factors by label, 1 for those "
                                                  "that it leaves out; 'balanced': all classes alike, by how often they were "
                                                  "met so far; None: all rows alike. Learners without a place for weights "
                                                  "refuse it."),
    ("probabilities", "bool", "True", "Whether probabilities are learned beside the classes, for predict_proba. Classes and "
                                      "scores do not depend on it."),
]
HEADER = '''"""The classifiers, one for each learner, and the regressors. Written by generate_estimators.py from the registry of learners: change that."""
from __future__ import annotations

import numpy as np

from ._classifier import KernelClassifier
from ._regressor import KernelRegressor

__all__ = [{names}]
'''


def class_name(learner: str, kind: str) -> str:
    return learner.replace("++", "PlusPlus")[:1].upper() + learner.replace("++", "PlusPlus")[1:] + kind


def options_of(learner: dict, kind: str) -> dict[str, dict]:
    """The options of a learner that classifiers or regressors have. Where one loss is left, it is none."""
    is_regressor = kind == "Regressor"
    options = {option["name"]: dict(option) for option in learner["options"]
               if option["name"] not in (OF_CLASSIFIERS if is_regressor and learner["finds_width"] else
                                         () if is_regressor else OF_REGRESSORS)}
    if loss := options.get("loss"):
        loss["choices"] = [name for name in loss["choices"] if (name in OF_CLASSES) != is_regressor]
        if is_regressor:
            loss["default"] = loss["choices"][0]
        if len(loss["choices"]) < 2:
            del options["loss"]
    return options


def parameter(option: dict) -> tuple[str, str, str, str]:
    """Name, type, default and text of an option of the registry."""
    kind = {"number": "float", "count": "int", "choice": "str", "flag": "bool"}[option["type"]]
    default = option["default"]
    if option["automatic"]:
        kind, default = f"{kind} | None", "None" if default == "auto" else default
    elif option["type"] == "choice":
        default = f'"{default}"'
    elif option["type"] == "flag":
        default = default.capitalize()
    elif option["type"] == "number":
        default = repr(float(default))
    text = option["summary"].replace("auto:", "None:")
    if option["choices"]:
        text += ": " + " or ".join(f"'{choice}'" for choice in option["choices"])
    return option["name"], kind, default, text[0].upper() + text[1:] + "."


def write_class(learner: dict, kind: str) -> str:
    options = options_of(learner, kind)
    own = [parameter(option) for name, option in options.items() if name not in ("kernel", "seed")]
    finds_width = learner["finds_width"]
    kernel = [FOUND_SIGMA if finds_width and entry[0] == "sigma" else entry for entry in KERNEL]
    parameters = (kernel if "kernel" in options else []) + own
    is_classifier = kind == "Classifier"
    parameters += BATCH if is_classifier and learner["traits"]["has_snapshots"] else []
    parameters += COLUMNS + (CLASSES if is_classifier else []) + SHUFFLE
    summary = learner["summary"]
    lines = [f"class {class_name(learner['name'], kind)}(Kernel{kind}):",
             f'    """{summary[0].upper()}{summary[1:]}.', "", "    Parameters", "    ----------"]
    for name, form, default, text in parameters:
        lines.append(f"    {name} : {form}, default={default}")
        lines += textwrap.wrap(text, 108, initial_indent=" " * 8, subsequent_indent=" " * 8)
    lines += ['    """', "", f'    _learner = "{learner["name"]}"',
              f"    _options = ({', '.join(repr(name) for name, *_ in own)},)".replace("'", '"'),
              f"    _draws = {'seed' in options}"]
    lines += ["", "    def __init__(", "        self,", "        *,"]
    lines += [f"        {name}: {form} = {default}," for name, form, default, _ in parameters]
    lines += ["    ) -> None:"] + [f"        self.{name} = {name}" for name, *_ in parameters]
    return "\n".join(lines) + "\n"


def main() -> int:
    learners = _alder.learners()
    wanted = [(learner, "Classifier") for learner in learners]
    wanted += [(learner, "Regressor") for learner in learners if learner["traits"]["learns_numbers"]]
    names = ",\n           ".join(f'"{class_name(learner["name"], kind)}"' for learner, kind in wanted)
    text = HEADER.format(names=names) + "".join("\n\n" + write_class(learner, kind) for learner, kind in wanted)
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text)
        return 0
    if TARGET.read_text() == text:
        return 0
    print(f"{TARGET.name} is not what the registry gives; run python/tools/generate_estimators.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
