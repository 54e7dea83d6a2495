"""What the benchmarks of all wings share: interpreters that have the peers, processes of their own, peaks of memory."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

HERE = pathlib.Path(__file__).parent


def interpreter_with(packages: Sequence[str], folder: str, variable: str) -> str | None:
    """Return an interpreter that has the peer packages, made in `folder` if need be, or None to go without.

    The environment variable names another interpreter, or none if it is empty.
    """
    given = os.environ.get(variable)
    if given is not None:
        return given or None
    environment = HERE / folder
    python, marker = environment / "bin" / "python", environment / ".complete"
    if not marker.exists() or marker.read_text().split() != list(packages):
        print(f"making benchmarks/{folder} for {' '.join(packages)} (once)", file=sys.stderr)
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(environment)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"without the peer: {error}", file=sys.stderr)
            return None
        marker.write_text("\n".join(packages))
    return str(python)


def child(python: str, code: str, task: dict[str, Any], *, show: bool = False) -> dict[str, Any]:
    """Run a task in a process of its own, with its number of threads, and return what it prints last, as JSON.

    What it says on the way goes to stderr, and with `show` is seen at once.
    """
    environment = dict(os.environ)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[variable] = str(task["threads"])
    # A peer's interpreter measures ours as well, in the same process, so that all take turns.
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(HERE.parent), environment.get("PYTHONPATH")])
    )
    done = subprocess.run(
        [python, "-c", code, json.dumps(task)],
        env=environment, stdout=subprocess.PIPE, stderr=None if show else subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"a benchmark process failed:\n{done.stderr or ''}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def machine() -> dict[str, Any]:
    """Say what the benchmarks run on."""
    model = platform.processor() or platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"processor": model, "cores": os.cpu_count(), "system": platform.system(), "load_at_end": load}


def resident(key: str) -> int:
    """Return a line of /proc/self/status in bytes; 0 where there is none."""
    try:
        lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":")), 0)


def rise(call: Callable[[], float]) -> tuple[int, float]:
    """Return how far anonymous memory rises during a call, and what it returns."""
    done, base, peak = threading.Event(), resident("RssAnon"), [0]

    def watch() -> None:
        while not done.is_set():
            peak[0] = max(peak[0], resident("RssAnon"))
            done.wait(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    value = float(call())
    done.set()
    watcher.join()
    return max(peak[0] - base, 0), value


def medians(timed: dict[str, Any], ours: str, beside: str | None) -> tuple[dict[str, float], float | None]:
    """Return the median seconds of every contender, and ours as a ratio to another's, by turns if both had as many."""
    turns = timed["seconds"]
    seconds = {name: statistics.median(values) for name, values in turns.items()}
    if beside not in turns:
        return seconds, None
    if len(turns[ours]) == len(turns[beside]):
        return seconds, statistics.median(a / b for a, b in zip(turns[ours], turns[beside], strict=True))
    return seconds, seconds[ours] / seconds[beside]
