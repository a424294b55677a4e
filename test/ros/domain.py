"""DDS domains of tests that run at the same time."""

import contextlib
import fcntl
import itertools
import os
import pathlib
import tempfile

# the DDS ports of domains above 100 are in the range of Linux ephemeral ports
NUMBERS = itertools.cycle((os.getpid() + i) % 100 + 1 for i in range(100))


class Domain:
    """A DDS domain that no other test on this machine uses while it is open. A context manager that
    returns its number.
    """

    def __init__(self):
        for self.number in itertools.islice(NUMBERS, 100):
            path = pathlib.Path(tempfile.gettempdir()) / f"merrow-test-domain-{self.number}.lock"
            # in use by another process, or the file belongs to another user
            with contextlib.suppress(OSError):
                self._lock = open(path, "w", encoding="utf-8")
                try:
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except OSError:
                    self._lock.close()
        raise RuntimeError("all 100 domains are taken")

    def close(self):
        """Releases the domain."""
        self._lock.close()

    def __enter__(self):
        return self.number

    def __exit__(self, *_):
        self.close()
