"""Tests of judgments in TREC files: variants of the format, comments, and errors."""

import pytest

from isotropy_report.io import read_qrels
from tests.isotropy_lab.bad_input import assert_refused


def test_variants_of_the_format_are_read(tmp_path):
    path = tmp_path / "theirs"
    path.write_bytes(b"\xef\xbb\xbf401 Q0 FT\xc2\xa01 3\r\n\r\n  401\tQ0\tFT2\t-2\n007 Q0 FT1 +1")
    assert read_qrels(path) == {"401": {"FT\xa01": 3, "FT2": -2}, "007": {"FT1": 1}}


@pytest.mark.parametrize(
    ("text", "expected_words"),
    [
        (b"1 0 d\xff 1\n", "line 1 UTF-8"),
        (b"\n \n", "no lines"),
        (b"query-id corpus-id score\n", "line 1 3 columns 4"),
        (b"1 0 d1 1\n1 0 d2 0.5\n", "line 2 grade '0.5'"),
        (b"1 0 d1 1234567890\n", "line 1 grade '1234567890'"),
        (b"1 0 d1 1\n1 0 d1 1\n", "line 2 document 'd1' question '1'"),
    ],
)
def test_error_names_the_file_and_the_line(text, expected_words, tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(text)
    assert_refused(ValueError, f"{path} {expected_words}", lambda: read_qrels(path))


def test_comments_are_skipped_as_in_trec_eval(tmp_path):
    path = tmp_path / "file.qrels"
    path.write_text("\ufeff# 1 2 d 3\nq1 0 d#2 1\n#q2 0 d 1\n#\nq3 0 # 1\n", encoding="utf-8")
    assert read_qrels(path) == {"q1": {"d#2": 1}, "q3": {"#": 1}}
    path.write_text("# only this\n", encoding="utf-8")
    assert_refused(ValueError, "no lines question iteration document grade", lambda: read_qrels(path))


def test_errors_name_invalid_paths():
    assert_refused(TypeError, "path int 7", lambda: read_qrels(7))
    assert_refused(FileNotFoundError, "nothing.run", lambda: read_qrels("nothing.run"))
