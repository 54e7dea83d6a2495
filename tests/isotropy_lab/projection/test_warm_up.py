"""Tests that the warm-up compiles every loop, so that later calls compile none."""

import importlib
import inspect
import json
import pkgutil

import numpy as np
import pytest

from isotropy_lab.projection import warm_up
from isotropy_lab.projection._pairs import compilation, kernels
from tests.isotropy_lab.projection.test_stress import run
from tests.isotropy_lab.projection.test_without_numba import KINDS, MEASURES, points


def compiled_forms():
    """Return the compiled loops of this process with their argument types."""
    return {
        (loop.py_func.__module__, loop.py_func.__name__, str(types))
        for loop in compilation.LOOPS
        for types in loop.overloads
    }


def called_loops():
    """Return the names of the called loops; cached machine code contains the loops that it calls."""
    names, pending = set(), [loop for loop in compilation.LOOPS if loop.overloads]
    while pending:
        function = pending.pop().py_func
        name = function.__module__, function.__name__
        if name not in names:
            names.add(name)
            callees = (function.__globals__.get(name) for name in function.__code__.co_names)
            pending += [callee for callee in callees if hasattr(callee, "py_func")]
    return names


def all_loops():
    """Yield the names of all loops in the modules of loops, compiled or not."""
    for module_info in pkgutil.iter_modules(kernels.__path__, f"{kernels.__name__}."):
        module = importlib.import_module(module_info.name)
        for name, value in vars(module).items():
            function = getattr(value, "py_func", value)
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                yield module.__name__, name


def repeat_points(X, Y):
    """Return so many perturbed copies of the points that tiles fill whole blocks of memory."""
    rng = np.random.default_rng(1)
    return tuple(
        (np.tile(side, (4, 1)) + rng.standard_normal((4 * len(side), 1))).astype(side.dtype)
        for side in (X, Y)
    )


def missed_loops():
    """Return the loops that the warm-up does not call, and argument types that measures compile later."""
    assert warm_up.main() == 0
    known = compiled_forms()
    missed = sorted(set(all_loops()) - called_loops())
    for name, measure in MEASURES.items():
        for kind in KINDS:
            measure(*points(kind))
            X, Y = (side.copy() for side in points(kind))
            X.flags.writeable = Y.flags.writeable = False
            measure(X, Y)
        if not name.startswith("kl_curve"):
            measure(*repeat_points(*points("plain")))
        new = compiled_forms() - known
        missed += [(name, *form) for form in sorted(new)]
        known |= new
    return missed


@pytest.mark.rest
def test_warm_up_compiles_all_loops_and_types(monkeypatch, capsys):
    """A new loop belongs in `_pairs/kernels`, and `warm_up` must call it with all argument types in use."""
    monkeypatch.setenv("ISOTROPY_LAB_NUMBA", "0")
    assert warm_up.main() == 0
    assert "nothing is compiled" in capsys.readouterr().out
    monkeypatch.undo()
    completed = run(f"import json; from {__name__} import missed_loops; print(json.dumps(missed_loops()))")
    assert completed.returncode == 0, completed.stderr
    assert json.loads(completed.stdout.splitlines()[-1]) == []


def test_all_loops_are_in_the_modules_of_kernels():
    prefix = f"{kernels.__name__}."
    assert len(list(all_loops())) > 20
    assert len(compilation.LOOPS) > 10
    for loop in compilation.LOOPS:
        assert loop.py_func.__module__.startswith((prefix, "tests."))
        assert loop.targetoptions["nogil"]
        assert loop.stats.cache_path
