"""Streams of rows: in memory, or read from a file as they are asked for."""
