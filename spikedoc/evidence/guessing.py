"""Whether labels that do not fit explain a loss that stands at the level of guessing."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, saying
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.evidence.level import VOCABULARIES, level_at_chance
from spikedoc.model.metric import Metric
from spikedoc.text import Text


def _guesses_among_classes(case: Case) -> Answer:
    found = level_at_chance(case)
    if found.holds is None:
        return UNKNOWN
    if not found.holds or found.values["classes"] not in VOCABULARIES:
        return found
    # Classes may be equally frequent, tokens never are: Zipf's law.
    return saying(
        Answer(False, found.values),
        "The level of the loss at the end is {level}, a guess among all {classes} tokens of a "
        "vocabulary: with targets that do not fit, a language model still learns how often each "
        "token occurs, and falls below it",
        "末段的损失水平为 {level}，相当于在词表的全部 {classes} 个 token 中随机猜测：即使目标"
        "对不上，语言模型也会学到各个 token 的频率，降到这个值以下",
    )


def _guesses_among_tokens(case: Case) -> Answer:
    found = level_at_chance(case)
    among = found.holds and found.values["classes"] in VOCABULARIES
    return Answer(True, found.values) if among else UNKNOWN


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "guesses_among_tokens",
        Text(
            "Does the loss stand at a guess among all tokens of a vocabulary?",
            "损失是否停在词表全部 token 的随机猜测水平？",
        ),
        Text(
            "The level of the loss at the end is {level}, a guess among all {classes} tokens (ln "
            "{classes} = {chance}): not even their frequencies were learned, as the first few "
            "hundred updates teach them",
            "末段的损失水平为 {level}，相当于在全部 {classes} 个 token 中随机猜测（ln {classes} = "
            "{chance}）：连头几百次更新就能学到的 token 频率都没有学到",
        ),
        Text("The loss does not stand at a guess among tokens", "损失没有停在词表随机猜测的水平"),
        _guesses_among_tokens,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "guesses_among_classes",
        Text(
            "Is the loss at the level of guessing among equal classes?",
            "损失是否停在等概率类别间随机猜测的水平？",
        ),
        Text(
            "The level of the loss at the end is {level}, that of guessing among {classes} classes "
            "(ln {classes} = {chance})",
            "末段的损失水平为 {level}，相当于在 {classes} 类中随机猜测（ln {classes} = {chance}）",
        ),
        Text(
            "The level of the loss at the end is {level}, not that of guessing (nearest: ln "
            "{classes} = {chance})",
            "末段的损失水平为 {level}，不是随机猜测的水平（最接近的是 ln {classes} = {chance}）",
        ),
        _guesses_among_classes,
        needs=(Metric.LOSS,),
    ),
)
