"""Dependencies of notebook cells: the cells that define the names that a cell reads, recursively."""

import ast
import builtins
import re
import symtable
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

#: Name that a plotting cell reads, and the call that determines it.
LOOK, CHOOSES_LOOK = "(the look of figures)", "drawing.use()"
#: Statements whose bodies may not run, so that names may keep earlier values.
BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.Match)


@dataclass
class Names:
    """Names that a cell reads and defines."""

    reads: set[str] = field(default_factory=set)  #: Names that are read before the cell sets them.
    sets: set[str] = field(
        default_factory=set
    )  #: Names that are always set, so that earlier values do not matter.
    gives: set[str] = field(default_factory=set)  #: All names that it sets or may change.
    functions: dict[str, set[str]] = field(
        default_factory=dict
    )  #: Names of the notebook that its functions read.


def names(source: str) -> Names:
    """Return the names that a cell reads, sets, and changes.

    A name is changed where something is stored in it (``X[0] = 1``, ``x.y += 1``) or called for its effect
    (``found.append(1)``).
    """
    found = Names()
    for statement in ast.parse(source).body:
        _visit(statement, found)
    for table in symtable.symtable(source, "cell", "exec").get_children():
        if table.get_type() == "function" and table.get_name() in found.sets:
            found.functions.setdefault(table.get_name(), set()).update(_globals(table))
    called = _loaded(ast.parse(source)) & set(found.functions)
    found.reads |= _reached(called, found.functions) - called - found.sets
    if re.search(r"\b(plt|sns|explore)\b", source):
        found.reads.add(LOOK)
    if CHOOSES_LOOK in source:
        found.sets.add(LOOK)
    found.gives |= found.sets
    known = set(dir(builtins)) - found.sets
    found.reads -= known
    found.gives -= known
    return found


def needs(sources: Sequence[str], solutions: Sequence[bool]) -> list[tuple[list[int], list[str]]]:
    """Return, for each cell, the indices of earlier cells and the imports that must run before it.

    Of a cell that only imports what is needed, the import is enough. Solutions are needed by none.
    """
    cells = [names(source) for source in sources]
    imported = [_imported(source) for source in sources]
    generators = {name for source in sources for name in _generators(source)}
    functions: dict[str, set[str]] = {}
    found = []
    for at, cell in enumerate(cells):
        if not solutions[at]:
            for name, reads in cell.functions.items():
                functions.setdefault(name, set()).update(reads)
        # A cell that draws from a generator changes its state.
        cell.gives |= generators & _reached(cell.reads, functions)
        wanted = _reached(cell.reads, functions | cell.functions)
        taken: list[int] = []
        lines: list[str] = []
        for place in range(at - 1, -1, -1):
            above = cells[place]
            if solutions[place] or not above.gives & wanted:
                continue
            if above.gives & wanted - set(imported[place]):
                taken.insert(0, place)
                wanted = (wanted - above.sets) | _reached(above.reads, functions)
            else:
                for name in sorted(above.gives & wanted):
                    if imported[place][name] not in lines:
                        lines.insert(0, imported[place][name])
                wanted -= above.sets
        found.append((taken, lines))
    return found


def _imported(source: str) -> dict[str, str]:
    """Return the names that a cell only imports, each with its import statement."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            line = ast.unparse(statement)
            found |= dict.fromkeys(_stored(statement), line)
        else:
            others |= _stored(statement)
    return {name: line for name, line in found.items() if name not in others}


def imports(source: str) -> list[str]:
    """Return the import statements of a cell."""
    return [
        ast.unparse(one) for one in ast.parse(source).body if isinstance(one, ast.Import | ast.ImportFrom)
    ]


def _reached(reads: set[str], functions: Mapping[str, set[str]]) -> set[str]:
    """Return the names, and the names that functions among them read when called."""
    reached: set[str] = set()
    waiting = list(reads)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += functions.get(name, ())
    return reached


def _visit(node: ast.AST, found: Names) -> None:
    """Visit a statement in the order of execution."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        now: list[ast.expr | None] = []  # for a function, the parts that run at its definition
        if isinstance(node, ast.FunctionDef):
            now += node.decorator_list + node.args.defaults
            now += node.args.kw_defaults
        for part in [node] if isinstance(node, ast.ClassDef) else now:
            if part is not None:
                found.reads |= _loaded(part) - found.sets
        found.sets.add(node.name)
    elif isinstance(node, BRANCHES):
        for name in ("test", "iter", "subject"):
            if part := getattr(node, name, None):
                found.reads |= _loaded(part) - found.sets
        inside = Names(sets=set(found.sets))
        if isinstance(node, ast.For):
            inside.sets |= _stored(node.target)
        for part in _bodies(node):
            _visit(part, inside)
        found.reads |= inside.reads
        found.gives |= inside.gives | inside.sets
        found.functions |= inside.functions
    else:
        found.reads |= _loaded(node) - found.sets
        found.gives |= set(_changed(node))
        found.sets |= _stored(node)


def _bodies(node: ast.AST) -> Iterator[ast.stmt]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            yield part
        elif isinstance(part, ast.excepthandler | ast.match_case):
            yield from part.body


def _loaded(node: ast.AST) -> set[str]:
    """Return the names that code reads, except for those of its own comprehensions and lambdas."""
    own = {
        name
        for part in ast.walk(node)
        for name in (
            _stored(part.target)
            if isinstance(part, ast.comprehension)
            else {one.arg for one in (*part.args.args, *part.args.kwonlyargs)}
            if isinstance(part, ast.Lambda)
            else ()
        )
    }
    read = {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    if isinstance(node, ast.AugAssign):
        read |= _stored(node.target)
    return read - own


def _stored(node: ast.AST) -> set[str]:
    """Return the names that code sets, except for those of its own comprehensions."""
    inner = {
        id(part)
        for one in ast.walk(node)
        if isinstance(one, ast.comprehension)
        for part in ast.walk(one.target)
    }
    stored = {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and id(part) not in inner
    }
    if isinstance(node, ast.Import | ast.ImportFrom):
        stored |= {(one.asname or one.name).split(".")[0] for one in node.names}
    return stored


def _changed(node: ast.AST) -> Iterator[str]:
    """Yield the names of objects that a statement modifies, or calls for their side effects."""
    parts: list[ast.AST] = []
    for one in ast.walk(node):
        if isinstance(one, ast.Expr):
            parts.append(one.value)
        elif isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.ctx, ast.Store | ast.Del):
            parts.append(one)
    for part in parts:
        through = False  # an attribute or an item; calling a function by name does not change the function
        while isinstance(part, ast.Call | ast.Attribute | ast.Subscript):
            through |= not isinstance(part, ast.Call)
            part = part.func if isinstance(part, ast.Call) else part.value
        if through and isinstance(part, ast.Name):
            yield part.id


def _globals(table: symtable.SymbolTable) -> set[str]:
    """Return the names of the notebook that a function or its inner functions read."""
    read = {one.get_name() for one in table.get_symbols() if one.is_global() and one.is_referenced()}
    return read.union(*map(_globals, table.get_children()))


def _generators(source: str) -> Iterator[str]:
    """Yield the names of the random generators that a cell creates."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and "default_rng" in ast.unparse(node.value):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            for target, value in zip(targets, values, strict=False):
                made = isinstance(value, ast.Call) and ast.unparse(value.func).endswith("default_rng")
                if made and isinstance(target, ast.Name):
                    yield target.id
