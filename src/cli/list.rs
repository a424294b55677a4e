//! `merrow list`: lists the bundled worlds and components.

use merrow_world::{catalogue, data_dir};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Prints the bundled worlds and components, each with its description.
pub(super) fn list(as_json: bool) -> Result<ExitCode, String> {
    data_dir::check()?;
    let kinds = [
        ("worlds", "worlds"),
        ("robots", "params/robots"),
        ("props", "params/props"),
        ("bodies", "params/bodies"),
        ("thrusters", "params/thrusters"),
        ("fins", "params/fins"),
        ("sensors", "params/sensors"),
        ("batteries", "params/batteries"),
        ("firmware", "params/firmware"),
        ("lines", "params/lines"),
        ("beacons", "params/beacons"),
        ("modems", "params/modems"),
    ];
    if as_json {
        let mut all: Map<String, Value> = kinds
            .iter()
            .map(|(kind, folder)| ((*kind).to_string(), json!(data_dir::file_names(folder))))
            .collect();
        let lines = |folder: &str| -> Map<String, Value> {
            let names = data_dir::file_names(folder).into_iter();
            names
                .map(|name| (name.clone(), json!(catalogue::description(folder, &name))))
                .collect()
        };
        let descriptions: Map<String, Value> = kinds
            .iter()
            .map(|(kind, folder)| ((*kind).to_string(), Value::Object(lines(folder))))
            .collect();
        all.insert("descriptions".into(), Value::Object(descriptions));
        println!("{}", Value::Object(all));
        return Ok(ExitCode::SUCCESS);
    }
    for (kind, folder) in kinds {
        println!("{kind}:");
        let names = data_dir::file_names(folder);
        let width = names.iter().map(String::len).max().unwrap_or(0);
        for name in names {
            println!(
                "{}",
                format!(
                    "  {name:<width$}  {}",
                    catalogue::description(folder, &name)
                )
                .trim_end()
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
