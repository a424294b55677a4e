//! `merrow save`: writes a world as it is after some simulated time, as a world file.

use super::failure::Failure;
use super::{WorldArguments, load_simulation};
use clap::Args;
use merrow::node::checkpoint;
use std::path::PathBuf;

/// Arguments of `merrow save`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    world: WorldArguments,
    /// World file to write; an existing saved world is replaced.
    #[arg(short, long, value_name = "FILE.yaml")]
    output: PathBuf,
    /// Simulate this time first [s].
    #[arg(long = "for", value_name = "SECONDS", value_parser = super::run::seconds)]
    duration: Option<f64>,
    /// Start from a checkpoint of this world.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

/// Simulates the world and writes it.
///
/// # Errors
/// The world cannot be loaded, or the file cannot be written.
pub(super) fn save(arguments: &Arguments) -> Result<(), Failure> {
    let resume = arguments.resume.as_deref();
    let world = &arguments.world;
    let (document, mut simulation) = load_simulation(&world.world, world.overrides(), 0, resume)?;
    if let Some(duration) = arguments.duration {
        simulation.advance((duration / simulation.scene.dt()).round() as u64);
    }
    let text = document
        .with_state(&simulation.scene, &simulation.state)
        .to_yaml();
    checkpoint::write_world(&arguments.output, &text)?;
    println!("wrote {}", arguments.output.display());
    Ok(())
}
