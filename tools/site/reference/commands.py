"""Page of the command line, from the help of the program."""

import os
import re
import subprocess
import textwrap

from .text import Unknown, cell, code, table

# An argument or an option: at most ten spaces, then its name.
OPTION = r"(?:-\w, )?--?[\w-]+\S*(?: <[^>]+>)*"
ARGUMENT = r"(?:<[^>]+>|\[[A-Z_]+\])(?:\.\.\.)?"
ITEM = re.compile(rf" {{2,10}}(?P<item>{OPTION}|{ARGUMENT})(?: {{2,}}(?P<text>.*))?")
LISTS = {"Arguments": "argument", "Options": "option"}
POSSIBLE = re.compile(r" {10,}- (?P<word>[\w-]+): +(?P<text>.*)")


def output(program, *arguments):
    """Returns what the program prints. Its help is not wrapped at the width of the terminal."""
    environment = os.environ | {"COLUMNS": "400"}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Unknown(f"{program} {' '.join(arguments)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def commands(text):
    """Returns the commands of the general help, with their descriptions."""
    listed = text.split("\nCommands:\n")
    if len(listed) != 2:
        raise Unknown("merrow help: no list of commands")
    found = []
    for line in listed[1].split("\n\n")[0].splitlines():
        name, _, about = line.strip().partition(" ")
        if not re.fullmatch(r"[a-z]+", name) or not about:
            raise Unknown(f"merrow help: no command: {line}")
        found.append((name, about.strip()))
    return found


def sections(command, text):
    """Returns the usage, the items with their texts of the lists of arguments and options, and the
    other sections as lists of lines."""
    usage, found, others, lines = "", {}, {}, None
    for line in text.splitlines():
        title = re.fullmatch(r"([A-Z][\w ]*):", line)
        if line.startswith("Usage: "):
            usage = line.removeprefix("Usage: ")
        elif title and title[1] in LISTS:
            items = found.setdefault(title[1], [])
            lines = None
        elif title:
            lines = others.setdefault(title[1], [])
        elif lines is not None:
            lines.append(line)
        elif not found or not line.strip():
            continue
        elif POSSIBLE.fullmatch(line):
            word = POSSIBLE.fullmatch(line)
            items[-1][1].append(f"<br>{code(word['word'])}: {cell(word['text'])}")
        elif ITEM.fullmatch(line):
            item = ITEM.fullmatch(line)
            items.append((item["item"], [cell(item["text"])] if item["text"] else []))
        elif line.startswith(" " * 10) and items:
            items[-1][1].append(cell(line.strip()))
        else:
            raise Unknown(f"merrow help {command}: neither an option nor its description: {line}")
    if not usage or "Options" not in found:
        raise Unknown(f"merrow help {command}: no usage or no options")
    return usage, found, others


def page(program):
    """Returns the page of all commands."""
    text = (
        "# Command line\n\nThe commands of the program `merrow` and their options, generated from its help. "
        "`merrow help COMMAND` prints the same.\n\n"
    )
    listed = commands(output(program, "help"))
    rows = [[f"[{code('merrow ' + name)}](#merrow-{name})", cell(about)] for name, about in listed if name != "help"]
    text += table(["command", "effect"], rows)
    for name, about in listed:
        if name == "help":
            continue
        usage, found, others = sections(name, output(program, "help", name))
        text += f"## merrow {name}\n\n{cell(about)}.\n\n```text\n{usage}\n```\n\n"
        for title, items in found.items():
            rows = [[code(item), " ".join(lines)] for item, lines in items if item != "-h, --help"]
            if rows:
                text += table([LISTS[title], "effect"], rows)
        for title, lines in others.items():
            text += f"**{title}**\n\n```text\n{textwrap.dedent(chr(10).join(lines)).strip()}\n```\n\n"
    return text
