"""Models and rows in files."""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from . import _alder, estimators
from ._classes import ClassNames, labels_of_text
from ._classifier import KernelClassifier
from ._estimator import KernelEstimator
from ._regressor import KernelRegressor
from ._rows import set_columns

Path = str | os.PathLike[str]


def save(estimator: KernelEstimator, path: Path) -> None:
    """Writes a fitted classifier or regressor as a model file, which the program ``alder`` can use and learn on from.

    The file is replaced whole or not at all. Labels are written as text; the class weights and the decision threshold are
    written, too.
    """
    estimator._fitted().save(os.fspath(path))


def load(path: Path) -> KernelClassifier | KernelRegressor:
    """Reads a model file, whether ``save`` or the program ``alder`` wrote it. Goes on exactly where it stood, or is
    the fixed function that it was.

    Labels become numbers if all are, truth values if they are True and False, and else stay text. If the program scaled the rows, the classifier scales
    those that it is given in the same way.
    """
    model = _alder.Model.load(os.fspath(path))
    base = KernelRegressor if model.is_of_numbers else KernelClassifier
    kinds = {cls._learner: cls for cls in vars(estimators).values()
             if isinstance(cls, type) and issubclass(cls, base) and cls._learner}
    options = json.loads(model.options)
    # "hypothesis": what fit with batch= or `train --batch` leaves
    cls = kinds.get(model.learner, estimators.PomdrClassifier)
    parameters = {name: value for name, value in options.items() if name in cls._options}
    kernel = options.get("kernel")
    if kernel:
        parameters["kernel"] = kernel["name"]
        parameters.update({name: kernel[name] for name in ("degree", "coef0") if name in kernel})
        if "sigma" in kernel:
            parameters["sigma"] = kernel["sigma"]
        elif "gamma" in kernel:
            parameters["gamma"] = kernel["gamma"]
    if "seed" in options:
        parameters["random_state"] = options["seed"]
    if model.is_of_numbers:
        estimator = cls(**parameters)
        estimator._model = model
    else:
        names = ClassNames.of_model(model)
        estimator = cls(**parameters, probabilities=model.has_probabilities, class_weight=names.class_weight(model))
        estimator._model, estimator._names, estimator.classes_ = model, names, names.labels
    columns = model.columns
    set_columns(estimator, [name for name, *_ in columns or [] if name], model.features if columns is None else len(columns))
    return estimator


#: X and y, and the weights of the rows where these are asked for.
Batch = tuple[scipy.sparse.csr_matrix, np.ndarray] | tuple[scipy.sparse.csr_matrix, np.ndarray, np.ndarray]


def from_libsvm(paths: Path | Sequence[Path], *, n_features: int | None = None, sample_weight: bool = False,
                batch_rows: int = 10_000) -> Iterator[Batch]:
    """The rows of LIBSVM files, plain or compressed (gz, zst, xz, bz2), as batches ``(X, y)`` for ``partial_fit``.

    With ``sample_weight`` they are ``(X, y, sample_weight)``: a number behind a label is the weight of its row, others have
    the weight 1. Without, rows with weights are an error. A batch has as many columns as features were met so far, or
    ``n_features``. Memory does not depend on the length of the files.
    """
    return _batches(paths, {"format": "libsvm"}, sample_weight, n_features, batch_rows)


def from_csv(paths: Path | Sequence[Path], *, label_column: str | int | None = None, weight_column: str | int | None = None,
             separator: str | None = None, batch_rows: int = 10_000) -> Iterator[Batch]:
    """The rows of CSV files, plain or compressed (gz, zst, xz, bz2), as batches ``(X, y)`` for ``partial_fit``.

    ``label_column`` is a name in the header or a number, 1 being the first and -1 the last; by default the column called
    label, class, target or y, else the last. With ``weight_column``, given likewise, batches are ``(X, y, sample_weight)``.
    ``separator`` is found by itself unless it is given.
    """
    options = {"format": "csv", "separator": separator or ""}
    for name, column in (("label_column", label_column), ("weight_column", weight_column)):
        options[name] = "" if column is None else str(column)
    return _batches(paths, options, weight_column is not None, None, batch_rows)


def _batches(paths: Path | Sequence[Path], options: dict[str, str], has_weights: bool, n_features: int | None,
             batch_rows: int) -> Iterator[Batch]:
    if batch_rows < 1:
        raise ValueError(f"batch_rows is {batch_rows}; expected at least 1")
    names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    rows = _alder.Input.open([os.fspath(name) for name in names],
                             **{"label_column": "", "weight_column": "", "separator": "", **options})

    def read() -> Iterator[Batch]:
        while (batch := rows.next(batch_rows)) is not None:
            data, indices, starts, targets, weights, features = batch
            if n_features is not None and len(indices) and indices.max() >= n_features:
                raise ValueError(f"there is a feature {indices.max() + 1}; expected at most n_features={n_features}")
            if weights is not None and not has_weights:
                raise ValueError("the rows have weights behind their labels; expected rows without, or sample_weight=True")
            X = scipy.sparse.csr_matrix((data, indices, starts), shape=(len(targets), n_features or features))
            y = labels_of_text(rows.classes)[targets.astype(int)]
            if has_weights:
                yield X, y, np.ones(len(y)) if weights is None else weights
            else:
                yield X, y

    return read()


def stream_parquet(path: Path, *, label: str, columns: Sequence[str] | None = None,
                   batch_rows: int = 10_000) -> Iterator[tuple[Any, np.ndarray]]:
    """The rows of a Parquet file as batches ``(X, y)`` for ``partial_fit``; needs pyarrow.

    ``label`` is the column of the labels; ``columns`` the features, by default all others. X is a NumPy array if all of them are
    numbers and the file says that none is missing; else a pyarrow RecordBatch, of which ``partial_fit`` learns words, dates and
    missing values, too. One batch is in memory at a time.
    """
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("stream_parquet needs pyarrow: pip install alder[parquet]") from error
    file = pyarrow.parquet.ParquetFile(os.fspath(path))
    names = file.schema_arrow.names
    wanted = [name for name in names if name != label] if columns is None else list(columns)
    for name in [label, *wanted]:
        if name not in names:
            raise ValueError(f"{os.fspath(path)} has no column {name!r}; it has {', '.join(names)}")
    plain = _is_plain(file, wanted)

    def read() -> Iterator[tuple[Any, np.ndarray]]:
        for batch in file.iter_batches(batch_size=batch_rows, columns=[label, *wanted]):
            y = batch.column(batch.schema.names.index(label)).to_numpy(zero_copy_only=False)
            if plain:
                X = np.empty((batch.num_rows, len(wanted)))
                for j, name in enumerate(wanted):
                    X[:, j] = batch.column(name).to_numpy(zero_copy_only=False)
                yield X, y
            else:
                yield batch.select(wanted), y

    return read()


def _is_plain(file: Any, wanted: Sequence[str]) -> bool:
    """Whether columns of a Parquet file are numbers, none missing as far as the file tells."""
    from pyarrow import types

    kinds = [file.schema_arrow.field(name).type for name in wanted]
    if not all(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) for kind in kinds):
        return False
    for group in range(file.metadata.num_row_groups):
        parts = file.metadata.row_group(group)
        for part in map(parts.column, range(parts.num_columns)):
            if part.path_in_schema in wanted and (part.statistics is None or part.statistics.null_count != 0):
                return False
    return True
