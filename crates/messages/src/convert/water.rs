//! Topics, messages and curves of the sensors that measure properties of the water or measure with
//! sound in water.

use crate::convert::curves::{curves, labelled};
use crate::convert::instruments::{record, record_values};
use crate::convert::topic::{FrameName, Publish, Topic, publish};
use crate::convert::{
    WORLD_FRAME, diagonal6, header, linear_covariance, pose, profile, sonar_range, twist, vector3,
};
use crate::frames;
use crate::msg::marine_acoustic_msgs;
use crate::msg::marine_sensor_msgs::TurbidityNTU;
use merrow_math::{Quat, Vec3};
use merrow_model::sensor::water::{
    Altimeter, AltimeterSpec, Ctd, CtdSpec, Dvl, DvlLock, DvlSpec, Pressure, PressureSpec, Probe,
    ProbeSpec, Quantity, SamplerSpec,
};
use merrow_model::state::bottle::Bottle;
use merrow_ros2::msg::geometry_msgs::{
    PoseWithCovariance, PoseWithCovarianceStamped, TwistWithCovarianceStamped,
};
use merrow_ros2::msg::sensor_msgs::{FluidPressure, Temperature};
use merrow_ros2::msg::std_msgs::{Float64, Header};

/// Variance of a component that is not measured.
const UNKNOWN: f64 = 1000.0;

publish! {
    PressureSpec {
        "/data" => |s| fluid_pressure(&profile::pressure(s.model(), s.data), s.header());
        "/pose" => |s| height_pose(s.data.height()?, header(s.stamp_ns, WORLD_FRAME));
    }
    AltimeterSpec {
        "/range" => |s| {
            let r = s.data;
            sonar_range(s.header(), r.beam_width, r.limits, [r.range, r.variance])
        };
    }
    CtdSpec {
        "/temperature" => |s| temperature([s.data.temperature, s.data.variances[0]], s.header());
        "/pressure" => |s| FluidPressure {
            header: s.header(),
            fluid_pressure: s.data.pressure,
            variance: s.data.variances[2],
        };
        "/conductivity" => |s| Float64 { data: s.data.conductivity };
        "/salinity" => |s| Float64 { data: s.data.salinity };
        "/depth" => |s| Float64 { data: s.data.depth };
        "/sound_speed" => |s| Float64 { data: s.data.sound_speed };
        "/record" => |s| record(s.sensor(), record_values(ctd_quantities(s.data)), s.header());
    }
    SamplerSpec {
        "/bottle" => |s| {
            let mut record = record(s.sensor(), bottle_quantities(s.spec, s.data), s.header());
            for status in &mut record.status {
                status.message = s.data.filling.keyword().to_string();
            }
            record
        };
    }
}

curves! {
    Pressure, |r| {
        "absolute pressure [kPa]" => 1e-3 * r.pressure;
    }
    Altimeter, |r| {
        "range [m]" => r.range;
    }
    Dvl, |r| {
        "velocity [m/s]" => r.velocity;
        "altitude [m]" => r.altitude;
        "beam ranges [m]" => labelled(["1", "2", "3", "4"], r.beams.map(|beam| beam.range));
    }
    Probe, |r| {
        "value" => r.value;
    }
    Ctd, |r| {
        "temperature [deg C]" => r.temperature;
        "salinity [psu]" => r.salinity;
        "depth [m]" => r.depth;
        "speed of sound [m/s]" => r.sound_speed;
    }
    Bottle, |r| {
        "bottle" => f64::from(r.number);
        "volume [ml]" => 1e6 * r.volume;
    }
}

/// Converts a height in W [m] with its variance [m²] to a pose whose other components are unknown.
fn height_pose([z, variance]: [f64; 2], header: Header) -> PoseWithCovarianceStamped {
    let pose = PoseWithCovariance {
        pose: pose(Vec3::new(0.0, 0.0, z), Quat::identity()),
        covariance: diagonal6([UNKNOWN, UNKNOWN, variance, UNKNOWN, UNKNOWN, UNKNOWN]),
    };
    PoseWithCovarianceStamped { header, pose }
}

/// Converts an absolute pressure [Pa].
pub fn fluid_pressure(r: &Pressure, header: Header) -> FluidPressure {
    FluidPressure {
        header,
        fluid_pressure: r.pressure,
        variance: r.variance,
    }
}

/// Orientation of the frame of a DVL message in S. Its z axis points along the instrument, which is
/// -z of S.
const Q_S_DVL: Quat = Quat {
    w: 0.0,
    x: 1.0,
    y: 0.0,
    z: 0.0,
};

impl Publish for DvlSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![
            Topic::of_reading::<Self, _>("/data", |s| {
                Some(dvl(s.data, s.header_in(frames::acoustic_frame)))
            }),
            Topic::of_reading::<Self, _>("/twist", |s| {
                let frame = profile::body_frame(s.model(), s.frame());
                let velocity = profile::dvl_velocity(s.model(), s.data);
                dvl_twist(s.data.lock, velocity, header(s.stamp_ns, &frame))
            }),
        ]
    }

    fn message_frame(&self) -> Option<(FrameName, Quat)> {
        Some((frames::acoustic_frame, Q_S_DVL))
    }
}

/// Converts a DVL ping, in the frame given by [`Q_S_DVL`].
pub fn dvl(r: &Dvl, header: Header) -> marine_acoustic_msgs::Dvl {
    let good = r.beams.iter().filter(|b| b.velocity.is_finite()).count() as u8;
    let locked = r.lock != DvlLock::None;
    let (velocity, c) = (to_dvl_frame(r.velocity), r.covariance);
    let mut velocity_covar = [c[0], -c[1], -c[2], -c[3], c[4], c[5], -c[6], c[7], c[8]];
    if !locked {
        velocity_covar[0] = -1.0;
    }
    marine_acoustic_msgs::Dvl {
        header,
        velocity_mode: if r.lock == DvlLock::Water {
            marine_acoustic_msgs::Dvl::DVL_MODE_WATER
        } else {
            marine_acoustic_msgs::Dvl::DVL_MODE_BOTTOM
        },
        dvl_type: marine_acoustic_msgs::Dvl::DVL_TYPE_PISTON,
        velocity: vector3(velocity),
        velocity_covar,
        altitude: r.altitude,
        course_gnd: libm::atan2(velocity.y, velocity.x),
        speed_gnd: (velocity.x * velocity.x + velocity.y * velocity.y).sqrt(),
        num_good_beams: good,
        sound_speed: r.sound_speed as f32,
        beam_ranges_valid: r.beams.iter().any(|b| b.range.is_finite()),
        beam_velocities_valid: good > 0,
        beam_unit_vec: r.beams.map(|b| vector3(to_dvl_frame(b.direction))),
        range: r.beams.map(|b| b.range),
        range_covar: [r.range_variance as f32; 4],
        beam_quality: r
            .beams
            .map(|b| if b.velocity.is_finite() { 1.0 } else { 0.0 }),
        beam_velocity: r.beams.map(|b| b.velocity as f32),
        beam_velocity_covar: r.beams.map(|beam| beam.velocity_variance as f32),
    }
}

/// Converts the velocity of a DVL with its covariance for estimators. Returns `None` without bottom
/// lock, because the velocity is then not over ground.
fn dvl_twist(
    lock: DvlLock,
    (velocity, c): (Vec3, [f64; 9]),
    header: Header,
) -> Option<TwistWithCovarianceStamped> {
    (lock == DvlLock::Bottom).then(|| {
        let covariance = [[c[0], c[1], c[2]], [c[3], c[4], c[5]], [c[6], c[7], c[8]]];
        TwistWithCovarianceStamped {
            header,
            twist: twist([velocity, Vec3::zero()], linear_covariance(covariance)),
        }
    })
}

/// Rotates a vector from S to the frame of a DVL message, half a turn about x.
fn to_dvl_frame(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.y, -v.z)
}

impl Publish for ProbeSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        if self.quantity == Quantity::Temperature {
            return vec![Topic::of_reading::<Self, _>("/data", |s| {
                Some(temperature([s.data.value, s.data.variance], s.header()))
            })];
        }
        if self.unit.eq_ignore_ascii_case("ntu") {
            return vec![Topic::of_reading::<Self, _>("/data", |s| {
                Some(TurbidityNTU {
                    header: s.header(),
                    ntu: s.data.value as f32,
                })
            })];
        }
        vec![
            Topic::of_reading::<Self, _>("/data", |s| Some(Float64 { data: s.data.value })),
            Topic::of_reading::<Self, _>("/record", |s| {
                let name = format!("{} [{}]", s.spec.keys.field, s.spec.unit);
                Some(record(s.sensor(), vec![(name, s.data.value)], s.header()))
            }),
        ]
    }
}

/// Builds the message of a temperature [°C] with its variance [K²].
fn temperature([temperature, variance]: [f64; 2], header: Header) -> Temperature {
    Temperature {
        header,
        temperature,
        variance,
    }
}

/// Returns the quantities of a record: names with units, and values.
fn ctd_quantities(r: &Ctd) -> [(&'static str, f64); 6] {
    [
        ("temperature [degC]", r.temperature),
        ("conductivity [S/m]", r.conductivity),
        ("pressure [Pa]", r.pressure),
        ("salinity [psu]", r.salinity),
        ("depth [m]", r.depth),
        ("sound_speed [m/s]", r.sound_speed),
    ]
}

/// Returns the quantities of a bottle of a water sampler.
fn bottle_quantities(spec: &SamplerSpec, r: &Bottle) -> Vec<(String, f64)> {
    let seconds = |ns: u64| ns as f64 * 1e-9;
    let mut all = record_values([
        ("bottle", f64::from(r.number)),
        ("bottles", f64::from(spec.keys.bottles)),
        ("volume [m3]", r.volume),
        ("opened [s]", seconds(r.time_ns[0])),
        ("last_water [s]", seconds(r.time_ns[1])),
        ("east [m]", r.p_W.x),
        ("north [m]", r.p_W.y),
        ("up [m]", r.p_W.z),
    ]);
    // a bottle without water has no known properties
    let known = |mean: f64| if r.volume > 0.0 { mean } else { f64::NAN };
    all.extend(
        spec.names
            .iter()
            .zip(r.means)
            .map(|(name, mean)| (name.clone(), known(mean))),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_vector3;
    use merrow_math::Mat3;
    use merrow_model::sensor::water::DvlBeam;

    // The DVL message in its frame agrees with the reading in S, and z of that frame points along
    // the beams. Method: vectors and covariance rotated back by the rotation of the frame.
    // Tolerance: rounding.
    #[test]
    fn dvl_message_uses_the_acoustic_frame() {
        let beam = |x: f64, y: f64| DvlBeam {
            direction: Vec3::new(x, y, -(1.0 - x * x - y * y).sqrt()),
            bottom: true,
            range: 10.0,
            velocity: 0.1,
            velocity_variance: 0.0,
        };
        let covariance = [4.0, 0.1, 0.2, 0.1, 5.0, 0.3, 0.2, 0.3, 6.0];
        let r = Dvl {
            velocity: Vec3::new(1.0, 0.5, -0.2),
            covariance,
            lock: DvlLock::Bottom,
            altitude: 9.0,
            beams: [
                beam(0.3, 0.0),
                beam(-0.3, 0.0),
                beam(0.0, 0.3),
                beam(0.0, -0.3),
            ],
            range_variance: 0.0,
            sound_speed: 1500.0,
        };
        let message = dvl(&r, Header::default());
        let turn = Q_S_DVL.matrix();
        let close = |a: Vec3, b: Vec3| assert!((a - b).norm() < 1e-15, "{a:?} {b:?}");
        close(turn.mul_vec(from_vector3(&message.velocity)), r.velocity);
        for (out, beam) in message.beam_unit_vec.iter().zip(&r.beams) {
            assert!(out.z > 0.9);
            close(turn.mul_vec(from_vector3(out)), beam.direction);
        }
        let matrix = |c: [f64; 9]| {
            Mat3::from_rows(
                Vec3::new(c[0], c[1], c[2]),
                Vec3::new(c[3], c[4], c[5]),
                Vec3::new(c[6], c[7], c[8]),
            )
        };
        let back = turn
            .mul_mat(&matrix(message.velocity_covar))
            .mul_mat(&turn.transpose());
        (0..3).for_each(|k| close(back.col(k), matrix(covariance).col(k)));
        assert!((message.course_gnd - libm::atan2(-0.5, 1.0)).abs() < 1e-15);
        // the twist for estimators is in S
        let twist = dvl_twist(r.lock, (r.velocity, r.covariance), Header::default());
        assert_eq!(twist.unwrap().twist.twist.linear, vector3(r.velocity));
    }
}
