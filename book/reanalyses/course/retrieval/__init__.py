"""Exercises of part 4, a module for each lesson."""
