"""What all wings share: checks of arguments, moments, neighbors, resampling and results."""
