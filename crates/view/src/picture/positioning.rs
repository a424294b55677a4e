//! Plots of acoustic positioning instruments.

use crate::picture::{Plot, Snapshot, SnapshotOutput};
use merrow_messages::convert::curves::{Axis, single_curve, xyz};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::acoustic::{AcousticObservations, AcousticSpec};
use merrow_model::state::frames::FrameData;

impl Snapshot for AcousticSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Plot(Box::new(|_, frames| {
            let targets = self.targets.iter();
            let names: Vec<&str> = targets.map(|target| target.name.as_str()).collect();
            let values = frames.iter().filter_map(|frame| match &*frame.data {
                FrameData::Acoustic(sounds) => {
                    Some((frame.stamp_ns, acoustic_quantities(sounds, &names)))
                }
                _ => None,
            });
            Some(Plot::Curves(values.collect()))
        }))
    }
}

/// Splits the fixes and ranges of an acoustic positioning instrument into labelled quantities.
fn acoustic_quantities(sounds: &AcousticObservations, names: &[&str]) -> Vec<Axis> {
    let mut all = Vec::new();
    let name = |target: usize| names.get(target).copied().unwrap_or("own");
    for fix in &sounds.fixes {
        let of = name(fix.target);
        match &fix.world {
            Some((p_W, _)) => all.push((format!("{of} in the world [m]").into(), xyz(*p_W))),
            None => all.push((
                format!("{of} in the sensor's frame [m]").into(),
                xyz(fix.p_S),
            )),
        }
    }
    for ranged in &sounds.ranges {
        all.push((
            "range [m]".into(),
            single_curve(name(ranged.target), ranged.range),
        ));
    }
    all
}
