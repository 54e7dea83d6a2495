"""Questions, adapted embeddings, and embedding methods."""
