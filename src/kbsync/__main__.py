"""`python -m kbsync`."""

from kbsync.cli import main

if __name__ == "__main__":
    main()
