"""SQLVerifier: is a query right, whatever the rows?

    tokens.py      SQL as tokens; statements
    extract.py     the one query in a model's reply
    gate.py        what a query may be
    schema.py      the author's tables
    database.py    the author's databases, and what their rows hold throughout
    boundaries.py  values at which a reference's conditions turn
    variants.py    generated databases
    reference.py   a reference's order, ties and limit
    inside.py      the end that runs in the sandbox: SQLite and DuckDB behind their own gates
    running.py     queries to sandboxed runs, runs to rows
    compare.py     rows against rows
    report.py      what each database showed
    verifier.py    SQLVerifier itself
    mutants.py     a query in many wrong forms: do the databases tell them apart?
    candidates.py  the attack suite's queries

Why a sandbox for SQL, which opens no file behind an authorizer? Because a query can't be stopped
there: SQLite asks its clock between instructions, and one ``instr`` of two long texts is one
instruction of several seconds. DuckDB holds its memory limit for tables, not for a text that
``repeat`` makes. Behind the sandbox's limits both end in time.
"""
