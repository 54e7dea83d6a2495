"""Exercises of Part 3, one module per lesson."""
