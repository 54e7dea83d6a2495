"""Mutants of the measures: changes of a comparison, an operator, a constant, or a condition.

``python -m benchmarks.mutants`` draws some at random and runs the tests that reach the changed function.
"""

import ast
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).resolve().parents[2] / "isotropy_lab"
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt,
        ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
        ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of one module; `number` is the index of the change in the module."""

    module: str
    function: str
    line: int
    change: str
    number: int


#: A possible change of a tree: function, line, description, and the function that makes the change.
Edit = tuple[str, int, str, Callable[[], object]]


def mutants(file: Path) -> list[Mutant]:
    """Return all mutants of a module, in source order."""
    module = file.relative_to(PACKAGE).as_posix()
    return [Mutant(module, *edit[:3], i) for i, edit in enumerate(edits(ast.parse(file.read_bytes())))]


def mutated_source(file: Path, number: int) -> str:
    """Return the source of a module with one change and without comments."""
    tree = ast.parse(file.read_bytes())
    *_, apply_change = next(itertools.islice(edits(tree), number, None))
    apply_change()
    return ast.unparse(ast.fix_missing_locations(tree))


def all_mutants(prefixes: tuple[str, ...] = ()) -> list[Mutant]:
    """Return the mutants of all modules, or of those whose path begins with one of the prefixes."""
    names = [file.relative_to(PACKAGE).as_posix() for file in sorted(PACKAGE.rglob("*.py"))]
    return [mutant for name in names if name.startswith(prefixes or "") for mutant in mutants(PACKAGE / name)]


def edits(node: ast.AST, function: str = "", outer: str = "") -> Iterator[Edit]:
    """Yield the changes of the descendants of a node; `outer` is prepended to the names of functions."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _is_excluded(child):
                continue
            for new in _replacements(node, name, child):
                apply_change = _setter(value, i, new) if isinstance(value, list) else _setter(node, name, new)
                yield function, child.lineno, (f"{_shorten(child)} → {_shorten(new)}"), apply_change  # type: ignore[attr-defined]
            yield from _operators(child, function)
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = outer + child.name
                separator = "." if isinstance(child, ast.ClassDef) else ".<locals>."
                yield from edits(child, inner, inner + separator)
            elif not isinstance(child, ast.Raise):  # an exception contains a message
                yield from edits(child, function, outer)


def _operators(node: ast.AST, function: str) -> Iterator[Edit]:
    """Yield the changes of operators, which have no position of their own in the syntax tree."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            for new in _COMPARISONS[type(op)]:
                yield function, node.lineno, _describe_change(op, new(), node), _setter(node.ops, i, new())
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in _OPERATORS:
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
        if not any(isinstance(getattr(side, "value", side), str | bytes | ast.JoinedStr) for side in sides):
            new = _OPERATORS[type(node.op)]()
            yield function, node.lineno, _describe_change(node.op, new, node), _setter(node, "op", new)


def _replacements(parent: ast.AST, name: str, node: ast.AST) -> Iterator[ast.AST]:
    """Yield possible replacements of a node."""
    if isinstance(node, ast.stmt):
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        is_store = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript | ast.Attribute)
        if is_call or is_store or isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break):
            yield ast.Pass()
    elif name in ("test", "ifs") and not isinstance(node, ast.Compare | ast.Constant):
        yield node.operand if isinstance(getattr(node, "op", None), ast.Not) else ast.UnaryOp(ast.Not(), node)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        if isinstance(node.op, ast.Not | ast.USub):
            yield node.operand
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str) and name in ("defaults", "kw_defaults"):
            yield ast.Constant("another")
        elif isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int):
            yield ast.Constant(node.value + 1)
            yield ast.Constant(node.value - 1)
        elif isinstance(node.value, float):  # adding 1 to 1e150 has no effect
            yield ast.Constant(node.value + 1 if node.value + 1 != node.value else 2 * node.value)
    if isinstance(parent, ast.Return) and not (isinstance(node, ast.Constant) and node.value is None):
        yield ast.Constant(None)


def _setter(container: Any, position: Any, new: ast.AST) -> Callable[[], object]:
    if isinstance(container, list):
        return lambda: container.__setitem__(position, new)
    return lambda: setattr(container, position, new)


def _is_excluded(node: ast.AST) -> bool:
    """Return whether a node is a message, an import, a list of names, or code for type checkers only."""
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.If):
        return getattr(node.test, "id", "") == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return any(getattr(target, "id", "") == "__all__" for target in node.targets)
    if isinstance(node, ast.FunctionDef):
        return any(getattr(decorator, "id", "") == "overload" for decorator in node.decorator_list)
    return isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in ("Literal", "dict")


def _describe_change(old: ast.AST, new: ast.AST, node: ast.AST) -> str:
    return f"{type(old).__name__} → {type(new).__name__} in {_shorten(node)}"


def _shorten(node: ast.AST) -> str:
    line = " ".join(ast.unparse(node).split())
    return line if len(line) <= 60 else f"{line[:59]}…"
