"""What the commands do. `project.py` is the door; each folder is a journey and tells its way at its head.

Every journey may import `planning`, which imports no other; all else that they share lies here: settings and folders
(`workspace.py`), the files as they were read (`reading.py`), the other two sides (`sides.py`), the lock (`lease.py`).
"""
