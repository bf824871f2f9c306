"""The words of a ranking in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spikedoc.cleaning import name
from spikedoc.samples.result import Ranking, Sample, Verdict
from spikedoc.text import Text, format_value

VERDICTS: Final = {
    Verdict.NONFINITE: Text("not finite", "非有限值"),
    Verdict.STAYS_HIGH: Text("stays high", "始终偏高"),
    Verdict.HIGH: Text("high", "偏高"),
    Verdict.HIGH_ONCE: Text("high at times", "偶尔偏高"),
    Verdict.ORDINARY: Text("ordinary", "普通"),
}
COLUMNS: Final = (
    Text("sample", "样本"),
    Text("verdict", "判断"),
    Text("seen", "出现次数"),
    Text("loss", "损失"),
    Text("× batch", "为批次中位数的倍数"),
    Text("worst", "最高损失"),
    Text("at", "位置"),
    Text("of its batch", "占批次损失"),
)
APART: Final = Text("LOOK AT THESE", "请查看")
NONE_APART: Final = Text("NOTHING STANDS OUT", "无异常样本")
ADVICE_HEADING: Final = Text("What to look at", "查看什么")
NOTES: Final = Text("Notes", "说明")
UNITS: Final = {
    "step": Text("step", "步"),
    "epoch": Text("epoch", "轮"),
    "": Text("", ""),
}

ADVICE: Final = {
    Verdict.NONFINITE: Text(
        "Not finite: read the raw input and target of the sample. NaN or infinity in the file, an "
        "empty target or mask, and a length of zero are the usual reasons; a sample that is finite "
        "at other sightings points to the weights at that step, not to itself.",
        "非有限值：查看该样本的原始输入和目标。"
        "常见原因是文件里有 NaN 或无穷、目标或掩码为空、长度为零；"
        "如果它在其他几次出现时是有限值，问题在当时的权重，不在样本本身。",
    ),
    Verdict.STAYS_HIGH: Text(
        "Stays high: check the label first, then how the input is decoded, then whether it is "
        "simply hard. Take out what is wrong; leave what is only hard, it is what the model has "
        "yet to learn.",
        "始终偏高：先核对标签，再看输入的解码，最后判断是不是本来就难。错的剔除；只是难的留下，"
        "那正是模型还没学会的部分。",
    ),
    Verdict.HIGH: Text(
        "High, seen once: look at input and label. Log one more pass: a sample that is high again "
        "has a fault of its own.",
        "偏高，只出现过一次：查看输入和标签。再记录一遍数据；再次偏高才说明样本自身有问题。",
    ),
    Verdict.HIGH_ONCE: Text(
        "High at times: the sample is fine elsewhere, so look at what was done to it at that step "
        "(augmentation, decoding, cropping) and at the state of the model there.",
        "偶尔偏高：样本在别处正常，应查看那一步对它做了什么（增强、解码、裁剪），"
        "以及当时的模型状态。",
    ),
}
# From this share on, losses above five times the median are the rule, not the exception.
LONG_TAIL: Final = 0.02


def title(ranking: Ranking) -> Text:
    """Return one line on what was ranked."""
    word = {"step": "batch of a step", "epoch": "epoch", "": "table"}[ranking.unit]
    unit = {"step": "每步的批次", "epoch": "每轮", "": "整张表"}[ranking.unit]
    who = name(ranking.source)
    return Text(
        f"{who} · {count(ranking.rows, 'loss', 'losses')} of {count(ranking.samples, 'sample')} · "
        f"compared within each {word}",
        f"{who} · {ranking.samples} 个样本的 {ranking.rows} 个损失 · 在{unit}内比较",
    )


def count(number: int, one: str, several: str = "") -> str:
    """Return a number with its English noun."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def found_text(counts: Mapping[Verdict, int], samples: int) -> Text:
    """Return how many samples stand apart, and how."""
    found = [(VERDICTS[one], counts[one]) for one in ADVICE if counts.get(one)]
    apart = sum(count for _, count in found)
    stand = "stands" if apart == 1 else "stand"
    return Text(
        f"{apart} of {count(samples, 'sample')} {stand} apart: "
        + ", ".join(f"{count} {word.en}" for word, count in found)
        + ".",
        f"{samples} 个样本中有 {apart} 个与众不同："
        + "，".join(f"{count} 个{word.zh}" for word, count in found)
        + "。",
    )


def none_text(highest: Sample) -> Text:
    """Return that no sample stands apart, with the highest for comparison."""
    who = name(highest.name)
    if highest.ratio is None:
        return Text(
            f"No sample stands apart; {who} is the highest, within the scatter of the others.",
            f"没有与众不同的样本；最高的是 {who}，仍在其他样本的离散范围内。",
        )
    times = format_value(highest.ratio)
    return Text(
        f"No sample stands apart; {who} is the highest, {times} times the median of its batch, "
        "within the scatter of the others.",
        f"没有与众不同的样本；最高的是 {who}，为所在批次中位数的 {times} 倍，"
        "仍在其他样本的离散范围内。",
    )


def notes_on(left_out: int, beyond: float | None, *, few: bool) -> tuple[Text, ...]:
    """Return what limits the ranking; `beyond` is the share of losses above five medians."""
    notes = []
    if few:
        notes.append(
            Text(
                "Too few losses to tell what is usual: only those that are not finite are named.",
                "损失太少，无法判断通常水平：只指出非有限值。",
            )
        )
    if beyond is not None and beyond >= LONG_TAIL:
        share = format_value(100 * beyond)
        notes.append(
            Text(
                f"{share} % of the losses are above five times the median of their batch. Such a "
                "long tail is usual once most samples are learned, so height alone is no fault.",
                f"{share} % 的损失超过所在批次中位数的五倍。"
                "多数样本学会之后出现这样的长尾很正常，单凭偏高不算有错。",
            )
        )
    if left_out:
        notes.append(
            Text(
                f"{count(left_out, 'row')} without a sample, a loss or a step left out.",
                f"有 {left_out} 行缺少样本、损失或步数，已略去。",
            )
        )
    return tuple(notes)


def cells(sample: Sample, unit: str) -> tuple[Text, ...]:
    """Return the cells of one row of the table, in the order of `COLUMNS`."""
    number, zh_number = str(sample.worst_at), f"第 {sample.worst_at} {UNITS[unit].zh}"
    place = (
        Text(f"{UNITS[unit].en} {number}", zh_number) if sample.worst_at is not None else _same("")
    )
    share = "" if sample.share is None else f"{100 * sample.share:.0f} %"
    high = f"{sample.high_sightings}/" if sample.verdict is Verdict.HIGH_ONCE else ""
    return (
        _same(name(sample.name)),
        VERDICTS[sample.verdict],
        _same(f"{high}{sample.sightings}"),
        _same(format_value(sample.loss)),
        _same("" if sample.ratio is None else format_value(sample.ratio)),
        _same(format_value(sample.worst)),
        place,
        _same(share),
    )


def _same(text: str) -> Text:
    return Text(text, text)
