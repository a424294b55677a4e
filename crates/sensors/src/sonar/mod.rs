//! Active sonars: what comes back of a ping, by rays through the water.
//!
//! # Law
//! ```text
//!   EL = SL - 40 log r - 2 α r + S_b + 10 log A + 10 log b          (1)  sonar equation [Urick 1983, ch. 2, 8, 9]
//!   A = r² dΩ/sin φ                                                 (2)  what one ray lights
//!   EL_v = SL - 20 log r - 2 α r + S_v + 10 log(Ω c τ/2)            (3)  echo of the volume [Urick 1983, ch. 8]
//!   r_k = c_0 t_k/2                                                 (4)
//! ```
//! Each ray stands for the patch of (2): its echo is spread evenly over the ranges that the patch reaches, by the plane through the place it met, and over half a
//! pulse's length (a bin at least) of ranges. So a bottom's patches join without gaps and its echo is the integral of (1). What stands behind is in shadow, also for (3).
//!
//! # Symbols
//! EL, SL level of echo and source · r range, r_k that of bin k · α absorption · S_b strength of a square metre (`backscatter.rs`) · A area · b beam patterns
//! there and back (`beam.rs`) · dΩ solid angle of a ray · φ grazing angle · S_v strength of a cubic metre · Ω what a beam sees · τ pulse · c speed of sound, c_0 that which
//! the sonar assumes.
//!
//! # Frames
//! Rays in A (see `scene/sonar.rs`), turned into S and W at the instant of the ping.
//!
//! # Limits
//! What is met stands where it was at the ping; the sonar moves on, see `motion.rs`. Rays are straight, or bent as `arc.rs` says. Surfaces scatter as rough ones do: no glints of smooth facets of objects, no echo from within. A ray that meets the surface of the water or the bottom ends there, or with `multipath` goes on once as from a
//! mirror; with it sound also goes one way and comes back another (straight, by the surface, by the bottom). Bent rays are not mirrored. Of a side-scan's pattern across, that of the way by which it hears counts twice. Levels of the smallest things are as
//! coarse as the rays: a target should be met by several.
//!
//! # Checked by
//! test/analytic/sonar.rs, test/analytic/sonar_rays.rs, test/analytic/sonar_motion.rs, test/determinism/sonar.rs

pub mod arc;
pub mod backscatter;
pub mod beam;
pub mod bottom;
pub mod decibels;
pub mod echoes;
pub mod interference;
pub mod medium;
pub mod mirror;
pub mod motion;
pub mod noise;
pub mod propagation;
pub mod receive;

use crate::ray_scene::Stage;
use crate::sample::{Pose, Spoiling};
use crate::sonar::arc::Layers;
use crate::sonar::echoes::Picture;
use crate::sonar::interference::Burst;
use crate::sonar::medium::Medium;
use crate::sonar::propagation::Waters;
use merrow_environment::{Instant, air};
use merrow_model::scene::sensor::sonar::{SonarKind, SonarSpec};
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::ping::Ping;
use merrow_model::state::frames::view::View;

/// One ping, with what other sonars send into it.
pub fn ping(
    spec: &SonarSpec,
    stage: &Stage,
    view: &View,
    at: &Instant<'_>,
    pose: &Pose,
    by: &Spoiling,
    bursts: &[Burst],
) -> FrameData {
    let wind = air::weather(&at.sea.air, at.time).wind.norm();
    let medium = Medium::about(at, pose.p_WS, spec.limits[1], spec.frequency);
    let sound_speed = spec.sound_speed.unwrap_or(1.0 / medium.here[0]);
    let head = spec.head_angle(by.sample);
    let layers = if spec.bent {
        Layers::about(at, pose.p_WS, spec.limits[1])
    } else {
        None
    };
    let waters = Waters {
        stage,
        view,
        at,
        medium: &medium,
        layers,
        wind,
        sound_speed,
    };
    let mut picture = Picture::new(spec, sound_speed);
    if at.above_surface(pose.p_WS) < 0.0 {
        crate::sonar::echoes::fill(&mut picture, spec, &waters, pose, head);
        crate::sonar::interference::add(&mut picture, spec, bursts, head);
    }
    crate::sonar::receive::hear(&mut picture, spec, wind, by);
    let finds = spec.kind == SonarKind::Multibeam || spec.profiles;
    let soundings = if finds {
        crate::sonar::bottom::find(&picture, spec, wind, by)
    } else {
        Vec::new()
    };
    let levels = crate::sonar::receive::numbers(&picture, spec, &medium);
    FrameData::Ping(Ping {
        sound_speed,
        head,
        number: by.sample,
        levels,
        soundings,
    })
}
