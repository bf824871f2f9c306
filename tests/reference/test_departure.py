"""Which signal leaves its band, where, how far, and whether that is trouble."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from healthy_project import changed, healthy, without

from spikedoc.model.run import Run
from spikedoc.reference.build import build
from spikedoc.reference.departure import Departure, compare

REFERENCE = build([healthy(seed) for seed in range(5)])
RUN = healthy(99)


def departures(run: Run) -> dict[str, Departure]:
    return {one.signal: one for one in compare(run, REFERENCE).departures}


def test_a_healthy_run_stays_in_every_band() -> None:
    found = compare(RUN, REFERENCE)
    assert found.departures == ()
    assert set(found.compared) == {band.signal for band in REFERENCE.bands}
    assert (found.missing, found.is_short) == ((), False)


@pytest.mark.parametrize(
    ("name", "factor", "above", "trouble"),
    [
        ("loss", 3.0, True, True),
        ("loss", 0.3, False, False),
        ("grad_norm", 10.0, True, True),
        ("grad_norm", 0.1, False, True),
        ("throughput", 0.5, False, True),
        ("throughput", 2.0, True, False),
        ("val_metric:acc", 0.7, False, True),
        ("lr", 2.0, True, True),
        ("other:act", 9.0, True, False),
    ],
)
def test_the_direction_matters(name: str, factor: float, above: bool, trouble: bool) -> None:
    (found,) = compare(changed(RUN, name, factor), REFERENCE).departures
    assert (found.signal, found.above, found.is_trouble) == (name, above, trouble)
    assert found.first_step == pytest.approx(500, abs=50)
    outside = found.level > found.high if above else found.level < found.low
    assert outside
    assert found.beyond > 0


def test_how_far_in_widths_of_the_band() -> None:
    found = departures(changed(RUN, "loss", 3.0))["loss"]
    width = np.log(found.high / found.low)
    assert found.beyond == pytest.approx(np.log(found.level / found.high) / width, rel=1e-6)


def test_the_first_to_leave_is_named_first() -> None:
    both = changed(changed(RUN, "loss", 5.0, 700), "grad_norm", 20.0, 300)
    found = compare(both, REFERENCE)
    assert [one.signal for one in found.departures] == ["grad_norm", "loss"]
    assert found.first is not None
    assert found.first.first_step == pytest.approx(300, abs=10)
    assert [one.first_step for one in found.departures][1] == pytest.approx(700, abs=10)


def test_what_is_only_told_is_not_the_first() -> None:
    both = changed(changed(RUN, "loss", 5.0, 700), "other:act", 20.0, 300)
    first = compare(both, REFERENCE).first
    assert first is not None
    assert first.signal == "loss"


def test_a_few_points_outside_are_normal() -> None:
    assert compare(changed(RUN, "loss", 50.0, 500, 510), REFERENCE).departures == ()


def test_one_level_far_outside_is_enough() -> None:
    assert "loss" in departures(changed(RUN, "loss", 50.0, 501, 551))


def test_a_level_that_is_not_finite_is_trouble() -> None:
    found = departures(changed(RUN, "loss", np.nan))["loss"]
    assert (found.is_trouble, found.is_finite) == (True, False)
    assert found.first_step == pytest.approx(500, abs=1)


def test_a_value_without_a_logarithm_is_below() -> None:
    found = departures(changed(RUN, "grad_norm", 0.0))["grad_norm"]
    assert (found.above, found.is_trouble) == (False, True)


def test_what_was_not_logged_is_missing() -> None:
    found = compare(without(RUN, "lr", "loss"), REFERENCE)
    assert found.missing == ("loss", "lr")
    assert found.departures == ()


def test_a_run_cut_short_is_compared_as_far_as_it_goes() -> None:
    found = compare(changed(healthy(99, 400), "loss", 3.0, 200), REFERENCE)
    assert (found.is_short, found.last_step) == (True, 400)
    assert [one.signal for one in found.departures] == ["loss"]


def test_a_run_cut_short_is_not_stretched() -> None:
    shares = build([healthy(0, 500), healthy(1)])
    assert compare(healthy(2, 700), shares).compared
    assert compare(healthy(2, 100), shares).compared == ()


def test_another_logging_interval_is_no_departure() -> None:
    def thinned(run: Run) -> Run:
        parts = [
            replace(s, steps=s.steps[::7], values=s.values[::7]) if len(s) > 100 else s
            for s in run.series
        ]
        return replace(run, series=tuple(parts))

    assert compare(thinned(RUN), REFERENCE).departures == ()


def test_steps_beyond_the_reference_are_not_judged() -> None:
    later = replace(
        RUN, series=tuple(replace(s, steps=s.steps + 5000) for s in RUN.series if len(s) > 100)
    )
    assert compare(later, REFERENCE).compared == ()
