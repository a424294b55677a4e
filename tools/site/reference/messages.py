"""Pages of the message and service types of `merrow_msgs`, from their definitions."""

import re
from pathlib import Path

from .text import Unknown, cell, code, first_sentence, prose, table

TITLES = {"msg": "Messages", "srv": "Services", "action": "Actions"}
PARTS = {"msg": [""], "srv": ["Request", "Response"], "action": ["Goal", "Result", "Feedback"]}
FIELD = re.compile(r"(?P<type>[A-Za-z0-9_/]+(?:<=\d+)?(?:\[(?:<=)?\d*\])?)\s+(?P<name>[A-Za-z0-9_]+)\s*(?P<rest>.*)")


def parse(path: Path):
    """Returns the description of a definition, and for each of its parts the fields and constants, as
    tuples of type, name, value and description."""
    parts, comment, description = [[]], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if line == "---":
            parts.append([])
            comment = []
        elif line.startswith("#"):
            comment.append(line.lstrip("# "))
        elif not line:
            # the comment at the head of the file, before an empty line, describes the type
            if description is None and comment:
                description = " ".join(comment)
            comment = []
        else:
            field = FIELD.fullmatch(line.partition("#")[0].strip())
            if field is None:
                raise Unknown(f"{path}:{number}: neither a field, a constant nor a comment: {line}")
            trailing = line.partition("#")[2].strip()
            text = " ".join([*comment, trailing]).strip()
            parts[-1].append((field["type"], field["name"], field["rest"].lstrip("= "), text))
            comment = []
    return description or " ".join(comment), parts


def fields(part, names):
    """Returns the table of the fields. A comment also describes the fields below it that have none."""
    rows = []
    for kind, name, value, text in part:
        base = kind.split("[")[0]
        shown = f"[{code(kind)}](msg.md#{base.lower()})" if base in names else code(kind)
        rows.append([code(name + (f" = {value}" if value else "")), shown, cell(text or "as above")])
    return table(["field", "type", "description"], rows) if rows else "No fields.\n\n"


def write(folder: Path, package: Path):
    """Writes the pages. Returns the first sentence of each type, by its full name."""
    folder.mkdir(parents=True)
    names = {path.stem for path in package.glob("msg/*.msg")}
    sentences = {}
    index = [
        "# Message definitions\n",
        "The types of the package `merrow_msgs`, generated from their definitions. All other types are those of the",
        "standard packages.\n",
    ]
    for kind, title in TITLES.items():
        paths = sorted((package / kind).glob(f"*.{kind}"))
        if not paths:
            continue
        text = f"# {title} of merrow_msgs\n\n"
        for path in paths:
            description, parts = parse(path)
            if not description:
                raise Unknown(f"{path}: no comment at its head, which describes the type")
            if len(parts) != len(PARTS[kind]):
                raise Unknown(f"{path}: found {len(parts)} parts, expected {len(PARTS[kind])}")
            sentences[f"merrow_msgs/{kind}/{path.stem}"] = first_sentence(description)
            text += f"## {path.stem}\n\n`merrow_msgs/{kind}/{path.stem}`: {prose(description)}\n\n"
            for part_title, part in zip(PARTS[kind], parts):
                text += f"**{part_title}**\n\n" if part_title else ""
                text += fields(part, names)
        (folder / f"{kind}.md").write_text(text)
        index.append(f"* [{title}]({kind}.md): {', '.join(path.stem for path in paths)}")
    (folder / "index.md").write_text("\n".join(index) + "\n")
    return sentences
