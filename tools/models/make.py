#!/usr/bin/env python3
"""Generates the visual meshes in meshes/models.

usage: python3 tools/models/make.py [--check] [--list] [NAME ...]

Without names, all models are generated. `--check` writes no file and fails if a file differs.
`--list` prints triangles, bytes and parts of each model.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import aerial  # noqa: E402
import bluerov2  # noqa: E402
import catamarans  # noqa: E402
import props  # noqa: E402
import reach  # noqa: E402
import rover  # noqa: E402
import rovs  # noqa: E402
import sailboat  # noqa: E402
import scenery  # noqa: E402
import seabed  # noqa: E402
import torpedoes  # noqa: E402

FAMILIES = [bluerov2, rovs, torpedoes, catamarans, sailboat, aerial, rover, reach, props, scenery, seabed]
FOLDER = HERE.parents[1] / "meshes" / "models"


def main():
    options = {a for a in sys.argv[1:] if a.startswith("--")}
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    models = {name: build for family in FAMILIES for name, build in family.MODELS.items()}
    unknown = [name for name in names if name not in models]
    if unknown or options - {"--check", "--list"}:
        sys.exit(f"unknown: {', '.join(unknown + sorted(options))}; models: {', '.join(models)}\n{__doc__}")
    wrong = []
    for name in names or models:
        model = models[name]()
        path, data = FOLDER / f"{name}.glb", model.to_bytes()
        if "--list" in options:
            print(
                f"{name:24} {model.triangle_count():6} triangles {len(data):8} bytes {len(model.parts):3} parts"
            )
        if "--check" in options:
            if not path.is_file() or path.read_bytes() != data:
                wrong.append(path.name)
        else:
            FOLDER.mkdir(exist_ok=True)
            path.write_bytes(data)
    if not names:
        wrong += [p.name for p in sorted(FOLDER.glob("*.glb")) if p.stem not in models]
    sys.exit(f"not as generated: {', '.join(wrong)}" if wrong and "--check" in options else 0)


if __name__ == "__main__":
    main()
