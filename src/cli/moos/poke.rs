//! `merrow moos poke`: posts values, as uPokeDB does.

use super::{Community, Failure, connect};
use clap::Args;
use merrow_moos::clock;
use merrow_moos::message::Value;
use std::time::Duration;

/// Time within which the MOOSDB must take the values.
const TAKE: Duration = Duration::from_secs(5);

/// Arguments of `merrow moos poke`.
#[derive(Args, Debug)]
pub(in crate::cli) struct Arguments {
    /// Address and port of the MOOSDB, or the mission file of its community.
    #[arg(value_parser = Community::parse, value_name = "HOST:PORT|FILE.moos")]
    address: Community,
    /// Values: a number if it is one, otherwise a text; with := a text in any case.
    #[arg(required = true, value_parser = value, value_name = "NAME=VALUE")]
    values: Vec<(String, Value)>,
}

fn value(text: &str) -> Result<(String, Value), String> {
    let parts = text.split_once('=').filter(|(name, _)| {
        let name = name.trim_end_matches(':');
        !name.is_empty() && !name.contains(char::is_whitespace)
    });
    let (name, value) =
        parts.ok_or_else(|| format!("expected NAME=VALUE or NAME:=TEXT, found {text:?}"))?;
    Ok(match (name.strip_suffix(':'), value.parse::<f64>()) {
        (Some(name), _) => (name.to_string(), value.into()),
        (None, Ok(number)) => (name.to_string(), number.into()),
        (None, Err(_)) => (name.to_string(), value.into()),
    })
}

/// Posts the values.
///
/// # Errors
/// There is no MOOSDB, or it takes no messages.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let warp = arguments.address.warp()?;
    let client = connect("merrow_poke", &arguments.address, clock::wall(warp))?;
    for (name, value) in &arguments.values {
        client.notify(name, value.clone());
    }
    match client.flush(TAKE) {
        true => Ok(()),
        false => Err(Failure::Failed("the MOOSDB takes no messages".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_or_texts() {
        let is = |text: &str, name: &str, expected: Value| {
            assert_eq!(value(text), Ok((name.to_string(), expected)));
        };
        is("DESIRED_THRUST=40", "DESIRED_THRUST", Value::Number(40.0));
        is("MODE=a=b,c", "MODE", Value::Text("a=b,c".to_string()));
        is("ID:=7", "ID", Value::Text("7".to_string()));
        for text in ["DEPLOY", "=1", ":=1", "A B=1"] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
