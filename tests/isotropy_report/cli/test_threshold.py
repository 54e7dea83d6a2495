"""Tests of the command threshold against `similarity_threshold`, for vectors and tables of pairs."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.retrieval import relevant_ranks, similarity_threshold, top_k
from isotropy_report import threshold_of_pairs, threshold_report
from tests.isotropy_report.command_line import call, call_json


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    documents = rng.standard_normal((60, 12))
    gold = rng.integers(60, size=400)
    arrays = {
        "documents": documents,
        "questions": documents[gold] + 0.6 * rng.standard_normal((400, 12)),
        "others": rng.standard_normal((50, 12)),
    }
    for name, array in arrays.items():
        np.save(f"{name}.npy", array)
    (tmp_path / "gold.txt").write_text("".join(f"{position}\n" for position in gold))
    (tmp_path / "groups.txt").write_text("".join(f"{i // 2}\n" for i in range(400)))
    return arrays | {"gold": gold}


COMMAND = ("threshold", "questions.npy", "documents.npy", "--gold", "gold.txt")


def test_numbers_equal_those_of_the_function(files, capsys):
    result = call_json(
        capsys, *COMMAND, "--out-of-scope", "others.npy", "--groups", "groups.txt", "--metric", "mrr",
        "-k", 5, "--hide", "lists", "--margin", "5%", "--confidence-level", "90%",
    )  # fmt: skip
    ranks = relevant_ranks(files["questions"], files["documents"], files["gold"])
    best = top_k(files["questions"], files["documents"], 5)
    expected = similarity_threshold(
        best, ranks, margin=0.05, metric="mrr", hide="lists", groups=np.arange(400) // 2,
        out_of_scope=top_k(files["others"], files["documents"], 1), confidence_level=0.9,
    )  # fmt: skip
    assert result["best"] == expected.to_dict()
    margins = result["sections"]["choices"]["tables"]["margins"]
    without = call_json(capsys, *COMMAND)["sections"]["choices"]["tables"]["margins"]
    assert set(margins[0]) - set(without[0]) == {"out of scope rejected"}
    (chosen,) = (row for row in margins if row["margin"] == 0.05)
    assert chosen["threshold"] == expected.threshold
    assert chosen["may lose"] == expected.loss_bound
    thresholds = [row["threshold"] for row in margins if row["threshold"] is not None]
    assert thresholds == sorted(thresholds)
    fewer = result["sections"]["choices"]["tables"]["fewer"]
    assert [row["groups"] for row in fewer] == [200, 100, 50]


def test_a_threshold_in_use_can_be_checked_in_a_build(files, capsys):
    best = call_json(capsys, *COMMAND)["best"]["threshold"]
    for limit, code, word in ((best, 0, "passed"), (0.9999, 1, "failed")):
        found = call(capsys, *COMMAND, "--at", limit, "--fail-over-margin")
        assert (found[0], found[2].count(f"{word}: ")) == (code, 1)
        assert call(capsys, *COMMAND, "--at", limit, "--fail-over-margin", "--quiet")[0] == code
    assert call(capsys, *COMMAND, "--fail-over-margin")[0] == 2


def test_a_threshold_on_another_scale_is_noticed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    percent = np.random.default_rng(0).uniform(20, 90, 400)
    Path("p.csv").write_text("".join(f"{x},{'yes' if x > 50 else 'no'}\n" for x in percent))
    for at, noticed in ((0.7, True), (95, True), (55, False)):
        found = call(capsys, "threshold", "--pairs", "p.csv", "--at", at, "--quiet")
        assert ("separates nothing" in found[2]) == noticed


def test_a_zero_document_that_no_question_needs_is_left_out(files, capsys):
    expected = call_json(capsys, *COMMAND)["best"]
    documents = np.load("documents.npy")
    np.save("documents.npy", np.vstack([documents, np.zeros_like(documents[:1])]))
    found = call_json(capsys, *COMMAND)
    assert found["best"] == expected
    assert any(caution["key"] == "zero_documents" for caution in found["cautions"])


def test_text_page_and_quiet_output_agree(files, capsys):
    code, out, _ = call(capsys, *COMMAND, "-o", "page.html")
    assert code == 0
    assert out.startswith("Hide each document below a cosine of 0.")
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(expected_text in page for expected_text in ("<svg", "Results for other margins", "may lose"))
    expected = call_json(capsys, *COMMAND)["best"]["threshold"]
    assert call(capsys, *COMMAND, "--quiet") == (0, f"{expected!r}\n", "")
    call(capsys, *COMMAND, "-o", "numbers.json")
    written = json.loads(Path("numbers.json").read_text(encoding="utf-8"))
    assert written["best"]["threshold"] == expected
    Path("gold.txt").write_text("".join(f"{i},{document}\n" for i, document in enumerate(files["gold"])))
    assert "question numbers?" in call(capsys, *COMMAND, "--quiet")[2]


def test_rejecting_limits_are_above_scores_of_few_digits():
    scores = np.array([0.0006] * 199 + [0.9])  # in floating point, 0.0006 * 10,000 is below 6
    page = threshold_of_pairs(np.append(scores, [2.0] * 200), [0] * scores.size + [1] * 200)
    for row in page.table("rejecting").to_dict("records"):
        assert (scores < row["threshold"]).mean() >= row["reject"]
    below = threshold_of_pairs([-1.0] * 200 + [-0.0001] * 200 + [1.0] * 200, [0] * 400 + [1] * 200)
    assert "–" not in str(below).partition("The cost of")[2].partition("The guarantee")[0]


@pytest.mark.parametrize(("suffix", "separator", "header"), [("csv", ",", "score,same\n"), ("tsv", "\t", "")])
def test_pairs_are_read_from_tables(tmp_path, capsys, suffix, separator, header):
    rng = np.random.default_rng(1)
    yes, no = rng.normal(0.7, 0.1, 300), rng.normal(0.4, 0.1, 200)
    words = [(x, ("yes", "1", "TRUE")[i % 3]) for i, x in enumerate(yes)] + [(x, "no") for x in no]
    file = tmp_path / f"pairs.{suffix}"
    file.write_text(header + "".join(f"{float(x)!r}{separator}{word}\n" for x, word in words))
    document = call_json(capsys, "threshold", "--pairs", file, "--margin", 0.05)
    assert not {"questions", "out", "documents"} & set(re.findall(r"\w+", json.dumps(document["sections"])))
    result = document["best"]
    page = threshold_of_pairs(np.concatenate([yes, no]), ["Yes"] * 300 + ["no"] * 200, margin=0.05)
    assert page.best.to_dict() == result
    assert "document" not in str(page.best)
    for row in document["sections"]["choices"]["tables"]["rejecting"]:
        assert row["reject"] <= (no < row["threshold"]).mean() <= row["reject"] + 0.03
        assert row["lost here"] == pytest.approx((yes < row["threshold"]).mean())
        assert row["may lose"] > row["lost here"]
    lost = (yes < result["threshold"]).mean()
    assert (result["loss"], result["before"]) == (pytest.approx(lost), 1)
    assert result["rejected"] == pytest.approx((no < result["threshold"]).mean())
    assert result["rejected_low"] < result["rejected"]
    file.write_text("".join(f"{1 - float(x)!r}{separator}{word}\n" for x, word in words))
    code, out, err = call(capsys, "threshold", "--pairs", file, "--quiet")
    assert (code, out, "is this a distance?" in err) == (2, "", True)  # no threshold is recommended


@pytest.mark.parametrize(
    ("expected_words", "arguments"),
    [
        ("--gold missing --pairs", ("questions.npy", "documents.npy")),
        ("QUESTIONS missing", ()),
        ("--pairs --drop", ("--pairs", "pairs.csv", "--drop", "id")),
        ("--columns label id,score", ("--pairs", "wide.csv", "--columns", "score,label")),
        ("wide.csv 3 columns id,score,same --columns", ("--pairs", "wide.csv")),
        ("--pairs --gold", ("--pairs", "pairs.csv", "--gold", "gold.txt")),
        ("line 2 similarity", ("--pairs", "pairs.csv")),
        ("line 1 finite", ("--pairs", "infinite.csv")),
        ("line 1 'maybe'", ("--pairs", "maybe.csv")),
        ("line 1 '0.8x'", ("--pairs", "typo.csv")),
        ("prose.txt line 1 'need' text", ("prose.txt", *COMMAND[2:])),
        ("together", ("--pairs", "none.csv")),
        ("at least 2995 questions", (*COMMAND[1:], "--margin", "0.001")),
        ("--margin 2", (*COMMAND[1:], "--margin", "2")),
        ("-k 0", (*COMMAND[1:], "-k", "0")),
        ("-k is 1000000", (*COMMAND[1:], "-k", "1000000")),
        ("two.txt two columns", (*COMMAND[1:4], "two.txt")),
        ("few.txt 399", (*COMMAND[1:4], "few.txt")),
        ("--groups", (*COMMAND[1:], "--groups", "few.txt")),
    ],
)
def test_errors_name_the_cause(files, tmp_path, capsys, expected_words, arguments):
    (tmp_path / "pairs.csv").write_text("0.5,yes\n0.5,perhaps\n")
    (tmp_path / "wide.csv").write_text("id,score,same\n7,0.5,1.0\n")
    (tmp_path / "infinite.csv").write_text("inf,yes\n")
    (tmp_path / "none.csv").write_text("0.5,no\n")
    (tmp_path / "maybe.csv").write_text("0.5,maybe\n")
    (tmp_path / "typo.csv").write_text("0.8x,yes\n" + "0.5,yes\n0.4,no\n" * 200)
    (tmp_path / "prose.txt").write_text("Questions need a model.\nSo do the 400 others.\n")
    (tmp_path / "few.txt").write_text("0\n" * 399)
    (tmp_path / "two.txt").write_text("0\t1\n" * 400)
    code, out, err = call(capsys, "threshold", *arguments, "-o", "page.html")
    assert (code, out) == (2, "")
    assert all(word in err for word in expected_words.split()), err
    assert not (tmp_path / "page.html").exists()


def test_pairs_may_be_columns_of_a_wider_table(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores, same = np.round(np.linspace(0, 1, 200), 3), np.arange(200) >= 40
    rows = [f"{i},{float(label)},{score}" for i, (score, label) in enumerate(zip(scores, same, strict=True))]
    Path("wide.csv").write_text("\n".join(["id,same,score", *rows]))
    Path("two.csv").write_text("\n".join(f"{row.split(',')[2]},{row.split(',')[1]}" for row in rows))
    result = call_json(capsys, "threshold", "--pairs", "wide.csv", "--columns", "score,same")
    assert result["best"] == call_json(capsys, "threshold", "--pairs", "two.csv")["best"]
    assert result["best"]["n_questions"] == 160
    assert (
        "expected a similarity and a label" in call(capsys, "threshold", "--pairs", "wide.csv", "--quiet")[2]
    )
    assert "--metric" in call(capsys, "threshold", "--pairs", "two.csv", "--metric", "recall")[2]


def test_at_option_states_the_loss_at_another_threshold(files, capsys):
    """The threshold of 0.7 was chosen before looking at the data."""
    ranks = relevant_ranks(files["questions"], files["documents"], files["gold"])
    best = top_k(files["questions"], files["documents"], 10)
    kept = (best.similarities >= 0.7).sum(axis=1)
    lost = ((ranks.best <= 10) & (ranks.best > kept)).mean()
    rejected = (top_k(files["others"], files["documents"], 1).similarities < 0.7).mean()
    text = " ".join(call(capsys, *COMMAND, "--at", 0.7, "--out-of-scope", "others.npy")[1].split())
    hits = (ranks.best <= 10).mean()
    assert text.startswith(
        f"A cosine of 0.7 is too high for a margin of 0.02: accuracy@10 falls by {lost:.4f}, from {hits:.4f} "
        f"to {hits - lost:.4f}. {(best.similarities < 0.7).mean():.1%} of the retrieved documents are hidden"
    )
    low, shown = best.similarities.min(), " ".join(call(capsys, *COMMAND, "--at", -1)[1].split())
    assert "A cosine of -1 has no effect here: none of the retrieved documents is hidden" in shown
    assert f"(the lowest cosine is {low:.4g})" in shown
    # A threshold of 0 hides none of these, and rejects their opposites.
    near = np.abs(np.random.default_rng(0).standard_normal((300, 9)))
    asked = near[:200] + 0.1
    text_0 = threshold_report(asked, near, np.arange(200), out_of_scope=-near[:20], at=0.0).summary[0]
    assert ("no effect" in text_0, "100.0% of the questions out of scope" in text_0) == (False, True)
    limit = np.sort(best.similarities.ravel())[1]  # hides one document
    too_few = call(capsys, *COMMAND, "--at", limit, "--margin", 0.0001)
    assert "is not shown to be within a margin of 0.0001" in too_few[2]
    assert (
        f"for {(kept == 0).sum()} of {len(kept)} questions and {rejected:.1%} of the questions out of scope."
        in text
    )
    at = call_json(capsys, *COMMAND, "--at", 0.7)["at"]
    assert (at["loss"], at["n_empty"], at["rejected"]) == (pytest.approx(lost), (kept == 0).sum(), None)
    n_lost, n = round(lost * len(kept)), len(kept)
    assert at["loss_bound"] == pytest.approx(stats.beta.ppf(0.95, n_lost + 1, n - n_lost))


def test_whole_lists_are_suggested_if_they_reject_more(files, capsys):
    words = (*COMMAND, "--out-of-scope", "others.npy", "--margin", 0.05)
    text = " ".join(call(capsys, *words)[1].split())
    lists = call_json(capsys, *words, "--hide", "lists")["best"]
    assert f"questions out of scope: {lists['rejected']:.1%} of them, below {lists['threshold']}." in text
    assert "--hide lists" not in call(capsys, *words, "--hide", "lists")[1]


@pytest.mark.parametrize("noise", [0.2, 3.0])
def test_inseparable_out_of_scope_questions_are_reported(files, capsys, noise):
    close = files["documents"][:30] + noise * np.random.default_rng(5).standard_normal((30, 12))
    np.save("others.npy", np.vstack([close, close[:10]]))
    both_sides = files["questions"], np.load("others.npy")
    in_scope, out_of_scope = (top_k(rows, files["documents"], 1).similarities for rows in both_sides)
    higher = (in_scope < out_of_scope.ravel()).mean()
    assert (higher > 0.5) == (noise < 1)
    text = " ".join(call(capsys, *COMMAND, "--out-of-scope", "others.npy")[1].split())
    assert ("No threshold separates these questions" in text) == (noise < 1)
    assert f"{higher:.1%} of all pairs of" in text
    assert "Of 40 out-of-scope questions (30 distinct), " in text


def test_repeated_questions_are_refused_unless_grouped(files, capsys, tmp_path):
    rows = np.vstack([files["questions"], files["questions"][:9]])
    n = len(files["questions"])
    np.save("again.npy", rows)
    gold = (tmp_path / "gold.txt").read_text().split("\n")[:n]
    Path("again.txt").write_text("\n".join([*gold, *gold[:9]]) + "\n")
    Path("groups.txt").write_text("".join(f"{i % n}\n" for i in range(len(rows))))
    words = ("threshold", "again.npy", "documents.npy", "--gold", "again.txt", "--margin", 0.2)
    code, out, err = call(capsys, *words, "--quiet")
    assert (code, out, "9 of 409 questions repeat" in err, "--groups" in err) == (2, "", True, True)
    assert call(capsys, *words, "--groups", "groups.txt")[::2] == (0, "")


def test_page_plots_the_loss_over_the_threshold(files, capsys):
    result = call_json(capsys, *COMMAND, "--metric", "mrr")
    curve = result["sections"]["similarities"]["figures"]["losses"]
    assert curve["loss"] == sorted(curve["loss"])
    assert curve["loss"][0] == 0.0
    expected = similarity_threshold(
        top_k(files["questions"], files["documents"], 10),
        relevant_ranks(files["questions"], files["documents"], files["gold"]),
        metric="mrr",
    )
    loss = np.interp(expected.threshold, curve["threshold"], curve["loss"])
    assert loss == pytest.approx(expected.loss, abs=0.02)


def test_python_gives_the_page_of_the_command(files, capsys):
    result = call_json(capsys, *COMMAND, "--out-of-scope", "others.npy", "--at", 0.5)
    page = threshold_report(
        files["questions"], files["documents"], files["gold"], out_of_scope=files["others"], at=0.5
    )
    assert page.best.to_dict() == result["best"]
    assert page.at.to_dict() == result["at"]
    assert page.summary[:2] == tuple(result["summary"][:2])
    best = np.array([row[0] for row in top_k(files["questions"], files["documents"], 1).similarities])
    hits = relevant_ranks(files["questions"], files["documents"], files["gold"]).best <= 10
    for row in page.table("rejecting").to_dict("records"):
        assert row["lost here, whole lists"] == pytest.approx((hits & (best < row["threshold"])).mean())
        assert row["lost here, whole lists"] <= row["lost here"]
    frame = page.to_frame()
    assert frame.loc["best", "loss_bound"] == page.best.loss_bound
    assert dict(frame.loc["at"].items()) == page.at.to_dict()
