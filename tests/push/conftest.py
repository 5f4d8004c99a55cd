"""What all tests of pushes have."""

from in_process import in_process

__all__ = ["in_process"]
