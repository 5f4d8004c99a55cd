"""A portal that all the jobs talk to, and a repository with a first branch that nobody has merged yet."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbsync.sandbox import Sandbox, running
from push.world import PORTAL, SETUP, TOKEN
from service.forges import FakeForge

from .forge import FILES, Forge
from .jobs import FORGE_TOKEN


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Sandbox]:
    """The portal that all the jobs talk to."""
    with running(tmp_path / "sandbox.db", SETUP) as sandbox:
        yield sandbox


@pytest.fixture
def forge(api: FakeForge, tmp_path: Path, portal: Sandbox) -> Forge:
    """A repository with a first branch that nobody has merged yet."""
    folder = tmp_path / "forge"
    folder.mkdir()
    secrets = {"KBSYNC_TOKEN": TOKEN, "KBSYNC_TOKEN_ORIGIN": portal.base_url}
    if api.kind == "gitlab":
        secrets["KBSYNC_GITLAB_TOKEN"] = FORGE_TOKEN
    found = Forge(folder, api.kind, secrets, api)
    config = f'[service]\nbase_url = "{portal.base_url}"\nportal = "{PORTAL}"\n[pace]\nrequests_per_minute = 60000\n'
    found.begin(FILES | {"kbsync.toml": f'{config}[lint]\nignore = ["KB214"]\n'})
    return found
