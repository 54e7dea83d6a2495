"""Tests of random samples of rows: their positions in all formats, and their statement on the card."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from isotropy_report import report_card
from isotropy_report.cli import main
from isotropy_report.io.arrays import read_named
from isotropy_report.io.draws import Draw
from tests.isotropy_report.io.making import binary_rows, json_lines, npy, save, text_rows

N = 70_000
X = (np.random.default_rng(0).standard_normal((N, 3)) * [3, 2, 1]).astype(np.float32)
WORDS = [f"word{i}" for i in range(N)]
COLUMNS = np.asfortranarray(X)
WRITERS = {
    "x.npy": lambda path: np.save(path, X),
    "columns.npy": lambda path: np.save(path, COLUMNS),
    "x.npy.gz": lambda path: path.write_bytes(gzip.compress(npy(X), 1)),
    "columns.npy.gz": lambda path: path.write_bytes(gzip.compress(npy(COLUMNS), 1)),
    "x.npz": lambda path: np.savez(path, X=X),
    "columns.npz": lambda path: np.savez_compressed(path, X=COLUMNS, y=np.arange(3)),
    "x.safetensors": lambda path: save_file({"bias": np.zeros(5), "X": X}, path),
    "x.parquet": lambda path: pd.DataFrame(X, columns=list("abc")).to_parquet(path),
    "x.csv": lambda path: pd.DataFrame(X, columns=list("abc")).to_csv(path, index=False),
    "x.tsv": lambda path: pd.DataFrame(X, columns=list("abc")).to_csv(path, sep="\t", index=False),
    "x.jsonl": lambda path: path.write_text(
        json_lines(*({"id": word, "v": row} for word, row in zip(WORDS, X.tolist(), strict=True)))
    ),
    "word2vec.txt": lambda path: path.write_text(f"{N} 3\n" + text_rows(WORDS, X)),
    "glove.txt": lambda path: path.write_text(text_rows(WORDS, X)),
    "word2vec.bin": lambda path: path.write_bytes(f"{N} 3\n".encode() + binary_rows(WORDS, X)),
}


def test_rows_are_drawn_uniformly():
    counts = np.zeros(50)
    for seed in range(2000):
        positions = Draw(n_rows=10, seed=seed).positions(50, 1)
        assert positions.size == 10
        assert (np.diff(positions) > 0).all()
        counts[positions] += 1
    # 400 expected, with a standard deviation of 18
    assert np.abs(counts - 400).max() < 5 * 18


@pytest.mark.parametrize("name", WRITERS)
def test_all_formats_give_the_same_sample(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    partial, full = Draw(n_numbers=900, seed=4), Draw(n_numbers=10**9, seed=4)
    expected = Draw(n_rows=300, seed=4).positions(N, 3)
    np.testing.assert_array_equal(read_named(path, draw=partial).vectors.astype(np.float32), X[expected])
    np.testing.assert_array_equal(read_named(path, draw=full).vectors.astype(np.float32), X)
    assert partial.total == full.total == N
    if name in ("x.jsonl", "word2vec.bin", "glove.txt"):  # names go with the rows
        named_rows = read_named(path, draw=Draw(n_rows=300, seed=4), with_names=True)
        assert named_rows.names == [WORDS[i] for i in expected]
        np.testing.assert_array_equal(named_rows.vectors.astype(np.float32), X[expected])


def test_command_draws_rows_and_the_card_states_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tmp_path, "x.npy", npy(X))
    words = ["report", "x.npy", "--rows", "500", "--seed", "3", "-o", "card.json"]
    assert (main([*words, "--quiet"]), "drawn at random" in capsys.readouterr().out) == (0, True)
    card = json.loads(Path("card.json").read_text(encoding="utf-8"))
    assert "500 of 70,000 rows" in card["summary"][0]
    assert card["options"]["rows drawn from"] == N
    positions = Draw(n_rows=500, seed=3).positions(N, 3)
    expected = report_card(X[positions], rng=3).to_dict()
    assert expected["sections"]["isotropy"]["numbers"] == card["sections"]["isotropy"]["numbers"]
    assert main(["scores", "x.npy", "--rows", "100000"]) == 0
    assert "drawn at random without" not in capsys.readouterr().out
