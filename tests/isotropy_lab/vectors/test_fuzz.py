"""Ten thousand damaged and hostile files: each is read or refused in words, in little memory, and none runs code."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tests.isotropy_lab.vectors import fuzzing

FILES, PROCESSES = 10_080, 2
KINDS = len(set(fuzzing.Files.KINDS))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """What two processes of their own found, each with half of the files; the first has the bombs as well."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    running = []
    for seed in range(PROCESSES):
        folder = tmp_path_factory.mktemp(f"fuzz{seed}")
        arguments = [str(seed), str(FILES // PROCESSES), str(folder), *(["bombs"] if seed == 0 else [])]
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", "tests.isotropy_lab.vectors.fuzzing", *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
                cwd=Path(__file__).parents[3],
            )
        )
    found = []
    for process in running:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, f"a reader took the process down:\n{err[-3000:]}"
        found.append(json.loads(out.splitlines()[-1]))
    return found


def test_every_file_is_read_or_refused_in_words_and_in_little_memory(reports):
    """No other error than the documented ones, no more than twice the file and 100 MB, nothing executed."""
    failures = [failure for report in reports for failure in report["failures"]]
    assert not failures, "\n".join(failures[:20])


def test_the_count_of_files(reports):
    assert sum(sum(report["files"].values()) for report in reports) >= 10_000
    kinds = {kind for report in reports for kind in report["files"]}
    assert sum(kind.startswith("bomb") for kind in kinds) >= 20
    assert sum(not kind.startswith("bomb") for kind in kinds) == KINDS == 16


def test_damage_is_neither_always_nor_never_noticed(reports):
    """A fuzzer whose files are all refused at the first byte would test nothing behind it."""
    outcomes = {
        name: sum(report["outcomes"].get(name, 0) for report in reports) for name in ("read", "ValueError")
    }
    assert outcomes["read"] > 1000
    assert outcomes["ValueError"] > 10_000


def test_the_sentinel_would_be_seen(tmp_path):
    bomb = pickle.dumps(fuzzing.Sentinel(str(tmp_path / "executed")))
    pickle.loads(bomb)  # our own bytes
    assert (tmp_path / "executed").exists()


def test_a_seed_gives_the_same_files(tmp_path):
    first, second = (list(fuzzing.Files(5, tmp_path).stream(60, bombs=False)) for _ in range(2))
    assert first == second
