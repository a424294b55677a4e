//! Obstacle detector: boxes fitted to the echoes of a sonar or a laser, or boxes of the obstacles
//! listed in the world.
//!
//! # Law
//! ```text
//!   L_k - mean(L_j, g < |r_j - r_k| < g + t) > DT                       echoes of a sonar  (1)
//!   |p_i - p_j| < d in x and y  =>  one obstacle                                           (2)
//!   max Σ 1/max(d_i, d_0)                                                                  (3)
//!   (1) constant false-alarm rate [Richards 2014, ch. 6]
//!   (2) single linkage
//!   (3) box of the closest sides [Zhang 2017]
//! ```
//! # Symbols
//! L level of a range and beam, smoothed over three of both · r range · g guard window, which
//! belongs to the echo, t training window, with which the echo is compared · DT detection threshold
//! · p position of an echo · d gap · d_i distance of echo i from the nearest side of the box, d_0
//! 0.1 m. The box of minimum area is not suitable: for a corner, which is the visible part of a
//! wall, the box along the chord has the same area.
//!
//! # Frames
//! Echoes in the frame of their sensor, boxes in W with a rotation about its z axis; published in W
//! or S.
//!
//! # Limits
//! The fan of a sonar has no elevation resolution: an echo represents all heights of the beam at
//! its range. Parts hidden behind an obstacle are not boxed. Accumulated echoes keep their
//! positions: a moving obstacle leaves a trail while they are kept. For an obstacle listed in the
//! world only its centre must lie within sector and range.
//!
//! # Checked by
//! tests of `cluster.rs`, `accumulate.rs` and `track.rs`; test/sensors/obstacle.rs

pub mod accumulate;
pub(crate) mod cluster;
pub mod numbered;
pub mod track;

use crate::cost::CostSite;
use crate::exteroceptive;
use crate::exteroceptive::{EchoThreshold, Observation, Observe, SourceFrame};
use crate::sample::SampleErrors;
use merrow_math::rng::{Draw, Stream};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::sensor::obstacle::{Detection, DetectorSpec, Echo, EchoSet, Obstacle};
use merrow_model::state::frames::FrameData;

/// Box with a vertical axis, in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cuboid {
    /// Centre in W [m].
    pub p: Vec3,
    /// Lengths along its axes [m].
    pub size: Vec3,
    /// Rotation about z of W [rad].
    pub yaw: f64,
}

impl Observe for DetectorSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        let (pose, errors) = (sample.pose, sample.errors);
        let mut set = EchoSet {
            echoes: Vec::new(),
            R_WS: pose.R_WS,
            p_WS: pose.p_WS,
            sample: errors.sample,
            noise: errors.noise,
            fault: errors.fault,
        };
        if self.detector.sensor.is_none() {
            return listed_boxes(self, &sample.scene.obstacles, &set, errors.stream);
        }
        let Some(source) = &sample.source else {
            return FrameData::Detections(Vec::new());
        };
        set.echoes = source_echoes(self, source, sample.view.time_ns, &set);
        if self.accumulation > 0.0 {
            FrameData::Echoes(set)
        } else {
            FrameData::Detections(fit_boxes(self, &set, errors.stream))
        }
    }

    // the sample of the other sensor is computed again
    fn cost(&self, site: &CostSite<'_>) -> f64 {
        site.source
    }
}

/// Reports the obstacles listed in the world that are within sector and range.
fn listed_boxes(
    spec: &DetectorSpec,
    obstacles: &[Obstacle],
    set: &EchoSet,
    stream: Stream,
) -> FrameData {
    let visible = obstacles
        .iter()
        .enumerate()
        .filter(|(_, o)| is_in_field_of_view(spec, set, o.p));
    let report = |(k, o): (usize, &Obstacle)| {
        let cuboid = Cuboid {
            p: o.p,
            size: o.size,
            yaw: o.yaw,
        };
        report_box(spec, cuboid, set, stream, k).map(|found| Detection {
            listed: Some(k),
            ..found
        })
    };
    FrameData::Detections(visible.filter_map(report).collect())
}

/// Returns the echoes of a frame of another sensor, which began at `stamp_ns` [ns], that are within
/// sector, range and heights.
fn source_echoes(
    spec: &DetectorSpec,
    source: &SourceFrame<'_>,
    stamp_ns: u64,
    set: &EchoSet,
) -> Vec<Echo> {
    let threshold = EchoThreshold {
        level: spec.detector.threshold_db,
        window: spec.detector.window_m,
    };
    let within = |echo: &Echo| {
        let heights = spec.detector.height_m;
        heights.is_none_or(|[low, high]| (low..=high).contains(&echo.p.z))
            && is_in_field_of_view(spec, set, echo.p)
    };
    exteroceptive::law(source.spec)
        .echoes(source.data, stamp_ns, &threshold)
        .into_iter()
        .map(|(p, half_height)| Echo {
            p: source.pose.p_WS + source.pose.R_WS.mul_vec(p),
            half_height,
        })
        .filter(within)
        .collect()
}

/// Fits boxes to echoes (positions in W [m]) and adds the errors of the detector.
pub(crate) fn fit_boxes(spec: &DetectorSpec, set: &EchoSet, stream: Stream) -> Vec<Detection> {
    let echoes = &set.echoes;
    let groups = crate::obstacle::cluster::cluster_echoes(echoes, spec.detector.cluster_gap_m);
    let min_echoes = spec.detector.min_echoes as usize;
    let large = groups.iter().filter(|group| group.len() >= min_echoes);
    let fit = |(k, group): (usize, &Vec<usize>)| {
        let mut cuboid = crate::obstacle::cluster::fit_cuboid(group.iter().map(|i| echoes[*i]));
        for axis in 0..3 {
            cuboid.size[axis] = cuboid.size[axis].max(spec.detector.min_size_m);
        }
        report_box(spec, cuboid, set, stream, k).map(|found| Detection {
            echoes: group.len(),
            ..found
        })
    };
    large.enumerate().filter_map(fit).collect()
}

/// Returns true if `p` (in W [m]) is within sector and range.
fn is_in_field_of_view(spec: &DetectorSpec, set: &EchoSet, p: Vec3) -> bool {
    let d = set.R_WS.tr_mul_vec(p - set.p_WS);
    let r = d.norm();
    if !(spec.detector.min_range_m..=spec.detector.max_range_m).contains(&r) {
        return false;
    }
    let elevation = libm::asin((d.z / r.max(1e-9)).clamp(-1.0, 1.0));
    let half = |full_deg: f64| 0.5 * full_deg.to_radians();
    libm::atan2(d.y, d.x).abs() <= half(spec.detector.sector_deg)
        && elevation.abs() <= half(spec.detector.elevation_deg)
}

/// Adds the errors of the detector to box number `k` and transforms it to the output frame. Returns
/// `None` if the detector misses it.
fn report_box(
    spec: &DetectorSpec,
    cuboid: Cuboid,
    set: &EchoSet,
    stream: Stream,
    k: usize,
) -> Option<Detection> {
    let errors = SampleErrors {
        stream,
        sample: set.sample,
        noise: set.noise,
        fault: set.fault,
    };
    let mut draw = errors.draw(k as u64);
    if errors.noise && draw.uniform() < spec.detector.miss_probability {
        return None;
    }
    let stds = [
        spec.detector.position_std_m,
        spec.detector.size_std_m,
        spec.detector.yaw_std_deg.to_radians(),
    ];
    let [position, size, turn] = stds.map(|std| errors.std(std));
    let direction = (cuboid.p - set.p_WS).unit().unwrap_or_default();
    let fault_error =
        direction.scale(errors.fault.offset) + draw_vector(errors.fault.noise, &mut draw);
    let p = cuboid.p + draw_vector(position, &mut draw) + fault_error;
    let size_errors = draw_vector(size, &mut draw);
    let size = Vec3::from([0, 1, 2].map(|i| (cuboid.size[i] + size_errors[i]).max(0.0)));
    let R_WO = Mat3::from_rpy(0.0, 0.0, cuboid.yaw + turn * draw.normal());
    let (p_out, R) = match spec.detector.in_world {
        true => (p, R_WO),
        false => (
            set.R_WS.tr_mul_vec(p - set.p_WS),
            set.R_WS.transpose().mul_mat(&R_WO),
        ),
    };
    Some(Detection {
        p: p_out,
        q: Quat::from_matrix(&R),
        size,
        p_W: p,
        echoes: 0,
        listed: None,
    })
}

fn draw_vector(std: f64, draw: &mut Draw) -> Vec3 {
    Vec3::new(
        std * draw.normal(),
        std * draw.normal(),
        std * draw.normal(),
    )
}
