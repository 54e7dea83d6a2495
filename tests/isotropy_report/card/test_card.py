"""Tests of the card: its numbers, its warnings, its verdict, and its self-contained page."""

import html.parser
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotropy_lab import retrieval
from isotropy_lab.isotropy import isoscore_interval, isotropy_scores
from isotropy_report.card import report_card
from isotropy_report.card.meanings import CHAPTERS, MEANINGS
from isotropy_report.card.search import search_section
from isotropy_report.card.words import number
from tests.conftest import peak_of


def random_points(rng, n_points=400, n=8, *, mean=0.0):
    return rng.standard_normal((n_points, n)) * np.linspace(1, 2, n) + mean


def plain_card(X, **options):
    return report_card(X, pictures=False, **options)


def caution_texts(X, **options):
    return {caution.key: caution.text for caution in plain_card(X, **options).cautions}


def table(section, key):
    match = next(table for table in section.tables if table.key == key)
    return pd.DataFrame(match.rows, columns=match.columns)


SCORES = (
    "isoscore", "isoscore_corrected", "isotropy_defect", "average_cosine", "average_cosine_score",
    "partition_score",
    "intrinsic_dimension", "id_score", "varex_score",
)  # fmt: skip


@pytest.mark.parametrize("shape", [(400, 8), (30, 50)])
def test_scores_equal_their_functions(rng, shape):
    X = random_points(rng, *shape, mean=0.3)
    card, expected, interval = report_card(X), isotropy_scores(X), isoscore_interval(X)
    for key in SCORES:
        assert card.value(key) == pytest.approx(getattr(expected, key), rel=1e-9), key
    line = card.line("isoscore_corrected")
    assert (line.low, line.high) == pytest.approx((interval.low, interval.high))
    dimensions = card.line("dimensions_used_corrected")
    assert dimensions.value == pytest.approx(1 + line.value * (shape[1] - 1))
    assert dimensions.low == pytest.approx(1 + line.low * (shape[1] - 1))
    centered = isotropy_scores(X - X.mean(axis=0)).average_cosine
    assert card.value("average_cosine_centered") == pytest.approx(centered, rel=1e-9)


def test_cards_are_reproducible(rng):
    X = random_points(rng)
    card, repeated = (report_card(X, sample_size=100) for _ in range(2))
    assert card.to_json() == repeated.to_json()
    seeded = plain_card(X, sample_size=100, rng=np.random.default_rng(5))
    assert plain_card(X, sample_size=100, rng=seeded.options["seed"]).to_json() == seeded.to_json()
    full_card = plain_card(X)
    assert card.value("isoscore") == full_card.value("isoscore")  # from all rows
    assert card.value("intrinsic_dimension") != full_card.value("intrinsic_dimension")
    assert any("sample of 100 of the 400 rows" in note for note in card.section("isotropy").notes)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_groups_widen_the_intervals(rng, dtype):
    X = np.repeat(random_points(rng, 100, 4), 5, axis=0) + 1e-3 * rng.standard_normal((500, 4))
    X = X.astype(dtype)
    groups = np.repeat(np.arange(100), 5)
    alone, grouped = (report_card(X, groups=labels).line("isoscore_corrected") for labels in (None, groups))
    assert grouped.high - grouped.low > 1.8 * (alone.high - alone.low)
    expected = isoscore_interval(X, groups=groups)
    assert (grouped.low, grouped.high) == pytest.approx((expected.low, expected.high), rel=1e-5)
    card = report_card(X, groups=np.zeros(500))
    assert "at least 2 groups" in " ".join(card.section("isotropy").notes)


def test_undefined_numbers_are_noted(rng):
    card = report_card(rng.standard_normal((4, 3)))
    assert card.line("isoscore_corrected").low is None
    assert "no intervals" in " ".join(card.section("isotropy").notes)
    assert card.value("intrinsic_dimension") is None
    assert "n_neighbors" in card.line("intrinsic_dimension").note
    assert "undefined" in card.to_html()
    zeros = np.vstack([np.zeros((9, 3)), np.ones((1, 3))])
    assert report_card(zeros).value("average_cosine") is None


def test_unusual_data_cause_their_warnings_only(rng):
    X = random_points(rng)
    units = X / np.linalg.norm(X, axis=1)[:, None]
    wide, large_mean = rng.standard_normal((1_000, 60)), rng.standard_normal((500, 40))
    wide[:, 17] *= 9
    large_mean[:, 3] += 60
    few_longer, zero = units.copy(), X.copy()
    few_longer[:3] *= 1.5
    zero[5] = 0
    for rows, expected in (
        (X, set()),
        (X.astype(np.float16), set()),
        (units, set()),
        (X[:70], set()),
        (large_mean[:30, 4:], {"few_rows"}),
        (X + 3, set()),
        (X + np.where(np.arange(X.shape[1]) == 3, 2.0, 0.0), set()),  # an average cosine below 0.2
        (X + np.where(np.arange(X.shape[1]) == 3, 3.0, 0.0), {"outlier_means"}),
        (X + 30, {"mean_drives_cosine"}),
        (np.vstack([X, np.repeat(X[:1], 30, axis=0)]), {"duplicates"}),
        (wide, {"outlier_dimensions"}),
        (large_mean, {"mean_drives_cosine"}),
        ((X * 200).astype(np.float16), {"float16_overflow"}),
        (zero, {"zero_rows"}),
        (np.where(np.arange(len(units))[:, None] == 5, 0.0, units), {"zero_rows"}),
        (few_longer, {"not_unit"}),
    ):
        assert set(caution_texts(rows)) == expected
    assert "at most 7 dimensions" in caution_texts(X[:8])["few_rows"]
    assert "few_rows" not in caution_texts(X[:9])
    assert "occurs 31 times" in caution_texts(np.vstack([X, np.repeat(X[:1], 30, axis=0)]))["duplicates"]
    assert "coordinate 17" in caution_texts(wide)["outlier_dimensions"]
    shifted = X + np.where(np.arange(X.shape[1]) == 3, 3.0, 0.0)
    assert "coordinate 3 with " in caution_texts(shifted)["outlier_means"]


def test_near_duplicates_are_counted_apart_from_duplicates(rng):
    X = rng.standard_normal((300, 40)).astype(np.float32)
    rounded = np.vstack([X, X[:50] * np.float32(1 + 1e-7), X[:5]])
    (line,) = (text for text in report_card(rounded).summary if "100 of 350 rows" in text)
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and others" in line
    for rows in (X, np.vstack([X, X[:5]]), 1 + 1e-5 * X.astype(np.float64)):
        assert len(report_card(rows).summary) == 3


def test_huge_rows_are_the_first_warning(rng):
    """One of 60 rows has nearly all of the variance, which explains the low score."""
    X = rng.standard_normal((60, 60)) + 0.5
    X[7] *= 300
    card = report_card(X)
    assert [caution.key for caution in card.cautions][:2] == ["huge_rows", "few_rows"]
    squares = np.square(X - X.mean(axis=0)).sum(axis=1)
    expected = squares.max() / squares.sum()
    assert card.value("variance_of_few") == pytest.approx(expected)
    grouped = report_card(X, groups=np.arange(60) % 20)
    assert grouped.value("variance_of_few") == pytest.approx(expected)
    assert "huge_rows" not in caution_texts(np.delete(X, 7, axis=0))


@pytest.mark.parametrize("shape", [(60, 4), (400, 50)])
def test_heavy_tails_are_not_huge_rows(rng, shape):
    normal = rng.standard_normal(shape)
    for X in (
        rng.standard_exponential(shape),
        rng.standard_t(5, shape),
        normal * np.sqrt(5 / rng.chisquare(5, (shape[0], 1))),
        normal * 10.0 ** -np.arange(shape[1]),
    ):
        assert "huge_rows" not in caution_texts(X)


def test_retrieval_section_agrees_with_ranks(rng):
    documents = rng.standard_normal((300, 12))
    documents[10] = documents[20]
    gold = np.r_[10, rng.permutation(300)[:99]]
    questions = documents[gold] + 0.8 * rng.standard_normal((100, 12))
    card = plain_card(random_points(rng), questions=questions, documents=documents, gold=gold)
    section, ranks = card.section("retrieval"), retrieval.answer_ranks(questions, documents, gold)
    accuracies = table(section, "accuracy").set_index("K")
    for k in (1, 10):
        row, gain = accuracies.loc[str(k)], np.where(ranks <= k, 1 / np.log2(1 + ranks), 0).mean()
        assert row["accuracy@K"] == pytest.approx((ranks <= k).mean())
        assert row["low"] < row["accuracy@K"] < row["high"]
        assert row["NDCG@K"] == pytest.approx(gain)
    similarities = retrieval.pair_similarities(questions, documents, gold)
    assert card.value("median_rank") == np.median(ranks)
    assert card.value("n_equal_documents") == 1
    assert card.value("median_similarity") == pytest.approx(np.median(similarities))
    assert any("exactly as near" in note for note in section.notes)
    without_documents = plain_card(documents, questions=questions, gold=gold).section("retrieval")
    assert without_documents.tables == section.tables  # the documents are X unless given


@pytest.mark.usefixtures("small_blocks")
def test_retrieval_needs_no_copy_of_the_documents(rng):
    documents = rng.standard_normal((80_000, 64))
    questions = documents[:5] + 0.1
    peak = peak_of(lambda: search_section(questions, documents, np.arange(5), confidence_level=0.95, rng=rng))
    assert peak < documents.nbytes / 2


def test_retrieval_section_uses_graded_judgments(rng):
    documents = rng.standard_normal((300, 12))
    gold = {i: {i: 2, i + 100: 1, i + 200: 0} for i in range(60)}
    questions = documents[:60] + 0.8 * rng.standard_normal((60, 12))
    card = plain_card(documents, questions=questions, gold=gold)
    accuracies = table(card.section("retrieval"), "accuracy").set_index("K")
    ranks = retrieval.relevant_ranks(questions, documents, gold)
    for name in ("accuracy", "recall", "NDCG"):
        expected = retrieval.question_scores(ranks, name.lower(), k=5).mean()
        suffix = "" if name == "accuracy" else f" of {name}"
        assert accuracies.loc["5", f"{name}@K"] == pytest.approx(expected)
        assert accuracies.loc["5", f"low{suffix}"] < expected < accuracies.loc["5", f"high{suffix}"]
    mean_precision = card.line("map")
    assert mean_precision.value == pytest.approx(retrieval.question_scores(ranks, "map", k=None).mean())
    assert mean_precision.low < mean_precision.value < mean_precision.high
    assert card.value("mrr") == pytest.approx((1 / ranks.best).mean())


@pytest.fixture(scope="module")
def full():
    rng = np.random.default_rng(0)
    X = random_points(rng, 300, 12, mean=1.0)
    X[4] = X[3]
    return report_card(
        X,
        name='<b>"vectors" & co</b>',
        labels=["</script><script>alert(1)</script>", "b"] * 150,
        questions=X[:20],
        gold=np.arange(20),
    )


class Page(html.parser.HTMLParser):
    void = frozenset({"meta", "br", "link", "img", "input", "line", "path", "circle", "rect"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [value for key, value in attributes if key == "id"]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_well_formed_and_self_contained(full):
    page = Page(full.to_html())
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    # The page has no scripts, which the frame of a notebook would forbid.
    assert [a.get("type") for tag, a in page.tags if tag == "script"] == ["application/json"]
    for tag, attributes in page.tags:
        assert tag not in ("link", "img")
        assert "src" not in attributes
        if tag == "svg":
            assert attributes["role"] == "img"
            assert len(attributes["aria-label"].split()) >= 8
        if "href" in attributes and attributes["href"].startswith("#"):
            assert attributes["href"][1:] in page.ids
    assert len(full.to_html().encode()) < 300_000  # bytes


def test_page_contains_the_json_and_escapes_names(full):
    text = full.to_html()
    embedded = re.search(r'<script type="application/json" id="numbers">(.*?)</script>', text, re.DOTALL)
    assert json.loads(embedded[1]) == json.loads(full.to_json()) == json.loads(json.dumps(full.to_dict()))
    assert "<b>" not in text
    assert "alert(1)</script>" not in text
    assert "&lt;b&gt;&quot;vectors&quot; &amp; co&lt;/b&gt;" in text


def test_numbers_have_meanings_and_existing_chapters(full):
    book = Path(__file__).resolve().parents[3] / "book"
    for section in full.sections:
        for line in section.lines:
            assert MEANINGS[line.key].sentence.endswith(".")
    used = {meaning.chapter for meaning in MEANINGS.values()} - {""}
    assert used <= set(CHAPTERS)
    for chapter, title in CHAPTERS.items():
        cells = json.loads((book / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
        assert "".join(cells[0]["source"]).splitlines()[0] == f"# {title}"


@pytest.mark.parametrize("value", [1.0, 9.9999, 0.00012345, 99999.0, 1e-300, 123456789.0, 1.5e12])
def test_numbers_keep_four_digits(value):
    text = number(value).replace(",", "").replace("−", "-")
    digits, _, power = text.partition(" × 10")
    superscripts = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    printed = float(digits) * 10.0 ** int(power.translate(superscripts) or 0)
    assert math.isclose(printed, value, rel_tol=5.1e-4)


def test_notebook_tables_agree_with_the_card(full):
    numbers = full.to_frame().set_index("key")["value"]
    assert numbers["average_cosine"] == full.value("average_cosine")
    assert len(numbers) == sum(len(section.lines) for section in full.sections)
    assert list(full.warnings()["kind"]) == [caution.key for caution in full.cautions]
    assert full.table("accuracy")["K"][0] == "1"
    verdict = " ".join(full.findings().split())
    assert verdict.count("Beware of ") == len(full.cautions)
    assert verdict in " ".join(str(full).split())
    assert full.to_text(notes=True).count("Beware: ") == len(full.cautions)
    html_text = full._repr_html_()
    assert html_text.startswith("<iframe title=")
    assert html_text.count("<") == 2  # the page inside is an attribute


@settings(max_examples=30, deadline=None)
@given(
    hnp.arrays(
        st.sampled_from(["f8", "f4", "f2", "i2"]),
        st.tuples(st.integers(4, 30), st.integers(2, 5)),
        elements=st.integers(-3, 3),
    ),
    st.sampled_from([1.0, 1e-200, 1e-30, 1e100]),
)
def test_any_small_data_have_a_card_or_a_reason(X, scale):
    """Repeated or zero rows, constant columns, lines, and odd units give neither NaN nor another error."""
    if X.dtype == np.float64:
        X = X * scale
    if len(np.unique(X, axis=0)) == 1:
        with pytest.raises(ValueError, match=f"X is collapsed: all {len(X)} rows are the same vector"):
            report_card(X)
        return
    card = report_card(X, labels=np.arange(len(X)) % 2)
    numbers = json.loads(card.to_json())
    assert numbers["sections"]["data"]["numbers"]["n_points"]["value"] == len(X)
    assert Page(card.to_html()).open == []
    for section in card.sections:
        for line in section.lines:
            assert line.value is not None or line.note, line.key
            if line.low is not None:
                assert line.low <= line.value <= line.high or math.isclose(line.low, line.high), line


def test_constant_columns_are_named(rng):
    X = rng.standard_normal((200, 30))
    X[:, 7], X[:, 11] = 0, 40.0
    cautions = caution_texts(X)
    assert "2 coordinates have the same value in every row (7, 11)" in cautions["constant_columns"]
    assert "outlier_dimensions" not in cautions  # scaled to unit variance it would be what it is
    X[150, 11] = 41.0  # beyond any block's first row
    assert "Coordinate 7 " in caution_texts(X)["constant_columns"]
    assert "(coordinate 7, counted from 0)" in " ".join(report_card(X).findings().split())


def test_verdict_of_typical_data(rng):
    """Intervals are compared with known encoders, which use 15 dimensions or 15% of few columns."""
    ball = rng.standard_normal((2000, 60))
    line, edge = (ball * np.sqrt([*[1.0] * count, *[1e-9] * (60 - count)]) for count in (1, 6))
    wide = np.hstack([edge, np.zeros((2000, 400))])
    for rows, verdict in (
        (ball, "Not collapsed: they cannot be distinguished from a ball"),
        (ball * np.arange(1, 61) ** -0.5, "Not collapsed: they use about"),
        (line, "Collapsed onto few columns"),
        (ball + 120, "Collapsed toward one direction: the average cosine is 1.00"),
        (ball + 12, "Perhaps collapsed toward one direction: the average cosine is 0.99"),
        (ball + 4, "Not collapsed, but off-center: the average cosine is 0.94"),
        (line + 3, "Collapsed onto few columns"),
        (ball[:4], "No verdict: 4 rows for 60 columns. "),
        (ball[:50] * np.arange(1, 61) ** -0.5, "No verdict: 50 rows for 60 columns. "),
        (edge[:50], "No verdict: 50 rows for 60 columns. "),
        (np.clip(ball * 20 + 128, 0, 255).astype(np.uint8), "No verdict: the numbers are unsigned bytes"),
        (np.c_[ball, rng.permutation(len(ball))], "No verdict: coordinate 60 has 100% of the variance"),
        (line[:50], "Collapsed onto few columns"),
        (edge, "Perhaps collapsed: they use about"),
        (wide, "Collapsed: they use about"),
    ):
        card = plain_card(rows)
        assert card.summary[0].startswith(verdict), card.summary[0]
        assert card.findings().startswith(verdict)
    first = [plain_card(rows + 3).summary[0] for rows in (ball, line)]
    assert ["also off-center" in text for text in first] == [False, True]


def test_verdict_names_repeated_rows_only_if_they_matter(rng):
    """Two repeated rows of a thousand change no digit, and a hundred repetitions of one row do."""
    X = random_points(rng, 1_000)
    for repeated, expected in (([0, 1], False), ([0] * 100, True)):
        verdict = plain_card(np.vstack([X, X[repeated]])).summary[0]
        assert ("heavy tails" in verdict, "repeated rows" in verdict) == (False, expected)
    for n in (2, 5, 13, 20):
        line = np.outer(X[:, 0], rng.standard_normal(n)) + 1e-4 * rng.standard_normal((1_000, n))
        assert plain_card(line).verdict == "collapsed"  # in any number of columns
    rows = rng.standard_t(3, (1_000, 8))  # their tails matter only near a limit
    for scale, mentioned in ((1, True), (4, False), (20, True)):
        assert ("heavy tails" in plain_card(rows * np.geomspace(scale, 1, 8)).summary[0]) == mentioned


def test_zero_documents_without_relevant_question_are_left_out(rng):
    documents = rng.standard_normal((80, 6))
    questions = documents[:20] + 0.3 * rng.standard_normal((20, 6))
    zeros = np.insert(documents, [0, 40, 40], 0.0, axis=0)
    positions = np.arange(20) + 1
    for gold in (positions, np.stack([positions, np.where(positions % 2, positions + 45, -1)], axis=1)):
        before = gold - 1 if gold.ndim == 1 else np.where(gold > 0, gold - 1 - 2 * (gold > 42), -1)
        expected, actual = (
            plain_card(X, questions=questions, gold=relevant).section("retrieval")
            for X, relevant in ((documents, before), (zeros, gold))
        )
        assert actual.lines == expected.lines
        assert actual.tables == expected.tables
        assert any("3 zero documents" in note for note in actual.notes)


def test_intrinsic_dimension_of_a_sample_has_an_interval(rng):
    card = report_card(rng.random((2_500, 3)), pictures=False)
    line = card.line("intrinsic_dimension")
    assert line.low < line.value < line.high < 1.2 * line.low
    assert report_card(rng.random((300, 3))).line("intrinsic_dimension").low is None
