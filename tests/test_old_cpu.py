"""tools/old_cpu.py really takes numpy's vector code and OpenBLAS's newer kernels away."""

import json
import os
import subprocess
import sys

import old_cpu

PROGRAM = """
import json, old_cpu, scipy.linalg, threadpoolctl
from thriftree import _core
blas = [one["architecture"] for one in threadpoolctl.threadpool_info() if one["internal_api"] == "openblas"]
print(json.dumps([old_cpu.vector_code(), blas, _core.cpu_level]))
"""


def test_nothing_is_left_of_what_newer_cpus_have():
    environment = old_cpu.environment()
    assert environment
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env=os.environ | environment | {"PYTHONPATH": os.path.dirname(old_cpu.__file__)},
        capture_output=True,
        text=True,
        check=True,
    )
    features, kernels, level = json.loads(child.stdout)
    assert features == []
    assert level == "plain"
    assert {name.lower() for name in kernels} <= {environment.get("OPENBLAS_CORETYPE", "").lower()}
