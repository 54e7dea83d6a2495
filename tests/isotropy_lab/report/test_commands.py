"""The commands `report` and `scores`: what they print and write, and how they refuse."""

import io
import json
import os
import pickle
import threading
import zipfile

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.cli import inputs
from isotropy_lab.isotropy import isoscore, isoscore_interval
from isotropy_lab.report.weat import weat_report
from isotropy_lab.vectors import read
from tests.isotropy_lab.command_line import call, call_json


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((300, 6)) * np.linspace(1, 2, 6)).astype(np.float32)
    np.save("x.npy", X)
    np.save("y.npy", X[:, :2])
    np.save("z.npy", X * [5, 1, 1, 1, 1, 1])
    np.savetxt("x.csv", X, delimiter=",")
    (tmp_path / "labels.txt").write_text("".join(f"{'ab'[i % 2]}\n" for i in range(300)), encoding="utf-8")
    np.save("groups.npy", np.arange(300) // 3)
    np.save("questions.npy", X[:40] + 0.01)
    (tmp_path / "gold.txt").write_text("\n".join(map(str, range(40))), encoding="utf-8")
    return tmp_path


# --- scores ---------------------------------------------------------------------------------------------------


def test_scores(capsys, folder):
    code, out, err = call(capsys, "scores", "x.npy")
    assert (code, err) == (0, "")
    assert out.startswith("x.npy: 300 rows in 6 dimensions\n")
    expected = isoscore_interval(np.load("x.npy"))
    (line,) = (line for line in out.splitlines() if line.startswith("IsoScore, corrected  "))
    assert f"{expected.estimate:.4f}" in line
    (plug_in,) = (line for line in out.splitlines() if line.startswith("IsoScore  "))
    assert plug_in.split()[1:] == [f"{isoscore(np.load('x.npy')):.4f}"]
    assert f"{expected.low:.4f} to {expected.high:.4f}" in line
    assert max(map(len, out.splitlines())) <= 110
    assert list(folder.glob("*.html")) == []
    quiet = call(capsys, "scores", "x.npy", "--quiet")[1]
    assert len(quiet.splitlines()) < len(out.splitlines())


def test_scores_as_json_and_to_a_file(capsys, folder):
    document = call_json(capsys, "scores", "x.npy", "--groups", "groups.npy", "--confidence-level", 0.9)
    expected = isoscore_interval(np.load("x.npy"), groups=np.load("groups.npy"), confidence_level=0.9)
    numbers = document["sections"]["isotropy"]["numbers"]
    assert numbers["isoscore"]["value"] == pytest.approx(isoscore(np.load("x.npy")), rel=1e-6)
    number = numbers["isoscore_corrected"]
    assert number["value"] == pytest.approx(expected.estimate, rel=1e-6)
    assert (number["low"], number["high"]) == pytest.approx((expected.low, expected.high), rel=1e-6)
    assert "transformations" not in document["sections"]
    assert call(capsys, "scores", "x.csv", "-o", "s.txt")[:2] == (0, "")
    assert (folder / "s.txt").read_text(encoding="utf-8").startswith("x.csv: 300 rows")


def test_a_bundled_name(capsys, folder):
    code, out, _ = call(capsys, "scores", "glove-weat", "--sample", 100)
    assert code == 0
    assert out.startswith("glove-weat: 387 rows in 100 dimensions")
    assert "sample of 100 of the 387 rows" in out


# --- report ---------------------------------------------------------------------------------------------------


def test_report(capsys, folder):
    code, out, err = call(capsys, "report", "x.npy")
    assert (code, err) == (0, "")
    assert "The card is in report.html." in out
    assert "IsoScore" in out
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h1>x.npy</h1>" in text
    assert call(capsys, "report", "x.npy", "--quiet", "-o", "q.html") == (0, "", "")
    assert (folder / "q.html").read_text(encoding="utf-8") == text


def test_report_with_every_part(capsys, folder):
    document = call_json(
        capsys, "report", "x.npy", "--labels", "labels.txt", "--groups", "groups.npy", "--projection", "y.npy",
        "--questions", "questions.npy", "--documents", "x.npy", "--gold", "gold.txt", "--compare", "z.npy",
    )  # fmt: skip
    assert list(document["sections"]) == [
        "pictures", "scores", "data", "isotropy", "transformations", "labels", "projection", "retrieval",
        "comparison",
    ]  # fmt: skip
    assert [row["label"] for row in document["sections"]["labels"]["tables"]["labels"]] == ["a", "b"]
    assert document["sections"]["retrieval"]["tables"]["accuracy"][0]["accuracy@K"] > 0.9
    assert "z.npy" in document["sections"]["comparison"]["title"]
    assert document["options"]["groups left out"] == 100
    assert list(folder.glob("*.html")) == []  # --json prints, and nothing else unless asked for


def test_json_beside_a_page(capsys, folder):
    document = call_json(capsys, "report", "x.npy", "-o", "card.html")
    assert (folder / "card.html").exists()
    assert call(capsys, "report", "x.npy", "-o", "card.json", "--quiet")[0] == 0
    assert json.loads((folder / "card.json").read_text(encoding="utf-8")) == document


def test_words(capsys, folder):
    document = call_json(capsys, "report", "glove-weat", "--weat", "weat-6")
    numbers = document["sections"]["association"]["numbers"]
    expected = weat_report("weat-6", "glove-weat", rng=0)
    assert numbers["effect_size"]["value"] == pytest.approx(expected["effect_size"])
    code, _, err = call(capsys, "report", "x.npy", "--weat", "weat-6")
    assert code == 2
    assert "without words" in err
    code, _, err = call(capsys, "report", "glove-weat", "--weat", "weat-66")
    assert code == 2
    assert "near it" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.npy"], "there is no such file"),
        (["x.npy", "-o", "card.txt"], r"ends in .html or .json"),
        (["x.npy", "-o", "none/card.html"], "there is no folder"),
        (["x.npy", "--labels", "gold.txt"], "--labels gold.txt has 40 labels, x.npy has 300 rows"),
        (["x.npy", "--projection", "questions.npy"], "--projection questions.npy has 40 rows, x.npy has 300"),
        (["x.npy", "--questions", "questions.npy"], "--questions questions.npy given without gold"),
        (
            ["x.npy", "--questions", "questions.npy", "--gold", "labels.txt"],
            "--gold labels.txt, entry 1: 'a' is not an integer",
        ),
        (["x.npy", "--labels", "x.npy"], "expected one entry for each row"),
        (["x.npy", "--groups", "none.txt"], "there is no such file"),
        (["x.npy", "--key", "a"], "leave key out"),
    ],
)
def test_wrong_input_is_refused_and_leaves_the_old_card(capsys, folder, arguments, message):
    (folder / "report.html").write_text("old", encoding="utf-8")
    code, out, err = call(capsys, "report", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert (folder / "report.html").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("command", ["report", "scores"])
def test_a_bad_number_is_that_of_the_file(capsys, folder, command):
    X = np.load("x.npy")
    X[7, 1] = np.nan
    np.save("bad.npy", X)
    code, _, err = call(capsys, command, "bad.npy")
    assert code == 2
    assert "error: bad.npy has NaN or inf, first in row 7 (nan)" in err


@pytest.mark.parametrize(
    ("options", "name"), [([], "zero.npy"), (["--documents", "zero.npy"], "--documents zero.npy")]
)
def test_a_zero_document_is_that_of_the_file(capsys, folder, options, name):
    X = np.load("x.npy")
    X[9] = 0
    np.save("zero.npy", X)
    file = "x.npy" if options else "zero.npy"
    code, _, err = call(
        capsys, "report", file, "--questions", "questions.npy", "--gold", "gold.txt", *options
    )
    assert code == 2
    assert f"error: {name} has zero vectors in 1 of 300 rows, first in row 9" in err


def test_a_median_rank_is_an_integer_and_the_interval_has_its_name(capsys, folder):
    np.save("few.npy", np.load("x.npy")[:1])
    (folder / "one.txt").write_text("0\n", encoding="utf-8")
    document = call_json(capsys, "report", "x.npy", "--questions", "few.npy", "--gold", "one.txt")
    retrieval = document["sections"]["retrieval"]
    assert repr(retrieval["numbers"]["median_rank"]["value"]) == "1"
    assert retrieval["notes"][0].startswith("Intervals by Wilson's method, since all questions score alike")


@pytest.mark.parametrize("options", [["--sample", "3"], ["--confidence-level", "95"], ["--seed", "x"]])
def test_wrong_options_are_refused(capsys, folder, options):
    assert call(capsys, "scores", "x.npy", *options)[0] == 2


def test_the_first_line_of_a_table_is_read_as_told(capsys, folder):
    X = np.load("x.npy")
    text = ",".join(map(str, range(6))) + "\n" + (folder / "x.csv").read_text(encoding="utf-8")
    (folder / "pandas.csv").write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "scores", "pandas.csv")
    assert code == 2
    assert "say --header if they are names, --no-header if they are a point" in err
    for option, rows in (("--header", 300), ("--no-header", 301)):
        document = call_json(capsys, "report", "pandas.csv", option, "--documents", "x.npy",
                             "--questions", "questions.npy", "--gold", "gold.txt")  # fmt: skip
        assert document["sections"]["data"]["numbers"]["n_points"]["value"] == rows
    assert "--header" in call(capsys, "scores", "--help")[1]
    assert "leave header out" in call(capsys, "scores", "x.npy", "--header")[2]
    np.savez("two.npz", a=X, b=X)
    code, _, err = call(capsys, "report", "two.npz")
    assert code == 2
    assert "expected one, or --key to choose among: a (300, 6), b (300, 6)" in err


@pytest.mark.parametrize("command", ["report", "scores", "weat"])
def test_where_nothing_can_be_written_nothing_is_read(capsys, folder, command):
    (folder / "closed.html").mkdir()
    words = ["none.npy"] if command != "weat" else ["none.txt", "none.json"]
    for place, message in (("none/card.html", "there is no folder"), ("closed.html", "is a folder")):
        code, _, err = call(capsys, command, *words, "-o", place)
        assert code == 2
        assert message in err
        assert "none.npy" not in err


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("it was unpickled",))


def test_torch_checkpoints_are_refused_with_the_reason(capsys, folder):
    """An archive with a pickle inside, as torch.save writes it since 1.6, and a bare pickle, as before."""
    with zipfile.ZipFile("new.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Bomb()))
        archive.writestr("archive/data/0", b"\0" * 64)
    (folder / "old.pt").write_bytes(pickle.dumps(Bomb(), protocol=2))
    for name in ("new.pt", "old.pt"):
        for command in ("report", "scores"):
            code, out, err = call(capsys, command, name)
            assert (code, out) == (2, "")
            assert "is a pickle. Loading one can run any code" in err
            assert "safetensors" in err
        code, _, err = call(capsys, "report", "x.npy", "--labels", name)
        assert code == 2
        assert "is not a text file" in err
    np.save("objects.npy", np.array([Bomb()], dtype=object), allow_pickle=True)
    code, _, err = call(capsys, "report", "x.npy", "--labels", "objects.npy")
    assert code == 2
    assert "cannot be read" in err


def test_an_interrupted_run_leaves_the_old_card(capsys, folder, monkeypatch):
    from isotropy_lab import _output as output

    (folder / "report.html").write_text("old", encoding="utf-8")

    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(output.os, "fsync", stop)
    code, _, err = call(capsys, "report", "x.npy")
    assert code == 130
    assert "interrupted" in err
    assert (folder / "report.html").read_text(encoding="utf-8") == "old"
    assert sorted(path.suffix for path in folder.iterdir()).count(".part") == 0


def test_a_warning_of_the_reader_goes_to_standard_error(capsys, folder):
    text = (folder / "x.csv").read_text(encoding="utf-8").rstrip("\n")
    (folder / "x.csv").write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "scores", "x.csv")
    assert code == 0
    assert err.startswith("isotropy-lab scores: warning: ")
    assert call(capsys, "scores", "x.csv", "--quiet")[2] == ""


# --- progress -------------------------------------------------------------------------------------------------


class Terminal:
    def __init__(self, *, terminal):
        self.text, self.terminal = "", terminal

    def isatty(self):
        return self.terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_a_bar_of_progress(monkeypatch):
    stream = Terminal(terminal=True)
    monkeypatch.setattr(inputs.sys, "stderr", stream)
    monkeypatch.setattr(inputs, "_BETWEEN", 0.0)
    with inputs.shown_progress(quiet=False) as progress:
        progress("reading", 0, 200)
        progress("reading", 100, 200)
    assert "reading" in stream.text
    assert " 50%" in stream.text
    assert stream.text.endswith("\r")  # nothing is left of it
    assert "\n" not in stream.text


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True)])
def test_no_bar(monkeypatch, terminal, quiet):
    stream = Terminal(terminal=terminal)
    monkeypatch.setattr(inputs.sys, "stderr", stream)
    monkeypatch.setattr(inputs, "_BETWEEN", 0.0)
    with inputs.shown_progress(quiet=quiet) as progress:
        progress("reading", 1, 2)
    assert stream.text == ""


def test_a_short_task_shows_no_bar(monkeypatch):
    stream = Terminal(terminal=True)
    monkeypatch.setattr(inputs.sys, "stderr", stream)
    with inputs.shown_progress(quiet=False) as progress:
        progress("reading", 1, 2)
    assert stream.text == ""


# --- files as strangers have them ---------------------------------------------------------------------------------


def test_messages_name_the_files_that_were_given(capsys, folder):
    np.save("flat.npy", np.zeros((300, 2)))
    np.save("gap.npy", np.full((300, 2), np.nan))
    (folder / "dir.npy").mkdir()
    (folder / "two.csv").write_text("id,label\n" + "1,a\n" * 299, encoding="utf-8")
    for options, said in (
        (["--projection", "flat.npy"], "--projection flat.npy has only distances of 0"),
        (["--projection", "gap.npy"], "--projection gap.npy has NaN or inf in 300 of 300 rows"),
        (["--labels", "dir.npy"], "--labels dir.npy is a folder; expected a file with one entry per line"),
        (["--labels", "two.csv"], "--labels two.csv, line 1: 2 cells; expected one column"),
        (["--header"], "--header says that a table has names or not, but x.npy (npy) is not a table in text"),
        (["--column", "e"], "--column is 'e', but x.npy (npy) has no columns of lists"),
        (["--drop", "a,b"], "--drop is ['a', 'b'], but x.npy (npy) is not a table with columns"),
    ):
        code, out, err = call(capsys, "report", "x.npy", *options)
        assert (code, out) == (2, ""), options
        assert f"error: {said}" in err, err
        assert err.count("\n") == 1
    (folder / "one.csv").write_text('"a, b"\n' * 150 + "c\n" * 150, encoding="utf-8")
    document = call_json(capsys, "report", "x.npy", "--labels", "one.csv")
    assert [row["label"] for row in document["sections"]["labels"]["tables"]["labels"]] == ["a, b", "c"]


def test_columns_by_option(capsys, folder):
    frame = pd.DataFrame(np.load("x.npy"), columns=list("abcdef"))
    frame.insert(0, "doc, id", [f"d{i}" for i in range(300)])
    frame.insert(1, "id", range(300))
    frame.to_csv("t.csv", index=False)
    frame.to_parquet("t.parquet")
    for name in ("t.csv", "t.parquet"):
        code, _, err = call(capsys, "scores", name)
        assert code == 2
        assert "'doc, id'" in err
        code, out, err = call(capsys, "scores", name, "--drop", '"doc, id"')
        assert (code, out.split("\n")[0]) == (0, f"{name}: 300 rows in 7 dimensions")
        assert "a column looks like the numbers of the rows" in err
        assert "--drop leaves it out" in err
        code, out, err = call(capsys, "scores", name, "--drop", '"doc, id",id')
        assert (code, out.split("\n")[0], err) == (0, f"{name}: 300 rows in 6 dimensions", "")
        assert call(capsys, "scores", name, "--columns", "a,b,c")[1].startswith(f"{name}: 300 rows in 3 dim")
    frame.rename(columns={"doc, id": "doc"}).to_parquet("s.parquet")
    assert "--drop doc leaves it out" in call(capsys, "scores", "s.parquet")[2]


def test_lists_by_option_and_questions_like_them(capsys, folder):
    X, questions = np.load("x.npy"), np.load("questions.npy")
    for name, rows in (("x", X), ("q", questions)):
        pd.DataFrame({"a": list(rows), "b": list(rows + 1), "text": "t"}).to_parquet(f"{name}.parquet")
    code, _, err = call(capsys, "scores", "x.parquet")
    assert code == 2
    assert (
        "x.parquet has 2 columns that hold lists of numbers: 'a', 'b'; expected one, or --column to choose"
        in err
    )
    options = ["--questions", "q.parquet", "--gold", "gold.txt", "--column", "a"]
    document = call_json(capsys, "report", "x.parquet", *options)
    expected = call_json(capsys, "report", "x.npy", "--questions", "questions.npy", "--gold", "gold.txt")
    assert document["sections"] == expected["sections"]


class Content(io.BytesIO):
    def isatty(self):
        return False


def give(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": Content(content)}))


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input(capsys, folder, monkeypatch, name):
    for file in ("x.npy", "x.csv"):
        give(monkeypatch, (folder / file).read_bytes())
        code, out, err = call(capsys, "scores", name)
        assert (code, err) == (0, "")
        assert out.startswith("standard input: 300 rows in 6 dimensions")
    give(monkeypatch, b"id text\n1 a\n")
    code, _, err = call(capsys, "scores", name, "--format", "csv")
    assert code == 2
    assert err.startswith("isotropy-lab scores: error: standard input, line 2, column 'id text'")
    give(monkeypatch, b"")
    assert "error: standard input is empty; expected vectors" in call(capsys, "scores", name)[2]
    give(monkeypatch, (folder / "labels.txt").read_bytes())
    document = call_json(capsys, "report", "x.npy", "--labels", name)
    assert [row["label"] for row in document["sections"]["labels"]["tables"]["labels"]] == ["a", "b"]
    code, _, err = call(capsys, "report", "-", "--labels", name)
    assert code == 2
    assert "FILE and --labels are all standard input; expected it once" in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices(capsys, folder):
    os.mkfifo("pipe.csv")
    content = (folder / "x.csv").read_bytes()
    writer = threading.Thread(target=lambda: (folder / "pipe.csv").write_bytes(content))
    writer.start()
    code, out, _ = call(capsys, "scores", "pipe.csv")
    writer.join()
    assert code == 0
    assert out.startswith("pipe.csv: 300 rows")
    code, _, err = call(capsys, "scores", os.devnull)
    assert (code, err) == (2, f"isotropy-lab scores: error: {os.devnull} is empty; expected vectors\n")
    with pytest.raises(OSError, match=r"pipe\.csv is a pipe; expected a file"):
        read("pipe.csv")


def test_a_limit_is_raised_by_option(capsys, folder):
    sparse = np.zeros((24_000, 1_000), np.float32)
    sparse[:, 0] = np.arange(24_000) % 7
    sparse[:, 1] = np.arange(24_000) % 5
    np.savez_compressed("s.npz", X=sparse)
    code, _, err = call(capsys, "scores", "s.npz")
    assert code == 2
    assert "or allow more with --max-bytes" in err
    assert call(capsys, "scores", "s.npz", "--max-bytes", "x")[0] == 2
    reader = inputs.read_named
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "read_named", lambda path, **given: (seen.append(given), reader("x.npy"))[1])
        assert call(capsys, "scores", "s.npz", "--max-bytes", "0.2G")[0] == 0
    assert seen[0]["max_bytes"] == 200_000_000


def test_a_card_has_its_day(capsys, folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert call_json(capsys, "scores", "x.npy")["options"]["measured on"] == "2023-11-14"
    call(capsys, "report", "x.npy")
    assert "measured on 2023-11-14" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "value"), [("--max-bytes", "9" * 400), ("--columns", "a\nb"), ("--drop", "a\nb")]
)
def test_what_cannot_be_an_option_is_refused(capsys, folder, option, value):
    code, _, err = call(capsys, "scores", "x.npy", option, value)
    assert code == 2
    assert f"argument {option}" in err


def test_entries_that_are_too_large_are_refused(capsys, folder):
    (folder / "far.txt").write_text("0\n" * 39 + "9" * 30, encoding="utf-8")
    code, _, err = call(capsys, "report", "x.npy", "--questions", "questions.npy", "--gold", "far.txt")
    assert code == 2
    assert "--gold far.txt, entry 40" in err
    (folder / "long.csv").write_text("a\n" * 299 + "b" * 200_000, encoding="utf-8")
    code, _, err = call(capsys, "report", "x.npy", "--labels", "long.csv")
    assert code == 2
    assert "--labels long.csv cannot be read as a table" in err


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on POSIX only")
def test_a_file_whose_name_is_no_text_has_a_card(capsys, folder):
    name = os.fsdecode(b"\xff.npy")
    try:
        os.link("x.npy", name)
    except OSError:
        pytest.skip("this file system wants names that are text")
    assert call(capsys, "report", name, "-o", "card.html", "--quiet")[0] == 0
    assert "\ufffd.npy" in (folder / "card.html").read_text(encoding="utf-8")
