"""A second run of a submission in a kernel jail, and how its outputs compare."""
