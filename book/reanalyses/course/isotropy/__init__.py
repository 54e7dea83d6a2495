"""Exercises of part 1, a module for each lesson."""
