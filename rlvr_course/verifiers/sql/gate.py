"""What a query may be, before it is run: which statements, which functions, how long.

The lists are of what is allowed, or, for DuckDB, whose functions are too many, of what would give
other rows each time. The engines' own gates are in ``inside``.
"""

from __future__ import annotations

from rlvr_course.verifiers.sql.tokens import tokenize

MAX_QUERY = 10_000
"""Characters of a query."""

_STARTS = {"sqlite": {"select", "with", "values"}, "duckdb": {"select", "with", "values", "from"}}

_OTHER_STATEMENTS = frozenset(
    (
        "insert update delete drop create alter attach detach pragma explain vacuum copy install "
        "load replace truncate merge reindex analyze call export import begin commit rollback end "
        "savepoint release set reset use describe show summarize pivot checkpoint prepare execute"
    ).split()
)

SQLITE_FUNCTIONS = frozenset(
    (
        "abs char coalesce concat concat_ws format glob hex ifnull iif instr length like "
        "likelihood likely lower ltrim max min nullif octet_length printf quote replace round "
        "rtrim sign soundex substr substring trim typeof unhex unicode unlikely upper zeroblob "
        "avg count group_concat string_agg sum total median percentile "
        "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value "
        "nth_value acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor "
        "ln log log10 log2 mod pi pow power radians sin sinh sqrt tan tanh trunc "
        "date time datetime julianday strftime unixepoch timediff "
        "json json_array json_array_length json_extract json_object json_type json_valid "
        "json_group_array json_group_object json_quote -> ->>"
    ).split()
)
"""Functions of SQLite that a query may call: none that is random, writes, or tells of the host."""

SQLITE_TABLE_FUNCTIONS = ("json_each", "json_tree")

_DUCKDB_UNSTABLE = frozenset(
    (
        "random setseed uuid gen_random_uuid uuidv4 uuidv7 now today current_timestamp "
        "current_date current_time localtime localtimestamp get_current_time get_current_timestamp "
        "transaction_timestamp txid_current nextval currval query query_table sleep getvariable"
    ).split()
)


def refusal(query: str, engine: str) -> str:
    """Why a query is not run at all, as a reason code; "" if it may be tried.

    >>> refusal("DROP TABLE member", "sqlite"), refusal("SELECT 1", "sqlite")
    ('not_read_only: DROP', '')
    """
    if len(query) > MAX_QUERY:
        return f"query_too_long: {len(query)} characters"
    if not query.isprintable() and any(
        ord(mark) < 32 and mark not in "\t\n\r\f\v" for mark in query
    ):
        return "query_error: a control character"
    try:
        query.encode()
    except UnicodeEncodeError:
        return "query_error: a lone surrogate"
    tokens = tokenize(query)
    first = next((token for token in tokens if token.text != "("), None)
    if first is None or first.word not in _STARTS[engine]:
        word = first.text.upper()[:20] if first else "nothing"
        is_other = first is not None and first.word in _OTHER_STATEMENTS
        return f"not_read_only: {word}" if is_other else f"syntax_error: begins with {word}"
    if engine == "duckdb":
        for name in (token.identifier for token in tokens):
            if name in _DUCKDB_UNSTABLE:
                return f"forbidden_function: {name}"
    return ""
