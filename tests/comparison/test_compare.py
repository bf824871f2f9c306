"""Two runs as a whole: outcome, what parts first, time to a loss, what is said and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pairs import curve, run, spiked, with_config

from spikedoc.comparison.compare import Options, compare
from spikedoc.comparison.result import Outcome
from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import Run
from spikedoc.reference.build import build
from spikedoc.text import Text

SAMPLES = Path(__file__).parents[2] / "sample_logs"


def sample(name: str) -> Run:
    (found,) = load_runs(SAMPLES / name)
    return found


@pytest.mark.parametrize(
    "name",
    sorted(p.parent.name for p in SAMPLES.glob("*/case.toml") if (p.parent / "run").is_dir()),
)
def test_every_sample_is_identical_to_itself(name: str) -> None:
    one = sample(f"{name}/run")
    found = compare(one, one)
    assert found.outcome is Outcome.IDENTICAL
    assert found.first is None
    assert found.settings == ()


def test_seeds_alone_stay_together() -> None:
    found = compare(run(curve(1)), run(curve(2)))
    assert found.outcome is Outcome.TOGETHER
    assert "do not part" in found.headline.en


def test_what_parts_first_leads() -> None:
    lr = np.full(600, 1e-3)
    halved = lr.copy()
    halved[200:] /= 4
    b = curve(2)
    b[300:] *= 2.0
    found = compare(run(curve(1), others={Metric.LR: lr}), run(b, others={Metric.LR: halved}))
    assert found.outcome is Outcome.PARTED
    assert found.first == "lr"
    assert found.headline.en.startswith("`lr` differs from step 201 on")
    assert "`loss` parts at step" in found.headline.en


def test_a_schedule_alone_does_not_make_a_parting() -> None:
    lr = np.full(600, 1e-3)
    found = compare(
        run(curve(1), others={Metric.LR: lr}), run(curve(2), others={Metric.LR: lr / 2})
    )
    assert found.outcome is Outcome.TOGETHER
    assert "results do not part" in found.headline.en


def test_real_trainings_of_other_seeds_part_at_the_bad_batch_alone() -> None:
    found = compare(sample("replay/first"), sample("replay/other_seed"))
    assert found.first == "loss"
    loss = found.signal("loss")
    assert loss is not None
    assert loss.parting is not None
    assert (loss.parting.kind, loss.parting.step) == ("point", 560)
    assert found.signal("grad_norm").parting is None  # type: ignore[union-attr]


def test_a_lower_rate_that_is_smoother_but_slower() -> None:
    found = compare(sample("replay/first"), sample("replay/lower_lr"))
    assert found.first == "lr"
    assert found.time_to_loss is not None
    assert found.time_to_loss.ratio > 2.0
    assert any("Smoother but slower" in text.en for text in found.statements)
    assert [one.key for one in found.settings] == ["lr"]


def test_in_a_replay_the_verdict_alone_judges_the_rate() -> None:
    found = compare(sample("replay/first"), sample("replay/lower_lr"), Options(replay=True))
    assert found.replay is not None
    assert not any("Smoother but slower" in text.en for text in found.statements)


def test_time_to_a_loss() -> None:
    t = np.arange(1000)
    fast, slow = 2.0 - 0.001 * t, 2.0 - 0.0005 * t
    found = compare(run(fast), run(slow)).time_to_loss
    assert found is not None
    assert found.target == pytest.approx(1.5, abs=0.02)
    assert found.ratio == pytest.approx(2.0, rel=0.05)


def test_no_time_to_a_loss_for_a_stretch() -> None:
    found = compare(run(curve(1)), run(curve(2)[300:], first=301))
    assert found.time_to_loss is None
    assert found.b.is_stretch
    assert not found.a.is_stretch


def test_a_constant_ratio_that_a_setting_explains() -> None:
    a = run(curve(1))
    b = with_config(run(curve(1) * 32), lr=0.001)
    found = compare(a, b)
    texts = " ".join(text.en for text in found.statements)
    assert "32 at all steps" in texts
    assert "`batch_size` of A: 32" in texts


def test_steps_of_another_kind_are_not_aligned() -> None:
    a, b = run(curve(1)), run(curve(1), first=32, every=32)
    found = compare(a, b)
    assert found.outcome is Outcome.UNDECIDED
    assert found.signals == ()
    assert any("different things" in text.en for text in found.warnings)
    assert compare(a, b, Options(same_steps=True)).signals


def test_a_term_added_to_the_loss_is_named() -> None:
    found = compare(run(curve(1)), run(curve(1) + 0.25))
    texts = [text for text in found.statements if "+0.25" in text.en]
    assert len(texts) == 1
    assert "a term that one of them adds" in texts[0].en
    assert "正则项" in texts[0].zh


@pytest.mark.parametrize(
    ("of_a", "of_b", "told"),
    [
        (
            {"steps_per_epoch": 100, "batch_size": 32},
            {"steps_per_epoch": 3200},
            "By their epochs, one step of A is 32 steps of B. That is `batch_size` of A: 32.",
        ),
        (
            {"total_steps": 19200},
            {"total_steps": 600, "batch_size": 8},
            "By the totals in their settings, one step of B is 32 steps of A",
        ),
        ({}, {"total_steps": 600}, ""),
    ],
)
def test_the_ratio_of_other_units_is_told(
    of_a: dict[str, int], of_b: dict[str, int], told: str
) -> None:
    a = run(curve(1), config=of_a)
    b = run(curve(1), first=32, every=32, config=of_b)
    texts = " ".join(text.en for text in compare(a, b).warnings)
    assert told in texts
    assert ("one step of" in texts) == bool(told)


def test_both_are_laid_beside_healthy_runs() -> None:
    reference = build([run(curve(seed)) for seed in range(3)])
    found = compare(run(curve(7)), run(curve(8) * 30), Options(reference=reference))
    told = [text.en for text in found.statements if "healthy runs" in text.en]
    assert [text[:2] for text in told] == ["A ", "B "]
    assert "stays in the bands" in told[0]
    assert "leaves the bands" in told[1]


def test_places_that_both_spike_at_are_asked_for_unless_it_is_a_replay() -> None:
    asked: list[list[str]] = []

    def shared(examined: Sequence[tuple[Run, Report]]) -> list[Text]:
        asked.append([one.name for one, _ in examined])
        return [Text("here", "此处")]

    a, b = run(curve(1)), run(curve(2))
    assert Text("here", "此处") in compare(a, b, Options(shared=shared)).statements
    compare(a, b, Options(shared=shared, replay=True))
    compare(a, run(curve(1), first=32, every=32), Options(shared=shared))
    assert asked == [["A", "B"]]


def test_no_signal_and_no_step_in_common() -> None:
    assert compare(run(curve(1)), run(curve(2), first=5000)).outcome is Outcome.UNDECIDED
    norm = run(curve(1), others={Metric.GRAD_NORM: curve(2)})
    only = replace(norm, series=norm.series[1:])
    assert compare(run(curve(1)), only).outcome is Outcome.UNDECIDED
    empty = Run("empty", "empty", ())
    assert compare(empty, empty).outcome is Outcome.UNDECIDED


def test_a_batch_that_changed_without_a_plan() -> None:
    b = with_config(run(curve(2)), batch_size=128)
    texts = [text.en for text in compare(run(curve(1)), b).statements]
    assert any("effective batch is 32 in A and 128 in B" in text for text in texts)
    assert any("there are fewer of them" in text for text in texts)
    planned = with_config(b, lr=0.004)
    texts = [text.en for text in compare(run(curve(1)), planned).statements]
    assert not any("fewer of them" in text for text in texts)


def test_a_baseline_is_asked_for_where_seed_or_order_are_unknown() -> None:
    without = replace(run(curve(2)), config={"lr": 0.001})
    warned = " ".join(text.en for text in compare(run(curve(1)), without).warnings)
    assert "seed of B was not recorded" in warned
    warned = " ".join(text.en for text in compare(run(curve(1)), run(curve(2))).warnings)
    assert "order of the data was not recorded" in warned
    other = with_config(run(curve(2)), seed=5)
    warned = " ".join(text.en for text in compare(run(curve(1)), other).warnings)
    assert "small differences prove nothing" in warned
    assert "More than one setting" not in warned
    two = with_config(other, lr=0.01)
    warned = " ".join(text.en for text in compare(run(curve(1)), two).warnings)
    assert "More than one setting" in warned


def test_the_same_noise_proves_the_same_batches() -> None:
    noise = curve(3) / curve(3, sigma=0.0)
    b = curve(1) * noise**0.05
    found = compare(run(curve(1)), run(b))
    assert any("same batches in the same order" in text.en for text in found.statements)
    assert not any("order of the data" in text.en for text in found.warnings)


def test_a_copy_is_called_one() -> None:
    times = 1e9 + np.arange(600.0)
    one = run(curve(1))
    timed = replace(one, series=(replace(one.series[0], wall_times=times),))
    assert any("copy" in text.en for text in compare(timed, timed).warnings)
    assert not any("copy" in text.en for text in compare(one, one).warnings)


def test_nan_in_one_run() -> None:
    b = curve(2)
    b[500:] = np.nan
    found = compare(run(curve(1)), run(b))
    assert found.outcome is Outcome.PARTED
    assert "`loss` of B is NaN or infinite from step 501 on" in found.headline.en


def test_values_with_few_steps_in_common_are_told() -> None:
    found = compare(run(np.array([3.0, 2.0, 1.0])), run(np.array([3.0, 2.5, 1.0])))
    assert found.outcome is Outcome.UNDECIDED
    assert any("at step 2 the values differ by 20 %" in text.en for text in found.statements)


def test_a_running_mean_is_recognised() -> None:
    raw = curve(1, 1200)
    smooth = np.convolve(np.pad(curve(2, 1200), (19, 0), mode="edge"), np.ones(20) / 20, "valid")
    found = compare(run(raw), run(smooth))
    assert found.outcome is Outcome.TOGETHER
    assert any("running mean" in text.en for text in found.statements)


def test_a_spike_alone() -> None:
    found = compare(run(spiked(curve(1), 410)), run(curve(2)))
    assert found.outcome is Outcome.PARTED
    assert "spikes in A alone at step 411" in found.headline.en
