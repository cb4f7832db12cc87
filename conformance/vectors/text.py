"""Octets and numbers as the vectors have them: SCHEMA.md."""


def unpack(text):
    """The octets that a vector's text stands for."""
    out = bytearray()
    for word in text.split():
        if word[2:3] in ("*", "+"):
            first, step = int(word[:2], 16), int(word[2] == "+")
            out += bytes((first + step * i) & 255 for i in range(int(word[3:])))
        else:
            out += bytes.fromhex(word)
    return bytes(out)


def number(value):
    """A vector's value as a number."""
    if isinstance(value, int):
        return value
    return int(value, 16)
