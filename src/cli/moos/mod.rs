//! `merrow moos`: a community of MOOS without MOOS-IvP, and its logs.

mod community;
mod log;
mod poke;
mod replay;
mod serve;

pub(super) use community::Community;

use super::failure::Failure;
use super::signals::Signals;
use clap::Subcommand;
use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock::Clock;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Commands of `merrow moos`.
#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Run a MOOSDB until it is interrupted.
    Serve(serve::Arguments),
    /// Write the variables of a community to a log, until it is interrupted.
    Log(log::Arguments),
    /// Post values.
    Poke(poke::Arguments),
    /// Post the messages of a log again, in their order.
    Replay(replay::Arguments),
}

/// Time within which a MOOSDB must accept a client.
const CONNECT: Duration = Duration::from_secs(2);

/// Runs a command.
///
/// # Errors
/// There is no MOOSDB, or a file cannot be read or written.
pub(super) fn run(command: &Command) -> Result<(), Failure> {
    let signals = Signals::install()?;
    signals.end_cleanly();
    match command {
        Command::Serve(arguments) => serve::run(arguments, &signals),
        Command::Log(arguments) => log::run(arguments, &signals),
        Command::Poke(arguments) => poke::run(arguments),
        Command::Replay(arguments) => replay::run(arguments, &signals),
    }
}

/// Connects to the MOOSDB of a community.
fn connect(name: &str, community: &Community, clock: Clock) -> Result<Client, Failure> {
    let moos = &community.moos;
    let port = u16::try_from(moos.port).unwrap_or_default();
    let client = Client::start(Settings::new(name, moos.host.clone(), port), clock);
    if client.wait_connected(CONNECT) {
        return Ok(client);
    }
    let why = match client.connection() {
        Connection::Refused(why) => why,
        Connection::Waiting(why) if why.is_empty() => "no answer".to_string(),
        Connection::Waiting(why) => why,
        Connection::Connected(_) => String::new(),
    };
    let (host, port) = (&moos.host, moos.port);
    Err(Failure::Failed(format!(
        "no MOOSDB accepts a client at {host}:{port}: {why}; start one, such as with `merrow moos serve {host}:{port}`"
    )))
}

/// Returns true once a signal asks the command to end.
fn is_ended(signals: &Signals) -> bool {
    signals.stop.load(Ordering::Relaxed)
}
