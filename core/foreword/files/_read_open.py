"""Reading an open file: all of its bytes, and never more than it may have."""

from __future__ import annotations

import os
import stat
from typing import Final

from foreword.files._walk import Refused, not_regular, refusal

KIND: Final = 0o170000
"""The part of a mode that says what kind of thing it is."""

REGULAR: Final = stat.S_IFREG


def read_open(fd: int, status: os.stat_result, max_bytes: int) -> bytes:
    """Read all of an open regular file, but never more than one byte above the limit."""
    if status.st_mode & KIND != REGULAR:
        raise not_regular(status.st_mode)
    try:
        size = status.st_size
        data = os.read(fd, (size if size < max_bytes else max_bytes) + 1)
        if data and len(data) == size <= max_bytes:
            return data
        # The size is only a guess: files grow, and those of /proc say 0.
        while data and len(data) <= max_bytes:
            more = os.read(fd, min(max_bytes + 1 - len(data), 65536))
            if not more:
                break
            data += more
    except OSError as error:
        raise refusal(error) from None
    if len(data) > max_bytes:
        remedy = "shorten it, or raise [files] max_bytes"
        raise Refused("FW005", f"the file is larger than {max_bytes} bytes", remedy)
    return data
