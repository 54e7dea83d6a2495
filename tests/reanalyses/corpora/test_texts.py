"""Tests that bundled texts are clean and agree with their records."""

import re

import numpy as np
import pandas as pd
import pytest

from reanalyses.corpora import wikipedia_sentences, yang_definitions


@pytest.fixture(scope="module")
def definitions():
    return yang_definitions()


@pytest.fixture(scope="module")
def sentences():
    return wikipedia_sentences()


def test_definitions_are_unique_sentences(definitions):
    assert definitions.shape == (2288, 4)
    assert definitions["module"].nunique() == 69
    assert not definitions.duplicated(["module", "node"]).any()
    keys = definitions["sentence"].map(lambda s: " ".join(re.findall(r"[a-z0-9]+", s.lower())))
    assert keys.is_unique
    for sentence in definitions["sentence"]:
        assert sentence == " ".join(sentence.split())
        assert 6 <= len(sentence.split()) <= 45
        assert sentence[-1] == "."
        assert sentence.count("(") == sentence.count(")")


def test_each_call_returns_a_copy(definitions):
    changed = yang_definitions()
    changed.loc[0, "sentence"] = "Nothing of the sort."
    pd.testing.assert_frame_equal(yang_definitions(), definitions)


def test_sentences_are_unique(sentences):
    assert 15_000 < len(sentences) < 20_000
    assert len(set(sentences)) == len(sentences)
    assert "Anarcho-syndicalism is a branch of anarchism that focuses on the labour movement." in sentences


def test_sentences_contain_no_markup(sentences):
    markup = re.compile(r"\[\[|\]\]|\{\{|\}\}|<[a-z/!]|''|&[a-z]+;|\bFile:|\bCategory:|https?:|\x00|\|")
    assert [s for s in sentences if markup.search(s)] == []


def test_samples_are_seeded_nested_and_ordered(sentences):
    few, many = wikipedia_sentences(n=50), wikipedia_sentences(n=200)
    assert few == wikipedia_sentences(n=50, rng=0) == wikipedia_sentences(n=50, rng=np.random.default_rng(0))
    assert set(few) < set(many)
    assert few != wikipedia_sentences(n=50, rng=1)
    index_of = {s: i for i, s in enumerate(sentences)}
    assert sorted(many, key=index_of.__getitem__) == many
