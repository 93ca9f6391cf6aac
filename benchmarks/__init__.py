"""Speed and memory of thriftree beside other libraries: ``python -m benchmarks``.

Every library works on one thread here. Most read these variables once, when they are imported, so they are
set before anything else happens.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
