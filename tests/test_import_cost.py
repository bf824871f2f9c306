"""What a start costs: finding all plug-ins must not load a heavy library.

Checked in a fresh interpreter, because everything is loaded in this one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# CPU time of an import, measured: pandas 0.56 s, tensorboard 0.26 s, scipy.signal 1.7 s.
HEAVY = ("pandas", "scipy", "tensorboard", "rich", "click", "yaml", "matplotlib", "torch")

# What is done, and which of the heavy ones it may load all the same.
STARTS = {
    "import spikedoc": (),
    "import spikedoc.pipeline": (),
    "import spikedoc.ingest": (),
    "import spikedoc.rules.loader; spikedoc.rules.loader.load_catalog(None)": (),
    """
import spikedoc.detectors, spikedoc.evidence, spikedoc.figures, spikedoc.readers, spikedoc.renderers
from spikedoc.plugins import discover
found = [
    discover(spikedoc.detectors, "DETECTOR"), discover(spikedoc.evidence, "PROBES"),
    discover(spikedoc.figures, "FIGURES"), discover(spikedoc.readers, "READER"),
    discover(spikedoc.renderers, "RENDERER"),
]
assert all(found)
""": (),
    """
import numpy as np
from spikedoc import analyze
steps = np.arange(2000)
report = analyze({"step": steps, "loss": 1.0 + np.exp(-steps / 200.0)})
assert report.status == "healthy"
""": (),
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Return the heavy packages a fresh interpreter has loaded after running `code`."""
    show = "import json, sys; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1])) & set(HEAVY)


@pytest.mark.parametrize("code", STARTS)
def test_heavy_libraries_stay_unloaded(code: str) -> None:
    assert loaded_by(code) <= set(STARTS[code])


def test_the_package_itself_loads_no_numpy() -> None:
    """`import spikedoc` is in everybody's way, even where nothing is analysed."""
    show = "import spikedoc, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", show], cwd=ROOT, check=False).returncode == 0
