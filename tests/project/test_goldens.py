"""The scripts that show what moved: goldens of the code, and the texts of two built sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import script_module

compare_sites = script_module("compare_sites")
goldens = script_module("goldens")

PAGE = """<html><head><title>Rank</title><script>let hidden = 1</script></head><body><nav>Contents</nav>
<article class="bd-article"><h1>Rank</h1>
<p>The <em>effective</em> rank is 3.14, on <a title="in NumPy">average</a>.</p>
<style>p { color: red }</style><script type="application/json">{"scores":[0.25,0.5]}</script>
<svg role="img" aria-label="A falling line"><text>first <tspan>axis</tspan></text></svg>
<pre><span>a  1.0</span>
<span>b  2.0</span></pre><img alt="A ball" src="_images/0a1b2c.png"></article>
<footer>commit 0123abc</footer></body></html>"""


def site(folder: Path, **pages: str) -> Path:
    for name, html in ({"index": PAGE} | pages).items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")
    return folder


def test_a_page_is_its_title_and_what_its_article_says(tmp_path: Path) -> None:
    assert compare_sites.text(site(tmp_path) / "index.html") == [
        "Rank",
        "Rank",
        "The effective rank is 3.14, on [in NumPy]average.",
        '{"scores":[0.25,',
        "0.5]}",
        "[A falling line]",
        "first axis",
        "a 1.0",
        "b 2.0",
        "[A ball]",
    ]


def test_equal_sites_but_for_commit_names_of_files_and_source_code(tmp_path: Path) -> None:
    old = site(tmp_path / "old", **{"_modules/rank": "<article>code</article>"})
    new = site(tmp_path / "new", index=PAGE.replace("0123abc", "fed9876").replace("0a1b2c", "3d4e5f"))
    assert list(compare_sites.differences(old, new)) == []


@pytest.mark.parametrize(
    ("before", "now", "line", "words"),
    [
        (
            "3.14",
            "3.15",
            "+The effective rank is 3.15, on [in NumPy]average.",
            "is [-3.14,-] {+3.15,+} on [in NumPy]average.",
        ),
        ("0.25", "0.26", '+{"scores":[0.26,', '[-{"scores":[0.25,-] {+{"scores":[0.26,+}'),
        ("A ball", "A round ball", "+[A round ball]", "[A {+round+} ball]"),
        ("first", "second", "+second axis", "[-first-] {+second+} axis"),
    ],
)
def test_what_changed_stands_in_its_place(
    tmp_path: Path, before: str, now: str, line: str, words: str
) -> None:
    old, new = site(tmp_path / "old"), site(tmp_path / "new", index=PAGE.replace(before, now))
    ((name, lines),) = compare_sites.differences(old, new)
    assert name == "index.html"
    assert line in lines
    pages = [compare_sites.pages(folder) for folder in (old, new)]
    (said,) = goldens.compare(*pages, "pages ")
    assert words in said


def test_pages_that_appear_and_vanish(tmp_path: Path) -> None:
    old = site(tmp_path / "old", **{"a/gone": PAGE})
    new = site(tmp_path / "new", **{"a/fresh": PAGE})
    assert [name for name, _ in compare_sites.differences(old, new)] == ["a/fresh.html", "a/gone.html"]


def moved(old: Any, new: Any) -> list[str]:
    return list(goldens.compare(old, new, "functions"))


@pytest.mark.parametrize(
    "value", [0.1 + 0.2, [1.0, float("nan")], [[1, 2], [3]], "a 0.5", None, {"a": [True, "b"]}]
)
def test_what_is_equal_but_for_rounding_has_not_moved(value: Any) -> None:
    assert moved({"f": value}, {"f": value}) == []
    assert moved({"f": 0.3, "zero": 0.0}, {"f": 0.1 + 0.2, "zero": -1e-17}) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ({"f": 1.0}, {"f": 1.000000001}, "moved: functions f: 1.0 → 1.000000001"),
        ({"f": [1, 2, 3]}, {"f": [1, 0, 0]}, "moved: functions f: 2.0 → 0.0 (2 of 3 numbers, first at [1])"),
        ({"f": [1, 2]}, {"f": [1]}, "moved: functions f: [1, 2] → [1]"),
        ({"f": {"x": "low 0.1"}}, {"f": {"x": "low 0.2"}}, "moved: functions f x: low [-0.1-] {+0.2+}"),
        ({"f": ["a", 1]}, {"f": ["a", None]}, "moved: functions f 1: 1 → None"),
        ({"f": 1}, {}, "vanished: functions f"),
        ({}, {"f": 1}, "appeared: functions f"),
    ],
)
def test_what_moved_is_listed(old: Any, new: Any, line: str) -> None:
    assert moved(old, new) == [line]


def test_goldens_are_written_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "isoscore isoscore/corrected varex_score gone"
    monkeypatch.setattr(goldens, "CALLS", (("isotropy", names, lambda f: f(goldens.X)),))
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    assert goldens.main(["write", str(old), "--no-ledger", "--site", str(site(tmp_path / "site"))]) == 0
    assert "gone: isotropy.gone" in capsys.readouterr().err
    kept = json.loads(old.read_text(encoding="utf-8"))
    assert set(kept["functions"]) == {
        "isotropy.isoscore",
        "isotropy.isoscore/corrected",
        "isotropy.varex_score",
    }
    assert goldens.main(["compare", str(old), str(old)]) == 0
    # What is called by another name keeps its golden.
    monkeypatch.setattr(goldens, "MOVED", {"isotropy.varex_score": "isotropy_lab.isotropy.isoscore"})
    assert goldens.main(["write", str(new), "--no-ledger"]) == 0
    capsys.readouterr()
    assert goldens.main(["compare", str(old), str(new)]) == 1
    first, second, count = capsys.readouterr().out.splitlines()
    assert first == "not compared, as only one file has them: pages"
    assert second.startswith("moved: functions isotropy.varex_score: ")
    assert count == "differences: 1"


def test_a_refusal_and_a_result_are_kept_in_plain_values() -> None:
    def refuses(value: Any) -> None:
        raise ValueError(f"{value} is odd")

    assert goldens.outcome(refuses, 3) == "ValueError: 3 is odd"
    table = goldens.pd.DataFrame({"a": [0.5, 1.0]}, index=["x", "y"])
    assert goldens.plain({1: (goldens.np.arange(2), table)}) == {
        "1": [[0, 1], {"index": ["x", "y"], "a": [0.5, 1.0]}]
    }
