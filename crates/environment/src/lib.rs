//! Environment models: water, waves, current, wind, light and sound at a position and time.
//!
//! All of them are pure functions of the scene and keep no state. [`EnvironmentState`] combines
//! them for one instant of a step.
//!
//! # Example
//! ```
//! use merrow_environment::waves::{WaveState, dispersion::wave_number, realise::wave_field};
//! use merrow_environment::seawater;
//! use merrow_math::Vec3;
//! use merrow_model::scene::sea::waves::{SeaState, Spectrum, Spreading, Waves};
//! use std::f64::consts::TAU;
//!
//! // speed of sound at 10 degrees Celsius and salinity 35 in a depth of 100 m
//! let c = seawater::mackenzie_sound_speed(10.0, 35.0, 100.0);
//! assert!((c - 1491.4).abs() < 0.1);
//!
//! // a regular wave of 2 m height and 8 s period that travels north in water of 20 m depth
//! let (depth, gravity, seed) = (20.0, 9.81, 1);
//! let requested = SeaState {
//!     spectrum: Spectrum::Regular(0.0),
//!     hs_m: 2.0,
//!     tp_s: 8.0,
//!     towards: Vec3::new(0.0, 1.0, 0.0),
//!     spreading: Spreading::None,
//!     components: 1,
//!     min_wavelength_m: None,
//!     ramp_s: 0.0,
//! };
//! let waves = Waves::from_field(wave_field(requested, depth, gravity, seed));
//! let at_start = WaveState::new(&waves, 0.0);
//! let length = TAU / wave_number(TAU / 8.0, depth, gravity);
//! assert!((at_start.elevation(0.0, 0.0) - 1.0).abs() < 1e-9);
//! assert!((at_start.elevation(0.0, 0.5 * length) + 1.0).abs() < 1e-9);
//! ```

pub mod absorption;
pub mod air;
pub mod conductivity;
pub mod current;
pub mod flow;
pub mod geodesy;
pub mod hydrostatics;
pub mod magnetic_field;
pub mod optics;
pub mod seawater;
pub mod signal;
pub mod sound;
pub mod surface;
pub mod water_column;
pub mod waves;

pub use crate::current::Variation;
use crate::flow::FlowSample;
pub use crate::waves::WaveState;
use crate::waves::{OrbitalMotion, Surface, footprint};
use merrow_math::{MAX_LANES, Mat3, Real, Vec3};
use merrow_model::scene::sea::grid::Grid;
use merrow_model::scene::{Flow, FlowLaw, Hull, Link, Robot, Sea};
use merrow_model::state::workspace::LinkWork;
use std::sync::Arc;

/// Speed of light in vacuum [m/s].
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// Environment at one instant of a step: water, gravity, current variation and waves. All robots
/// share it.
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentState<'a> {
    /// Water of the scene.
    pub sea: &'a Sea,
    /// Magnitude of the gravitational acceleration [m/s²].
    pub gravity: f64,
    /// Time since the start of the world [s].
    pub time: f64,
    /// Time-dependent, spatially uniform part of the current at this instant.
    pub variation: Variation,
    /// Waves at this instant; `None` if the water is flat.
    pub waves: Option<&'a WaveState>,
}

impl EnvironmentState<'_> {
    /// Returns true if the water is at rest everywhere. Rigid-body and added mass then share one
    /// velocity.
    #[inline(always)]
    pub fn is_still(&self) -> bool {
        self.waves.is_none()
            && self.variation == Variation::NONE
            && self
                .sea
                .current
                .profile
                .iter()
                .all(|(_, v)| v.x == 0.0 && v.y == 0.0 && v.z == 0.0)
            && self.sea.current.flows.is_empty()
    }

    /// Returns the velocity [m/s] and acceleration of the water particle, Du/Dt [m/s²], at `p` [m];
    /// all in W.
    ///
    /// The function adds the velocities of the waves and of the current, and returns the
    /// acceleration of a particle in this total flow. The current changes neither the length nor
    /// the height of waves.
    pub fn water_motion(&self, p: Vec3) -> (Vec3, Vec3) {
        let stream = self.current_motion(p);
        let Some(waves) = self.waves else {
            return (stream.velocity, stream.acceleration());
        };
        let (surface, orbital) = waves.surface_and_motion(p);
        let wave = wave_acceleration(&stream, &orbital, surface.slope);
        (
            stream.velocity + orbital.velocity,
            stream.acceleration() + wave,
        )
    }

    /// Returns the current at `p` [m], W, without waves.
    fn current_motion(&self, p: Vec3) -> FlowSample {
        let current = &self.sea.current;
        let own = self.sea.closed_region(p.x, p.y);
        let regions = &self.sea.regions;
        let mut local = crate::flow::sample_flows(&current.flows, regions, own, p, self.time);
        if own.is_some() {
            return local;
        }
        local.velocity +=
            crate::current::mean_at_depth(&current.profile, -p.z) + self.variation.velocity;
        local.rate += self.variation.acceleration;
        let shear = crate::current::shear_at_depth(&current.profile, -p.z);
        for i in 0..3 {
            local.gradient.r[i].z += shear[i];
        }
        local
    }

    /// Returns the height of `p` [m], W, above the water surface [m]; negative under water.
    #[inline(always)]
    pub fn height_above_surface(&self, p: Vec3) -> f64 {
        match self.waves {
            None => p.z,
            Some(waves) => p.z - waves.elevation(p.x, p.y),
        }
    }

    /// Returns the same as [`Self::height_above_surface`] within `margin` [m] of the wave range.
    ///
    /// Farther from the waves the function returns the height over z = 0 [m], which is cheaper. `p`
    /// is in W [m].
    #[inline(always)]
    pub fn approximate_height_above_surface(&self, p: Vec3, margin: f64) -> f64 {
        match self.waves {
            Some(waves) if p.z.abs() <= margin + waves.max_height() => {
                p.z - waves.elevation(p.x, p.y)
            }
            _ => p.z,
        }
    }
}

impl EnvironmentState<'_> {
    /// Returns the height of `p` [m], W, that the wind model uses [m].
    ///
    /// Near the water it is the height above the instantaneous surface. At and above twice the
    /// height of the highest crest it is the height above the mean surface. In between the function
    /// blends the two (estimated: how far up the air follows the waves).
    #[inline(always)]
    pub fn wind_height(&self, p: Vec3) -> f64 {
        match self.waves {
            None => p.z,
            Some(waves) if waves.changes_mean_level() => p.z - waves.elevation(p.x, p.y),
            Some(waves) => {
                let part = (2.0 - p.z / waves.max_height()).clamp(0.0, 1.0);
                if part > 0.0 {
                    p.z - part * waves.elevation(p.x, p.y)
                } else {
                    p.z
                }
            }
        }
    }

    /// Returns the velocity of the wind [m/s], W, at `p` [m], W, at its height for the wind
    /// profile.
    #[inline(always)]
    pub fn wind(&self, p: Vec3) -> Vec3 {
        let point = Vec3::new(p.x, p.y, self.wind_height(p));
        air::wind::wind_velocity(&self.sea.air, point, self.time)
    }
}

/// Returns the name, for an error message, of the grid that ends before `p` [m], W, or `t` [s] and
/// that stops robots at its boundary.
pub fn stopping_grid_name(sea: &Sea, p: Vec3, t: f64) -> Option<String> {
    let x = [p.x, p.y, -p.z, t];
    let stops = |grid: &Option<Arc<Grid>>| grid.as_ref().is_some_and(|grid| grid.is_stopped_at(x));
    let is_stopping_flow = |flow: &&Flow| matches!(&flow.law, FlowLaw::Grid(components) if components.iter().any(stops));
    if let Some(flow) = sea.current.flows.iter().find(is_stopping_flow) {
        return Some(format!("the flow {}", flow.name));
    }
    let column = sea.column.as_ref()?;
    (stops(&column.temperature) || stops(&column.salinity)).then(|| "the water column".to_string())
}

/// Computes water velocity [m/s] and acceleration [m/s²] at the centre of buoyancy of every link,
/// in the link frame.
///
/// The acceleration of the water particle, Du/Dt, includes waves and current. It drives the added
/// mass of a body in weakly sheared flow [Auton 1988; Maxey and Riley 1983]. It is zero in a steady
/// horizontal current that varies with depth only. In waves the function also stores the water
/// surface at the hull in `links`. The wave motion is then sampled at the centre of the submerged
/// part of the hull.
#[inline(always)]
pub fn sample_water_motion<T: Real>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    links: &mut [LinkWork<T>],
) {
    let is_uniform_profile = environment.sea.current.profile.len() == 1;
    let uniform_current = environment.sea.current.profile[0].1 + environment.variation.velocity;
    let local = !environment.sea.current.flows.is_empty() || environment.sea.has_closed_regions();
    for (link, work) in robot.links.iter().zip(links) {
        if !link.wet {
            continue;
        }
        if local || environment.waves.is_some() {
            sample_lanes(environment, link, work);
            continue;
        }
        let (mut v_W, mut a_W) = (
            Vec3::splat(uniform_current),
            Vec3::splat(environment.variation.acceleration),
        );
        if !is_uniform_profile {
            let z = work.p_WL.z + work.R_WL.r[2].dot(Vec3::splat(link.p_LoCb));
            let profile = &environment.sea.current.profile;
            v_W = crate::current::mean_at_height(&environment.sea.current, z)
                + Vec3::splat(environment.variation.velocity);
            let shear = |i: usize| crate::current::shear_at_depth(profile, -z.lane(i));
            a_W += Vec3::from_lanes(shear).scale(v_W.z);
        }
        work.water = work.R_WL.tr_mul_vec(v_W);
        work.water_acceleration = work.R_WL.tr_mul_vec(a_W);
    }
}

/// Does the same as [`sample_water_motion`] for one link in waves or in a current that depends on
/// position.
#[inline(never)]
fn sample_lanes<T: Real>(environment: &EnvironmentState<'_>, link: &Link, work: &mut LinkWork<T>) {
    let p_WCb = work.p_WL + work.R_WL.mul_vec(Vec3::splat(link.p_LoCb));
    let mut streams = [(Vec3::zero(), Vec3::zero()); MAX_LANES];
    let mut lanes = [LinkWaveState::default(); MAX_LANES];
    for i in 0..T::LANES {
        let stream = environment.current_motion(p_WCb.lane(i));
        streams[i] = (stream.velocity, stream.acceleration());
        if let Some(waves) = environment.waves {
            let pose = (work.p_WL.lane(i), &work.R_WL.lane(i));
            lanes[i] = link_wave_state(link, waves, &stream, pose);
        }
    }
    let (v_W, a_W) = (
        Vec3::from_lanes(|i| streams[i].0),
        Vec3::from_lanes(|i| streams[i].1),
    );
    work.water = work.R_WL.tr_mul_vec(v_W);
    work.water_acceleration = work.R_WL.tr_mul_vec(a_W);
    if environment.waves.is_none() {
        return;
    }
    let vector = |get: fn(&LinkWaveState) -> Vec3| Vec3::from_lanes(|i| get(&lanes[i]));
    work.surface_normal = vector(|l| l.normal);
    work.height_above_surface = T::from_lanes(|i| lanes[i].height);
    work.water += vector(|l| l.velocity);
    work.water_acceleration += vector(|l| l.acceleration);
    work.pressure_acceleration = vector(|l| l.pressure_acceleration);
}

/// Returns the part of Du/Dt [m/s²], W, that waves of the motion `orbital` add to a current.
/// `slope` is the slope of the surface.
fn wave_acceleration(stream: &FlowSample, orbital: &OrbitalMotion, slope: [f64; 2]) -> Vec3 {
    let gradient_term = stream.gradient.mul_vec(orbital.velocity);
    orbital.acceleration(slope, stream.velocity) + gradient_term
}

/// Result of [`link_wave_state`] for one robot, in the link frame.
#[derive(Clone, Copy, Default)]
struct LinkWaveState {
    normal: Vec3,
    height: f64,
    velocity: Vec3,
    acceleration: Vec3,
    pressure_acceleration: Vec3,
}

/// Returns the water surface at the hull centre and wave motion at the submerged part, in the
/// current `stream`.
fn link_wave_state(
    link: &Link,
    waves: &WaveState,
    stream: &FlowSample,
    (p_WL, R_WL): (Vec3, &Mat3),
) -> LinkWaveState {
    // here, so that a body that enters the water later allocates no memory in that step
    waves.reserve_phasors();
    let hull = &link.hull;
    let p_H = p_WL + R_WL.mul_vec(hull.p_LoH);
    // no wave is steep enough to reach a hull that is two hull sizes above the highest crest
    if p_H.z >= waves.max_height() + 2.0 * hull.bound {
        let normal = R_WL.r[2];
        return LinkWaveState {
            normal,
            height: p_H.z,
            ..LinkWaveState::default()
        };
    }
    let p_Cb = p_WL + R_WL.mul_vec(link.p_LoCb);
    let state = |surface: Surface, water_motion: &dyn Fn(Vec3, f64) -> OrbitalMotion| {
        let points = (p_H, p_Cb);
        submerged_wave_state(hull, R_WL, points, surface, stream, water_motion)
    };
    match &link.restoring {
        Some(restoring) => state(
            footprint::mean_waterplane_surface(restoring, waves, p_WL, R_WL, p_H),
            &|p, eta| waves.orbital_motion(p, eta),
        ),
        None if p_Cb.x == p_H.x && p_Cb.y == p_H.y => waves.with_vertical(p_H.x, p_H.y, |line| {
            state(line.surface, &|p, _| line.orbital_motion(p.z))
        }),
        None => state(waves.surface(p_H.x, p_H.y), &|p, eta| {
            waves.orbital_motion(p, eta)
        }),
    }
}

/// Returns the height [m], W, halfway between the surface at the height `eta` and the lowest point
/// of a hull whose centre is at the height `z`: the centre of the wet part of an upright box.
fn center_of_wet_part(hull: &Hull, R_WL: &Mat3, z: f64, eta: f64) -> f64 {
    let lowest = z - hull.shape.reach(hull.R_LH.tr_mul_vec(R_WL.r[2]));
    0.5 * (eta + lowest)
}

/// Returns the point of an upright link at which the motion of the water is evaluated in small
/// waves, in L [m], if Lo is at the height `z` [m].
pub fn water_point_at_rest(link: &Link, z: f64) -> Vec3 {
    let hull = &link.hull;
    let mut point = link.p_LoCb;
    let center = z + hull.p_LoH.z;
    if center > -hull.bound {
        let R_WL = Mat3::identity();
        point.z = point
            .z
            .min(center_of_wet_part(hull, &R_WL, center, 0.0) - z);
    }
    point
}

/// Returns the state of a hull with its centre at `p_H` and its centre of buoyancy at `p_Cb` [m],
/// W. `water_motion` returns the motion at a point [m], W, below a surface of this height [m].
fn submerged_wave_state(
    hull: &Hull,
    R_WL: &Mat3,
    (p_H, p_Cb): (Vec3, Vec3),
    surface: Surface,
    stream: &FlowSample,
    water_motion: &dyn Fn(Vec3, f64) -> OrbitalMotion,
) -> LinkWaveState {
    let n_W = surface.normal();
    let height = (p_H.z - surface.z) * n_W.z;
    let normal = R_WL.tr_mul_vec(n_W);
    if height >= hull.bound {
        return LinkWaveState {
            normal,
            height,
            ..LinkWaveState::default()
        };
    }
    let mut p = p_Cb;
    let eta = surface.z + surface.slope[0] * (p.x - p_H.x) + surface.slope[1] * (p.y - p_H.y);
    if height > -hull.bound {
        p.z = p.z.min(center_of_wet_part(hull, R_WL, p_H.z, eta));
    }
    let water = water_motion(p, eta);
    LinkWaveState {
        normal,
        height,
        velocity: R_WL.tr_mul_vec(water.velocity),
        acceleration: R_WL.tr_mul_vec(wave_acceleration(stream, &water, surface.slope)),
        pressure_acceleration: R_WL.tr_mul_vec(water.pressure_acceleration(surface.slope)),
    }
}
