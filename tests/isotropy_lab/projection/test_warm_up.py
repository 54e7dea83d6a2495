"""Tests that the warm-up compiles every loop, so that later calls compile none."""

import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from isotropy_lab.projection import warm_up
from isotropy_lab.projection._pairs import compilation, kernels
from tests.isotropy_lab.projection.test_without_numba import KINDS, MEASURES, points


def compiled_forms():
    """Return the compiled loops of this process with their argument types."""
    return {
        (loop.py_func.__module__, loop.py_func.__name__, str(types))
        for loop in compilation.LOOPS
        for types in loop.overloads
    }


def called():
    """Return the names of the called loops; cached machine code contains the loops that it calls."""
    found, next_ones = set(), [loop for loop in compilation.LOOPS if loop.overloads]
    while next_ones:
        function = next_ones.pop().py_func
        name = function.__module__, function.__name__
        if name not in found:
            found.add(name)
            within = (function.__globals__.get(name) for name in function.__code__.co_names)
            next_ones += [thing for thing in within if hasattr(thing, "py_func")]
    return found


def all_loops():
    """Yield the names of all loops in the modules of loops, compiled or not."""
    for found in pkgutil.iter_modules(kernels.__path__, f"{kernels.__name__}."):
        module = importlib.import_module(found.name)
        for name, thing in vars(module).items():
            function = getattr(thing, "py_func", thing)
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                yield module.__name__, name


def read_only(X, Y):
    X, Y = X.copy(), Y.copy()
    X.flags.writeable = Y.flags.writeable = False
    return X, Y


def many(X, Y):
    """Return the number of points for which tiles fill whole blocks of memory."""
    rng = np.random.default_rng(1)
    return tuple(
        (np.tile(side, (4, 1)) + rng.standard_normal((4 * len(side), 1))).astype(side.dtype)
        for side in (X, Y)
    )


def cold_after_warm_up():
    """Return the loops that the warm-up does not call, and the argument types that measures add."""
    assert warm_up.main() == 0
    warm = compiled_forms()
    forgotten = sorted(set(all_loops()) - called())
    for name, measure in MEASURES.items():
        for kind in KINDS:
            measure(*points(kind))
            measure(*read_only(*points(kind)))
        if not name.startswith("kl_curve"):
            measure(*many(*points("plain")))
        new = compiled_forms() - warm
        forgotten += [(name, *form) for form in sorted(new)]
        warm |= new
    return forgotten


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )


@pytest.mark.rest
def test_nothing_is_left_to_compile_after_the_warm_up(monkeypatch, capsys):
    """A new loop belongs to `_pairs/kernels`, and `warm_up` must call it with every type in use."""
    monkeypatch.setenv("ISOTROPY_LAB_NUMBA", "0")
    assert warm_up.main() == 0
    assert "nothing is compiled" in capsys.readouterr().out
    monkeypatch.undo()
    done = run(
        f"import json; from {__name__} import cold_after_warm_up; print(json.dumps(cold_after_warm_up()))"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_loops_stand_where_the_test_above_looks_for_them():
    home = f"{kernels.__name__}."
    assert len(list(all_loops())) > 20
    assert len(compilation.LOOPS) > 10
    for loop in compilation.LOOPS:
        assert loop.py_func.__module__.startswith((home, "tests."))
        assert loop.targetoptions["nogil"]
        assert loop.stats.cache_path
