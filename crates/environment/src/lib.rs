//! What the sea is at a place and an instant: pure functions of the scene, no memory.

pub mod absorption;
pub mod air;
pub mod conductivity;
pub mod current;
pub mod flow;
pub mod geodesy;
pub mod optics;
pub mod seawater;
pub mod sound;
pub mod surface;
pub mod water_column;
pub mod waves;

pub use crate::current::Variation;
pub use crate::waves::WavesNow;
use crate::waves::footprint;
use merrow_math::{MAX_LANES, Mat3, Real, Vec3};
use merrow_model::scene::sea::grid::Grid;
use merrow_model::scene::{Flow, FlowLaw, Link, Robot, Sea};
use merrow_model::state::workspace::LinkWork;
use std::sync::Arc;

/// Gravity, water, the current's variation and the waves at one instant of a step; the same for every robot.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The water.
    pub sea: &'a Sea,
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Time since the world's start [s].
    pub time: f64,
    /// What of the current depends on time alone, at this instant.
    pub variation: Variation,
    /// The waves at this instant; none where the water is flat.
    pub waves: Option<&'a WavesNow>,
}

impl Instant<'_> {
    /// True if the water is at rest everywhere: then rigid and added mass share one velocity.
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

    /// Velocity [m/s] and acceleration of the particle, Du/Dt [m/s²], of the water at `p`, in W. The waves' part is added to that
    /// of the current: what the one does to the other is left out.
    pub fn water(&self, p: Vec3) -> (Vec3, Vec3) {
        let (v, a) = self.stream(p);
        let Some(waves) = self.waves else {
            return (v, a);
        };
        let orbital = waves.at(p).1;
        (v + orbital.velocity, a + orbital.acceleration)
    }

    /// The same without waves.
    fn stream(&self, p: Vec3) -> (Vec3, Vec3) {
        let current = &self.sea.current;
        if let Some(own) = self.sea.closed_region(p.x, p.y) {
            let local = crate::flow::at(&current.flows, &self.sea.regions, Some(own), p, self.time);
            return (
                local.velocity,
                local.rate + local.gradient.mul_vec(local.velocity),
            );
        }
        let mean = crate::current::mean_at_depth(&current.profile, -p.z);
        let (v, a) = (mean + self.variation.velocity, self.variation.acceleration);
        if current.flows.is_empty() {
            return (v, a);
        }
        let mut local = crate::flow::at(&current.flows, &self.sea.regions, None, p, self.time);
        let shear = crate::current::shear_at_depth(&current.profile, -p.z);
        for i in 0..3 {
            local.gradient.r[i].z += shear[i];
        }
        let v = v + local.velocity;
        (v, a + local.rate + local.gradient.mul_vec(v)) // flow.rs (5)
    }

    /// Height of a point over the surface [m], negative under water.
    #[inline(always)]
    pub fn above_surface(&self, p: Vec3) -> f64 {
        match self.waves {
            None => p.z,
            Some(waves) => p.z - waves.elevation(p.x, p.y),
        }
    }

    /// As [`Instant::above_surface`], but where no wave can reach any figure beyond `enough` [m] will do.
    #[inline(always)]
    pub fn about_above_surface(&self, p: Vec3, enough: f64) -> f64 {
        match self.waves {
            Some(waves) if p.z.abs() <= enough + waves.reach() => p.z - waves.elevation(p.x, p.y),
            _ => p.z,
        }
    }
}

impl Instant<'_> {
    /// Height of `p` that counts for the wind [m]: over the surface as it is near the water, over the mean surface from twice the
    /// height of the highest crest on, in between the one goes over into the other (estimated: how far up the air follows waves).
    #[inline(always)]
    pub fn height_in_wind(&self, p: Vec3) -> f64 {
        match self.waves {
            None => p.z,
            Some(waves) if waves.is_tidal() => p.z - waves.elevation(p.x, p.y),
            Some(waves) => {
                let part = (2.0 - p.z / waves.reach()).clamp(0.0, 1.0);
                if part > 0.0 {
                    p.z - part * waves.elevation(p.x, p.y)
                } else {
                    p.z
                }
            }
        }
    }
}

/// The grid whose end stops what is at `p` and `t`, as a sentence calls it.
pub fn stopped_by(sea: &Sea, p: Vec3, t: f64) -> Option<String> {
    let x = [p.x, p.y, -p.z, t];
    let stops = |grid: &Option<Arc<Grid>>| grid.as_ref().is_some_and(|grid| grid.stops(x));
    let of_flow = |flow: &&Flow| matches!(&flow.law, FlowLaw::Grid(components) if components.iter().any(stops));
    if let Some(flow) = sea.current.flows.iter().find(of_flow) {
        return Some(format!("the flow {}", flow.name));
    }
    let column = sea.column.as_ref()?;
    (stops(&column.temperature) || stops(&column.salinity)).then(|| "the water column".to_string())
}

/// Water velocity and acceleration at every link's centre of buoyancy, in the link frame.
///
/// The acceleration is that of the water particle (Du/Dt), which is what drives the added mass of a body in
/// weakly sheared flow [Auton 1988]; a horizontal current that varies with depth alone has none. In waves the surface at
/// the hull is left in `links` too, and the water is that in the middle of the part that is under it.
#[inline(always)]
pub fn sample<T: Real>(robot: &Robot, at: &Instant<'_>, links: &mut [LinkWork<T>]) {
    let uniform = at.sea.current.profile.len() == 1;
    let everywhere = at.sea.current.profile[0].1 + at.variation.velocity;
    let local = !at.sea.current.flows.is_empty() || at.sea.has_closed_regions();
    for (link, work) in robot.links.iter().zip(links) {
        if !link.wet {
            continue;
        }
        if local {
            sample_flows(at, link, work);
            if let Some(waves) = at.waves {
                add_waves(link, waves, work);
            }
            continue;
        }
        let v_W = if uniform {
            Vec3::splat(everywhere)
        } else {
            let z = work.p_WL.z + work.R_WL.r[2].dot(Vec3::splat(link.p_LoCb));
            crate::current::mean_at(&at.sea.current, z) + Vec3::splat(at.variation.velocity)
        };
        work.water = work.R_WL.tr_mul_vec(v_W);
        work.water_acceleration = work.R_WL.tr_mul_vec(Vec3::splat(at.variation.acceleration));
        if let Some(waves) = at.waves {
            add_waves(link, waves, work);
        }
    }
}

/// Surface at the hull's centre, and what the waves add to the water's motion.
#[inline(never)]
fn add_waves<T: Real>(link: &Link, waves: &WavesNow, work: &mut LinkWork<T>) {
    let mut lanes = [InWaves::default(); MAX_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
        *lane = in_waves(link, waves, work.p_WL.lane(i), &work.R_WL.lane(i));
    }
    let vector = |of: fn(&InWaves) -> Vec3| Vec3::from_lanes(|i| of(&lanes[i]));
    work.surface_normal = vector(|l| l.normal);
    work.over_surface = T::from_lanes(|i| lanes[i].height);
    work.wave_velocity = vector(|l| l.velocity);
    work.water += work.wave_velocity;
    work.wave_acceleration = vector(|l| l.acceleration);
    work.water_acceleration += work.wave_acceleration;
}

/// What [`add_waves`] finds for one robot, in the link frame.
#[derive(Clone, Copy)]
struct InWaves {
    normal: Vec3,
    height: f64,
    velocity: Vec3,
    acceleration: Vec3,
}

impl Default for InWaves {
    fn default() -> Self {
        let zero = Vec3::zero();
        Self {
            normal: zero,
            height: 0.0,
            velocity: zero,
            acceleration: zero,
        }
    }
}

fn in_waves(link: &Link, waves: &WavesNow, p_WL: Vec3, R_WL: &Mat3) -> InWaves {
    let hull = &link.hull;
    let p_H = p_WL + R_WL.mul_vec(hull.p_LoH);
    // no wave is so steep that it touches what is twice the hull's size over the highest crest
    if p_H.z >= waves.reach() + 2.0 * hull.bound {
        let normal = R_WL.r[2];
        return InWaves {
            normal,
            height: p_H.z,
            ..InWaves::default()
        };
    }
    let surface = match &link.restoring {
        Some(hull) => footprint::surface(hull, waves, p_WL, R_WL, p_H),
        None => waves.surface(p_H.x, p_H.y),
    };
    let n_W = surface.normal();
    let height = (p_H.z - surface.z) * n_W.z;
    let normal = R_WL.tr_mul_vec(n_W);
    if height >= hull.bound {
        return InWaves {
            normal,
            height,
            ..InWaves::default()
        };
    }
    let mut p = p_WL + R_WL.mul_vec(link.p_LoCb);
    let eta = surface.z + surface.slope[0] * (p.x - p_H.x) + surface.slope[1] * (p.y - p_H.y);
    if height > -hull.bound {
        // half-way between the surface and the hull's lowest point: where the middle of an upright box's wet part is
        let lowest = p_H.z - hull.shape.reach(hull.R_LH.tr_mul_vec(R_WL.r[2]));
        p.z = p.z.min(0.5 * (eta + lowest));
    }
    let water = waves.orbital(p, eta);
    InWaves {
        normal,
        height,
        velocity: R_WL.tr_mul_vec(water.velocity),
        acceleration: R_WL.tr_mul_vec(water.acceleration),
    }
}

/// As [`sample`] for one link where the current depends on the place.
#[inline(never)]
fn sample_flows<T: Real>(at: &Instant<'_>, link: &Link, work: &mut LinkWork<T>) {
    let p_WCb = work.p_WL + work.R_WL.mul_vec(Vec3::splat(link.p_LoCb));
    let mut water = (Vec3::zero(), Vec3::zero());
    for k in 0..T::LANES {
        let (v, a) = at.stream(p_WCb.lane(k));
        let put = |into: Vec3<T>, x: Vec3| {
            let component =
                |old: T, new: f64| T::from_lanes(|i| if i == k { new } else { old.lane(i) });
            Vec3::new(
                component(into.x, x.x),
                component(into.y, x.y),
                component(into.z, x.z),
            )
        };
        water = (put(water.0, v), put(water.1, a));
    }
    work.water = work.R_WL.tr_mul_vec(water.0);
    work.water_acceleration = work.R_WL.tr_mul_vec(water.1);
}
