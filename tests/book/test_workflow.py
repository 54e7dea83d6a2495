"""Tests that the instructions on the command-line page work: options, exit codes, and the workflow."""

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from isotropy_report import cli
from isotropy_report.cli import main

PAGE = (Path(__file__).parents[2] / "book" / "reference" / "command-line.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", PAGE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((200, 6))
    np.save("vectors.npy", X)
    np.save("questions.npy", X[:80] + 0.2 * np.random.default_rng(1).standard_normal((80, 6)))
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(80)), encoding="utf-8")
    frame = pd.DataFrame({"id": range(200), "text": "t", "embedding": X.tolist()})
    frame.to_parquet("train-00000.parquet")
    frame.to_csv("saved.csv", index=False)
    rows = [{"id": str(i), "vector": row} for i, row in enumerate(X.tolist())]
    Path("vectors.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    table = pd.DataFrame(X, columns=[f"e{i}" for i in range(6)])
    table.insert(0, "id", range(200))
    table.insert(1, "text", "t")
    table.to_csv("table.csv", index=False)
    return tmp_path


def examples(command: str) -> list[str]:
    """Return the lines of the page that show a command, without comments."""
    lines = [line.partition("#")[0] for block in blocks("bash") for line in block.splitlines()]
    return [line for line in lines if line.startswith(f"isotropy-lab {command} ")]


def workflow() -> list[list[str]]:
    """Return the words of the steps that measure and compare."""
    (text,) = blocks("yaml")
    document: dict[Any, Any] = yaml.safe_load(text)
    steps = document["jobs"]["geometry"]["steps"]
    commands = [step["run"] for step in steps if step.get("run", "").startswith("isotropy-lab ")]
    return [shlex.split(command)[1:] for command in commands]


def test_the_workflow_passes_until_vectors_get_worse(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, compare = workflow()
    place = words.index("--fail-worse-than")
    first = [*words[:place], "-o", "baseline.json"]
    assert main(first) == 0
    assert main(words) == 0
    assert "report: passed: 9 numbers compared by intervals" in capsys.readouterr().err
    for name in ("vectors", "questions"):
        np.save(f"old{'-questions' * (name == 'questions')}.npy", np.load(f"{name}.npy"))
    assert main(compare) == 0
    assert "compare: passed: vectors.npy is not significantly behind" in capsys.readouterr().err
    np.save("vectors.npy", np.load("vectors.npy") * [9, 1, 1, 1, 1, 1])
    assert main(words) == 1
    err = capsys.readouterr().err
    assert err.startswith("isotropy-lab report: failed: isoscore is 0.")
    assert "\n  dimensions_used_corrected changed from " in err
    assert main(compare) == 1
    assert "failed: vectors.npy is behind old.npy in accuracy@1" in capsys.readouterr().err
    assert (folder / "card.html").exists()


def test_commands_on_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = examples("scores")
    assert len(own) == 5
    for name in ("old.npy", "new.npy"):
        np.save(name, np.load("vectors.npy"))
    for line in own:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0, line
        table = "--table" in line
        assert ("| IsoScore" if table else ": 200 rows in 6 dimensions") in capsys.readouterr().out


def test_commands_that_find_a_threshold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.load("vectors.npy")
    np.save("documents.npy", X)
    np.save("questions.npy", X + 0.1)
    np.save("others.npy", -X[:50])
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(200)), encoding="utf-8")
    pairs = "".join(f"{0.5 + i / 1000},{'no' if i % 3 else 'yes'}\n" for i in range(300))
    Path("scored.csv").write_text(pairs, encoding="utf-8")
    own = examples("threshold")
    assert len(own) == 2
    for line in own:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0, line
        assert -1 < float(capsys.readouterr().out) < 1
    assert (folder / "threshold.html").exists()


def test_commands_on_maps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("map", "umap-1", "umap-2"):
        np.save(f"{name}.npy", np.load("vectors.npy")[:, :2])
    for name in ("topics", "titles"):
        Path(f"{name}.txt").write_text("a\nb\n" * 100, encoding="utf-8")
    own = examples("map")
    assert len(own) == 2
    for line in own:
        assert main([*shlex.split(line)[1:], "--quiet"]) == 0, line
        assert "trustworthiness" in capsys.readouterr().out
    assert (folder / "map.html").exists()
    assert len(pd.read_parquet("points.parquet")) == 200


def test_commands_that_compare_models(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X = np.load("vectors.npy")
    noise = np.random.default_rng(2).standard_normal((200, 5))
    for name, Y in (("old", X), ("new", X[:, :5] + 0.5 * noise), ("other", X[:, :5] + noise)):
        np.save(f"{name}.npy", Y)
        np.save(f"{name}-q.npy", Y[:80] + 0.1)
        for file, part, letter in ((f"{name}.jsonl", Y, "d"), (f"{name}-q.jsonl", Y[:80] + 0.1, "q")):
            rows = [json.dumps({"id": f"{letter}{i}", "vector": row}) for i, row in enumerate(part.tolist())]
            Path(file).write_text("\n".join(rows) + "\n", encoding="utf-8")
    Path("qrels.txt").write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(80)), encoding="utf-8")
    np.save("before.npy", X[:100])
    np.save("after.npy", X[100:])
    own = examples("compare")
    assert len(own) == 3
    for line in own:
        assert main([*shlex.split(line)[1:], "--json"]) == 0, line
        found = json.loads(capsys.readouterr().out)
        assert found["kind"] == "comparison"
        assert ("accuracy@10" in found.get("tied", {})) == ("--questions" in line)
    assert (folder / "comparison.html").exists()
    np.save("documents.npy", X)
    np.save("questions.npy", X[:80] + 0.1)
    Path("models.csv").write_text("MiniLM,0.704\nE5,0.74\n", encoding="utf-8")
    own = [*examples("costs"), *examples("drift"), *examples("audit")]
    assert len(own) == 4
    for line in own:
        assert main(shlex.split(line)[1:]) == 0, line
        assert capsys.readouterr().out
    assert (folder / "drift.html").exists()


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
