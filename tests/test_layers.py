"""The arrows between the layers point downwards. Source: docs/architecture.md, layers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "kbsync"

ROWS = (
    ("cli",),
    ("app",),
    ("preview", "sandbox", "report"),
    ("push", "history", "trust"),
    ("plan", "lint", "site"),
    ("content", "service", "ledger"),
    ("markdown",),
    ("config",),
    ("git",),
    ("children", "command", "hosts", "jobs", "patterns", "words"),
    ("memory",),
    ("files",),
    ("model", "fields"),
    ("errors",),
)
"""From above to below. Not in the design: `files`, `children` (processes), `command` (one for the shell), `git`, `hosts`,
`jobs` (of CI), `patterns`, and `words` (numbers in sentences)."""

MOST_REACHED, MOST_LINES_REACHED = 203, 35_270
"""Modules that a push imports, directly or not, and their lines. Take something out before you ask for more."""

HOMES = {
    "click": {"cli"},
    "httpx": {"service"},
    "watchdog": {"preview"},
    "sqlite3": {"ledger", "memory", "sandbox"},
    "psycopg": {"ledger"},
    "uvicorn": {"site"},
    "starlette": {"preview", "sandbox", "site"},
    "jinja2": {"site"},
    "pygments": {"site"},
    "markdown_it": {"markdown"},
    "pyromark": {"markdown"},
    "yaml": {"content"},
    "frontmatter": {"content"},
}
"""Where a library may be imported, and nowhere else."""

ONE_MEANING = {
    "ledger": {"cli", "ledger", "report"},
    "lease": {"app", "push"},
    # A file of `lint` is named after what its rules are about.
    "tables": {"lint", "markdown"},
    # One role: rules, each group where they are found; SQL tables; the parts of a local server.
    "rules": {"content", "plan", "report"},
    "schema": {"ledger", "sandbox", "cli"},  # a command is called so, too
    "api": {"cli", "asking", "service"},
    "about": {"config", "content"},
    "cached": {"planning", "pushing"},
    "glossary": {"app", "content"},
    "versions": {"cli", "markdown"},
    "server": {"preview", "sandbox", "site"},
}
"""The names of modules that may be there in several folders, because they mean the same in each."""

BUDGET = {
    "app": 12_270, "plan": 8_700, "report": 5_775, "sandbox": 5_810, "lint": 5_575, "content": 5_135, "service": 5_045,
    "preview": 4_055, "cli": 4_230, "ledger": 3_630, "markdown": 2_935, "history": 2_190, "site": 1_805, "push": 1_595,
    "config": 1_115, "trust": 570, "model": 560, "fields": 170,
}  # fmt: skip
"""Lines of a room, at most. Take something out before you ask for more; who raises a number says here why.

`app`, `config`, `sandbox` and `service`: portals that ask their readers for a password, and ids of who counts visits.
`content`, `lint`, `markdown`, `preview` and `site`: players with a width, and videos beside the sources.
`plan`, `report` and `service`: an article whose status has no name here is held.
"""

JOURNEYS = {"planning", "pushing", "pulling", "linting", "moving", "translating", "asking"}
"""What `app` does, each in a folder. All else of `app` is the ground that they share; `project.py` is above them."""

OF_A_COMMAND = {"cli", "app", "plan", "push", "report", *JOURNEYS}
"""Where a command may have its name: the command itself, its use case, what it decides, does and says."""

LEVEL = {name: number for number, row in enumerate(ROWS) for name in row}


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a module."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, in full, imports inside functions included."""
    package = ("kbsync", *path.relative_to(SOURCE).parent.parts)
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join(package[: len(package) - node.level + 1])
            yield f"{base}.{node.module}" if node.module else base
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer_of(module: str) -> str:
    """`kbsync.plan.build` is in `sync`."""
    return module.split(".")[1]


def files() -> Iterator[tuple[str, Path]]:
    """Every module with its layer; the package's own two doors (`__init__`, `__main__`) belong to none."""
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE)
        if len(relative.parts) > 1 or not relative.name.startswith("__"):
            yield (relative.parts[0].removesuffix(".py"), path)


def test_every_layer_of_the_design_is_there_and_nothing_else():
    assert {layer for layer, _ in files()} == set(LEVEL)


def test_a_module_imports_only_from_rows_below_its_own():
    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for layer, path in files()
        for module in imports(path)
        if module.startswith("kbsync.") and module != "kbsync.__version__"
        if layer_of(module) != layer and LEVEL[layer_of(module)] <= LEVEL[layer]
    ]
    assert wrong == []


def test_a_journey_imports_the_ground_and_planning_and_no_other_journey():
    def place(module: str) -> str:
        parts = module.split(".")
        return parts[2] if parts[:2] == ["kbsync", "app"] and len(parts) > 2 else ""

    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for layer, path in files()
        if layer == "app" and path.stem != "project"
        for module in imports(path)
        for own in [path.parent.name if path.parent.name in JOURNEYS else ""]
        if (to := place(module)) == "project" or (to in JOURNEYS and to not in ({own, "planning"} if own else {own}))
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    """Packages aside, whose `__init__` what is in them loads first."""
    paths = {".".join(("kbsync", *path.relative_to(SOURCE).with_suffix("").parts)): path for _, path in files()}
    below = {
        name: {to for found in run_time_imports(path) for to in (found, found.rpartition(".")[0]) if to in paths}
        for name, path in paths.items()
        if not name.endswith("__init__")
    }
    while leaves := {name for name, found in below.items() if not found & below.keys() - {name}}:
        below = {name: found for name, found in below.items() if name not in leaves}
    assert sorted(below) == []


def test_the_sandbox_knows_nothing_of_kbsync_but_pages_markdown_and_small_tools():
    known = {
        layer_of(module)
        for layer, path in files()
        if layer == "sandbox"
        for module in imports(path)
        if module.startswith("kbsync.")
    }
    assert known <= {"sandbox", "site", "markdown", "files", "hosts"}


def test_a_library_is_imported_where_it_belongs():
    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for layer, path in files()
        for module in imports(path)
        if layer not in HOMES.get(module.split(".")[0], {layer})
    ]
    assert wrong == []


def test_the_shipped_package_reads_nothing_beside_the_project():
    assert [path.name for _, path in files() if "../shared" in path.read_text("utf-8")] == []


def test_no_two_modules_have_one_name_unless_they_mean_the_same():
    folders: dict[str, set[str]] = {}
    for _, path in files():
        if path.stem != "__init__":
            folders.setdefault(path.stem, set()).add(path.parent.name)
    twice = {name: found for name, found in folders.items() if len(found) > 1}
    allowed = {name: ONE_MEANING.get(name, OF_A_COMMAND if "cli" in found else set()) for name, found in twice.items()}
    assert {name: found for name, found in twice.items() if not found <= allowed[name]} == {}
    assert ONE_MEANING.keys() <= twice.keys()


def test_every_command_is_click_s_business_and_what_it_does_is_the_application_s():
    """`door` turns errors into exit codes; it is not a command."""
    without = {
        path.name
        for layer, path in files()
        if layer == "cli" and "click" not in {name.split(".")[0] for name in imports(path)}
    }
    assert without == {"__init__.py"}


def test_no_room_is_larger_than_its_budget():
    lines = dict.fromkeys(BUDGET, 0)
    for layer, path in files():
        if layer in lines:
            lines[layer] += len(path.read_text("utf-8").splitlines())
    assert {room: number for room, number in lines.items() if number > BUDGET[room]} == {}


def test_a_push_reaches_no_more_than_it_did():
    found, left = set[str](), ["kbsync.app.pushing.push"]
    paths = {".".join(("kbsync", *path.relative_to(SOURCE).with_suffix("").parts)): path for _, path in files()}
    paths |= {name.removesuffix(".__init__"): path for name, path in paths.items()}
    while left:
        name = left.pop()
        module = name if name in paths else name.rpartition(".")[0]
        if module in paths and module not in found:
            found.add(module)
            left += [name for name in run_time_imports(paths[module]) if name.startswith("kbsync.")]
    lines = sum(len(paths[name].read_text("utf-8").splitlines()) for name in found)
    assert len(found) <= MOST_REACHED and lines <= MOST_LINES_REACHED, (len(found), lines)


def test_what_a_process_keeps_is_made_of_the_package_and_of_arguments_that_are_plain_values():
    """Tests run one command after the other in one process (`commands.py`): none may see what another one saw."""
    kept = [
        (path, node)
        for _, path in files()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef) and node.name != "_source_digest"  # of the package's own files
        if any("cache" in ast.unparse(one).replace("cached_property", "") for one in node.decorator_list)
    ]
    assert len(kept) > 20
    for path, node in kept:
        outside = re.findall(r"\b(Path|environ|open|cwd|stat|settings|workspace)\b", ast.unparse(node))
        assert outside == [], f"{path.relative_to(SOURCE)}: {node.name} keeps what it learned by {outside}"


def run_time_imports(path: Path) -> tuple[str, ...]:
    """The modules that a file imports when it runs, each name that is taken of one included."""
    for_types = {id(one) for node in nodes_of(path) if is_for_types(node) for one in ast.walk(node)}
    for node in (node for node in nodes_of(path) if id(node) not in for_types):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = ("kbsync", *path.relative_to(SOURCE).parts[: -node.level]) if node.level else ()
            module = ".".join((*above, *([node.module] if node.module else ())))
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
