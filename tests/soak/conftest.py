"""What all rounds have."""

from in_process import in_process

__all__ = ["in_process"]
