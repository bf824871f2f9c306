"""What several readers say of a log, in both languages; what one alone says stands beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from spikedoc.text import Text

ROW_STEPS: Final = Text(
    "no step column: steps are row numbers, the first row is 0",
    "没有步数列：以行号为步数，第一行为 0",
)
NO_STEPS: Final = Text(
    "{tag} is no step column: its numbers are fractions or beyond 2^53",
    "{tag} 不是步数列：其数值含小数或超过 2^53",
)
EPOCH_STEPS: Final = Text("steps are {tag} numbers", "步数为 {tag} 的编号")


def counts_epochs(notes: Iterable[Text]) -> bool:
    """Return whether a reader said that the steps of a file are the numbers of its epochs."""
    before, _, after = EPOCH_STEPS.en.partition("{tag}")
    return any(n.en.startswith(before) and n.en.endswith(after) for n in notes)


EPOCH_LENGTH: Final = Text(
    "steps = epoch × {length} {length|step|steps} per epoch ({source})",
    "步数 = epoch × 每个 epoch {length} 步（{source}）",
)
SUMMARY_ROW: Final = Text(
    "a summary row, which holds means over a whole training, was left out",
    "汇总行（整个训练的均值）已略去",
)
QUANTITIES: Final = Text(
    "more than {most} quantities; the rest was left out", "指标超过 {most} 个，其余已略去"
)
RUNNING_MEAN: Final = Text(
    "{writer} prints the mean since the start of the epoch, not the loss of a batch",
    "{writer} 打印的是本 epoch 开始以来的均值，不是单个批次的 loss",
)

COUNTED_THROUGH: Final = Text(
    "{tag} starts again in each epoch; counted through with {length} per epoch",
    "{tag} 在每个 epoch 重新计数，已按每个 epoch {length} 连续编号",
)
NO_ROW: Final = Text("no row for {tag} {listed}", "缺少 {tag} {listed} 的记录")
NO_ROW_OF_YOLO: Final = Text(
    "no row for {tag} {listed}; Ultralytics leaves an epoch out when its loss is NaN",
    "缺少 {tag} {listed} 的记录：Ultralytics 会略去 loss 为 NaN 的 epoch",
)

# What is damaged or was not finished.
CUT_RECORD: Final = Text(
    "the last record is cut short: the writer was stopped or still writes",
    "最后一条记录不完整：写入进程已被中止，或仍在写入",
)
CUT_LINE: Final = Text("the last line is cut short and was left out", "最后一行不完整，已略去")
CUT_LINE_OF: Final = Text(
    "{tag}: the last line is cut short and was left out", "{tag}：最后一行不完整，已略去"
)
UNKNOWN_RECORDS: Final = Text(
    "{count} {count|record|records} with unknown content {count|was|were} left out",
    "{count} 条内容无法识别的记录已略去",
)
UNDECODED_LINES: Final = Text(
    "{count} {count|line|lines} that could not be decoded {count|was|were} left out",
    "{count} 行无法解码，已略去",
)
UNDECODED_ROWS: Final = Text(
    "{count} {count|row|rows} that could not be decoded {count|was|were} left out",
    "{count} 行记录无法解码，已略去",
)
ROWS_WITHOUT_NUMBER: Final = Text(
    "{count} {count|row|rows} without a number {count|was|were} left out",
    "{count} 行没有数值，已略去",
)
LEFT_OUT: Final = Text("{name}: {reason}; left out", "{name}：{reason}，已略去")

# Why nothing can be made of a file.
# What to do, or to ask oneself, about a file that was refused.
LOGGED_ANY: Final = Text("did the job log any?", "作业是否记录过？")
OF_METRICS: Final = Text("is this a log of metrics?", "这是指标日志吗？")
AS_CSV: Final = Text("export the run as CSV", "请将该训练导出为 CSV")
ONLY_A_HEADER: Final = Text("only a header row, or text alone", "只有表头，或全是文字")
NO_NUMBERS_IN_TABLE: Final = Text("the table has no numbers", "表格中没有数值")
