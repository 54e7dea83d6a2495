"""Build the executed site: ``python scripts/build_book.py``.

Jupyter Book re-executes a chapter when the chapter changes, but not when the code it imports does. So the whole
build folder, cached outputs included, is dropped when a digest over the package, its data, the lock and the
configuration differs from the one that the last successful build left. Warnings are errors.

Notebooks that are not in the cache are executed side by side, one per processor, before Sphinx reads the pages one after
the other; one that fails is left to Sphinx, which executes it again and reports the error in full.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parents[1]
#: What an executed page depends on besides its own text.
INPUTS = (
    "isotropy_lab",
    "book/_ext",
    "book/reanalyses",
    "book/pyproject.toml",
    "requirements.lock",
    "pyproject.toml",
    "_config.yml",
    "scripts/build_book.py",
)


def files_under(path: Path) -> Iterator[Path]:
    """Yield the files of a folder (or the file itself) in a fixed order, without compiled leftovers."""
    if path.is_file():
        yield path
        return
    for child in sorted(path.rglob("*")):
        if child.is_file() and "__pycache__" not in child.parts:
            yield child


def digest(root: Path, inputs: Iterable[str] = INPUTS) -> str:
    """Return a digest over names and contents of all inputs and the interpreter's version."""
    state = hashlib.sha256(sys.version.encode())
    for name in inputs:
        for file in files_under(root / name):
            state.update(f"\0{file.relative_to(root).as_posix()}\0".encode())
            state.update(hashlib.sha256(file.read_bytes()).digest())
    return state.hexdigest()


def notebooks(root: Path) -> list[Path]:
    """Return the notebooks in the table of contents, in its order."""
    pages = parse_toc_yaml(root / "_toc.yml")
    files = (root / "book" / f"{page.removesuffix('.ipynb')}.ipynb" for page in pages)
    return [file for file in files if file.exists()]


def execute_notebooks(root: Path) -> None:
    """Execute what is not in the cache, side by side, and put it there."""
    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["execute"]
    cache = get_cache(root / "book" / "_build" / ".jupyter_cache")
    staged = [cache.add_nb_to_project(str(file)) for file in notebooks(root)]
    ran = load_executor("local-parallel", cache=cache).run_and_cache(
        filter_pks=[record.pk for record in staged], timeout=settings["timeout"]
    )
    print(
        f"{len(ran.succeeded)} of {len(ran.all())} notebooks executed, {len(staged)} in the book", flush=True
    )


def build(root: Path, *, extra: Iterable[str] = ()) -> int:
    """Build the book under ``root``; return the exit code of Jupyter Book."""
    build_folder = root / "book" / "_build"
    mark = build_folder / "inputs.sha256"
    now = digest(root)
    if build_folder.exists() and (not mark.exists() or mark.read_text(encoding="ascii") != now):
        print("package, data, lock or configuration changed: every chapter is executed anew", flush=True)
        shutil.rmtree(build_folder)
    # Taken away until the build has succeeded, so that a failed build is never mistaken for a good one.
    mark.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-c",
        "from jupyter_book.cli.main import main; main()",
        "build",
        "book",
        "--config",
        str(root / "_config.yml"),
    ]
    command += [
        "--toc",
        str(root / "_toc.yml"),
        "--path-output",
        str(root / "book"),
        "-W",
        "-n",
        "--keep-going",
        *extra,
    ]
    for name, value in (("OMP_NUM_THREADS", "1"), ("PYDEVD_DISABLE_FILE_VALIDATION", "1")):
        os.environ.setdefault(name, value)
    execute_notebooks(root)
    code = subprocess.run(command, cwd=root, check=False).returncode
    if code == 0:
        mark.write_text(now, encoding="ascii")
        print(f"The site is in {build_folder.relative_to(root).as_posix()}/html/index.html")
    else:
        for report in sorted((build_folder / "html" / "reports").glob("**/*.err.log")):
            print(
                f"\n--- {report.relative_to(build_folder)}\n{report.read_text(encoding='utf-8')}",
                file=sys.stderr,
            )
    return code


def main() -> int:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    arguments, extra = parser.parse_known_args()
    return build(arguments.root.resolve(), extra=extra)


if __name__ == "__main__":
    raise SystemExit(main())
