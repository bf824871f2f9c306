"""The one list of words for quantities knows every name that has a role among the aliases."""

from __future__ import annotations

import importlib
import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final

import pytest

from spikedoc.ingest.aliases import role_of
from spikedoc.model.metric import Metric
from spikedoc.readers.lines._quantities import PLACED, STEMS, SURE, WORDS
from spikedoc.readers.lines.generic import PROFILE

# They say how a training runs, not what it reaches: no line is a record for one of them alone.
BESIDE: Final = frozenset(
    {"other", "epoch", "throughput", "step_time", "batch_size", "skipped_steps"}
)
MOST_WORDS: Final = 5  # of a name in a line of words
# A name that ends in the word for a counter is one in a line of words with blanks between; so may
# `per` be in prose (`per test`), and digits with a blank before them are values.
UNCLEAR: Final = ("step", "epoch", "batch", "iter", "iteration")


def is_unclear(name: str) -> bool:
    words = name.split()
    counts = words[-1] in UNCLEAR or any(word.isdigit() for word in words)
    return len(words) > MOST_WORDS or counts or ("per" in words[:-1] and "error" not in words)


def spelled(tree: Any) -> list[str]:
    """Return the texts that a parsed pattern matches, without its optional parts."""
    texts = [""]
    for kind, of in tree:
        texts = [text + end for text in texts for end in _choices(str(kind), of)]
    return texts


def _choices(kind: str, of: Any) -> list[str]:
    if kind == "LITERAL":
        return [chr(of)]
    if kind == "BRANCH":
        return [text for branch in of[1] for text in spelled(branch)]
    if kind == "SUBPATTERN":
        return spelled(of[-1])
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        return spelled(of[2]) if of[0] else [""]
    if kind == "IN":
        first = of[0]
        told = {"RANGE": lambda: chr(first[1][0]), "LITERAL": lambda: chr(first[1])}
        return [told.get(str(first[0]), lambda: "1")()]
    assert kind in ("ASSERT", "ASSERT_NOT", "AT"), kind
    return [""]


@cache
def names() -> dict[str, list[str]]:
    """Return names by their roles, as the aliases spell them."""
    text = resources.files("spikedoc.readers").joinpath("metric_aliases.toml").read_text("utf-8")
    file = tomllib.loads(text)
    parse = importlib.import_module("re._parser").parse
    found: dict[str, dict[str, None]] = {}
    for role in file["role"]:
        for pattern in role["patterns"]:
            for word, alternatives in file["words"].items():
                pattern = pattern.replace(f"<{word}>", f"(?:{alternatives})")  # noqa: PLW2901
            if ".+" in pattern:
                continue
            for text in spelled(parse(pattern)):
                name = " ".join(text.split())
                if name and role_of(name).metric == role["metric"]:
                    found.setdefault(role["metric"], {})[name] = None
    return {role: list(those) for role, those in found.items()}


ROLES = sorted(set(Metric) - BESIDE - {Metric.LAYER_GRAD_NORM})


@pytest.mark.parametrize("role", ROLES)
def test_a_name_with_a_role_is_never_refused_in_a_line(role: str) -> None:
    known = [name for name in names()[role] if not is_unclear(name)]
    assert len(known) > 2
    for name in known:
        for line in (f"Epoch 3 - {name}: 0.5", f"step=3 {name.replace(' ', '_')}=0.5"):
            record = PROFILE.start().take(line)
            assert record is not None, line
            read = [(role_of(tag).metric, value) for tag, value in record.values.items()]
            assert read == [(role, 0.5)], line


def test_the_names_are_many() -> None:
    assert sum(map(len, names().values())) > 3_000


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.pattern)
def test_a_sure_word_is_placed_and_bare_words_are_known(word: Any) -> None:
    assert word.is_placed or word.is_bare
    assert word.is_placed or not word.is_sure
    assert not word.is_placed or word.stems


BY_EPOCH = [
    ("epoch {e} train_nll {x} val_nll 2.41", "train_nll", "loss"),
    ("Epoch {e} - nll: {x}", "nll", "loss"),
    ("epoch {e} mse {x} r2 0.5", "mse", "loss"),
    ("Epoch {e} | train MSE: {x} | test MSE: 0.5", "train MSE", "loss"),
    ("Epoch {e}: log_likelihood {x}", "log_likelihood", "train_metric"),
    ("Epoch {e}: elbo={x}", "elbo", "other"),  # what rises as it should is no loss
    ("Epoch {e}: neg_elbo={x}", "neg_elbo", "loss"),
    ("step {e} energy: {x}", "energy", "loss"),
    ("Episode {e} return {x} length 20", "return", "reward"),
    ("step {e} bpd {x}", "bpd", "other"),
]


@pytest.mark.parametrize(("line", "tag", "role"), BY_EPOCH)
def test_lines_without_the_word_loss(line: str, tag: str, role: str) -> None:
    record = PROFILE.start().take(line.format(e=3, x="2.5"))
    assert record is not None
    assert record.values[tag] == 2.5
    assert role_of(tag).metric == role


@pytest.mark.parametrize(
    "line",
    [
        "Epoch 3: 200 samples in 12 batches",
        "step 30: images per sec: 120",
        "epoch 2 took 13.5 s",
        "Epoch 1: return code: 0",
        "Epoch 3 size: 64 workers: 8",
        "Step 3 of 7: d_model: 512",
        "step 2: degraded to 3 nodes",
    ],
)
def test_lines_about_other_things(line: str) -> None:
    assert PROFILE.start().take(line) is None


def test_a_line_without_a_place_is_taken_for_what_is_sure() -> None:
    assert SURE.search("val_nll")
    assert not SURE.search("energy")
    assert PLACED.search("energy")
    record = PROFILE.start().take("train_nll: 2.30 val_nll: 2.41")
    assert record is not None
    assert record.is_loose
    assert PROFILE.start().take("energy: 2.30") is None


def test_stems_are_in_lower_case() -> None:
    assert all(stem and stem == stem.lower() for stem in STEMS)
