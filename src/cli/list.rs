//! `merrow list`: lists the bundled worlds and components.

use merrow_world::{catalogue, data_dir};
use serde_json::{Map, Value, json};

/// Kinds of bundled files.
const KINDS: &str =
    "worlds robots props bodies thrusters fins sensors batteries firmware lines beacons modems";

/// Prints the bundled worlds and components, each with its description.
pub(super) fn list(as_json: bool) -> Result<(), String> {
    data_dir::check()?;
    let kinds = KINDS.split(' ').map(|kind| {
        let folder = match kind {
            "worlds" => kind.to_string(),
            _ => format!("params/{kind}"),
        };
        let names = data_dir::file_names(&folder).into_iter();
        let described = names.map(|name| (catalogue::description(&folder, &name), name));
        (kind, described.collect::<Vec<_>>())
    });
    if as_json {
        let (mut all, mut descriptions) = (Map::new(), Map::new());
        for (kind, files) in kinds {
            let names: Vec<&String> = files.iter().map(|(_, name)| name).collect();
            all.insert(kind.into(), json!(names));
            let lines = files.into_iter().map(|(text, name)| (name, json!(text)));
            descriptions.insert(kind.into(), Value::Object(lines.collect()));
        }
        all.insert("descriptions".into(), Value::Object(descriptions));
        println!("{}", Value::Object(all));
        return Ok(());
    }
    for (kind, files) in kinds {
        println!("{kind}:");
        let width = files.iter().map(|(_, name)| name.len()).max().unwrap_or(0);
        for (text, name) in files {
            println!("{}", format!("  {name:<width$}  {text}").trim_end());
        }
    }
    Ok(())
}
