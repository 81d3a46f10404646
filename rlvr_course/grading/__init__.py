"""Grading executed notebooks: what a submission is, what is found in it, what it is worth."""
