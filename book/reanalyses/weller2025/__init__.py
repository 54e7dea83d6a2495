"""Ten claims of Weller et al. (2025) on the limits of embeddings of a given dimension, as a sample ledger."""
