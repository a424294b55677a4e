"""Pages of the keys of world files, robot files and device files, from `merrow schema`.

Every structure of the schema is described once, on the page of the subject to which it belongs:
the subjects are listed in `SUBJECTS`, and a structure that only one of them uses is on its page.
Structures of several subjects are on the page of common structures. The variants of sensors have a
page each."""

import re
from collections import deque
from pathlib import Path

from .text import Unknown, cell, code, first_sentence, prose, table

# Pages by name: title, first structures. The order is that of the navigation.
SUBJECTS = {
    "world": ("World", ["WorldConfig"]),
    "robots": ("Robots in a world", ["RobotEntry"]),
    "model": ("Robot model", ["RobotModelConfig"]),
    "bodies": ("Bodies and hulls", ["BodyConfig", "HydrodynamicsConfig"]),
    "joints": ("Links and joints", ["LinkConfig", "TrajectoryRules", "KeepOutConfig"]),
    "actuators": ("Thrusters, fins and buoyancy engines", ["ThrusterConfig", "FinConfig", "BuoyancyEngineConfig"]),
    "sensors": ("Sensors", ["SensorConfig"]),
    "firmware": ("Firmware", ["FirmwareConfig"]),
    "autopilots": ("Autopilots", ["AutopilotConfig", "MavlinkConfig"]),
    "computers": ("Computers", ["ComputerConfig"]),
    "power": (
        "Batteries, loads, lamps and chargers",
        ["Battery", "ElectricalLoadConfig", "LampConfig", "SolarConfig", "ChargerConfig"],
    ),
    "water": ("Water", ["WaterConfig"]),
    "surroundings": ("Seabed, air and weather", ["SeabedConfig", "AirConfig", "WeatherConfig", "OriginConfig"]),
    "objects": (
        "Props, actors, structures and obstacles",
        ["PropEntry", "ActorEntry", "StructureConfig", "ObstacleConfig", "NamedPoseConfig"],
    ),
    "couplings": ("Couplings and tethers", ["CouplingConfig", "TetherConfig"]),
    "modems": ("Modems", ["ModemEntry"]),
    "bridges": ("Bridges between modems", ["BridgeEntry"]),
    "beacons": ("Beacons and AIS", ["BeaconEntry", "Ais"]),
    "schedule": ("Scheduled commands", ["ScheduledConfig"]),
    "faults": ("Faults", ["FaultConfig"]),
}
COMMON = ("common", "Common structures")
SENSOR_KINDS = "DeviceConfig"
# Texts by their pattern.
TEXTS = {None: "text", r"^[a-z][a-z0-9_]*$": "name", r"^[^/\s]\S*$": "name of a frame"}
# Pattern of the names of parameters, which the schema allows in place of every value.
PARAMETER = r"^\$"
# Subjects whose keys repeat those of others, on whose pages the structures of both are.
REPEATING = {"schedule", "faults"}
# Text before the names of the required keys in the comment of a map.
REQUIRED = "Required, here or in a base: "
# Keywords of the schema that the pages show or that say nothing to a reader.
KNOWN = {
    "type",
    "description",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "items",
    "minItems",
    "maxItems",
    "minLength",
    "pattern",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "properties",
    "additionalProperties",
    "propertyNames",
    "if",
    "then",
    "$comment",
}
NAME = "NAME"


class Keys:
    """The schema, and the page and the path of each of its structures."""

    def __init__(self, schema):
        self.structures = schema["$defs"]
        self.root = schema["$ref"].removeprefix("#/$defs/")
        for name, structure in self.structures.items():
            check(name, structure)
        self.uses = {name: [] for name in self.structures}
        for name in self.structures:
            for key, _, used in self.references(name):
                if (name, key) not in self.uses[used]:
                    self.uses[used].append((name, key))
        if not any("$comment" in form for structure in self.structures.values() for form in forms(structure)):
            raise Unknown("merrow schema: no map has a comment with its required keys")
        self.find_paths()
        self.assign_pages()

    def references(self, name):
        """Returns the key, the path of the key and the structure, for each structure that `name` uses."""
        found = []

        def walk(schema, key, step):
            if "$ref" in schema:
                found.append((key, step, schema["$ref"].removeprefix("#/$defs/")))
            for part in schema.get("anyOf", []):
                walk(part, key, step)
            if "items" in schema:
                walk(schema["items"], key, step + "[]")
            if isinstance(schema.get("additionalProperties"), dict):
                walk(schema["additionalProperties"], key, f"{step}.{NAME}")
            for key_in_map, value in schema.get("properties", {}).items():
                walk(value, key_in_map, f"{step}.{key_in_map}" if step else key_in_map)

        walk(self.structures[name], "", "")
        return found

    def find_paths(self):
        """Sets the shortest path from a world file to each structure."""
        self.paths = {self.root: ""}
        repeating = [start for page in REPEATING for start in SUBJECTS[page][1]]
        waiting, last = deque([self.root]), []
        while waiting or last:
            if not waiting:
                waiting, last = deque(last), []
                repeating = []
            name = waiting.popleft()
            if name in repeating:
                last.append(name)
                continue
            for _, step, used in self.references(name):
                if used not in self.paths:
                    self.paths[used] = ".".join(part for part in (self.paths[name], step) if part)
                    waiting.append(used)
        lost = [name for name in self.structures if name not in self.paths]
        if lost:
            raise Unknown(f"merrow schema: no key of a world file leads to {', '.join(lost)}")

    def assign_pages(self):
        """Sets the page of each structure, and of each kind of a sensor."""
        starts = {start: page for page, (_, names) in SUBJECTS.items() for start in names}
        for start in [*starts, SENSOR_KINDS]:
            if start not in self.structures:
                raise Unknown(
                    f"tools/site/reference/keys.py: SUBJECTS names {start}, which merrow schema does not have"
                )
        starts[SENSOR_KINDS] = "sensors"
        reached = {name: set() for name in self.structures}
        for start, page in starts.items():
            waiting = [start]
            while waiting:
                name = waiting.pop()
                if page not in reached[name]:
                    reached[name].add(page)
                    waiting += [used for _, _, used in self.references(name) if used not in starts]
        self.pages = {}
        for name in self.structures:
            pages = reached[name] - REPEATING or reached[name]
            self.pages[name] = starts.get(name) or (min(pages) if len(pages) == 1 else COMMON[0])

    def is_words(self, name):
        """Whether the structure is a choice between words, which the rows of its keys list."""
        return "enum" in self.structures[name]

    def anchor(self, name):
        """Returns the anchor of the section of a structure."""
        return name.replace(".", "-").lower()

    def title(self, name):
        """Returns the path of the structure below the file in which it is written."""
        path = self.paths[name]
        for file in ("RobotModelConfig", "SensorConfig"):
            prefix = self.paths[file] + "."
            if path.startswith(prefix) and name != file:
                path = path[len(prefix) :]
                if file == "SensorConfig":
                    path = f"sensors.{NAME}.{path}"
        return path

    def is_shared(self, name):
        """Whether keys of different names contain the structure."""
        return len({key for _, key in self.uses[name]}) > 1

    def heading(self, name):
        """Returns the last key of the path of a structure, with what stands for a name below it; for
        one that several keys contain, its name in words."""
        if self.is_shared(name):
            words = re.findall(r"[A-Z]+[a-z]*|[a-z]+", name.rsplit(".", 1)[-1])
            return " ".join(word for word in words if word not in ("Config", "Keys", "Entry")).lower()
        parts = self.title(name).split(".")
        return code(".".join(parts[-2:] if parts[-1] == NAME else parts[-1:])) if self.title(name) else "world file"

    def place(self, name):
        """Returns the path of a structure, or its name if several keys contain it."""
        return self.heading(name) if self.is_shared(name) else code(self.title(name) or "world file")

    def link(self, name, page, text=None):
        """Returns a link to a structure from a page of keys, or from a page of another folder, for
        which `page` is the path to the pages of keys with a slash at its end."""
        target = self.pages[name]
        folder = page if page.endswith("/") else ""
        file = "" if target == page else f"{folder}{target}.md"
        return f"[{text or self.heading(name)}]({file}#{self.anchor(name)})"

    # ------------------------------------------------------------------ cells

    def value(self, schema, page, where):
        """Returns the type of a value, and its words with their descriptions."""
        options = [self.option(part, page, where) for part in schema.get("anyOf", [schema])]
        kinds = [kind for kind, _ in options if kind]
        words = [line for _, lines in options for line in lines]
        if any("$ref" in part for part in schema.get("anyOf", [])):
            # a component may be in a file of its own
            kinds = ["name of a file" if kind == TEXTS[None] else kind for kind in kinds]
        return " or ".join(dict.fromkeys(kinds)), words

    def option(self, schema, page, where):
        """Returns one of the types of a value (empty: only a null), and its words."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            if self.is_words(name):
                return "word", words_of(self.structures[name])
            return self.link(name, page), []
        if "const" in schema:
            return code(schema["const"]), []
        if "enum" in schema:
            listed = [word for word in schema["enum"] if word is not None]
            return ", ".join(code(word) for word in listed), []
        if not schema.keys() - {"description"}:
            return "any value", []
        if "type" not in schema:
            raise Unknown(f"merrow schema: {where}: neither a type nor words")
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        pattern = schema.get("pattern")
        if pattern == PARAMETER:
            types, pattern = [kind for kind in types if kind != "string"], None
        elif pattern is not None:
            pattern = pattern.removeprefix(f"{PARAMETER}|")
        types = [kind for kind in types if kind != "null"]
        shown, words = [], []
        for kind in types:
            if kind == "array":
                inner, inner_words = self.value(schema["items"], page, where)
                shown.append(f"list of {size(schema)}{inner}")
                words += inner_words
            elif kind == "object":
                if "additionalProperties" not in schema or schema["additionalProperties"] is False:
                    raise Unknown(f"merrow schema: {where}: a map without a structure")
                inner, inner_words = self.value(schema["additionalProperties"], page, where)
                shown.append(f"map by name of {inner}")
                words += inner_words
            elif kind in ("number", "integer"):
                shown.append(" ".join([kind, *limits(schema)]))
            elif kind == "string":
                if pattern not in TEXTS:
                    raise Unknown(f"merrow schema: {where}: give the texts of the pattern `{pattern}` a name")
                shown.append(TEXTS[pattern])
            elif kind == "boolean":
                shown.append("`true` or `false`")
            else:
                raise Unknown(f"merrow schema: {where}: unknown type `{kind}`")
        return " or ".join(shown), words

    def row(self, key, schema, page, where, is_required):
        """Returns the row of a key."""
        kind, words = self.value(schema, page, where)
        text, unit = split_unit(schema.get("description", ""))
        if key == "kind" and "const" in schema:
            text = text or "Selects these keys."
        if not text:
            raise Unknown(f"merrow schema: {where}: no description")
        value = f"{kind} [{cell(unit)}]" if unit else kind
        default = "required" if is_required else short_default(schema.get("default"))
        return [code(key), value, default, "<br>".join(map(cell, [text, *words]))]

    def keys_table(self, structure, page, where):
        """Returns the table of the keys of a map."""
        required = structure.get("then", {}).get("required", [])
        comment = structure.get("$comment")
        if comment is not None:
            if not comment.startswith(REQUIRED):
                raise Unknown(f"merrow schema: {where}: a comment that does not start with `{REQUIRED}`: {comment}")
            required = comment.removeprefix(REQUIRED).split(", ")
        keys = structure["properties"]
        rows = [
            self.row(key, schema, page, f"{where}.{key}", key in required and key != "kind")
            for key, schema in keys.items()
            if key != "extends"
        ]
        return table(["key", "value", "default", "description"], rows) if rows else "No keys.\n\n"

    # ------------------------------------------------------------------ pages

    def section(self, name, page, level="##"):
        """Returns the section of a structure."""
        structure = self.structures[name]
        path = self.title(name)
        heading = self.heading(name)
        heading = heading[0].upper() + heading[1:]
        used = [
            self.link(owner, page, code(f"{self.place(owner)}.{key}".replace("`", "").removeprefix("world file.")))
            for owner, key in self.uses[name]
        ]
        text = f"{level} {heading} {{#{self.anchor(name)}}}\n\n{prose(structure.get('description', ''))}\n\n"
        if len(used) > 1:
            text += f"At {', '.join(used)}.\n\n"
        elif path and path != heading.strip("`"):
            text += f"At {code(path)}.\n\n"
        if "properties" in structure:
            return text + self.keys_table(structure, page, name)
        if "anyOf" not in structure:
            raise Unknown(f"merrow schema: {name} is neither a map, a choice nor a list of words")
        if name == SENSOR_KINDS:
            return text + self.list_of_sensors()
        for number, variant in enumerate(structure["anyOf"]):
            text += self.variant(name, variant, number, page, level + "#")
        return text

    def variant(self, name, variant, number, page, level):
        """Returns the section of one of the forms of a choice."""
        where = f"{name}, form {number + 1}"
        if "enum" in variant:
            words = ", ".join(code(word) for word in variant["enum"])
            return f"Without other keys also as one word: {words}.\n\n"
        if "properties" not in variant:
            kind, words = self.option(variant, page, where)
            note = prose(variant.get("description", ""))
            return f"Also as a {kind}. {note}\n\n" + "".join(f"* {cell(word)}\n" for word in words) + "\n"
        kind = variant["properties"].get("kind", {}).get("const")
        heading = self.heading(name).strip("`")
        title = code(f"{heading}: {kind}") if kind else f"{code(heading)}, form {number + 1}"
        anchor = f"{self.anchor(name)}-{kind or number + 1}"
        text = f"{level} {title} {{#{anchor}}}\n\n{prose(variant.get('description', ''))}\n\n"
        return text + self.keys_table(variant, page, where)

    def sensor_kinds(self):
        """Returns the kinds of sensors with their schema."""
        kinds = {}
        for number, variant in enumerate(self.structures[SENSOR_KINDS]["anyOf"]):
            kind = variant.get("properties", {}).get("kind", {}).get("const")
            if kind is None or kind in kinds:
                raise Unknown(f"merrow schema: {SENSOR_KINDS}, form {number + 1}: no `kind` of its own")
            kinds[kind] = variant
        return kinds

    def list_of_sensors(self):
        text = "The key `kind` selects the sensor; each kind has a page with its keys, topics and bundled devices.\n\n"
        rows = [
            [f"[{code(kind)}](../sensors/{kind}.md)", cell(first_sentence(sensor_description(variant)))]
            for kind, variant in self.sensor_kinds().items()
        ]
        return text + table(["kind", "sensor"], rows)

    def page(self, page, title):
        """Returns the page of a subject."""
        names = [name for name in self.structures if self.pages[name] == page and not self.is_words(name)]
        names.sort(key=lambda name: (name not in SUBJECTS.get(page, ("", []))[1], list(self.structures).index(name)))
        if page in SUBJECTS:
            starts = [self.title(name) for name in SUBJECTS[page][1]]
            places = ", ".join(code(start) for start in starts) if all(starts) else "a world file"
            about = f"The keys of {places} and of the maps below"
        else:
            about = "The keys of maps that several subjects contain"
        text = f"# Keys: {title}\n\n{about}, generated from `merrow schema`. [Keys of files](index.md) states how to "
        return text + "read the tables.\n\n" + "".join(self.section(name, page) for name in names)

    def index_of_keys(self):
        """Returns every key with links to the structures that have it."""
        places = {}
        for name, structure in self.structures.items():
            for variant in forms(structure):
                kind = variant.get("properties", {}).get("kind", {}).get("const")
                for key in variant.get("properties", {}):
                    if key in ("extends", "kind"):
                        continue
                    if name == SENSOR_KINDS:
                        link = f"[{code(kind)}](../sensors/{kind}.md)"
                    else:
                        link = self.link(name, "all", self.place(name))
                    if link not in places.setdefault(key, []):
                        places[key].append(link)
        return places


def forms(structure):
    """Returns the maps of which a structure has one."""
    return structure.get("anyOf", [structure])


def check(where, schema):
    """Reports keywords of JSON Schema that the pages would not show."""
    for keyword in schema:
        if keyword not in KNOWN:
            raise Unknown(f"merrow schema: {where}: the site does not know the keyword `{keyword}`")
    for key, value in schema.get("properties", {}).items():
        check(f"{where}.{key}", value)
    for part in schema.get("anyOf", []):
        check(where, part)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            check(where, schema[keyword])


def words_of(structure):
    """Returns the words of a choice, each with its description, from a text such as
    "Summary. `a`: First. `b`: Second."."""
    text, found, end = structure["description"], [], None
    for word in reversed(structure["enum"]):
        start = text.rfind(f"`{word}`:", 0, end)
        if start < 0:
            raise Unknown(f"merrow schema: the description lacks the word `{word}`: {text}")
        found.append(text[start:end].strip())
        end = start
    return found[::-1]


def split_unit(description):
    """Splits "Depth. Unit: m." into the text and the unit."""
    text, mark, unit = description.rpartition(" Unit: ")
    return (text, unit.removesuffix(".")) if mark else (description, "")


def limits(schema):
    """Returns the range of a number."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return [f"from {number(low)} to {number(high)}"]
    shown = []
    if low is not None:
        shown.append(f"≥ {number(low)}")
    if "exclusiveMinimum" in schema:
        shown.append(f"> {number(schema['exclusiveMinimum'])}")
    if high is not None:
        shown.append(f"≤ {number(high)}")
    if "exclusiveMaximum" in schema:
        shown.append(f"< {number(schema['exclusiveMaximum'])}")
    return [", ".join(shown)] if shown else []


def number(value):
    """Returns a number without zeros that say nothing."""
    return str(int(value) if float(value).is_integer() and abs(value) < 1e15 else value)


def size(schema):
    """Returns the number of elements of a list, with a space."""
    low, high = schema.get("minItems"), schema.get("maxItems")
    if low is None and high is None:
        return ""
    if low == high:
        return f"{low} × "
    return f"at least {low} × " if high is None else f"{low or 0} to {high} × "


def short_default(value):
    """Returns a default; a map is empty in the table, because its keys state their defaults."""
    if value is None or value == "" or isinstance(value, dict):
        return ""
    if isinstance(value, list):
        return code("[" + ", ".join(number(v) if isinstance(v, (int, float)) else str(v) for v in value) + "]")
    if isinstance(value, bool):
        return code(str(value).lower())
    return code(number(value) if isinstance(value, (int, float)) else value)


def sensor_description(variant):
    """Returns the description of a kind of sensor, without the words that all kinds share."""
    return variant["description"].removeprefix("Type of a sensor. ")


def write(folder: Path, keys: Keys):
    """Writes the pages of all subjects, and their index."""
    folder.mkdir(parents=True)
    pages = {page: title for page, (title, _) in SUBJECTS.items()} | dict([COMMON])
    for page, title in pages.items():
        (folder / f"{page}.md").write_text(keys.page(page, title))
    index = [
        "# Keys of files\n",
        "Every key of world files, of robot files and of the files of components, with its type, unit, range and",
        "default, generated from the declarations that read the files.\n",
        "A key without a default that is not required has no effect if it is missing, or its description states what",
        "applies.",
        "`NAME` in a path stands for a name that you choose, `[]` for the elements of a list.",
        "A name has lower-case letters, digits and underscores, and starts with a letter; the name of a frame, a link",
        "or a joint has no spaces and does not start with a slash.",
        "Every map may have the key `extends`: the name of a file, or of a bundled world or component, whose keys are",
        "used as a base and overridden by the keys of the map.",
        "A value `null` removes a key of the base.",
        "`merrow schema` prints the same keys as a JSON Schema, with which an editor completes and checks a file.\n",
    ]
    index += [f"* [{title}]({page}.md): {about(keys, page)}" for page, title in pages.items()]
    parts = split(sorted(keys.index_of_keys().items()))
    for number, part in enumerate(parts, 1):
        title = f"All keys, {part[0][0][0]} to {part[-1][0][0]}"
        rows = [[code(key), ", ".join(links)] for key, links in part]
        text = f"# {title}\n\nEvery key of the files, with the structures that have it.\n\n"
        (folder / f"all_{number}.md").write_text(text + table(["key", "in"], rows))
        index.append(f"* [{title}](all_{number}.md): every key from `{part[0][0]}` to `{part[-1][0]}`, with its places")
    (folder / "index.md").write_text("\n".join(index) + "\n")


def split(places):
    """Splits the index of keys between initial letters into parts of similar length."""
    parts, length = [[]], 0
    for key, links in places:
        if length > 30_000 and key[0] != parts[-1][-1][0][0]:
            parts.append([])
            length = 0
        parts[-1].append((key, links))
        length += len(key) + sum(map(len, links))
    return parts


def about(keys, page):
    """Returns the keys of a page in one line."""
    if page == COMMON[0]:
        return "noise, materials, shapes and others that several subjects contain"
    titles = [keys.title(name) for name in SUBJECTS[page][1]]
    return ", ".join(code(title) if title else "the keys of a world file" for title in titles)
