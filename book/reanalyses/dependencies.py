"""Tracking of files on which a computation depends, so that it is repeated only if they change.

`start_recording` records what a process reads, and `files_used` returns these files with the imported modules;
the kernel of a notebook loads this module as an extension. To track one function of a process, `imported_files`
follows the imports of its module instead. `digests_of` returns digests for later comparison. Searches for missing
files are not recorded.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
#: Packages on which a computation may depend, with their parent folders.
PACKAGES = {"isotropy_lab": "", "isotropy_report": "", "reanalyses": "book"}
#: Events by which a process starts another one; a pseudo-terminal does not report the command.
_COMMANDS = ("os.exec", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen")
Result = TypeVar("Result")
_STARTED = time.time()
_opened: set[str] = set()
_added: set[str] = set()
_watching = False


def files_under(path: Path) -> Iterator[Path]:
    """Yield the files of a folder (or the file itself) in a fixed order, without generated files."""
    if path.is_file():
        yield path
        return
    for child in sorted(path.rglob("*")):
        if child.is_file() and _is_source(child.relative_to(path).parts):
            yield child


def digests_of(names: Iterable[str], root: Path = ROOT) -> dict[str, str]:
    """Return the digests of files and folders of the repository, and the interpreter's version as "python".

    The digest of a folder is that of its list of names, and that of a missing file is "missing".
    """
    interpreter = f"{sys.version} {os.environ.get('OPENBLAS_CORETYPE', '')}"
    return {"python": interpreter} | {name: _digest(root / name) for name in sorted(names)}


def digests_match(stored: dict[str, str], root: Path = ROOT) -> bool:
    """Return whether the files still match a stored state."""
    return stored == digests_of(stored.keys() - {"python"}, root)


def are_unmodified(names: Iterable[str], root: Path = ROOT, *, since: float = _STARTED) -> bool:
    """Return whether files have not been modified since a time (default: the start of this process)."""
    return all((root / name).stat().st_mtime < since for name in names if (root / name).is_file())


def start_recording() -> None:
    """Record from now on which files this process reads, which folders it lists, and which commands it starts."""
    global _watching
    if not _watching:
        sys.addaudithook(_record_event)
    _watching = True


def load_ipython_extension(_: Any) -> None:
    """Start recording in a notebook."""
    start_recording()


def add_dependencies(names: Iterable[str]) -> None:
    """Record files on which this process depends without reading them, such as those behind a cached result."""
    _added.update(names)


def files_used(root: Path = ROOT) -> set[str]:
    """Return the files that this process has imported or read, and the folders that it has listed.

    A command of this project depends on both packages as a whole.
    """
    return _repository_names(root, _imported_paths() | _opened) | _added


def call_and_list_files(function: Callable[[], Result], root: Path = ROOT) -> tuple[Result, set[str]]:
    """Call a function, and return its result with the files that it read or was the first to import."""
    global _opened
    start_recording()
    opened_before, imported_before, _opened = _opened, _imported_paths(), set()
    try:
        return function(), _repository_names(root, _opened | _imported_paths() - imported_before)
    finally:
        _opened |= opened_before


@functools.cache
def imported_files(module: str, root: Path = ROOT) -> frozenset[str]:
    """Return the files and data of a module and of everything it imports, including imports within functions.

    Data are the files in a folder ``data`` next to one of these modules.
    """
    files: dict[str, Path] = {}
    pending = [module]
    while pending:
        # Only the leading part of the name is a module; the rest are names within it.
        inner = ""
        for part in pending.pop().split("."):
            outer, inner = inner, f"{inner}.{part}".lstrip(".")
            file = _module_file(inner, root)
            if file is None:
                if outer in files:  # some names are imported lazily
                    pending += filter(None, [_imports(files[outer], outer)[1].get(part)])
                break
            if inner not in files:
                files[inner] = file
                pending += _imports(file, inner)[0]
    data = {
        path for folder in {file.parent for file in files.values()} for path in files_under(folder / "data")
    }
    return frozenset(path.relative_to(root).as_posix() for path in {*files.values(), *data})


def _imported_paths() -> set[str]:
    return {getattr(module, "__file__", None) or "" for module in tuple(sys.modules.values())} - {""}


def _repository_names(root: Path, paths: set[str]) -> set[str]:
    """Return the paths of source files in the repository, relative to it; "" stands for all packages."""
    prefix = f"{root}{os.sep}"
    names = {Path(path[len(prefix) :]) for path in paths if path.startswith(prefix)}
    files = {name.as_posix() for name in names if _is_source(name.parts) and (root / name).exists()}
    if "" in paths:
        folders = (root / parent / package for package, parent in PACKAGES.items())
        files |= {path.relative_to(root).as_posix() for folder in folders for path in files_under(folder)}
    return files


def _is_source(parts: tuple[str, ...]) -> bool:
    return not any(part in ("__pycache__", "_build") or part.startswith(".") for part in parts)


def _digest(path: Path) -> str:
    try:
        status = path.stat()
    except FileNotFoundError:
        return "missing"
    if stat.S_ISDIR(status.st_mode):
        names = (name for name in sorted(os.listdir(path)) if _is_source((name,)))
        return hashlib.sha256("\n".join(names).encode()).hexdigest()[:20]
    return _digest_of_file(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _digest_of_file(path: Path, _time: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:20]


def _record_event(event: str, arguments: tuple[Any, ...]) -> None:
    """Record an event of this process; a command of this project is recorded as ""."""
    if event == "open":
        path, _, flags = arguments
        only_written = flags & os.O_ACCMODE == os.O_WRONLY or flags & os.O_TRUNC
        if not isinstance(path, int) and not only_written:
            _opened.add(os.path.abspath(os.fsdecode(path)))
    elif event in ("os.listdir", "os.scandir"):
        # The import system also lists folders, in search of a module or of the version of a package.
        if "importlib" not in sys._getframe(1).f_code.co_filename and not isinstance(arguments[0], int):
            _opened.add(os.path.abspath(os.fsdecode(arguments[0] or ".")))
    elif event in _COMMANDS:
        text = str(arguments)
        if not arguments or any(word in text for word in ("python", "isotropy", "reanalyses")):
            _opened.add("")


def _module_file(module: str, root: Path) -> Path | None:
    top, *parts = module.split(".")
    if top not in PACKAGES:
        return None
    folder = root.joinpath(PACKAGES[top], top, *parts)
    candidates = (folder / "__init__.py", folder.with_suffix(".py"))
    return next((path for path in candidates if path.is_file()), None)


@functools.cache
def _imports(file: Path, module: str) -> tuple[frozenset[str], dict[str, str]]:
    """Return the dotted names that a module imports or uses, and the names imported for type checking only."""
    tree = ast.parse(file.read_bytes())
    nodes_for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in node.body
        for inner in ast.walk(child)
    }
    package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    names: dict[str, str] = {}
    for_types_only: dict[str, str] = {}
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported.add(alias.name)
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            target = for_types_only if id(node) in nodes_for_types else names
            if target is names:
                imported.add(base)
            for alias in node.names:
                target[alias.asname or alias.name] = f"{base}.{alias.name}"
    used = {_dotted_name(node, names) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return frozenset({*imported, *names.values(), *used} - {""}), for_types_only


def _dotted_name(node: ast.expr, names: dict[str, str]) -> str:
    """Return the full dotted name of an expression such as ``isotropy.clouds.ball``, or "" if it is unknown."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    inner = _dotted_name(node.value, names) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if isinstance(node, ast.Attribute) and inner else ""
