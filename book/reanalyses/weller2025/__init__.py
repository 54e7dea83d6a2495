"""Ten claims of Weller et al. (2025) on what embeddings of a given dimension can return: an example of a ledger."""
