"""What Composer's FileLogger writes, with what it copies from the console."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.text import READER

LOG = """[hyperparameter]: num_nodes: 1
[stderr]: num_nodes: 1
[metric][batch=0]: time/batch: 0
[metric][batch=0]: loss/train/total: 0.75
[stderr]: [epoch=1][batch=1/2]:
[stderr]: \t Train time/batch: 0
[stderr]: \t Train loss/train/total: 0.75
[metric][batch=1]: time/batch: 1
[metric][batch=1]: loss/train/total: nan
[stderr]: [Eval batch=1/1] Eval on eval data:
[metric][batch=2]: metrics/eval/CrossEntropy: 0.5
[metric][batch=2]: metrics/eval/MulticlassAccuracy: 0.25
[stderr]: \t Eval metrics/eval/CrossEntropy: 0.5
"""


def test_what_is_copied_is_not_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "logs.txt"
    path.write_text(LOG)
    table = READER.read(path)
    assert points(table, "metrics/eval/CrossEntropy") == [(2, 0.5)]
    assert points(table, "metrics/eval/MulticlassAccuracy") == [(2, 0.25)]
    assert points(table, "loss/train/total")[0] == (0, 0.75)
    tags = {one.tag for one in table.series}
    assert tags == {
        "time/batch", "loss/train/total", "metrics/eval/CrossEntropy",
        "metrics/eval/MulticlassAccuracy",
    }  # fmt: skip


@pytest.mark.parametrize("stream", ["stderr", "stdout"])
def test_a_copy_of_the_console_alone(tmp_path: Path, stream: str) -> None:
    path = tmp_path / "logs.txt"
    lines = ["[epoch=1][batch=1/2]:", "\t Train loss/train/total: 0.75", "[epoch=1][batch=2/2]:",
             "\t Train loss/train/total: 0.5"]  # fmt: skip
    path.write_text("".join(f"[{stream}]: {line}\n" for line in lines))
    assert [value for _, value in points(READER.read(path), "loss/train/total")] == [0.75, 0.5]
