"""Graders of mathematical answers side by side, on labelled cases, each in its own process."""
