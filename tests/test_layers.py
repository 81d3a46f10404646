"""The direction of imports: leaves <- domains <- spine <- consumers <- classroom <- cli.

Read from the source, so that imports inside functions and for type checking count too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import rlvr_course

PACKAGE = Path(rlvr_course.__file__).parent

# From the bottom up. A unit is a module or package right under rlvr_course; it may import units
# of its own row and of the rows above it here, as long as there is no cycle.
LAYERS = {
    "leaves": ("records", "errors", "stats", "progress"),
    "domains": ("problems", "policies", "sandbox", "verifiers"),
    "spine": (
        *("rewards", "audit", "rollouts", "advantages", "pairs"),
        *("breakeven", "stacked", "estimators", "pass_rates", "hacks", "tuner"),
    ),
    "consumers": ("modes", "plots", "graders", "adapters", "training"),
    "classroom": ("classroom",),
    "grading": ("grading",),
    "command line": ("cli", "__main__"),
}
RANK = {unit: rank for rank, units in enumerate(LAYERS.values()) for unit in units}
ROLLOUT_MAY_IMPORT = {
    "errors",
    "records",
    "policies.protocol",
    "verifiers.boundary",
    "verifiers.protocol",
}
HEAVY = {
    *(
        "torch",
        "trl",
        "transformers",
        "datasets",
        "tokenizers",
        "matplotlib",
        "pandas",
        "scipy",
        "numpy",
        "sympy",
    ),
    *("math_verify", "openai", "papermill", "nbformat", "nbconvert", "nbclient", "jupytext"),
}


def module_name(path: Path) -> str:
    """The file's dotted name below rlvr_course; "" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}
MODULES = sorted(set(SOURCES) - {""})


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Every absolute dotted name that is imported anywhere in the tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports(module: str) -> set[str]:
    """The modules of this package that a module imports, as dotted names below rlvr_course."""
    found = set()
    for name in imported_names(SOURCES[module]):
        if not name.startswith("rlvr_course."):
            continue
        parts = name.split(".")[1:]
        while parts and ".".join(parts) not in SOURCES:
            parts.pop()
        exported = rlvr_course._MODULE_OF.get(name.split(".")[1], "")
        found.add(".".join(parts) or exported)
    return found - {""}


def unit(module: str) -> str:
    return module.split(".")[0]


def top_level_imports(tree: ast.Module) -> Iterator[str]:
    """What runs on import: neither in a function nor under ``if TYPE_CHECKING``."""
    for node in tree.body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from imported_names(node)


def test_every_module_has_a_layer() -> None:
    assert {unit(module) for module in MODULES} - set(RANK) == set()


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_no_layer_above_its_own(module: str) -> None:
    rank = RANK[unit(module)]
    assert [name for name in own_imports(module) if RANK[unit(name)] > rank] == []


def test_units_form_no_cycle() -> None:
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        above = {unit(name) for name in own_imports(module)} - {unit(module)}
        graph.setdefault(unit(module), set()).update(above)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_the_loop_knows_no_concrete_verifier_or_reward() -> None:
    assert own_imports("rollouts") <= ROLLOUT_MAY_IMPORT


@pytest.mark.parametrize("module", ["", *MODULES])
def test_nothing_heavy_is_imported_at_the_top(module: str) -> None:
    roots = {name.split(".")[0] for name in top_level_imports(SOURCES[module])}
    assert roots & HEAVY == set()


def test_the_package_itself_imports_nothing_of_its_own_at_the_top() -> None:
    names = [n for n in top_level_imports(SOURCES[""]) if n.startswith("rlvr_course")]
    assert names == []


@pytest.mark.parametrize(
    ("module", "expected"),
    [("rollouts", "verifiers.boundary"), ("modes", "audit"), ("rewards", "stats")],
)
def test_the_reader_of_imports_finds_known_ones(module: str, expected: str) -> None:
    assert expected in own_imports(module)
