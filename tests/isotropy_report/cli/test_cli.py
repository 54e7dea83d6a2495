"""Tests of the command line: output, files, and errors."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import isotropy_lab
from isotropy_lab.association import keywords
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_report import _output as output
from isotropy_report import load_word_vectors
from isotropy_report.cli import COMMANDS, weat
from reanalyses.records import data_file
from tests.isotropy_report.command_line import call, call_json
from tests.isotropy_report.io.making import save, text_rows

#: The extract of GoogleNews, for which effect sizes were published.
NEWS = str(data_file("kindel2023", "googlenews-weat.npz"))

TARGETS = {"A": ["rose", "tulip"], "B": ["ant", "wasp", "bee"]}
LISTS = TARGETS | {"C": ["love", "peace"], "D": ["filth", "poison"]}
WORDS = [word for words in LISTS.values() for word in words] + [f"w{i}" for i in range(50)]


@pytest.fixture
def vectors(tmp_path):
    """Return a small space in word2vec's text format."""
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 12))
    return save(tmp_path, "vectors.txt", f"{len(WORDS)} 12\n" + text_rows(WORDS, rows))


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "insects.json"
    path.write_text(json.dumps(LISTS | {"labels": {"A": "flowers", "B": "insects"}}), encoding="utf-8")
    return path


# --- the program --------------------------------------------------------------------------------------------


def test_version_and_help(capsys):
    assert call(capsys, "--version") == (0, f"isotropy-lab {isotropy_lab.__version__}\n", "")
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert all(name in out for name in COMMANDS)
    for name in COMMANDS:
        code, out, _ = call(capsys, name, "--help")
        assert code == 0
        assert COMMANDS[name].load().__doc__.splitlines()[0] in out


def test_as_a_module():
    """Once as a process: numbers on standard output, nothing on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "isotropy_report", "weat", NEWS, "weat-6", "--similarity", "mean-cosine"],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    assert "effect size 1.890" in done.stdout


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from isotropy_report.cli import main; main(['--help']); "
        "print([m for m in ('numpy', 'scipy', 'pandas', 'sklearn', 'numba', 'gensim') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("error", "exit_code", "said"),
    [(KeyError("inside"), 70, "inside"), (KeyboardInterrupt, 130, "interrupted")],
)
def test_faults_and_interruptions_have_exit_codes(capsys, monkeypatch, error, exit_code, said):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(weat, "_tested", fail)
    code, out, err = call(capsys, "weat", "glove-weat", "weat-7")
    assert (code, out) == (exit_code, "")
    assert said in err


# --- weat ---------------------------------------------------------------------------------------------------


def test_the_table(capsys):
    code, out, err = call(capsys, "weat", NEWS, "weat-7")
    assert (code, err) == (0, "")
    found = keywords.find("weat-7", load_word_vectors(NEWS))
    mcs = [mean_cosine_similarity(getattr(found, x), getattr(found, y)) for x, y in ("AC", "AD", "BD", "BC")]
    score = mcs[0] - mcs[1] + mcs[2] - mcs[3]
    row = next(line for line in out.splitlines() if line.startswith("mean-cosine"))
    assert row.split()[1:] == [f"{value:.4f}" for value in (*mcs, score)]
    cca = [canonical_similarity(getattr(found, x), getattr(found, y)) for x, y in ("AC", "AD", "BD", "BC")]
    row = next(line for line in out.splitlines() if line.startswith("canonical "))
    assert row.split()[1:5] == [f"{value:.4f}" for value in cca]
    chance = next(line for line in out.splitlines() if "by chance" in line)
    assert chance.split()[2:] == [f"{8 * 8 / 300 / 8:.4f}"] * 4
    assert "effect size 0.966" in out
    assert "exact: " in out
    assert "of 12,870 divisions" in out
    assert "all found as spelled" in out
    assert weat.CAUTION in " ".join(out.split())


def test_quiet_prints_the_numbers_only(capsys):
    _, loud, _ = call(capsys, "weat", NEWS, "weat-10")
    _, quiet, err = call(capsys, "weat", NEWS, "weat-10", "--quiet")
    assert err == ""
    assert "Missing, dropped: Billy" in loud
    assert "Billy" not in quiet
    assert "person" not in quiet
    assert set(quiet.splitlines()) < set(loud.splitlines())


def test_json_is_complete(capsys):
    document = call_json(capsys, "weat", NEWS, "weat-9", "--seed", 3)
    assert document["vectors"] == {"name": "googlenews-weat.npz", "words": 365, "dimensions": 300}
    assert document["options"]["seed"] == 3
    (result,) = document["tests"]
    found = ["impermanent", "unstable", "variable", "fleeting", "brief", "occasional"]
    assert result["lists"]["C"] == {"label": "temporary", "asked": 7, "found": 6, "words": found}
    assert [row["word"] for row in result["words"] if row["outcome"] == "missing, dropped"] == ["short-term"]
    rows = {row["similarity"]: row for row in result["similarities"]}
    assert list(rows) == list(weat.SIDE_BY_SIDE)
    assert rows["canonical"]["chance"]["ac"] == pytest.approx(np.sqrt(6 * 6) / 300)
    assert rows["canonical"]["chance"]["ad"] == pytest.approx(np.sqrt(6 * 7) / 300)
    assert result["permutation"]["method"] == "exact"
    assert result["permutation"]["pvalue"] == result["permutation"]["n_at_least"] / 924
    assert result["effect_size"] == pytest.approx(1.376, abs=5e-4)


def test_seeds(capsys):
    arguments = ("weat", "glove-weat", "weat-7", "--resamples", 50)
    first = call_json(capsys, *arguments, "--seed", 1)
    assert first == call_json(capsys, *arguments, "--seed", 1)
    other = call_json(capsys, *arguments, "--seed", 2)
    assert other["options"]["seed"] == 2
    assert first["tests"][0]["permutation"]["method"] == "monte-carlo"
    assert first["tests"][0]["permutation"]["count"] == 50


def test_a_file_of_lists_and_a_file_of_vectors(capsys, vectors, lists):
    code, out, err = call(capsys, "weat", vectors, lists)
    assert (code, err) == (0, "")
    said = ("insects", "59 words in 12 dimensions", "A  flowers      2   2", "2 and 3 words: unequal lengths")
    assert all(part in out for part in said)


def test_what_is_undefined_is_said_and_the_rest_is_there(capsys, vectors, tmp_path):
    """Lists that span the whole space have no corrected similarity; alone that is an error."""
    path = tmp_path / "long.json"
    words = [f"w{i}" for i in range(48)]
    path.write_text(json.dumps({key: words[12 * i : 12 * i + 12] for i, key in enumerate("ABCD")}))
    arguments = ("weat", vectors, path, "--resamples", 20)
    rows = {row["similarity"]: row for row in call_json(capsys, *arguments)["tests"][0]["similarities"]}
    assert rows["canonical-corrected"]["score"] is None
    assert rows["canonical"]["score"] == pytest.approx(0)
    assert "canonical-corrected is undefined" in call(capsys, *arguments)[1]
    assert call(capsys, *arguments, "--similarity", "canonical-corrected")[0] == 2


def test_an_undefined_effect_size_is_said_and_the_score_is_there(capsys, tmp_path):
    """Words at right angles to all attributes have one association, 0."""
    path = tmp_path / "cross.txt"
    path.write_text("4 2\na 1 0\nb -1 0\nc 0 1\nd 0 -1\n", encoding="utf-8")
    lists = tmp_path / "cross.json"
    lists.write_text(json.dumps({key: [key.lower()] for key in "ABCD"}), encoding="utf-8")
    result = call_json(capsys, "weat", path, lists, "--similarity", "mean-cosine")["tests"][0]
    assert result["similarities"][0]["score"] == 0
    assert result["effect_size"] is None
    assert result["permutation"]["pvalue"] == 1
    assert any("effect size is undefined" in note for note in result["notes"])
    _, out, _ = call(capsys, "weat", path, lists)
    assert "-0.0000" not in out


def test_tests_that_a_space_lacks_are_skipped_among_all(capsys, tmp_path):
    words = [word for part in keywords.load("gender-sentiment").lists.values() for word in part.words()]
    rows = np.random.default_rng(0).standard_normal((len(words), 9)).astype(np.float32)
    np.savez(tmp_path / "few.npz", words=np.array(words), vectors=rows)
    document = call_json(capsys, "weat", tmp_path / "few.npz", "all", "--resamples", 10)
    assert "gender-sentiment" in [result["test"] for result in document["tests"]]
    skipped = {entry["test"]: entry["reason"] for entry in document["skipped"]}
    assert "no word of list A (flowers: " in skipped["weat-1"]
    assert len(document["tests"]) + len(skipped) == 11
    assert "weat-1 was skipped: " in call(capsys, "weat", tmp_path / "few.npz", "all", "--resamples", 10)[1]


# --- files --------------------------------------------------------------------------------------------------


def test_output_to_a_file(capsys, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    code, out, err = call(capsys, "weat", "glove-weat", "weat-7", "--json", "-o", path)
    assert (code, out, err) == (0, "", "")
    assert json.loads(path.read_text(encoding="utf-8"))["tests"][0]["test"] == "weat-7"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_output_through_a_link_and_to_what_is_no_file(capsys, tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    output.replace_file(link, "text")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "text"
    output.replace_file(os.devnull, "text")


# --- positions of right documents ---------------------------------------------------------------------------


@pytest.fixture
def search(tmp_path):
    """Return documents and questions, their files, and the options for the card of a gold file."""
    rng = np.random.default_rng(0)
    documents, questions = rng.standard_normal((40, 8)), rng.standard_normal((5, 8))
    np.save(tmp_path / "documents.npy", documents)
    np.save(tmp_path / "questions.npy", questions)
    words = ["report", tmp_path / "documents.npy", "--questions", tmp_path / "questions.npy", "--gold"]
    return questions, documents, words


@pytest.mark.parametrize("suffix", ["txt", "npy"])
def test_a_question_may_have_several_relevant_documents(capsys, tmp_path, search, suffix):
    questions, documents, arguments = search
    gold = np.array([[3, 7, -1], [0, -1, -1], [39, 1, 2], [5, 6, -1], [8, -1, -1]])
    path = tmp_path / f"gold.{suffix}"
    path.write_text("3 7\n0\n39,1, 2\r\n5,6\n8\n") if suffix == "txt" else np.save(path, gold)
    card = call_json(capsys, *arguments, path)
    ranks = isotropy_lab.retrieval.answer_ranks(questions, documents, gold)
    assert card["sections"]["retrieval"]["numbers"]["median_rank"]["value"] == np.median(ranks)


def test_judgments_of_positions_are_read_with_their_grades(capsys, tmp_path, search):
    questions, documents, arguments = search
    path = tmp_path / "gold.qrels"
    path.write_text("1 0 0 3\n0 Q0 5 2\n0 0 7 1\n\n2 0 9 1\n2 0 8 0\n3 0 1 1\n4 0 2 1\n", encoding="utf-8")
    gold = {0: {5: 2, 7: 1}, 1: {0: 3}, 2: {9: 1}, 3: {1: 1}, 4: {2: 1}}
    found = isotropy_lab.retrieval.relevant_ranks(questions, documents, gold)
    table = call_json(capsys, *arguments, path)["sections"]["retrieval"]["tables"]["accuracy"]
    rows = {row["K"]: row for row in table}
    expected = isotropy_lab.retrieval.question_scores(found, "ndcg", k=10).mean()
    assert rows["10"]["NDCG@K"] == pytest.approx(expected)
