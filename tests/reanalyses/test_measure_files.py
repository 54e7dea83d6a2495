"""Tests, in CPython, of the page that measures readers' files: cards, questions, errors, and samples."""

import json
import shlex
from pathlib import Path
from typing import Any
from unittest.mock import Mock

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


def run_measure(*files: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the last message, and the progress messages before it."""
    messages: list[dict[str, Any]] = []
    measure_files.measure(files, messages.append)
    progress = [": ".join(m[key] for key in ("what", "command") if key in m) for m in messages[:-1]]
    return messages[-1], progress


def read_numbers(file: str) -> dict[str, Any]:
    html = Path(file).read_text(encoding="utf-8")
    values: dict[str, Any] = json.loads(html.partition('id="numbers">')[2].partition("</script>")[0])
    return values


def test_two_files_give_cards_and_a_comparison() -> None:
    last, progress = run_measure({"name": "x.npy"}, {"name": "y.npy"})
    assert [card["file"] for card in last["cards"]] == ["card-1.html", "card-2.html", "comparison.html"]
    assert progress[:3] == ["Reading x.npy", "Reading y.npy", "Measuring x.npy"]
    assert "y.npy: comparing rows with one another" in progress
    assert "comparing neighborhoods" in progress
    for command, files, page in (
        ("report", ["x.npy"], "card-1.html"),
        ("report", ["y.npy"], "card-2.html"),
        ("compare", ["x.npy", "y.npy"], "comparison.html"),
    ):
        assert main([command, *files, "-o", "home.html", "--quiet"]) == 0
        assert Path(page).read_bytes() == Path("home.html").read_bytes()


def test_ambiguous_files_cause_questions() -> None:
    last, progress = run_measure({"name": "two.npz"}, {"name": "x.npy"})
    assert (last["ask"][0]["choices"], progress) == (["first", "second"], [])
    assert run_measure({"name": "two.npz", "key": "second"})[0]["cards"]
    (question,) = run_measure({"name": "pandas.csv"})[0]["ask"]
    assert question["option"] == "header"
    assert "--header if they are names, or --no-header if they are a point" in question["why"]
    rows = [
        run_measure({"name": "pandas.csv", "header": names})[0]["cards"][0]["rows"] for names in (True, False)
    ]
    assert rows == [18, 19]


def test_errors_equal_those_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.csv").write_text("")
    np.save("equal.npy", np.ones((9, 3)))
    for name in ("empty.csv", "equal.npy", "none.npy"):
        last, _ = run_measure({"name": name})
        assert main(["report", name]) == 2
        assert capsys.readouterr().err == f"isotropy-lab report: error: {last['error']}\n"


def test_both_files_are_sampled_at_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_files, "MAX_NUMBERS", 240)  # 20 rows of six numbers, or 40 of three
    last, _ = run_measure({"name": "x.npy"}, {"name": "y.npy"})
    assert [(card["rows"], card["total"]) for card in last["cards"][:2]] == [(20, 60), (20, 60)]
    compared = read_numbers("comparison.html")
    assert compared["paired"]
    assert "20 of the 60 rows of x.npy, 20 of the 60 rows of y.npy" in compared["summary"][0]
    assert read_numbers("card-1.html")["summary"][0].startswith("This card is about 20 of 60 rows")


def test_memory_error_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_files, "open_vectors", Mock(side_effect=MemoryError))
    assert run_measure({"name": "x.npy"})[0] == {
        "error": "There is not enough memory in this tab.",
        "memory": True,
    }


def test_three_files_or_a_table_of_pairs_give_a_threshold_page() -> None:
    rng = np.random.default_rng(1)
    repeated = np.tile(X, (8, 1))
    np.save("questions.npy", repeated + 0.1 * rng.standard_normal(repeated.shape).astype(np.float32))
    Path("gold.txt").write_text("".join(f"{i % 60}\n" for i in range(480)))
    Path("pairs.csv").write_text("similarity,same\n" + "".join(f"{0.5 + i / 400},yes\n" for i in range(200)))
    named = [{"name": name} for name in ("gold.txt", "x.npy", "questions.npy")]
    argument_lists = (["questions.npy", "x.npy", "--gold", "gold.txt"], ["--pairs", "pairs.csv"])
    for files, arguments in zip((named, [{"name": "pairs.csv"}]), argument_lists, strict=True):
        last, progress = run_measure(*files)
        assert progress[-1] == "Finding a threshold: " + " ".join(
            ["isotropy-lab threshold", *arguments, "-o threshold.html"]
        )
        assert [card["file"] for card in last["cards"]] == ["threshold.html"]
        assert main(["threshold", *arguments, "-o", "home.html"]) == 0
        assert Path("threshold.html").read_bytes() == Path("home.html").read_bytes()


def test_two_column_files_are_maps_with_labels_and_texts() -> None:
    Path("topics.txt").write_text("a\nb\n" * 30)
    Path("titles.txt").write_text("".join(f"title {i}\n" for i in range(60)))
    np.save("other map.npy", X[:, 2:4])
    for names, arguments in (
        (["map.npy", "x.npy"], "x.npy map.npy"),
        (["titles.txt", "x.npy", "map.npy", "topics.txt", "other map.npy"],
         "x.npy map.npy 'other map.npy' --texts titles.txt --labels topics.txt"),
    ):  # fmt: skip
        last, progress = run_measure(*({"name": name} for name in names))
        assert progress[-1] == f"Measuring the map: isotropy-lab map {arguments} -o map.html"
        assert [card["file"] for card in last["cards"]] == ["map.html"]
        page = Path("map.html").read_bytes()
        assert main(["map", *shlex.split(arguments), "-o", "home.html", "--quiet"]) == 0
        assert page == Path("home.html").read_bytes()


def test_mismatched_maps_and_ambiguous_labels_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("short.npy", X[:50, :2])
    Path("topics.txt").write_text("a\nb\n" * 30)
    for names, message in (
        (("x.npy", "short.npy"), "short.npy has 50 rows and x.npy has 60"),
        (("x.npy", "map.npy", "topics.txt", "topics.txt"), "The files topics.txt and topics.txt look alike"),
    ):
        assert message in run_measure(*({"name": name} for name in names))[0]["error"]
    monkeypatch.setattr(measure_files, "MAX_NUMBERS", 300)  # 25 rows of six numbers
    run_measure({"name": "x.npy"}, {"name": "map.npy"})
    assert read_numbers("map.html")["summary"][0].startswith("Measured are 25 of the 60 rows of x.npy, 25 of")
    last, _ = run_measure({"name": "x.npy"}, {"name": "map.npy"}, {"name": "topics.txt"})
    assert last["error"].startswith("x.npy is too large for a browser tab. Without topics.txt")


def test_ambiguous_roles_of_three_files_are_rejected() -> None:
    np.save("a.npy", X)
    Path("gold.txt").write_text("0\n" * 60)
    for names, message in (
        (("a.npy", "x.npy", "gold.txt"), "Which of a.npy and x.npy"),
        (("a.npy",) * 3, "3 files"),
    ):
        assert message in run_measure(*({"name": name} for name in names))[0]["error"]
