"""Tests of model comparisons: paired intervals, tied models, neighborhoods, retrieval, errors, and output."""

import itertools
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
from scipy import stats

from isotropy_lab import isotropy, retrieval
from isotropy_report import compare, comparison, report_card
from isotropy_report.card import failures
from isotropy_report.card.measures import variance_fractions
from isotropy_report.card.parts import Line
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import survey
from isotropy_report.comparison import drift_report
from isotropy_report.comparison.paired import (
    SCORES,
    Model,
    ModelDifference,
    best_or_tied,
    compare_scores,
    least_difference,
    verdict,
)
from isotropy_report.measures import cka, neighbor_overlap


def sample(seed=0, n_points=40, n=6, mean=0.4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_points, n)) * np.geomspace(2, 1, n) + mean


def as_model(name, X):
    statistics = survey(Rows(X), sample_size=10, rng=np.random.default_rng(0))
    return Model(name, Rows(X), statistics, variance_fractions(statistics.moments))


def naive_scores(X):
    """Return scores of all rows, as logarithms where intervals are those of a ratio."""
    return {
        "isoscore_corrected": math.log(isotropy.isoscore(X, estimator="corrected")),
        "dimensions_used_corrected": math.log(isotropy.dimensions_used(X, estimator="corrected")),
        "average_cosine": isotropy.average_cosine(X),
    }


A, B, C = (sample(0), sample(0) @ np.diag([3.0, 1, 1, 1, 1, 1]) + 0.2 * sample(1), sample(2, n=4))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("groups", [None, np.arange(70) // 5])
def test_differences_agree_with_a_jackknife_over_rows_or_groups(groups):
    A = sample(0, 70)
    data = {"a": A, "b": A @ np.diag([3.0, 1, 1, 1, 1, 1]) + 0.2 * sample(1, 70), "c": sample(2, 70, n=4)}
    models = [as_model(name, X) for name, X in data.items()]
    result = compare_scores(models, paired=True, groups=groups, confidence_level=0.9)
    assert len(result.differences) == 3 * len(SCORES)
    labels = np.arange(70) if groups is None else groups
    n_groups = labels[-1] + 1
    without = {name: [naive_scores(X[labels != g]) for g in range(n_groups)] for name, X in data.items()}
    full = {name: naive_scores(X) for name, X in data.items()}
    for d in result.differences:
        expected = full[d.first][d.measure] - full[d.second][d.measure]
        pairs = zip(without[d.first], without[d.second], strict=True)
        changes = np.array([a[d.measure] - b[d.measure] for a, b in pairs])
        error = math.sqrt((n_groups - 1) / n_groups * ((changes - changes.mean()) ** 2).sum())
        half_width = stats.t.ppf(0.95, n_groups - 1) * error
        scale = math.log if d.scale == "ratio" else float
        assert scale(d.estimate) == pytest.approx(expected, abs=1e-9)
        assert scale(d.high) - scale(d.estimate) == pytest.approx(half_width, rel=1e-6)
        assert scale(d.estimate) - scale(d.low) == pytest.approx(half_width, rel=1e-6)
        assert scale(d.least) == pytest.approx(least_difference(error, n_groups - 1, 3, 0.9), rel=1e-6)
        assert d.pvalue == pytest.approx(2 * stats.t.sf(abs(expected) / error, n_groups - 1), rel=1e-5)
        assert d.paired


def test_variances_of_unpaired_models_add_up():
    models = [as_model("a", A), as_model("c", sample(3, n_points=55))]
    result = compare_scores(models, paired=False, confidence_level=0.95)
    difference = next(d for d in result.differences if d.measure == "isoscore_corrected")
    errors = []
    for fitted in models:
        X = fitted.rows.array
        logs = [naive_scores(np.delete(X, i, axis=0))["isoscore_corrected"] for i in range(len(X))]
        errors.append(math.sqrt((len(X) - 1) / len(X) * ((logs - np.mean(logs)) ** 2).sum()))
    half_width = stats.t.ppf(0.975, len(A) - 1) * math.hypot(*errors)
    assert math.log(difference.high / difference.estimate) == pytest.approx(half_width, rel=1e-6)
    assert not difference.paired


def test_tied_models_follow_from_holm_p_values():
    values, pvalues = {"a": 0.5, "b": 0.9, "c": 0.8}, {"ab": 0.05, "bc": 0.06, "ac": 0.5}
    pairs = [SimpleNamespace(first=a, second=b, pvalue_holm=p) for (a, b), p in pvalues.items()]
    assert best_or_tied(values, 1, pairs, 0.95) == ("b", "c")
    assert best_or_tied(values, -1, pairs, 0.95) == ("a", "c")
    assert best_or_tied(values, 1, pairs, 0.99) == ("b", "c", "a")
    assert best_or_tied({}, 1, [], 0.95) == ()


def compare_fast(models, **options):
    return compare(models, rng=0, pictures=False, k=3, **options)


def test_rotated_models_tie_and_row_order_does_not_matter():
    rotation = np.linalg.qr(np.random.default_rng(5).standard_normal((6, 6)))[0]
    result = compare_fast({"a": A, "turned": 2 * A @ rotation, "b": B})
    assert result.tied["isoscore_corrected"][:2] in (("a", "turned"), ("b",))
    difference = result.differences[0]
    assert (difference.first, difference.second, difference.pvalue) == ("a", "turned", 1.0)
    assert difference.estimate == pytest.approx(1.0)
    assert result.pairs[0].neighbors.overlap == 1.0
    order = np.random.default_rng(6).permutation(len(A))
    moved = compare_fast({"a": A[order], "turned": 2 * (A @ rotation)[order], "b": B[order]})
    for difference, reordered in zip(result.differences, moved.differences, strict=True):
        assert (reordered.estimate, reordered.low, reordered.pvalue) == pytest.approx(
            (difference.estimate, difference.low, difference.pvalue), rel=1e-6, abs=1e-9
        )


def test_neighborhoods_agree_with_their_measures():
    result = compare_fast({"a": A, "b": B, "c": C})
    arrays = {"a": A, "b": B, "c": C}
    assert [(pair.first, pair.second) for pair in result.pairs] == list(itertools.combinations("abc", 2))
    for pair in result.pairs:
        overlap = neighbor_overlap(arrays[pair.first], arrays[pair.second], k=3)
        assert pair.neighbors.to_dict() == overlap.to_dict()
        similarity = cka(arrays[pair.first], arrays[pair.second], n_resamples=0)
        assert (pair.cka.statistic, pair.cka.low) == pytest.approx((similarity.statistic, similarity.low))
    table = result.table("neighborhoods")
    assert table["3 nearest shared"].tolist() == [pair.neighbors.overlap for pair in result.pairs]
    assert compare_fast({"a": A, "b": B}, sample_size=20).pairs[0].neighbors.n_points == 20


def test_ids_match_the_rows():
    names = [f"item {i}" for i in range(len(A))]
    order = np.random.default_rng(1).permutation(len(A))
    search = {"questions": {"a": A[:9] + 0.1, "b": B[:9] + 0.1}, "gold": np.arange(9)}
    plain = compare_fast({"a": A, "b": B}, **search)
    matched = compare_fast(
        {"a": A, "b": B[order]}, ids={"a": names, "b": [names[i] for i in order]}, **search
    )
    assert matched.paired
    assert [pair.to_dict() for pair in matched.pairs] == [pair.to_dict() for pair in plain.pairs]
    for pair, actual in zip(plain.differences, matched.differences, strict=True):
        assert (actual.estimate, actual.low) == pytest.approx((pair.estimate, pair.low))
    assert matched.scores["accuracy@1"]["b"].value == plain.scores["accuracy@1"]["b"].value


def test_repeated_questions_fail_a_gate_and_few_differences_have_no_power():
    gold = np.r_[np.arange(12), 0, 1]
    questions = {"a": A[gold] + 0.1, "b": B[gold] + 0.1}
    result = compare_fast({"a": A, "b": B}, questions=questions, gold=gold)
    texts = {caution.key: caution.text for caution in result.cautions}
    assert texts["repeated_questions"].startswith("2 of 14 questions repeat")
    assert "2 of 14" in result.summary[0]  # above every conclusion
    assert [failure.reason for failure in result.failures("b")] == [texts["repeated_questions"]]
    assert next(d for d in result.differences if d.measure == "accuracy@1").least is None
    other = compare_fast({"a": A, "b": B}, questions=questions, gold=np.r_[np.arange(12), 20, 21])
    assert other.failures("b")[0].key == "repeated_questions"
    partly = {"a": questions["a"], "b": B[: len(gold)]}  # distinct for one model: not the same questions
    result = compare_fast({"a": A, "b": B}, questions=partly, gold=gold)
    assert "repeated_questions" not in {caution.key for caution in result.cautions}
    card = report_card(A, questions=A[gold] + 0.1, gold=gold, pictures=False)
    assert [failure.key for failure in failures(card, below={"accuracy@1": 0.0})] == ["repeated_questions"]


def test_verdicts_come_first_without_questions():
    X = np.random.default_rng(0).standard_normal((300, 60))
    narrow = X @ np.diag([9.0] * 2 + [1.0] * 58)
    first, *_ = compare_fast({"wide": X, "narrow": narrow}).summary
    assert first.index("wide is not collapsed") < first.index("narrow is collapsed")
    overwritten = {"wide": X, "half": X[np.arange(300) % 150]}
    both = compare_fast(overwritten, questions=[X[:60] + 0.1] * 2, gold=np.arange(60))
    summary = both.summary
    for model, words in (("half", "no verdict: half: 50.0%"), ("wide", "model is in doubt: half: 50.0%")):
        with pytest.raises(ValueError, match=words):
            both.failures(model, within=0.9)
    assert "overwritten" in summary[0]  # above the accuracies, of which it is the cause


def test_retrieval_differences_agree_with_hits():
    rng = np.random.default_rng(2)
    gold = np.arange(30)
    questions = {
        "a": A[:30] + 0.1 * rng.standard_normal((30, 6)),
        "b": B[:30] + 3 * rng.standard_normal((30, 6)),
    }
    result = compare_fast({"a": A, "b": B}, questions=questions, gold=gold)
    ranks = {name: retrieval.answer_ranks(questions[name], X, gold) for name, X in (("a", A), ("b", B))}
    hits = {name: (rank <= 3).astype(float) for name, rank in ranks.items()}
    difference = next(d for d in result.differences if d.measure == "accuracy@3")
    assert difference.estimate == pytest.approx(hits["a"].mean() - hits["b"].mean())
    error = (hits["a"] - hits["b"]).std(ddof=1) / math.sqrt(30)
    assert (hits["a"] != hits["b"]).sum() >= 6  # of fewer nothing is said of what would have been found
    assert difference.least == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error)
    assert result.scores["accuracy@3"]["b"].value == hits["b"].mean()
    wins = int((hits["a"] > hits["b"]).sum())
    n_different = int((hits["a"] != hits["b"]).sum())
    assert difference.pvalue == pytest.approx(stats.binomtest(wins, n_different).pvalue)
    ends = stats.binomtest(int(hits["b"].sum()), 30).proportion_ci(0.95, method="wilson")
    line = result.scores["accuracy@3"]["b"]
    assert (line.low, line.high) == pytest.approx((ends.low, ends.high))
    assert result.tied["accuracy@3"][0] == "a"
    assert "accuracy@3" in result.summary[0]
    with_documents = compare_fast(
        {"a": A, "b": B[:30]}, questions=questions, gold=gold, documents={"a": A, "b": B}
    )
    assert with_documents.scores["mrr"]["b"].value == result.scores["mrr"]["b"].value
    card = report_card(B, questions=questions["b"], gold=gold, pictures=False)
    assert result.scores["mrr"]["b"] in card.section("retrieval").lines  # with the same interval


def test_zero_documents_are_left_out_of_the_search():
    documents = {"a": np.r_[A, np.zeros((2, 6))], "b": np.r_[np.zeros((1, 6)), B[1:], B[:2]]}
    questions, gold = {"a": A[6:15], "b": B[6:15]}, np.arange(6, 15)
    result = compare_fast({"a": A, "b": B}, questions=questions, documents=documents, gold=gold)
    assert result.scores["mrr"]["a"].value == 1.0
    assert any("a searches without 3 documents" in note for note in result.section("retrieval").notes)


def test_collapse_onto_columns_is_a_clause_and_not_blamed_on_columns_if_the_others_are_collapsed():
    X = np.random.default_rng(0).standard_normal((400, 60))
    one_column, steep = X * np.r_[40.0, np.ones(59)], X * 0.3 ** np.arange(60)
    first = " ".join(compare_fast({"a": X, "b": one_column, "c": steep}).summary)
    assert "b is collapsed onto few columns (about 1 of 60 dimensions)" in first
    assert "c is collapsed (about 1 of 60 dimensions)" in first
    assert "onto" not in report_card(steep, pictures=False).summary[0]
    assert "Leave these columns out" in report_card(one_column, pictures=False).summary[0]
    first = compare_fast({"a": X, "few": X[:40]}).summary[0]
    assert "few has no verdict (40 rows, 60 columns)" in first


def test_wrong_gold_ties_no_models():
    questions = {"a": A[1:31] + 0.1, "b": B[1:31] + 0.1}
    assert "mrr" in compare_fast({"a": A, "b": B}, questions=questions, gold=np.arange(1, 31)).tied
    unrelated = compare_fast({"a": A, "b": B}, questions=questions, gold=np.arange(2, 32)).tied
    with pytest.raises(KeyError, match="gold"):
        unrelated["mrr"]


def test_positional_arrays_are_named_by_letters():
    options = {"questions": {"A": A[:9], "B": B[:9]}, "gold": np.arange(9)}
    expected = compare({"A": A, "B": B}, k=3, **options).to_dict()
    assert compare(A, B, k=3, questions=[A[:9], B[:9]], gold=np.arange(9)).to_dict() == expected


def test_written_pages_and_json_are_valid(tmp_path):
    np.save(tmp_path / "a.npy", A)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    result = compare({"a": mapped, "<b>": B}, rng=0, k=3)
    assert result.to_json() == compare({"a": A, "<b>": B}, rng=0, k=3).to_json()
    result.write(tmp_path / "page.html")
    result.write(tmp_path / "page.json")
    document = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    assert (document["schema"], document["kind"], document["models"]) == (1, "comparison", ["a", "<b>"])
    assert document["tied"].keys() == result.tied.keys()
    assert len(document["differences"]) == len(result.to_frame()) == len(SCORES)
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>" not in html.partition('id="numbers"')[0]
    assert not any(request in html for request in (' src="http', "<link", "@import", "url(http"))
    schema = json.loads((Path(comparison.__file__).parent / "data/comparison.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for written in (document, json.loads(drift_report(A, B, rng=0).to_json())):
        jsonschema.Draft202012Validator(schema).validate(written)
    (tmp_path / "a.html").symlink_to(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"a\.html"):
        result.write(tmp_path / "a.html")


def test_rows_of_zeros_are_left_out_of_the_neighbors_of_both_models():
    zero = B.copy()
    zero[4] = 0.0
    result = compare_fast({"a": A, "zero": zero})
    without = compare_fast({"a": np.delete(A, 4, 0), "zero": np.delete(B, 4, 0)})
    assert result.pairs[0].neighbors.to_dict() == without.pairs[0].neighbors.to_dict()
    assert result.pairs[0].cka is not None
    assert any("1 row of zeros" in text for text in result.summary)
    assert any("zero" in caution.text for caution in result.cautions)


def test_undefined_neighbors_are_noted_and_do_not_stop_the_rest():
    zeros = np.r_[B[:4], np.zeros((36, 6))]
    result = compare_fast({"a": A, "zeros": zeros, "c": C})
    for pair in result.pairs:  # the rows of zeros are left out of all models, so all lack neighbors
        assert pair.neighbors is None
        assert pair.cka is not None
        assert "neighbors" in pair.note
    assert result.pairs[0].note in " ".join(result.to_text().split())


def test_summary_states_the_lead_of_the_best_model():
    """One of the two models hits all questions, and the other about half."""
    rng = np.random.default_rng(3)
    documents = rng.standard_normal((60, 8))
    questions = {"good": documents + 0.01, "bad": documents + rng.standard_normal((60, 8))}
    result = compare(
        {"good": documents, "bad": documents}, questions=questions, gold=np.arange(60), k=1, pictures=False
    )
    (difference,) = (difference for difference in result.differences if difference.measure == "accuracy@1")
    assert result.tied["accuracy@1"] == ("good",)
    low, high = sorted((abs(difference.low), abs(difference.high)))
    summary = " ".join(result.summary)
    assert f"lead is {abs(difference.estimate):.3f} ({low:.3f} to {high:.3f})" in summary


def test_models_that_do_not_differ_significantly_are_not_ranked():
    gold, arrays = np.arange(12), {"a": A, "b": B, "c": A}
    for names in ("ab", "abc"):
        models = {name: arrays[name] for name in names}
        result = compare_fast(
            models, questions={name: X[gold] + 0.1 for name, X in models.items()}, gold=gold
        )
        assert result.tied["accuracy@3"] == tuple(names)  # all of them find every document
        for text in (result.to_text(), result.to_html().partition('id="numbers"')[0]):
            assert not re.search(r"\b(is first|tied|told from|the best model|shown to be)\b", text)
        assert "significantly" in result.summary[0]
    # A difference may be significant, although the scores are equal as reported.
    for value, reported in ((0.99996, True), (0.9991, False)):
        lines = {"a": Line("isoscore_corrected", 0.99999), "b": Line("isoscore_corrected", value)}
        text = verdict("isoscore_corrected", ["a"], lines, 0.95)
        assert ("reported as 1.000" in text) == reported != ("significantly more isotropic" in text)


@pytest.mark.parametrize(("seed", "differ"), [(4, False), (1, True)])
def test_tied_models_in_another_order_count_as_the_same(seed, differ):
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((60, 8))
    questions = {name: D + 0.4 * rng.standard_normal((60, 8)) for name in "ab"}
    result = compare_fast({"a": D, "b": D}, questions=questions, gold=np.arange(60))
    best = {result.tied[key] for key in result.scores if key in result.tied and key not in SCORES}
    assert len(best) > 1
    assert (len(set(map(frozenset, best))) > 1) == differ
    assert ("accuracy@1: b is significantly better than a. " in " ".join(result.summary)) == differ


@pytest.mark.parametrize("sign", [1, -1])
def test_leads_are_positive_although_their_interval_contains_0(sign):
    """The interval may disagree with the test, and the lead is positive in any order of the models."""
    names, ends = (("a", "b"), (-0.01, 0.05)) if sign == 1 else (("b", "a"), (-0.05, 0.01))
    numbers = (sign * 0.02, *ends, 0.04, 0.04, None)
    difference = ModelDifference("accuracy@1", *names, "difference", *numbers, paired=True)
    lines = {name: Line("accuracy@1", value) for name, value in (("a", 0.52), ("b", 0.5))}
    text = verdict("accuracy@1", ["a"], lines, 0.95, [difference])
    assert "lead is 0.020 (−0.010 to 0.050)" in text
