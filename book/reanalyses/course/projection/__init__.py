"""Exercises of part 3, a module for each lesson."""
