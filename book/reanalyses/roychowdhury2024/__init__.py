"""Roychowdhury et al. (2024): embeddings for document retrieval."""
