"""Update every copy of the repository's public address from the one in pyproject.toml.

``python scripts/repository_address.py`` rewrites README.md, CITATION.cff, the workflow in the reference, and
``[project.urls] Documentation`` from ``[project.urls] Repository``; ``--set URL`` changes that entry first;
``--check`` changes nothing and fails if a copy differs. The book reads pyproject.toml itself.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIES = ("README.md", "CITATION.cff", "pyproject.toml", "book/reference/command-line.md")


def declared_address(root: Path) -> str:
    """Return the address that pyproject.toml declares."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["urls"]["Repository"]).rstrip("/")


def owner_and_name(address: str) -> str:
    """Return ``owner/name`` of a GitHub address.

    Raises
    ------
    ValueError
        If the address is not of the form https://github.com/owner/name.
    """
    match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+)", address.rstrip("/"))
    if match is None:
        raise ValueError(f"address must look like https://github.com/owner/name, got {address!r}")
    return match.group(1)


def replace_addresses(text: str, slug: str) -> str:
    """Return ``text`` with every GitHub, Binder, and Pages address of the project pointing to ``slug``."""
    owner, name = slug.split("/")
    old_slug = r"(?<![\w.-])[\w.-]+/[\w.-]+?(?=[/)\s\"'?]|\.git|$)"
    for prefix in (r"https://github\.com/", r"https://mybinder\.org/v2/gh/"):
        text = re.sub(f"({prefix}){old_slug}", rf"\g<1>{slug}", text)
    return re.sub(r"https://[\w-]+\.github\.io/[\w.-]+", f"https://{owner.lower()}.github.io/{name}", text)


def main() -> int:
    """Rewrite or check the copies, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--set", metavar="URL", help="new address, which is written to pyproject.toml first")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if a copy differs")
    arguments = parser.parse_args()
    root: Path = arguments.root
    if arguments.set:
        owner_and_name(arguments.set)
        path = root / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(
            re.sub(r'(?m)^(Repository = )".*"$', rf'\g<1>"{arguments.set}"', text), encoding="utf-8"
        )
    slug = owner_and_name(declared_address(root))
    stale = []
    for name in COPIES:
        path = root / name
        text = path.read_text(encoding="utf-8")
        expected = replace_addresses(text, slug)
        if expected != text:
            stale.append(name)
            if not arguments.check:
                path.write_text(expected, encoding="utf-8")
    if arguments.check and stale:
        print(f"The address differs from pyproject.toml in these files: {', '.join(stale)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
