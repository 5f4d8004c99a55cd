"""What a sandbox holds when it is made, and which version's manners it shows."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["administrator", "agent"]


@dataclass(frozen=True, slots=True)
class PortalSetup:
    """One help center of an account."""

    slug: str
    name: str
    locales: tuple[str, ...]
    default_locale: str
    custom_domain: str = ""
    header_text: str | None = None


@dataclass(frozen=True, slots=True)
class UserSetup:
    """One person of an account, with the token of the API."""

    id: int
    name: str
    email: str
    role: Role
    token: str


@dataclass(frozen=True, slots=True)
class Setup:
    """One account; `neighbours` are the other accounts of the same installation.

    A token in `bot_tokens` belongs to no person: the service refuses it everywhere.
    """

    portals: tuple[PortalSetup, ...]
    users: tuple[UserSetup, ...]
    account_id: int = 1
    account_name: str = "Acme"
    suspended: bool = False
    bot_tokens: tuple[str, ...] = ()
    neighbours: tuple["Setup", ...] = ()


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the service behaves where versions and installations differ.

    The defaults are Chatwoot 4.16, as `V4_16`; `V4_10` and `V4_2` are older. Source: docs/service.md, S6, S7, S13, S14,
    S19, S101 to S155.

    Args:
        create_status: "draft" makes every created article a draft, whatever status was sent.
        categories_per_page: rows in one page of the category list.
        requests_per_minute: by address, in windows that end with the clock's minute; None: no limit.
        uploads_per_hour: by account, in windows that end with the clock's hour; None: no limit.
        latency_s: every answer waits this long.
        ties: "lose" drops and repeats rows that tie in the sort column, as a quiet PostgreSQL was seen to do; "random"
            gives tied articles in another order for each request, as it may do while others use it.
        version: the version that `/api` shows, which decides what the service can do and the shape of its answers.
        fetches_from_private: from 4.16: an upload by address may name this machine; otherwise it is refused (S143).
        accounts_without_api: the ids of accounts whose plan has no API access, as 4.16 knows them (S141).
        reader_password: what the portals ask their readers for; "" lets everybody read (S158, after 4.18).
    """

    create_status: Literal["honoured", "draft"] = "honoured"
    categories_per_page: int = 1000
    requests_per_minute: int | None = None
    uploads_per_hour: int | None = 60
    latency_s: float = 0.0
    ties: Literal["lose", "random", "stable"] = "stable"
    version: str = "4.16.2"
    fetches_from_private: bool = False
    accounts_without_api: frozenset[int] = frozenset()
    reader_password: str = ""

    @property
    def is_old(self) -> bool:
        """Whether `blob_id` is a number, and the author of an article comes without `provider`: before 4.5."""
        return self._release < (4, 5)

    @property
    def is_4_16(self) -> bool:
        """Whether there are staged changes, bulk actions and the rest of docs/service.md, S101 to S155."""
        return self._release >= (4, 16)

    @property
    def has_analytics(self) -> bool:
        """Whether a portal has ids of who counts visits (S159)."""
        return self._release >= (4, 17)

    @property
    def _release(self) -> tuple[int, int]:
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)


V4_16 = Behaviour(version="4.16.2")
"""The manners of Chatwoot 4.16.2. Source: docs/service.md, the places marked [4.16]."""

V4_10 = Behaviour(version="4.10.0")
"""The manners of Chatwoot 4.10.0. Source: docs/service.md, all that has no mark."""

V4_2 = Behaviour(create_status="draft", categories_per_page=25, ties="lose", version="4.2.0")
"""The manners of Chatwoot 4.2.0. Source: docs/service.md, the places marked [4.2]."""

V4_18 = Behaviour(version="4.18.0")
"""The manners of Chatwoot 4.18 as far as they are known. Source: docs/service.md, S158 to S160."""

VERSIONS = {"4.10": V4_10, "4.16": V4_16, "4.18": V4_18}
"""What a sandbox can be asked to answer like, by name."""
