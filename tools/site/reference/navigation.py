"""Navigation of the site: the pages that the index of each folder links to, in its order.

The headings of an index group the pages. `mkdocs build --strict` reports a page that no index
names."""

import os
import re
from pathlib import Path

from .text import Unknown

PARTS = {
    "tutorials": "Tutorials",
    "guides": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
}
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+\.md)\)")


def of(source: Path):
    """Returns the navigation of the site."""
    listed = set()
    nav = [{"Home": "index.md"}]
    for folder, title in PARTS.items():
        nav.append({title: of_index(source, source / folder / "index.md", listed)})
    return nav


def of_index(source: Path, index: Path, listed):
    """Returns the entries below an index. Each page is at its first place in the navigation."""
    entries = [str(index.relative_to(source))]
    group = entries
    for line in index.read_text().splitlines():
        if line.startswith("## "):
            group = []
            entries.append({line.removeprefix("## "): group})
        if not line.startswith("* "):
            continue
        for text, address in LINK.findall(line):
            page = Path(os.path.normpath(index.parent / address))
            if page in listed:
                raise Unknown(f"{index.relative_to(source)}: {address} is in the navigation already")
            if not page.exists():
                raise Unknown(f"{index.relative_to(source)}: no page {address}")
            listed.add(page)
            # names stay as they are written
            title = text.strip("`") if text.startswith("`") else text[0].upper() + text[1:]
            is_index = page.name == "index.md"
            group.append({title: of_index(source, page, listed) if is_index else str(page.relative_to(source))})
    # a heading without pages is no group
    return [entry for entry in entries if not isinstance(entry, dict) or [] not in entry.values()]
