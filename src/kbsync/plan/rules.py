"""The rules of a plan: what only the portal and the record show. Found beside this and in `push/uploads.py`."""

from __future__ import annotations

from kbsync.model import Rule

FILE_GONE = Rule("KB501", "Published by kbsync, and its file is gone")
LOOK_ALIKE = Rule("KB502", "Article made in the panel that looks like yours")
DYING_ADDRESS = Rule("KB503", "Address that stops working")
TOO_MANY_IMAGES = Rule("KB506", "More images than the service accepts in an hour")
TOO_MANY_POPULAR = Rule("KB510", "More popular items than the home page shows")
TOO_LATE = Rule("KB507", "Date of an article that is already published")

RULES = (FILE_GONE, LOOK_ALIKE, DYING_ADDRESS, TOO_MANY_IMAGES, TOO_LATE, TOO_MANY_POPULAR)
