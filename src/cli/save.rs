//! `merrow save`: writes a world as it is after some simulated time, as a world file.

use super::load_document;
use clap::Args;
use merrow::node::checkpoint;
use merrow_sim as sim;
use merrow_sim::Simulation;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of `merrow save`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// World file, or the name of a bundled world.
    world: String,
    /// World file to write; an existing file is replaced.
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
pub(super) fn save(arguments: &Arguments) -> Result<ExitCode, String> {
    let (mut document, world) = load_document(&arguments.world, None)?;
    let mut scene = Arc::new(world.scene);
    let mut saved = None;
    if let Some(path) = &arguments.resume {
        let located = |why: String| format!("{}: {why}", path.display());
        let bytes = checkpoint::read(path)?;
        let changes = sim::checkpoint::world_changes(&bytes, &scene.sea).map_err(located)?;
        if !changes.is_empty() {
            document = document.with_changes(&changes).map_err(|e| e.to_string())?;
            scene = Arc::new(document.build().map_err(|e| e.to_string())?.scene);
        }
        saved = Some((bytes, path));
    }
    let mut simulation = Simulation::new(scene, 0)?;
    if let Some((bytes, path)) = saved {
        let resumed = simulation.resume(&bytes);
        resumed.map_err(|why| format!("{}: {why}", path.display()))?;
    }
    if let Some(duration) = arguments.duration {
        simulation.advance((duration / simulation.scene.dt()).round() as u64);
    }
    let text = document
        .with_state(&simulation.scene, &simulation.state)
        .to_yaml();
    checkpoint::write_world(&arguments.output, &text)?;
    println!("wrote {}", arguments.output.display());
    Ok(ExitCode::SUCCESS)
}
