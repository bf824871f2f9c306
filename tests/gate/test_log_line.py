"""The line that holds a point, and silence where two could be meant."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from spikedoc.gate.judge import judge
from spikedoc.gate.log_line import LARGEST_BYTES, lines_of
from spikedoc.gate.settings import Settings
from spikedoc.pipeline import examine

NAN = math.nan


@pytest.mark.parametrize(
    ("text", "point", "line"),
    [
        ("step,loss\n1,0.5\n2,0.25\n", (2, 0.25), 3),
        ("step,loss\n1,0.5\n2,0.25", (2, 0.25), 3),
        ("loss,step\n0.5,1.0\n0.25,2.0\n", (2, 0.25), 3),
        ('{"step": 1, "loss": 2}\n{"step": 2, "loss": NaN}\n', (2, NAN), 2),
        ("step 7: loss 1e-3, lr 2\nstep 8: loss -inf\n", (8, -math.inf), 2),
        ("iter 2/2 | loss=2.000 |\n", (2, 2.0), 1),
        ("step,loss\n2,0.25\n2,0.25\n", (2, 0.25), None),  # written twice: either may be meant
        ("step,loss\n12,0.25\n", (2, 0.25), None),
        ("step,loss\n0.2,0.25\n", (2, 0.25), None),
        ("step,loss\n2,0.250001\n", (2, 0.25), None),
        ("step,loss\n2,1\n", (2, 2.0), None),  # one number is not step and value at once
        ('[{"step":\n2, "loss":\n0.25}]', (2, 0.25), None),
        ("", (2, 0.25), None),
    ],
)
def test_lines(tmp_path: Path, text: str, point: tuple[int, float], line: int | None) -> None:
    file = tmp_path / "log"
    file.write_text(text)
    assert lines_of(str(file), [point]) == ({} if line is None else {point: line})


def test_what_is_not_read_as_text(tmp_path: Path) -> None:
    point, text = (2, 0.25), "step,loss\n2,0.25\n"
    packed, binary, long = (tmp_path / name for name in ("a.gz", "b.bin", "c.csv"))
    packed.write_bytes(gzip.compress(text.encode()))
    binary.write_bytes(text.encode() + b"\0")
    with long.open("wb") as file:
        file.write(text.encode())
        file.truncate(LARGEST_BYTES + 1)
    for name in (packed, binary, long, tmp_path, tmp_path / "gone", "s3://bucket/a", "-", "\0"):
        assert lines_of(str(name), [point]) == {}
    assert lines_of(str(binary), []) == {}


def test_a_line_as_long_as_a_file_tells_nothing(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("2 0.25 " + "x" * 20_000)
    assert lines_of(str(file), [(2, 0.25)]) == {}


def test_what_would_take_long_is_left_alone(tmp_path: Path) -> None:
    """The step on every line, a step many times on a line, digits without an end."""
    file, point = tmp_path / "log", (2, 0.25)
    file.write_text("2 0.25\n" + ("2 " * 9_000 + "1" * 1_900 + "x\n") * 400)
    assert lines_of(str(file), [point]) == {}
    file.write_text("2 0.25\n" + ("2 " * 9_000 + "1" * 1_900 + "x\n") * 20)
    assert lines_of(str(file), [point]) == {point: 1}


def test_a_finding_of_a_log(tmp_path: Path) -> None:
    """The run has two files; the finding is in the second, at the line where it begins."""
    loss = np.linspace(4.0, 1.0, 400) + np.random.default_rng(0).normal(0.0, 0.01, 400)
    loss[300:] = np.nan
    (tmp_path / "a.csv").write_text(
        "step,lr\n" + "".join(f"{step},0.1\n" for step in range(400)), encoding="utf-8"
    )
    (tmp_path / "b.csv").write_text(
        "step,loss\n" + "".join(f"{step},{value}\n" for step, value in enumerate(loss)),
        encoding="utf-8",
    )
    ((run, report),) = examine(str(tmp_path))
    found = [c for c in judge(run, report, Settings(), {}).checks if c.id.startswith("nonfinite")]
    assert [(Path(check.log).name, check.step, check.line) for check in found] == [
        ("b.csv", 300, 302)
    ]
