"""Questions, adapted embeddings and ways to embed."""
