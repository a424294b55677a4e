//! `merrow replay`: shows a recorded bag in the browser.

use super::failure::Failure;
use super::signals::Signals;
use clap::Args;
use merrow::replay::Recording;
use merrow::replay::player::{Player, PlayerOptions, SPEEDS};
use merrow_world::Overrides;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Arguments of `merrow replay`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// MCAP file, or folder of a bag.
    bag: PathBuf,
    /// World file, or the name of a bundled world [default: the world that the bag names].
    #[arg(long)]
    world: Option<String>,
    /// Set a key of the world that `--world` names, as for `merrow run`.
    #[arg(long = "set", value_name = "PATH=VALUE", requires = "world")]
    sets: Vec<String>,
    /// Address of the page; an address other than loopback requires the token of the printed URL
    /// [default: 127.0.0.1:8080 or the next free port].
    #[arg(long, value_name = "ADDRESS:PORT", require_equals = true,
        value_parser = super::run::socket_address)]
    view: Option<SocketAddr>,
    /// Simulated time of the first state [s] [default: the start of the recording].
    #[arg(long, value_name = "SECONDS")]
    start: Option<f64>,
    /// Recorded seconds per second, 0.1 to 20.
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = speed)]
    pace: f64,
    /// Only check that the bag can be shown, and print its first and last time.
    #[arg(long)]
    check: bool,
}

fn speed(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|speed| SPEEDS.contains(speed));
    let (low, high) = (SPEEDS.start(), SPEEDS.end());
    found.ok_or_else(|| format!("expected a number from {low} to {high}, found {text:?}"))
}

/// Shows the bag until the first signal.
///
/// # Errors
/// The bag cannot be read, its world is not known, or the address cannot be used.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let signals = Signals::install()?;
    let overrides = Overrides {
        sets: arguments.sets.clone(),
        ..Overrides::default()
    };
    let load = |name: &String| super::load(name, overrides);
    let world = arguments.world.as_ref().map(load).transpose()?;
    let recording = Recording::open(&arguments.bag, world)?;
    for note in &recording.notes {
        eprintln!("merrow: {note}");
    }
    let [start, end] = recording.bounds_s();
    println!("{}: {start:.2} s to {end:.2} s", arguments.bag.display());
    if arguments.check {
        return Ok(());
    }
    signals.end_cleanly();
    let mut player = Player::start(
        recording,
        PlayerOptions {
            address: arguments.view,
            start_s: arguments.start,
            speed: arguments.pace,
        },
    )?;
    println!("view: {}", player.url());
    Ok(player.run(&signals.stop)?)
}
