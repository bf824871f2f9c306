"""Codes, experts, features and actions in use at their floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.detectors.collapse import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

POINTS = 200
TIME = np.arange(POINTS) / POINTS
AT = TIME >= 0.3
STANDS = np.where(AT, 1.0, 3.0 - 6.0 * TIME)
FALLS = 3.0 - 2.0 * TIME
CODES = np.where(AT, 20.0, 400.0)


def part(tag: str, values: np.ndarray) -> Series:
    return synth.series(values, Metric.OTHER, tag=tag, name=f"other:{tag}")


def run(tag: str, values: np.ndarray, loss: np.ndarray = STANDS) -> Run:
    return synth.run(synth.series(loss), part(tag, values))


def rewarded(entropy: np.ndarray, reward: np.ndarray, tag: str = "train/entropy_loss") -> Run:
    return synth.run(part(tag, entropy), synth.series(reward, Metric.REWARD))


def test_codes_that_fell_to_a_few_beside_a_loss_that_stands() -> None:
    (found,) = detect(run("codebook_perplexity", CODES))
    assert (found.shape, found.signal) == (Shape.COLLAPSE, "other:codebook_perplexity")
    assert (found.first_step, found.last_step) == (61, POINTS)
    assert found.measures == {"before": 400.0, "after": 20.0}


@pytest.mark.parametrize(
    ("values", "loss"),
    [
        (CODES, FALLS),  # the loss goes on falling
        (np.where(AT, 100.0, 400.0), STANDS),  # a quarter is left
        (np.where(AT & (TIME < 0.9), 20.0, 400.0), STANDS),  # comes back
        (np.where(AT, 20.0, -400.0), STANDS),  # no count
        (np.where(TIME < 0.01, 400.0, 20.0), STANDS),  # two records are no level
        (np.full(POINTS, 20.0), STANDS),
    ],
)
def test_fewer_codes_are_no_collapse_by_themselves(values: np.ndarray, loss: np.ndarray) -> None:
    assert detect(run("codebook_perplexity", values, loss)) == ()


@pytest.mark.parametrize(("share", "told"), [(0.149, 1), (0.151, 0)])
def test_a_seventh_of_the_codes_is_the_border(share: float, told: int) -> None:
    values = np.where(AT, 400.0 * share, 400.0)
    assert len(detect(run("codebook_perplexity", values))) == told


def test_nineteen_records_are_too_few() -> None:
    values, loss = np.repeat([400.0, 20.0], [6, 14]), np.repeat([3.0, 1.0], [6, 14])
    assert len(detect(run("codebook_perplexity", values, loss))) == 1
    assert detect(run("codebook_perplexity", values[1:], loss[1:])) == ()


def test_a_policy_that_stops_exploring_before_it_won_anything() -> None:
    entropy = np.where(AT, -0.02, -7.0)
    (found,) = detect(rewarded(entropy, np.full(POINTS, -100.0)))
    assert found.measures == {"before": -7.0, "after": -0.02}  # as the log has them
    assert found.first_step == 61


@pytest.mark.parametrize(
    "reward",
    [
        np.minimum(TIME, 0.3),  # won as the entropy fell, and kept
        np.where(TIME < 0.01, 0.0, 1.0),  # won at once
        TIME,  # still rising
    ],
)
def test_a_policy_that_won_may_be_certain(reward: np.ndarray) -> None:
    assert detect(rewarded(np.where(AT, 0.02, 7.0), reward)) == ()


def test_a_reward_that_was_won_and_lost_is_no_excuse() -> None:
    reward = np.where(AT, 0.0, 3.0 * TIME)
    assert len(detect(rewarded(np.where(AT, 0.02, 7.0), reward))) == 1


def test_a_density_that_passes_zero_is_no_collapse() -> None:
    assert detect(rewarded(2.0 - 4.0 * TIME, np.zeros(POINTS), tag="entropy")) == ()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [(0.5, 6.0, 1), (0.5, 1.9, 0), (2.0, 5.0, 0), (0.0, 2.1, 1)],
)
def test_a_violation_that_grows_threefold_beyond_two(
    before: float, after: float, told: int
) -> None:
    assert len(detect(run("moe/max_vio", np.where(AT, after, before)))) == told


def loads(busy: np.ndarray, loss: np.ndarray = STANDS, experts: int = 8) -> Run:
    idle = (1.0 - busy) / (experts - 1)
    rows = [busy] + [idle] * (experts - 1)
    parts = [part(f"expert_{i}/load", row) for i, row in enumerate(rows)]
    return synth.run(synth.series(loss), *parts)


def test_the_loads_of_all_experts_are_weighed_against_their_number() -> None:
    (found,) = detect(loads(np.where(AT, 0.95, 0.125)))
    assert found.signal == "other:expert_0/load"
    assert found.measures["number_before"] == pytest.approx(8.0)
    assert found.measures["number_after"] == pytest.approx(1.34, abs=0.01)
    quick = np.where(TIME < 0.05, 3.0, 1.0)
    (from_start,) = detect(loads(np.full(POINTS, 0.95), quick))
    assert from_start.first_step == 1
    assert from_start.measures["number_before"] == 8.0
    assert detect(loads(np.where(AT, 0.6, 0.125))) == ()  # 4.3 of 8


def test_features_that_fell_to_nothing_at_all() -> None:
    (found,) = detect(run("output_std", np.where(AT, 0.0, 0.35)))
    assert found.measures == {"before": 0.35, "after": 0.0}
    assert found.first_step == 61
    assert detect(run("output_std", np.where(AT, 0.1, 0.35))) == ()


def test_attention_at_single_positions() -> None:
    assert len(detect(run("attn_entropy", np.where(AT, 0.1, 5.0)))) == 1
    assert detect(run("attn_entropy", np.where(AT, 1.5, 5.0))) == ()


def test_one_form_is_told_once() -> None:
    both = run("codebook_perplexity", CODES)
    twice = replace(both, series=(*both.series, part("valid_code_perplexity", CODES)))
    assert len(detect(twice)) == 1


def test_nothing_to_judge_by_is_no_harm() -> None:
    assert detect(synth.run(part("codebook_perplexity", CODES))) == ()


def test_a_policy_at_the_most_there_is_has_nothing_left_to_win() -> None:
    assert detect(rewarded(np.where(AT, 0.002, 0.6), np.full(POINTS, 500.0))) == ()


@pytest.mark.parametrize(
    "weight",
    [np.where(TIME < 0.05, 0.0, 0.01), 0.01 * np.minimum(1.0, 0.1 + 10 * TIME)],  # on; ramped
)
def test_a_weighted_balance_loss_grows_with_its_weight(weight: np.ndarray) -> None:
    assert detect(run("moe/aux_loss", weight * np.where(AT, 1.01, 1.0))) == ()
    unweighted = np.where(AT, 4.0, 1.0)
    (found,) = detect(run("moe/aux_loss", unweighted))
    assert found.measures == {"before": 1.0, "after": 4.0}


@pytest.mark.parametrize(("even", "told"), [(0.89, 0), (0.91, 1)])
def test_below_one_at_an_even_load_it_holds_a_weight(even: float, told: int) -> None:
    assert len(detect(run("load_balancing_loss", np.where(AT, 4.0, even)))) == told


def test_every_layer_with_experts_is_judged() -> None:
    even = [part(f"layer_0/expert_{i}/load", np.full(POINTS, 1 / 8)) for i in range(8)]
    shares = [np.where(AT, 0.97, 0.25)] + [np.where(AT, 0.01, 0.25)] * 3
    few = [part(f"layer_1/expert_{i}/load", values) for i, values in enumerate(shares)]
    (found,) = detect(synth.run(synth.series(STANDS), *even, *few))
    assert found.signal == "other:layer_1/expert_0/load"
    assert found.measures["number_before"] == pytest.approx(4.0)


@pytest.mark.parametrize("tag", ["latent_std", "train/z_std"])
def test_the_spread_of_a_posterior_shrinks_as_an_autoencoder_learns(tag: str) -> None:
    assert detect(run(tag, np.where(AT, 0.01, 1.0))) == ()


@pytest.mark.parametrize("base", [np.e, 2.0])
def test_a_perplexity_that_is_that_of_a_loss_counts_no_codes(base: float) -> None:
    loss = np.where(AT, 2.0, 8.0 - 12 * TIME)
    commit = part("commit_loss", np.full(POINTS, 0.1))
    ppl = part("ppl", base ** (loss - 0.5))  # of other data: lower throughout
    assert detect(synth.run(synth.series(loss), ppl, commit)) == ()
    codes = part("ppl", np.where(AT, 20.0, 400.0))
    assert len(detect(synth.run(synth.series(loss), codes, commit))) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_gradual_collapse_is_told_from_its_beginning(seed: int) -> None:
    noise = 0.05 * np.random.default_rng(seed).standard_normal(POINTS)
    falls = np.exp(-4.0 * np.clip((TIME - 0.3) / 0.3, 0.0, 1.0))  # half-way is at .45
    (found,) = detect(rewarded(2.0 * falls * np.exp(noise), np.full(POINTS, -100.0)))
    assert 55 <= found.first_step <= 66


@pytest.mark.parametrize(("alike", "told"), [(0.98, 1), (0.5, 0)])
def test_a_policy_that_kept_a_part_of_the_reward_and_has_one_answer_left_for_each_prompt(
    alike: float, told: int
) -> None:
    noise = 0.02 * np.random.default_rng(9).standard_normal(POINTS)
    reward = np.where(AT, 0.4, 0.2 + TIME / 1.5) + noise
    same = part("frac_reward_zero_std", np.where(AT, alike, 0.1))
    policy = rewarded(np.where(AT, 0.01, 1.2), reward, "entropy")
    found = detect(replace(policy, series=(*policy.series, same)))
    assert len(found) == told


def test_exploration_that_is_spent_while_the_reward_rises_is_no_part_of_the_collapse() -> None:
    noise = np.random.default_rng(2).standard_normal(POINTS)
    late = TIME >= 0.7
    entropy = np.where(late, 0.05, 1.4 - TIME)
    reward = np.where(late, 20.0, 500.0 * (1.0 - np.exp(-6.0 * TIME))) + 10.0 * noise
    (found,) = detect(rewarded(entropy * np.exp(0.01 * noise), reward, "entropy"))
    assert found.first_step == 141
