"""The digest that kbsync names things by, without OpenSSL.

`hashlib` loads OpenSSL for the digests that only it has: 4 MB and 2 ms, in every process of every command.
"""

try:
    from _blake2 import blake2b
except ImportError:  # A Python that has it elsewhere.
    from hashlib import blake2b

__all__ = ["blake2b"]
