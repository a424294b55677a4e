//! What the sea is at a place and an instant: pure functions of the scene, no memory.

pub mod air;
pub mod current;
pub mod flow;
pub mod geodesy;
pub mod seawater;
pub mod water_column;

use crate::math::{Real, Vec3};
use crate::scene::grid::Grid;
use crate::scene::{Flow, FlowLaw, Link, Robot, Sea};
use crate::state::workspace::LinkWork;
pub use current::Variation;
use std::sync::Arc;

/// Gravity, water and the current's variation at one instant of a step; the same for every robot.
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
}

impl Instant<'_> {
    /// True if the water is at rest everywhere: then rigid and added mass share one velocity.
    #[inline(always)]
    pub fn is_still(&self) -> bool {
        self.variation == Variation::NONE
            && self.sea.current.profile.iter().all(|(_, v)| v.x == 0.0 && v.y == 0.0 && v.z == 0.0)
            && self.sea.current.flows.is_empty()
    }

    /// Velocity [m/s] and acceleration of the particle, Du/Dt [m/s²], of the water at `p`, in W.
    pub fn water(&self, p: Vec3) -> (Vec3, Vec3) {
        let current = &self.sea.current;
        let mean = current::mean_at_depth(&current.profile, -p.z);
        let (v, a) = (mean + self.variation.velocity, self.variation.acceleration);
        if current.flows.is_empty() {
            return (v, a);
        }
        let mut local = flow::at(&current.flows, &self.sea.regions, p, self.time);
        let shear = current::shear_at_depth(&current.profile, -p.z);
        for i in 0..3 {
            local.gradient.r[i].z += shear[i];
        }
        let v = v + local.velocity;
        (v, a + local.rate + local.gradient.mul_vec(v)) // flow.rs (5)
    }
}

/// The grid whose end stops what is at `p` and `t`, as a sentence calls it.
pub fn stopped_by(sea: &Sea, p: Vec3, t: f64) -> Option<String> {
    let x = [p.x, p.y, -p.z, t];
    let stops = |grid: &Option<Arc<Grid>>| grid.as_ref().is_some_and(|grid| grid.stops(x));
    let of_flow =
        |flow: &&Flow| matches!(&flow.law, FlowLaw::Grid(components) if components.iter().any(stops));
    if let Some(flow) = sea.current.flows.iter().find(of_flow) {
        return Some(format!("the flow {}", flow.name));
    }
    let column = sea.column.as_ref()?;
    (stops(&column.temperature) || stops(&column.salinity)).then(|| "the water column".to_string())
}

/// Water velocity and acceleration at every link's centre of buoyancy, in the link frame.
///
/// The acceleration is that of the water particle (Du/Dt), which is what drives the added mass of a body in
/// weakly sheared flow [Auton 1988]; a horizontal current that varies with depth alone has none.
#[inline(always)]
pub fn sample<T: Real>(robot: &Robot, at: &Instant<'_>, links: &mut [LinkWork<T>]) {
    let uniform = at.sea.current.profile.len() == 1;
    let everywhere = at.sea.current.profile[0].1 + at.variation.velocity;
    for (link, work) in robot.links.iter().zip(links) {
        if !link.wet {
            continue;
        }
        if !at.sea.current.flows.is_empty() {
            sample_flows(at, link, work);
            continue;
        }
        let v_W = if uniform {
            Vec3::splat(everywhere)
        } else {
            let z = work.p_WL.z + work.R_WL.r[2].dot(Vec3::splat(link.p_LoCb));
            current::mean_at(&at.sea.current, z) + Vec3::splat(at.variation.velocity)
        };
        work.water = work.R_WL.tr_mul_vec(v_W);
        work.water_acceleration = work.R_WL.tr_mul_vec(Vec3::splat(at.variation.acceleration));
    }
}

/// As [`sample`] for one link where the current depends on the place.
#[inline(never)]
fn sample_flows<T: Real>(at: &Instant<'_>, link: &Link, work: &mut LinkWork<T>) {
    let p_WCb = work.p_WL + work.R_WL.mul_vec(Vec3::splat(link.p_LoCb));
    let mut water = (Vec3::zero(), Vec3::zero());
    for k in 0..T::LANES {
        let (v, a) = at.water(p_WCb.lane(k));
        let put = |into: Vec3<T>, x: Vec3| {
            let component = |old: T, new: f64| T::from_lanes(|i| if i == k { new } else { old.lane(i) });
            Vec3::new(component(into.x, x.x), component(into.y, x.y), component(into.z, x.z))
        };
        water = (put(water.0, v), put(water.1, a));
    }
    work.water = work.R_WL.tr_mul_vec(water.0);
    work.water_acceleration = work.R_WL.tr_mul_vec(water.1);
}
