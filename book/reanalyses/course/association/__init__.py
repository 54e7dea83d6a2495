"""Exercises of Part 2, one module per lesson."""
