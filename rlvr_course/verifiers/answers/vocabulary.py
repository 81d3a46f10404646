"""Names that an expression may hold: functions, constants, Greek letters, accents."""

from __future__ import annotations

FUNCTIONS = {
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "ln", "log", "lg", "exp", "sqrt", "cbrt", "abs", "floor", "ceil",
    "gcd", "lcm", "max", "min", "binomial", "factorial",
}  # fmt: skip
SAME_FUNCTION = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
CONSTANTS = {"pi": "pi", "e": "e", "i": "i", "oo": "oo", "inf": "oo", "infinity": "oo",
              "infty": "oo", "E": "E", "I": "I"}  # fmt: skip
GREEK = set(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell hbar".split()
)
ENGLISH = set(
    "at is of in to by on or an as be we it if so do no the and for are was has had not but its "
    "all any out per you she her his him our who how why can may let get got see use yes one two "
    "six ten".split()
)
ACCENTS = {r"\vec": "vec", r"\overrightarrow": "vec", r"\hat": "hat", r"\widehat": "hat",
            r"\bar": "bar", r"\overline": "bar", r"\tilde": "tilde"}  # fmt: skip
INVERTIBLE = {"sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh"}
UNKNOWN_FUNCTIONS = {"f", "g"}
PERHAPS_FUNCTIONS = {"h", "F", "G", "H", "P"}
"""Functions where one symbol or number stands in the parentheses, else factors: P(1 + r)."""
