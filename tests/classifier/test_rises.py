import dataclasses

import numpy as np
import pytest
import synth

from spikedoc.classifier.rises import with_rise
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.signal.around import jump

N = 400
VALUES = np.full(N, 2.0)
VALUES[250] = 8.0
RUN = synth.run(synth.series(VALUES))
STEP = int(RUN.series[0].steps[250])
SPIKE = Anomaly(
    Kind.ISOLATED_SPIKE,
    Severity.WARNING,
    0.9,
    "loss",
    STEP,
    STEP,
    STEP,
    measures={"before": 1.9, "peak": 8.0, "factor": 4.2, "z": 9.0},
)


def test_a_spike_tells_what_evidence_measures() -> None:
    told = with_rise(RUN, SPIKE).measures
    rise = jump(RUN.series[0].steps, VALUES, STEP, STEP)
    assert rise is not None
    assert (told["before"], told["peak"], told["factor"]) == (rise.before, rise.peak, rise.factor)
    assert told["factor"] == pytest.approx(4.0)
    assert told["z"] == 9.0


def test_a_level_shift_keeps_the_level_it_reached() -> None:
    shift = dataclasses.replace(
        SPIKE, kind=Kind.LEVEL_SHIFT, form=Form.UP, measures={"before": 1.9, "after": 5.0}
    )
    told = with_rise(RUN, shift).measures
    assert (told["before"], told["after"], told["factor"]) == (2.0, 5.0, 2.5)
    down = dataclasses.replace(shift, form=Form.DOWN)
    assert with_rise(RUN, down) is down


def test_what_cannot_be_measured_is_left_as_it_is() -> None:
    early = dataclasses.replace(SPIKE, start_step=int(RUN.series[0].steps[1]))
    other = dataclasses.replace(SPIKE, signal="nowhere")
    pattern = dataclasses.replace(SPIKE, kind=Kind.PERIODIC_SPIKES)
    for anomaly in (early, other, pattern):
        assert with_rise(RUN, anomaly) is anomaly


def test_what_is_no_higher_than_before_has_not_risen() -> None:
    level = dataclasses.replace(SPIKE, start_step=300, peak_step=300)
    assert with_rise(RUN, level) is level


def test_a_level_that_was_not_measured_has_no_factor() -> None:
    shift = dataclasses.replace(
        SPIKE, kind=Kind.LEVEL_SHIFT, form=Form.UP, measures={"before": 1.9, "factor": 9.0}
    )
    assert with_rise(RUN, shift).measures == {"before": 2.0, "peak": 8.0}


def test_below_zero_there_is_no_factor() -> None:
    below = synth.run(synth.series(VALUES - 9.0))
    told = with_rise(below, SPIKE).measures
    assert told == {"before": -7.0, "peak": -1.0, "z": 9.0}


def test_the_step_of_the_peak_is_where_the_log_holds_it() -> None:
    late = dataclasses.replace(SPIKE, start_step=STEP - 1, peak_step=STEP - 1, end_step=STEP - 1)
    told = with_rise(RUN, late)
    assert (told.peak_step, told.end_step, told.measures["peak"]) == (STEP, STEP, 8.0)


@pytest.mark.parametrize(("end", "told"), [(4.0, True), (4.6, False)])
def test_a_step_that_does_not_stay_tells_both_levels(end: float, told: bool) -> None:
    values = np.concatenate([np.full(200, 2.0), np.linspace(5.0, end, 200)])
    run = synth.run(synth.series(values))
    at = int(run.series[0].steps[200])
    for form in (Form.UP, Form.DOWN):
        shift = dataclasses.replace(
            SPIKE, kind=Kind.LEVEL_SHIFT, form=form, start_step=at, peak_step=at, end_step=400
        )
        measures = with_rise(run, shift).measures
        assert ({"reached", "end"} <= measures.keys()) is told
        if told:
            assert measures["reached"] == pytest.approx(5.0, rel=0.02)
            assert measures["end"] == pytest.approx(end, rel=0.05)


def lost(steps: int, start: int) -> Anomaly:
    """Return a divergence from the start, whose detector took 2.9 for the best level."""
    measures = {"best": 2.9, "before": 2.8, "after": 46.0, "factor": 46.0 / 2.8}
    return Anomaly(
        Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", start, steps, steps, Form.FINITE, measures
    )


def test_a_divergence_from_the_first_steps_leaves_the_lowest_record_there_was() -> None:
    values = 2.3 * 1.08 ** np.arange(40)
    told = with_rise(synth.loss_run(values), lost(40, 4)).measures
    assert told["best"] == 2.3
    assert told["factor"] == pytest.approx(20.0)  # 46 / 2.3


def test_a_level_of_enough_records_stays_and_the_factor_is_counted_from_it() -> None:
    values = np.r_[np.full(20, 2.9), np.full(20, 46.0)]
    told = with_rise(synth.loss_run(values), lost(40, 21)).measures
    assert told["best"] == 2.9
    assert told["factor"] == pytest.approx(46.0 / 2.9)
