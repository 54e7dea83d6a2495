"""Ten claims of Weller et al. (2025) on limits of embeddings of a given dimension: an example of a ledger."""
