"""Decoding: the bytes of a file as text, or the reason why they are none."""

from __future__ import annotations

from typing import Final

from foreword.files._walk import Refused

_REMEDY: Final = "save it as UTF-8 text"
# The order matters: UTF-32 begins like UTF-16.
_OTHER_BOMS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def decode(data: bytes) -> str:
    """Return the text of a file, without the byte order mark of UTF-8.

    Raises:
        Refused: The bytes are not UTF-8, or hold a NUL.

    >>> decode("\\ufeffa".encode())
    'a'
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _foreign(data) or Refused(
            "FW004",
            f"it is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            _REMEDY,
            line=_line(data, error.start),
        ) from None
    if "\0" in text:
        offset = data.index(b"\0")
        raise _foreign(data) or Refused(
            "FW004", f"it holds a NUL byte at offset {offset}", _REMEDY, line=_line(data, offset)
        )
    return text[1:] if text.startswith("\ufeff") else text


def _foreign(data: bytes) -> Refused | None:
    for bom, encoding in _OTHER_BOMS:
        if data.startswith(bom):
            return Refused("FW004", f"the file is {encoding}, not UTF-8", _REMEDY)
    return None


def _line(data: bytes, offset: int) -> int:
    return data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
