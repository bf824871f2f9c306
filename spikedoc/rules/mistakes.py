"""What may be wrong with a file of the catalogue, in both languages."""

from __future__ import annotations

from typing import Final

from spikedoc.text import Text

NOT_A_FOLDER: Final = Text("is not a folder of rule files", "不是规则文件的目录")
WRONG_NAME: Final = Text(
    "file name must be like SD123-short-name.toml", "文件名必须形如 SD123-short-name.toml"
)
NO_FILE: Final = Text("cannot be read: it is not a file", "无法读取：不是文件")
UNREADABLE: Final = Text("cannot be read: {reason}", "无法读取：{reason}")
TOO_LARGE: Final = Text("is larger than {bytes} bytes", "超过 {bytes} 字节")
NOT_UTF8: Final = Text("is not UTF-8 text", "不是 UTF-8 文本")
NO_TOML: Final = Text("is not valid TOML: {reason}", "不是有效的 TOML：{reason}")
DEFINED_TWICE: Final = Text("is already defined in {file}", "已在 {file} 中定义")
NO_SUCH_ID: Final = Text("no {kind} has the id {id}", "没有标识为 {id} 的 {kind}")
NOT_SHARED: Final = Text(
    "{id} belongs to {file}; move it to {shared}", "{id} 属于 {file}；请移到 {shared}"
)
UNMEASURED: Final = Text(
    "is missing: a text with figures needs another without them",
    "缺少此项：带 figures 的文本还需要一段不带数值的说法",
)
WITH_FIGURES: Final = Text(
    "belongs to a text with figures, and to no other", "只用于带 figures 的文本，其他文本不用"
)
NO_SETTING: Final = Text("is no setting; known here: {known}", "不是设置；此处可用：{known}")
WRONG_VALUE: Final = Text(
    "must be a number, true, or the name of a figure in braces",
    "必须为数字、true，或花括号中的数值名称",
)
STRAY_BRACE: Final = Text("holds a brace that is no {figure}", "含有不属于 {figure} 的花括号")
UNLISTED_FIGURE: Final = Text("{name} is not listed in figures", "{name} 没有列在 figures 中")
UNUSED_FIGURE: Final = Text("figure {name} is listed but not used", "列出了数值 {name}，但没有用到")
WRONG_DOMAIN: Final = Text(
    "{domain} does not fit the code {code}", "{domain} 与规则编号 {code} 不符"
)
NEEDS_KIND: Final = Text("must name at least one anomaly kind", "必须至少写出一种异常")
NO_KIND: Final = Text("{kind} is no anomaly kind", "没有异常种类 {kind}")
NO_FORM: Final = Text("{form} is no form of {kind}", "{form} 不是 {kind} 的形态")
SAYS_NOTHING: Final = Text("speaks neither for nor against", "既不支持也不反对")
NEEDS_PROBE: Final = Text("must hold at least one probe", "必须至少有一个 probe")
NAMED_TWICE: Final = Text("names {name} twice", "{name} 写了两次")
NEEDS_ONE: Final = Text("must name at least one", "必须至少写出一项")
NOT_USED: Final = Text("is defined here but not used by this rule", "在此定义，但这条规则没有用到")
IS_ALSO: Final = Text("{name} is also {owner}", "{name} 也是 {owner}")
HAS_PROCEDURE: Final = Text("{kind} already has a procedure", "{kind} 已有排查步骤")
NO_PROBE: Final = Text("no probe is called {name}", "没有名为 {name} 的 probe")
NO_FIGURE: Final = Text("no figure is called {name}", "没有名为 {name} 的 figure")
NEAR: Final = Text("near: {names}", "相近的有：{names}")

MISSING: Final = Text("is missing", "缺少此项")
UNKNOWN_KEY: Final = Text("unknown key; known here: {known}", "未知的键；此处可用：{known}")
A_BOOLEAN: Final = Text("must be true or false", "必须为 true 或 false")
A_STRING: Final = Text("must be a string, not {found}", "必须为字符串，而不是 {found}")
AN_ID: Final = Text(
    "{value} is not an id (lower-case words joined by hyphens)",
    "{value} 不是标识（用连字符连接的小写单词）",
)
NONE_OF: Final = Text("{value} is none of: {known}", "{value} 不属于：{known}")
STRINGS: Final = Text("must be a list of strings", "必须为字符串列表")
SAME_TWICE: Final = Text("holds the same entry twice", "同一项出现两次")
WHOLE: Final = Text("must be a whole number from {low} to {high}", "必须为 {low} 到 {high} 的整数")
A_TABLE: Final = Text("must be a table, not {found}", "必须为表，而不是 {found}")
TABLES: Final = Text("must be an array of tables ({key})", "必须为表的数组（{key}）")
EMPTY: Final = Text("is empty", "为空")
