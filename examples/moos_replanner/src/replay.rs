//! Replay of a log into the planner, which must post what it has posted in the mission.

use crate::application::{self, Application};
use crate::program::{TURN, own_turn};
use merrow_moos::alog::Reader;
use merrow_moos::message::{Message, Value};
use merrow_moos::mission::Mission;
use std::io::BufRead;

/// Replays the log of a mission in lock-step. Returns the number of values that the planner has
/// posted as it is logged.
///
/// # Errors
/// One line: the log or the mission is not valid, or a value differs.
pub fn replay(log: impl BufRead, mission: &Mission) -> Result<usize, String> {
    let mut planner = Application::from_mission(mission)?;
    // values of a turn that the log must have next
    let mut expected: Vec<(&str, Value)> = Vec::new();
    let mut same = 0;
    for message in Reader::new(log) {
        let message = message?;
        let logged = || message.value().unwrap_or(Value::Text(String::new()));
        if message.source == application::NAME && message.key != "LOCK_STEP_DONE" {
            if expected.is_empty() {
                return Err(differs(&message, "nothing"));
            }
            let (key, value) = expected.remove(0);
            if key != message.key || value != logged() {
                return Err(differs(&message, &format!("{key} = {value:?}")));
            }
            same += 1;
        } else if message.key == TURN {
            if own_turn(&message, application::NAME).is_some() {
                if let Some((key, value)) = expected.first() {
                    return Err(differs(&message, &format!("{key} = {value:?}")));
                }
                expected = planner.iterate();
            }
        } else if application::is_input(&message.key) {
            planner.take(&message)?;
        }
    }
    Ok(same)
}

fn differs(logged: &Message, posted: &str) -> String {
    let Message { key, time, .. } = logged;
    format!(
        "at {time:.3} s: the log has {key} = {}, and the planner posts {posted}",
        logged
            .number()
            .map_or(logged.text().to_string(), |number| number.to_string())
    )
}
