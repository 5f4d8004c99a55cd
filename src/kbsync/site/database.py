"""What a local server checks about its SQLite file.

The check is here because the sandbox imports only `site` and `markdown` of kbsync.
"""

from kbsync.files import journal_names_another_file

__all__ = ["journal_names_another_file"]
