"""Values of a plan that are made when they are asked for: a hundred thousand would take as much memory as all that they
are made from, and most of a plan that is only shown is never looked at. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

Value_co = TypeVar("Value_co", covariant=True)


class Made(Sequence[Value_co]):
    """A tuple whose values are made each time that they are asked for; it equals one that has them."""

    def __init__(self, found: Sequence[Any], make: Callable[[Any], Value_co]) -> None:
        self._found, self._make = found, make

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Value_co]:
        return map(self._make, self._found)

    @overload
    def __getitem__(self, place: int) -> Value_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Value_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Value_co | tuple[Value_co, ...]:
        if isinstance(place, slice):
            return tuple(map(self._make, self._found[place]))
        return self._make(self._found[place])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | Made) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
