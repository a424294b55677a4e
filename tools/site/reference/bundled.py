"""Pages of the bundled worlds, robots and components, from `merrow list`."""

import re
import shlex
from pathlib import Path

import yaml

from .commands import output
from .text import Unknown, cell, code, prose, table

# Titles of the lists of `merrow list`; all except worlds and robots are on the page of components.
TITLES = {
    "props": "Props",
    "bodies": "Bodies",
    "thrusters": "Thrusters",
    "fins": "Fins",
    "sensors": "Sensors",
    "batteries": "Batteries",
    "firmware": "Firmware",
    "lines": "Lines of tethers",
    "beacons": "Beacons",
    "modems": "Modems",
}


def lists(program):
    """Returns the lists of `merrow list`: names with descriptions, by the title of the list."""
    found, items = {}, None
    for line in output(program, "list").splitlines():
        title, item = re.fullmatch(r"(\w+):", line), re.fullmatch(r"  (\w+)\s+(.+)", line)
        if title:
            items = found.setdefault(title[1], [])
        elif item and items is not None:
            items.append((item[1], item[2]))
        else:
            raise Unknown(f"merrow list: neither a title nor a name with its description: {line}")
    for title in found:
        if title not in [*TITLES, "worlds", "robots"]:
            raise Unknown(f"tools/site/reference/bundled.py: give the list `{title}` a title")
    return found


def devices_by_kind(sensors, folder: Path):
    """Returns the bundled devices of each kind of sensor."""
    kinds = {}
    for name, about in sensors:
        keys = {}
        file = folder / f"{name}.yaml"
        while "kind" not in keys:
            more = yaml.safe_load(file.read_text())
            keys = more | keys
            if "kind" not in keys:
                if "extends" not in more:
                    raise Unknown(f"{file}: neither `kind` nor `extends`")
                file = (folder.parent / more["extends"]).with_suffix(".yaml")
        kinds.setdefault(keys["kind"], []).append((name, about))
    return kinds


def pictures(docs: Path):
    """Returns for each world the image that a command of a page renders from it; a view is preferred."""
    found = {}
    for path in sorted(docs.rglob("*.md")):
        for block in path.read_text().split("```sh\n")[1:]:
            for line in block.split("```")[0].replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True) if line.startswith("merrow snapshot ") else []
                if "-o" not in words:
                    continue
                world, image = words[2], words[words.index("-o") + 1]
                if (docs / "figures" / image).exists() and (world not in found or "--view" in words):
                    found[world] = image
    return found


def worlds_page(worlds, descriptions, images):
    text = (
        "# Worlds\n\nThe bundled worlds, generated from `merrow list` and `merrow describe`. `merrow run WORLD` starts "
        "one; `merrow run WORLD --view` shows it in the browser, and `extends: WORLD` in a world file starts from "
        "it.\n\n"
    )
    for name, about in worlds:
        text += f"## {name}\n\n{prose(about)}.\n\n"
        if name in images:
            text += f"![The world {name}](../../figures/{images[name]})\n\n"
        robots = {}
        for robot in descriptions[name]["robots"]:
            if robot["section"] == "robots":
                robots.setdefault(robot["description"], []).append(robot)
        for model, same in robots.items():
            names = [code(robot["name"]) for robot in same]
            shown = ", ".join(names) if len(names) < 5 else f"{names[0]} to {names[-1]} ({len(names)} robots)"
            kinds = dict.fromkeys(sensor["kind"] for robot in same for sensor in robot["sensors"])
            sensors = ", ".join(f"[{kind}](../sensors/{kind}.md)" for kind in kinds)
            text += f"* {shown}: {prose(model)}" + (f"; sensors: {sensors}\n" if sensors else "\n")
        text += "\n"
    return text


def robots_page(robots, descriptions):
    used = {}
    for world, description in descriptions.items():
        for robot in description["robots"]:
            used.setdefault(robot["description"], []).append(world)
    text = (
        "# Robots\n\nThe bundled robot models, generated from `merrow list`. `model: NAME` of a robot in a world file "
        "uses one, and a map with `extends: robots/NAME.yaml` changes keys of it. The file "
        "`params/robots/NAME.yaml` of each names the source of every value.\n\n"
    )
    rows = []
    for name, about in robots:
        worlds = list(dict.fromkeys(used.get(about, [])))
        links = ", ".join(f"[{code(world)}](worlds.md#{world})" for world in worlds[:4])
        rows.append([code(name), cell(about), links])
    return text + table(["model", "content", "worlds"], rows)


def components_page(found):
    text = (
        "# Components\n\nThe bundled components, generated from `merrow list`. A key of a robot or of a world names "
        "one, such as `device: waterlinked_a50`. The file of each is in the folder of `params/` that its heading "
        "names; it states the source of every value.\n\n"
    )
    for title, heading in TITLES.items():
        if title not in found:
            raise Unknown(f"merrow list: no list `{title}`")
        rows = [[code(name), cell(about)] for name, about in found[title]]
        text += f"## {heading}\n\nFolder `params/{title}`.\n\n" + table(["name", "content"], rows)
    return text


def write(folder: Path, found, descriptions, images):
    folder.mkdir(parents=True)
    (folder / "worlds.md").write_text(worlds_page(found["worlds"], descriptions, images))
    (folder / "robots.md").write_text(robots_page(found["robots"], descriptions))
    (folder / "components.md").write_text(components_page(found))
