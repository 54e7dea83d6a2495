"""Tests of model comparisons: paired intervals, tied models, errors, and output."""

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


def cloud(seed=0, n_points=40, n=6, mean=0.4):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_points, n)) * np.geomspace(2, 1, n) + mean


def model(name, X):
    found = survey(Rows(X), sample_size=10, rng=np.random.default_rng(0))
    return Model(name, Rows(X), found, variance_fractions(found.moments))


def naive_scores(X):
    """Return the scores on the scale of their intervals, from functions that hold all rows in memory."""
    return {
        "isoscore_corrected": math.log(isotropy.isoscore(X, estimator="corrected")),
        "dimensions_used_corrected": math.log(isotropy.dimensions_used(X, estimator="corrected")),
        "average_cosine": isotropy.average_cosine(X),
    }


A, B, C = cloud(0), cloud(0) @ np.diag([3.0, 1, 1, 1, 1, 1]) + 0.2 * cloud(1), cloud(2, n=4)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("groups", [None, np.arange(70) // 5])
def test_differences_are_those_of_rows_or_groups_left_out_one_by_one(groups):
    A = cloud(0, 70)
    both = {"a": A, "b": A @ np.diag([3.0, 1, 1, 1, 1, 1]) + 0.2 * cloud(1, 70), "c": cloud(2, 70, n=4)}
    models = [model(name, X) for name, X in both.items()]
    found = compare_scores(models, paired=True, groups=groups, confidence_level=0.9)
    assert len(found.differences) == 3 * len(SCORES)
    labels = np.arange(70) if groups is None else groups
    size = labels[-1] + 1
    without = {name: [naive_scores(X[labels != g]) for g in range(size)] for name, X in both.items()}
    whole = {name: naive_scores(X) for name, X in both.items()}
    for one in found.differences:
        change = whole[one.first][one.measure] - whole[one.second][one.measure]
        both_without = zip(without[one.first], without[one.second], strict=True)
        less = np.array([a[one.measure] - b[one.measure] for a, b in both_without])
        error = math.sqrt((size - 1) / size * ((less - less.mean()) ** 2).sum())
        reach = stats.t.ppf(0.95, size - 1) * error
        scale = math.log if one.scale == "ratio" else float
        assert scale(one.estimate) == pytest.approx(change, abs=1e-9)
        assert scale(one.high) - scale(one.estimate) == pytest.approx(reach, rel=1e-6)
        assert scale(one.estimate) - scale(one.low) == pytest.approx(reach, rel=1e-6)
        assert scale(one.least) == pytest.approx(least_difference(error, size - 1, 3, 0.9), rel=1e-6)
        assert one.pvalue == pytest.approx(2 * stats.t.sf(abs(change) / error, size - 1), rel=1e-5)
        assert one.paired


def test_models_of_other_items_add_their_variances():
    models = [model("a", A), model("c", cloud(3, n_points=55))]
    found = compare_scores(models, paired=False, confidence_level=0.95)
    one = next(d for d in found.differences if d.measure == "isoscore_corrected")
    errors = []
    for each in models:
        X = each.rows.array
        logs = [naive_scores(np.delete(X, i, axis=0))["isoscore_corrected"] for i in range(len(X))]
        errors.append(math.sqrt((len(X) - 1) / len(X) * ((logs - np.mean(logs)) ** 2).sum()))
    reach = stats.t.ppf(0.975, len(A) - 1) * math.hypot(*errors)
    assert math.log(one.high / one.estimate) == pytest.approx(reach, rel=1e-6)
    assert not one.paired


def test_the_tied_set():
    values, pvalues = {"a": 0.5, "b": 0.9, "c": 0.8}, {"ab": 0.05, "bc": 0.06, "ac": 0.5}
    pairs = [SimpleNamespace(first=a, second=b, pvalue_holm=p) for (a, b), p in pvalues.items()]
    assert best_or_tied(values, 1, pairs, 0.95) == ("b", "c")
    assert best_or_tied(values, -1, pairs, 0.95) == ("a", "c")
    assert best_or_tied(values, 1, pairs, 0.99) == ("b", "c", "a")
    assert best_or_tied({}, 1, [], 0.95) == ()


def small(models, **options):
    return compare(models, rng=0, pictures=False, k=3, **options)


def test_a_rotated_copy_is_tied_and_the_order_of_rows_does_not_matter():
    turn = np.linalg.qr(np.random.default_rng(5).standard_normal((6, 6)))[0]
    found = small({"a": A, "turned": 2 * A @ turn, "b": B})
    assert found.tied["isoscore_corrected"][:2] in (("a", "turned"), ("b",))
    one = found.differences[0]
    assert (one.first, one.second, one.pvalue) == ("a", "turned", 1.0)
    assert one.estimate == pytest.approx(1.0)
    assert found.pairs[0].neighbors.overlap == 1.0
    order = np.random.default_rng(6).permutation(len(A))
    moved = small({"a": A[order], "turned": 2 * (A @ turn)[order], "b": B[order]})
    for one, other in zip(found.differences, moved.differences, strict=True):
        assert (other.estimate, other.low, other.pvalue) == pytest.approx(
            (one.estimate, one.low, one.pvalue), rel=1e-6, abs=1e-9
        )


def test_neighborhoods_are_those_of_the_measures():
    found = small({"a": A, "b": B, "c": C})
    X = {"a": A, "b": B, "c": C}
    assert [(one.first, one.second) for one in found.pairs] == list(itertools.combinations("abc", 2))
    for one in found.pairs:
        own = neighbor_overlap(X[one.first], X[one.second], k=3)
        assert one.neighbors.to_dict() == own.to_dict()
        agree = cka(X[one.first], X[one.second], n_resamples=0)
        assert (one.cka.statistic, one.cka.low) == pytest.approx((agree.statistic, agree.low))
    table = found.table("neighborhoods")
    assert table["3 nearest shared"].tolist() == [one.neighbors.overlap for one in found.pairs]
    assert small({"a": A, "b": B}, sample_size=20).pairs[0].neighbors.n_points == 20


def test_ids_put_rows_in_order():
    names = [f"item {i}" for i in range(len(A))]
    order = np.random.default_rng(1).permutation(len(A))
    search = {"questions": {"a": A[:9] + 0.1, "b": B[:9] + 0.1}, "gold": np.arange(9)}
    plain = small({"a": A, "b": B}, **search)
    found = small({"a": A, "b": B[order]}, ids={"a": names, "b": [names[i] for i in order]}, **search)
    assert found.paired
    assert [one.to_dict() for one in found.pairs] == [one.to_dict() for one in plain.pairs]
    for one, other in zip(plain.differences, found.differences, strict=True):
        assert (other.estimate, other.low) == pytest.approx((one.estimate, one.low))
    assert found.scores["accuracy@1"]["b"].value == plain.scores["accuracy@1"]["b"].value


def test_repeated_questions_are_told_and_few_that_differ_say_nothing_of_power():
    gold = np.r_[np.arange(12), 0, 1]
    questions = {"a": A[gold], "b": B[gold]}
    found = small({"a": A, "b": B}, questions=questions, gold=gold)
    texts = {one.key: one.text for one in found.cautions}
    assert texts["repeated_questions"].startswith("2 questions repeat")
    assert next(d for d in found.differences if d.measure == "accuracy@1").least is None
    assert "2 questions repeat an earlier one. Intervals" in " ".join(str(found).split())
    card = report_card(A, questions=A[gold], gold=gold, pictures=False)
    assert "repeated_questions" in {one.key for one in card.cautions}


def test_retrieval_side_by_side():
    rng = np.random.default_rng(2)
    gold = np.arange(30)
    questions = {
        "a": A[:30] + 0.1 * rng.standard_normal((30, 6)),
        "b": B[:30] + 3 * rng.standard_normal((30, 6)),
    }
    found = small({"a": A, "b": B}, questions=questions, gold=gold)
    ranks = {name: retrieval.answer_ranks(questions[name], X, gold) for name, X in (("a", A), ("b", B))}
    hits = {name: (rank <= 3).astype(float) for name, rank in ranks.items()}
    one = next(d for d in found.differences if d.measure == "accuracy@3")
    assert one.estimate == pytest.approx(hits["a"].mean() - hits["b"].mean())
    error = (hits["a"] - hits["b"]).std(ddof=1) / math.sqrt(30)
    assert (hits["a"] != hits["b"]).sum() >= 6  # of fewer nothing is said of what would have been found
    assert one.least == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error)
    assert found.scores["accuracy@3"]["b"].value == hits["b"].mean()
    wins = int((hits["a"] > hits["b"]).sum())
    differ = int((hits["a"] != hits["b"]).sum())
    assert one.pvalue_exact == pytest.approx(stats.binomtest(wins, differ).pvalue)
    assert next(d for d in found.differences if d.measure == "mrr").pvalue_exact is None
    assert found.tied["accuracy@3"][0] == "a"
    assert "accuracy@3" in found.summary[1]
    apart = small({"a": A, "b": B[:30]}, questions=questions, gold=gold, documents={"a": A, "b": B})
    assert apart.scores["mrr"]["b"].value == found.scores["mrr"]["b"].value


def test_documents_of_zeros_are_left_out_of_the_search():
    documents = {"a": np.r_[A, np.zeros((2, 6))], "b": np.r_[np.zeros((1, 6)), B[1:], B[:2]]}
    questions, gold = {"a": A[6:15], "b": B[6:15]}, np.arange(6, 15)
    found = small({"a": A, "b": B}, questions=questions, documents=documents, gold=gold)
    assert found.scores["mrr"]["a"].value == 1.0
    assert any("a searches without 3 documents" in note for note in found.section("retrieval").notes)


def test_arrays_that_follow_one_another_are_called_by_letters():
    own = {"questions": {"A": A[:9], "B": B[:9]}, "gold": np.arange(9)}
    found = compare({"A": A, "B": B}, k=3, **own).to_dict()
    assert compare(A, B, k=3, questions=[A[:9], B[:9]], gold=np.arange(9)).to_dict() == found


def test_what_is_written(tmp_path):
    np.save(tmp_path / "a.npy", A)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    found = compare({"a": mapped, "<b>": B}, rng=0, k=3)
    assert found.to_json() == compare({"a": A, "<b>": B}, rng=0, k=3).to_json()
    found.write(tmp_path / "page.html")
    found.write(tmp_path / "page.json")
    document = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    assert (document["schema"], document["kind"], document["models"]) == (1, "comparison", ["a", "<b>"])
    assert document["tied"].keys() == found.tied.keys()
    assert len(document["differences"]) == len(found.to_frame()) == len(SCORES)
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>" not in html.partition('id="numbers"')[0]
    assert not any(loaded in html for loaded in (' src="http', "<link", "@import", "url(http"))
    schema = json.loads((Path(comparison.__file__).parent / "data/comparison.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for written in (document, json.loads(drift_report(A, B, rng=0).to_json())):
        jsonschema.Draft202012Validator(schema).validate(written)
    (tmp_path / "a.html").symlink_to(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"a\.html"):
        found.write(tmp_path / "a.html")


def test_undefined_parts_are_said_and_do_not_stop_the_rest():
    zero = A.copy()
    zero[4] = 0.0
    found = small({"a": A, "zero": zero})
    assert found.pairs[0].neighbors is None
    assert found.pairs[0].cka is not None
    assert found.pairs[0].note.startswith("zero contains zero vectors in 1 of 40 rows")
    assert any("zero" in caution.text for caution in found.cautions)


def test_the_lead_of_a_best_model_is_said():
    """Of two models, one of which hits all questions, and one about half."""
    rng = np.random.default_rng(3)
    documents = rng.standard_normal((60, 8))
    questions = {"good": documents + 0.01, "bad": documents + rng.standard_normal((60, 8))}
    found = compare(
        {"good": documents, "bad": documents}, questions=questions, gold=np.arange(60), k=1, pictures=False
    )
    (one,) = (one for one in found.differences if one.measure == "accuracy@1")
    assert found.tied["accuracy@1"] == ("good",)
    low, high = sorted((abs(one.low), abs(one.high)))
    said = " ".join(found.summary)
    assert f"lead over the next model is {abs(one.estimate):.3f} ({low:.3f} to {high:.3f})" in said


def test_models_that_do_not_differ_significantly_are_not_ranked():
    gold, every = np.arange(12), {"a": A, "b": B, "c": A}
    for names in ("ab", "abc"):
        models = {name: every[name] for name in names}
        found = small(models, questions={name: X[gold] for name, X in models.items()}, gold=gold)
        assert found.tied["accuracy@3"] == tuple(names)  # all of them find every document
        for text in (found.to_text(), found.to_html().partition('id="numbers"')[0]):
            assert not re.search(r"\b(is first|tied|told from|the best model|shown to be)\b", text)
        assert "significantly" in found.summary[1]
    # A difference may be significant, although the scores are equal as reported.
    for second, reported in ((0.99996, True), (0.9991, False)):
        lines = {"a": Line("isoscore_corrected", 0.99999), "b": Line("isoscore_corrected", second)}
        said = verdict("isoscore_corrected", ["a"], lines, 0.95)
        assert ("reported as 1.000" in said) == reported != ("significantly more isotropic" in said)


@pytest.mark.parametrize(("seed", "said"), [(4, False), (1, True)])
def test_the_same_models_in_another_order_are_not_said_to_be_others(seed, said):
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((60, 8))
    questions = {name: D + 0.4 * rng.standard_normal((60, 8)) for name in "ab"}
    found = small({"a": D, "b": D}, questions=questions, gold=np.arange(60))
    best = {found.tied[key] for key in found.scores if key in found.tied and key not in SCORES}
    assert len(best) > 1
    assert (len(set(map(frozenset, best))) > 1) == said
    assert ("accuracy@1: b is significantly better than a. " in " ".join(found.summary)) == said


@pytest.mark.parametrize("sign", [1, -1])
def test_a_lead_whose_interval_goes_past_0_keeps_its_sign(sign):
    """The interval need not agree with the test; whichever model is named first, the lead is positive."""
    names, ends = (("a", "b"), (-0.01, 0.05)) if sign == 1 else (("b", "a"), (-0.05, 0.01))
    numbers = (sign * 0.02, *ends, 0.04, 0.04, None)
    one = ModelDifference("accuracy@1", *names, "difference", *numbers, paired=True)
    lines = {name: Line("accuracy@1", value) for name, value in (("a", 0.52), ("b", 0.5))}
    said = verdict("accuracy@1", ["a"], lines, 0.95, [one])
    assert "lead over the next model is 0.020 (−0.010 to 0.050)" in said
