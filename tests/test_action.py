"""The composite action: its script is run for real, on the code of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SCRIPT: str = ACTION["runs"]["steps"][0]["run"]
NAMES = ("fail_on", "config", "baseline", "junit", "sarif", "reference")

PYTHON = """#!/bin/sh
# stands for `python3 -m venv PLACE`: what it makes runs the code of this checkout
mkdir -p "$3/bin"
printf '#!/bin/sh\\n' > "$3/bin/pip"
printf '#!/bin/sh\\nexec "%s" -m spikedoc "$@"\\n' "$REAL_PYTHON" > "$3/bin/spikedoc"
chmod +x "$3/bin/pip" "$3/bin/spikedoc"
"""


@pytest.fixture
def act(tmp_path: Path) -> Any:
    """Run the script of the action; return exit code, output, and the file of outputs."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").write_text(PYTHON)
    (tools / "python3").chmod(0o755)

    def run(**inputs: str) -> tuple[int, str, str]:
        given = {f"INPUT_{name.upper()}": "" for name in NAMES}
        given |= {"INPUT_ALLOW_UNKNOWN": "false", "INPUT_VERSION": "", "ACTION_PATH": str(ROOT)}
        given |= {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
        outputs = tmp_path / "outputs"
        outputs.touch()
        env = os.environ | given | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "REAL_PYTHON": sys.executable,
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", SCRIPT],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        return done.returncode, done.stdout, outputs.read_text()

    return run


def test_green(act: Any, tmp_path: Path) -> None:
    code, out, outputs = act(paths=str(ROOT / "sample_logs/healthy_cosine_long"))
    assert (code, out, outputs) == (0, "", "exit-code=0\n")
    assert "| ok |" in (tmp_path / "summary.md").read_text()


def test_red_with_annotations_and_junit(act: Any, tmp_path: Path) -> None:
    where = str(ROOT / "sample_logs/fp16_overflow")
    code, out, outputs = act(paths=where, junit="out.xml", sarif="out.sarif", fail_on="critical")
    assert (code, outputs) == (1, "exit-code=1\n")
    assert out.startswith("::error ")
    assert "<failure" in (tmp_path / "out.xml").read_text()
    assert '"2.1.0"' in (tmp_path / "out.sarif").read_text()
    assert (tmp_path / "summary.md").read_text().count("### spikedoc") == 1


def test_an_input_cannot_be_a_command(act: Any, tmp_path: Path) -> None:
    code, _, _ = act(paths="$(touch broken) ; touch broken", fail_on="")
    assert code == 2
    assert not (tmp_path / "broken").exists()


def test_no_input_stands_in_the_script() -> None:
    assert "${{" not in SCRIPT
    given = set(ACTION["runs"]["steps"][0]["env"].values()) - {"${{ github.action_path }}"}
    assert given == {"${{ inputs.%s }}" % name for name in ACTION["inputs"]}  # noqa: UP031


def test_what_the_marketplace_asks_for() -> None:
    assert {"name", "description", "branding", "inputs", "outputs", "runs"} <= set(ACTION)
    assert all(step.get("shell") for step in ACTION["runs"]["steps"])


def test_the_log_is_read_once() -> None:
    assert SCRIPT.count("/bin/spikedoc") == 1


def test_a_reference(act: Any) -> None:
    where = str(ROOT / "sample_logs/healthy_cosine_long")
    assert act(paths=where, reference=where)[0] == 0
    other = str(ROOT / "sample_logs/healthy_noisy_small_batch")
    assert act(paths=other, reference=where)[0] == 1
