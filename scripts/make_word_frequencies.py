"""Create the word frequencies for the book's reanalysis of Kindel (2023) from the package wordfreq.

Run: ``python scripts/make_word_frequencies.py [--downloads FOLDER] [--output FOLDER]``; it needs pip.

The package is downloaded by name and version and checked by its SHA-256; nothing in it is installed or run.
Of its large English list, the words of the association tests and of the two pools of word vectors are stored.
Repeated runs write identical arrays; only the date in the record changes.
"""

import gzip
import hashlib
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from making import downloads_folder, options_of, write_record
from packages import fetch

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "reanalyses" / "kindel2023" / "data"
POOLS = (DATA / "googlenews-pool.npz", ROOT / "isotropy_report" / "io" / "data" / "glove-pool.npz")
SCRIPT = "scripts/make_word_frequencies.py"

SOURCE = {
    "package": "wordfreq",
    "index": "PyPI",
    "version": "3.1.1",
    "archive": "wordfreq-3.1.1-py3-none-any.whl",
    "archive_sha256": "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473",
    "member": "wordfreq/data/large_en.msgpack.gz",
}
FREQUENCIES = (
    "English, from Wikipedia, subtitles (OPUS OpenSubtitles 2018, SUBTLEX-US and -UK), news, books (Google "
    "Books Ngrams), web text, Twitter and Reddit up to 2021; Speer (2022), rspeer/wordfreq: v3.0. SUBTLEX is "
    "freely available data by Brysbaert and others"
)
LICENSE_STATED = (
    "The package declares Apache-2.0 and says that its data files may be redistributed under the Creative "
    "Commons Attribution-ShareAlike 4.0 license (CC BY-SA 4.0). This extract is under CC BY-SA 4.0."
)


class _MessagePackReader:
    """Reader of the MessagePack types in the list: arrays, maps, text, and small integers."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def _take(self, count: int) -> bytes:
        self.place += count
        return self.content[self.place - count : self.place]

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "big")

    def value(self) -> Any:
        kind = self._take(1)[0]
        if kind < 0x80:
            return kind
        if kind < 0x90:
            return {self.value(): self.value() for _ in range(kind & 0x0F)}
        if kind < 0xA0:
            return [self.value() for _ in range(kind & 0x0F)]
        if kind < 0xC0:
            return self._take(kind & 0x1F).decode("utf-8")
        if kind in (0xD9, 0xDA, 0xDB):
            return self._take(self._number(1 << (kind - 0xD9))).decode("utf-8")
        if kind in (0xDC, 0xDD):
            return [self.value() for _ in range(self._number(2 << (kind - 0xDC)))]
        raise SystemExit(f"The MessagePack value of kind {kind:#x} at byte {self.place - 1} is not supported")


def read_frequencies(content: bytes) -> dict[str, int]:
    """Return word → Zipf frequency in hundredths; the list has one group of words per centibel."""
    header, *groups = _MessagePackReader(gzip.decompress(content)).value()
    if header != {"format": "cB", "version": 1}:
        raise SystemExit(f"The list has the header {header}; expected format cB, version 1")
    # A centibel is 1/100 of a power of ten; the Zipf scale counts powers of ten per 10⁹ words.
    return {word: 900 - steps for steps, group in enumerate(groups) for word in group}


def needed_words() -> tuple[list[str], list[str]]:
    """Return the words of the tests, and other words of the pools, case-folded and sorted."""
    lists = json.loads(Path(__file__).with_name("association_words.json").read_text(encoding="utf-8"))[
        "words"
    ]
    tests = {word.casefold() for line in lists.values() for word in line.split()}
    pools: set[str] = set()
    for path in POOLS:
        with np.load(path, allow_pickle=False) as stored:
            pools |= {word.casefold() for word in stored["words"].tolist()}
    return sorted(tests), sorted(pools - tests)


def main() -> None:
    """Download and check the package, extract the frequencies, and write them."""
    parser = options_of(__doc__)
    parser.add_argument("--downloads", type=Path, help="folder for the downloaded package")
    parser.add_argument("--output", type=Path, default=DATA)
    options = parser.parse_args()
    with downloads_folder(options.downloads) as folder:
        frequencies = read_frequencies(fetch(SOURCE, folder))
    test_words, pool_words = needed_words()
    words = sorted(word for word in (*test_words, *pool_words) if word in frequencies)
    centi_zipf = np.array([frequencies[word] for word in words], dtype=np.int16)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, words=np.array(words, dtype=np.str_), centi_zipf=centi_zipf)
    content = buffer.getvalue()
    record = {
        "file": "word_frequencies.npz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "source": f"{FREQUENCIES}; as packaged in {SOURCE['package']}",
        "version": f"{SOURCE['package']} {SOURCE['version']}",
        "license": "CC-BY-SA-4.0",
        "license_stated": LICENSE_STATED,
        "package": SOURCE,
        "description": (
            "Zipf frequencies (log10 of occurrences per 10^9 words) of every word of the association "
            "tests and of the "
            "two pools, case-folded: a name and a common word of the same letters have one frequency"
        ),
        "order": "alphabetical (code points)",
        "words": len(words),
        "words_asked": len(test_words) + len(pool_words),
        "missing": [word for word in test_words if word not in frequencies],
        "missing_from_pools": sum(word not in frequencies for word in pool_words),
        "missing_note": (
            "The list holds words in one piece: hyphenated words, names in two parts and numbers have "
            "no entry, nor have "
            "words rarer than Zipf 1. Missing words of the tests are named, those of the pools counted."
        ),
    }
    (options.output / "word_frequencies.npz").write_bytes(content)
    write_record(options.output / "word_frequencies.json", record)
    print(f"{len(words)} of {len(test_words) + len(pool_words)} words, {len(content) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
