"""Chinese as an engineer writes it: full-width marks, and no English but the terms of the trade.

What a test cannot see – a sentence that is right word for word and that nobody would say – is for
a reader. This one holds what readers found: half-width marks between Chinese signs, and words that
were left in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import spikedoc.evidence
from spikedoc.classifier.wording import labels
from spikedoc.model.role import ROLES
from spikedoc.plugins import discover
from spikedoc.renderers._strings import table
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Text

GOLDEN: Final = Path(__file__).parents[1] / "golden"
HAN: Final = "\u4e00-\u9fff"
HALF_WIDTH: Final = re.compile(rf"[{HAN}] ?[,;:!?]|[{HAN}] ?\((?=[{HAN}])|[,;:!?)][{HAN}]")
# Code, tags, places to fill in, and the boxes of a list to tick are no prose.
NO_PROSE: Final = re.compile(
    r"`[^`]*`|<[^>]*>|0\.0\.test|\{[^}]*\}|^\s*(?:[-*•]|\d+\.) (?:\[ \] )?", re.M
)
WORD: Final = re.compile(r"[A-Za-z][\w./+\-]*[A-Za-z0-9]|[A-Za-z]")
# Names of series, runs, files and settings, codes of rules and numbers of findings.
NAME: Final = re.compile(r".*[_/.\d].*")

# Words that engineers leave in English when they speak Chinese.
TERMS: Final = frozenset(
    """
    batch collator dropout epoch eps eval focal fused hinge issue logit logits loss lr mixup
    mosaic one-hot rank scaler shuffle sigmoid softmax step token train unscale all-reduce
    eager compile head clamp autocast beta gamma inf NaN NaN/inf log ln exp sqrt g/sqrt max
    min mean k-means k-NN z-loss
    """.split()  # noqa: SIM905 – one literal per word would take a page
)
# Names of people, methods, products and formats.
NAMES: Final = frozenset(
    """
    Adam AdamW AMP BatchNorm DDP DeepSpeed Dice DistributedSampler ECC EMA FSDP GAN GELU
    GradScaler GroupNorm HF He Hugging Face JAX KL Kahan Lightning LoRA Markdown Megatron
    NumPy PR PyTorch Python ReLU RMS SGD SGDR SiLU StableAdamW SWA TensorFlow Trainer
    Transformer Wasserstein ZeRO Keras MiB KiB accelerate csv json jsonl spikedoc
    tensorboard text torch torchdata transformers yaml trainer_state adam adamw sgd lr-Adam
    lr-AdamW Gumbel Switch FSQ VICReg
    """.split()  # noqa: SIM905 – one literal per word would take a page
)
# What is typed, as an option, a command or a setting is.
TYPED: Final = frozenset({"explain", "verbose", "format", "json", "optimizer", "clip", "schedule"})
KNOWN: Final = TERMS | NAMES | TYPED


def texts() -> Iterator[tuple[str, Text]]:
    """Yield every text of the catalogue, the probes, the labels, the roles and the renderers."""
    catalog = load_catalog()
    for rule in catalog.rules:
        yield from ((rule.code, one) for one in (rule.title, rule.why, rule.benign_when))
        for action in (*rule.checks, *rule.fixes):
            yield action.id, action.text
            if action.unmeasured is not None:
                yield action.id, action.unmeasured
    for stages in catalog.procedures.values():
        yield from (("stage", stage.title) for stage in stages)
    for family in discover(spikedoc.evidence, "PROBES").values():
        for probe in family:
            yield from ((probe.name, one) for one in (probe.question, probe.yes, probe.no))
    for key, label in labels().items():
        told = (label.title, label.meaning, *label.headline, *label.summary, *label.extra)
        yield from ((key, one) for one in told)
    yield from ((metric.value, text) for metric, text in ROLES.items())
    yield from table().items()


def faults(text: str) -> list[str]:
    """Return the half-width marks and the English words of a Chinese text."""
    prose = NO_PROSE.sub("", text)
    marks = [prose[max(0, m.start() - 6) : m.end() + 6] for m in HALF_WIDTH.finditer(prose)]
    words = [w for w in WORD.findall(prose) if len(w) > 1 and not NAME.fullmatch(w)]
    return marks + [w for w in words if w not in KNOWN]


def test_the_texts_that_reports_are_made_of() -> None:
    found = {f"{where}: {fault}" for where, text in texts() for fault in faults(text.zh)}
    assert not found


@pytest.mark.parametrize("file", sorted(GOLDEN.rglob("*.zh*.md")), ids=lambda file: file.name)
def test_every_golden_report(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    prose, is_code = [], False
    for line in lines:
        is_code ^= line.lstrip().startswith("```")
        prose += [] if is_code or not re.search(f"[{HAN}]", line) else [line]
    found = [fault for line in prose for fault in faults(line)]
    assert not found


@pytest.mark.parametrize("file", sorted(GOLDEN.rglob("*.zh*.txt")), ids=lambda file: file.name)
def test_no_half_width_mark_on_any_screen(file: Path) -> None:
    text = NO_PROSE.sub("", file.read_text(encoding="utf-8"))
    assert not [m.group(0) for m in re.finditer(rf"[{HAN}][,;!?]|[,;!?][{HAN}]", text)]


def test_a_slip_is_seen() -> None:
    assert faults("损失, 学习率") == ["损失, 学习率"]
    assert faults("没有变差 (只有一次)") != []
    assert faults("sum of components 没有变差") == ["sum", "of", "components"]
    assert faults("loss_component 中的 `sum of x`，第 3 步的 loss 为 NaN（rank 0）") == []
