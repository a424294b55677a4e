"""Pages of the kinds of sensors: topics, keys and bundled devices."""

import re
from pathlib import Path

from .interfaces import quality, types
from .keys import Keys, sensor_description
from .text import Unknown, cell, code, first_sentence, table


def described(kind, pages):
    """Returns a sentence with the page that names the kind most often, or nothing. `pages` has the
    texts of pages by their files."""
    mention = re.compile(rf"`{kind}`|kind: {kind}\b")
    path = max(sorted(pages), key=lambda path: len(mention.findall(pages[path])))
    if not mention.search(pages[path]):
        return ""
    title = pages[path].splitlines()[0].removeprefix("# ")
    return f"[{title}](../{path.name}) describes the model.\n\n"


def write(folder: Path, keys: Keys, interfaces, devices, docs: Path):
    """Writes a page for each kind of sensor. `devices` has the bundled devices of each kind, as pairs
    of name and description; `docs` is the folder of the pages of the repository."""
    folder.mkdir(parents=True)
    kinds = keys.sensor_kinds()
    others = ("index.md", "sensors.md", "sensor_worlds.md")
    pages = {path: path.read_text() for path in docs.glob("reference/*.md") if path.name not in others}
    for kind in [*devices, *interfaces.sensors]:
        if kind not in kinds:
            raise Unknown(f"the schema has no sensor of the kind `{kind}`")
    index = [
        "# Sensors by kind\n",
        "One page per kind of sensor: its topics, the keys of its device, and the bundled devices. The pages are",
        "generated from the declarations.\n",
    ]
    for kind, variant in kinds.items():
        description = sensor_description(variant)
        text = f"# Sensor {code(kind)}\n\n{cell(description)}\n\n"
        text += described(kind, pages)
        figure = next(iter(sorted(docs.glob(f"figures/sensors/{kind}.*"))), None)
        if figure:
            text += f"![Readings of a sensor of the kind {kind}](../../figures/sensors/{figure.name})\n\n"
        text += (
            "## Topics\n\nAll are published, at the rate of the sensor and with the quality of service of its key "
            "`qos` (reliable, volatile, keep last 10), if no other is stated.\n\n"
        )
        rows = []
        for name, entry in interfaces.sensors.get(kind, {}).items():
            others = quality(entry, "reliable, volatile, keep last 10")
            rows.append([code(name), types(entry) + others])
        if not rows:
            raise Unknown(f"no bundled world has a sensor of the kind `{kind}`, so that its topics are not known")
        text += table(["topic", "type"], rows)
        text += "## Bundled devices\n\n"
        rows = [[code(name), cell(line)] for name, line in devices.get(kind, [])]
        text += table(["`device`", "content"], rows) if rows else "No device of this kind is bundled.\n\n"
        text += (
            "## Keys of the device\n\nThe mounting of a sensor has the keys of "
            "[`sensors.NAME`](../keys/sensors.md#sensorconfig).\n\n"
        )
        text += keys.keys_table(variant, "../keys/", f"sensor {kind}")
        (folder / f"{kind}.md").write_text(text)
        index.append(f"* [`{kind}`]({kind}.md): {cell(first_sentence(description)).rstrip('.')}")
    (folder / "index.md").write_text("\n".join(index) + "\n")
