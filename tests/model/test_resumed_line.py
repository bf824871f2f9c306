"""Which printed lines tell of a run that goes on, and which only name the setting."""

from __future__ import annotations

import pytest

from spikedoc.model.resumed_line import says_resumed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("2026-11-02 08:10:00 INFO Resuming from checkpoint out/step_3000.pt", True),
        ("Resumed training from iteration 500", True),
        ("  Continuing training from global step 2000", True),
        ("Restored all states from the checkpoint at last.ckpt", True),
        ("resume_from_checkpoint: None", False),
        ("resuming_from=None", False),
        ("to resume, start from the last checkpoint", False),
        ("Loading weights from checkpoint", False),
    ],
)
def test_lines(line: str, told: bool) -> None:
    assert says_resumed(line) is told
