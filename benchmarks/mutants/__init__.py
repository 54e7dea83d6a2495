"""Do the tests see it when the code is wrong? Small mistakes are put into the package, one at a time.

``python -m benchmarks.mutants [--n 300] [--seed S] [--modules PREFIX …]`` draws mutants at random, runs the tests that
reach the changed function in a copy of the package, and writes what became of each into results.json. Who survives is
read by a person: a hole gets a test that states the behavior, and a change that no test can see gets its line, with the
reason, in equivalent.toml. ``--again`` runs the survivors of the last run once more.

This module makes the mutants; ``__main__`` runs them.
"""

from __future__ import annotations

import ast
import pathlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "isotropy_lab"

#: What is mutated: measures, reports, readers, and what they share.
MODULES = (
    "association", "comparison", "isotropy", "projection", "report", "retrieval", "vectors",
    "_checks.py", "_multiplicity.py", "_neighbors.py", "_results.py", "_rows.py", "moments.py", "transforms.py",
)  # fmt: skip
#: Drawings: only their logic is mutated, because a pixel more or less is a matter of taste.
DRAWINGS = ("report/drawing.py", "report/pictures.py", "report/strips.py")

_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}


class Mutant(NamedTuple):
    """One change of one module. Module, text and change name it, so that it is known again when lines move."""

    module: str
    function: str
    line: int
    text: str
    change: str
    start: int
    end: int
    new: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what names the mutant."""
        return self.module, self.text, self.change

    def apply(self, source: bytes) -> bytes:
        """Return the module's source with the change."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def modules(prefixes: tuple[str, ...] = ()) -> list[pathlib.Path]:
    """Return the modules that are mutated, or those whose path in the package begins so."""
    files = [
        file
        for name in MODULES
        for file in ([PACKAGE / name] if name.endswith(".py") else sorted((PACKAGE / name).rglob("*.py")))
    ]
    return [file for file in files if file.relative_to(PACKAGE).as_posix().startswith(prefixes or ("",))]


def mutants(file: pathlib.Path) -> list[Mutant]:
    """Return all mutants of a module, in the order of the text."""
    module = file.relative_to(PACKAGE).as_posix()
    return _Reader(module, file.read_bytes(), drawing=module in DRAWINGS).found


class _Reader:
    """Walks through the tree of a module and lists what can be changed."""

    def __init__(self, module: str, source: bytes, *, drawing: bool) -> None:
        self.module, self.source, self.drawing = module, source, drawing
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []
        self.seen: Counter[tuple[str, str]] = Counter()
        self.read(ast.parse(source), "")

    def add(self, node: ast.AST, start: int, end: int, new: str, function: str) -> None:
        line: int = node.lineno  # type: ignore[attr-defined]
        line += self.source[self.starts[line - 1] : start].count(b"\n")
        text = " ".join(self.lines[line - 1].decode().split())
        change = f"{_short(self.source[start:end].decode())} → {_short(new)}"
        self.seen[text, change] += 1
        count = self.seen[text, change]
        change += f" ({count})" if count > 1 else ""
        name = function.removesuffix(".<locals>.")
        self.found.append(Mutant(self.module, name, line, text, change, start, end, new))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def replace(self, node: ast.expr | ast.stmt, new: str, function: str) -> None:
        self.add(node, *self.span(node), new, function)

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str, function: str) -> None:
        """Change the operator that stands between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        pattern = old.replace(" ", r"\s+") if old.isalpha() or " " in old else re.escape(old)
        match = re.search(pattern.encode(), self.source[start:end])
        if match:
            self.add(left, start + match.start(), start + match.end(), new, function)

    # --- the walk ---------------------------------------------------------------------------------------------

    def read(self, node: ast.AST, function: str) -> None:
        """List the changes of a node and of what is below it."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.read_definition(node, function)
            return
        if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom) or _is_typing(node):
            return
        if isinstance(node, ast.stmt):
            self.statement(node, function)
        if isinstance(node, ast.Raise):
            return  # a message
        if isinstance(node, ast.expr):
            self.expression(node, function)
        tests = (
            getattr(node, "ifs", []) if isinstance(node, ast.comprehension) else [getattr(node, "test", None)]
        )
        for test in tests:
            self.condition(test, function)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.read(child, function)

    def read_definition(self, node: ast.FunctionDef | ast.ClassDef, outer: str) -> None:
        if any(getattr(decorator, "id", "") == "overload" for decorator in node.decorator_list):
            return
        name = outer + node.name
        if isinstance(node, ast.FunctionDef):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if isinstance(default, ast.Constant) and isinstance(default.value, str):
                    self.replace(default, '"another"', name)
                elif default is not None:
                    self.read(default, name)
        inner = f"{name}.<locals>." if isinstance(node, ast.FunctionDef) else f"{name}."
        for child in node.body:
            self.read(child, inner)

    def statement(self, node: ast.stmt, function: str) -> None:
        call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        stored = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript | ast.Attribute)
        if call or stored or isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break):
            self.replace(node, "pass", function)
        if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC and not self.drawing:
            old, new = _ARITHMETIC[type(node.op)]
            self.between(node.target, node.value, f"{old}=", f"{new}=", function)  # type: ignore[arg-type]
        if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            self.replace(node.value, "None", function)

    def expression(self, node: ast.expr, function: str) -> None:
        if isinstance(node, ast.Compare):
            for left, op, right in zip(
                [node.left, *node.comparators], node.ops, node.comparators, strict=False
            ):
                old, others = _COMPARISONS[type(op)]
                for new in others:
                    self.between(left, right, old, new, function)
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                self.between(left, right, old, new, function)
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            start, end = self.span(node.operand)
            if isinstance(node.op, ast.Not | ast.USub):
                self.replace(node, f"({self.source[start:end].decode()})", function)
        elif self.drawing:
            return
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            if not any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (node.left, node.right)):
                self.between(node.left, node.right, *_ARITHMETIC[type(node.op)], function)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                self.replace(node, str(not node.value), function)
            elif isinstance(node.value, int | float):
                for step in (1, -1) if isinstance(node.value, int) else (1,):
                    other = node.value + step
                    # One more is nothing beside 1e150.
                    self.replace(node, f"{2 * node.value if other == node.value else other}", function)

    def condition(self, test: ast.expr | None, function: str) -> None:
        """Negate a condition, unless the change of an operator does so."""
        if test is None or isinstance(test, ast.Compare) or _is_typing(test):
            return
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return
        start, end = self.span(test)
        self.replace(test, f"(not ({self.source[start:end].decode()}))", function)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 50 else f"{line[:49]}…"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _is_typing(node: ast.AST) -> bool:
    """Return whether something is there for type checkers, or lists names."""
    if isinstance(node, ast.If):
        return getattr(node.test, "id", "") == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return any(getattr(target, "id", "") == "__all__" for target in node.targets)
    return isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in (
        "Literal",
        "Callable",
        "dict",
    )


def everything(prefixes: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """Yield all mutants of all modules."""
    for file in modules(prefixes):
        yield from mutants(file)
