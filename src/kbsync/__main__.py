"""`python -m kbsync`."""

from kbsync.children import leave_folder_out

# `-m` put the working folder first: what kbsync imports from here on does not come from there.
leave_folder_out()

from kbsync.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
