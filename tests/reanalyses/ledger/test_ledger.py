"""Tests that every verdict follows from the computation, and that distorted numbers change it."""

import pytest

from reanalyses import ledger
from tests.reanalyses.ledger import spoiling

CLAIMS = ledger.load()
ERRATA = ledger.load_errata()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_verdict_follows_from_computation(claim):
    if "minilm" in claim.id:
        pytest.importorskip("tokenizers")
    outcome = ledger.recompute(claim)
    assert outcome.follows, (
        f"{claim.verdict!r} does not follow: printed {claim.printed}, ours {outcome.detail}"
    )
    assert (outcome.agrees is None) == (claim.verdict in {"undecided", "cannot be tested here"})


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.compute], ids=lambda c: c.id)
def test_distorted_numbers_change_the_verdict(claim):
    if "minilm" in claim.id:
        pytest.importorskip("tokenizers")
    record = spoiling.recorded_distortions().get(claim.id)
    assert record, f"search with: python -m tests.reanalyses.ledger.spoiling {claim.compute.split('.')[1]}"
    assert spoiling.changes_verdict(claim, record), f"{claim.verdict!r} is unchanged by {record}"


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda e: e.id)
def test_deciding_numbers_of_errata_are_reproduced(erratum):
    outcome = ledger.recompute_erratum(erratum)
    assert outcome.follows, f"stated {erratum.deciding}, recomputed {outcome.ours}"
