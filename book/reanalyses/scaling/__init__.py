"""Experiments of the chapter on scale: one answer from many kinds of input, sampled pairs, costs on paper."""
