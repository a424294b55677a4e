//! Satellite link: windows of sky, latency and signal-to-noise ratio.
//!
//! # Law
//! ```text
//!   in view: e ≥ e_min                                                     (1)
//!   SNR = SNR_0 + 20 log(h/d) + G(direction) - G_max                       (2)  free space
//!   t = t_0 + Σ d/c                                                        (3)
//! ```
//! Both terminals must have a satellite in view; (2) uses the weaker of the two, and (3) the
//! latency of the transmitter. A gateway is always connected and adds neither loss nor delay.
//!
//! # Symbols
//! e elevation of the satellite, e_min mask · SNR_0 ratio with a satellite in the zenith, at the
//! distance h · d distance to the satellite · G gain of the antenna · t delay, t_0 latency of the
//! network.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - The service has unlimited capacity, and the operator's network has no outage.
//! - Without orbits (`always`, `windows`) the satellite is in the north at the given elevation and
//!   at the distance h.
//! - Handovers take no time. Doppler shift is compensated by the terminal.
//!
//! # Checked by
//! crates/comms/tests/satellite.rs

pub mod constellation;

use crate::channel::End;
use crate::channel::satellite::constellation::{SatelliteView, highest_satellite};
use merrow_environment::SPEED_OF_LIGHT;
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_math::real::sin_cos;
use merrow_model::scene::Origin;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::{SatelliteMedium, SatelliteRole, SatelliteVisibility};
use merrow_sensors::acoustic::directivity::gain;

/// Distance within which objects hide a satellite [m].
pub(crate) const SKY_DISTANCE: f64 = 20_000.0;

/// Connection of a terminal to a satellite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connection {
    /// Ratio of signal to noise at full power [-].
    pub snr: f64,
    /// Travel time to the satellite [s].
    pub delay: f64,
    /// Unit vector towards the satellite, in W; `None` for a gateway.
    pub direction: Option<Vec3>,
}

/// Computes the connection of the terminal `end` at `t` [s]; `None` if no satellite is in view. (1)
/// to (3)
pub fn connect(
    (medium, transceiver): (&SatelliteMedium, &Transceiver),
    end: &End,
    origin: &Origin,
    t: f64,
) -> Option<Connection> {
    if medium.role == SatelliteRole::Gateway {
        return Some(Connection {
            snr: f64::INFINITY,
            delay: 0.0,
            direction: None,
        });
    }
    let (view, altitude) = match &medium.sky {
        SatelliteVisibility::Always { elevation_deg, .. } => (fixed_view(*elevation_deg), None),
        SatelliteVisibility::Windows {
            period_s,
            open_s,
            elevation_deg,
            ..
        } => {
            let phase = t - period_s * libm::floor(t / period_s);
            let is_open = open_s
                .iter()
                .any(|[start, end]| (*start..*end).contains(&phase));
            if !is_open {
                return None;
            }
            (fixed_view(*elevation_deg), None)
        }
        SatelliteVisibility::Walker(walker) => (
            highest_satellite(walker, origin, t),
            Some(walker.altitude()),
        ),
    };
    if view.sine < sin_cos(medium.min_elevation_deg.to_radians()).0 {
        return None;
    }
    let pattern = &transceiver.receive_pattern;
    let antenna = gain(pattern, &end.R_WM, view.direction) * power(-pattern.max_gain());
    let spreading = altitude.map_or(1.0, |h| (h / view.distance) * (h / view.distance));
    Some(Connection {
        snr: power(medium.zenith_snr_db) * spreading * antenna,
        delay: view.distance / SPEED_OF_LIGHT,
        direction: Some(view.direction),
    })
}

/// Returns the view of a satellite without an orbit, at the elevation `elevation_deg` [deg].
fn fixed_view(elevation_deg: f64) -> SatelliteView {
    let (s, c) = sin_cos(elevation_deg.to_radians());
    SatelliteView {
        direction: Vec3::new(0.0, c, s),
        sine: s,
        distance: 0.0,
    }
}
