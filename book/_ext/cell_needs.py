"""Dependencies of notebook cells: the cells that define the names that a cell reads, recursively."""

import ast
import builtins
import re
import symtable
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

#: Pseudo-name that a plotting cell reads, and the call that sets it.
STYLE, STYLE_CALL = "(the look of figures)", "drawing.use()"
#: Statements whose bodies may not run, so that names may keep earlier values.
BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.Match)


@dataclass
class Names:
    """Names that a cell reads and defines."""

    reads: set[str] = field(default_factory=set)  #: Names that are read before the cell sets them.
    #: Names that are always set, so that earlier values do not matter.
    sets: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)  #: All names that it sets or may change.
    #: Names of the notebook that its functions read.
    functions: dict[str, set[str]] = field(default_factory=dict)


def names(source: str) -> Names:
    """Return the names that a cell reads, sets, and changes.

    A name is changed where something is stored in it (``X[0] = 1``, ``x.y += 1``) or called for its effect
    (``found.append(1)``).
    """
    cell = Names()
    for statement in ast.parse(source).body:
        _add_names(statement, cell)
    for table in symtable.symtable(source, "cell", "exec").get_children():
        if table.get_type() == "function" and table.get_name() in cell.sets:
            cell.functions.setdefault(table.get_name(), set()).update(_read_globals(table))
    called = _read_names(ast.parse(source)) & set(cell.functions)
    cell.reads |= _follow_calls(called, cell.functions) - called - cell.sets
    if re.search(r"\b(plt|sns|explore)\b", source):
        cell.reads.add(STYLE)
    if STYLE_CALL in source:
        cell.sets.add(STYLE)
    cell.changes |= cell.sets
    builtin_names = set(dir(builtins)) - cell.sets
    cell.reads -= builtin_names
    cell.changes -= builtin_names
    return cell


def needs(sources: Sequence[str], solutions: Sequence[bool]) -> list[tuple[list[int], list[str]]]:
    """Return, for each cell, the indices of earlier cells and the imports that must run before it.

    If a needed cell only imports the needed names, its imports are enough. No cell needs a solution.
    """
    cells = [names(source) for source in sources]
    imported = [_import_of_name(source) for source in sources]
    generators = {name for source in sources for name in _random_generators(source)}
    functions: dict[str, set[str]] = {}
    result = []
    for index, cell in enumerate(cells):
        if not solutions[index]:
            for name, reads in cell.functions.items():
                functions.setdefault(name, set()).update(reads)
        # A cell that draws from a generator changes its state.
        cell.changes |= generators & _follow_calls(cell.reads, functions)
        needed = _follow_calls(cell.reads, functions | cell.functions)
        indices: list[int] = []
        import_lines: list[str] = []
        for earlier in range(index - 1, -1, -1):
            earlier_cell = cells[earlier]
            if solutions[earlier] or not earlier_cell.changes & needed:
                continue
            if earlier_cell.changes & needed - set(imported[earlier]):
                indices.insert(0, earlier)
                needed = (needed - earlier_cell.sets) | _follow_calls(earlier_cell.reads, functions)
            else:
                for name in sorted(earlier_cell.changes & needed):
                    if imported[earlier][name] not in import_lines:
                        import_lines.insert(0, imported[earlier][name])
                needed -= earlier_cell.sets
        result.append((indices, import_lines))
    return result


def _import_of_name(source: str) -> dict[str, str]:
    """Return the names that a cell only imports, each with its import statement."""
    import_lines: dict[str, str] = {}
    assigned_elsewhere: set[str] = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            line = ast.unparse(statement)
            import_lines |= dict.fromkeys(_assigned_names(statement), line)
        else:
            assigned_elsewhere |= _assigned_names(statement)
    return {name: line for name, line in import_lines.items() if name not in assigned_elsewhere}


def imports(source: str) -> list[str]:
    """Return the import statements of a cell."""
    return [
        ast.unparse(statement)
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Import | ast.ImportFrom)
    ]


def _follow_calls(reads: set[str], functions: Mapping[str, set[str]]) -> set[str]:
    """Return the given names and, recursively, the names that functions among them read when called."""
    reached: set[str] = set()
    pending = list(reads)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += functions.get(name, ())
    return reached


def _add_names(node: ast.AST, cell: Names) -> None:
    """Add the names of a statement, in the order of execution, to `cell`."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        evaluated: list[ast.expr | None] = []  # for a function, the parts that run at its definition
        if isinstance(node, ast.FunctionDef):
            evaluated += node.decorator_list + node.args.defaults
            evaluated += node.args.kw_defaults
        for child in [node] if isinstance(node, ast.ClassDef) else evaluated:
            if child is not None:
                cell.reads |= _read_names(child) - cell.sets
        cell.sets.add(node.name)
    elif isinstance(node, BRANCHES):
        for name in ("test", "iter", "subject"):
            if child := getattr(node, name, None):
                cell.reads |= _read_names(child) - cell.sets
        inside = Names(sets=set(cell.sets))
        if isinstance(node, ast.For):
            inside.sets |= _assigned_names(node.target)
        for child in _nested_statements(node):
            _add_names(child, inside)
        cell.reads |= inside.reads
        cell.changes |= inside.changes | inside.sets
        cell.functions |= inside.functions
    else:
        cell.reads |= _read_names(node) - cell.sets
        cell.changes |= set(_modified_names(node))
        cell.sets |= _assigned_names(node)


def _nested_statements(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.excepthandler | ast.match_case):
            yield from child.body


def _read_names(node: ast.AST) -> set[str]:
    """Return the names that code reads, except for those of its own comprehensions and lambdas."""
    bound = {
        name
        for part in ast.walk(node)
        for name in (
            _assigned_names(part.target)
            if isinstance(part, ast.comprehension)
            else {argument.arg for argument in (*part.args.args, *part.args.kwonlyargs)}
            if isinstance(part, ast.Lambda)
            else ()
        )
    }
    read = {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    if isinstance(node, ast.AugAssign):
        read |= _assigned_names(node.target)
    return read - bound


def _assigned_names(node: ast.AST) -> set[str]:
    """Return the names that code sets, except for those of its own comprehensions."""
    in_comprehensions = {
        id(part)
        for item in ast.walk(node)
        if isinstance(item, ast.comprehension)
        for part in ast.walk(item.target)
    }
    stored = {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name)
        and isinstance(part.ctx, ast.Store)
        and id(part) not in in_comprehensions
    }
    if isinstance(node, ast.Import | ast.ImportFrom):
        stored |= {(item.asname or item.name).split(".")[0] for item in node.names}
    return stored


def _modified_names(node: ast.AST) -> Iterator[str]:
    """Yield the names of objects that a statement modifies, or calls for their side effects."""
    targets: list[ast.AST] = []
    for child in ast.walk(node):
        if isinstance(child, ast.Expr):
            targets.append(child.value)
        elif isinstance(child, ast.Attribute | ast.Subscript) and isinstance(child.ctx, ast.Store | ast.Del):
            targets.append(child)
    for target in targets:
        is_member = False  # an attribute or an item; calling a function by name does not change the function
        while isinstance(target, ast.Call | ast.Attribute | ast.Subscript):
            is_member |= not isinstance(target, ast.Call)
            target = target.func if isinstance(target, ast.Call) else target.value
        if is_member and isinstance(target, ast.Name):
            yield target.id


def _read_globals(table: symtable.SymbolTable) -> set[str]:
    """Return the names of the notebook that a function or its inner functions read."""
    read = {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return read.union(*map(_read_globals, table.get_children()))


def _random_generators(source: str) -> Iterator[str]:
    """Yield the names of the random generators that a cell creates."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and "default_rng" in ast.unparse(node.value):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            for target, value in zip(targets, values, strict=False):
                is_generator = isinstance(value, ast.Call) and ast.unparse(value.func).endswith("default_rng")
                if is_generator and isinstance(target, ast.Name):
                    yield target.id
