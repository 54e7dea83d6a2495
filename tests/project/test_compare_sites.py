"""Tests of the script that shows differences between the texts of two built sites."""

from pathlib import Path

import pytest

from tests.conftest import script_module

compare_sites = script_module("compare_sites")

PAGE = """<html><head><title>Rank</title><script>let hidden = 1</script></head><body><nav>Contents</nav>
<article class="bd-article"><h1>Rank</h1>
<p>The <em>effective</em> rank is 3.14, on <a title="in NumPy">average</a>.</p>
<style>p { color: red }</style><script type="application/json">{"scores":[0.25,0.5]}</script>
<svg role="img" aria-label="A falling line"><text>first <tspan>axis</tspan></text></svg>
<pre><span>a  1.0</span>
<span>b  2.0</span></pre><img alt="A ball" src="_images/0a1b2c.png"></article>
<footer>commit 0123abc</footer></body></html>"""


def write_site(folder: Path, **pages: str) -> Path:
    for name, html in ({"index": PAGE} | pages).items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")
    return folder


def test_text_is_the_title_and_the_article(tmp_path: Path) -> None:
    assert compare_sites.text(write_site(tmp_path) / "index.html") == [
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


def test_commit_file_names_and_source_code_are_ignored(tmp_path: Path) -> None:
    old = write_site(tmp_path / "old", **{"_modules/rank": "<article>code</article>"})
    new = write_site(tmp_path / "new", index=PAGE.replace("0123abc", "fed9876").replace("0a1b2c", "3d4e5f"))
    assert list(compare_sites.differences(old, new)) == []


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("3.14", "3.15", "+The effective rank is 3.15, on [in NumPy]average."),
        ("0.25", "0.26", '+{"scores":[0.26,'),
        ("A ball", "A round ball", "+[A round ball]"),
        ("first", "second", "+second axis"),
    ],
)
def test_changed_lines_are_reported(tmp_path: Path, before: str, after: str, line: str) -> None:
    old, new = write_site(tmp_path / "old"), write_site(tmp_path / "new", index=PAGE.replace(before, after))
    ((name, lines),) = compare_sites.differences(old, new)
    assert name == "index.html"
    assert line in lines


def test_added_and_removed_pages_are_reported(tmp_path: Path) -> None:
    old = write_site(tmp_path / "old", **{"a/gone": PAGE})
    new = write_site(tmp_path / "new", **{"a/fresh": PAGE})
    assert [name for name, _ in compare_sites.differences(old, new)] == ["a/fresh.html", "a/gone.html"]
