//! Tests that the JSON Schema of the world file is complete and accepts every shipped world.
//!
//! An editor that uses the schema never flags a valid file. Method: a validator of only the
//! keywords that the schema uses, which fails on any other keyword; the worlds as written, and as
//! read after `extends` is resolved.

use merrow_world::Problems;
use merrow_world::data_dir;
use merrow_yaml::error::{trailing_units, unit_of};
use merrow_yaml::load::Loader;
use merrow_yaml::node::{Node, Value, parse};
use merrow_yaml::read::{boolean, is_frame_name, is_name, number};
use serde_json::{Map, Value as Json, json};

/// Keys whose text names a component file, as in `world`; if one is missing here, a shipped world
/// fails.
const COMPONENTS: &[(&str, &str)] = &[
    ("model", "robots"),
    ("body", "bodies"),
    ("motor", "thrusters"),
    ("battery", "batteries"),
    ("device", "sensors"),
    ("line", "lines"),
    ("beacon", "beacons"),
    ("hydrodynamics", "hydrodynamics"),
];

/// Returns a world with all its included files merged, as JSON.
fn expanded(name: &str) -> Json {
    let mut problems = Problems::new();
    let mut loader = Loader::new(data_dir::params_folders()).with_components(COMPONENTS);
    let node = loader.load(&data_dir::world_file(name), &mut problems);
    assert!(problems.is_empty(), "{problems}");
    to_json(&node.unwrap())
}

fn to_json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Scalar {
            text,
            quoted: false,
        } => match (number(text), boolean(text)) {
            (Some(value), _) => json!(value),
            (_, Some(value)) => json!(value),
            _ => json!(text),
        },
        Value::Scalar { text, .. } => json!(text),
        Value::Seq(items) => items.iter().map(to_json).collect(),
        Value::Map(map) => map
            .entries
            .iter()
            .map(|(key, node)| (key.name.clone(), to_json(node)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// Returns the reason why `value` does not satisfy `schema`; `root` holds the definitions.
fn error_of(value: &Json, schema: &Json, root: &Json) -> Option<String> {
    let Json::Object(words) = schema else {
        return Some(format!("{schema} is no schema"));
    };
    words.iter().find_map(|(word, rule)| {
        let wrong = match word.as_str() {
            "$schema" | "$comment" | "$defs" | "title" | "description" | "default" | "then" => None,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                error_of(
                    value,
                    root.get("$defs")?.get(name).unwrap_or(&Json::Null),
                    root,
                )
            }
            "if" if error_of(value, rule, root).is_none() => error_of(value, &words["then"], root),
            "if" => None,
            "not" => error_of(value, rule, root)
                .is_none()
                .then(|| "not allowed".into()),
            "anyOf" => any_of(value, rule, root),
            "type" => (!has_type(value, rule)).then(|| format!("{value} is no {rule}")),
            "enum" => (!rule.as_array().unwrap().contains(value))
                .then(|| format!("{value} is none of {rule}")),
            "const" => (value != rule).then(|| format!("{value} is not {rule}")),
            "properties" | "additionalProperties" => properties(value, word, words, root),
            "required" => required(value, rule),
            "items" => value
                .as_array()?
                .iter()
                .find_map(|item| error_of(item, rule, root)),
            _ => bound(value, word, rule),
        };
        wrong.map(|text| format!("{word}: {text}"))
    })
}

fn any_of(value: &Json, rules: &Json, root: &Json) -> Option<String> {
    let errors: Vec<String> = rules
        .as_array()
        .unwrap()
        .iter()
        .map_while(|rule| error_of(value, rule, root))
        .collect();
    (errors.len() == rules.as_array().unwrap().len()).then(|| errors.join(" | "))
}

fn has_type(value: &Json, rule: &Json) -> bool {
    if let Json::Array(rules) = rule {
        return rules.iter().any(|rule| has_type(value, rule));
    }
    match rule.as_str().unwrap() {
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|value| value.fract() == 0.0),
        other => panic!("unknown type {other}"),
    }
}

fn properties(value: &Json, word: &str, words: &Map<String, Json>, root: &Json) -> Option<String> {
    let known = words.get("properties");
    value.as_object()?.iter().find_map(|(key, value)| {
        let rule = known.and_then(|known| known.get(key));
        let wrong = match (word, rule) {
            ("properties", Some(rule)) => error_of(value, rule, root),
            ("additionalProperties", None) if words[word] == json!(false) => {
                Some("unknown key".into())
            }
            ("additionalProperties", None) => error_of(value, &words[word], root),
            _ => None,
        };
        wrong.map(|text| format!("{key}: {text}"))
    })
}

fn required(value: &Json, names: &Json) -> Option<String> {
    let value = value.as_object()?;
    let missing = names
        .as_array()?
        .iter()
        .find(|name| !value.contains_key(name.as_str().unwrap()))?;
    Some(format!("{missing} is missing"))
}

/// Checks bounds of numbers, of lengths and of texts.
fn bound(value: &Json, word: &str, rule: &Json) -> Option<String> {
    let limit = rule.as_f64();
    let holds = match word {
        "minimum" => value.as_f64()? >= limit?,
        "exclusiveMinimum" => value.as_f64()? > limit?,
        "maximum" => value.as_f64()? <= limit?,
        "minItems" => value.as_array()?.len() as f64 >= limit?,
        "maxItems" => value.as_array()?.len() as f64 <= limit?,
        "minLength" => value.as_str()?.len() as f64 >= limit?,
        "pattern" if rule == "^[a-z][a-z0-9_]*$" => is_name(value.as_str()?),
        "pattern" if rule == "^[^/\\s]\\S*$" => is_frame_name(value.as_str()?),
        // the name of a parameter, or what another pattern allows
        "pattern" if rule.as_str()?.starts_with("^\\$") => {
            let own = rule.as_str()?.strip_prefix("^\\$|");
            value.as_str()?.starts_with('$')
                || own.is_some_and(|own| bound(value, word, &json!(own)).is_none())
        }
        "propertyNames" => value
            .as_object()?
            .keys()
            .all(|key| bound(&json!(key), "pattern", &rule["pattern"]).is_none()),
        other => panic!("the schema uses `{other}`, which this validator does not support"),
    };
    (!holds).then(|| format!("{value} against {rule}"))
}

fn schema() -> Json {
    merrow_world::json_schema()
}

/// Symbols of units, independent of the table of `merrow_yaml`. The list contains units that no key
/// uses, so that a key with a new unit is recognised.
#[rustfmt::skip]
const SYMBOLS: &[(&str, &str)] = &[
    ("m", "m"), ("mm", "mm"), ("cm", "cm"), ("km", "km"), ("um", "um"), ("nmi", "nmi"),
    ("ft", "ft"), ("ml", "ml"), ("l", "l"), ("kg", "kg"), ("g", "g"), ("mg", "mg"), ("lb", "lb"),
    ("s", "s"), ("ms", "ms"), ("us", "us"), ("ns", "ns"), ("h", "h"), ("hz", "Hz"), ("khz", "kHz"),
    ("mhz", "MHz"), ("ghz", "GHz"), ("n", "N"), ("kn", "kN"), ("nm", "N m"), ("pa", "Pa"),
    ("kpa", "kPa"), ("mpa", "MPa"), ("hpa", "hPa"), ("bar", "bar"), ("mbar", "mbar"),
    ("dbar", "dbar"), ("psi", "psi"), ("deg", "deg"), ("rad", "rad"), ("mrad", "mrad"),
    ("rpm", "rpm"), ("knots", "knots"), ("v", "V"), ("mv", "mV"), ("kv", "kV"), ("a", "A"),
    ("ma", "mA"), ("ah", "Ah"), ("mah", "mAh"), ("w", "W"), ("mw", "mW"), ("kw", "kW"),
    ("wh", "Wh"), ("kwh", "kWh"), ("j", "J"), ("kj", "kJ"), ("mol", "mol"), ("ohm", "ohm"),
    ("f", "F"), ("t", "T"), ("ut", "uT"), ("nt", "nT"), ("k", "K"), ("c", "degrees Celsius"),
    ("lx", "lx"), ("lux", "lx"), ("lm", "lm"), ("cd", "cd"), ("ev100", "EV at ISO 100"),
    ("db", "dB"), ("dbm", "dBm"), ("percent", "%"), ("ppm", "ppm"), ("psu", "psu"), ("ntu", "NTU"),
    ("px", "px"), ("bit", "bit"), ("bits", "bits"), ("siemens", "S"),
    ("bytes", "bytes"), ("electrons", "electrons"), ("wavelength", "wavelength"),
];

/// Quotients whose suffix has no `per`.
const QUOTIENTS: [&str; 9] = [
    "m_s", "m_s2", "rad_s", "rad_s2", "deg_s", "mm_h", "m3_s", "kg_m3", "bit_s",
];

/// Notation of a word of a suffix: a symbol of a unit, with an exponent.
fn symbol(word: &str) -> Option<String> {
    let find = |word: &str| SYMBOLS.iter().find(|(suffix, _)| *suffix == word);
    match word {
        "n15" => return Some("N^1.5".to_string()),
        "n2m2" => return Some("N2 m2".to_string()),
        _ => {}
    }
    if let Some((_, symbol)) = find(word) {
        return Some(symbol.to_string());
    }
    let base = word.strip_suffix(['2', '3'])?;
    let (_, symbol) = find(base)?;
    Some(format!("{symbol}{}", &word[base.len()..]))
}

/// Notation of a product, of an established quotient or of a root.
fn product(words: &[&str]) -> Option<String> {
    if let ["sqrt", word] = words {
        return Some(format!("sqrt({})", symbol(word)?));
    }
    let symbols = words.iter().map(|word| symbol(word));
    let symbols: Vec<String> = symbols.collect::<Option<_>>()?;
    let separator = if QUOTIENTS.contains(&words.join("_").as_str()) {
        "/"
    } else {
        " "
    };
    Some(symbols.join(separator))
}

/// Notation of the unit that the words of a suffix name.
fn notation(words: &[&str]) -> Option<String> {
    let Some(per) = words.iter().position(|word| *word == "per") else {
        return product(words);
    };
    let above = if per == 0 {
        "1".to_string()
    } else {
        product(&words[..per])?
    };
    let below = product(&words[per + 1..])?;
    Some(
        if below.contains([' ', '/']) && !below.starts_with("sqrt") {
            format!("{above}/({below})")
        } else {
            format!("{above}/{below}")
        },
    )
}

/// Notation of the unit of a key: of the longest suffix of unit symbols behind at least one word.
fn expected_unit(key: &str) -> Option<String> {
    let words: Vec<&str> = key.split('_').collect();
    let is_unit = |word: &&str| ["per", "sqrt"].contains(word) || symbol(word).is_some();
    let run = (1..words.len())
        .map(|k| &words[k..])
        // a wavelength is a unit in quotients only, as in `db_per_wavelength`
        .filter(|run| run[0] != "wavelength")
        .find(|run| run.iter().all(is_unit))?;
    Some(notation(run).unwrap_or_else(|| format!("no unit: {}", run.join("_"))))
}

#[test]
fn units_follow_from_the_suffix() {
    let check = |key: &str, unit: Option<&str>| {
        assert_eq!(expected_unit(key).as_deref(), unit, "{key}");
    };
    check("friction_nm", Some("N m"));
    check("heave_n_per_m", Some("N/m"));
    check("drag_n_s2_per_rad_m", Some("N s2/(rad m)"));
    check("sinking_gain_rad_per_m_s", Some("rad/(m/s)"));
    check("position_gain_per_s", Some("1/s"));
    // a unit that the table of `merrow_yaml` lacks
    check("dose_ml", Some("ml"));
    check("restitution", None);
}

// The unit of every key is unambiguous, and its description names this unit. Method: the notation
// that follows from the words of the key, by the rules of this file; the descriptions have the unit
// from the table of `merrow_yaml`. The longest run of unit symbols at the end of a key is a unit of
// that table.
#[test]
fn every_key_has_an_unambiguous_unit() {
    fn walk(schema: &Json, wrong: &mut Vec<String>, n: &mut usize) {
        let properties = schema.get("properties").and_then(Json::as_object);
        for (key, value) in properties.into_iter().flatten() {
            *n += 1;
            let described = value
                .get("description")
                .and_then(Json::as_str)
                .and_then(|text| text.rsplit_once("Unit: "))
                .map(|(_, unit)| unit.trim_end_matches('.'));
            let (run, expected) = (trailing_units(key), expected_unit(key));
            if run.is_some() && unit_of(key).is_none() || described != expected.as_deref() {
                wrong.push(format!(
                    "{key}: symbols {run:?}, expected {expected:?}, described as {described:?}"
                ));
            }
        }
        match schema {
            Json::Array(items) => items.iter().for_each(|item| walk(item, wrong, n)),
            Json::Object(map) => map.values().for_each(|item| walk(item, wrong, n)),
            _ => {}
        }
    }
    let (mut wrong, mut n) = (Vec::new(), 0);
    walk(&schema(), &mut wrong, &mut n);
    assert!(n > 500, "only {n} keys");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_reference_has_a_definition() {
    fn walk(schema: &Json, root: &Json) {
        if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            assert!(
                root.pointer(name.strip_prefix('#').unwrap()).is_some(),
                "{name} leads nowhere"
            );
        }
        match schema {
            Json::Array(items) => items.iter().for_each(|item| walk(item, root)),
            Json::Object(map) => map.values().for_each(|item| walk(item, root)),
            _ => {}
        }
    }
    walk(&schema(), &schema());
}

#[test]
fn every_shipped_world_satisfies_the_schema_as_written_and_as_read() {
    for name in data_dir::file_names("worlds") {
        let text = std::fs::read_to_string(data_dir::world_file(&name)).unwrap();
        let written = to_json(&parse(&name, &text, &mut Problems::new()).unwrap());
        for world in [written, expanded(&name)] {
            assert_eq!(error_of(&world, &schema(), &schema()), None, "{name}");
        }
    }
}

// An editor does not flag the name of a parameter in place of any value, and flags other texts.
#[test]
fn names_of_parameters_satisfy_the_schema() {
    let text = "
parameters: {speed: 0.4, start: [0, 0, -2], tide: {value: none, description: Tide}}
seed: $seed
tags: [$tag]
step: {dt_s: $dt, integrator: $integrator}
water: {current: $tide}
origin: $origin
robots:
  rov: {model: $vehicle, position_m: [0, 0, $depth], attitude_deg: $attitude}
  auv: {model: {extends: $vehicle, sensors: $sensors}}
actors: {ferry: {floats: $floats}}
";
    let world = to_json(&parse("w.yaml", text, &mut Problems::new()).unwrap());
    assert_eq!(error_of(&world, &schema(), &schema()), None);
    for (name, other) in [
        ("$dt", "dt"),
        ("$depth", "depth"),
        ("$attitude", "attitude"),
        ("$floats", "floats"),
    ] {
        let text = text.replace(name, other);
        let world = to_json(&parse("w.yaml", &text, &mut Problems::new()).unwrap());
        assert!(error_of(&world, &schema(), &schema()).is_some(), "{text}");
    }
}

/// Checks the validator itself: it rejects all files that the reader rejects.
#[test]
fn wrong_worlds_do_not_satisfy_the_schema() {
    let refused = |change: fn(&mut Json)| {
        let mut world = expanded("pool");
        change(&mut world);
        assert!(error_of(&world, &schema(), &schema()).is_some(), "{world}");
    };
    refused(|world| world["sed"] = json!(1));
    refused(|world| world["step"]["dt_s"] = json!(2));
    refused(|world| world["seabed"]["slope_east_north"] = json!([1]));
    refused(|world| world["robots"]["bluerov2"]["model"]["body"]["mass_kg"] = json!(-1));
    refused(|world| world["robots"]["bluerov2"]["model"]["body"]["axes"] = json!("ned"));
    refused(|world| world["water"]["current"] = json!({"kind": "unifrom", "speed_m_s": 1}));
    refused(|world| drop(world.as_object_mut().unwrap().remove("robots")));
}
