"""TREC's files."""

import pytest

from isotropy_report.io import read_qrels, read_run
from tests.isotropy_lab.bad_input import assert_refused


def test_files_by_others_are_read(tmp_path):
    path = tmp_path / "theirs"
    path.write_bytes(
        b"\xef\xbb\xbf401 Q0 FT\xc2\xa01 0 3.5 bm25\r\n\r\n  401\tQ0\tFT2\t1\t-1e-3\tbm25\n007 Q0 FT1 0 2 x"
    )
    assert read_run(path) == {"401": {"FT\xa01": 3.5, "FT2": -0.001}, "007": {"FT1": 2.0}}
    path.write_bytes(b"401 0 FT1 +1\n401 Q0 FT2 -2\n")
    assert read_qrels(path) == {"401": {"FT1": 1, "FT2": -2}}


@pytest.mark.parametrize(
    ("read", "text", "says"),
    [
        (read_run, b"1 Q0 d1 1 0.5 t\n1 Q0 d2 2 0.5\n", "line 2 5 columns 6"),
        (read_run, b"1 Q0 d1 1 high t\n", "line 1 score 'high'"),
        (read_run, b"1 Q0 d1 1 nan t\n", "line 1 score 'nan'"),
        (read_run, b"1 Q0 d1 1 2 t\n\n1 Q0 d1 2 1 t\n", "line 3 document 'd1' question '1'"),
        (read_run, b"1 Q0 d\xff 1 2 t\n", "line 1 UTF-8"),
        (read_run, b"\n \n", "no lines"),
        (read_qrels, b"query-id corpus-id score\n", "line 1 3 columns 4"),
        (read_qrels, b"1 0 d1 1\n1 0 d2 0.5\n", "line 2 grade '0.5'"),
        (read_qrels, b"1 0 d1 1234567890\n", "line 1 grade '1234567890'"),
        (read_qrels, b"1 0 d1 1\n1 0 d1 1\n", "line 2 document 'd1' question '1'"),
    ],
)
def test_bad_files_are_named_with_the_line(read, text, says, tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(text)
    assert_refused(ValueError, f"{path} {says}", lambda: read(path))


def test_comments_of_judgments_are_skipped_as_in_trec_eval(tmp_path):
    path = tmp_path / "file.qrels"
    path.write_text("\ufeff# 1 2 d 3\nq1 0 d#2 1\n#q2 0 d 1\n#\nq3 0 # 1\n", encoding="utf-8")
    assert read_qrels(path) == {"q1": {"d#2": 1}, "q3": {"#": 1}}
    path.write_text("# only this\n", encoding="utf-8")
    assert_refused(ValueError, "no lines question iteration document grade", lambda: read_qrels(path))


@pytest.mark.parametrize(
    ("error", "says", "path"),
    [
        (TypeError, "path int 7", 7),
        (ValueError, "path", "a\0b"),
        (FileNotFoundError, "nothing.run", "nothing.run"),
    ],
)
def test_bad_paths_are_named(error, says, path):
    assert_refused(error, says, lambda: read_qrels(path))
