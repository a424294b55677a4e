"""Writes the source tree of the site: the pages of the repository, and the generated ones."""

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from . import bundled, commands, interfaces, keys, messages, navigation, pages, sensors
from .text import Unknown

ROOT = Path.cwd()
TARGET = ROOT / "target/site"
SOURCE = TARGET / "source"


def generate(merrow, folder: Path):
    """Writes the generated pages below the folder of the reference."""

    def describe(world):
        return json.loads(commands.output(merrow, "describe", world, "--json"))

    found = bundled.lists(merrow)
    names = [name for name, _ in found["worlds"]]
    with ThreadPoolExecutor() as pool:
        descriptions = dict(zip(names, pool.map(describe, names)))
    worlds = [interfaces.World(name, descriptions[name], ROOT / f"worlds/{name}.yaml") for name in names]
    others = ROOT / "tools/site/interfaces.yaml"
    worlds.append(interfaces.World(others.stem, describe(str(others)), others, is_bundled=False))
    every = interfaces.Interfaces(worlds)
    all_keys = keys.Keys(json.loads(commands.output(merrow, "schema")))
    keys.write(folder / "keys", all_keys)
    devices = bundled.devices_by_kind(found["sensors"], ROOT / "params/sensors")
    sensors.write(folder / "sensors", all_keys, every, devices, ROOT / "docs")
    sentences = messages.write(folder / "messages", ROOT / "ros/merrow_msgs")
    interfaces.write(folder / "interfaces", every, sentences)
    bundled.write(folder / "bundled", found, descriptions, bundled.pictures(ROOT / "docs"))
    (folder / "command_line.md").write_text(commands.page(merrow))


def main():
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages.copy(ROOT, SOURCE)
    generate(os.environ["MERROW"], SOURCE / "reference")
    pages.set_pages(SOURCE)
    shutil.copytree(ROOT / "tools/site/static", SOURCE, dirs_exist_ok=True)
    settings = {
        "INHERIT": str(ROOT / "tools/site/mkdocs.yml"),
        "docs_dir": str(SOURCE),
        "site_dir": str(TARGET / "html"),
        "nav": navigation.of(SOURCE),
    }
    (TARGET / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True))


try:
    main()
except (Unknown, OSError, ValueError, yaml.YAMLError) as error:
    sys.exit(f"tools/site: {error}")
