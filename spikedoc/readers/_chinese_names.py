"""Names of quantities in Chinese, as home-made loops print and save them, in English words."""

from __future__ import annotations

import re
from typing import Final

# The longest come first: a name is put together from these.
_WORDS: Final = {
    "训练集": "train", "验证集": "val", "测试集": "test", "训练": "train", "验证": "val",
    "测试": "test", "评估": "eval", "平均损失": "mean loss", "损失值": "loss", "损失函数": "loss",
    "损失": "loss",
    "学习率": "lr", "梯度范数": "grad norm", "准确率": "accuracy", "正确率": "accuracy",
    "精度": "accuracy", "困惑度": "perplexity", "奖励": "reward", "全局步数": "global step",
    "训练步数": "step", "步数": "step", "步": "step", "迭代次数": "iteration", "迭代": "iteration",
    "批次": "batch", "轮次": "epoch", "轮数": "epoch", "轮": "epoch",
}  # fmt: skip
_WORD: Final = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)))
# In a line a counter counts where no other word is in front of it: 总步数 and 每轮步数 are
# settings, 同步 and 跑步 no counters at all.
_COUNTERS: Final = frozenset({"global step", "step", "iteration", "batch", "epoch"})
_MAY_PRECEDE: Final = ("当前", "训练", "验证", "测试", "评估")
_BLANKS: Final = re.compile(" {1,8}(?=[ :=,;)\\]|])")
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
# 第 3 轮, 第120步: the number stands before the word.
_ORDINAL: Final = re.compile(
    r"第\s?(\d{1,12})(?:\s?/\s?\d{1,12})?\s?(?:个\s?)?"
    r"(全局步数|步|次迭代|批次|轮|epoch|batch|step)"
)
_OF_ORDINAL: Final = {
    "全局步数": "global step", "步": "step", "次迭代": "iteration", "批次": "batch", "轮": "epoch",
}  # fmt: skip


def in_english(name: str) -> str:
    """Return a name made of known Chinese words in English ones; any other name as it is."""
    if name.isascii():
        return name
    said = " ".join(_WORD.sub(lambda word: f" {_WORDS[word.group()]} ", name).split())
    return name if _CHINESE.search(said) else said


def _counted_or_named(word: re.Match[str], line: str) -> str:
    english, before = _WORDS[word.group()], line[max(0, word.start() - 2) : word.start()]
    is_setting = _CHINESE.match(before[-1:]) and before not in _MAY_PRECEDE
    return word.group() if english in _COUNTERS and is_setting else f" {english} "


def line_in_english(line: str) -> str:
    """Return a printed line with the known Chinese words in it in English."""
    if line.isascii():
        return line
    line = _ORDINAL.sub(lambda m: f"{_OF_ORDINAL.get(m.group(2), m.group(2))} {m.group(1)}", line)
    said = _WORD.sub(lambda word: _counted_or_named(word, line), line)
    return _BLANKS.sub("", said) if said != line else line
