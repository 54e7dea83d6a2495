"""The reference of the built site: what the command line is told from, links to terms and sources."""

from __future__ import annotations

import html
import re
import zlib
from pathlib import Path

from isotropy_lab import cli

from .conftest import BOOK


def test_the_command_line_is_told_by_its_parsers(built: Path) -> None:
    text = (built / "reference" / "command-line.html").read_text(encoding="utf-8")
    page = html.unescape(re.sub(r"<[^>]+>", "", text))
    for name in cli.COMMANDS:
        top = cli.parser("isotropy-lab", cli.COMMANDS, name)
        part = next(action for action in top._actions if action.dest == "command").choices[name]  # type: ignore[index]
        for action in part._actions:  # type: ignore[attr-defined]
            for option in action.option_strings:
                assert option in page, (name, option)
        assert f"$ isotropy-lab {name} " in page


def test_terms_and_sources_can_be_linked_from_markdown(built: Path) -> None:
    content = (built / "objects.inv").read_bytes().split(b"\n", 4)[4]
    found = re.findall(r"(?m)^(.+?) std:label -?\d+ (\S+) ", zlib.decompress(content).decode())
    known = {label: place.replace("$", label) for label, place in found}
    assert known["term-anisotropic"] == "appendix/glossary.html#term-anisotropic"
    assert known["rudman2022"] == "appendix/bibliography.html#rudman2022isoscore"
    # The year of the key, and the year that the entry has and the bibliography prints.
    assert known["smelser2024"] == known["smelser2025"] == "appendix/bibliography.html#smelser2024scale"
    bibliography = (built / "appendix" / "bibliography.html").read_text(encoding="utf-8")
    keys = set(re.findall(r"(?m)^@\w+\{([^,]+)", (BOOK / "references.bib").read_text(encoding="utf-8")))
    assert len(keys & set(known)) >= 30
    for key in keys & set(known):
        assert f'id="{known[key].split("#")[1]}"' in bibliography, key


def test_the_contents_have_every_module() -> None:
    contents = (BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    for page in (BOOK / "reference").glob("*.md"):
        assert f"reference/{page.stem}\n" in contents, page.stem
