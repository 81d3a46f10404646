"""Sandboxes for both engines, and the databases that tests run queries on."""

from __future__ import annotations

import pytest

from rlvr_course import SQLVerifier, load_problems
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.verifiers.sql.database import Database

RECORDED = load_problems("sql")
LIBRARY = Database(
    RECORDED[0].answer["ddl"], (RECORDED[0].answer["rows"], RECORDED[0].answer["hidden_rows"])
)
SHOP = Database(
    """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
    CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price DOUBLE, stock INTEGER);
    CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id),
        product_id INTEGER NOT NULL REFERENCES product(id), quantity INTEGER NOT NULL);
    """,
    (
        "INSERT INTO customer VALUES (1, 'Ana', 'PT'), (2, 'Ben', 'BE'), (3, 'Cem', 'TR');"
        "INSERT INTO product VALUES (1, 'cup', 2.25, 0), (2, 'jar', 4.5, 7), (3, 'tin', 1.1, 12);"
        "INSERT INTO sale VALUES (1, 1, 1, 2), (2, 2, 3, 1), (3, 3, 2, 5);",
    ),
)
READINGS = Database(
    "CREATE TABLE reading (sensor TEXT NOT NULL, value DOUBLE, taken INTEGER)",
    ("INSERT INTO reading VALUES ('a', 1.5, 1), ('b', 2.25, 1), ('a', 1.75, 2), ('c', 0.5, 3)",),
)
DATABASES = {"library": LIBRARY, "shop": SHOP, "readings": READINGS}


@pytest.fixture(scope="session")
def pools():
    """An open pool for each engine; without one the reason is the probes' own."""
    opened = {}
    try:
        opened["sqlite"] = SandboxPool("auto")
        opened["duckdb"] = SandboxPool("linux-ns", packages=("duckdb",))
    except (SandboxUnavailable, ValueError) as error:
        for pool in opened.values():
            pool.close()
        pytest.skip(str(error))
    yield opened
    for pool in opened.values():
        pool.close()


@pytest.fixture(scope="session")
def make(pools):
    """A verifier of an engine in its open pool."""

    def verifier(database=LIBRARY, engine="sqlite", **options):
        return SQLVerifier(database, engine=engine, sandbox=pools[engine], **options)

    return verifier


@pytest.fixture(scope="session")
def library(make):
    return make()


@pytest.fixture(scope="session")
def databases():
    return DATABASES
