"""Tests that scores and comparisons agree for data in memory, in files, and on the workers of a cluster."""

import contextlib
import os
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.isotropy import dimensions_used, isoscore, isotropy_defect, partition_score
from isotropy_report import compare, report_card
from tests.isotropy_lab.projection.test_stress import run

N, n = 6_000, 40


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return (rng.standard_normal((N, n)) * np.linspace(1, 3, n) + 5.0).astype(np.float32)


def scores(data):
    """Return all covariance-based scores of one kind of input."""
    return np.array(
        [
            isoscore(data),
            isoscore(data, estimator="corrected"),
            isotropy_defect(data),
            dimensions_used(data),
            dimensions_used(data, estimator="corrected"),
        ]
    )


@pytest.fixture(scope="module")
def expected(X):
    return scores(X.astype(np.float64))


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("chunks", [(750, n), (1250, 13)])
def test_scores_of_dask_arrays_with_local_schedulers(X, expected, tmp_path, scheduler, chunks):
    da = pytest.importorskip("dask.array")
    import dask

    np.save(tmp_path / "x.npy", X)
    lazy = da.from_array(np.load(tmp_path / "x.npy", mmap_mode="r"), chunks=chunks)
    with dask.config.set(scheduler=scheduler):
        np.testing.assert_allclose(scores(lazy), expected, rtol=1e-6)


@contextlib.contextmanager
def local_cluster(**options):
    distributed = pytest.importorskip(
        "distributed", reason="the scheduler of clusters is the package distributed"
    )
    local = distributed.LocalCluster(threads_per_worker=1, processes=True, dashboard_address=None, **options)
    with local, distributed.Client(local) as client:
        yield client


@pytest.mark.rest
def test_scores_on_a_cluster_of_two_workers(X, expected):
    import dask.array as da

    with local_cluster(n_workers=2, memory_limit=0) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        np.testing.assert_allclose(scores(da.from_array(X, chunks=(750, n))), expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["dask", "frame", "fortran"])
def test_comparison_does_not_depend_on_the_array_type(X, kind):
    if kind == "dask":
        da = pytest.importorskip("dask.array")
    convert = {
        "dask": lambda array: da.from_array(array, chunks=(700, 13)),
        "frame": pd.DataFrame,
        "fortran": np.asfortranarray,
    }[kind]
    models = {"a": X[:1_000], "b": X[:1_000] * np.linspace(1, 2, n, dtype=np.float32)}

    def text(convert):
        converted = {name: convert(rows) for name, rows in models.items()}
        questions = {name: convert(rows[:50] + 1) for name, rows in models.items()}
        options = {"gold": range(50), "sample_size": 300, "rng": 0, "pictures": False}
        return str(compare(converted, questions=questions, **options))

    assert text(convert) == text(np.asarray)


def assert_same(actual, expected, tolerance=1e-12):
    """Assert that texts and integers are equal, and that other numbers are equal up to rounding."""
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        actual, expected = list(actual.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected)
        for left, right in zip(actual, expected, strict=True):
            assert_same(left, right, tolerance)
    elif isinstance(expected, float):
        assert actual == pytest.approx(expected, rel=tolerance, abs=tolerance)
    else:
        assert actual == expected


@pytest.mark.parametrize("chunks", [(700, 13), (6_000, 40), (1, 40)])
def test_card_of_a_dask_array_equals_that_of_the_array(X, chunks):
    da = pytest.importorskip("dask.array")
    rows = X[:200] if chunks == (1, 40) else X
    for array, tolerance in ((rows.astype(np.float64), 1e-12), (rows, 1e-6)):  # float32 stays float32
        lazy = da.from_array(array, chunks=chunks)
        actual, expected = (report_card(x, pictures=False).to_dict() for x in (lazy, array))
        assert_same(actual, expected, tolerance)


@pytest.mark.parametrize("chunks", [(130, 40), (1_000, 7)])
def test_all_parts_of_the_card_of_a_dask_array_equal_those_of_the_array(X, chunks):
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    rows = X[:1_000].copy()
    rows[:, 5], rows[:100] = 3, rows[900]  # equal rows, and a coordinate that is nearly constant
    documents = np.vstack([np.zeros((1, n), np.float32), X[1_000:1_400], X[1_100:1_200]])
    options = {
        "labels": rng.integers(3, size=1_000),
        "groups": np.sort(rng.integers(300, size=1_000)),
        "questions": X[1_000:1_040] + rng.standard_normal((40, n)).astype(np.float32),
        "gold": {i: [i + 1, i + 2] for i in range(40)},
    }

    def card(convert):
        return report_card(convert(rows), documents=convert(documents), sample_size=500, **options).to_dict()

    assert_same(card(lambda array: da.from_array(array, chunks=chunks)), card(np.asarray))


def test_large_dask_arrays_are_not_gathered():
    da = pytest.importorskip("dask.array")
    for lazy in (da.zeros((10**6, 2_000)), da.zeros((9, 3))[da.from_array([True] * 9)]):
        with pytest.raises(ValueError, match=r"X is a Dask array of .*too large"):
            partition_score(lazy)


@pytest.mark.rest
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_card_of_a_dask_array_needs_less_memory_than_the_array():
    """The 800 MB are created in chunks, and the process may use 700 MB of its own."""
    code = """
        import resource
        resource.setrlimit(resource.RLIMIT_DATA, (700 * 2**20,) * 2)
        import dask, dask.array as da
        dask.config.set(scheduler="synchronous")
        from isotropy_report import report_card
        lazy = da.random.default_rng(0).standard_normal((400_000, 250), chunks=(20_000, 250))
        assert lazy.nbytes == 800_000_000
        print(report_card(lazy, pictures=False).value("isoscore_corrected"))
    """
    completed = run(textwrap.dedent(code))
    assert completed.returncode == 0, completed.stderr
    assert float(completed.stdout) > 0.99


def chunk(seed, deaths):
    """Return the rows of a chunk; the worker of the third dies at every other call, up to six."""
    if seed == 2 and deaths is not None:
        with open(deaths, "a") as file:
            file.write("x")
        if os.path.getsize(deaths) in (1, 3, 5):
            os._exit(1)
    return np.random.default_rng(seed).standard_normal((20_000, 150))


@pytest.mark.rest
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_card_survives_small_workers_that_die(tmp_path):
    """500 MB on two workers of 450 MB; one dies in both passes over the rows and in the search."""
    import dask
    import dask.array as da

    deaths = str(tmp_path / "deaths")
    rng = np.random.default_rng(99)
    questions, gold = rng.standard_normal((50, 150)), rng.integers(420_000, size=50)

    def card(deaths, n_chunks):
        chunks = [
            da.from_delayed(dask.delayed(chunk)(i, deaths), (20_000, 150), float) for i in range(n_chunks)
        ]
        lazy = da.concatenate(chunks)
        rows = gold % len(lazy)
        return report_card(lazy, questions=questions, gold=rows, sample_size=500, pictures=False).to_dict()

    with local_cluster(n_workers=2, memory_limit="450MB"):
        assert card(deaths, 21)["sections"]["data"]["numbers"]["n_points"]["value"] == 420_000
        assert os.path.getsize(deaths) > 6
        expected = card(None, 3)
    with dask.config.set(scheduler="synchronous"):
        assert_same(card(None, 3), expected)
