//! Values of a world file that the overrides set, and the parameters of the world.

use crate::Problems;
use crate::build::Overrides;
use crate::components::{loader, random};
use crate::keys::WorldConfig;
use crate::keys::world::DEFAULT_SEED;
use merrow_yaml::error::{Place, Problem};
use merrow_yaml::load::{Loader, seed_of_text};
use merrow_yaml::node::{Node, Value, parse};
use merrow_yaml::parameters::PARAMETERS;
use merrow_yaml::path::{self, Path, Step};
use merrow_yaml::schema;

/// A value that the overrides set.
struct Set {
    path: Path,
    /// Value as written, at the position of the option.
    value: Node,
}

impl Set {
    fn is_of_parameter(&self) -> bool {
        self.path.first_key() == PARAMETERS
    }
}

/// Trees of a world with all `extends` and parameters resolved.
pub(super) struct Trees {
    /// Tree with the values that the overrides set.
    pub(super) tree: Option<Node>,
    /// Tree of the file alone; `None` if it is the same.
    pub(super) file: Option<Node>,
    /// Parameters that nothing uses.
    pub(super) warnings: Vec<Problem>,
}

/// Function that reads a world with a loader.
type Read<'a> = &'a dyn Fn(&mut Loader, &mut Problems) -> Option<Node>;

/// Reads a world and sets the values of the overrides.
pub(super) fn load(overrides: &Overrides, problems: &mut Problems, read: Read<'_>) -> Trees {
    let sets = read_sets(overrides, problems);
    let of_parameters = sets.iter().filter(|set| set.is_of_parameter());
    let changes = of_parameters.map(|set| (set.path.clone(), set.value.clone()));
    // the last seed counts, as it does when the values are set
    let set_seed = sets.iter().rfind(|set| set.path.to_string() == "seed");
    let set_seed = set_seed.and_then(|set| match &set.value.value {
        Value::Null => Some(DEFAULT_SEED),
        _ => seed_of_text(set.value.as_text()?),
    });
    let random = random(set_seed);
    let mut loader = loader().with_parameters(changes.collect(), random);
    let mut tree = read(&mut loader, problems);
    // the file alone, whose errors the overrides may have corrected
    let file = (!sets.is_empty()).then(|| {
        let mut loader = self::loader().with_parameters(Vec::new(), random);
        read(&mut loader, &mut Problems::new())
    });
    let mut warnings = Vec::new();
    if let Some(tree) = &mut tree {
        for set in sets.iter().filter(|set| !set.is_of_parameter()) {
            if let Err(why) = apply(tree, set, &mut loader, problems) {
                problems.push(&set.value.place, why);
            }
        }
        warnings = check_use(tree, &sets, &loader, problems);
    }
    Trees {
        tree,
        file: file.flatten(),
        warnings,
    }
}

/// Reads the values of the overrides, and reports those that are not valid or have no effect.
fn read_sets(overrides: &Overrides, problems: &mut Problems) -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    for text in &overrides.sets {
        let written = text.split_once('=').map_or(text.as_str(), |(path, _)| path);
        let place = match Path::parse(text) {
            Ok((path, _)) => Place::option(&path.to_string()),
            Err(_) => Place::option(written),
        };
        match read_set(text, &place) {
            Ok(set) => sets.push(set),
            Err(why) => problems.push(&place, why),
        }
    }
    for (n, set) in sets.iter().enumerate() {
        let place = &set.value.place;
        if overrides.seed.is_some() && set.path.to_string() == "seed" {
            problems.push(place, "has no effect with --seed; remove one of the two");
        }
        let mut later = sets[n + 1..].iter();
        if let Some(other) = later.find(|later| set.path.is_below(&later.path)) {
            problems.push(
                place,
                match other.path == set.path {
                    true => "given twice; remove one of the two".to_string(),
                    false => format!(
                        "has no effect, because a later `{}` replaces it; give that first",
                        other.value.place
                    ),
                },
            );
        }
    }
    if let Some(seed) = overrides.seed {
        // a whole number is a valid value
        sets.extend(read_set(&format!("seed={seed}"), &Place::option("seed")));
    }
    sets
}

fn read_set(text: &str, place: &Place) -> Result<Set, String> {
    let (path, value) = Path::parse(text)?;
    let value = value.ok_or("expected PATH=VALUE, found no `=`")?;
    let mut found = Problems::new();
    let parsed = parse("value", value, &mut found);
    if let Some(problem) = found.iter().next() {
        return Err(problem.text.clone());
    }
    let node = parsed.ok_or("expected a value in YAML")?;
    let is_null = matches!(node.value, Value::Null);
    if is_null && !matches!(value.trim(), "null" | "Null" | "NULL" | "~") {
        return Err("expected a value after `=`; write `null` to remove the key".to_string());
    }
    Ok(Set {
        path,
        value: node.placed(place),
    })
}

/// Returns true if there is an error of the value that an override sets.
fn is_reported(set: &Set, problems: &Problems) -> bool {
    let mut places = problems.iter().map(|problem| &problem.place);
    places.any(|place| *place == set.value.place)
}

/// Reports the parameters that nothing uses: an error for one that an override sets.
fn check_use(tree: &Node, sets: &[Set], loader: &Loader, problems: &mut Problems) -> Vec<Problem> {
    let mut warnings = Vec::new();
    let declared = tree.get(PARAMETERS).and_then(Node::as_map);
    for (key, _) in declared.into_iter().flat_map(|map| &map.entries) {
        let name = &key.name;
        let is_name = |step: &Step| matches!(step, Step::Key(key) if key == name);
        let own = sets.iter().filter(|set| set.is_of_parameter());
        let mut own = own.filter(|set| set.path.0.get(1).is_some_and(is_name));
        match own.next() {
            Some(set) if is_reported(set, problems) => {}
            Some(set) if !loader.has_used(name) => {
                let text = format!("has no effect: no value of the world is `${name}`");
                problems.push(&set.value.place, text);
            }
            Some(_) => {}
            None if loader.mentions(name) || loader.has_used(name) => {}
            None => warnings.push(Problem {
                place: key.place.clone(),
                text: format!(
                    "parameter `{name}` is not used; write `${name}` in place of a value, or remove it"
                ),
            }),
        }
    }
    warnings
}

/// Sets a value of a tree. Errors of the value itself are added to `problems`.
fn apply(
    tree: &mut Node,
    set: &Set,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Result<(), String> {
    let key = match set.path.0.last() {
        Some(Step::Key(key)) => key.as_str(),
        Some(Step::Index(_)) | None => "",
    };
    if set.path.0.contains(&Step::Key("extends".to_string())) {
        let why = "`extends` is resolved before; expected a key of the files that it names";
        return Err(why.to_string());
    }
    let (value, depth) = (set.value.clone(), set.path.0.len());
    let Some(value) = loader.resolve_value(key, value, depth, problems) else {
        return Ok(());
    };
    path::set(tree, &set.path, value, &|keys| {
        schema::names_incomplete_entry::<WorldConfig>(keys)
    })
}
