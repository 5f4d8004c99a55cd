"""The limits on requests: fixed windows that end with the clock's minute or hour. See docs/service.md, section 7."""

from collections import Counter
from dataclasses import dataclass, field

from .http import Request
from .setup import Behaviour

MINUTE_S = 60
HOUR_S = 3600


@dataclass(slots=True)
class Throttle:
    """Counts requests. Everything but `/health` counts, refused requests and public pages too."""

    behaviour: Behaviour
    minute: int = 0
    hour: int = 0
    by_client: Counter[str] = field(default_factory=Counter)
    by_account: Counter[str] = field(default_factory=Counter)

    def refuses(self, request: Request, now_s: float) -> bool:
        """Count a request and tell whether it is one too many."""
        if request.segments == ("health",):
            return False
        self._turn(now_s)
        limits = self.behaviour
        self.by_client[request.client] += 1
        if limits.requests_per_minute is not None and self.by_client[request.client] > limits.requests_per_minute:
            return True
        if limits.uploads_per_hour is None or not self._is_upload(request):
            return False
        account = request.segments[3]
        self.by_account[account] += 1
        return self.by_account[account] > limits.uploads_per_hour

    def _is_upload(self, request: Request) -> bool:
        # From 4.16 on, reading the path counts too (docs/service.md, S142).
        methods = {"POST", "GET"} if self.behaviour.is_4_16 else {"POST"}
        path = request.segments
        return (
            request.method in methods
            and len(path) == 5
            and path[:3] == ("api", "v1", "accounts")
            and path[4] == "upload"
        )

    def _turn(self, now_s: float) -> None:
        if self.minute != now_s // MINUTE_S:
            self.minute = int(now_s // MINUTE_S)
            self.by_client.clear()
        if self.hour != now_s // HOUR_S:
            self.hour = int(now_s // HOUR_S)
            self.by_account.clear()
