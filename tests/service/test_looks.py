"""Articles that several threads of a push look up in one list."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from kbsync.service.endpoint import Endpoint
from kbsync.service.portal_reader import PortalReader
from kbsync.service.profile import read_profile
from patience import GIVE_UP_S

from .world import HERE, PORTAL, a_sandbox, a_transport, fill


class SlowFirst:
    """An endpoint whose first answer about articles arrives when somebody lets it through."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.lock, self.first = threading.Lock(), True
        self.answered, self.let_through = threading.Event(), threading.Event()

    def __getattr__(self, name):
        return getattr(self.endpoint, name)

    def ask(self, operation, **details):
        with self.lock:
            is_first = self.first and operation == "list_articles"
            self.first = self.first and not is_first
        answer = self.endpoint.ask(operation, **details)
        if is_first:
            self.answered.set()
            assert self.let_through.wait(GIVE_UP_S)
        return answer


def test_of_two_looks_at_a_list_the_later_one_is_remembered_whichever_ends_last(tmp_path):
    with a_sandbox(tmp_path) as sandbox, a_transport(sandbox.base_url) as transport:
        fill(sandbox, 3, locale="en")
        endpoint = SlowFirst(Endpoint(read_profile("chatwoot", folder=HERE), transport, 1, PORTAL))
        reader = PortalReader(endpoint)
        with ThreadPoolExecutor(2) as threads:
            early = threads.submit(reader.find_in_list, "a-001", "en")
            assert endpoint.answered.wait(GIVE_UP_S)
            try:
                sandbox.panel.edit("a-002", title="Edited meanwhile")
                late = threads.submit(reader.find_in_list, "a-002", "en").result(GIVE_UP_S)
            finally:
                endpoint.let_through.set()
            assert early.result(GIVE_UP_S) is not None
        assert late.title == "Edited meanwhile"
        assert "Edited meanwhile" in {article.title for article in reader.observed(("en",))}
