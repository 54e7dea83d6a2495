"""What the chapter on scale computes: one answer from many kinds of input, sampled pairs, costs on paper."""
