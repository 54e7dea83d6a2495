"""Figures about report cards."""
