"""What a plan says that it takes, and what the push then takes, on a clock that does not wait."""

import random
from contextlib import closing

import pytest
from msgspec.structs import replace

from kbsync.config import PaceSettings
from kbsync.service.client import Service
from kbsync.service.endpoint import Endpoint
from kbsync.service.pace import Bucket, Gate
from kbsync.service.transport import Transport
from patience import GIVE_UP_S
from service.world import Sleepless

from .world import PORTAL, SETUP, TOKEN, a_category, a_project, a_sandbox, an_article, write_tree

MANY = {"en/a/_category.md": a_category("a")} | {f"en/a/n{n:02}.md": an_article(f"N{n}") for n in range(60)}
EDITED = MANY | {f"en/a/n{n:02}.md": an_article(f"New {n}") for n in range(40)}


class Timed:
    """A project whose client is paced, on a clock of its own."""

    def __init__(self, sandbox, folder, per_minute: int) -> None:
        # Only what was slept has passed: how fast this machine is does not show.
        self.clock = Sleepless()
        self.project = a_project(folder, sandbox.base_url, MANY)
        self.project.settings = replace(self.project.settings, pace=PaceSettings(requests_per_minute=per_minute))
        bucket = Bucket(per_minute, 4.0, self.clock.now, self.clock.sleep)
        times = self.clock.now, self.clock.sleep, self.clock.time
        self.transport = Transport(sandbox.base_url, TOKEN, GIVE_UP_S, bucket, Gate(4), *times, random.Random(7))
        self.service = Service(Endpoint(self.project.workspace().profile, self.transport, SETUP.account_id, PORTAL))

    def push(self) -> tuple[float, float]:
        """The seconds that the plan says, and those that the push takes from there on."""
        begin = 0.0

        def start() -> None:
            nonlocal begin
            begin = self.clock.now()

        pushed = self.project.push(self.service, before_sending=start, concurrency=1)
        assert pushed.words == {"done"}, pushed.told
        return pushed.plan.seconds, self.clock.now() - begin


@pytest.mark.parametrize("per_minute", [120, 300])
def test_the_estimate_of_a_plan_is_within_30_percent_of_what_the_push_takes(tmp_path, per_minute):
    with a_sandbox(tmp_path) as sandbox:
        timed = Timed(sandbox, tmp_path, per_minute)
        with closing(timed.transport):
            for files in (MANY, EDITED):
                write_tree(timed.project.root, files)
                said_s, took_s = timed.push()
                assert 0.7 * took_s <= said_s <= 1.3 * took_s, (said_s, took_s)
