"""Rows drawn while a file is read: which they are, in every format, and what the card says of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file

from isotropy_lab import report_card
from isotropy_lab.cli import main
from isotropy_lab.vectors import read
from isotropy_lab.vectors.arrays import read_named
from isotropy_lab.vectors.draws import Draw

N = 70_000  # more than are drawn at once
X = np.random.default_rng(0).normal(size=(N, 3)).astype(np.float32)


def test_every_row_is_drawn_as_often():
    counts = np.zeros(50)
    for seed in range(2000):
        places = Draw(n_rows=10, seed=seed).places(50, 1)
        assert places.size == 10
        assert (np.diff(places) > 0).all()
        counts[places] += 1
    # 400 expected, with a standard deviation of 18
    assert np.abs(counts - 400).max() < 5 * 18


def write(folder: Path, name: str) -> Path:
    path, suffix = folder / name, name.rpartition(".")[2]
    words = (f"word{i}" for i in range(N))
    if name == "columns.npy":
        np.save(path, np.asfortranarray(X))
    elif suffix == "npy":
        np.save(path, X)
    elif name == "columns.npz":
        np.savez_compressed(path, X=np.asfortranarray(X), y=np.arange(3))
    elif name.endswith(".npy.gz"):
        with gzip.open(path, "wb", compresslevel=1) as stream:
            np.save(stream, np.asfortranarray(X) if name.startswith("columns") else X)
    elif suffix == "jsonl":
        rows = (json.dumps({"id": f"word{i}", "v": list(map(float, row))}) for i, row in enumerate(X))
        path.write_text("\n".join(rows) + "\n")
    elif suffix == "npz":
        np.savez(path, X=X)
    elif suffix == "safetensors":
        save_file({"bias": np.zeros(5), "X": X}, path)
    elif suffix == "parquet":
        pd.DataFrame(X, columns=list("abc")).to_parquet(path)
    elif suffix in ("csv", "tsv"):
        pd.DataFrame(X, columns=list("abc")).to_csv(path, sep=",\t"[suffix == "tsv"], index=False)
    elif suffix == "bin":
        rows = (f"{word} ".encode() + row.tobytes() for word, row in zip(words, X, strict=True))
        path.write_bytes(f"{N} 3\n".encode() + b"".join(rows))
    else:
        rows = (f"{word} {a:.9g} {b:.9g} {c:.9g}\n" for word, (a, b, c) in zip(words, X, strict=True))
        path.write_text((f"{N} 3\n" if name == "word2vec.txt" else "") + "".join(rows))
    return path


@pytest.mark.parametrize(
    "name",
    [
        *("x.npy", "columns.npy", "x.npz", "columns.npz", "x.safetensors", "x.parquet", "x.csv", "x.tsv"),
        *("word2vec.txt", "glove.txt", "word2vec.bin", "x.npy.gz", "columns.npy.gz", "x.jsonl"),
    ],
)
def test_the_same_rows_in_every_format(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = write(tmp_path, name)
    few, many = Draw(n_numbers=900, seed=4), Draw(n_numbers=10**9, seed=4)
    expected = Draw(n_rows=300, seed=4).places(N, 3)
    np.testing.assert_array_equal(read(path, draw=few).astype(np.float32), X[expected])
    np.testing.assert_array_equal(read(path, draw=many).astype(np.float32), X)
    assert few.total == many.total == N


def test_names_go_with_the_rows_that_are_drawn(tmp_path):
    expected = Draw(n_rows=300, seed=4).places(N, 3)
    for name in ("x.jsonl", "word2vec.bin", "glove.txt"):
        found = read_named(write(tmp_path, name), draw=Draw(n_rows=300, seed=4), with_names=True)
        assert found.names == [f"word{i}" for i in expected]
        np.testing.assert_array_equal(found.vectors.astype(np.float32), X[expected])


def test_one_of_the_two_sizes_is_given():
    for wrong in ({}, {"n_rows": 3, "n_numbers": 4}):
        with pytest.raises(ValueError, match="expected one"):
            Draw(**wrong)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"n_rows": 0}, ValueError, "n_rows is 0; expected at least 1"),
        ({"n_numbers": -5}, ValueError, "n_numbers is -5; expected at least 1"),
        ({"n_rows": 2.5}, TypeError, "n_rows"),
        ({"n_rows": 3, "seed": -1}, ValueError, "seed is -1; expected at least 0"),
    ],
)
def test_what_cannot_be_drawn(wrong, error, message):
    with pytest.raises(error, match=message):
        Draw(**wrong)


def test_rows_that_are_drawn_are_checked(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("1,2\n" * 40 + "1,red\n" * 40)
    with pytest.raises(ValueError, match=r"line \d+, column 2: 'red' is not a finite number"):
        read(path, draw=Draw(n_rows=20))
    path.write_text("1,2\n" * 40 + "1,2,3\n")
    with pytest.raises(ValueError, match="line 41 has 3 cells"):
        read(path, draw=Draw(n_rows=20))
    np.save(tmp_path / "x.npy", X)
    content = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(content[:-4])
    with pytest.raises(ValueError, match="promises 840,000 bytes of numbers, and 839,996 are there"):
        read(tmp_path / "cut.npy", draw=Draw(n_rows=20))


def test_the_command_line_draws_and_the_card_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("y.npy", X[:, :2] + 1)
    words = ["report", "x.npy", "--rows", "500", "--seed", "3", "--compare", "y.npy", "-o", "card.json"]
    assert main([*words, "--quiet"]) == 0
    card = json.loads(Path("card.json").read_text(encoding="utf-8"))
    assert card["summary"][0].startswith("This card is about 500 of 70,000 rows, drawn at random")
    assert card["options"]["rows drawn from"] == N
    notes = card["sections"]["comparison"]["notes"]
    assert "paired" in notes[0]
    assert any("500 of 70,000 rows" in note for note in notes)
    drawn = Draw(n_rows=500, seed=3).places(N, 3)
    own = report_card(X[drawn], compare=X[drawn, :2] + 1, rng=3).to_dict()
    assert own["sections"]["comparison"]["numbers"] == card["sections"]["comparison"]["numbers"]
    assert main(["scores", "x.npy", "--rows", "100000"]) == 0
    assert "drawn at random without" not in capsys.readouterr().out
    Path("labels.txt").write_text("a\n" * N)
    assert main(["report", "x.npy", "--rows", "500", "--labels", "labels.txt"]) == 2
    assert "--labels is given with --rows" in capsys.readouterr().err


def test_more_rows_than_there_are():
    with pytest.raises(ValueError, match="drawn_from is 3; expected at least 10"):
        report_card(X[:10], drawn_from=3)
    assert report_card(X[:10], drawn_from=10).options["rows drawn from"] == 10
