"""Tests of numbers and names as pages write them."""

from isotropy_report.card.words import axis_number, decimals, number, percent, shorten


def test_numbers_are_written_as_a_person_would_write_them():
    values = (0.0, 12345, 0.123456, 1234.5, 3.2e-7, 5e-324, -2.0)
    written = ["0", "12,345", "0.1235", "1,234", "3.200 × 10⁻⁷", "4.941 × 10⁻³²⁴", "−2.000"]
    assert [number(value) for value in values] == written
    assert (decimals(-0.25), decimals(-1e-9, 2)) == ("−0.250", "0.00")
    ticks = [axis_number(value) for value in (0.0, 0.25, -1.0, 1500.0, 2e6, 3e-7)]
    assert ticks == ["0", "0.25", "−1", "1,500", "2×10⁶", "3×10⁻⁷"]
    assert [percent(value) for value in (0.0, 0.5, 0.025, 0.0005)] == ["0%", "50%", "2.5%", "0.05%"]
    assert shorten("all-MiniLM-L12-v2.npy", 12) == "all-M…v2.npy"
