//! Active sonars: echoes of a ping, computed by tracing rays through the water.
//!
//! # Law
//! ```text
//!   EL = SL - 40 log r - 2 α r + S_b + 10 log A + 10 log b  (1)
//!   A = r² dΩ/sin φ                                         (2)  area insonified by one ray
//!   EL_v = SL - 20 log r - 2 α r + S_v + 10 log(Ω c τ/2)    (3)
//!   r_k = c_0 t_k/2                                         (4)
//!   (1) sonar equation [Urick 1983, ch. 2, 8, 9]
//!   (3) volume reverberation [Urick 1983, ch. 8]
//! ```
//! Each ray represents the patch (2). The echo of a patch is spread evenly over the ranges that the
//! patch covers on the tangent plane at the point that the ray hits, and over half a pulse length
//! (at least one bin) of ranges. The patches of the seabed therefore join without gaps, and the
//! echo of the seabed is the integral of (1). The water behind a hit is in shadow, also for (3).
//!
//! # Symbols
//! EL, SL echo level and source level · r range, r_k range of bin k · α absorption · S_b scattering
//! strength of a square metre (`backscatter.rs`) · A area · b beam patterns, transmit and receive
//! (`beam.rs`) · dΩ solid angle of a ray · φ grazing angle · S_v scattering strength of a cubic
//! metre · Ω solid angle of a beam · τ pulse length · c speed of sound, c_0 the value that the
//! sonar assumes.
//!
//! # Frames
//! Rays in the acoustic frame A (see `crates/model/src/sensor/sonar.rs`), transformed to S
//! and W at the instant of the ping.
//!
//! # Limits
//! - Targets stay where they were at the ping. The sonar moves; see `motion.rs`.
//! - Rays are straight, or refracted as described in `arc.rs`. Refracted rays are not reflected.
//! - Surfaces scatter as rough surfaces. Smooth facets of objects give no specular reflection, and
//!   there are no echoes from inside objects.
//! - A ray ends at the water surface or the seabed. With `multipath` it continues once, specularly
//!   reflected. Sound then also leaves and returns on different paths (straight, by the surface, by
//!   the seabed).
//! - For a side-scan sonar, the two-way pattern across the fan uses only the direction from which
//!   the echo arrives.
//! - Rays are divided at small shapes (`targets.rs`), but not at the small parts of a mesh.
//!
//! # Checked by
//! test/sensors/sonar.rs, test/sensors/sonar/rays.rs, test/sensors/sonar/motion.rs,
//! test/sensors/sonar/targets.rs, test/determinism/sonar.rs

pub mod arc;
pub mod backscatter;
pub mod beam;
pub mod bottom;
pub mod decibels;
pub mod echoes;
pub mod interference;
pub mod medium;
pub mod motion;
pub mod noise;
pub mod products;
pub mod propagation;
pub mod receive;
pub mod reflection;
mod targets;

use crate::cost::{CostSite, reaches_surface};
use crate::exteroceptive::{EchoThreshold, Observation, Observe, SensorEcho};
use crate::sonar::arc::SoundSpeedProfile;
use crate::sonar::echoes::EchoPowers;
use crate::sonar::medium::Medium;
use crate::sonar::propagation::PropagationContext;
use merrow_environment::air;
use merrow_model::sensor::sonar::{Ping, SonarKind, SonarSpec};
use merrow_model::state::frames::FrameData;

/// Echo of one ray [ns].
const ECHO: f64 = 280.0;
/// Noise and level of one beam and range [ns].
const NUMBER: f64 = 15.0;
/// Volume reverberation of one column in one main lobe and range [ns].
const OPEN: f64 = 0.6;
/// Echo of one column in one beam and range, for imaging sonars [ns].
const SPREAD: f64 = 0.15;

impl Observe for SonarSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        let (environment, pose, errors) = (sample.environment, sample.pose, sample.errors);
        let (reach, frequency) = (self.sonar.max_range_m, self.frequency());
        let weather = air::weather(&environment.sea.air, environment.time);
        let medium = Medium::from_water_near(environment, pose.p_WS, reach, frequency);
        let assumed = self.sonar.sound_speed_m_s;
        let refracts = self.sonar.refraction;
        let profile = refracts.then(|| SoundSpeedProfile::around(environment, pose.p_WS, reach));
        let context = PropagationContext {
            ray_scene: sample.ray_scenes.visual(),
            environment,
            medium: &medium,
            layers: profile.flatten(),
            wind: weather.wind.norm(),
            sound_speed: assumed.unwrap_or(1.0 / medium.at_sonar[0]),
        };
        let (wind, head) = (context.wind, self.head_angle(errors.sample));
        let mut echo_powers = EchoPowers::new(self, context.sound_speed);
        if environment.height_above_surface(pose.p_WS) < 0.0 {
            echoes::add_echoes(&mut echo_powers, self, &context, pose, head);
            let bursts = interference::interfering_pulses(self, sample);
            interference::add_bursts(&mut echo_powers, self, &bursts, head);
        }
        receive::add_noise_and_speckle(&mut echo_powers, self, wind, errors);
        let finds = self.kind == SonarKind::Multibeam || self.profiles;
        let soundings = if finds {
            bottom::detect_soundings(&echo_powers, self, wind, errors)
        } else {
            Vec::new()
        };
        FrameData::Ping(Ping {
            sound_speed: context.sound_speed,
            head,
            number: errors.sample,
            levels: receive::quantise(&echo_powers, self, &medium),
            soundings,
        })
    }

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        let (world, z) = (site.world, site.z);
        if z > 0.0 {
            return (self.steering.len() * self.bins()) as f64 * NUMBER;
        }
        let (rays, bins) = (
            (self.columns.len() * self.rows.len()) as f64,
            self.bins() as f64,
        );
        let ends = self
            .columns
            .iter()
            .flat_map(|column| self.rows.iter().map(move |row| (column, row)));
        let up = |(column, row): (&f64, &f64)| site.R_WS.mul_vec(self.direction(*column, *row)).z;
        let wet = ends
            .filter(|end| reaches_surface(up(*end), z, self.sonar.max_range_m))
            .count() as f64;
        let (mut main, mut all) = (0, 0);
        for column in &self.column_beams {
            (main, all) = (main + column.main.len(), all + column.weights.len());
        }
        // a sonar that points down receives the seabed in few ranges of each column
        let spread = if self.kind == SonarKind::Imaging {
            SPREAD
        } else {
            0.0
        };
        let numbers =
            self.steering.len() as f64 * NUMBER + main as f64 * OPEN + all as f64 * spread;
        // reflections from surface and seabed, and several segments of a refracted ray
        let paths = if self.sonar.multipath { 3.0 } else { 1.0 }
            * if self.sonar.refraction { 4.0 } else { 1.0 };
        paths * rays * (ECHO + world.ray()) + world.surface(rays, wet) + bins * numbers
    }

    fn echoes(&self, data: &FrameData, _: u64, threshold: &EchoThreshold) -> Vec<SensorEcho> {
        match data {
            FrameData::Ping(ping) => products::detection::ping_echoes(self, ping, threshold),
            _ => Vec::new(),
        }
    }
}
