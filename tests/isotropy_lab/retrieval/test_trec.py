"""Runs and judgments in TREC's files, and metrics of them beside ir_measures."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import retrieval
from isotropy_lab.retrieval import (
    bootstrap_accuracy,
    bootstrap_map,
    bootstrap_mrr,
    bootstrap_ndcg,
    bootstrap_recall,
    compare_models,
    gold_from_qrels,
    question_scores,
    read_qrels,
    read_run,
    relevant_ranks,
    run_from_top_k,
    run_ranks,
    top_k,
    write_qrels,
    write_run,
)
from tests.oracles import retrieval_scores

# Many ties, grades below 1, documents without a judgment, a question without a run and a run without a question.
QRELS = {str(i): {f"d{j}": (i * 5 + j * 7) % 9 - 4 for j in range(0, 30, i)} for i in (1, 2, 3, 5)}
RUN = {str(i): {f"d{j}": ((i * 11 + j * 13) % 17) // 3 / 8 for j in range(i, 30)} for i in (1, 2, 3, 4)}


def random_judgments(seed):
    rng = np.random.default_rng(seed)
    ids = [f"d{i}" for i in range(30)]
    run, qrels = {}, {}
    for question in map(str, range(1, 8)):
        listed = rng.permutation(ids)[: rng.integers(1, 30)]
        # Many are equal, and many of the others in float32.
        run[question] = {
            str(d): float(rng.integers(0, 6)) / 4 + float(rng.choice([0.0, 1e-10])) for d in listed
        }
        judged = rng.permutation(ids)[: rng.integers(1, 12)]
        qrels[question] = {
            str(d): int(g) for d, g in zip(judged, rng.integers(0, 5, judged.size), strict=True)
        }
        qrels[question][str(rng.choice(ids))] = 1
    del run["3"]
    return run, qrels


def by_hand(run, qrels, metric, k, gain="linear"):
    scores = []
    for question, grades in qrels.items():
        listed = run.get(question, {})
        # scores that are equal in float32 by descending ids, as trec_eval has them
        order = sorted(sorted(listed, reverse=True), key=lambda d, listed=listed: -np.float32(listed[d]))
        scores.append(retrieval_scores(order, grades, k, gain)[metric])
    return scores


def test_metrics_of_a_run_with_ties_are_those_that_ir_measures_gave():
    """ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11; exponential gains by gdeval, which writes five digits."""
    expected = {
        ("accuracy", 2): [1.0, 1.0, 0.0, 0.0],
        ("recall", 5): [0.23076923076923078, 0.42857142857142855, 0.25, 0.0],
        ("ndcg", 5): [0.5526207701538531, 0.6214525853378273, 0.19519002499605084, 0.0],
        ("map", None): [0.5926969398123245, 0.5921245421245421, 0.23809523809523808, 0.0],
        ("map", 5): [0.16153846153846155, 0.3, 0.08333333333333333, 0.0],
        ("mrr", None): [1.0, 1.0, 0.3333333333333333, 0.0],
    }
    found = run_ranks(RUN, QRELS)
    assert found.questions == ("1", "2", "3", "5")
    for (metric, k), values in expected.items():
        assert question_scores(found, metric, k=k) == pytest.approx(values, abs=1e-12), metric
    exponential = question_scores(found, "ndcg", k=5, gain="exponential")
    assert exponential == pytest.approx([0.50881, 0.59936, 0.19519, 0.0], abs=1e-5)


def test_scores_that_are_equal_in_float32_are_ties_as_in_trec_eval():
    """Reciprocal ranks by ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11, which hold scores in float32."""
    single = np.float32(0.7)
    middle = (float(single) + float(np.nextafter(single, np.float32(1)))) / 2
    expected = [
        ({"a": 0.7123456789, "b": 0.7123456781}, 1.0),
        ({"a": 0.7123456, "b": 0.7123457}, 1.0),
        ({"a": 0.7123457, "b": 0.7123456}, 0.5),
        ({"a": middle - 1e-12, "b": float(single)}, 1.0),  # rounded to the nearest, and at the middle to even
        ({"a": middle, "b": float(single)}, 0.5),
        ({"a": middle + 1e-12, "b": float(single)}, 0.5),
        ({"a": 1e-46, "b": 0.0}, 1.0),
        ({"a": 1e300, "b": 1e299}, 1.0),
        ({"a": -1e39, "b": -1e300}, 1.0),
    ]
    for run, value in expected:
        found = run_ranks({"q": run}, {"q": {"b": 1}})
        assert question_scores(found, "mrr", k=None).tolist() == [value], run
        listed = run_ranks({"q": run}, {"q": {"b": 1}}, ties="listed")
        assert listed.best.tolist() == [1 if run["b"] > run["a"] else 2]


#: Metrics of `random_judgments`, seed by seed and question by question, as `THEIRS` computes them.
KEPT = Path(__file__).with_name("ir_measures.json")

THEIRS = """
import json, sys
import ir_measures as peer
names = [(name, k) for name in ("Success", "R", "nDCG", "AP") for k in (1, 3, 10)]
measures = [getattr(peer, name) @ k for name, k in names] + [peer.RR, peer.AP]
found = []
for run, qrels in json.load(sys.stdin):
    values = {(m.measure, m.query_id): m.value for m in peer.iter_calc(measures, qrels, run)}
    found.append([[values[measure, question] for question in qrels] for measure in measures])
print(json.dumps(found))
"""


def ours(run, qrels):
    found = run_ranks(run, qrels)
    names = [(metric, k) for metric in ("accuracy", "recall", "ndcg", "map") for k in (1, 3, 10)]
    return [question_scores(found, metric, k=k) for metric, k in [*names, ("mrr", None), ("map", None)]]


def test_metrics_of_random_runs_with_ties_are_those_that_ir_measures_gave():
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert (kept["ir_measures"], kept["pytrec_eval-terrier"]) == ("0.4.3", "0.5.11")
    assert len(kept["values"]) == 6
    for seed, theirs in enumerate(kept["values"]):
        assert np.array(ours(*random_judgments(seed))) == pytest.approx(np.array(theirs), abs=1e-12), seed


def test_metrics_of_random_runs_with_ties_are_those_of_ir_measures():
    """The peer is not among the dependencies: this asks the interpreter that the benchmarks have made for it."""
    folder, variable = retrieval.ENVIRONMENTS["ir_measures"][1:]
    python = os.environ.get(variable) or str(Path(retrieval.__file__).parent / folder / "bin" / "python")
    if not os.path.exists(python):
        pytest.skip("no interpreter has ir_measures: `python -m benchmarks retrieval` makes one")
    runs = [random_judgments(seed) for seed in range(50)]
    done = subprocess.run(
        [python, "-c", THEIRS], input=json.dumps(runs), capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout)
    for (run, qrels), values in zip(runs, theirs, strict=True):
        assert np.array(ours(run, qrels)) == pytest.approx(np.array(values), abs=1e-12)
    assert json.loads(KEPT.read_text(encoding="utf-8"))["values"] == theirs[:6]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_metrics_of_random_runs_with_ties_are_those_of_a_walk_down_the_list(seed, gain):
    run, qrels = random_judgments(seed)
    found = run_ranks(run, qrels)
    for metric in ("accuracy", "recall", "ndcg", "mrr", "map"):
        for k in (1, 4, 50):
            assert question_scores(found, metric, k=k, gain=gain) == pytest.approx(
                by_hand(run, qrels, metric, k, gain), abs=1e-12
            )


def test_a_run_of_all_documents_has_the_ranks_of_the_embeddings():
    rng = np.random.default_rng(0)
    questions, documents = rng.integers(0, 3, (9, 3)) + 0.5, rng.integers(0, 3, (25, 3)) + 0.5  # ties
    question_ids, document_ids = [f"q{i}" for i in range(9)], [f"d{i}" for i in range(25)]
    qrels = {q: {d: int(rng.integers(-1, 3)) for d in document_ids[i:]} for i, q in enumerate(question_ids)}
    gold = gold_from_qrels(qrels, question_ids, iter(document_ids))
    run = run_from_top_k(top_k(questions, documents, 25), question_ids, document_ids)
    ours, theirs = relevant_ranks(questions, documents, gold), run_ranks(run, qrels, ties="listed")
    assert (ours.ranks == theirs.ranks).all()
    assert (ours.grades == theirs.grades).all()
    named = np.where(ours.documents < 0, "", np.array(document_ids)[ours.documents])
    assert (named == theirs.documents).all()
    assert (run_ranks(run, qrels).ranks != theirs.ranks).any()  # so the rule for ties matters
    first = run_from_top_k(top_k(questions, documents, 4), question_ids, document_ids)
    part = run_ranks(first, qrels, ties="listed")
    for metric in ("accuracy", "recall", "ndcg", "mrr", "map"):
        assert (question_scores(part, metric, k=4) == question_scores(ours, metric, k=4)).all()
    assert bootstrap_accuracy(part, k=4, rng=0) == bootstrap_accuracy(ours, k=4, rng=0)
    assert compare_models(part, ours, k=4).estimate == 0


@pytest.mark.parametrize("seed", range(10))
def test_documents_beyond_k_change_no_sample(seed):
    """A run of the k best has the metrics at k of the whole ranking, and its intervals with the same seed."""
    rng = np.random.default_rng(seed)
    questions, documents = rng.standard_normal((20, 3)), rng.standard_normal((15, 3))
    question_ids, document_ids = [f"q{i}" for i in range(20)], [f"d{i}" for i in range(15)]
    qrels = {
        q: {str(d): int(rng.integers(1, 4)) for d in rng.permutation(document_ids)[:4]} for q in question_ids
    }
    whole = relevant_ranks(questions, documents, gold_from_qrels(qrels, question_ids, document_ids))
    best = run_from_top_k(top_k(questions, documents, 4), question_ids, document_ids)
    part = run_ranks(best, qrels, ties="listed")
    for bootstrap in (bootstrap_accuracy, bootstrap_recall, bootstrap_ndcg, bootstrap_mrr, bootstrap_map):
        assert bootstrap(part, k=4, n_resamples=50, rng=0) == bootstrap(whole, k=4, n_resamples=50, rng=0)


ids = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters=" \t\n\r\v\f\ufeff"), min_size=1, max_size=6
)


@settings(deadline=None, max_examples=60)
@given(
    run=st.dictionaries(
        ids, st.dictionaries(ids, st.floats(allow_nan=False, allow_infinity=False), min_size=1), min_size=1
    ),
    qrels=st.dictionaries(ids, st.dictionaries(ids, st.integers(-99, 10**9 - 1), min_size=1), min_size=1),
)
def test_what_is_written_is_read_again(run, qrels, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trec")
    write_run(run, folder / "run", tag="naïve")
    write_qrels(qrels, folder / "qrels")
    again = read_run(folder / "run")
    assert again == run
    assert list(again) == list(run)
    for question, scores in again.items():
        assert list(scores) == sorted(run[question], key=lambda d, q=question: -run[q][d])  # stable
    assert read_qrels(folder / "qrels") == qrels


def test_files_by_others_are_read(tmp_path):
    path = tmp_path / "theirs"
    path.write_bytes(
        b"\xef\xbb\xbf401 Q0 FT\xc2\xa01 0 3.5 bm25\r\n\r\n  401\tQ0\tFT2\t1\t-1e-3\tbm25\n007 Q0 FT1 0 2 x"
    )
    assert read_run(path) == {"401": {"FT\xa01": 3.5, "FT2": -0.001}, "007": {"FT1": 2.0}}
    path.write_bytes(b"401 0 FT1 +1\n401 Q0 FT2 -2\n")
    assert read_qrels(path) == {"401": {"FT1": 1, "FT2": -2}}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_run, b"1 Q0 d1 1 0.5 t\n1 Q0 d2 2 0.5\n", "line 2 has 5 columns; expected 6: question Q0 document rank score tag"),
        (read_run, b"1 Q0 d1 1 high t\n", "line 1 has the score 'high'; expected a finite number"),
        (read_run, b"1 Q0 d1 1 nan t\n", "line 1 has the score 'nan'"),
        (read_run, b"1 Q0 d1 1 1_0 t\n", "line 1 has the score '1_0'"),
        (read_run, b"1 Q0 d1 1 2 t\n\n1 Q0 d1 2 1 t\n", "line 3 has document 'd1' of question '1' again"),
        (read_run, b"1 Q0 d\xff 1 2 t\n", "line 1 is not UTF-8"),
        (read_run, b"\n \n", "has no lines; expected lines of question Q0"),
        (read_qrels, b"query-id corpus-id score\n", "line 1 has 3 columns; expected 4: question iteration document grade"),
        (read_qrels, b"1 0 d1 1\n1 0 d2 0.5\n", "line 2 has the grade '0.5'; expected a whole number"),
        (read_qrels, b"1 0 d1 1234567890\n", "line 1 has the grade '1234567890'"),
        (read_qrels, b"1 0 d1 -+5\n", "line 1 has the grade"),
        (read_qrels, b"1 0 d1 1\n1 0 d1 1\n", "line 2 has document 'd1' of question '1' again"),
    ],
)  # fmt: skip
def test_bad_files_are_named_with_the_line(read, text, message, tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="nothing"):
        read_run("nothing.run")


@pytest.mark.parametrize(("write", "data"), [(write_run, RUN), (write_qrels, QRELS)])
def test_no_input_is_overwritten(write, data, tmp_path):
    path = tmp_path / "input"
    path.write_text("precious")
    os.symlink(path, tmp_path / "link")
    for target in (path, str(path), tmp_path / "link"):
        with pytest.raises(
            FileExistsError, match=r"exists and would be overwritten; expected .* overwrite=True"
        ):
            write(data, target)
    assert path.read_text() == "precious"
    with pytest.raises(FileNotFoundError, match=r"path .*: there is no folder"):
        write(data, tmp_path / "no" / "file")
    with pytest.raises(IsADirectoryError, match=r"path .* is a folder"):
        write(data, tmp_path, overwrite=True)
    write(data, path, overwrite=True)
    assert path.read_text() != "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["input", "link"]


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ([("q", "d")], TypeError, "run is list .*; expected a mapping of question ids"),
        ({}, ValueError, "run has no questions"),
        ({"q": {}}, ValueError, "run of 'q' has no documents"),
        ({"q": ["d"]}, TypeError, "run of 'q' is list"),
        ({1: {"d": 1.0}}, TypeError, r"run has the question id 1 \(int\); expected an id as a string"),
        ({"q": {2: 1.0}}, TypeError, r"run of 'q' has the document id 2 \(int\)"),
        ({"": {"d": 1.0}}, ValueError, "run has the question id ''; expected an id without white space"),
        ({"q": {"a b": 1.0}}, ValueError, "run of 'q' has the document id 'a b'"),
        ({"q": {"d\n": 1.0}}, ValueError, "expected an id without white space"),
        ({"q": {"d": float("nan")}}, ValueError, "run of 'q' has a score for 'd' that is nan; expected a finite number"),
        ({"q": {"d": "1"}}, TypeError, "run of 'q' has a score for 'd' that is '1'"),
        ({"q": {"d": True}}, TypeError, "that is True"),
    ],
)  # fmt: skip
def test_bad_runs(run, error, message, tmp_path):
    with pytest.raises(error, match=message):
        write_run(run, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(error, match=message):
        run_ranks(run, {"q": {"d": 1}})


def test_bad_judgments(tmp_path):
    with pytest.raises(TypeError, match=r"qrels of 'q' has a grade for 'd' that is 0\.5"):
        write_qrels({"q": {"d": 0.5}}, tmp_path / "qrels")
    with pytest.raises(ValueError, match="tag 'a b'; expected a tag without white space"):
        write_run(RUN, tmp_path / "run", tag="a b")
    with pytest.raises(
        ValueError, match="qrels has no document with a grade above 0 for 1 of 2 questions, first for 'r'"
    ):
        run_ranks({"q": {"d": 1.0}}, {"q": {"d": 1}, "r": {"d": 0}})
    with pytest.raises(
        ValueError, match=r"run has no question of qrels .its first is '1', that of qrels 'q1'"
    ):
        run_ranks(RUN, {"q1": {"d": 1}})
    with pytest.raises(ValueError, match="ties is 'worst'; expected one of 'trec_eval', 'listed'"):
        run_ranks(RUN, QRELS, ties="worst")
    other = {q: QRELS[q] for q in ("2", "1", "3", "5")}
    with pytest.raises(ValueError, match="about other questions, or in another order"):
        compare_models(run_ranks(RUN, QRELS), run_ranks(RUN, other))


def test_bad_ids():
    qrels = {"a": {"x": 1}, "b": {"y": 0, "z": 2}}
    assert gold_from_qrels(qrels, ["b"], ["z"]) == {0: {0: 2}}
    with pytest.raises(ValueError, match="qrels does not have 1 of 2 questions, first 'c'"):
        gold_from_qrels(qrels, ["a", "c"], ["x"])
    with pytest.raises(
        ValueError, match="document_ids lacks relevant documents in 1 judgment, first 'z' of question 'b'"
    ):
        gold_from_qrels(qrels, ["a", "b"], ["x", "y"])
    with pytest.raises(ValueError, match="document_ids has 'x' twice, in places 0 and 2"):
        gold_from_qrels(qrels, ["a"], ["x", "y", "x"])
    with pytest.raises(TypeError, match=r"question_ids has 0 \(int\); expected an id as a string"):
        gold_from_qrels(qrels, range(2), ["x"])
    with pytest.raises(TypeError, match="question_ids is str 'ab'; expected the ids of all rows"):
        gold_from_qrels(qrels, "ab", ["x"])
    best = top_k(np.eye(2), np.eye(2), 2)
    with pytest.raises(ValueError, match="question_ids has 1 id, best 2 questions"):
        run_from_top_k(best, ["a"], ["x", "y"])
    with pytest.raises(ValueError, match="document_ids has 1 id, best has document 1"):
        run_from_top_k(best, ["a", "b"], ["x"])
    with pytest.raises(TypeError, match=r"best is ndarray .*; expected TopK"):
        run_from_top_k(best.indices, ["a", "b"], ["x", "y"])
