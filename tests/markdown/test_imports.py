"""Start-up is part of speed: each module of the package loads only the library that it needs."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("kbsync.markdown", "pyromark markdown_it"),
        ("kbsync.markdown.spans", "markdown_it"),
        ("kbsync.markdown.anchors", "pyromark markdown_it"),
        ("kbsync.markdown.html", "pyromark"),
        # What every command loads: httpx takes longer than a small tree to read.
        ("kbsync.cli.screen", "httpx"),
        ("kbsync.app.workspace", "httpx"),
        ("kbsync.cli.lint", "httpx"),
        # What a command needs only to start a server.
        ("kbsync.app.pushing.push", "starlette uvicorn anyio"),
        ("kbsync.cli.demo", "starlette uvicorn anyio"),
        ("kbsync.cli.preview", "starlette uvicorn anyio"),
        ("kbsync.preview.static_site", "starlette uvicorn anyio"),
    ],
)
def test_a_module_loads_no_library_of_its_neighbours(module: str, absent: str):
    code = f"import sys, {module}; print([name for name in {absent.split()!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
