"""Which series tell of variety, and which way up."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.model.diversity import (
    POLICY,
    counts_codes,
    effective_number,
    varieties,
    variety_named,
    words,
)
from spikedoc.model.label import Form
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

LEVEL = np.linspace(10.0, 9.0, 30)


def part(tag: str, values: np.ndarray = LEVEL, rank: int | None = None) -> Series:
    return synth.series(values, Metric.OTHER, tag=tag, name=f"other:{tag}", rank=rank)


def forms(*tags: str, reward: bool = False) -> list[Form]:
    parts = [part(tag) for tag in tags]
    parts += [synth.series(LEVEL, Metric.REWARD)] if reward else []
    return [v.quantity.form for v in varieties(synth.run(*parts))]


@pytest.mark.parametrize(
    ("tag", "form"),
    [
        ("codebook_perplexity", Form.CODES),
        ("valid_prob_perplexity", Form.CODES),
        ("train/codevector_perplexity", Form.CODES),
        ("vq/perplexity", Form.CODES),
        ("codebook_usage", Form.CODES),
        ("num_used_codes", Form.CODES),
        ("moe/max_violation", Form.EXPERTS),
        ("e_max_violation:mean", Form.EXPERTS),
        ("e_frac_with_tokens:mean", Form.EXPERTS),
        ("load_balancing_loss", Form.EXPERTS),
        ("moe_aux_loss", Form.EXPERTS),
        ("moe/dropped_tokens_fraction", Form.EXPERTS),
        ("output_std", Form.FEATURES),
        ("train/effective_rank", Form.FEATURES),
        ("layer3/attn_entropy", Form.ATTENTION),
    ],
)
def test_tags_of_the_frameworks_are_known(tag: str, form: Form) -> None:
    assert forms(tag) == [form]


@pytest.mark.parametrize(
    "tag",
    [
        "perplexity",  # of a language model
        "eval/word_perplexity",
        "router_entropy",  # of one token: it falls as the router makes up its mind
        "loss_aux",  # an auxiliary head
        "reward_std",
        "gpu_usage",
        "entropy",  # without a reward
        "c" * 300 + " code_perplexity",
    ],
)
def test_other_names_are_not(tag: str) -> None:
    assert forms(tag) == []


def test_a_bare_perplexity_counts_codes_beside_the_loss_of_a_quantiser() -> None:
    assert forms("ppl", "div_loss") == [Form.CODES]
    assert forms("perplexity", "commitment_loss") == [Form.CODES]


@pytest.mark.parametrize(
    "tag", ["entropy", "actor/entropy", "train/entropy_loss", "Policy/Entropy"]
)
def test_the_entropy_beside_a_reward_is_that_of_the_policy(tag: str) -> None:
    assert forms(tag, reward=True) == [Form.POLICY]


@pytest.mark.parametrize("tag", ["ent_coef", "cross_entropy", "entropy_coef", "target_entropy"])
def test_and_what_sounds_like_it_is_not(tag: str) -> None:
    assert forms(tag, reward=True) == []


def test_minus_the_entropy_is_turned_back() -> None:
    parts = (synth.series(LEVEL, Metric.REWARD), part("train/entropy_loss", -LEVEL))
    (found,) = varieties(synth.run(*parts))
    assert found.quantity is POLICY
    assert found.sign == -1.0
    assert found.series.values.tolist() == LEVEL.tolist()
    mixed = LEVEL.copy()
    mixed[0] = -1.0  # of a density: it may be on either side of zero
    (kept,) = varieties(synth.run(parts[0], part("entropy", mixed)))
    assert kept.sign == 1.0
    assert kept.series.values.tolist() == mixed.tolist()


def experts(table: list[list[float]]) -> Run:
    return synth.run(*(part(f"moe/expert_{i}/load", np.array(row)) for i, row in enumerate(table)))


def test_the_loads_of_experts_are_one_number() -> None:
    run = experts([[1.0, 4.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 5.0], [1.0, 0.0, 5.0]])
    (found,) = varieties(run)
    assert found.experts == 4
    assert found.series.tag == "moe/expert_2/load"  # the busiest at the end
    assert found.series.values == pytest.approx([4.0, 1.0, 2.0])
    named = variety_named(run, "other:moe/expert_2/load")
    assert named is not None
    assert named.experts == 4
    assert variety_named(run, "other:moe/expert_1/load") is None


def test_two_experts_or_different_steps_make_no_number() -> None:
    assert list(varieties(experts([[1.0] * 3] * 2))) == []
    assert list(varieties(experts([[1.0] * 3, [1.0] * 3, [1.0] * 2]))) == []


def test_the_effective_number_is_exp_of_the_entropy() -> None:
    loads = np.array([[0.5, 2.0, 0.0, -1.0], [0.25, 0.0, 0.0, 2.0], [0.25, 0.0, 0.0, 0.0]])
    found = effective_number(loads)
    assert found[:2] == pytest.approx([math.exp(1.5 * math.log(2.0)), 1.0])
    assert np.isnan(found[2:]).all()  # no load at all, and none below zero
    assert np.isnan(effective_number(np.array([[np.inf], [1.0], [1.0]]))).all()


def test_a_rank_or_an_empty_series_tells_nothing() -> None:
    assert list(varieties(synth.run(part("codebook_perplexity", rank=1)))) == []
    assert list(varieties(synth.run(part("codebook_perplexity", np.zeros(0))))) == []


def test_words_of_a_tag() -> None:
    assert words("Train/Code-Perplexity (mean)") == "train code perplexity mean"
    assert counts_codes("valid_code_perplexity")
    assert not counts_codes("valid_perplexity")


@pytest.mark.parametrize("tag", ["code_perplexity", "eval/code/perplexity", "code_ppl"])
def test_code_is_that_of_a_codebook_only_beside_a_quantiser(tag: str) -> None:
    assert forms(tag) == []  # a language model's, of source code
    assert forms(tag, "commitment_loss") == [Form.CODES]
    assert forms(tag, "prob_perplexity") == [Form.CODES] * 2


def test_a_perplexity_too_short_or_with_nothing_to_compare_keeps_its_name() -> None:
    loss = synth.series(np.linspace(9.0, 2.0, 30))
    short = synth.series(np.exp(np.linspace(9.0, 2.0, 19)), Metric.OTHER, tag="vq_ppl", name="ppl")
    zero = part("vq_ppl", np.r_[0.0, np.exp(np.linspace(9.0, 2.0, 29))])
    twin = part("vq_ppl", np.exp(np.linspace(9.0, 2.0, 30)))
    assert [len(list(varieties(synth.run(loss, s)))) for s in (short, zero, twin)] == [1, 1, 0]
    assert len(list(varieties(synth.run(twin)))) == 1


def test_each_layer_of_experts_makes_its_own_number() -> None:
    sizes = {"a": 4, "b": 3, "c": 2}
    tags = [f"{layer}/expert_{i}/load" for layer, size in sizes.items() for i in range(size)]
    found = list(varieties(synth.run(*(part(tag) for tag in tags))))
    assert [v.experts for v in found] == [4, 3]
    assert [v.series.tag for v in found] == ["a/expert_0/load", "b/expert_0/load"]
