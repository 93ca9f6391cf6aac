"""Print the environment in which numpy, OpenBLAS and our core compute as on an old CPU, as words for `env`.

numpy picks its vector code, and OpenBLAS its kernels, when they are loaded, by what the CPU can do. Where
they pick others, last digits differ, and no tree may. So does our core, where no digit may differ.
"""

import os
import platform
import sys
from importlib import import_module

import numpy as np

#: The plainest kernels that OpenBLAS has for a machine.
KERNELS = {"x86_64": "Nehalem", "AMD64": "Nehalem", "aarch64": "ARMV8", "arm64": "ARMV8"}


def vector_code() -> list[str]:
    """The features of this CPU that numpy has code of its own for, and has not been told to leave alone."""
    room = "numpy._core" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy.core"
    numpy_core = import_module(f"{room}._multiarray_umath")
    return [name for name in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__[name]]


def environment() -> dict[str, str]:
    """Variables that must be set before numpy is loaded; they name what this CPU has, on any machine."""
    already = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").replace(",", " ").split()
    features = [*already, *vector_code()]
    found = {"NPY_DISABLE_CPU_FEATURES": ",".join(features)} if features else {}
    kernels = KERNELS.get(platform.machine())
    return found | ({"OPENBLAS_CORETYPE": kernels} if kernels else {}) | {"THRIFTREE_CPU": "plain"}


def main() -> int:
    """Print the words; exit code 1 where numpy has nothing to switch off, since that would test little."""
    found = environment()
    if len(found) == 1:
        print("old_cpu: numpy and OpenBLAS have no other code for this machine", file=sys.stderr)
        return 1
    print(*(f"{name}={value}" for name, value in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
