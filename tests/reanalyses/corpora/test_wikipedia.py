"""Sentences from Wikipedia: cleaned, unique, drawn with a seed."""

import re

import numpy as np
import pytest

from reanalyses.corpora import wikipedia_sentences
from reanalyses.corpora.wikipedia import plain_text, split_sentences


@pytest.fixture(scope="module")
def sentences():
    return wikipedia_sentences()


def test_there_are_many_and_each_once(sentences):
    assert 15_000 < len(sentences) < 20_000
    assert len(set(sentences)) == len(sentences)
    assert "Anarcho-syndicalism is a branch of anarchism that focuses on the labour movement." in sentences
    text = " ".join(sentences)
    for subject in ("Achilles", "abacus", "Azerbaijan", "alkali metal", "Apollo 11", "Einstein", "algorithm"):
        assert text.count(subject) > 10


def test_no_markup_is_left(sentences):
    markup = re.compile(r"\[\[|\]\]|\{\{|\}\}|<[a-z/!]|''|&[a-z]+;|\bFile:|\bCategory:|https?:|\x00|\|")
    assert [s for s in sentences if markup.search(s)] == []
    assert [s for s in sentences if re.search(r"\(\s*[,;)]|\s[,;:]\s|  |\bthumb\b.*px", s)] == []


def test_a_draw_is_seeded_nested_and_in_order(sentences):
    a, b = wikipedia_sentences(n=50), wikipedia_sentences(n=200)
    assert a == wikipedia_sentences(n=50, rng=0) == wikipedia_sentences(n=50, rng=np.random.default_rng(0))
    assert set(a) < set(b)
    assert a != wikipedia_sentences(n=50, rng=1)
    assert wikipedia_sentences(n=50, rng=None) != wikipedia_sentences(n=50, rng=None)
    place = {s: i for i, s in enumerate(sentences)}
    assert sorted(b, key=place.__getitem__) == b
    assert wikipedia_sentences(n=len(sentences)) == sentences


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''A''' is [[letter (alphabet)|the first]] of [[alphabet]]s.", "A is the first of alphabets."),
        ("One.<ref name=x>{{cite|a}}</ref> Two.<ref name=x/>", "One. Two."),
        ("A{{citation needed|date=May 2015}} b{{sfn|Kyle|1974}}.", "A b."),
        ("A{{Citation Needed}} b{{cite web\n| title = x\n}}.", "A b."),
        ("The [[File:x.png|thumb|a [[caption]] here]]end.", "The end."),
        ("a{{refn|group=nb|see {{harvnb|B|1}} there}} b", "a b"),
        ("x<!-- hidden --> y&nbsp;z &amp; w", "x y z & w"),
        ("before\n{| class=x\n| {| \n| inner\n|}\n|}\nafter", "before\n\n\nafter"),
        ("a radius of {{convert|5|km}} or <math>r^2</math>", "a radius of \x00 or \x00"),
        ("One.<Ref>a\nb</Ref> A <Math>r\n^2</Math> H<Sub>\n2</Sub>O", "One. A \x00 H\x00O"),
        ("[http://example.org the site] and [[de:Kunst]][[Category:Art]].", "the site and ."),
    ],
)
def test_markup(markup, text):
    assert plain_text(markup) == text


def test_splitting():
    expected = [
        "It was J. R. Smith, Jr. who met Dr. No in St. Louis, c. 1820.",
        'He said "Go."',
        "Then he left!",
        "In the U.S. Senate (as of Jan. 3) he sat.",
        "3.5 is more than 2.",
        "Was it?",
        "Yes (it was.)",
        "So be it.",
    ]
    assert split_sentences(" ".join(expected)) == expected
    assert split_sentences("") == []
