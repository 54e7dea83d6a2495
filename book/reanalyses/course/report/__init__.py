"""Exercises of part 5, a module for each lesson."""
