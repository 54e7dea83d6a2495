"""Kindel (2023): word associations."""
