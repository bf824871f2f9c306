from __future__ import annotations

from sweep_factory import compared, value

from spikedoc.sweep.chart import HEIGHT, draw_sweep
from spikedoc.sweep.result import Kind, Origin, Outcome, Proposal, Setting, Sweep, Value
from spikedoc.text import Text


def sweep(*values: Value) -> Sweep:
    setting = Setting("lr", Origin.CONFIG, is_rate=True)
    return Sweep(setting, "loss", 10, values, Proposal(Kind.UNTOLD, Text("", "")))


def test_every_value_has_its_mark() -> None:
    (real,) = compared("lr").sweeps
    drawn = draw_sweep(real, 61, unicode=True)
    assert drawn is not None
    assert drawn.marks[0, 0] is Outcome.TOO_SLOW  # the highest loss at the lowest rate
    assert drawn.marks[0, 60] is Outcome.DIVERGING  # no level: at the top
    assert drawn.marks[HEIGHT - 1, 40] is Outcome.STEADY  # 0.01, the lowest loss
    assert len(drawn.marks) == 7
    assert drawn.tick_labels.split() == [
        "0.0001",
        "0.0003",
        "0.001",
        "0.003",
        "0.01",
        "0.03",
        "0.1",
    ]


def test_labels_that_have_no_room_are_left_out() -> None:
    (real,) = compared("lr").sweeps
    drawn = draw_sweep(real, 20, unicode=False)
    assert drawn is not None
    assert len(drawn.tick_labels) <= 20
    assert len(drawn.tick_labels.split()) < 7


def test_a_narrow_span_stands_on_a_linear_axis() -> None:
    steady = Outcome.STEADY
    drawn = draw_sweep(
        sweep(value(1.0, steady, 3.0), value(2.0, steady, 2.0), value(3.0, steady, 1.0)),
        41,
        unicode=True,
    )
    assert drawn is not None
    assert sorted(column for _, column in drawn.marks) == [0, 20, 40]


def test_nothing_is_drawn_of_words_or_of_too_little() -> None:
    steady = Outcome.STEADY
    assert (
        draw_sweep(sweep(value(1.0, steady, 1.0), value(2.0, steady, 1.0)), 40, unicode=True)
        is None
    )
    words = [value(word, steady, 1.0) for word in "abc"]
    assert draw_sweep(sweep(*words), 40, unicode=True) is None
    lost = [value(one, Outcome.DIVERGING) for one in (1.0, 2.0, 3.0)]
    assert draw_sweep(sweep(*lost), 40, unicode=True) is None
