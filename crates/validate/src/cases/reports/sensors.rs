//! V98 to V106: heights and ranges of sensors, small sonar targets, currents, waves and equal runs.

use crate::cases::prelude::*;
use merrow_environment::absorption::{Water, francois_garrison};
use merrow_model::sensor::water::DvlLock;
use merrow_model::state::frames::FrameData;
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, FirmwareCommand};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Returns the last reading of sensor `sensor` of the first robot after `seconds` [s].
fn last_reading(s: &mut Simulation, sensor: usize, seconds: f64) -> Result<Reading, String> {
    s.clear_outboxes();
    advance(s, seconds);
    let delivered = s.runners[0].outbox.iter().rev();
    let last = delivered.clone().find(|d| d.sensor == sensor);
    let last = last.map(|d| d.stamped.reading);
    s.clear_outboxes();
    last.ok_or_else(|| "the sensor gave no reading".to_string())
}

// V98: rounding; 1 mm of an INS without errors that starts 0.5 m off; 0.02 m of control.
pub(crate) fn heights(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut s = data.simulation(
        "
step: {dt_s: 0.02}
water: {density_kg_m3: 1000, tide: {level_m: 3}}
seabed: {depth_m: 60}
robots:
  r:
    position_m: [0, 0, -30]
    model:
      source: case V98
      base: fixed
      body: {source: case V98, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      sensors:
        p: {device: {source: case V98, kind: pressure, rate_hz: 50}}
        ins: {device: {source: case V98, kind: ins, rate_hz: 50, start_position_std_m: 0.5}, aids: {pressure: p}}
",
    )?;
    let mut checks = Vec::new();
    let air = 1.225 * s.scene.gravity;
    if let Reading::Pressure(r) = last_reading(&mut s, 0, 20.0)? {
        let [z, _] = r.height().ok_or("the water has no weight")?;
        let pressure = 101_325.0 - 3.0 * air + 1000.0 * s.scene.gravity * 33.0;
        checks.extend(checks! {
            "pressure", "Pa", pressure, r.pressure, Absolute(0.1);
            "height of the sensor", "m", -30.0, z, Absolute(1e-8);
        });
    }
    if let Reading::Navigation(r) = last_reading(&mut s, 1, 0.1)? {
        checks.extend(checks! {
            "height of the INS", "m", -30.0, r.p_WS.z, Absolute(1e-3);
        });
    }
    let mut s = data.simulation(
        "
step: {dt_s: 0.005}
seabed: {depth_m: 40}
water: {density_kg_m3: 1000, tide: {level_m: 3}}
robots:
  v:
    position_m: [0, 0, -6]
    model:
      extends: robots/bluerov2_heavy.yaml
      battery: null
      sensors: {ahrs: {device: xsens_mti_3}}
      firmware: {extends: firmware/bluerov2_heavy_motion.yaml, source: case V98, feedback: sensors, feedback_sensors: {attitude: ahrs, dvl: dvl, pressure: pressure}}
",
    )?;
    advance(&mut s, 1.0);
    let goal = FirmwareCommand::PoseGoal {
        p_WB: Vec3::new(0.0, 0.0, -5.0),
        q_WB: Some(Quat::from_rpy(0.0, 0.0, 0.0)),
    }
    .of(0);
    apply(&mut s, &goal)?;
    advance(&mut s, 60.0);
    let z = s.state.robots[0].motion.p_WB.z;
    checks.extend(checks! {
        "height held with feedback of the sensors", "m", -5.0, z, Absolute(0.02);
    });
    Ok(CaseResult::new(checks))
}

/// Returns a world with a fixed body 10 m above a level seabed, pitched by `pitch` [deg].
fn above_seabed(pitch: f64, device: &str) -> String {
    format!(
        "
step: {{dt_s: 0.02}}
seabed: {{depth_m: 40}}
robots:
  r:
    position_m: [0, 0, -30]
    attitude_deg: [0, {pitch}, 0]
    model:
      source: cases V99, V100
      base: fixed
      body: {{source: cases V99 and V100, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{device: {{source: cases V99 and V100, rate_hz: 50, {device}}}, attitude_deg: [0, 0, 0]}}}}
"
    )
}

// V99: a beam has a lock up to 50 m / cos 30 deg along it, as at 50 m of altitude of a level
// instrument. The angle of each beam from the vertical by hand.
pub(crate) fn slant_ranges(data: &ReferenceData) -> Result<CaseResult, String> {
    let limit = 50.0 / (PI / 6.0).cos();
    let mut checks = Vec::new();
    for pitch in [0.0, 20.0, 49.0, 50.5, 60.0, 80.0] {
        let device = "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0, altitude_m: [0.1, 50]";
        let mut s = data.simulation(&above_seabed(pitch, device))?;
        let Reading::Dvl(r) = last_reading(&mut s, 0, 1.0)? else {
            return Err("found no DVL".to_string());
        };
        let (sin, cos) = f64::to_radians(pitch).sin_cos();
        let within = r.beams.iter().filter(|beam| {
            let d = beam.direction;
            let down = d.x * sin - d.z * cos;
            down > 0.0 && 10.0 / down <= limit
        });
        let (expected, found) = (within.count(), r.beams.iter().filter(|b| b.bottom).count());
        let number = |n: usize| n as f64;
        checks.extend(checks! {
            format!("beams with an echo at {pitch} deg"), "", number(expected), number(found),
                Absolute(0.0);
            format!("bottom lock at {pitch} deg"), "", f64::from(u8::from(expected >= 3)),
                f64::from(u8::from(r.lock == DvlLock::Bottom)), Absolute(0.0);
        });
    }
    Ok(CaseResult::new(checks))
}

// V100: rounding.
pub(crate) fn pitched_altimeter(data: &ReferenceData) -> Result<CaseResult, String> {
    let device = "kind: altimeter, min_range_m: 0.5, max_range_m: 100";
    let mut checks = Vec::new();
    for off in [0.0, 26.0, 60.0] {
        // the x axis of the device is its beam
        let mut s = data.simulation(&above_seabed(90.0 - off, device))?;
        let Reading::Altimeter(r) = last_reading(&mut s, 0, 1.0)? else {
            return Err("found no altimeter".to_string());
        };
        let expected = 10.0 / f64::to_radians(off).cos();
        let what = format!("range, {off} deg from the vertical");
        checks.extend(checks! {
            what, "m", expected, r.range, Absolute(1e-9);
        });
    }
    Ok(CaseResult::new(checks))
}

// V101: 3 dB; a peak between two beams and two rays loses up to 1 dB of each. The beam pattern of
// 20 deg, for transmitter and receiver, is a sinc with half power at 10 deg.
pub(crate) fn small_target(data: &ReferenceData) -> Result<CaseResult, String> {
    let (radius, range) = (0.3, 15.0);
    let water = Water {
        temperature: 10.0,
        salinity: 35.0,
        depth: 50.0,
        ph: 8.0,
    };
    let near = range - 0.5 * radius;
    let on_axis = 210.0 - 40.0 * libm::log10(near) - 2e-3 * francois_garrison(400.0, &water) * near
        + 10.0 * libm::log10(2.0 * 10.0_f64.powf(-2.7) * PI * radius * radius / 3.0);
    let mut checks = Vec::new();
    for elevation in [-8.0_f64, -5.5, -3.67, -1.83, -0.9, 0.0, 0.9, 1.83, 3.5, 7.3] {
        let (sin, cos) = elevation.to_radians().sin_cos();
        let x = 1.391_557_378 * sin / libm::sin(10.0_f64.to_radians());
        let sinc = if x == 0.0 { 1.0 } else { libm::sin(x) / x };
        let mut s = data.simulation(&sonar_world(range * cos, -50.0 + range * sin, radius))?;
        advance(&mut s, 1.0);
        let largest = s.frames.drain(..).find_map(|frame| match &*frame.data {
            FrameData::Ping(ping) => ping.levels.iter().max().copied(),
            _ => None,
        });
        let level = f64::from(largest.ok_or("the sonar gave no ping")?) / 65_535.0 * 200.0;
        checks.extend(checks! {
            format!("level at {elevation} deg of elevation"), "dB",
                on_axis + 40.0 * libm::log10(sinc), level, Absolute(3.0);
        });
    }
    Ok(CaseResult::new(checks))
}

/// Returns a world with an imaging sonar at 50 m depth and a ball ahead of it at the height `z`
/// [m], without noise.
fn sonar_world(x: f64, z: f64, radius: f64) -> String {
    format!(
        "
step: {{dt_s: 0.01}}
water: {{density_kg_m3: 1026.95, sound_speed_m_s: 1500, temperature_c: 10}}
seabed: {{depth_m: 900}}
robots:
  r:
    position_m: [0, 0, -50]
    model:
      source: case V101
      base: fixed
      body: {{source: case V101, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{lazy: false, device: {{source: case V101, rate_hz: 2, kind: imaging_sonar, sector_deg: 60, beams: 31, beam_width_deg: 4, elevation_width_deg: 20, frequency_khz: 400, source_level_db: 210, bits: 16, levels_db: [0, 200], gain_per_decade_db: 0, absorption_gain_db_per_m: 0, speckle: false, volume_backscatter_db: -200, self_noise_db: -100, pulse_us: 1000, min_range_m: 1, max_range_m: 60, bins: 600}}}}}}
structures: {{t: {{position_m: [{x}, 0, {z}], shapes: {{s: {{kind: sphere, radius_m: {radius}}}}}}}}}
"
    )
}

// V102: the speed over ground after 600 s, about 30 time constants of the linear drag.
pub(crate) fn carried(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for heading in [0.0, 70.0, 200.0] {
        let mut s = data.simulation(&format!(
            "
step: {{dt_s: 0.02}}
water: {{density_kg_m3: 1000, current: {{kind: uniform, speed_m_s: 0.8, direction_deg: 30}}}}
robots:
  r:
    position_m: [0, 0, -20]
    attitude_deg: [0, 0, {heading}]
    model: {{source: case V102, body: {{source: case V102, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, net_buoyancy_n: 0, added_mass: {{kind: diagonal, values: [5, 20, 30, 0, 0, 0]}}, linear_damping: {{kind: diagonal, values: [2, 5, 9, 1, 1, 1]}}}}}}
"
        ))?;
        advance(&mut s, 600.0);
        let motion = &s.state.robots[0].motion;
        let v = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v);
        let (east, north) = f64::to_radians(30.0).sin_cos();
        for (name, expected, found) in [("east", east, v.x), ("north", north, v.y)] {
            checks.extend(checks! {
                format!("speed over ground to the {name}, heading {heading} deg"), "m/s",
                    0.8 * expected, found, Absolute(1e-6);
            });
        }
    }
    Ok(CaseResult::new(checks))
}

// V103: equal bits. The world has waves, wind, a controller and sensors with noise.
pub(crate) fn equal_runs(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut ends = Vec::new();
    for threads in [1, 2, 1, 2, 1] {
        let mut s = Simulation::new(Arc::new(data.shipped("harbour")?), threads)?;
        advance(&mut s, 10.0);
        ends.push(s.state.hash());
    }
    let others = ends.iter().filter(|hash| **hash != ends[0]).count();
    Ok(CaseResult::new(checks! {
        "runs that end in another state than the first", "", 0.0, others as f64, Absolute(0.0);
    }))
}

// V104: rounding. Each vehicle starts on an even keel.
pub(crate) fn left_alone(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for name in ["bluerov2", "bluerov2_heavy", "taipan300", "otter"] {
        let z = if name == "otter" { 0.0 } else { -20.0 };
        let mut s = data.simulation(&format!(
            "robots: {{r: {{position_m: [0, 0, {z}], model: {{extends: robots/{name}.yaml, sensors: null, firmware: null, battery: null}}}}}}"
        ))?;
        advance(&mut s, 60.0);
        let rate = s.state.robots[0].motion.V_WB_B.w.z.abs();
        checks.extend(checks! {
            format!("{name}: rate of yaw"), "rad/s", 1e-9, rate, AtMost;
        });
    }
    Ok(CaseResult::new(checks))
}

// V105: two jets of 33.6 N against the drag of the speed through the water; 1 % of this speed.
pub(crate) fn against_the_current(data: &ReferenceData) -> Result<CaseResult, String> {
    let (linear, quadratic, thrust, current) = (16.449_987_12_f64, 2.942, 2.0 * 33.6, 3.0);
    let top = ((linear * linear + 4.0 * quadratic * thrust).sqrt() - linear) / (2.0 * quadratic);
    let mut checks = Vec::new();
    for firmware in ["heron_motion", "heron_velocity"] {
        let mut s = data.simulation(&format!(
            "
step: {{dt_s: 0.005}}
water: {{current: {{kind: uniform, speed_m_s: {current}, direction_deg: 270}}}}
seabed: {{depth_m: 50}}
robots:
  boat: {{model: {{extends: robots/heron.yaml, battery: null, firmware: {firmware}}}}}
"
        ))?;
        let waypoints = Arc::new(vec![Vec3::new(20.0, 0.0, 0.0), Vec3::new(20.0, 20.0, 0.0)]);
        apply(
            &mut s,
            &Command::Firmware(0, FirmwareCommand::FollowPath { waypoints }),
        )?;
        advance(&mut s, 40.0);
        let start = s.state.robots[0].motion.p_WB.x;
        advance(&mut s, 20.0);
        let speed = (s.state.robots[0].motion.p_WB.x - start) / 20.0;
        checks.extend(checks! {
            firmware, "m/s", top - current, speed, Absolute(0.01 * top);
        });
    }
    Ok(CaseResult::new(checks))
}

// V106: waves of 1 m amplitude and 6 s, 56 times as long as the radius of the hemisphere. Rounding
// of the yaw; the drift decreases by 10 % over the depth of the hull.
pub(crate) fn hemisphere_in_waves(data: &ReferenceData) -> Result<CaseResult, String> {
    let (amplitude, period) = (1.0, 6.0);
    let mut s = data.simulation(&format!(
        "
step: {{dt_s: 0.02, integrator: rk4}}
water: {{density_kg_m3: 1025, waves: {{kind: regular, height_m: {}, period_s: {period}, direction_deg: 90}}}}
seabed: {{depth_m: 300}}
robots:
  ball:
    model:
      source: case V106
      body:
        source: case V106
        axes: flu
        mass_kg: 2146.755
        inertia_kg_m2: {{xx: 800, yy: 800, zz: 800}}
        center_of_mass_m: [0, 0, -0.25]
        hull: {{kind: mesh, file: meshes/ball_2m.obj}}
        radiation: {{kind: wamit, added_mass: meshes/bem/hemisphere_r1.1, excitation: meshes/bem/hemisphere_r1.3, filters: 24}}
        linear_damping: {{kind: diagonal, values: [200, 200, 0, 100, 100, 0]}}
",
        2.0 * amplitude
    ))?;
    let (mut yaw, mut start) = (0.0_f64, 0.0);
    for second in 0..480 {
        // the drift begins slowly; whole periods
        if second == 360 {
            start = s.state.robots[0].motion.p_WB.x;
        }
        advance(&mut s, 1.0);
        yaw = yaw.max(s.state.robots[0].motion.q_WB.matrix().to_rpy()[2].abs());
    }
    let omega = TAU / period;
    let stokes = omega * omega * omega / s.scene.gravity * amplitude * amplitude;
    let drift = (s.state.robots[0].motion.p_WB.x - start) / 120.0;
    Ok(CaseResult::new(checks! {
        "yaw", "rad", 0.0, yaw, Absolute(1e-6);
        "drift with the waves", "m/s", stokes, drift, Relative(0.2);
    }))
}
