"""What `kbsync plan` shows for one file, as the writer panel does. The plan itself is made by `app`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kbsync.site.writer_panel import Command

UP_TO_DATE = "Everything is up to date."


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What the plan has for one file.

    Args:
        digest: of the bytes that were planned (`content.body.raw_digest`); of others it says nothing.
        sentences: what a push does, and what needs a decision.
        commands: what decides.
        place: locale and slug under which the portal has the article; None where it has none.
        is_edited: whether somebody edited it in the panel.
    """

    digest: bytes
    sentences: tuple[str, ...]
    commands: tuple[Command, ...] = ()
    place: tuple[str, str] | None = None
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class FilePlans:
    """A plan, file by file; `error` says why there is none."""

    by_path: Mapping[str, FilePlan] = field(default_factory=dict)
    error: str = ""

    @property
    def edited(self) -> frozenset[str]:
        """The files whose articles were edited in the panel."""
        return frozenset(path for path, plan in self.by_path.items() if plan.is_edited)


FindPlans = Callable[[], FilePlans]
"""Makes the plan of all files. May take long."""
