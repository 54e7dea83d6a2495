"""Definition sentences of YANG modules: what is read, how it is cleaned, what is left out."""

import re
from importlib import metadata
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reanalyses.corpora import yang, yang_definitions
from reanalyses.corpora.yang import first_sentence, refusal

KINDS = {
    *("action", "anydata", "anyxml", "bit", "case", "choice", "container", "enum", "extension"),
    *("feature", "grouping", "identity", "leaf", "leaf-list", "list", "notification", "rpc", "typedef"),
}


@pytest.fixture(scope="module")
def definitions():
    pytest.importorskip("pyang")
    return yang_definitions()


@pytest.fixture(scope="module")
def files():
    pytest.importorskip("pyang")
    return yang._module_files()


# --- an independent reader ------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<mark>[{};])|(?P<plain>[^\s{};"']+)""",
    re.DOTALL,
)
ESCAPES = {r"\n": "\n", r"\t": "\t", r"\"": '"', r"\\": "\\"}


def tokens(text):
    """Tokens of a YANG text as (is a mark, value); quoted strings joined by + are one token."""
    found, joins = [], False
    place = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        place = match.end()
        if match["quoted"]:
            value = match["quoted"][1:-1]
            if match["quoted"][0] == '"':
                value = re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], value)
            if joins:
                found[-1] = (False, found[-1][1] + value)
                joins = False
            else:
                found.append((False, value))
        elif match["plain"] == "+":
            joins = True
        elif match["mark"] or match["plain"]:
            found.append((bool(match["mark"]), match["mark"] or match["plain"]))
    return found


def naive_definitions(text):
    """(path, kind, description) of every definition that has one, with a stack and no grammar."""
    rows, stack, statement = [], [], []
    for is_mark, value in tokens(text):
        if not is_mark:
            statement.append(value)
            continue
        if value in "{;":
            keyword, argument = statement[0], statement[1] if len(statement) > 1 else ""
            if keyword == "description" and stack[-1][0] in KINDS:
                steps = []
                for parent, name in stack[1:]:
                    if parent in KINDS:
                        steps.append(name)
                    elif parent in ("input", "output"):
                        steps.append(parent)
                    elif parent == "augment":
                        steps += [step.split(":")[-1] for step in name.split("/") if step]
                rows.append(("/".join(steps), stack[-1][0], " ".join(argument.split())))
            if value == "{":
                stack.append((keyword, argument))
            statement = []
        else:
            stack.pop()
    assert not stack
    assert not statement
    return sorted(rows)


def test_every_module_is_read_as_an_independent_reader_reads_it(files):
    for file in files:
        ours = [d for d in yang._read(file) if d.description]
        assert {d.module for d in ours} <= {file.stem}
        expected = naive_definitions(file.read_text(encoding="utf-8"))
        assert sorted((d.node, d.kind, " ".join(d.description.split())) for d in ours) == expected, file.name


# --- the table ------------------------------------------------------------------------------------------------


def test_the_table_has_what_it_promises(definitions):
    assert not definitions.duplicated(["module", "node"]).any()
    assert set(definitions["kind"]) <= KINDS
    keys = definitions["sentence"].map(lambda s: " ".join(re.findall(r"[a-z0-9]+", s.lower())))
    assert keys.is_unique
    for sentence in definitions["sentence"]:
        assert sentence == " ".join(sentence.split())
        assert 6 <= len(sentence.split()) <= 45
        assert sentence[-1] == "."
        assert sentence[-2] not in ".:;,"
        assert sentence.count("(") == sentence.count(")")


def test_the_counts_that_the_documentation_names(definitions, files):
    assert definitions.attrs == {"pyang": metadata.version("pyang")}
    if metadata.version("pyang") != "2.7.1":
        pytest.skip("the counts are those of pyang 2.7.1")
    assert len(files) == 73
    assert sum(bool(d.description.strip()) for file in files for d in yang._read(file)) == 4289
    assert (len(definitions), definitions["module"].nunique()) == (2288, 69)
    text = re.sub(r"\s+", " ", yang_definitions.__doc__)
    assert "2,288 of 4,289 descriptions from 69 of 73 modules stay" in text


@pytest.mark.parametrize(
    ("module", "node", "kind", "sentence"),
    [
        ("ietf-interfaces", "interfaces/interface/admin-status", "leaf", "The desired state of the interface."),
        # an augmentation: the path of its target, without prefixes
        ("ietf-ip", "interfaces/interface/ipv6/neighbor/state/delay", "enum", "The neighbor is no longer known to be "
         "reachable, and traffic has recently been sent to the neighbor."),
        # two names that one path would not tell apart
        ("ietf-system", "timezone-name (typedef)", "typedef", "A time zone name as used by the Time Zone Database, "
         "sometimes referred to as the 'Olson Database'."),
        # the first of equal sentences: in the file it stands again for IPv6 and for their operational state
        ("ietf-ip", "interfaces/interface/ipv4/neighbor/link-layer-address", "leaf",
         "The link-layer address of the neighbor node."),
    ],
)  # fmt: skip
def test_some_rows_word_for_word(definitions, module, node, kind, sentence):
    rows = definitions[definitions["sentence"] == sentence]
    assert rows[["module", "node", "kind"]].to_numpy().tolist() == [[module, node, kind]]


def test_a_call_gives_a_copy(definitions):
    changed = yang_definitions()
    changed.loc[0, "sentence"] = "Nothing of the sort."
    changed.attrs["pyang"] = "9.9"
    pd.testing.assert_frame_equal(yang_definitions(), definitions)
    assert yang_definitions().attrs == definitions.attrs


# --- the rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ("\n   The address of\n   the server. It may change.", "The address of the server."),
        ("First paragraph\n  \nSecond paragraph.", "First paragraph."),
        ("Used, e.g., by RSVP.  Or not.", "Used, e.g., by RSVP."),
        ("The kinds are:\n  - one\n  - two", "The kinds are:"),
        ("Whether to do it.\n  true  - do it\n  false - do not", "Whether to do it."),
        ("The options\n  1. this\n  2) that", "The options."),
        ("A service-\n  affecting condition.", "A service-affecting condition."),
        ("The address/\n  prefix pool.", "The address/prefix pool."),
        ("The pre-\n  and postfix of it.", "The pre- and postfix of it."),
        ("A label, as specified by RFC 3032, Section 2.1.", "A label."),
        ("A label (RFC 4364; RFC 7950).", "A label."),
        ("A label [RFC4364].", "A label."),
        ("The text of RFC 3032.", "The text of RFC 3032."),
        ("RFC 3032 defines (in part) the label.", "RFC 3032 defines (in part) the label."),
        ('"A whole quotation"', "A whole quotation."),
        ("Is it?", "Is it?"),
        (" \n ", ""),
    ],
)
def test_first_sentence(description, sentence):
    assert first_sentence(description) == sentence


def letters(text):
    return "".join(filter(str.isalnum, text))


@given(st.text(alphabet=st.sampled_from("aB1 .-/:;,?!()[]'\"\n\to*RFC"), max_size=60))
def test_a_sentence_is_a_beginning_of_its_description(description):
    sentence = first_sentence(description)
    assert letters(description).startswith(letters(sentence))
    assert "\n" not in sentence
    assert "  " not in sentence
    assert bool(sentence) == bool(description.strip())


@pytest.mark.parametrize(
    ("sentence", "name", "why"),
    [
        ("The name of the ACL for this entry.", "name", None),
        ("Maps a field to a name as follows:", "san", "incomplete"),
        ("The time (of the day when it began.", "time", "incomplete"),
        ("", "time", "incomplete"),
        ("Obsolete; use either frameRelay(32) or frameRelayService(44).", "relay", "withdrawn"),
        ("Loop Version 2 (DEPRECATED - use version three instead).", "adsl2", "withdrawn"),
        ("A valid but deprecated address that is not a source.", "state", None),
        ("Ready to pass all packets.", "up", "short"),
        ("Ready to pass all the packets.", "up", None),
        (" ".join(["word"] * 44 + ["stop."]), "x", None),
        (" ".join(["word"] * 45 + ["stop."]), "x", "long"),
        ("This grouping defines a set of access diversities.", "access-diversity", "empty"),
        ("Base identity from which all route match types are derived.", "route-match-type", None),
    ],
)
def test_refusal(sentence, name, why):
    assert refusal(sentence, name) == why


def test_definitions_that_share_a_path_are_told_apart():
    definitions = [("m", "a", "feature"), ("m", "a", "identity"), ("m", "a/b", "leaf"), ("n", "a", "leaf")]
    definitions += [("m", "c", "enum"), ("m", "c", "enum")]
    apart = yang._named_apart([yang._Definition(*one, "") for one in definitions])
    assert [d.node for d in apart] == ["a (feature)", "a (identity)", "a/b", "a", "c (enum)", "c (enum 2)"]


# --- what can be missing --------------------------------------------------------------------------------------


@pytest.fixture
def fresh():
    yang._all_definitions.cache_clear()
    yield
    yang._all_definitions.cache_clear()


def test_without_modules(monkeypatch, fresh):
    pytest.importorskip("pyang")
    nothing = SimpleNamespace(files=None, locate_file=None)
    monkeypatch.setattr(yang.metadata, "distribution", lambda name: nothing)
    with pytest.raises(
        FileNotFoundError, match=r"without its YANG modules.*--force-reinstall --no-deps pyang"
    ):
        yang_definitions()


@pytest.mark.parametrize("text", [b"module broken { leaf", b"module m { a '\xff'; }"])
def test_a_module_that_cannot_be_parsed(tmp_path, monkeypatch, fresh, text):
    pytest.importorskip("pyang")
    file = tmp_path / "broken.yang"
    file.write_bytes(text)
    monkeypatch.setattr(yang, "_module_files", lambda: [file])
    with pytest.raises(ValueError, match=r"broken\.yang cannot be parsed"):
        yang_definitions()


def test_nothing_outside_the_package_is_read(monkeypatch, fresh, tmp_path):
    """The search path of pyang itself would look here, and find a module that is none of its own."""
    pytest.importorskip("pyang")
    (tmp_path / "ietf-stray.yang").write_text(
        "module ietf-stray { namespace urn:s; prefix s; leaf a "
        "{ type string; description 'A stray leaf that nobody asked for.'; } }",
        encoding="utf-8",
    )
    monkeypatch.setenv("YANG_MODPATH", str(tmp_path))
    assert "ietf-stray" not in set(yang_definitions()["module"])
