"""Write LICENSES-data.md from the records of the data files; ``--check`` only checks that it is current.

Run: ``python scripts/data_licenses.py [--check]``. A record (``.json``) names one file under "file", or
several under "variants"; source, version, license, and SHA-256 are copied from it unchanged.
"""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "LICENSES-data.md"

HEADER = """# Licenses of the bundled data

The code is under the MIT license ([LICENSE](LICENSE)). Scripts and typefaces of others (IBM Plex, OFL-1.1)
are in `book/_vendor`, each folder with its license. Data files come from elsewhere; this list is made from
the records beside them by `python scripts/data_licenses.py`. The folder LICENSES has the texts of
[Apache-2.0](LICENSES/Apache-2.0.txt), [PSF-2.0](LICENSES/PSF-2.0.txt) and
[NumPy's BSD-3-Clause](LICENSES/BSD-3-Clause-NumPy.txt).
"""
SECTIONS = {
    "In the packages": (
        ("isotropy_lab", "isotropy_report"),
        "The wheel holds these, and declares their licenses with its own.",
    ),
    "In the book only": (
        ("book/reanalyses",),
        "They lie in the repository, to re-run the four papers, and are in no wheel. Of the GoogleNews "
        "numbers nobody states a license; `scripts/make_word_vectors.py` makes the extracts again.",
    ),
}


def main() -> None:
    """Write the list, or compare it with the existing one."""
    text = "\n".join([HEADER, *(_section(title, *about) for title, about in SECTIONS.items())])
    if sys.argv[1:] == ["--check"]:
        if not OUTPUT.is_file() or OUTPUT.read_text(encoding="utf-8") != text:
            raise SystemExit("LICENSES-data.md differs from the records; run python scripts/data_licenses.py")
        return
    OUTPUT.write_text(text, encoding="utf-8")


def _section(title: str, folders: tuple[str, ...], introduction: str) -> str:
    entries = [
        _entry(path, file, sha256, record)
        for folder in folders
        for path in sorted((ROOT / folder).glob("**/data/*.json"))
        if not path.name.endswith(".schema.json")  # not data
        for record in [json.loads(path.read_text(encoding="utf-8"))]
        for file, sha256 in _files(record)
    ]
    return "\n".join([f"## {title}", "", introduction, "", *entries])


def _files(record: dict[str, Any]) -> list[tuple[str, str]]:
    parts = record["variants"].values() if "variants" in record else [record]
    return [(part["file"], part["sha256"]) for part in parts]


def _entry(path: Path, file: str, sha256: str, record: dict[str, Any]) -> str:
    rows = {
        "Source": record["source"],
        "Version": record["version"],
        "License": record["license"],
        "As stated": record.get("license_stated"),
        "SHA-256": f"`{sha256}`",
    }
    lines = [f"- {name}: {value}" for name, value in rows.items() if value]
    return "\n".join([f"### {(path.parent / file).relative_to(ROOT).as_posix()}", "", *lines, ""])


if __name__ == "__main__":
    main()
