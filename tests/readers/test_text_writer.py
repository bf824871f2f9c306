"""The parsers of one process."""

from __future__ import annotations

import pytest

from spikedoc.readers._text_writer import UnclearError, Writer, profiles


def test_profiles_are_asked_in_order() -> None:
    orders = [profile.order for profile in profiles()]
    assert orders == sorted(orders)
    assert profiles()[-1].name == "generic"


def test_a_rehearsal_leaves_no_trace() -> None:
    writer = Writer(0)
    with pytest.raises(UnclearError):
        writer.rehearse("Epoch 7")
    found = writer.parse("loss: 0.5", is_drawn_over=False)
    assert found is not None
    assert found[0].epoch == ""
    writer.parse("Epoch 7", is_drawn_over=False)
    found = writer.rehearse("loss: 0.5")
    assert found is not None
    assert found[0].epoch == "7"


def test_memory_changes_with_what_was_read() -> None:
    writer = Writer(0)
    memory = writer.memory("loss: 0.5 1")
    assert all(vars(parser) == before for parser, before in memory)
    writer.parse("Epoch 7", is_drawn_over=False)
    assert not all(vars(parser) == before for parser, before in memory)
