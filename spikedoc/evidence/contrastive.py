"""A contrastive loss that tells the pairs of a batch apart no better than a guess does."""

from __future__ import annotations

import math
import re
from typing import Final

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, setting, short
from spikedoc.evidence._profile import profile
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# Names of losses and methods that pick the partner of a sample out of its batch.
NAMES: Final = re.compile(
    r"contrastive|info_?nce|nt_?xent|(?<![a-z])(?:sim_?clr|moco|clip_loss|open_?clip|siglip_ce)",
    re.IGNORECASE,
)
# Features that are all the same give every candidate the same logit: ln of their number, exactly
# but for what is left of their spread. One batch size is known, so a hundredth is close.
CLOSE: Final = 0.01
FEWEST_SAMPLES: Final = 4


def _is_contrastive(case: Case) -> bool:
    loss = case.run.get(Metric.LOSS)
    told = [value for value in case.run.config.values() if isinstance(value, str)]
    return any(NAMES.search(text) for text in (*told, "" if loss is None else loss.tag))


def _guesses_within_batch(case: Case) -> Answer:
    whole, batch = profile(case.run.get(Metric.LOSS)), setting(case, "batch_size")
    if whole is None or batch is None or batch < FEWEST_SAMPLES or not _is_contrastive(case):
        return UNKNOWN
    # CLIP chooses among the N of a batch (arXiv:2103.00020), SimCLR among the other 2 N - 1 views
    # (arXiv:2002.05709).
    counts = (int(batch), 2 * int(batch) - 1)
    count = min(counts, key=lambda n: abs(math.log(n) - whole.tail))
    chance = math.log(count)
    close = abs(whole.tail - chance) <= CLOSE * chance
    return answer(
        close, level=short(whole.tail), batch=int(batch), count=count, chance=round(chance, 4)
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "guesses_within_batch",
        Text(
            "Is a contrastive loss at the level of guessing within a batch?",
            "对比损失是否停在批次内随机猜测的水平？",
        ),
        Text(
            "The level of the contrastive loss at the end is {level}, that of guessing "
            "within a batch of {batch} "
            "(ln {count} = {chance}): no sample finds its partner",
            "对比损失的末段水平为 {level}，即 {batch} 个样本的批次内随机猜测的水平"
            "（ln {count} = {chance}）：没有样本能找到自己的配对",
        ),
        Text(
            "The level of the contrastive loss at the end is {level}, not that of "
            "guessing within a batch of "
            "{batch} (ln {count} = {chance})",
            "对比损失的末段水平为 {level}，不是 {batch} 个样本的批次内随机猜测的水平"
            "（ln {count} = {chance}）",
        ),
        asked_of(STUCK, _guesses_within_batch),
        needs=(Metric.LOSS,),
    ),
)
