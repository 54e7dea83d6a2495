"""Smelser et al. (2025): stress and KL divergence of projections."""
