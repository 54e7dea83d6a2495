"""Exercises of Part 4, one module per lesson."""
