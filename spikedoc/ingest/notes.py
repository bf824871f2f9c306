"""What is said of logs that were found, joined and named, in both languages."""

from __future__ import annotations

from typing import Final

from spikedoc.text import Text

# Finding.
FILES: Final = Text(
    "more than {most} files; the rest was left out", "文件超过 {most} 个，其余已略去"
)
NOT_THERE: Final = Text("no such file or folder", "没有该文件或目录")
UNKNOWN_FORMAT: Final = Text(
    "not a training log that spikedoc knows", "不是 spikedoc 认识的训练日志"
)

# Joining.
STRAYS: Final = Text(
    "{count} {count|record|records} with a step out of line {count|was|were} left out",
    "{count} 条步数离谱的记录已略去",
)
ATTEMPTS: Final = Text(
    "{count} attempts; only the last {most} are reported", "共 {count} 次尝试，只报告最后 {most} 次"
)
INTERLEAVED: Final = Text(
    "steps go back and forth all the time (several writers in one log?); last value kept",
    "步数始终来回跳动（多个进程写同一份日志？），保留最后写入的值",
)
REPEATED: Final = Text(
    "{count} {count|point repeats|points repeat} a step with another value; the last one was kept",
    "{count} 个点重复了已有步数而数值不同，保留最后一个",
)
IN_TURN: Final = Text(
    "{count} points repeat a step with another value, nearly each step of {tag}, as when several "
    "runs print into one log; only the last value was kept: give each run a file of its own",
    "{count} 个点重复了已有步数而数值不同，{tag} 几乎每一步都如此，像是多次训练轮流写入同一份日志；"
    "只保留了最后一个值，请让每次训练写自己的文件",
)

# Naming.
RUNNING_MEAN: Final = Text(
    "{tag} is a running mean by its name: it shows spikes lower and later",
    "从名称看，{tag} 是滑动均值：尖峰在其中显得更低、更晚",
)
ONE_OF_MANY: Final = Text(
    "{metric} is {tag}; also there: {others}", "{metric} 取自 {tag}；同类的还有：{others}"
)
ALL_NAN: Final = Text("{tag} (all NaN)", "{tag}（全部为 NaN）")
SUM: Final = Text("{metric} is the sum of {tags}", "{metric} 是以下各项之和：{tags}")
ONLY_ONE: Final = Text(
    "{metric} is {tag}: nothing is called so", "{metric} 取自 {tag}：没有以此命名的序列"
)
FIRST_OF_VALIDATION: Final = Text(
    "{metric} is {tag}, one of {count} validation losses",
    "{metric} 取自 {tag}，它是 {count} 个验证 loss 之一",
)
NO_CLEAR_LOSS: Final = Text(
    "no series is clearly the loss ({tags}); choose one with --map loss=TAG",
    "没有明确的 loss 序列（{tags}）；请用 --map loss=TAG 指定",
)

TABLE_OF_RUNS: Final = Text(
    "each row looks like a run of its own (the learning rate hops from row to row): there is no "
    "course to judge",
    "每一行看起来都是一次独立的训练（学习率逐行跳动），没有可以判断的训练过程",
)

# What the series tell of the settings.
OPTIMIZER: Final = Text("optimizer {name} from the tag {tag}", "由标签 {tag} 得知优化器为 {name}")
EPOCH_LENGTH: Final = Text(
    "{length} {length|step|steps} per epoch from the epoch column",
    "由 epoch 列得知每个 epoch 为 {length} 步",
)
