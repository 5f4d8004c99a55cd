"""kbsync publishes a help center from Markdown in git."""

__version__ = "0.1.0"
