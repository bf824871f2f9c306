"""Names of quantities in Chinese, Japanese, Korean and Russian, in English words.

They are those that home-made loops print and save.
"""

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
    # traditional signs
    "訓練": "train", "驗證": "val", "驗證集": "val", "測試": "test", "評估": "eval",
    "損失值": "loss", "損失函數": "loss", "損失": "loss", "學習率": "lr", "梯度範數": "grad norm",
    "準確率": "accuracy", "正確率": "accuracy", "獎勵": "reward", "步數": "step",
    "迭代次數": "iteration", "輪次": "epoch", "輪": "epoch",
    # Japanese
    "検証": "val", "テスト": "test", "評価": "eval", "学習": "train", "学習率": "lr",
    "誤差": "error", "正解率": "accuracy", "報酬": "reward", "勾配ノルム": "grad norm",
    "エポック数": "epoch", "エポック": "epoch", "ステップ数": "step", "ステップ": "step",
    # Korean
    "손실": "loss", "검증": "val", "훈련": "train", "학습률": "lr", "학습": "train",
    "테스트": "test", "평가": "eval", "정확도": "accuracy", "오차": "error", "보상": "reward",
    "에포크": "epoch", "에폭": "epoch", "스텝": "step",
    # Russian, with the endings that the words have in such names
    "потери": "loss", "потеря": "loss", "потерь": "loss", "лосс": "loss", "точность": "accuracy",
    "точности": "accuracy", "ошибка": "error", "скорость обучения": "lr", "темп обучения": "lr",
    "скорость_обучения": "lr", "на обучении": "train", "обучения": "train", "обучающие": "train",
    "обучающая": "train", "на валидации": "val", "валидации": "val", "валидация": "val",
    "валидационные": "val", "валидационная": "val", "на тесте": "test", "тест": "test",
    "эпоха": "epoch", "эпохи": "epoch", "шаг": "step", "итерация": "iteration",
    "норма градиента": "grad norm", "награда": "reward",
}  # fmt: skip
_WORD: Final = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)), re.IGNORECASE)
# In a line a counter counts where no other word is in front of it: 总步数 and 每轮步数 are
# settings, 同步 and 跑步 no counters at all.
_COUNTERS: Final = frozenset({"global step", "step", "iteration", "batch", "epoch"})
_MAY_PRECEDE: Final = ("当前", "训练", "验证", "测试", "评估")
_BLANKS: Final = re.compile(" {1,8}(?=[ :=,;)\\]|])")
# Signs of these languages: kana, ideographs, hangul, Cyrillic letters.
_FOREIGN: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0400-\u04ff]")
# 第 3 轮, 第120步: the number stands before the word.
_ORDINAL: Final = re.compile(
    r"第\s?(\d{1,12})(?:\s?/\s?\d{1,12})?\s?(?:个\s?)?"
    r"(全局步数|步|次迭代|批次|轮|epoch|batch|step)"
)
_OF_ORDINAL: Final = {
    "全局步数": "global step", "步": "step", "次迭代": "iteration", "批次": "batch", "轮": "epoch",
}  # fmt: skip


def in_english(name: str) -> str:
    """Return a name made of known words in English ones; any other name as it is."""
    if name.isascii():
        return name
    said = " ".join(_WORD.sub(lambda word: f" {_WORDS[word.group().lower()]} ", name).split())
    return name if _FOREIGN.search(said) else said


def _counted_or_named(word: re.Match[str], line: str) -> str:
    english, before = _WORDS[word.group().lower()], line[max(0, word.start() - 2) : word.start()]
    is_setting = _FOREIGN.match(before[-1:]) and before not in _MAY_PRECEDE
    return word.group() if english in _COUNTERS and is_setting else f" {english} "


def line_in_english(line: str) -> str:
    """Return a printed line with the known words in it in English."""
    if line.isascii():
        return line
    line = _ORDINAL.sub(lambda m: f"{_OF_ORDINAL.get(m.group(2), m.group(2))} {m.group(1)}", line)
    said = _WORD.sub(lambda word: _counted_or_named(word, line), line)
    return _BLANKS.sub("", said) if said != line else line
