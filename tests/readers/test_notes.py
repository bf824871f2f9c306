"""What a note says by itself."""

from __future__ import annotations

import pytest

from spikedoc.readers._notes import EPOCH_LENGTH, EPOCH_STEPS, ROW_STEPS, counts_epochs
from spikedoc.text import Text


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (EPOCH_STEPS.fill({"tag": "epoch"}), True),
        (EPOCH_STEPS.fill({"tag": "train epoch"}), True),
        (EPOCH_LENGTH.fill({"length": 500, "source": "as printed"}), False),
        (ROW_STEPS, False),
    ],
)
def test_whether_steps_are_epochs(note: Text, *, said: bool) -> None:
    assert counts_epochs([ROW_STEPS, note]) is said
    assert not counts_epochs([])
