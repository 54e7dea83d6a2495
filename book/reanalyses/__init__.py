"""The book's reanalyses of four papers: experiments, figures, claims, errata and published values."""
