"""The shape of the source tree: tests mirror it, modules and functions stay short.

Which module needs a test file of its own: every one with code in it, at `tests/<same path>/
test_<module>.py`. Four kinds need none:

- packages' `__init__` and `__main__`, which hold no code worth the name;
- modules whose names begin with an underscore: they are parts of a public sibling, and covered
  by its tests (they may have their own);
- modules that only declare types: protocols, enumerations and dataclasses without a method;
- what `TOGETHER` names: shelves of small plug-ins of which one file tests all that are found, and
  modules that are one half of another. A layout of lines is tested when it has a sample there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

import spikedoc

PACKAGE = Path(spikedoc.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(p.relative_to(PACKAGE) for p in PACKAGE.rglob("*.py"))
ALL_MODULES = {
    ".".join(("spikedoc", *m.with_suffix("").parts)) for m in MODULES if m.name != "__init__.py"
}
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Module or folder → the test file it shares.
TOGETHER = {
    "comparison/formats": "comparison/formats/test_formats.py",
    "comparison/result.py": "comparison/test_compare.py",
    "figures": "figures/test_figures.py",
    "readers/lines": "readers/lines/test_profiles.py",
    "model/decoding.py": "model/test_codec.py",
    "model/encoding.py": "model/test_codec.py",
    "model/fields.py": "model/test_codec.py",
    "renderers/jsonl.py": "renderers/test_json.py",
    "rules/table.py": "rules/test_loader.py",
}

MODULE_LINES = 300
FUNCTION_LINES = 40


def tree(module: Path) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"))


def functions(module: Path) -> Iterator[Function]:
    for node in ast.walk(tree(module)):
        if isinstance(node, Function):
            yield node


def body(function: Function) -> list[ast.stmt]:
    """Return the statements of a function without its docstring."""
    return function.body[ast.get_docstring(function) is not None :]


def lines(function: Function) -> int:
    """Return the lines from `def` to the end, the docstring left out."""
    docstring = function.body[0] if len(body(function)) < len(function.body) else None
    said = 0
    if docstring is not None and docstring.end_lineno is not None:
        said = docstring.end_lineno - docstring.lineno + 1
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1 - said


def has_code(module: Path) -> bool:
    """Return whether any function does something, unlike those of a protocol."""
    return any(
        not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant)
        for function in functions(module)
        for statement in body(function)
    )


def imports(file: Path) -> set[str]:
    """Return the modules of spikedoc that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & ALL_MODULES


def source_of(module: str) -> Path:
    return PACKAGE.parent / f"{module.replace('.', '/')}.py"


def needs_test(module: Path) -> bool:
    return not module.name.startswith("_") and has_code(module)


def home(module: Path) -> Path:
    """Return the file that tests `module`."""
    shared = TOGETHER.get(module.as_posix()) or TOGETHER.get(module.parent.as_posix())
    own = TESTS / module.parent / f"test_{module.name}"
    return own if shared is None or own.is_file() else TESTS / shared


@pytest.mark.parametrize("module", [m.as_posix() for m in MODULES if needs_test(m)])
def test_a_module_has_its_test(module: str) -> None:
    assert home(Path(module)).is_file(), f"{home(Path(module))} is missing"


def test_what_is_tested_together_exists() -> None:
    for name, file in TOGETHER.items():
        assert (PACKAGE / name).exists(), name
        assert (TESTS / file).is_file(), file


def test_every_layout_of_lines_has_a_sample() -> None:
    """The tests in `readers/lines` run over the samples; what has none would be tested by none."""
    code = ast.parse((TESTS / "readers/lines/line_samples.py").read_text(encoding="utf-8"))
    (samples,) = (
        node.value
        for node in code.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SAMPLES"
    )
    assert isinstance(samples, ast.Dict)
    named = {key.value for key in samples.keys if isinstance(key, ast.Constant)}
    found = {m.stem for m in MODULES if m.parent == Path("readers/lines") and needs_test(m)}
    layouts = found - {"base"}  # what they have in common
    assert len(layouts) > 30
    assert layouts == named


@pytest.mark.parametrize("name", [name for name in TOGETHER if name.endswith(".py")])
def test_a_shared_test_asks_the_module_itself(name: str) -> None:
    """It imports the module, or a public sibling that does."""
    asked = imports(TESTS / TOGETHER[name])
    module = f"spikedoc.{name.removesuffix('.py').replace('/', '.')}"
    siblings = [s for s in asked if s.rpartition(".")[0] == module.rpartition(".")[0]]
    passed_on = set().union(*(imports(source_of(s)) for s in siblings))
    passed_on |= set().union(*(imports(source_of(s)) for s in passed_on if s in ALL_MODULES))
    assert module in asked | passed_on


@pytest.mark.parametrize("folder", sorted({str(m.parent) for m in MODULES} - {"."}))
def test_parts_have_a_public_sibling(folder: str) -> None:
    """A folder of nothing but underscore modules would be a folder nobody tests."""
    names = [m.name for m in MODULES if str(m.parent) == folder]
    assert names == ["__init__.py"] or any(not name.startswith("_") for name in names)


@pytest.mark.parametrize("module", [str(m) for m in MODULES])
def test_modules_are_short(module: str) -> None:
    count = len((PACKAGE / module).read_text(encoding="utf-8").splitlines())
    assert count <= MODULE_LINES


def test_functions_are_short() -> None:
    long = [
        f"{module}:{f.lineno} {f.name} has {lines(f)} lines"
        for module in MODULES
        for f in functions(module)
        if lines(f) > FUNCTION_LINES
    ]
    assert not long, "\n".join(long)


def test_packages_hold_nothing_but_what_they_pass_on() -> None:
    """Code in an `__init__` is imported by everybody who wants a neighbour of it."""
    for module in MODULES:
        if module.name == "__init__.py" and module.parent != Path():
            kinds = {type(node) for node in tree(module).body}
            assert kinds <= {ast.Expr, ast.ImportFrom, ast.Assign}, module


def test_tests_have_no_packages() -> None:
    assert not list(TESTS.rglob("__init__.py"))


def test_the_rule_tells_code_from_types() -> None:
    assert needs_test(Path("signal/fold.py"))
    assert not needs_test(Path("detectors/base.py"))
    assert not needs_test(Path("model/role.py"))
    assert not needs_test(Path("readers/_columns.py"))
    assert needs_test(Path("model/label.py"))


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("spikedoc", cache_dir=None)
    circles = [
        [module, *back]
        for module in sorted(graph.modules)
        for imported in sorted(graph.find_modules_directly_imported_by(module))
        if (back := graph.find_shortest_chain(importer=imported, imported=module))
    ]
    assert circles == []
