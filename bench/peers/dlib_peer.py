"""dlib's online kernel learner: that of its C++ library, compiled when it is needed, as its Python package has none."""
from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from .streams import Stream

BUDGET = 400
TOLERANCE = 0.01  #: dlib's default, of its test of linear dependence
HEADERS = Path("/usr/include/dlib")
COMPILER = "g++"
LIBRARIES = ("-ldlib", "-l:libblas.so.3")

_SIZE, _NUMBERS = ctypes.c_size_t, np.ctypeslib.ndpointer(np.float64, flags="C")


def is_installed() -> bool:
    return (HEADERS / "svm" / "pegasos.h").exists() and shutil.which(COMPILER) is not None


def version() -> str:
    return ".".join(re.findall(r"_VERSION\s+(\d+)", (HEADERS / "revision.h").read_text()))


class DlibLearner:
    """dlib's svm_pegasos, a kernel Pegasos whose support set is bounded."""

    def __init__(self, stream: Stream, **settings: Any) -> None:
        self.features = stream.features
        self.library = _compile()
        self.learner = self.library.make(stream.dense, stream.gamma, settings["lambda"], BUDGET, TOLERANCE)

    def learn(self, X: Any, y: np.ndarray, clock: Any) -> int:
        rows = scipy.sparse.csr_matrix(X)
        self.library.load(self.learner, rows.indptr.astype(np.uint64), rows.indices.astype(np.int32),
                          rows.data.astype(np.float64), len(y), self.features, y.astype(np.float64))
        with clock:
            return self.library.learn(self.learner)

    def model_bytes(self) -> int:
        return self.library.model_bytes(self.learner)


def _compile() -> ctypes.CDLL:
    source = Path(__file__).with_name("dlib_pegasos.cpp")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dlib_pegasos.so"
        command = [COMPILER, "-O3", "-std=c++17", "-shared", "-fPIC", "-w", "-o", path, source, *LIBRARIES]
        subprocess.run(command, check=True)
        library = ctypes.CDLL(str(path))
    library.make.restype = ctypes.c_void_p
    library.make.argtypes = [ctypes.c_bool, ctypes.c_double, ctypes.c_double, ctypes.c_ulong, ctypes.c_double]
    library.load.restype = None
    library.load.argtypes = [ctypes.c_void_p, np.ctypeslib.ndpointer(np.uint64, flags="C"),
                             np.ctypeslib.ndpointer(np.int32, flags="C"), _NUMBERS, _SIZE, _SIZE, _NUMBERS]
    for function in (library.learn, library.model_bytes):
        function.restype = _SIZE
        function.argtypes = [ctypes.c_void_p]
    return library
