"""The decision: match, decide, order. Pure: no file, no request, no clock. `build.py` has the tables."""
