"""Whether the event came again: at the same step, at another, or not, and when none can tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pairs import curve, run, spiked

from spikedoc.comparison.compare import Options, compare
from spikedoc.comparison.result import Change, ReplayVerdict, Source, Verdict
from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

SAMPLES = Path(__file__).parents[2] / "sample_logs/replay"
EVENT = 410  # index; the step is one more


def replayed(a: Run, b: Run, changed: Change | None = None) -> ReplayVerdict:
    found = compare(a, b, Options(replay=True, changed=changed)).replay
    assert found is not None
    return found


def sample(name: str) -> Run:
    (found,) = load_runs(SAMPLES / name)
    return found


# ------------------------------------------------------------------------------ trainings that ran


def test_the_same_checkpoint_and_data_bring_it_again() -> None:
    found = replayed(sample("first"), sample("same"))
    assert (found.verdict, found.found_step) == (Verdict.SAME_STEP, 560)
    assert (found.change, found.source) == (Change.REPEAT, Source.SETTINGS)
    assert "bit for bit" in found.reason.en


def test_other_data_pass() -> None:
    found = replayed(sample("first"), sample("other_data"))
    assert (found.verdict, found.found_step) == (Verdict.NOT_REPRODUCED, None)
    assert (found.change, found.source) == (Change.DATA, Source.SETTINGS)
    assert "other batches" in found.reason.en


def test_an_older_state_with_the_same_data_brings_it_again_data_alone() -> None:
    found = replayed(sample("first"), sample("older_state"))
    assert (found.verdict, found.found_step) == (Verdict.SAME_STEP, 560)
    assert (found.change, found.source) == (Change.STATE, Source.LOGS)
    assert "data alone" in found.proves.en


def test_another_seed() -> None:
    found = replayed(sample("first"), sample("other_seed"))
    assert found.verdict is Verdict.NOT_REPRODUCED


# ----------------------------------------------------------------------------------- made verdicts


def test_at_another_step() -> None:
    a = run(spiked(curve(1), EVENT))
    b = run(spiked(curve(2), 500))
    found = replayed(a, b)
    assert (found.verdict, found.found_step) == (Verdict.OTHER_STEP, 501)
    assert found.event is not None
    assert found.event.step == 411


def test_at_another_step_of_a_short_noisy_replay() -> None:
    a = run(spiked(curve(1), EVENT))
    part = curve(2, 600, 0.3)[380:440]
    found = replayed(a, run(spiked(part, 50), first=381))
    assert (found.verdict, found.found_step) == (Verdict.OTHER_STEP, 431)


def test_a_spike_that_both_have_elsewhere_is_not_the_other_step() -> None:
    both = 200
    a = run(spiked(spiked(curve(1), EVENT, 30.0), both, 25.0))
    b = run(spiked(curve(2), both, 25.0))
    found = replayed(a, b)
    assert found.event is not None
    if found.event.step == 411:
        assert found.verdict is Verdict.NOT_REPRODUCED
    else:
        assert (found.verdict, found.found_step) == (Verdict.SAME_STEP, 201)


@pytest.mark.parametrize("seed", range(5))
def test_a_calm_repeat(seed: int) -> None:
    found = replayed(run(spiked(curve(2 * seed), EVENT)), run(curve(2 * seed + 1)))
    assert found.verdict is Verdict.NOT_REPRODUCED


def test_nothing_to_replay() -> None:
    found = replayed(run(curve(1)), run(curve(2)))
    assert found.verdict is Verdict.CANNOT_TELL
    assert found.event is None


def test_a_replay_that_does_not_reach_the_step() -> None:
    a = run(spiked(curve(1), EVENT))
    found = replayed(a, run(curve(2)[:300]))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "covers steps 1 to 300" in found.reason.en


def test_a_replay_that_does_not_log_the_step() -> None:
    a = run(spiked(curve(1), EVENT))
    found = replayed(a, run(curve(2)[::7], every=7))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "did not log" in found.reason.en


@pytest.mark.parametrize("is_nan", [False, True])
def test_a_replay_that_is_nan_from_its_start_repeats_nothing(is_nan: bool) -> None:
    values = spiked(curve(1), EVENT)
    values[EVENT:] = np.nan if is_nan else values[EVENT:]
    found = replayed(run(values), run(np.full(200, np.nan), first=EVENT - 100))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "0 finite points before it" in found.reason.en


def test_a_replay_that_stops_right_after_it() -> None:
    a = run(spiked(curve(1), EVENT))
    found = replayed(a, run(curve(2)[350:412], first=351))
    assert found.verdict is Verdict.CANNOT_TELL
    assert "1 after it" in found.reason.en


def test_a_replay_without_the_loss() -> None:
    a = run(spiked(curve(1), EVENT), others={Metric.GRAD_NORM: curve(3)})
    b = run(curve(2))
    only_norm = Run(
        "b", "b", (run(b.series[0].values, others={Metric.GRAD_NORM: curve(4)}).series[1],)
    )
    found = replayed(a, only_norm)
    assert found.verdict is Verdict.CANNOT_TELL
    assert "no `loss`" in found.reason.en


def test_a_short_replay_from_a_checkpoint_is_judged_by_its_values() -> None:
    values = spiked(curve(1), EVENT)
    found = replayed(run(values), run(values[380:440], first=381))
    assert (found.verdict, found.found_step) == (Verdict.SAME_STEP, 411)


def test_a_replay_that_counts_anew() -> None:
    values = spiked(curve(1), EVENT)
    comparison = compare(run(values), run(values[380:440], first=1), Options(replay=True))
    assert comparison.offset == 380
    assert comparison.replay is not None
    assert comparison.replay.verdict is Verdict.SAME_STEP


def broken(values: np.ndarray, index: int) -> np.ndarray:
    out = values.copy()
    out[index:] = np.nan
    return out


def test_nan_at_the_same_step_at_another_and_not() -> None:
    a = run(broken(curve(1), EVENT))
    same = replayed(a, run(broken(curve(2), EVENT)))
    assert (same.verdict, same.found_step) == (Verdict.SAME_STEP, 411)
    other = replayed(a, run(broken(curve(2), 500)))
    assert (other.verdict, other.found_step) == (Verdict.OTHER_STEP, 501)
    assert replayed(a, run(curve(2))).verdict is Verdict.NOT_REPRODUCED


def test_nan_in_fp16_alone() -> None:
    a = run(broken(curve(1), EVENT), config={"precision": "fp16", "seed": 1})
    b = run(curve(1), config={"precision": "fp32", "seed": 1})
    found = replayed(a, b)
    assert (found.verdict, found.change) == (Verdict.NOT_REPRODUCED, Change.PRECISION)
    assert "numbers" in found.proves.en
    assert "bit for bit" in found.reason.en


def test_the_change_can_be_told() -> None:
    a, b = run(spiked(curve(1), EVENT)), run(curve(2))
    found = replayed(a, b, Change.DEVICES)
    assert (found.change, found.source) == (Change.DEVICES, Source.TOLD)
    assert "distribution" in found.proves.en


def test_a_divergence_that_a_lower_rate_passes() -> None:
    values = curve(1)
    values[EVENT:] *= np.exp(np.linspace(0.0, 3.0, values.size - EVENT))
    a = run(values, config={"lr": 1e-2, "seed": 1})
    found = replayed(a, run(curve(2), config={"lr": 1e-3, "seed": 1}))
    assert (found.verdict, found.change) == (Verdict.NOT_REPRODUCED, Change.LR)
    assert "too high" in found.proves.en
