"""Remove outputs and counts from the book's notebooks, and fold solutions; ``--check`` only lists them."""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Tags of folded cells, with the titles of their folds, unless a first line has one: "# Set-up: the vectors".
FOLD_TITLES = {"solution": "Solution", "set-up": "Set-up"}


def strip_outputs(text: str) -> str:
    """Return the notebook's JSON without outputs, counts, values, and machine-specific metadata."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
            for key in ("execution", "collapsed", "jupyter"):
                cell["metadata"].pop(key, None)
            first_line = "".join(cell["source"]).partition("\n")[0].removeprefix("# ")
            for tag in FOLD_TITLES.keys() & set(cell["metadata"].get("tags", [])):
                title = first_line if first_line.startswith(f"{FOLD_TITLES[tag]}: ") else FOLD_TITLES[tag]
                cell["metadata"] = {"jupyter": {"source_hidden": True}, "mystnb": {}, **cell["metadata"]}
                cell["metadata"]["mystnb"] |= {"code_prompt_hide": title, "code_prompt_show": title}
        cell["metadata"].pop("user_expressions", None)
    page_kind = notebook["metadata"].get("isotropy_lab")  # kind of page: lesson or case file
    notebook["metadata"] = {
        **({"isotropy_lab": page_kind} if page_kind else {}),
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Strip or check all notebooks in book/."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if something remains")
    arguments = parser.parse_args()
    dirty = []
    for path in sorted((ROOT / "book").rglob("*.ipynb")):
        if "_build" in path.parts or ".ipynb_checkpoints" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        expected = strip_outputs(text)
        if expected != text:
            dirty.append(path.relative_to(ROOT).as_posix())
            if not arguments.check:
                path.write_text(expected, encoding="utf-8")
    if dirty:
        print("\n".join(dirty))
    return int(arguments.check and bool(dirty))


if __name__ == "__main__":
    sys.exit(main())
