//! Loading of files and resolution of `extends`.
//!
//! A base file is merged before the nodes below it are resolved, so that naming another file
//! replaces a component of a world. The only keys that have a meaning here are `extends` and, at the
//! root, `parameters` and the `seed` of their random values.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::ensure;
use crate::error::{Place, Problems, did_you_mean, known_names, quote, quoted_list};
use crate::node::{DEPTH_MAX, Node, Value, merge};
use crate::number::whole_number;
use crate::parameters::{
    self, DESCRIPTION, PARAMETERS, Parameter, Parameters, USED, Use, VALUE, read_parameter,
};
use crate::parse::parse;
use crate::path::{self, Path as KeyPath, Step};
use crate::random::{Distribution, Draw, Numbers};

/// Maximum size of a file [bytes].
const FILE_MAX: usize = 8 << 20;
/// Approximate maximum memory for all files loaded through `extends` [bytes].
const MAX_TOTAL_BYTES: usize = 256 << 20;
/// Key that names the base file.
const EXTENDS: &str = "extends";
/// Key of the seed of the random numbers, at the root.
const SEED: &str = "seed";

/// Reads files and resolves their `extends`. Every file is read once.
#[derive(Debug, Default)]
pub struct Loader {
    search: Vec<PathBuf>,
    components: Components,
    named_file: Option<NamedFile>,
    parsed: BTreeMap<PathBuf, Option<Node>>,
    /// Tree of a text in memory, as written.
    text: Option<Node>,
    weight: usize,
    parameters: Option<Declared>,
}

/// Parameters of the tree that is loaded.
#[derive(Debug)]
struct Declared {
    /// Values that replace those of the file: path below `parameters`, and value.
    changes: Vec<(KeyPath, Node)>,
    random: Random,
    values: Parameters,
    /// Names of parameters whose declarations are not valid; their uses are not reported.
    rejected: BTreeSet<String>,
    /// Names of the parameters that were used.
    used: BTreeSet<String>,
}

impl Declared {
    fn new(changes: Vec<(KeyPath, Node)>, random: Random) -> Self {
        Self {
            changes,
            random,
            values: Parameters::default(),
            rejected: BTreeSet::new(),
            used: BTreeSet::new(),
        }
    }
}

/// Source of the values of parameters that have a distribution.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// Source of the numbers.
    pub draw: Draw,
    /// Seed; `None`: the key `seed` of the root.
    pub seed: Option<u64>,
    /// Seed of a tree without the key.
    pub default_seed: u64,
}

/// Keys whose string value names a component file, with the folder of such files.
type Components = &'static [(&'static str, &'static str)];

/// Function that returns the file of a bare name in `extends` at a position.
pub type NamedFile = fn(&str, &Place) -> Option<PathBuf>;

/// The `extends` being resolved: the position of each and the file that it names.
type Chain = Vec<(Place, PathBuf)>;

impl Loader {
    /// Creates a loader that searches for a named file first in the folder of the file that names
    /// it, then in the `search` folders in order.
    pub fn new(search: Vec<PathBuf>) -> Loader {
        Loader {
            search,
            ..Loader::default()
        }
    }

    /// Lets a string at one of these keys denote the map that a file contains: `(key, folder)`. A
    /// bare name means `folder/name.yaml`, so that `motor: t200` is equivalent to `motor: {extends:
    /// thrusters/t200.yaml}`.
    pub fn with_components(mut self, components: Components) -> Loader {
        self.components = components;
        self
    }

    /// Lets a whole file extend another by a bare name: `find` returns the file of that name.
    pub fn with_named_files(mut self, find: NamedFile) -> Loader {
        self.named_file = Some(find);
        self
    }

    /// Replaces every `$name` by the value of a parameter, which the key `parameters` of the root
    /// declares. `changes` are values that replace those of the file, with their paths, which begin
    /// with `parameters`. Values with a distribution are drawn from `random`.
    pub fn with_parameters(mut self, changes: Vec<(KeyPath, Node)>, random: Random) -> Loader {
        self.parameters = Some(Declared::new(changes, random));
        self
    }

    /// Returns true if a value of the tree that was loaded last came from the parameter `name`.
    pub fn has_used(&self, name: &str) -> bool {
        let declared = self.parameters.as_ref();
        declared.is_some_and(|declared| declared.used.contains(name))
    }

    /// Returns true if one of the files that were read names the parameter `name`, even if a file
    /// that extends it replaces the value.
    pub fn mentions(&self, name: &str) -> bool {
        let mut files = self.parsed.values().flatten().chain(&self.text);
        files.any(|node| parameters::mentions(node, name))
    }

    /// Loads the tree of a file with all its `extends` resolved on every level. A file that cannot
    /// be read is reported as a problem; the rest is still returned, so that its errors are found
    /// in the same run.
    pub fn load(&mut self, path: &Path, problems: &mut Problems) -> Option<Node> {
        if !path.is_file() {
            let mut message = format!(
                "no such file{}",
                self.similar_file(path, path.parent().into_iter())
            );
            if message == "no such file" {
                message = missing_file_message(path);
            }
            return problems.refuse(&Place::file(&path.to_string_lossy()), message);
        }
        let node = self.load_file(path, problems)?;
        self.expand(node, 0, &mut Chain::new(), problems)
    }

    /// Returns the same as [`Loader::load`], for a text in memory; `name` is used as its path.
    pub fn load_text(&mut self, name: &str, text: &str, problems: &mut Problems) -> Option<Node> {
        let node = parse(name, text, problems)?;
        self.resolve(node, problems)
    }

    /// Returns a tree from [`parse`] with its component names, all its `extends` and its parameters
    /// resolved; `None` if the root uses a parameter that does not exist.
    pub fn resolve(&mut self, mut node: Node, problems: &mut Problems) -> Option<Node> {
        self.text = self.parameters.is_some().then(|| node.clone());
        expand_component_names(&mut node, self.components, true);
        self.expand(node, 0, &mut Chain::new(), problems)
    }

    /// Returns the same as [`Loader::resolve`] for the value of the key `key`, which is `depth`
    /// levels below the root of the tree that was loaded last.
    pub fn resolve_value(
        &mut self,
        key: &str,
        mut node: Node,
        depth: usize,
        problems: &mut Problems,
    ) -> Option<Node> {
        if depth + node.memory_and_depth().1 > DEPTH_MAX {
            return problems.refuse(&node.place, too_deep());
        }
        expand_component_name(key, &mut node, self.components);
        expand_component_names(&mut node, self.components, false);
        self.expand_value(key, node, depth, &mut Chain::new(), problems)
    }

    /// Returns the path of a file that is named at the position `from`. Reports a problem if the
    /// file is in none of the folders.
    pub fn find_file(
        &self,
        requested: &str,
        from: &Place,
        problems: &mut Problems,
    ) -> Option<PathBuf> {
        if !from.may_name(requested) {
            return problems.refuse(from, not_for_requests(requested));
        }
        let search = self.search.iter().map(PathBuf::as_path);
        let folders: Vec<&Path> = from.folder().into_iter().chain(search).collect();
        let paths: Vec<PathBuf> = folders
            .iter()
            .map(|folder| folder.join(requested))
            .collect();
        let found = paths.iter().find(|path| path.is_file());
        if found.is_none() {
            let looked: Vec<_> = folders
                .iter()
                .map(|folder| or_current(folder).to_string_lossy())
                .collect();
            let looked = quoted_list(looked.iter().map(|folder| &**folder));
            let parents = paths.iter().filter_map(|path| path.parent());
            let hint = self.similar_file(Path::new(requested), parents);
            let name = quote(requested);
            problems.push(from, format!("no file {name}, looked in {looked}{hint}"));
        }
        found.cloned()
    }

    /// Iterates over the paths of the files read so far, in alphabetical order.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.parsed.keys().map(PathBuf::as_path)
    }

    fn similar_file<'a>(
        &self,
        requested: &Path,
        folders: impl Iterator<Item = &'a Path>,
    ) -> String {
        let name = requested.file_name().unwrap_or_default().to_string_lossy();
        let mut present = Vec::new();
        // files of the same name in the folders below, such as `robots/NAME.yaml`
        let mut below = Vec::new();
        for folder in folders {
            let entries = std::fs::read_dir(or_current(folder))
                .into_iter()
                .flatten()
                .flatten();
            for entry in entries {
                let entry_name = entry.file_name().to_string_lossy().into_owned();
                for file in [name.to_string(), format!("{name}.yaml")] {
                    if entry.path().join(&file).is_file() {
                        below.push(format!("{entry_name}/{file}"));
                    }
                }
                present.push(entry_name);
            }
        }
        if let Some(found) = below.iter().min() {
            return format!("; did you mean {}?", quote(found));
        }
        // The order of a directory listing is not fixed, and the message must not depend on it.
        present.sort_unstable();
        let others = present.iter().map(String::as_str);
        did_you_mean(&name, others.filter(|other| *other != name))
    }

    fn load_file(&mut self, path: &Path, problems: &mut Problems) -> Option<Node> {
        if let Some(node) = self.parsed.get(path) {
            return node.clone();
        }
        let name = path.to_string_lossy();
        let node = match read_text(path) {
            Ok(text) => parse(&name, &text, problems),
            Err(text) => problems.refuse(&Place::file(&name), text),
        };
        let node = node.map(|mut node| {
            expand_component_names(&mut node, self.components, true);
            node
        });
        self.parsed.insert(path.to_path_buf(), node.clone());
        node
    }

    /// Resolves the `extends` of a node and then of all nodes below it. Bases are merged before the
    /// nodes below are resolved, so that naming another file for a component replaces the component
    /// and keeps the keys given for it. Returns `None` for a list with a parameter that does not
    /// exist; such a key of a map is left out.
    fn expand(
        &mut self,
        mut node: Node,
        depth: usize,
        chain: &mut Chain,
        problems: &mut Problems,
    ) -> Option<Node> {
        let mark = chain.len();
        while let Some((requested, place)) = self.take_extends(&mut node, depth, problems) {
            match self.load_base(&requested, &place, depth, chain, problems) {
                Some(base) => node = merge(base, node),
                None => mark_partial(&mut node),
            }
        }
        if depth == 0 {
            self.declare_parameters(&mut node, problems);
        }
        let Node { value, place } = node;
        let value = match value {
            Value::Seq(items) => {
                let mut expanded = Vec::with_capacity(items.len());
                let n = items.len();
                for item in items {
                    expanded.extend(self.expand_value("", item, depth + 1, chain, problems));
                }
                (expanded.len() == n).then_some(Value::Seq(expanded))
            }
            Value::Map(mut map) => {
                let entries = std::mem::take(&mut map.entries);
                for (key, node) in entries {
                    if depth == 0 && key.name == PARAMETERS && self.parameters.is_some() {
                        map.entries.push((key, node));
                        continue;
                    }
                    match self.expand_value(&key.name, node, depth + 1, chain, problems) {
                        Some(node) => map.entries.push((key, node)),
                        None => map.partial = true,
                    }
                }
                Some(Value::Map(map))
            }
            value @ (Value::Null | Value::Scalar { .. }) => Some(value),
        };
        chain.truncate(mark);
        value.map(|value| Node { value, place })
    }

    /// Replaces the value of a key by that of the parameter that it uses, and expands it.
    fn expand_value(
        &mut self,
        key: &str,
        node: Node,
        depth: usize,
        chain: &mut Chain,
        problems: &mut Problems,
    ) -> Option<Node> {
        let node = match self.parameters {
            Some(_) => self.substitute(key, node, depth, problems)?,
            None => node,
        };
        self.expand(node, depth, chain, problems)
    }

    /// Returns the value of the parameter that `node` uses, or over which it was merged; another
    /// node as it is. `key` is the key of the node.
    fn substitute(
        &mut self,
        key: &str,
        mut node: Node,
        depth: usize,
        problems: &mut Problems,
    ) -> Option<Node> {
        if let Some(used) = node.as_map_mut().and_then(|map| map.remove(USED)) {
            let base = self.substitute(key, used, depth, problems)?;
            return Some(merge(base, node));
        }
        let Value::Scalar { text, .. } = &mut node.value else {
            return Some(node);
        };
        let mut value = match Use::of_text(text) {
            Use::None => return Some(node),
            Use::Literal(rest) => {
                *text = rest.to_owned();
                node
            }
            Use::Of(name) => self.parameter_value(name, &node.place, depth, problems)?,
            Use::Invalid => {
                let text = format!(
                    "expected the name of a parameter after `$`, found {}; write `$$` for the \
                     character `$`",
                    quote(text)
                );
                return problems.refuse(&node.place, text);
            }
        };
        expand_component_name(key, &mut value, self.components);
        expand_component_names(&mut value, self.components, false);
        Some(value)
    }

    /// Returns the value of the parameter `name`, which is used at `place`, or reports why there is
    /// none.
    fn parameter_value(
        &mut self,
        name: &str,
        place: &Place,
        depth: usize,
        problems: &mut Problems,
    ) -> Option<Node> {
        let declared = self.parameters.as_mut()?;
        if declared.rejected.contains(name) {
            return None;
        }
        let Some(parameter) = declared.values.get(name) else {
            let names = declared.values.0.iter().map(|p| p.name.as_str());
            let text = format!("no parameter {}{}", quote(name), known_names(name, names));
            let remedy = match declared.values.0.is_empty() {
                true => "; declare it under `parameters` of the world",
                false => "",
            };
            return problems.refuse(place, text + remedy);
        };
        declared.used.insert(name.to_owned());
        let mut value = parameter.value.clone();
        let (weight, own_depth) = value.memory_and_depth();
        if self.weight > MAX_TOTAL_BYTES {
            return None;
        }
        self.weight = self.weight.saturating_add(weight);
        if self.weight > MAX_TOTAL_BYTES {
            return problems.refuse(
                place,
                "too large: the values of the parameters together exceed the limit",
            );
        }
        if depth + own_depth > DEPTH_MAX {
            return problems.refuse(place, too_deep());
        }
        // the texts of a list or a map are visited later
        if let Value::Scalar { .. } = value.value {
            parameters::unescape(&mut value);
        }
        Some(value)
    }

    /// Reads the parameters of the root and changes them.
    fn declare_parameters(&mut self, root: &mut Node, problems: &mut Problems) {
        let Some(declared) = &mut self.parameters else {
            return;
        };
        *declared = Declared::new(std::mem::take(&mut declared.changes), declared.random);
        for (path, value) in &declared.changes {
            if let Err(why) = change_parameter(root, path, value) {
                problems.push(&value.place, why);
            }
        }
        let Random {
            draw,
            seed,
            default_seed,
        } = declared.random;
        // a seed that is not valid is reported when the key is read
        let written = || {
            let text = root.get(SEED)?.as_text()?;
            let Use::Of(name) = Use::of_text(text) else {
                return seed_of_text(text);
            };
            let used = root.get(PARAMETERS)?.get(name)?;
            let described = used.as_map().filter(|map| parameters::is_described(map));
            let value = described.and_then(|map| map.get(VALUE)).unwrap_or(used);
            seed_of_text(value.as_text()?)
        };
        let seed = seed.or_else(written).unwrap_or(default_seed);
        let Some(map) = root.as_map_mut().and_then(|map| map.get_mut(PARAMETERS)) else {
            return;
        };
        for (key, node) in map
            .as_map_mut()
            .into_iter()
            .flat_map(|map| &mut map.entries)
        {
            let numbers = Numbers::new(draw, seed, &key.name);
            let parameter = read_parameter(key, node, problems);
            match parameter.and_then(|p| draw_value(p, node, numbers, problems)) {
                Some(parameter) => declared.values.0.push(parameter),
                None => drop(declared.rejected.insert(key.name.clone())),
            }
        }
    }

    /// Removes `extends` from a map and returns the file that it names and its position.
    fn take_extends(
        &mut self,
        node: &mut Node,
        depth: usize,
        problems: &mut Problems,
    ) -> Option<(String, Place)> {
        let map = node.as_map_mut()?;
        let mut named = map.remove(EXTENDS)?;
        if self.parameters.is_some() && named.as_text().is_some_and(|text| text.starts_with('$')) {
            if depth == 0 {
                let text = "`extends` of a world: expected the name of a file, found a parameter; \
                            parameters are known after it is read";
                problems.push(&named.place, text);
                map.partial = true;
                return None;
            }
            let place = named.place.clone();
            match self.substitute("", named, depth, problems) {
                Some(value) => named = value,
                None => {
                    mark_partial(node);
                    return None;
                }
            }
            if !matches!(named.value, Value::Scalar { .. }) {
                let text = "`extends`: expected the name of one file, found a parameter with \
                            another value";
                problems.push(&place, text);
                mark_partial(node);
                return None;
            }
        }
        let map = node.as_map_mut()?;
        match named.value {
            Value::Scalar { text, .. } if !text.is_empty() => Some((text, named.place)),
            Value::Null => None,
            _ => {
                problems.push(&named.place, "`extends`: expected the name of one file");
                map.partial = true;
                None
            }
        }
    }

    fn load_base(
        &mut self,
        requested: &str,
        place: &Place,
        depth: usize,
        chain: &mut Chain,
        problems: &mut Problems,
    ) -> Option<Node> {
        if self.weight > MAX_TOTAL_BYTES {
            // The problem was reported where the limit was first exceeded.
            return None;
        }
        let is_bare = !requested.contains('/') && !requested.ends_with(".yaml");
        let named = self
            .named_file
            .filter(|_| depth == 0 && is_bare)
            .and_then(|find| find(requested, place));
        let path = match named {
            Some(path) => path,
            None => self.find_file(requested, place, problems)?,
        };
        if let Some(start) = chain.iter().position(|(from, _)| from == place) {
            let circle: Vec<String> = chain[start..]
                .iter()
                .map(|(from, to)| format!("{from} names {}", quote(&to.to_string_lossy())))
                .collect();
            return problems.refuse(place, format!("circular `extends`: {}", circle.join(", ")));
        }
        let base = self.load_file(&path, problems)?;
        if let Err(text) = self.check_base(&base, depth, requested) {
            return problems.refuse(place, text);
        }
        chain.push((place.clone(), path));
        Some(base)
    }

    /// Checks size, depth and form of the content of a file that `extends` names.
    fn check_base(&mut self, base: &Node, depth: usize, requested: &str) -> Result<(), String> {
        let (weight, base_depth) = base.memory_and_depth();
        self.weight = self.weight.saturating_add(weight);
        ensure!(
            self.weight <= MAX_TOTAL_BYTES,
            "too large: the files loaded through `extends` together exceed the limit"
        );
        ensure!(depth + base_depth <= DEPTH_MAX, "{}", too_deep());
        ensure!(
            matches!(base.value, Value::Map(_) | Value::Null),
            "expected a file with keys, found {} with a list or a string",
            quote(requested)
        );
        Ok(())
    }
}

/// Returns `folder`, or `.` for an empty path.
fn or_current(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

/// Marks all maps below `node` as partial: their missing keys may be in the file that could not be
/// read.
fn mark_partial(node: &mut Node) {
    if let Some(map) = node.as_map_mut() {
        map.partial = true;
        map.entries
            .iter_mut()
            .for_each(|(_, node)| mark_partial(node));
    }
}

/// Returns the message for a path that is not a file and resembles none: where it was expected, as
/// an absolute path.
fn missing_file_message(path: &Path) -> String {
    if path.is_dir() {
        return "is a folder; expected a YAML file".to_owned();
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    let shown = folder.display();
    if folder.is_dir() {
        format!("no such file in the folder `{shown}`; expected the path of a YAML file")
    } else {
        format!("no such file, because the folder `{shown}` does not exist")
    }
}

/// Replaces the strings at component keys below `node`. The parser has limited the depth of the
/// tree. The parameters of a root are left as they are: their names are not keys, and their values
/// are replaced where they are used.
fn expand_component_names(node: &mut Node, components: Components, is_root: bool) {
    match &mut node.value {
        Value::Null | Value::Scalar { .. } => {}
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| expand_component_names(item, components, false)),
        Value::Map(map) => {
            for (key, node) in &mut map.entries {
                if is_root && key.name == PARAMETERS {
                    continue;
                }
                expand_component_name(&key.name, node, components);
                expand_component_names(node, components, false);
            }
        }
    }
}

/// Replaces a string at the component key `key` by the `extends` that it denotes, unless it uses a
/// parameter.
fn expand_component_name(key: &str, node: &mut Node, components: Components) {
    let folder = components.iter().find(|(name, _)| *name == key);
    let text = node.as_text().filter(|text| !text.starts_with('$'));
    if let (Some((_, folder)), Some(text)) = (folder, text) {
        let bare = !text.contains('/') && !text.ends_with(".yaml");
        let file = if bare {
            format!("{folder}/{text}.yaml")
        } else {
            text.to_owned()
        };
        let named = Node::new(file, &node.place);
        *node = Node::map([(EXTENDS, named)], &node.place);
    }
}

/// Returns the seed that a text states.
pub fn seed_of_text(text: &str) -> Option<u64> {
    whole_number(text).and_then(|seed| seed.try_into().ok())
}

/// Draws the value of a parameter that has a distribution, and writes it into the `node` that
/// declares the parameter. Returns `None` after a problem was reported.
fn draw_value(
    parameter: Parameter,
    node: &mut Node,
    mut numbers: Numbers<'_>,
    problems: &mut Problems,
) -> Option<Parameter> {
    let map = parameter.value.as_map();
    let drawn = match map.and_then(Distribution::of_map) {
        Some((distribution, arguments)) => distribution.draw(arguments, &mut numbers),
        None => match map.and_then(Distribution::error) {
            Some(error) => Err(error),
            None => return Some(parameter),
        },
    };
    let value = match drawn {
        Ok(value) => value,
        Err((place, why)) => {
            let text = format!("parameter {}: {why}", quote(&parameter.name));
            return problems.refuse(&place, text);
        }
    };
    let described = node
        .as_map_mut()
        .filter(|map| parameters::is_described(map));
    match described.and_then(|map| map.get_mut(VALUE)) {
        Some(written) => *written = value.clone(),
        None => *node = value.clone(),
    }
    Some(Parameter { value, ..parameter })
}

/// Changes the value of a parameter of the root, at a path that begins with `parameters`. A
/// parameter with a description keeps it.
fn change_parameter(root: &mut Node, path: &KeyPath, value: &Node) -> Result<(), String> {
    let Some(Step::Key(name)) = path.0.get(1) else {
        return Err("expected the name of a parameter, such as `parameters.speed`".to_owned());
    };
    let declared = root.get(PARAMETERS);
    let Some(present) = declared.and_then(|map| map.get(name)) else {
        let map = declared.and_then(Node::as_map);
        let names = map.into_iter().flat_map(|map| &map.entries);
        let names = names.map(|(key, _)| key.name.as_str());
        let name_quoted = quote(name);
        return Err(format!(
            "no parameter {name_quoted}{}",
            known_names(name, names)
        ));
    };
    let is_described = |node: &Node| node.as_map().is_some_and(parameters::is_described);
    let mut path = path.clone();
    let is_part =
        |step: &Step| matches!(step, Step::Key(key) if key == VALUE || key == DESCRIPTION);
    let replaces_all = path.0.len() == 2 && is_described(value);
    if is_described(present) && !replaces_all && !path.0.get(2).is_some_and(is_part) {
        path.0.insert(2, Step::Key(VALUE.to_owned()));
    }
    let is_value = match path.0.len() {
        2 => true,
        3 => is_described(present) && path.0[2] == Step::Key(VALUE.to_owned()),
        _ => false,
    };
    if is_value && matches!(value.value, Value::Null) {
        return Err("a parameter needs a value, found null; give it a value".to_owned());
    }
    path::set(root, &path, value.clone(), &|_| false)
}

fn too_deep() -> String {
    format!("nested too deep; expected at most {DEPTH_MAX} levels")
}

/// Returns the message for a file that a request must not name.
pub fn not_for_requests(name: &str) -> String {
    format!(
        "{}: expected the name of a bundled file, because a request names it; start Merrow with \
         --allow-paths for other files",
        quote(name)
    )
}

/// Returns the text of a file, or the reason why it cannot be read.
pub fn read_text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut bytes = Vec::new();
    file.take(FILE_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() > FILE_MAX {
        return Err(format!(
            "too large; expected at most {} MiB",
            FILE_MAX >> 20
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("not UTF-8 text from line {line} on")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::tests::show;

    /// A temporary folder with these files, removed when the value is dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Folder {
            let folder =
                std::env::temp_dir().join(format!("merrow_node_{name}_{}", std::process::id()));
            for (file, text) in files {
                let path = folder.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Folder(folder)
        }

        /// Returns the tree and the problems of a file, with the folder name removed from the
        /// messages.
        fn load(&self, file: &str) -> (String, String) {
            let mut problems = Problems::new();
            let mut loader = Loader::new(vec![self.0.join("lib")]);
            let node = loader.load(&self.0.join(file), &mut problems);
            let prefix = format!("{}/", self.0.display());
            (
                node.map_or("none".into(), |node| show(&node)),
                problems.to_string().replace(&prefix, ""),
            )
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            // A folder that cannot be removed does not affect the test.
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn extends_works_on_every_level_and_parts_can_be_replaced() {
        let folder = Folder::new(
            "extends",
            &[
                (
                    "worlds/w.yaml",
                    "extends: base.yaml\nrobot:\n  dvl: {extends: b.yaml}\n  list:\n  - {extends: a.yaml}\n",
                ),
                (
                    "worlds/base.yaml",
                    "sea: 1\nrobot: {dvl: {extends: a.yaml, x_m: 9}, list: [1]}\n",
                ),
                ("lib/a.yaml", "name: a\nonly_a: 1\n"),
                ("lib/b.yaml", "extends: sub/c.yaml\nname: b\n"),
                ("lib/sub/c.yaml", "name: c\nonly_c: 1\n"),
            ],
        );
        let (tree, problems) = folder.load("worlds/w.yaml");
        assert_eq!(problems, "");
        assert_eq!(
            tree,
            "{sea: 1, robot: {dvl: {name: b, only_c: 1, x_m: 9}, list: [{name: a, only_a: 1}]}}"
        );
    }

    #[test]
    fn missing_file_lists_searched_folders() {
        let folder = Folder::new(
            "missing",
            &[
                (
                    "worlds/w.yaml",
                    "a:\n  extends: t2000.yaml\nb:\n  extends: sub/t201.yaml\nc:\n  extends: [x]\nd:\n  extends: t202\n",
                ),
                ("lib/t200.yaml", "x: 1\n"),
                ("lib/sub/t202.yaml", "x: 1\n"),
            ],
        );
        let (tree, problems) = folder.load("worlds/w.yaml");
        assert_eq!(tree, "{a: {}, b: {}, c: {}, d: {}}");
        let root = folder.0.display().to_string();
        let looked = if format!("{root}/worlds").len() <= 60 {
            "`worlds`, `lib`"
        } else {
            ""
        };
        let lines: Vec<&str> = problems.lines().collect();
        assert!(
            lines[0].starts_with("worlds/w.yaml:2:12: no file `t2000.yaml`, looked in "),
            "{}",
            lines[0]
        );
        assert!(lines[0].replace(&format!("{root}/"), "").contains(looked));
        assert!(lines[0].ends_with("; did you mean `t200.yaml`?"));
        assert!(lines[1].ends_with("; did you mean `t202.yaml`?"));
        assert_eq!(
            lines[2],
            "worlds/w.yaml:6:12: `extends`: expected the name of one file"
        );
        assert!(lines[3].ends_with("; did you mean `sub/t202.yaml`?"));
        assert_eq!(
            folder.load("lib/t20.yaml").1,
            "lib/t20.yaml: no such file; did you mean `t200.yaml`?"
        );
    }

    #[test]
    fn include_cycles_are_reported_and_reading_continues() {
        let folder = Folder::new(
            "circle",
            &[
                ("a.yaml", "extends: b.yaml\na: 1\n"),
                ("b.yaml", "extends: a.yaml\nb: 1\n"),
                ("c.yaml", "deep: {extends: c.yaml}\n"),
                ("d.yaml", "deep: {extends: e.yaml, deep: 1}\n"),
                ("e.yaml", "deep: {extends: e.yaml}\n"),
                ("l.yaml", "extends: m.yaml\n"),
                ("m.yaml", "[1]\n"),
            ],
        );
        let (tree, problems) = folder.load("a.yaml");
        assert_eq!(tree, "{a: 1, b: 1}");
        let names = |problems: &str| problems.replace(&format!("{}/", folder.0.display()), "");
        assert_eq!(
            names(&problems),
            "a.yaml:1:10: circular `extends`: a.yaml:1:10 names `b.yaml`, b.yaml:1:10 names `a.yaml`"
        );
        assert!(
            folder
                .load("c.yaml")
                .1
                .starts_with("c.yaml:1:17: circular `extends`: c.yaml:1:17 names ")
        );
        assert_eq!(
            folder.load("d.yaml"),
            ("{deep: {deep: 1}}".into(), String::new()),
            "overridden: no circle"
        );
        assert_eq!(
            folder.load("l.yaml").1,
            "l.yaml:1:10: expected a file with keys, found `m.yaml` with a list or a string"
        );
    }

    #[test]
    fn binary_and_large_files_are_refused() {
        let folder = Folder::new("binary", &[("w.yaml", "extends: x.yaml\n")]);
        std::fs::write(folder.0.join("x.yaml"), b"a: 1\nb: \xff\n").unwrap();
        assert_eq!(
            folder.load("w.yaml").1,
            "x.yaml: not UTF-8 text from line 2 on"
        );
        std::fs::write(folder.0.join("x.yaml"), vec![b' '; FILE_MAX + 1]).unwrap();
        assert_eq!(
            folder.load("w.yaml").1,
            "x.yaml: too large; expected at most 8 MiB"
        );
    }
}
