"""Headings and sentences of the generated pages in both languages."""

from __future__ import annotations

from typing import Final

from spikedoc.text import Text

WORDS: Final = {
    "labels": Text("Labels", "标签"),
    "labels_intro": Text(
        "Every finding carries one of these labels: a kind and, for some kinds, a form. They are"
        " the `kind` and `form` of the JSON report and never change their meaning.",
        "每一项发现都带有下面的一个标签：类型，部分类型还有形态。它们就是 JSON 报告中的 `kind` 和"
        " `form`，含义不会改变。",
    ),
    "form": Text("Form", "形态"),
    "name": Text("Name", "名称"),
    "meaning": Text("What it means", "含义"),
    "why": Text("Why it happens", "为什么会发生"),
    "benign": Text("When it is not a fault", "什么情况下不算故障"),
    "probes": Text("What speaks for it", "哪些证据支持它"),
    "checks": Text("How to check", "如何检查"),
    "fixes": Text("How to fix", "如何修复"),
    "example": Text("Example", "示例"),
    "sources": Text("Sources", "来源"),
    "see_also": Text("See also", "另见"),
    "may_explain": Text(
        "It may explain these findings; the number is its weight among the causes of that finding"
        " before the log is questioned, from 1 to 9.",
        "它可以解释下列发现；数字是查看日志之前它在该发现的各种原因中的权重，从 1 到 9。",
    ),
    "label": Text("Finding", "发现"),
    "prior": Text("Weight", "权重"),
    "questions_intro": Text(
        "These questions are put to the log. An answer that cannot be had, because the series or"
        " setting it needs was not logged, counts neither way.",
        "程序会向日志提出下列问题。如果所需的曲线或配置没有记录而无法回答，则既不加分也不减分。",
    ),
    "question": Text("Question", "问题"),
    "yes": Text("Yes speaks", "回答“是”"),
    "no": Text("No speaks", "回答“否”"),
    "needs": Text("Needs", "所需记录"),
    "no_example": Text(
        "No sample log of this cause is part of the project yet.",
        "项目中还没有这种原因的示例日志。",
    ),
    "example_intro": Text("A run with this cause, to try it on:", "可以用这个示例日志试一试："),
    "no_sources": Text("None beyond the reasoning above.", "除上述推理外没有其他来源。"),
    "same_cause": Text("same cause", "原因相同"),
    "same_domain": Text("same domain", "领域相同"),
    "no_neighbours": Text(
        "All rules are in the [index](README.md).", "全部规则见[索引](README.md)。"
    ),
    "rules": Text("Rules", "规则"),
    "rules_intro": Text(
        "Every cause spikedoc knows, by domain: {count} rules. `spikedoc explain CODE` prints the"
        " same text offline.",
        "spikedoc 认识的全部原因，按领域排列，共 {count} 条规则。`spikedoc explain CODE --lang zh`"
        " 可在本地打印同样的内容。",
    ),
    "code": Text("Code", "编号"),
    "title": Text("Cause", "原因"),
    "explains": Text("Explains", "可解释的发现"),
    "rules_for": Text(
        "Rules that may explain it, likeliest first:", "可以解释它的规则，从最可能的开始："
    ),
    "no_rules": Text("No rule explains it yet.", "目前还没有规则解释它。"),
    "cause_id": Text("cause", "原因编号"),
    "other_language": Text("[简体中文]({path})", "[English]({path})"),
}
