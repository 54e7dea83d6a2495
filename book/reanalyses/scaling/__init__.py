"""What scores cost on paper, one answer from many kinds of input, and estimates from sampled pairs."""
