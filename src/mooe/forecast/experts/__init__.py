"""The experts of a forecast: arrays, votes and learning of one kind in one file."""
