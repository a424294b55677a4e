//! Checks of the type of a modem: band, patterns and order of the schemes.

use crate::context::Context;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::Medium;
use merrow_yaml::error::quote;

/// Reports values of a transceiver that contradict each other.
pub(super) fn check_transceiver(transceiver: &Transceiver, cx: Context<'_>) {
    check_band(&transceiver.medium, cx);
    let schemes = &transceiver.schemes;
    if let Some(pair) = schemes
        .windows(2)
        .find(|w| w[1].rate_bit_s < w[0].rate_bit_s)
    {
        let text = format!(
            "schemes are not sorted: {} follows {}; list the slowest first",
            quote(&pair[1].name),
            quote(&pair[0].name)
        );
        cx.error(transceiver.at.key_place("schemes"), text);
    }
    transceiver.transmit_pattern.check(&mut cx.problems());
    transceiver.receive_pattern.check(&mut cx.problems());
}

fn check_band(medium: &Medium, cx: Context<'_>) {
    let (key, band, at) = match medium {
        Medium::Acoustic(m) => ("band_khz", m.band_khz, &m.at),
        Medium::Electromagnetic(m) => ("band_mhz", m.band_mhz, &m.at),
        Medium::Radio(m) => ("band_mhz", m.band_mhz, &m.at),
        Medium::Optical(m) => ("band_khz", m.band_khz, &m.at),
        Medium::Satellite(m) => ("band_mhz", m.band_mhz, &m.at),
    };
    if band[0] >= band[1] {
        let text = format!(
            "`{key}`: expected the lower frequency first, found {} to {}",
            band[0], band[1]
        );
        cx.error(at.key_place(key), text);
    }
}
