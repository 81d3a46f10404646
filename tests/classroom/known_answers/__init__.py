"""Answers to every exercise: wrong and right ones by name, the solutions, and their mutants.

One module a notebook has ``WRONG`` and ``RIGHT``, from an exercise to answers by name. A new
exercise needs at least three wrong answers and a right one that looks unlike the solution.
"""
