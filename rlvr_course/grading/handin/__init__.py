"""What was handed in: read from disk without trust, its cells matched with those given out."""
