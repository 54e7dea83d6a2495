"""Shared code: argument checks, moments, nearest neighbors, resampling, and result classes."""
