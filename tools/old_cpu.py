"""Print the environment in which numpy and OpenBLAS compute as on an old CPU, as words for `env`.

numpy picks its vector code, and OpenBLAS its kernels, when they are loaded, by what the CPU can do. Where
they pick others, last digits differ, and no tree may.
"""

import platform
import sys

import numpy as np

if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
else:
    from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__

#: The plainest kernels that OpenBLAS has for a machine.
KERNELS = {"x86_64": "Nehalem", "AMD64": "Nehalem", "aarch64": "ARMV8", "arm64": "ARMV8"}


def environment() -> dict[str, str]:
    """Variables that must be set before numpy is loaded; they name what this CPU has, on any machine."""
    features = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    found = {"NPY_DISABLE_CPU_FEATURES": ",".join(features)} if features else {}
    kernels = KERNELS.get(platform.machine())
    return found | ({"OPENBLAS_CORETYPE": kernels} if kernels else {})


def main() -> int:
    """Print the words; exit code 1 where nothing can be switched off, since that would test nothing."""
    words = [f"{name}={value}" for name, value in environment().items()]
    if not words:
        print("old_cpu: numpy and OpenBLAS have no other code for this machine", file=sys.stderr)
        return 1
    print(*words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
