"""Extract the answered questions of Open vSwitch's documentation from Debian's package openvswitch-doc.

Run: ``python scripts/make_open_vswitch_questions.py PACKAGE``. PACKAGE is the ``.deb`` (``apt-get download
openvswitch-doc``), checked by the SHA-256 below and unpacked by dpkg-deb, or a folder to which it was
unpacked; the files that are read are checked by their own SHA-256 in both cases.

A *question* is the text between "Q:" and "A:". A *document* is a paragraph or list item of an answer, with
the indented commands, tables, and quotations below it; a paragraph that begins with a lower-case letter
continues the previous one. Paragraphs of fewer than six words ("See above.") are omitted, and so are
questions without other paragraphs. Equal paragraphs of two answers are one document. Which documents answer
which question is judged elsewhere; here, each document is assigned to the question below which it is printed.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from making import options_of, write_record

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "reanalyses" / "roychowdhury2024" / "data"
VERSION = "3.1.0-2+deb12u1"
PACKAGE_SHA256 = "a47f64b3c3732f28b026ba9298e635ab5c31accaee50e26e935b1bee45ac3b13"
SOURCES_SHA256 = "bbbad5071809490a6c14e6216e69af3bc9c158e13843ca130ae7482fc8f9fc79"
SOURCES = "usr/share/doc/openvswitch-doc/html/_sources/faq"
MIN_WORDS = 6
COLUMNS = {
    "questions": "id (file and number in it), file, section, question, and as answer the ids of the "
    "documents that are printed under it",
    "documents": (
        "id (the first six digits of the text's SHA-256), file and section where it stands first, text"
    ),
}

_ANSWER = re.compile(r"^ {1,6}A[:.] ", re.MULTILINE)
_ITEM = re.compile(r"(?:[-*]|\d+\.) +")
_TITLE = re.compile(r"^=+\n(.+)\n=+$", re.MULTILINE)
_MARKUP = (
    (re.compile(r":doc:`([^`<]+?) *<[^`]*>`"), r"\1"),
    (re.compile(r":\w+:`([^`]+)`"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`]*>`__?"), r"\1"),
    (re.compile(r"``([^`]+)``"), r"\1"),
    (re.compile(r"`([^`]+)`_?"), r"\1"),
    (re.compile(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)"), r"\1"),
)


def plain(text: str) -> str:
    """Return prose on one line, without reStructuredText markup."""
    text = " ".join(text.split())
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return re.sub(r"[.:]*::$", ":", text)


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the blocks between blank lines, each with the column at which it begins."""
    for block in re.split(r"\n[ ]*\n", text.strip("\n")):
        if block.strip():
            yield min(len(line) - len(line.lstrip()) for line in block.splitlines() if line.strip()), block


def items(block: str, column: int) -> Iterator[str]:
    """Split a block into list items if each line at its column begins an item; otherwise, yield it whole."""
    item = ""
    for line in block.splitlines():
        if item and len(line) - len(line.lstrip()) == column and _ITEM.match(line[column:]):
            yield item
            item = ""
        item += f"{line}\n"
    yield item


def paragraphs(answer: str) -> list[str]:
    """Return an answer's paragraphs and list items, each with the indented text below it."""
    first_line, _, other_lines = answer.partition("\n")
    lines = other_lines.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join([first_line.strip(), *(line[margin:] for line in lines)])
    result: list[str] = []
    column = 0  # column of the latest paragraph; text with more indentation belongs to the paragraph
    for indent, block in blocks(text):
        is_table = block.lstrip().startswith("====")
        is_item = bool(_ITEM.match(block.lstrip()))
        if result and (is_table or (indent > column and not is_item)):
            inner = "\n".join(line[indent:].rstrip() for line in block.splitlines())
            result[-1] += f"\n{inner}"
            continue
        if result and indent == column and re.match(r"[a-z]", block.lstrip()):
            result[-1] += f"\n{plain(block)}"
            continue
        for part in items(block, indent):
            stripped = part.strip()
            item_mark = _ITEM.match(stripped)
            column = indent + (item_mark.end() if item_mark else 0)
            prose = plain(stripped[item_mark.end() :] if item_mark else stripped)
            if prose not in ("", ":"):
                result.append(prose)
    return result


def question_text(text: str) -> str:
    """Return a question's prose, one line per paragraph, with commands and messages unchanged."""
    parts = []
    for indent, block in blocks(text):
        if indent >= 4 and not block.strip().endswith("?"):
            parts.append("\n".join(line[indent:].rstrip() for line in block.splitlines()))
        else:
            parts.append(plain(block))
    return "\n".join(parts)


def read_file(path: Path) -> tuple[str, list[tuple[str, list[str]]]]:
    """Return the title of a file, and its questions with the paragraphs of the answers."""
    text = path.read_text(encoding="utf-8")
    title = _TITLE.search(text)
    if title is None:
        raise SystemExit(f"{path} has no title")
    body = re.sub(r"^\.\. .*\n(?: +.*\n)*", "", text[title.end() :], flags=re.MULTILINE)
    answered = []
    for part in re.split(r"^Q: ", body, flags=re.MULTILINE)[1:]:
        pair = _ANSWER.split(part, maxsplit=1)
        question, answer = pair if len(pair) == 2 else part.split("\n\n", 1)  # one answer has no "A:"
        answered.append((question_text(question), paragraphs(answer)))
    return title[1], answered


def is_document(text: str) -> bool:
    """Return whether a paragraph contains enough text to be retrieved by itself."""
    return len(text.split()) >= MIN_WORDS


def collection(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """Return questions, documents, and the omitted questions, which have no document."""
    questions: list[dict[str, Any]] = []
    documents: dict[str, dict[str, Any]] = {}
    unanswered: list[str] = []
    for path in sorted(folder.glob("*.rst.txt")):
        name = path.name.removesuffix(".rst.txt")
        if name == "index":
            continue
        section, answered = read_file(path)
        for number, (question, answer) in enumerate(answered, 1):
            printed_ids = []
            for text in filter(is_document, answer):
                key = hashlib.sha256(text.encode()).hexdigest()[:6]
                document = documents.setdefault(
                    key, {"id": key, "file": f"faq/{name}", "section": section, "text": text}
                )
                if document["text"] != text:
                    raise SystemExit(f"Two documents have the ID {key}")
                printed_ids.append(key)
            entry = {"id": f"{name}-{number:02}", "file": f"faq/{name}", "section": section}
            if printed_ids:
                questions.append({**entry, "question": question, "answer": list(dict.fromkeys(printed_ids))})
            else:
                unanswered.append(f"{entry['id']}: {question}")
    return questions, list(documents.values()), unanswered


def sources_hash(folder: Path) -> str:
    """Return the SHA-256 hash of the files that are read, concatenated in the order of their names."""
    hasher = hashlib.sha256()
    for path in sorted(folder.glob("*.rst.txt")):
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def main() -> None:
    """Check and read the files, and write the collection and its record."""
    parser = options_of(__doc__)
    parser.add_argument("package", type=Path, help="the .deb file, or the folder to which it was unpacked")
    parser.add_argument("--output", type=Path, default=DATA)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.package
        if folder.is_file():
            digest = hashlib.sha256(folder.read_bytes()).hexdigest()
            if digest != PACKAGE_SHA256:
                raise SystemExit(f"{folder}: SHA-256 is {digest}, not {PACKAGE_SHA256}; nothing was read")
            subprocess.run(["dpkg-deb", "--extract", str(folder), temporary], check=True)  # noqa: S607 dpkg of the user's system, a package whose hash was checked
            folder = Path(temporary)
        if (digest := sources_hash(folder / SOURCES)) != SOURCES_SHA256:
            raise SystemExit(f"{folder / SOURCES}: SHA-256 of the files is {digest}, not {SOURCES_SHA256}")
        questions, documents, unanswered = collection(folder / SOURCES)

    variants = {}
    for kind, rows in (("questions", questions), ("documents", documents)):
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        file = options.output / f"open-vswitch-{kind}.jsonl"
        file.write_bytes(content)
        variants[kind] = {
            "file": file.name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "rows": len(rows),
            "columns": COLUMNS[kind],
        }
    record = {
        "variants": variants,
        "script": "scripts/make_open_vswitch_questions.py",
        "made": date.today().isoformat(),
        "source": "Frequently asked questions of Open vSwitch's documentation, by its authors and "
        "contributors; as packaged by Debian in openvswitch-doc",
        "version": f"openvswitch-doc {VERSION}",
        "license": "Apache-2.0",
        "license_stated": "The package's copyright file: Apache-2.0 for all files but some of code that it "
        "names, copyright (c) 2007-2013 Nicira, Inc., and others; the files that were read begin with the "
        "notice of the Apache License, Version 2.0.",
        "changed": (
            "Taken apart into questions and paragraphs; marks of reStructuredText removed; words as "
            "they stand."
        ),
        "package": {
            "package": "openvswitch-doc",
            "index": "Debian",
            "version": VERSION,
            "archive_sha256": PACKAGE_SHA256,
            "folder": SOURCES,
            "sources_sha256": SOURCES_SHA256,
        },
        "rules": [
            "A question is all that stands between Q: and A:, commands and messages included.",
            "A document is a paragraph or list item of an answer, with the commands, tables and "
            "quotations under it.",
            "A paragraph that begins in lower case goes on with the one before.",
            f"Paragraphs of fewer than {MIN_WORDS} words are left out, and with them questions left "
            "without any.",
            "Equal paragraphs are one document, which stands under each of its questions.",
        ],
        "missing": [f"no answer but a pointer to another: {text}" for text in unanswered],
    }
    write_record(options.output / "open-vswitch.json", record)
    print(f"{len(questions)} questions, {len(documents)} documents, {len(unanswered)} questions left out")


if __name__ == "__main__":
    main()
