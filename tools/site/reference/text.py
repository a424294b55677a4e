"""Text in Markdown: tables, cells, headings and references between generated pages."""

import re


class Unknown(Exception):
    """A declaration whose structure the generator does not know. The message is one line."""


def cell(text):
    """Returns the text as a cell of a table: one line, without separators of cells.

    Angle brackets and asterisks outside code are no markup."""
    parts = re.split(r"(`[^`]*`)", " ".join(str(text).split()))
    escaped = [part if part.startswith("`") else re.sub(r"([<*_\\])", r"\\\1", part) for part in parts]
    return "".join(escaped).replace("|", "\\|")


def prose(text):
    """Returns the text as a paragraph, with the markup characters of `cell`."""
    return cell(text).replace("\\|", "|")


def code(text):
    """Returns the text as code in a cell."""
    text = str(text)
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}".replace("|", "\\|")


def table(head, rows):
    """Returns a table. The cells are finished Markdown."""
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n\n"


def first_sentence(text):
    """Returns the text up to the first full stop that ends a sentence."""
    return re.split(r"(?<=[.])\s", text.strip(), maxsplit=1)[0]
