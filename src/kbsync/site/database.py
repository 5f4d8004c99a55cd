"""What a local server checks about its SQLite file.

The check is here because the sandbox imports only `site` and `markdown` of kbsync.
"""

from kbsync.files import unsafe_beside

__all__ = ["unsafe_beside"]
