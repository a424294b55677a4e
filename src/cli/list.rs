//! `merrow list`: what comes with Merrow.

use merrow::world::share;
use serde_json::json;
use std::process::ExitCode;

/// Prints the shipped worlds and components.
pub fn list(as_json: bool) -> Result<ExitCode, String> {
    let kinds = [
        ("worlds", "worlds"),
        ("robots", "params/robots"),
        ("bodies", "params/bodies"),
        ("thrusters", "params/thrusters"),
        ("fins", "params/fins"),
        ("sensors", "params/sensors"),
        ("batteries", "params/batteries"),
        ("firmware", "params/firmware"),
        ("lines", "params/lines"),
    ];
    if as_json {
        let all: serde_json::Map<_, _> =
            kinds.iter().map(|(kind, folder)| ((*kind).to_string(), json!(share::list(folder)))).collect();
        println!("{}", serde_json::Value::Object(all));
        return Ok(ExitCode::SUCCESS);
    }
    for (kind, folder) in kinds {
        println!("{kind}:");
        for name in share::list(folder) {
            println!("  {name}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
