"""The reference of the built site: indexes of names, the command line, links to terms and sources."""

from __future__ import annotations

import html
import re
import zlib

import pytest

from isotropy_lab import cli, isotropy

from .conftest import ROOT, SITE


@pytest.fixture(scope="module")
def text() -> dict[str, str]:
    """The pages of the reference and the bibliography, by name."""
    if not (SITE / "reference").exists():
        pytest.skip("no built site: run `make book` first")
    pages = [*(SITE / "reference").glob("*.html"), SITE / "appendix" / "bibliography.html"]
    return {page.stem: page.read_text(encoding="utf-8") for page in pages}


def plain(part: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", part))


def test_a_page_opens_with_its_names_and_what_they_do(text: dict[str, str]) -> None:
    for name, page in text.items():
        if name in {"command-line", "bibliography"}:
            continue
        index = page[page.index('class="il-names') :]
        index = index[: index.index("</ul>")]
        assert page.index('class="il-names') < page.index('<dl class="py')
        targets = re.findall(r'href="#([^"]+)"', index)
        assert targets, name
        assert [target for target in targets if f'id="{target}"' not in page] == []
    lines = [plain(line) for line in re.findall(r"<li>(.*?)</li>", text["isotropy"], re.S)]
    for name in isotropy.__all__:
        thing = getattr(isotropy, name)
        if not isinstance(thing, type) and callable(thing):
            summary = " ".join((thing.__doc__ or "").split("\n\n")[0].split())
            (line,) = [line for line in lines if line.strip().startswith(f"{name}:")]
            assert summary.startswith(line.strip().removeprefix(f"{name}: ")[:20]), line


def test_the_command_line_is_told_by_its_parsers(text: dict[str, str]) -> None:
    page = plain(text["command-line"])
    for name in cli.COMMANDS:
        top = cli.parser("isotropy-lab", cli.COMMANDS, name)
        part = next(action for action in top._actions if action.dest == "command").choices[name]  # type: ignore[index]
        for action in part._actions:  # type: ignore[attr-defined]
            for option in action.option_strings:
                assert option in page, (name, option)
        assert f"$ isotropy-lab {name} " in page
    assert "IsoScore, corrected" in page  # what the example prints


def labels() -> dict[str, str]:
    """Return the labels of the site and where they lead, from the inventory that Sphinx writes."""
    content = (SITE / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(content).decode().splitlines()
    found = (re.fullmatch(r"(.+?) std:label -?\d+ (\S+) .*", line) for line in lines)
    return {match[1]: match[2].replace("$", match[1]) for match in found if match}


def test_terms_and_sources_can_be_linked_from_markdown(text: dict[str, str]) -> None:
    known = labels()
    assert known["term-anisotropic"] == "appendix/glossary.html#term-anisotropic"
    assert known["rudman2022"] == "appendix/bibliography.html#rudman2022isoscore"
    assert known["kindel2023"].startswith("appendix/bibliography.html#kindel2023")
    # The year of the key, and the year that the entry has and the bibliography prints.
    assert known["smelser2024"] == known["smelser2025"] == "appendix/bibliography.html#smelser2024scale"
    keys = re.findall(r"(?m)^@\w+\{([^,]+)", (ROOT / "book" / "references.bib").read_text(encoding="utf-8"))
    for key in set(keys) & set(known):
        assert f'id="{known[key].split("#")[1]}"' in text["bibliography"], key
    assert len(set(keys) & set(known)) >= 30


def test_the_bibliography_goes_by_authors_and_years(text: dict[str, str]) -> None:
    found = re.findall(r'<span class="label">(.*?)</span>\s*<', text["bibliography"], re.S)
    names = [plain(label).strip("[]") for label in found]
    assert "Rudman et al. (2022)" in names
    assert all(re.fullmatch(r".+ \((\d{4}[a-z]?|no year)\)", name) for name in names), names
    assert len(set(names)) == len(names)


def test_the_table_of_contents_has_every_module() -> None:
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    for page in (ROOT / "book" / "reference").glob("*.md"):
        assert f"reference/{page.stem}\n" in contents, page.stem
