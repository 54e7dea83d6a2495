"""Execute the book's notebooks in parallel, and store their outputs with a record of their inputs.

The kernel records the modules of the repository that a notebook imports and the files that it reads
(`reanalyses.dependencies`). A notebook is executed again if its code, an expression in its prose, one of
these files, the lock file, the interpreter, or the executing code has changed. The inputs are recorded in
``book/_build/rests_on/<page>.json``; outputs are stored by `executed_pages`, and results of the ledger's
claims by `reanalyses.ledger.cache`.
"""

import ast
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Empty
from typing import Any, TextIO

import yaml
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "book")]

import executed_pages  # noqa: E402
import inline_expressions  # noqa: E402

from reanalyses import dependencies  # noqa: E402

#: Inputs of every executed page.
COMMON_INPUTS = (
    "book/_ext/executed_pages.py",
    "book/_ext/inline_expressions.py",
    "requirements.lock",
    "scripts/execution.py",
)


def notebooks(root: Path) -> list[Path]:
    """Return the notebooks in the order of the table of contents."""
    pages = parse_toc_yaml(root / "_toc.yml")
    files = (root / "book" / f"{page.removesuffix('.ipynb')}.ipynb" for page in pages)
    return [file for file in files if file.exists()]


def name_of(root: Path, notebook: Path) -> str:
    """Return the name of a page: its path in the book, without a suffix."""
    return notebook.relative_to(root / "book").with_suffix("").as_posix()


def duration(seconds: float) -> str:
    """Return a duration as readable text, such as ``41 s`` or ``2 min 5 s``."""
    minutes, remainder = divmod(round(seconds), 60)
    return f"{minutes} min {remainder} s" if minutes else f"{remainder} s"


class Progress:
    """Progress messages: a line for each finished page and, on a terminal, one for the running pages."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total, self.stream, self.done = total, stream, 0
        self.running: dict[str, float] = {}
        self.lock = threading.Lock()

    def started(self, name: str) -> None:
        """Record that a page is running."""
        with self.lock:
            self.running[name] = time.monotonic()
            self._show_running()

    def finished(self, name: str, *, failed: bool) -> None:
        """Print that a page has run, and how long it took."""
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


def poll(get_msg: Callable[..., Any]) -> Callable[..., Any]:
    """Return a version of `get_msg` that polls in short intervals.

    A socket watched by asyncio can miss the arrival of a message and find it only at the timeout; a page
    would then wait for the whole timeout of a cell.
    """

    async def get(timeout: float | None = None) -> Any:
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            remaining = end - time.monotonic()
            try:
                return await get_msg(timeout=max(0.0, min(1.0, remaining)))
            except Empty:
                if remaining <= 1.0:
                    raise

    return get


#: Cell after the last one, which returns the files that the kernel has read.
FILES_CELL = """
from pathlib import Path as _Path
from reanalyses.dependencies import files_used as _files_used
"\\n".join(_files_used(_Path({root!r})))
"""


def execute(
    notebook: Any, folder: Path, root: Path, timeout: int, log: TextIO, environment: Mapping[str, str]
) -> tuple[str, executed_pages.Texts, set[str]]:
    """Execute a notebook in place; return its error or "", its expressions' texts, and the files it read.

    What its kernel prints outside cells goes to a log.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError
    from nbformat.v4 import new_code_cell

    # Every figure has the book's style, including figures drawn by a reader's code.
    client = NotebookClient(
        notebook,
        timeout=timeout,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,  # the kernel sends printed text in parts, which may split a line
        extra_arguments=["--ext=reanalyses.dependencies", "--ext=reanalyses.style"],
    )
    texts: executed_pages.Texts = {}
    client.on_cell_start = inline_expressions.evaluator(client, texts)
    client.raise_on_iopub_timeout, client.iopub_timeout = True, 60  # instead of omitting an output

    def use_polling(notebook: Any) -> None:
        for channel in (client.kc.shell_channel, client.kc.iopub_channel):
            channel.get_msg = poll(channel.get_msg)

    client.on_notebook_start = use_polling
    notebook.cells.append(new_code_cell(FILES_CELL.format(root=str(root))))
    try:
        client.execute(stdout=log, stderr=log, env=environment)
        inputs = notebook.cells[-1].outputs[0].data["text/plain"]
    except (CellExecutionError, CellTimeoutError, inline_expressions.ExpressionError) as error:
        return str(error), {}, set()
    except Exception as error:  # a kernel that died, for example, because memory ran out
        return f"{type(error).__name__}: {error}", {}, set()
    finally:
        del notebook.cells[-1]
    return "", texts, set(ast.literal_eval(inputs).split("\n"))


def record_file(folder: Path, page: str) -> Path:
    """Return the file that records the inputs of an executed page, next to the folder of stored outputs."""
    return folder.parent / "rests_on" / f"{page}.json"


def is_current(root: Path, folder: Path, page: str, notebook: Any) -> bool:
    """Return whether the stored outputs of a notebook are those that it would have if executed now."""
    file = record_file(folder, page)
    return (
        file.exists()
        and executed_pages.read_outputs(folder, page, notebook) is not None
        and dependencies.digests_match(json.loads(file.read_text(encoding="utf-8")), root)
    )


def execute_notebooks(
    root: Path,
    selected: Iterable[Path] | None = None,
    *,
    build: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stream: TextIO = sys.stdout,
) -> dict[str, str]:
    """Execute notebooks without current stored outputs in parallel, and store these; return errors by page.

    `selected` are notebooks of the book (default: all). If `environment` sets variables of the kernels,
    `build` must be another folder than ``book/_build``, whose contents are made without such variables.
    """
    build = build or root / "book" / "_build"
    folder = build / "executed"
    timeout = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["execute"]["timeout"]
    variables = {"OMP_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1", **os.environ}
    # Controls are replaced by frames, because a page has no kernel.
    variables |= {
        "ISOTROPY_LAB_FINDINGS": str(build / "findings"),
        "ISOTROPY_LAB_FRAMES": "1",
        **(environment or {}),
    }
    files = notebooks(root) if selected is None else selected
    contents = {name_of(root, file): file.read_text(encoding="utf-8") for file in files}
    pages = {name: json.loads(text) for name, text in contents.items()}
    outdated = [name for name, page in pages.items() if not is_current(root, folder, name, page)]
    if not outdated:
        print(f"All {len(pages)} notebooks are up to date.", file=stream, flush=True)
        return {}
    import nbformat

    # Case files take longest, and other pages show the results of their claims.
    outdated.sort(key=lambda name: pages[name]["metadata"].get("isotropy_lab", {}).get("kind") != "case file")
    workers = min(len(outdated), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
    note = f", {len(pages) - len(outdated)} are up to date" if len(outdated) < len(pages) else ""
    print(
        f"Executing {len(outdated)} of {len(pages)} notebooks, {workers} at a time{note}:",
        file=stream,
        flush=True,
    )
    (build / "findings").mkdir(parents=True, exist_ok=True)
    progress, errors = Progress(len(outdated), stream), {}

    def run(name: str, log: TextIO) -> str:
        progress.started(name)
        record_file(folder, name).unlink(missing_ok=True)
        page, start = nbformat.reads(contents[name], as_version=4), time.time()
        error, texts, inputs = execute(page, (root / "book" / name).parent, root, timeout, log, variables)
        if not error:
            executed_pages.write_outputs(folder, name, page, texts)
            names = {*inputs, *COMMON_INPUTS}
            if dependencies.are_unmodified(
                names, root, since=start
            ):  # otherwise, it may have read earlier content
                file = record_file(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(dependencies.digests_of(names, root), indent=1), encoding="utf-8")
        progress.finished(name, failed=bool(error))
        return error

    with open(build / "kernels.log", "w", encoding="utf-8") as log, ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(run, name, log): name for name in outdated}
        try:
            for future in as_completed(futures):
                if error := future.result():
                    errors[futures[future]] = error
        except KeyboardInterrupt:  # kernels end with their parent process; finished pages are stored
            print("\nStopped.", file=sys.stderr, flush=True)
            os._exit(130)
    return errors
