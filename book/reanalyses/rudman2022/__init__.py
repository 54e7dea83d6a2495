"""Rudman et al. (2022): IsoScore."""
