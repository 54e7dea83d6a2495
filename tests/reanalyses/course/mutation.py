"""Small changes to a function, one at a time: constants, operators, comparisons, signs, and reductions."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

#: Names and operators that replace each other.
PAIRS = "Add Sub, Mult Div, FloorDiv Mod, Eq NotEq, BitAnd BitOr, min max, argmin argmax, sum mean, zeros ones, cos sin, any all"
NAMES = {old: new for pair in PAIRS.split(", ") for old, new in permutations(pair.split())} | {
    "median": "mean"
}
OPERATORS = {getattr(ast, old): getattr(ast, new) for old, new in NAMES.items() if old[0].isupper()}
OPERATORS |= {ast.Pow: ast.Mult, ast.Lt: ast.GtE, ast.LtE: ast.Lt, ast.Gt: ast.LtE, ast.GtE: ast.Gt}


def mutants(function: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the description of each change and the changed function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    n_changes = sum(1 for _ in _changes(tree))
    for index in range(n_changes):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        description, change = list(_changes(tree))[index]
        change()
        names = dict(function.__globals__)
        exec(compile(ast.fix_missing_locations(tree), f"<{function.__name__}, {description}>", "exec"), names)
        yield description, names[function.__name__]


def _changes(tree: ast.Module) -> Iterator[tuple[str, Callable[[], None]]]:
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    for node in (inner for statement in function.body for inner in ast.walk(statement)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            for new in {node.value + 1, -node.value if node.value else -1}:
                yield f"line {line}: {node.value} → {new}", _set(node, "value", new)
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            yield f"line {line}: not {node.value}", _set(node, "value", not node.value)
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
            new_op = OPERATORS[type(node.op)]
            yield f"line {line}: {type(node.op).__name__} → {new_op.__name__}", _set(node, "op", new_op())
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
            new_op = OPERATORS[type(node.ops[0])]
            description = f"line {line}: {type(node.ops[0]).__name__} → {new_op.__name__}"
            yield description, _set(node, "ops", [new_op(), *node.ops[1:]])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
            yield f"line {line}: sign or negation lost", _set(node, "op", ast.UAdd())
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield f"line {line}: {node.attr} → {NAMES[node.attr]}", _set(node, "attr", NAMES[node.attr])
        elif isinstance(node, ast.Name) and node.id in ("min", "max", "any", "all"):
            yield f"line {line}: {node.id} → {NAMES[node.id]}", _set(node, "id", NAMES[node.id])


def _set(node: ast.AST, field: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(node, field, value)
