"""The command line: what it prints, what it writes, and how it refuses."""

import gzip
import json
import os
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import isotropy_lab
from isotropy_lab import _output as output
from isotropy_lab.association import keywords
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.cli import COMMANDS
from isotropy_lab.cli.inputs import read_gold, read_labels
from isotropy_lab.report import weat as report
from reanalyses.kindel2023 import published
from reanalyses.records import data_file
from tests.isotropy_lab.command_line import call, call_json

#: The extract of GoogleNews, for which effect sizes were published.
NEWS = str(data_file("kindel2023", "googlenews-weat.npz"))

LISTS = {
    "A": ["rose", "tulip"],
    "B": ["ant", "wasp", "bee"],
    "C": ["love", "peace"],
    "D": ["filth", "poison"],
}
WORDS = [word for words in LISTS.values() for word in words] + [f"w{i}" for i in range(50)]


@pytest.fixture
def vectors(tmp_path):
    """A small space in word2vec's text format."""
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 12))
    lines = [f"{len(WORDS)} 12"] + [
        " ".join([word, *(f"{x:.6f}" for x in row)]) for word, row in zip(WORDS, rows, strict=True)
    ]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "insects.json"
    path.write_text(json.dumps(LISTS | {"labels": {"A": "flowers", "B": "insects"}}), encoding="utf-8")
    return path


# --- the program ----------------------------------------------------------------------------------------------


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
        [sys.executable, "-m", "isotropy_lab", "weat", NEWS, "weat-6", "--similarity", "mean-cosine"],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    assert "effect size 1.890" in done.stdout


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(option):
    code = (
        f"import sys; from isotropy_lab.cli import main; main([{option!r}]); "
        "print([m for m in ('numpy', 'scipy', 'pandas', 'sklearn', 'numba', 'gensim') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: COMMAND"),
        (["wat"], "invalid choice: 'wat'"),
        (["weat", "glove-weat"], "required: TEST"),
        (["weat", "glove-weat", "weat-7", "--similarity", "cosine"], "invalid choice: 'cosine'"),
        (["weat", "glove-weat", "weat-7", "--resamples", "0"], "'0'; expected an integer from 1 or exact"),
        (["weat", "glove-weat", "weat-7", "--null-pool", "x"], "'x'; expected an integer from 1 or none"),
        (["weat", "glove-weat", "weat-7", "--seed", "-1"], "'-1'; expected an integer from 0"),
        (["weat", "glove-weat", "weat7"], "TEST is 'weat7'; near it: weat-7"),
        (["weat", "glove-weat", "none.toml"], "none.toml: there is no such file"),
        (["weat", "glove-wea", "weat-7"], "neither a bundled name nor a file; near it: glove-weat"),
        (["weat", "no/such/file.txt", "weat-7"], "file.txt"),
        (["weat", NEWS, "weat-10", "--missing", "raise"], "weat-10: the vectors lack Billy"),
        (["weat", "glove-weat", "weat-7", "--null-pool", "99999"], "--null-pool: size is 99999"),
        (["weat", "glove-weat", "weat-7", "--null-pool", "3"], "pool"),
        (["weat", "glove-weat", "weat-1", "--similarity", "canonical", "--resamples", "exact"], "weat: error"),
    ],
)  # fmt: skip
def test_bad_usage_and_input_end_with_2_and_a_message(capsys, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert re.search(message, err)
    assert "Traceback" not in err


def test_a_fault_of_the_program_ends_with_70(capsys, monkeypatch):
    def fail(*_, **__):
        raise KeyError("inside")

    monkeypatch.setattr(report, "weat_report", fail)
    code, _, err = call(capsys, "weat", "glove-weat", "weat-7")
    assert code == 70
    assert "KeyError: 'inside'" in err
    assert "this is a fault of the program" in err


def test_an_interruption_ends_with_130(capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "weat_report", stop)
    code, out, err = call(capsys, "weat", "glove-weat", "weat-7")
    assert (code, out) == (130, "")
    assert "interrupted" in err


# --- weat -----------------------------------------------------------------------------------------------------


def test_the_table(capsys):
    code, out, err = call(capsys, "weat", NEWS, "weat-7")
    assert (code, err) == (0, "")
    found = keywords.find("weat-7", NEWS)
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
    assert report.CAUTION in " ".join(out.split())


def test_quiet_prints_the_numbers_only(capsys):
    _, loud, _ = call(capsys, "weat", NEWS, "weat-10")
    _, quiet, err = call(capsys, "weat", NEWS, "weat-10", "--quiet")
    assert err == ""
    assert "Missing, dropped: Billy" in loud
    assert "Billy" not in quiet
    assert "person" not in quiet
    assert set(quiet.splitlines()) < set(loud.splitlines())


def test_json_is_complete(capsys):
    document = call_json(capsys, "weat", NEWS, "weat-9", "--null-pool", 300, "--seed", 3)
    assert document["vectors"] == {"name": "googlenews-weat.npz", "words": 365, "dimensions": 300}
    assert document["options"]["seed"] == 3
    assert document["options"]["pool"].startswith("the first 300 words of googlenews-weat.npz")
    assert document["skipped"] == []
    (result,) = document["tests"]
    assert result["lists"]["C"] == {
        "label": "temporary",
        "asked": 7,
        "found": 6,
        "words": ["impermanent", "unstable", "variable", "fleeting", "brief", "occasional"],
    }
    assert len(result["words"]) == 26
    missing = [row for row in result["words"] if row["outcome"] == "missing, dropped"]
    assert [row["word"] for row in missing] == ["short-term"]
    rows = {row["similarity"]: row for row in result["similarities"]}
    assert list(rows) == list(report.SIDE_BY_SIDE)
    for row in rows.values():
        assert row["score"] == pytest.approx(row["ac"] - row["ad"] + row["bd"] - row["bc"], abs=1e-12)
    assert rows["canonical"]["chance"]["ac"] == pytest.approx(np.sqrt(6 * 6) / 300)
    assert rows["canonical"]["chance"]["ad"] == pytest.approx(np.sqrt(6 * 7) / 300)
    for name in ("mean-cosine", "canonical"):
        for interval in rows[name]["random"].values():
            assert interval["low"] <= interval["mean"] <= interval["high"]
            assert 0 < interval["pvalue"] <= 1
    assert rows["normalized"]["random"] is None
    assert result["permutation"]["method"] == "exact"
    assert result["permutation"]["count"] == 924
    assert result["permutation"]["pvalue"] == result["permutation"]["n_at_least"] / 924
    assert result["effect_size"] == pytest.approx(1.376, abs=5e-4)


def test_seeds(capsys):
    arguments = ("weat", "glove-weat", "weat-7", "--resamples", 50, "--null-pool", 300)
    first = call_json(capsys, *arguments, "--seed", 1)
    assert first == call_json(capsys, *arguments, "--seed", 1)
    assert first["options"]["pool"].startswith("the first 300 words of glove-pool")
    other = call_json(capsys, *arguments, "--seed", 2)
    assert first["tests"][0]["similarities"][0]["random"] != other["tests"][0]["similarities"][0]["random"]
    assert first["tests"][0]["permutation"]["method"] == "monte-carlo"
    assert first["tests"][0]["permutation"]["count"] == 50


def test_spelling_and_effect_sizes_of_all_tests(capsys):
    document = call_json(
        capsys, "weat", NEWS, "all", "--spelling", "tested", "--similarity", "mean-cosine",
        "--resamples", 10,
    )  # fmt: skip
    ours = {result["test"]: result["effect_size"] for result in document["tests"]}
    assert list(ours) == list(keywords.names())
    theirs = published.effect_sizes().query("space == 'word2vec'").set_index("test")["effect_size"]
    for name in theirs.index.drop("weat-10"):
        assert round(ours[name], 2) == theirs[name]


@pytest.mark.parametrize("name", ["paired", "centroid", "canonical-trace", "canonical-minimum"])
def test_one_similarity(capsys, name):
    document = call_json(capsys, "weat", "glove-weat", "weat-8", "--similarity", name, "--resamples", 20)
    (result,) = document["tests"]
    assert [row["similarity"] for row in result["similarities"]] == [name]
    assert result["permutation"]["similarity"] == name
    assert result["effect_size"] is None


def test_a_file_of_lists_and_a_file_of_vectors(capsys, vectors, lists):
    code, out, err = call(capsys, "weat", vectors, lists, "--null-pool", 40)
    assert (code, err) == (0, "")
    assert "insects" in out
    assert "59 words in 12 dimensions" in out
    assert "A  flowers      2   2" in out
    assert "Lists A and B have 2 and 3 words: unequal lengths" in out
    assert "random, mean" in out
    assert not re.search(r"\bw0\b", out)  # a word of the vectors, not a part of their path


def test_what_is_undefined_is_said_and_the_rest_is_there(capsys, vectors, lists, tmp_path):
    """Lists that span the whole space have no corrected similarity; alone that is an error."""
    path = tmp_path / "long.json"
    words = [f"w{i}" for i in range(48)]
    path.write_text(
        json.dumps({"A": words[:12], "B": words[12:24], "C": words[24:36], "D": words[36:]}), encoding="utf-8"
    )
    arguments = ("weat", vectors, path, "--resamples", 20)
    rows = {row["similarity"]: row for row in call_json(capsys, *arguments)["tests"][0]["similarities"]}
    assert rows["canonical-corrected"]["score"] is None
    assert rows["canonical"]["score"] == pytest.approx(0)
    _, out, _ = call(capsys, *arguments)
    assert "canonical-corrected is undefined" in out
    assert "congruences are 1 by geometry" in out
    code, _, err = call(capsys, *arguments, "--similarity", "canonical-corrected")
    assert code == 2
    assert err


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


def test_an_exact_test_that_is_not_feasible_is_an_error_beside_other_similarities(capsys, tmp_path):
    rows = np.random.default_rng(0).standard_normal((70, 80)).astype(np.float32)
    words = [f"w{i}" for i in range(70)]
    np.savez(tmp_path / "v.npz", words=np.array(words), vectors=rows)
    lists = tmp_path / "long.json"
    lists.write_text(
        json.dumps({"A": words[:30], "B": words[30:60], "C": words[60:65], "D": words[65:]}), encoding="utf-8"
    )
    code, out, err = call(capsys, "weat", tmp_path / "v.npz", lists, "--resamples", "exact")
    assert (code, out) == (2, "")
    assert "n_resamples is 'exact'" in err


@pytest.mark.parametrize("similarities", ["canonical", [], ()])
def test_a_report_wants_a_list_of_similarities(similarities):
    with pytest.raises(TypeError, match=r"similarities is .*; expected a list of names"):
        report.weat_report("weat-7", "glove-weat", similarities=similarities)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("deep.json", "[" * 200_000, "deep.json cannot be parsed: its brackets are nested too deeply"),
        (
            "deep.toml",
            "A = " + "[" * 200_000,
            "deep.toml cannot be parsed: its brackets are nested too deeply",
        ),
    ],
)
def test_lists_that_cannot_be_parsed(capsys, vectors, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    code, out, err = call(capsys, "weat", vectors, path)
    assert (code, out) == (2, "")
    assert message in err


def test_a_folder_of_lists_is_called_one(capsys, vectors, tmp_path):
    code, _, err = call(capsys, "weat", vectors, tmp_path)
    assert code == 2
    assert f"{tmp_path} is a folder; expected a .toml or .json file of word lists" in err


@pytest.mark.parametrize("suffix", ["json", "toml"])
def test_a_byte_order_mark_does_not_matter(tmp_path, suffix):
    path = tmp_path / f"own.{suffix}"
    text = (
        json.dumps(LISTS)
        if suffix == "json"
        else "".join(f"{k} = {json.dumps(v)}\n" for k, v in LISTS.items())
    )
    path.write_text(text, encoding="utf-8-sig")
    assert keywords.read(path).A.words() == ("rose", "tulip")


def test_a_closed_standard_output_is_no_fault_of_the_program():
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.stdout = None; from isotropy_lab.cli import main; "
         "sys.exit(main(['weat', 'glove-weat', 'weat-7', '--similarity', 'mean-cosine']))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "standard output is closed" in done.stderr
    assert "Traceback" not in done.stderr


def test_targets_that_share_a_vector_are_refused(capsys, vectors, lists):
    """As in collections that were pruned, where several words have one row."""
    lines = vectors.read_text(encoding="utf-8").splitlines()
    lines[3] = "ant " + lines[1].partition(" ")[2]
    vectors.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, out, err = call(capsys, "weat", vectors, lists)
    assert (code, out) == (2, "")
    assert "insects: A and B share" in err


def test_what_was_done_about_words_is_said(capsys, tmp_path):
    own = {"A": ["Rose", "axe"], "B": ["Ant"], "C": ["good", "Good"], "D": ["bad", "baad"]}
    (tmp_path / "own.json").write_text(json.dumps(own), encoding="utf-8")
    for name, words in (("small", "rose axe ant good bad"), ("mixed", "rose axe Ant Good good bad")):
        rows = np.random.default_rng(1).standard_normal((len(words.split()), 7)).astype(np.float32)
        np.savez(tmp_path / f"{name}.npz", words=np.array(words.split()), vectors=rows)
    _, out, _ = call(
        capsys, "weat", tmp_path / "small.npz", tmp_path / "own.json", "--similarity", "mean-cosine"
    )
    assert "The vectors have no capitals: 2 words were lower-cased." in out
    assert "Words: Good same row as good, dropped." in out
    assert "Missing, dropped: baad (near it: bad)." in out
    _, out, _ = call(
        capsys, "weat", tmp_path / "mixed.npz", tmp_path / "own.json", "--similarity", "mean-cosine"
    )
    assert "Lower-cased, in a space with capitals: Rose. They may be other words there." in out


def test_tests_that_a_space_lacks_are_skipped_among_all(capsys, tmp_path):
    words = [word for part in keywords.load("gender-sentiment").lists.values() for word in part.words()]
    rows = np.random.default_rng(0).standard_normal((len(words), 9)).astype(np.float32)
    np.savez(tmp_path / "few.npz", words=np.array(words), vectors=rows)
    document = call_json(capsys, "weat", tmp_path / "few.npz", "all", "--resamples", 10)
    assert "gender-sentiment" in [result["test"] for result in document["tests"]]
    skipped = {entry["test"]: entry["reason"] for entry in document["skipped"]}
    assert "no word of list A (flowers)" in skipped["weat-1"]
    assert len(document["tests"]) + len(skipped) == 11
    code, out, _ = call(capsys, "weat", tmp_path / "few.npz", "all", "--resamples", 10)
    assert code == 0
    assert "weat-1 was skipped: " in out
    code, _, err = call(capsys, "weat", tmp_path / "few.npz", "weat-1")
    assert code == 2
    assert "no word of list A" in err


def test_a_warning_of_the_loader_goes_to_standard_error(capsys, vectors, lists):
    vectors.write_text(vectors.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    code, _, err = call(capsys, "weat", vectors, lists)
    assert code == 0
    assert err.startswith("isotropy-lab weat: warning: ")
    assert call(capsys, "weat", vectors, lists, "--quiet")[2] == ""


def test_a_broken_file_is_refused(capsys, tmp_path):
    path = tmp_path / "broken.npz"
    path.write_bytes(b"PK\x03\x04 no archive")
    code, _, err = call(capsys, "weat", path, "weat-7")
    assert code == 2
    assert "broken.npz" in err


# --- files ----------------------------------------------------------------------------------------------------


def test_output_to_a_file(capsys, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    code, out, err = call(capsys, "weat", "glove-weat", "weat-7", "--json", "-o", path)
    assert (code, out, err) == (0, "", "")
    assert json.loads(path.read_text(encoding="utf-8"))["tests"][0]["test"] == "weat-7"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "report.txt"
    path.write_text("old", encoding="utf-8")

    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(output.os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        output.replace_file(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_wrong_input_leaves_the_old_file(capsys, tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("old", encoding="utf-8")
    assert call(capsys, "weat", "glove-weat", "weat-77", "-o", path)[0] == 2
    assert path.read_text(encoding="utf-8") == "old"


def test_output_through_a_link_and_to_what_is_no_file(capsys, tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    output.replace_file(link, "text")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "text"
    output.replace_file(os.devnull, "text")


def test_json_refuses_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        output.as_json({"x": float("nan")})


def test_aligned():
    assert output.aligned(["a", "b"], [["x", "1"], ["yy", "22"]]) == ["a    b", "x    1", "yy  22"]


# --- positions of right documents ------------------------------------------------------------------------------------


def test_a_question_may_have_several_right_documents(capsys, tmp_path):
    rng = np.random.default_rng(0)
    documents, questions = rng.standard_normal((40, 8)), rng.standard_normal((5, 8))
    np.save(tmp_path / "documents.npy", documents)
    np.save(tmp_path / "questions.npy", questions)
    gold = np.array([[3, 7, -1], [0, -1, -1], [39, 1, 2], [5, 6, -1], [8, -1, -1]])
    (tmp_path / "gold.txt").write_text("3 7\n0\n39,1, 2\r\n5,6\n8\n", encoding="utf-8")
    np.save(tmp_path / "gold.npy", gold)
    ranks = isotropy_lab.retrieval.answer_ranks(questions, documents, gold)
    for name in ("gold.txt", "gold.npy"):
        arguments = [str(tmp_path / "documents.npy"), "--questions", str(tmp_path / "questions.npy")]
        card = call_json(capsys, "report", *arguments, "--gold", str(tmp_path / name), "--json")
        assert card["sections"]["retrieval"]["numbers"]["median_rank"]["value"] == np.median(ranks), name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\n2 x\n", "entry 2: '2 x' is not an integer; expected positions from 0"),
        ("1\n\n2\n", "entry 2 is empty; expected positions from 0"),
        ("1.5\n", "entry 1: '1.5' is not an integer"),
    ],
)
def test_positions_that_are_none(capsys, tmp_path, text, said):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).standard_normal((9, 4)))
    (tmp_path / "gold.txt").write_text(text, encoding="utf-8")
    X = str(tmp_path / "X.npy")
    code, _, err = call(capsys, "report", X, "--questions", X, "--gold", str(tmp_path / "gold.txt"), "--json")
    assert code == 2
    assert said in err


def test_judgments_of_positions_are_read_with_their_grades(capsys, tmp_path):
    rng = np.random.default_rng(0)
    documents, questions = rng.standard_normal((40, 8)), rng.standard_normal((3, 8))
    np.save(tmp_path / "documents.npy", documents)
    np.save(tmp_path / "questions.npy", questions)
    (tmp_path / "gold.qrels").write_text("1 0 0 3\n0 Q0 5 2\n0 0 7 1\n\n2 0 9 1\n2 0 8 0\n", encoding="utf-8")
    found = isotropy_lab.retrieval.relevant_ranks(
        questions, documents, {0: {5: 2, 7: 1}, 1: {0: 3}, 2: {9: 1}}
    )
    arguments = [str(tmp_path / "documents.npy"), "--questions", str(tmp_path / "questions.npy")]
    card = call_json(capsys, "report", *arguments, "--gold", str(tmp_path / "gold.qrels"), "--json")
    rows = {row["K"]: row for row in card["sections"]["retrieval"]["tables"]["accuracy"]}
    expected = isotropy_lab.retrieval.question_scores(found, "ndcg", k=10).mean()
    assert rows["10"]["NDCG@K"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "1 0 5 2\n2 0 7 1\n3 0 9 1\n",
            "expected positions, questions counting from 0 to 2 and documents from 0",
        ),
        ("1 0 5 2\n", "put commas between them"),
        ("q1 0 d5 2\nq2 Q0 d7 1\n", "retrieval.read_qrels and gold_from_qrels read ids"),
        ("0 0 d5 2\n", "lines of TREC judgments"),
        ("0 0 5 0.5\n", "line 1 has the grade '0.5'"),
        ("0 0 9 1\n", "gold.qrels names document 9; expected positions from 0 to 8"),
        ("0 1 5 2\n1 Q0 5 2\n", "entry 2: '1 Q0 5 2' is not an integer"),
    ],
)
def test_judgments_with_ids_are_not_read_as_positions(capsys, tmp_path, text, said):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).standard_normal((9, 4)))
    np.save(tmp_path / "Q.npy", np.random.default_rng(1).standard_normal((text.count("\n"), 4)))
    (tmp_path / "gold.qrels").write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("X.npy", "Q.npy", "gold.qrels")]
    code, _, err = call(capsys, "report", paths[0], "--questions", paths[1], "--gold", paths[2], "--json")
    assert code == 2
    assert said in err
    assert "gold.qrels" in err
    if "commas" in said:
        (tmp_path / "gold.qrels").write_text("1, 0, 5, 2\n", encoding="utf-8")
        arguments = [paths[0], "--questions", paths[1], "--gold", paths[2], "--json"]
        assert "retrieval" in call_json(capsys, "report", *arguments)["sections"]


# --- what `benchmarks/fuzz.py` found in files -----------------------------------------------------------------------


@pytest.mark.parametrize("text", ["{'descr': '<i8', 'shape': (3L", "  {'a':\n {\n   1}\n 2", "{'descr': ("])
@pytest.mark.parametrize(("read", "name"), [(read_labels, "--labels"), (read_gold, "--gold")])
def test_a_damaged_header_of_labels_is_refused_by_name(tmp_path, read, name, text):
    """numpy's parser raises errors of Python's tokenizer."""
    header = text.encode()
    path = tmp_path / "labels.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24))
    with pytest.raises(ValueError, match=rf"{name} .*labels\.npy cannot be read"):
        read(str(path), name)


@pytest.mark.parametrize("packed", ["npz", "gzip"])
def test_rows_are_not_drawn_from_more_than_a_file_can_hold(capsys, tmp_path, packed):
    """A header promised a million million rows, and a number was drawn for each."""
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }\n"
    member = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(96)
    path = tmp_path / ("x.npz" if packed == "npz" else "x.npy.gz")
    if packed == "npz":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("X.npy", member)
    else:
        path.write_bytes(gzip.compress(member))
    code, _, err = call(capsys, "scores", path, "--rows", "100")
    assert code == 2
    assert str(path) in err
    assert "cannot unpack to so many" in err
