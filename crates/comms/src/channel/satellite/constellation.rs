//! Satellites on circular orbits, as functions of time.
//!
//! # Law
//! ```text
//!   n = √(GM/a³),   u = n t + 2π (j + φ i)/S,   Ω = Ω_0 + Δ i/P - ω t            (1)  [Walker 1984]
//!   r = a (cos Ω cos u - sin Ω sin u cos ι, sin Ω cos u + cos Ω sin u cos ι, sin u sin ι)   (2)
//!   sin e = d_up/|d|,   d = r - R up                                             (3)
//! ```
//! # Symbols
//! a radius of the orbits, ι inclination, n mean motion · P planes i with S satellites j each · Ω
//! longitude of the ascending node, Δ its spread over the planes, φ phasing · u argument of
//! latitude · ω rate of rotation of the Earth · r position · R radius of the Earth, up the vertical
//! at the terminal · e elevation.
//!
//! # Frames
//! (2) in Earth-fixed axes; directions in the world frame W (ENU at the origin).
//!
//! # Limits
//! The Earth is a sphere; the orbits are circular and do not precess. The satellites are computed
//! for the origin of the world and apply to all its terminals: 10 km change an elevation by less
//! than 1° at 780 km.
//!
//! # Checked by
//! crates/comms/tests/satellite.rs

use merrow_environment::geodesy::axes;
use merrow_math::Vec3;
use merrow_math::ellipsoid::{EARTH_RATE, MEAN_RADIUS};
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_model::scene::Origin;
use merrow_model::scene::comms::medium::Walker;
use std::f64::consts::TAU;

/// Gravitational parameter of the Earth [m³/s²].
const EARTH_GM: f64 = 3.986_004_418e14;

/// Direction and distance of a satellite from a terminal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SatelliteView {
    /// Unit vector from the terminal towards the satellite, in W.
    pub direction: Vec3,
    /// Sine of the elevation above the horizon of the terminal [-]; negative below the horizon.
    pub sine: f64,
    /// Distance from the terminal [m].
    pub distance: f64,
}

/// Returns the satellite of `constellation` with the highest elevation at `origin` at the time `t`
/// [s]. The elevation is negative if no satellite is above the horizon. (1) to (3)
pub fn highest_satellite(constellation: &Walker, origin: &Origin, t: f64) -> SatelliteView {
    let axes_W = axes(origin.latitude, origin.longitude);
    let terminal = axes_W[2].scale(MEAN_RADIUS);
    let radius = MEAN_RADIUS + constellation.altitude();
    let motion = (EARTH_GM / (radius * radius * radius)).sqrt();
    let (sine, cosine) = sin_cos(constellation.inclination_deg.to_radians());
    let spacing = TAU / f64::from(constellation.satellites.max(1));
    let mut best: Option<(f64, Vec3)> = None;
    for i in 0..constellation.planes {
        let plane = f64::from(i);
        let node = constellation.first_node_deg.to_radians()
            + constellation.node_spread_deg.to_radians() * plane / f64::from(constellation.planes)
            - EARTH_RATE * t;
        let (sn, cn) = sin_cos(wrap_angle(node));
        for j in 0..constellation.satellites {
            let phase = motion * t + spacing * (f64::from(j) + constellation.phasing * plane);
            let (su, cu) = sin_cos(wrap_angle(phase));
            let r = Vec3::new(
                cn * cu - sn * su * cosine,
                sn * cu + cn * su * cosine,
                su * sine,
            );
            // the highest satellite has the smallest angle from the vertical
            let height = r.dot(axes_W[2]);
            if best.is_none_or(|(h, _)| height > h) {
                best = Some((height, r));
            }
        }
    }
    let position = best.map_or(Vec3::zero(), |(_, r)| r).scale(radius);
    let d = position - terminal;
    let distance = d.norm();
    let direction = d.scale(1.0 / distance);
    let direction = Vec3::new(
        axes_W[0].dot(direction),
        axes_W[1].dot(direction),
        axes_W[2].dot(direction),
    );
    SatelliteView {
        direction,
        sine: direction.z,
        distance,
    }
}
