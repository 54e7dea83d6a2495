"""Threads of ours beside those of BLAS."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from isotropy_lab.projection._pairs.threads import Threads, one_blas_thread


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture
def two_blas_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("BLAS has no two threads here")
        yield


def test_blas_works_in_the_thread_that_calls_it(two_blas_threads):
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {2}


@pytest.mark.parametrize(("n_threads", "left"), [(1, {2}), (3, {1})])
def test_beside_several_threads_blas_starts_none(two_blas_threads, n_threads, left):
    with Threads(n_threads) as threads:
        assert threads.map(lambda i: (i, blas_threads()), range(3)) == [(i, left) for i in range(3)]
    assert blas_threads() == {2}


def test_a_browser_has_one_thread_and_nothing_to_limit(monkeypatch, two_blas_threads):
    monkeypatch.setattr("sys.platform", "emscripten")
    with Threads(4) as threads, one_blas_thread():
        assert threads.n_threads == 1
        assert blas_threads() == {2}
