"""Places in a text: UTF-8 byte offsets to characters, characters to lines and columns."""


class Places:
    """Converts offsets of one text. Cheap when they are asked for roughly in order, free of cost for ASCII."""

    def __init__(self, text: str, *, skipped: int = 0) -> None:
        """Prepare for `text`, whose first `skipped` characters the parser did not get to see."""
        self.text = text
        self._skipped = skipped
        self._is_ascii = text.isascii()
        self._data = b""
        self._lone_cr = "\r" in text and text.count("\r") != text.count("\r\n")
        self._byte = self._char = 0
        self._line_at = 0
        self._line = 1

    def char(self, byte: int) -> int:
        """Give the character offset of a byte offset."""
        if self._is_ascii:
            return byte + self._skipped
        if not self._data:
            # Not before somebody asks: lines and columns need no bytes.
            self._data = self.text[self._skipped :].encode()
        if byte >= self._byte:
            self._char += len(self._data[self._byte : byte].decode())
        else:
            self._char -= len(self._data[byte : self._byte].decode())
        self._byte = byte
        return self._char + self._skipped

    def line(self, char: int) -> int:
        """Give the line of a character offset, from 1; CRLF, LF and a lone CR all end a line."""
        if char < self._line_at:
            self._line -= self._line_ends(char, self._line_at)
        elif self._lone_cr:
            self._line += self._line_ends(self._line_at, char)
        else:
            # As nearly always. Tens of thousands are asked for.
            self._line += self.text.count("\n", self._line_at, char)
        self._line_at = char
        return self._line

    def column(self, char: int) -> int:
        """Give the column of a character offset in characters, from 1; a byte order mark has none."""
        line_start = self.text.rfind("\n", 0, char) + 1 or self._skipped
        if self._lone_cr:
            line_start = max(line_start, self.text.rfind("\r", 0, char) + 1)
        return char - line_start + 1

    def spot(self, char: int) -> tuple[int, int]:
        """Give line and column of a character offset."""
        return self.line(char), self.column(char)

    def _line_ends(self, start: int, end: int) -> int:
        count = self.text.count("\n", start, end)
        if self._lone_cr:
            count += self.text.count("\r", start, end) - self.text.count("\r\n", start, end)
        return count
