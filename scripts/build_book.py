"""Build the executed site: ``python scripts/build_book.py``.

Jupyter Book re-executes a page when the page changes, but not when the code it imports does. So the whole
build folder, cached outputs included, is dropped when a digest over the package, its data, the lock and the
configuration differs from the one that the last successful build left. Where only the table of contents or the
static files differ, the pages are written anew and the cached outputs stay. Warnings are errors.

Notebooks that are not in the cache are executed side by side, one per processor, before Sphinx reads the pages one
after the other. At each Markdown cell the kernel is asked for the expressions that its prose shows; a notebook whose
prose has other expressions than those that were kept is executed anew. What the ledger's claims come to is computed once,
by the first page that shows it (``book/_build/findings``). If a notebook fails, its error is the last thing printed and no
page is written. What kernels and Sphinx say besides stands in ``book/_build/kernels.log`` and ``book/_build/sphinx.log``.

What runs Python in the reader's tab (``scripts/get_live.py``) is put beside the pages. Where it can be had from nowhere
the book is built without it; with ``ISOTROPY_LAB_REQUIRE_LIVE`` set, as in CI, that is an error.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Empty
from typing import Any, TextIO

import yaml
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "scripts")]

import get_live  # noqa: E402
import inline_expressions  # noqa: E402

#: What an executed page depends on besides its own text.
INPUTS = (
    "isotropy_lab",
    "benchmarks/calibration/comparison.json",
    "benchmarks/calibration/isotropy.json",
    "benchmarks/calibration/models.json",
    "benchmarks/calibration/peers.json",
    "benchmarks/faults.json",
    "benchmarks/fuzz.json",
    "benchmarks/growth.json",
    "benchmarks/live.json",
    "benchmarks/mutants/results.json",
    "benchmarks/processors.json",
    "benchmarks/results.json",
    "benchmarks/supply.json",
    "book/_ext",
    "book/_live/differences.toml",
    "book/_live/lock.json",
    "book/reanalyses",
    "book/pyproject.toml",
    "requirements.lock",
    "pyproject.toml",
    "_config.yml",
    "scripts/build_book.py",
)
#: What the folder with Python for the reader's tab depends on.
LIVE = (
    "isotropy_lab",
    "book/_live",
    "book/reanalyses",
    "book/pyproject.toml",
    "pyproject.toml",
    "requirements.lock",
)
#: What every written page depends on, executed or not: Sphinx leaves pages and files that are no longer wanted.
LAYOUT = ("_toc.yml", "book/_live/page", "book/_static", "book/_vendor")


def files_under(path: Path) -> Iterator[Path]:
    """Yield the files of a folder (or the file itself) in a fixed order, without what tools leave behind."""
    if path.is_file():
        yield path
        return
    for child in sorted(path.rglob("*")):
        parts = child.relative_to(path).parts
        if child.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in parts):
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


def plain(text: str) -> str:
    """Return the text without the colors of terminals."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def duration(seconds: float) -> str:
    """Return a time as a person would say it: ``41 s``, ``2 min 5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Progress:
    """Lines about pages: one for each page that has finished and, on a terminal, one about those that run."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total, self.stream, self.done = total, stream, 0
        self.running: dict[str, float] = {}
        self.lock = threading.Lock()

    def started(self, name: str) -> None:
        """Note that a page runs."""
        with self.lock:
            self.running[name] = time.monotonic()
            self._show_running()

    def finished(self, name: str, *, failed: bool) -> None:
        """Say that a page has run, and how long it took."""
        with self.lock:
            self.done += 1
            took = duration(time.monotonic() - self.running.pop(name))
            self._clear()
            width = len(str(self.total))
            print(
                f"  {self.done:{width}} of {self.total}  {name:44} {'FAILED after ' if failed else ''}{took}",
                file=self.stream,
                flush=True,
            )
            self._show_running()

    def _clear(self) -> None:
        if self.stream.isatty():
            self.stream.write("\r\033[K")

    def _show_running(self) -> None:
        if self.stream.isatty() and self.running:
            self._clear()
            self.stream.write("  running: " + ", ".join(self.running))
            self.stream.flush()


def asking_again(get_msg: Callable[..., Any]) -> Callable[..., Any]:
    """Wait for a message in short turns.

    A socket that asyncio watches can miss that a message came, and then finds it only when its time is up: a page would
    stand idle until the whole timeout of a cell is over.
    """

    async def get(timeout: float | None = None) -> Any:
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            rest = end - time.monotonic()
            try:
                return await get_msg(timeout=max(0.0, min(1.0, rest)))
            except Empty:
                if rest <= 1.0:
                    raise

    return get


def execute(notebook: Any, folder: Path, timeout: int, log: TextIO, texts: inline_expressions.Texts) -> str:
    """Execute a notebook in place and put the texts of its expressions into `texts`; return its error or "".

    What its kernel prints outside cells goes to a log.
    """
    # Recorded times would change the notebook, and with it the key under which Sphinx looks for it.
    # Every figure has the book's look, those that a reader's code draws included.
    client = NotebookClient(
        notebook,
        timeout=timeout,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        extra_arguments=["--ext=reanalyses.style"],
    )
    client.on_cell_start = inline_expressions.evaluator(client, texts)
    client.raise_on_iopub_timeout, client.iopub_timeout = True, 60  # rather than leave an output out

    def started(notebook: Any) -> None:
        for channel in (client.kc.shell_channel, client.kc.iopub_channel):
            channel.get_msg = asking_again(channel.get_msg)

    client.on_notebook_start = started
    try:
        client.execute(stdout=log, stderr=log)
    except (CellExecutionError, CellTimeoutError, inline_expressions.ExpressionError) as error:
        return str(error)
    except Exception as error:  # a kernel that died, for instance for want of memory
        return f"{type(error).__name__}: {error}"
    return ""


def execute_notebooks(
    root: Path, wanted: Iterable[Path] | None = None, *, stream: TextIO = sys.stdout
) -> dict[str, str]:
    """Execute what is not in the cache, side by side, and put it there; return the errors by page.

    `wanted` are notebooks of the book, by default all.
    """
    timeout = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["execute"]["timeout"]
    book = root / "book"
    cache = get_cache(book / "_build" / ".jupyter_cache")
    in_book = [
        cache.add_nb_to_project(str(file)).pk for file in (notebooks(root) if wanted is None else wanted)
    ]
    unexecuted = {record.pk for record in cache.list_unexecuted(filter_pks=in_book)}
    pages = {pk: cache.get_project_notebook(pk) for pk in in_book}
    names = {page.uri: Path(page.uri).relative_to(book).with_suffix("").as_posix() for page in pages.values()}
    todo = [
        page
        for pk, page in pages.items()
        if pk in unexecuted or inline_expressions.kept(book, names[page.uri], page.nb) is None
    ]
    if not todo:
        print(f"All {len(in_book)} notebooks are up to date.", file=stream, flush=True)
        return {}
    workers = min(len(todo), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
    kept = f", {len(in_book) - len(todo)} are up to date" if len(todo) < len(in_book) else ""
    print(
        f"Executing {len(todo)} of {len(in_book)} notebooks, {workers} at a time{kept}:",
        file=stream,
        flush=True,
    )
    progress, errors = Progress(len(todo), stream), {}

    def run(page: Any, name: str, log: TextIO) -> tuple[str, float]:
        progress.started(name)
        start = time.monotonic()
        texts: inline_expressions.Texts = {}
        error = execute(page.nb, Path(page.uri).parent, timeout, log, texts)
        if not error:
            inline_expressions.keep(book, name, page.nb, texts)
        progress.finished(name, failed=bool(error))
        return error, time.monotonic() - start

    with (
        open(root / "book" / "_build" / "kernels.log", "w", encoding="utf-8") as log,
        ThreadPoolExecutor(workers) as pool,
    ):
        futures = {pool.submit(run, page, names[page.uri], log): page for page in todo}
        try:
            for future in as_completed(futures):
                page = futures[future]
                error, seconds = future.result()
                if error:
                    errors[names[page.uri]] = error
                else:
                    bundle = CacheBundleIn(page.nb, page.uri, data={"execution_seconds": seconds})
                    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        except KeyboardInterrupt:  # kernels end with their parent; pages that have run are in the cache
            print("\nStopped.", file=sys.stderr, flush=True)
            os._exit(130)
    return errors


def run_sphinx(
    command: Sequence[str], root: Path, log: Path, *, stream: TextIO = sys.stdout
) -> tuple[int, list[str]]:
    """Run Jupyter Book; show its phases, keep all that it says in a log, and return its code and its complaints.

    Complaints are the lines of its standard error, where Sphinx writes warnings; a warning stands once.
    """
    phases = {"reading sources": "Reading pages", "writing output": "Writing pages"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said, open(log, "w", encoding="utf-8") as kept:
        process = subprocess.Popen(  # nosec B603 # Sphinx with arguments of ours
            command,
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        assert process.stdout is not None
        for line in map(plain, process.stdout):
            kept.write(line)
            for phase, words in tuple(phases.items()):
                if line.startswith(f"{phase}... ["):
                    del phases[phase]
                    print(f"{words} …", file=stream, flush=True)
        code = process.wait()
        said.seek(0)
        complaints: list[str] = []
        for line in map(plain, said):
            kept.write(line)
            if line.strip() and not ("WARNING" in line and line.rstrip() in complaints):
                complaints.append(line.rstrip())
    return code, complaints


def prepare(root: Path, *, stream: TextIO = sys.stdout) -> str:
    """Drop of the last build what no longer holds; return the mark that a successful build leaves.

    ``executed.sha256`` says for which inputs the cached outputs hold, whether or not the site was written.
    """
    folder = root / "book" / "_build"
    executed, mark = folder / "executed.sha256", folder / "inputs.sha256"
    inputs = digest(root)
    now = f"{inputs}\n{digest(root, LAYOUT)}\n"
    if folder.exists() and (not executed.exists() or executed.read_text(encoding="ascii") != inputs):
        print(
            "Package, data, lock or configuration changed: every notebook is executed anew.",
            file=stream,
            flush=True,
        )
        for part in folder.iterdir():
            if part.name == "course":  # somebody may have changed a file there: `make course` looks
                continue
            shutil.rmtree(part) if part.is_dir() else part.unlink()
    elif mark.exists() and mark.read_text(encoding="ascii") != now:
        print("Contents or static files changed: every page is written anew.", file=stream, flush=True)
        mark.unlink()
    if not mark.exists():
        for part in ("html", ".doctrees"):
            shutil.rmtree(folder / part, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    executed.write_text(inputs, encoding="ascii")
    return now


def get_python_for_the_tab(root: Path) -> bool:
    """Get what runs Python in the reader's tab; without it the book is built without its buttons, except in CI."""
    if not (root / get_live.LOCK).exists():  # another book, as the tests build
        return False
    try:
        get_live.get(root)
    except get_live.MissingError as error:
        print(f"{error}. The pages are built without the button that runs them.", file=sys.stderr, flush=True)
        return False
    return True


def write_python_for_the_tab(root: Path, *, stream: TextIO = sys.stdout) -> None:
    """Put Python for the reader's tab beside the pages, unless it is there."""
    mark, site = root / "book" / "_build" / "live.sha256", root / "book" / "_build" / "html"
    now = digest(root, (*LIVE, "scripts/get_live.py"))
    folder = site / "_static" / "live"
    if (folder / "files.json").exists() and mark.exists() and mark.read_text(encoding="ascii") == now:
        return
    print("Writing Python for the reader's tab …", file=stream, flush=True)
    get_live.write(root, site)
    mark.write_text(now, encoding="ascii")


def build(root: Path, *, extra: Sequence[str] = ()) -> int:
    """Build the book under ``root``; return 0, or 1 after saying what failed."""
    start = time.monotonic()
    folder = root / "book" / "_build"
    now = prepare(root)
    for name, value in (("OMP_NUM_THREADS", "1"), ("PYDEVD_DISABLE_FILE_VALIDATION", "1")):
        os.environ.setdefault(name, value)
    # Inside of what `prepare` drops when code or data change: a claim is computed on the first page that shows it.
    findings = folder / "findings"
    findings.mkdir(exist_ok=True)
    os.environ["ISOTROPY_LAB_FINDINGS"] = str(findings)
    mark = folder / "inputs.sha256"
    if (
        not extra
    ):  # taken away until the build has succeeded, so that a failed build is never mistaken for a good one
        mark.unlink(missing_ok=True)
    if errors := execute_notebooks(root):
        for name, error in errors.items():
            print(f"\n--- {name}\n{plain(error)}", file=sys.stderr)
        print(f"\nNo site was written. Failed, with the error above: {', '.join(errors)}", file=sys.stderr)
        return 1
    live = not extra and get_python_for_the_tab(root)
    if not live and not extra and os.environ.get("ISOTROPY_LAB_REQUIRE_LIVE"):
        print("No site was written: ISOTROPY_LAB_REQUIRE_LIVE asks for Python in the tab.", file=sys.stderr)
        return 1
    os.environ["ISOTROPY_LAB_LIVE"] = "1" if live else ""  # tells the extensions whether pages can run
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", "book"]
    command += ["--config", str(root / "_config.yml"), "--toc", str(root / "_toc.yml")]
    command += ["--path-output", str(root / "book"), "-W", "-n", "--keep-going", *extra]
    if extra:  # another builder: what it says is the result
        return subprocess.run(command, cwd=root, check=False).returncode  # nosec B603 # Sphinx with arguments of ours
    code, complaints = run_sphinx(command, root, folder / "sphinx.log")
    if code:
        print("\n" + "\n".join(complaints), file=sys.stderr)
        print(
            "\nThe site is not complete: Sphinx failed with what stands above (in full: book/_build/sphinx.log).",
            file=sys.stderr,
        )
        return 1
    if live:
        write_python_for_the_tab(root)
    mark.write_text(now, encoding="ascii")
    site = (folder / "html" / "index.html").relative_to(root)
    print(f"Done in {duration(time.monotonic() - start)}. The site is in {site.as_posix()}", flush=True)
    return 0


def main() -> int:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    arguments, extra = parser.parse_known_args()
    return build(arguments.root.resolve(), extra=extra)


if __name__ == "__main__":
    raise SystemExit(main())
