"""Tests that bad files and options give exit code 2 and one line that names them, and write no file."""

import gzip
import json
import os
import pickle
import re
import shlex

import numpy as np
import pandas
import pytest

from isotropy_report._output import SCHEMA
from isotropy_report.io import read
from isotropy_report.io.gold import read_gold, read_labels
from tests.isotropy_report.command_line import call
from tests.isotropy_report.io.making import Bomb, archive, json_lines, npy, npy_header, npz, parquet, save

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 6))
B = X[:, :5] + 0.5 * rng.standard_normal((60, 5))
IDS = [f"d{i}" for i in range(60)]
TABLE = "".join(f"{','.join(map(str, row))}\n" for row in X)
WITH_NAN, WITH_ZERO_ROW = (np.where(np.arange(60)[:, None] == 7, value, X) for value in (np.nan, 0.0))


def card(**fields):
    return json.dumps({"schema": SCHEMA, "sections": {}, "options": {}} | fields)


def numbers(**values):
    return card(sections={"isotropy": {"numbers": values}})


def lines(rows, names):
    return json_lines(*({"id": name, "v": row.tolist()} for name, row in zip(names, rows, strict=True)))


FILES = {
    "x.npy": npy(X), "b.npy": npy(B), "few.npy": npy(B[:50]),
    "other.npy": npy(X[:40] + 1),
    "gap.npy": npy(WITH_NAN), "zero.npy": npy(WITH_ZERO_ROW),
    "zeros.npy": npy(np.zeros((4, 6))), "two.npz": npz(a=X, b=X),
    "questions.npy": npy(X[:4] + 0.1), "questions-b.npy": npy(B[:4] + 0.1), "gold.txt": "0\n1\n2\n3\n",
    "x.parquet": parquet(a=X.tolist(), b=X.tolist()), "t.parquet": parquet(a=X[:, 0], b=X[:, 1], doc=IDS),
    "pandas.csv": "0,1,2,3,4,5\n" + TABLE, "text.csv": "id text\n1 a\n",
    "words.txt": "os.path\nre\n", "pairs.csv": "a;b\n0,5;yes\n",
    "million.npz": archive({"X.npy": npy_header("<f8", "(1000000000000, 3)") + bytes(96)}),
    "million.npy.gz": gzip.compress(npy_header("<f8", "(1000000000000, 3)") + bytes(96)),
    "new.pt": archive({"archive/data.pkl": pickle.dumps(Bomb())}), "old.pt": pickle.dumps(Bomb(), protocol=2),
    "objects.npy": npy(np.array([Bomb()], dtype=object)),
    # Labels, groups, positions and judgments.
    "labels.txt": "a\nb\n" * 30, "two-cells.csv": "1,a\n" * 60, "long.csv": "a\n" * 59 + "b" * 200_000,
    "letters.txt": "1\n2 x\n3\n0\n", "empty-line.txt": "1\n\n2\n3\n", "halves.txt": "1.5\n1\n2\n3\n",
    "minus.txt": "0\n-1\n2\n3\n", "cube.npy": npy(X.reshape(4, 15, 6)), "semicolon.csv": "a;0,70\n",
    "far.txt": "0\n1\n2\n" + "9" * 30, "from-one.txt": "1 0 5 2\n2 0 7 1\n3 0 9 1\n4 0 9 1\n",
    "spaces.txt": "1 0 5 2\n", "ids.qrels": "q1 0 d5 2\nq2 Q0 d7 1\nq3 0 d1 1\nq4 0 d2 1\n",
    "half-ids.qrels": "0 0 d5 2\n1 0 5 1\n2 0 5 1\n3 0 5 1\n", "grade.qrels": "0 0 5 0.5\n" * 4,
    "outside.qrels": "0 0 60 1\n1 0 5 1\n2 0 5 1\n3 0 5 1\n",
    "mixed.qrels": "0 1 5 2\n1 Q0 5 2\n2 0 5 2\n3 0 5 2\n",
    # Earlier cards.
    "no-card.json": '{"sections": {}}', "no.json": "no JSON", "other-kind.json": card(kind="comparison"),
    "section.json": card(sections={"a": 3}), "number.json": numbers(isoscore=3),
    "table.json": card(sections={"retrieval": {"numbers": {}, "tables": {"accuracy": [3]}}}),
    "interval.json": numbers(mrr={"value": 1, "low": "a", "high": 2}),
    "NaN.json": numbers(mrr={"value": float("nan"), "low": 0, "high": 2}),
    "level.json": card(
        sections={"isotropy": {"numbers": {
            "dimensions_used_corrected": {"value": 5.0, "low": 4.0, "high": 6.0}}}},
        options={"confidence level": 0.9}),
    # Rows with names.
    "x.jsonl": lines(X, IDS), "half.jsonl": lines(X[:30], IDS[:30]), "b.jsonl": lines(B, IDS),
    "questions.jsonl": lines(X[:4], ["q0", "q1", "q2", "q3"]),
    "others.jsonl": lines(B[:4], ["other", "q1", "q2", "q3"]),
    "ids.txt": "\n".join(IDS) + "\n", "other-ids.txt": "\n".join(["x", *IDS[1:]]) + "\n",
    "qrels.txt": "".join(f"q{i} 0 d{i} 1\n" for i in range(4)),
    "report.html": "an older card",
}  # fmt: skip

QUESTIONS = "--questions questions.npy --gold gold.txt"
BOTH = "--questions questions.npy questions-b.npy --gold gold.txt"
#: The command, and what its message has to name.
COMMANDS = [
    # The program.
    ("", ["COMMAND"]),
    ("wat", ["'wat'", "scores"]), ("chek x.npy", ["'chek'", "did you mean check?"]),
    ("check x.npy b.npy", ["b.npy", "isotropy-lab scores"]),
    ("report x.npy --seed 1 b.npy", ["b.npy", "isotropy-lab scores"]),
    ("check x.npy --jsn", ["--jsn", "did you mean --json?", "isotropy-lab check --help"]),
    ("threshold x.npy b.npy --out_of_scope=c.npy", ["did you mean --out-of-scope?"]),
    ("threshold --pairs x.npy", ["--pairs x.npy is a .npy file", "table"]),
    ("scores x.npy --seed x", ["--seed", "'x'"]),
    ("scores x.npy --sample 3", ["--sample", "'3'"]),
    ("scores x.npy --confidence-level 95", ["--confidence-level", "'95'"]),
    ("scores x.npy --columns 'a\nb'", ["--columns"]),
    ("scores x.npy --max-bytes 1T5", ["--max-bytes", "'1T5'"]),
    # Files of vectors.
    ("scores none.npy", ["none.npy", "does not exist"]),
    ("check words.txt", ["'os.path', which looks like text", "expected vectors"]),
    ("threshold --pairs pairs.csv", ["line 2", "comma between cells and decimal points"]),
    ("scores gap.npy", ["gap.npy", "NaN or inf", "row 7"]),
    ("report gap.npy", ["gap.npy", "NaN or inf", "row 7", "leave these rows out"]),
    ("scores new.pt", ["new.pt is a pickle", "safetensors"]),
    ("report old.pt", ["old.pt is a pickle", "safetensors"]),
    ("scores pandas.csv", ["pandas.csv, line 1", "--header", "--no-header"]),
    ("scores x.npy --header", ["--header", "x.npy (npy)", "leave header out"]),
    ("scores x.npy --key a", ["--key", "x.npy", "leave key out"]),
    ("scores x.npy --column e", ["--column is 'e'", "x.npy (npy)"]),
    ("scores x.npy --drop a,b", ["--drop is ['a', 'b']", "x.npy (npy)"]),
    ("scores t.parquet", ["t.parquet", "'doc'", "--drop doc"]),
    ("scores x.parquet", ["x.parquet", "'a', 'b'", "--column"]),
    ("scores two.npz", ["two.npz", "--key", "a (60, 6), b (60, 6)"]),
    ("scores million.npz --rows 100", ["million.npz", "96 bytes"]),
    ("scores million.npy.gz --rows 100", ["million.npy.gz", "to more than"]),
    (f"scores {os.devnull}", [f"{os.devnull} is empty"]),
    # Other files of a report.
    ("report x.npy -o card.txt", ["--output is 'card.txt'", ".html or .json"]),
    ("report none.npy -o none/card.html", ["none/card.html", "no folder"]),  # before anything is read
    ("scores none.npy -o .", ["is a folder"]),
    ("report x.npy --labels gold.txt", ["--labels gold.txt", "4 labels", "x.npy has 60 rows"]),
    ("report x.npy --labels x.npy", ["--labels x.npy", "one entry for each row"]),
    ("report x.npy --labels .", ["--labels . is a folder"]),
    ("report x.npy --labels two-cells.csv", ["--labels two-cells.csv, line 1", "2 cells"]),
    ("report x.npy --labels long.csv", ["--labels long.csv"]),
    ("report x.npy --labels old.pt", ["--labels old.pt", "not a text file"]),
    ("report x.npy --labels objects.npy", ["--labels objects.npy"]),
    ("report x.npy --labels labels.txt --rows 30", ["--labels", "--rows"]),
    ("report x.npy --groups none.txt", ["none.txt", "does not exist"]),
    ("report x.npy --labels labels.txt --labels b.npy", ["--labels", "more than once"]),
    # Positions and judgments.
    ("report x.npy --questions questions.npy", ["--questions questions.npy", "gold"]),
    ("report x.npy --questions questions.npy --gold letters.txt", ["--gold letters.txt, line 2", "'2 x'"]),
    ("report x.npy --questions questions.npy --gold empty-line.txt",
     ["--gold empty-line.txt, line 2", "empty"]),
    ("threshold questions.npy x.npy --gold minus.txt", ["--gold minus.txt, line 2", "--out-of-scope"]),
    ("threshold x.npy questions.npy --gold gold.txt", ["gold.txt has 4 positions", "may be swapped"]),
    ("check cube.npy", ["X.reshape(-1, 6)"]),
    ("report x.npy --questions questions.npy --gold halves.txt", ["--gold halves.txt, line 1", "'1.5'"]),
    ("report x.npy --questions questions.npy --gold far.txt", ["--gold far.txt, line 4"]),
    ("report x.npy --questions questions.npy --gold from-one.txt", ["from-one.txt", "from 0 to 3"]),
    ("report x.npy --questions questions.npy --gold spaces.txt", ["spaces.txt", "separate these by commas"]),
    ("report x.npy --questions questions.npy --gold ids.qrels", ["ids.qrels", "gold_from_qrels"]),
    ("report x.npy --questions questions.npy --gold half-ids.qrels", ["half-ids.qrels", "TREC"]),
    ("report x.npy --questions questions.npy --gold grade.qrels", ["grade.qrels", "line 1", "'0.5'"]),
    ("report x.npy --questions questions.npy --gold outside.qrels",
     ["outside.qrels", "document 60", "0 to 59"]),
    ("report x.npy --questions questions.npy --gold mixed.qrels", ["mixed.qrels", "line 2"]),
    (f"report zero.npy {QUESTIONS.replace('gold.txt', 'seven.txt')}",
     ["zero.npy contains zero vectors", "row 7"]),
    (f"report x.npy --documents zero.npy {QUESTIONS.replace('gold.txt', 'seven.txt')}",
     ["--documents zero.npy contains zero vectors", "1 of 60 rows", "row 7"]),
    *((f"{command} --gold seven.txt", ["zero.npy contains zero vectors in 1 of 60 rows (row 7, from 0); ",
      "zeros.npy contains zero vectors in 4 of 4 rows (rows 0, 1, 2, 3, from 0); ", "every model",
      "renumber"])
      for command in ("threshold --out-of-scope zeros.npy questions.npy zero.npy",
                      *(f"{name} --questions zeros.npy" for name in ("report zero.npy", "costs zero.npy")),
                      "compare zero.npy b.npy --questions zeros.npy questions-b.npy")),
    # Bounds and earlier cards.
    ("scores x.npy --fail-below iso_score=0.3", ["--fail-below", "'iso_score'", "near it: isoscore"]),
    ("scores x.npy --fail-below isoscore", ["--fail-below", "'isoscore'", "a key and a number"]),
    ("scores x.npy --fail-below isoscore=nan", ["--fail-below", "a key and a number"]),
    ("scores x.npy --fail-below isoscore=1 --fail-below isoscore=2",
     ["--fail-below", "'isoscore' more than once"]),
    ("scores x.npy --fail-above dtype=3", ["--fail-above", "'dtype'", "'float64'"]),
    ("scores x.npy --fail-above mrr=3", ["--fail-above", "'mrr'", "n_points"]),
    (f"report x.npy {QUESTIONS} --json --fail-below recall@5=1", ["--fail-below", "'recall@5'", "n_points"]),
    ("scores x.npy --tolerance isoscore=0.1", ["--tolerance", "--fail-worse-than"]),
    ("scores x.npy --fail-worse-than none.json", ["--fail-worse-than none.json", "does not exist"]),
    ("scores x.npy --fail-worse-than no.json", ["--fail-worse-than no.json", "not JSON"]),
    *((f"scores x.npy --fail-worse-than {name}.json", [f"--fail-worse-than {name}.json", "schema 1", *named])
      for name, named in {
          "no-card": ["None"], "other-kind": ["comparison"], "section": ["sections"], "number": ["sections"],
          "table": ["sections"], "interval": ["mrr", "(1, 'a', 2)"], "NaN": ["mrr", "(nan, 0, 2)"],
      }.items()),
    ("scores x.npy --fail-worse-than level.json", ["equal levels"]),
    # Several models.
    ("compare x.npy", ["x.npy", "once"]),
    ("compare x.npy x.npy", ["x.npy twice"]),
    ("compare x.npy none.npy", ["none.npy", "does not exist"]),
    ("compare x.npy gap.npy", ["gap.npy", "NaN or inf"]),
    ("compare x.npy b.npy --names a", ["--names", "2 files"]),
    ("compare x.npy b.npy -o card.txt", ["card.txt"]),
    ("compare x.npy b.npy --gold gold.txt", ["--questions", "--gold"]),
    (f"compare x.npy b.npy {QUESTIONS}", ["--questions has 1 file", "2"]),
    ("compare x.npy b.npy --questions questions-b.npy questions.npy --gold gold.txt",
     ["--questions questions-b.npy", "5 dimensions", "x.npy has 6"]),
    ("compare x.npy b.npy --ids ids.txt other-ids.txt",
     ["--ids", "1 of the 60 items of x.npy are not in b.npy"]),
    ("compare x.npy b.npy --ids ids.txt ids.txt --unpaired", ["--ids", "--unpaired"]),
    ("compare x.jsonl half.jsonl", ["30 of the 60 items of x.jsonl", "--unpaired"]),
    ("compare x.jsonl b.jsonl --questions questions.jsonl others.jsonl --qrels qrels.txt",
     ["--questions questions.jsonl", "--questions others.jsonl", "'q0'"]),
    ("compare x.npy b.npy --rows 20 --groups ids.txt", ["--groups", "--rows"]),
    ("compare x.npy b.npy --documents x.npy b.npy", ["--documents", "--questions"]),
    (f"compare x.npy b.npy {BOTH} --fail-behind c", ["x.npy, b.npy"]),
    ("compare x.npy b.npy --fail-behind x.npy", ["--fail-behind", "--questions"]),
    ("compare - -", ["standard input"]),
    ("drift x.npy b.npy", ["x.npy", "6 dimensions", "b.npy", "5"]),
    ("drift x.npy gap.npy", ["gap.npy", "NaN or inf"]),
    ("drift x.npy b.npy other.npy", ["FILE", "3 times"]),
    ("drift x.npy x.npy", ["x.npy twice"]),
    ("costs x.npy --gold gold.txt", ["--gold is given without --questions"]),
    ("costs x.npy --questions questions.npy", ["--questions is given without --gold"]),
    ("drift --query q", ["--query is given without --database"]),
    ("compare x.npy --database duckdb://x --query q --query q", ["FILE and --database"]),
    ("threshold --database duckdb://x --query q --gold gold.txt", ["1 times", "QUESTIONS", "DOCUMENTS"]),
    ("check --database postgresql://x", ["--database is given without --query"]),
    ("report --database mysql://me:word@x --query q", ["'mysql://x'"]),
    *((name, ["FILE is missing", "--query"]) for name in ("check", "compare", "costs", "report", "scores")),
    ("costs x.npy --questions b.npy --gold gold.txt", ["--questions b.npy", "5"]),
    ("costs x.npy --dimensions 6", ["dimensions", "6", "5"]),
    ("audit --questions 9", ["--accuracy", "--table"]),
    ("audit --accuracy 0.7", ["--questions"]),
    ("audit --accuracy 0.7 --table labels.txt --questions 9", ["--table"]),
    ("audit --accuracy 70 --questions 9", ["--accuracy", "'70'", "write 70%"]),
    ("audit --accuracy 0,70 --questions 9", ["write 0.70"]),
    ("audit --table semicolon.csv --questions 9", ["line 1", "a decimal point"]),
    ("audit --accuracy 0.7 --against x --questions 10", ["--against", "'x'"]),
    ("audit --accuracy 0.71 --questions 10", ["--accuracy", "10 questions", "7 hits are 70.00%"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder_of_files = tmp_path_factory.mktemp("files")
    for name, content in (FILES | {"seven.txt": "7\n1\n2\n3\n"}).items():
        (folder_of_files / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder_of_files


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_error_is_one_line_that_names_the_cause(capsys, folder, monkeypatch, command, expected):
    monkeypatch.chdir(folder)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    code, out, err = call(capsys, *shlex.split(command))
    assert code == 2
    assert out == "" or "--fail-" in command  # a result that cannot be judged is printed all the same
    (message,) = err.splitlines()
    assert ": error: " in message
    assert [text for text in expected if text not in message] == []
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("text", ["{'descr': '<i8', 'shape': (3L", "  {'a':\n {\n   1}\n 2", "{'descr': ("])
@pytest.mark.parametrize(("read", "name"), [(read_labels, "--labels"), (read_gold, "--gold")])
def test_error_names_labels_with_a_damaged_header(tmp_path, read, name, text):
    """NumPy's parser raises errors of Python's tokenizer, as the fuzzer found."""
    path = tmp_path / "labels.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(24))
    with pytest.raises(ValueError, match=rf"{name} .*labels\.npy cannot be read"):
        read(str(path), name)


ROWS = [f"{i}.5,{i % 7}.25,{i % 5}.125" for i in range(20)]
#: Tables of other programs, by what the message advises.
TABLES = {
    "--column emb": "id,emb\n" + "".join(f'd{i},"[{row}]"\n' for i, row in enumerate(ROWS)),
    "--drop 1": "".join(f"doc-{i},{row}\n" for i, row in enumerate(ROWS)),
    "--drop id": "id,0,1,2\n" + "".join(f"doc-{i},{row}\n" for i, row in enumerate(ROWS)),
}


@pytest.mark.parametrize("advice", TABLES)
def test_advice_for_tables_of_other_programs_works(capsys, tmp_path, advice):
    path = save(tmp_path, "table.csv", TABLES[advice])
    code, out, err = call(capsys, "check", path)
    assert (code, out) == (2, "")
    assert advice in err
    assert call(capsys, "check", path, *advice.split())[0] == 0


@pytest.mark.parametrize(("text", "expected_text"), [
    ("a,b\n1,2\n3,\n5,6\n", "fill"), ("[1, 2]\n[[3, 4]]\n", "jq"), ("1,0;2,0\n3,0;4,0\n", "semicolons"),
    ("1;2\n3;4\n", "semicolons"), ("a;b\n1,0;2\n3;4,0\n", "semicolons"), ("1,0\t2,0\n3\t4,0\n", "tabs"),
    ("1,0\t2,0\n3\t4,0\n", "sep='\\t'"), ("a\tb\n1,0\t2,0\n3\t4,0\n", "decimal=','"),
    ('"1,0","2,0"\n"3,0","4,0"\n', "decimal=','"), ('a,b\n1,2\n3,"4,0"\n', "decimal=','"),
    ('1,2\n3,"4,0"\n', "decimal=','"),
])  # fmt: skip
def test_advised_pandas_call_converts_the_table(capsys, tmp_path, text, expected_text):
    """The call of pandas in the message writes a file with the same numbers."""
    file = tmp_path / {"jq": "x.jsonl", "sep='\\t'": "x.tsv"}.get(expected_text, "x.csv")
    file.write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "check", file)
    assert code == 2
    assert expected_text in err
    assert not {"--drop", "--header"} & {word.strip(",;:") for word in err.split()}
    call_of_pandas = re.search(r"pandas\.read_csv\(.*?\)\.to_csv\(.*?\)", err)
    assert (call_of_pandas is None) == (expected_text in ("fill", "jq"))
    if call_of_pandas is not None:
        eval(call_of_pandas[0], {"pandas": pandas, "path": file, "new": tmp_path / "new.csv"})
        assert read(tmp_path / "new.csv").tolist() == [[1, 2], [3, 4]]
