//! Keys of modem files in tests.

use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::Medium;
use merrow_yaml::error::Problems;
use merrow_yaml::parse::parse;
use merrow_yaml::read::{Read, read_root};

/// Reads a structure as from a file.
pub(crate) fn read<T: Read>(text: &str) -> T {
    let mut problems = Problems::default();
    let node = parse("test", text, &mut problems);
    let value = node.and_then(|node| read_root(&node, &mut problems));
    value.unwrap_or_else(|| panic!("{problems}"))
}

/// Sets the band of a transceiver [Hz].
pub(crate) fn set_band(transceiver: &mut Transceiver, band: [f64; 2]) {
    let scaled = |factor: f64| band.map(|f| factor * f);
    match &mut transceiver.medium {
        Medium::Acoustic(m) => m.band_khz = scaled(1e-3),
        Medium::Electromagnetic(m) => m.band_mhz = scaled(1e-6),
        Medium::Radio(m) => m.band_mhz = scaled(1e-6),
        Medium::Optical(m) => m.band_khz = scaled(1e-3),
        Medium::Satellite(m) => m.band_mhz = scaled(1e-6),
    }
}
