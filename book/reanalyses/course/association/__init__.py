"""Exercises of part 2, a module for each lesson."""
