"""Copies the pages of the repository to the source tree of the site.

Markdown on GitHub differs from that of the site in the indentation of nested lists; links of pages
to files outside docs/ lead to copies of these files."""

import os
import re
import shutil
from functools import partial
from pathlib import Path

from .text import Unknown

# Pages of the root that are pages of the site, in `project/`. README is the home of the repository
# as docs/index.md is that of the site.
PROJECT = ["ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "CONVENTIONS", "SECURITY", "SOURCES"]
# Settings of single pages: the home page has no navigation beside it, and the pages that repeat
# terms of others are found after these.
SETTINGS = {
    "index.md": "hide: [navigation]",
    "project/CHANGELOG.md": "search: {boost: 0.3}",
    "reference/keys/all_*.md": "search: {boost: 0.3}",
}
IMAGES = {".jpg", ".png", ".svg"}
# Line of docs/reference/index.md below which the generated pages are listed.
GENERATED = "<!-- generated pages -->"
LIST = """
* [Keys of files](keys/index.md): every key of world files and component files, with type, unit, range and default
* [Sensors by kind](sensors/index.md): topics, keys and bundled devices of each kind of sensor
* [Topics](interfaces/topics.md): every topic with type, direction, rate and quality of service
* [Services and actions](interfaces/services.md): names and types
* [Parameters](interfaces/parameters.md): ROS 2 parameters of the node, with ranges
* [Message definitions](messages/index.md): types of the package `merrow_msgs`
* [Command line](command_line.md): commands and options
* [Worlds](bundled/worlds.md), [robots](bundled/robots.md) and [components](bundled/components.md) that are bundled
"""
# A link, or the address of an image or of a link with markup in its text.
LINK = re.compile(r"(?P<text>\[[^\[\]]*)?\]\((?P<address>[^()\s]+)\)")
ITEM = re.compile(r"\s*([*+-]|\d+[.)])\s")


def copy(root: Path, source: Path):
    """Copies docs/ and the pages of the root. Reports links to files that the site does not have."""
    docs = root / "docs"
    shutil.copytree(docs, source, ignore=shutil.ignore_patterns("*.md", "render_images", "__pycache__"))
    for path in sorted(docs.rglob("*.md")):
        convert(root, path, source, source / path.relative_to(docs))
    for name in PROJECT:
        convert(root, root / f"{name}.md", source, source / "project" / f"{name}.md")


def set_pages(source: Path):
    """Writes the settings of single pages into them."""
    for pattern, settings in SETTINGS.items():
        paths = list(source.glob(pattern))
        if not paths:
            raise Unknown(f"tools/site/reference/pages.py: SETTINGS names {pattern}, which does not exist")
        for path in paths:
            path.write_text(f"---\n{settings}\n---\n\n{path.read_text()}")


def convert(root: Path, path: Path, source: Path, target: Path):
    """Writes one page."""
    lines, fence, indent = [], None, 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.relative_to(root)}:{number}"
        stripped = line.lstrip()
        if fence is None:
            spaces = len(line) - len(stripped)
            indent = levels(spaces) - spaces
            check_start(where, lines[-1] if lines else "", stripped)
            if stripped.startswith("```"):
                fence = re.match("`+", stripped)[0]
            else:
                # code keeps its links
                parts = re.split(r"(`[^`]*`)", line)
                replace = partial(link, root, path, source, target, where)
                parts[::2] = [LINK.sub(replace, part) for part in parts[::2]]
                line = "".join(parts)
        elif stripped.rstrip() == fence:
            fence = None
        lines.append(" " * indent + line if line else line)
        if line == GENERATED:
            lines += LIST.splitlines()
        elif re.fullmatch(r"<!--.*-->", line):
            lines.append("")
    if fence is not None:
        raise Unknown(f"{path.relative_to(root)}: a code block has no end")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n")


def levels(spaces):
    """Returns the indentation of the site, four spaces per level, for two or three on GitHub."""
    return 4 * ((spaces + 2) // 3) if spaces <= 3 else 4 * ((spaces + 1) // 3)


def check_start(where, before, line):
    """Reports a list or a table without an empty line before it, which the site shows as text."""
    inside = not before.strip() or before.startswith((" ", "<!--"))
    if ITEM.match(line + " ") and not inside and not ITEM.match(before):
        raise Unknown(f"{where}: a list follows text; expected an empty line before it")
    if line.startswith("|") and not inside and not before.startswith("|"):
        raise Unknown(f"{where}: a table follows text; expected an empty line before it")


def link(root, path, source, target, where, found):
    """Returns a link of the page `path`, which is written to `target`. A text that is the name of a
    file becomes the title of its page."""
    text, address = found["text"] or "", found["address"]
    name, _, anchor = address.partition("#")
    if not name or re.match(r"[a-z]+:", name):
        return found[0]
    linked = Path(os.path.normpath(path.parent / name))
    docs = root / "docs"
    if linked.is_relative_to(docs):
        place = source / linked.relative_to(docs)
    elif linked.parent == root and linked.suffix == ".md" and linked.stem in PROJECT:
        place = source / "project" / linked.name
    elif linked == root / "README.md":
        place = source / "index.md"
    elif linked.suffix in IMAGES and linked.is_relative_to(root) and linked.is_file():
        place = source / "files" / linked.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(linked, place)
    else:
        raise Unknown(f"{where}: link to `{address}`, which is no page of the site; write the path without a link")
    if text.endswith(".md") and linked.is_file():
        text = "[" + linked.read_text().splitlines()[0].removeprefix("# ")
    return f"{text}]({os.path.relpath(place, target.parent)}{'#' * bool(anchor)}{anchor})"
