"""Tests, in CPython, of the page for readers' files: cards, questions, errors, and sampled rows."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isotropy_report.cli import main
from reanalyses import measure_files

X = (np.random.default_rng(0).normal(size=(60, 6)) * [9, 1, 1, 1, 1, 1]).astype(np.float32)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # the day on the cards
    np.save("x.npy", X)
    np.save("y.npy", X[:, :3])
    np.save("map.npy", X[:, :2])
    np.savez("two.npz", first=X, second=X[:, :3], labels=np.arange(60))
    Path("pandas.csv").write_text("0,1\n" + "2,3.5\n4,1\n" * 9)
    return tmp_path


def measured(*files: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the last message, and the progress messages before it."""
    said: list[dict[str, Any]] = []
    measure_files.measure(files, said.append)
    return said[-1], [": ".join(one[key] for key in ("what", "command") if key in one) for one in said[:-1]]


def numbers(file: str) -> dict[str, Any]:
    html = Path(file).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(html.partition('id="numbers">')[2].partition("</script>")[0])
    return found


def test_two_cards_and_a_comparison() -> None:
    last, words = measured({"name": "x.npy"}, {"name": "y.npy"})
    assert [card["file"] for card in last["cards"]] == ["card-1.html", "card-2.html", "comparison.html"]
    assert words[:3] == ["Reading x.npy", "Reading y.npy", "Measuring x.npy"]
    assert "y.npy: comparing rows with one another" in words
    assert "comparing neighborhoods" in words
    for command, files, page in (
        ("report", ["x.npy"], "card-1.html"),
        ("report", ["y.npy"], "card-2.html"),
        ("compare", ["x.npy", "y.npy"], "comparison.html"),
    ):
        assert main([command, *files, "-o", "home.html", "--quiet"]) == 0
        assert Path(page).read_bytes() == Path("home.html").read_bytes()


def test_it_asks_which_array_and_what_the_first_line_holds() -> None:
    last, words = measured({"name": "two.npz"}, {"name": "x.npy"})
    assert (last["ask"][0]["choices"], words) == (["first", "second"], [])
    assert measured({"name": "two.npz", "key": "second"})[0]["cards"]
    (question,) = measured({"name": "pandas.csv"})[0]["ask"]
    assert question["option"] == "header"
    assert "--header if they are names, or --no-header if they are a point" in question["why"]
    rows = [
        measured({"name": "pandas.csv", "header": names})[0]["cards"][0]["rows"] for names in (True, False)
    ]
    assert rows == [18, 19]


def test_errors_are_those_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.csv").write_text("")
    np.save("equal.npy", np.ones((9, 3)))
    for name in ("empty.csv", "equal.npy", "none.npy"):
        last, _ = measured({"name": name})
        assert main(["report", name]) == 2
        assert capsys.readouterr().err == f"isotropy-lab report: error: {last['error']}\n"


def test_the_same_rows_are_drawn_of_two_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_files, "MAX_NUMBERS", 240)  # 20 rows of six numbers, or 40 of three
    last, _ = measured({"name": "x.npy"}, {"name": "y.npy"})
    assert [(card["rows"], card["total"]) for card in last["cards"][:2]] == [(20, 60), (20, 60)]
    compared = numbers("comparison.html")
    assert compared["paired"]
    assert "20 of the 60 rows of x.npy, 20 of the 60 rows of y.npy" in compared["summary"][0]
    assert numbers("card-1.html")["summary"][0].startswith("This card is about 20 of 60 rows")


def test_a_tab_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(measure_files, "open_vectors", full)
    assert measured({"name": "x.npy"})[0] == {
        "error": "There is not enough memory in this tab.",
        "memory": True,
    }


def test_three_files_or_a_table_of_pairs_give_a_threshold() -> None:
    rng = np.random.default_rng(1)
    many = np.tile(X, (8, 1))
    np.save("questions.npy", many + 0.1 * rng.standard_normal(many.shape).astype(np.float32))
    Path("gold.txt").write_text("".join(f"{i % 60}\n" for i in range(480)))
    Path("pairs.csv").write_text("similarity,same\n" + "".join(f"{0.5 + i / 400},yes\n" for i in range(200)))
    three = [{"name": name} for name in ("gold.txt", "x.npy", "questions.npy")]
    words = (["questions.npy", "x.npy", "--gold", "gold.txt"], ["--pairs", "pairs.csv"])
    for files, given in zip((three, [{"name": "pairs.csv"}]), words, strict=True):
        last, said = measured(*files)
        assert said[-1] == "Finding a threshold: " + " ".join(
            ["isotropy-lab threshold", *given, "-o threshold.html"]
        )
        assert [card["file"] for card in last["cards"]] == ["threshold.html"]
        assert main(["threshold", *given, "-o", "home.html"]) == 0
        assert Path("threshold.html").read_bytes() == Path("home.html").read_bytes()


def test_files_of_two_columns_are_maps_and_lines_their_labels_or_texts() -> None:
    Path("topics.txt").write_text("a\nb\n" * 30)
    Path("titles.txt").write_text("".join(f"title {i}\n" for i in range(60)))
    np.save("other map.npy", X[:, 2:4])
    for names, words in (
        (["map.npy", "x.npy"], "x.npy map.npy"),
        (["titles.txt", "x.npy", "map.npy", "topics.txt", "other map.npy"],
         "x.npy map.npy 'other map.npy' --texts titles.txt --labels topics.txt"),
    ):  # fmt: skip
        last, said = measured(*({"name": name} for name in names))
        assert said[-1] == f"Measuring the map: isotropy-lab map {words} -o map.html"
        assert [card["file"] for card in last["cards"]] == ["map.html"]
        shown = Path("map.html").read_bytes()
        assert main(["map", *shlex.split(words), "-o", "home.html", "--quiet"]) == 0
        assert shown == Path("home.html").read_bytes()


def test_a_map_of_other_rows_and_labels_that_are_alike_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("short.npy", X[:50, :2])
    Path("topics.txt").write_text("a\nb\n" * 30)
    for names, says in (
        (("x.npy", "short.npy"), "short.npy has 50 rows and x.npy has 60"),
        (("x.npy", "map.npy", "topics.txt", "topics.txt"), "The files topics.txt and topics.txt look alike"),
    ):
        assert says in measured(*({"name": name} for name in names))[0]["error"]
    monkeypatch.setattr(measure_files, "MAX_NUMBERS", 300)  # 25 rows of six numbers
    measured({"name": "x.npy"}, {"name": "map.npy"})
    assert numbers("map.html")["summary"][0].startswith("Measured are 25 of the 60 rows of x.npy, 25 of")
    last, _ = measured({"name": "x.npy"}, {"name": "map.npy"}, {"name": "topics.txt"})
    assert last["error"].startswith("x.npy is too large for a browser tab. Without topics.txt")


def test_three_files_whose_parts_cannot_be_told_apart() -> None:
    np.save("a.npy", X)
    Path("gold.txt").write_text("0\n" * 60)
    for names, says in (
        (("a.npy", "x.npy", "gold.txt"), "Which of a.npy and x.npy"),
        (("a.npy",) * 3, "3 files"),
    ):
        assert says in measured(*({"name": name} for name in names))[0]["error"]
