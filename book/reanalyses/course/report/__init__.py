"""Exercises of Part 5, one module per lesson."""
