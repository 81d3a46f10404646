"""Reading and comparing mathematical answers: surface, tokens, grammar, evaluation, comparison."""
