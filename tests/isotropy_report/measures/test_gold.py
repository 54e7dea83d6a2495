"""Tests of warnings about gold that belongs to other questions, and about questions that are documents."""

import numpy as np
import pytest

from isotropy_report import compare, compression_costs, report_card, threshold_report
from isotropy_report.measures._checks import ranks_and_warnings

N, CUT = 200, 120
RNG = np.random.default_rng(5)
DOCUMENTS = RNG.standard_normal((500, 32))
GOLD = RNG.permutation(500)[:N]
QUESTIONS = DOCUMENTS[GOLD] + RNG.standard_normal((N, 32))

WRONG = {
    "line missing": np.r_[np.delete(GOLD, CUT), GOLD[0]],
    "line added": np.insert(GOLD, CUT, GOLD[0])[:N],
    "lines missing": np.r_[np.delete(GOLD, range(CUT, CUT + 5)), GOLD[:5]],
    "other order": np.r_[GOLD[:CUT], GOLD[:CUT:-1], GOLD[CUT]],
}


@pytest.mark.parametrize("name", WRONG)
def test_gold_of_other_questions_at_the_end_is_found(name):
    text = ranks_and_warnings(QUESTIONS, DOCUMENTS, WRONG[name], 10)[1]["shifted_gold"]
    first = int(text.partition("question ")[2].split()[0])
    assert abs(first - CUT) <= (2 if name in ("line missing", "line added") else 12)
    for function in (threshold_report, lambda q, d, g: compression_costs(d, questions=q, gold=g)):
        with pytest.raises(ValueError, match=f"question {first} on"):
            function(QUESTIONS, DOCUMENTS, WRONG[name])


def test_correct_gold_is_trusted():
    for noise in (0.5, 1.0, 2.0, 4.0):
        for seed in range(25):
            questions = QUESTIONS + noise * np.random.default_rng(seed).standard_normal((N, 32))
            assert "shifted_gold" not in ranks_and_warnings(questions, DOCUMENTS, GOLD, 10)[1]
    again = np.tile(QUESTIONS[:50], (4, 1)) + RNG.standard_normal((200, 32)) / 9  # four for each document
    assert not ranks_and_warnings(again, DOCUMENTS, np.tile(GOLD[:50], 4), 10)[1]


def test_no_verdict_on_questions_that_are_documents():
    card = report_card(DOCUMENTS, questions=DOCUMENTS[:N], gold=np.arange(N), pictures=False)
    assert any(caution.key == "documents_asked" for caution in card.cautions)
    both = compare(DOCUMENTS, DOCUMENTS + 0.01, questions=[DOCUMENTS[:N]] * 2, gold=np.arange(N))
    with pytest.raises(ValueError, match="are documents"):
        both.failures("B", within=0.05)


def test_collapsed_vectors_are_not_taken_for_documents():
    far = 3.0 + 1e-5 * DOCUMENTS
    assert list(ranks_and_warnings(far[:N] + 1e-6, far, np.arange(N), 10)[1]) == ["indistinct"]
