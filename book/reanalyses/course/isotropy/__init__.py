"""Exercises of Part 1, one module per lesson."""
