//! Tests of keys that are unknown, missing or of another kind.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{bluerov2, body, check, device, plain, world};

#[test]
fn unknown_keys_are_reported() {
    check(
        &world("see: 3"),
        "w.yaml:1:1: unknown key `see` in the file; expected one of `description`, `parameters`, `seed`, `start_time_s`, `step`, `gravity_m_s2`, `origin`, `water`, `seabed`, `air`, `weather`, `robots`, `props`, `actors`, `structures`, `couplings`, `chargers`, `tethers`, `faults`, `schedule`, `beacons`, `modems`, `modem_addresses`, `bridges`, `obstacles`, `ais`, `task`, `map`, `named_poses`, `tags`; did you mean `seed`?",
    );
    check(
        &world("colour: blue"),
        "w.yaml:1:1: unknown key `colour` in the file; expected one of `description`, `parameters`, `seed`, `start_time_s`, `step`, `gravity_m_s2`, `origin`, `water`, `seabed`, `air`, `weather`, `robots`, `props`, `actors`, `structures`, `couplings`, `chargers`, `tethers`, `faults`, `schedule`, `beacons`, `modems`, `modem_addresses`, `bridges`, `obstacles`, `ais`, `task`, `map`, `named_poses`, `tags`",
    );
    check(
        &world("dt_s: 0.001"),
        "w.yaml:1:1: unknown key `dt_s` in the file; expected one of `description`, `parameters`, `seed`, `start_time_s`, `step`, `gravity_m_s2`, `origin`, `water`, `seabed`, `air`, `weather`, `robots`, `props`, `actors`, `structures`, `couplings`, `chargers`, `tethers`, `faults`, `schedule`, `beacons`, `modems`, `modem_addresses`, `bridges`, `obstacles`, `ais`, `task`, `map`, `named_poses`, `tags`",
    );
    check(
        &world("water: {densty_kg_m3: 1000}"),
        "w.yaml:1:9: unknown key `densty_kg_m3` in `water`; expected one of `density_kg_m3`, `sound_speed_m_s`, `temperature_c`, `column`, `regions`, `tracers`, `optics`, `air_pressure_pa`, `current`, `variation`, `flows`, `tide`, `waves`; did you mean `density_kg_m3`?",
    );
    check(
        &body("colour: red, "),
        "w.yaml:5:39: unknown key `colour` in `body`; expected one of `description`, `source`, `estimated`, `axes`, `mass_kg`, `center_of_mass_m`, `inertia_kg_m2`, `volume_m3`, `net_buoyancy_n`, `center_of_buoyancy_m`, `hull`, `restoring`, `loads`, `added_mass`, `coefficients_at`, `radiation`, `linear_damping`, `quadratic_damping`, `linear_damping_decay_s_per_m`, `surface_damping`, `kelpie_attitude`, `slender`, `glider`, `derivatives`, `munk_moment`, `munk_moment_yaw`, `damping_point_m`, `wind`, `collisions`, `visuals`",
    );
    check(
        &plain("sensors: {s1: {device: truth, postion_m: [0, 0, 0]}}"),
        "w.yaml:6:37: unknown key `postion_m` in `s1`; expected one of `device`, `link`, `position_m`, `attitude_deg`, `rate_hz`, `start_s`, `thruster`, `lazy`, `qos`, `aids`; did you mean `position_m`?",
    );
}

#[test]
fn keys_with_other_units_are_reported() {
    check(
        &world("seabed: {depth: 10}"),
        "w.yaml:1:10: `depth` needs its unit; write `depth_m`",
    );
    check(
        &world("seabed: {depth_ft: 30}"),
        "w.yaml:1:10: unknown key `depth_ft`: expected `depth_m` [m], found the unit `ft`",
    );
    check(
        &world("step: {dt_ms: 2}"),
        "w.yaml:1:8: unknown key `dt_ms`: expected `dt_s` [s], found the unit `ms`",
    );
    check(
        "robots:\n  r: {model: bluerov2, attitude_rad: [0, 0, 1]}\n",
        "w.yaml:2:24: unknown key `attitude_rad`: expected `attitude_deg` [deg], found the unit `rad`",
    );
    check(
        &bluerov2("body: {mass_g: 11500}"),
        "w.yaml:5:14: unknown key `mass_g`: expected `mass_kg` [kg], found the unit `g`",
    );
    check(
        &bluerov2("sensors: {imu: {rate_khz: 1}}"),
        "w.yaml:5:23: unknown key `rate_khz`: expected `rate_hz` [Hz], found the unit `khz`",
    );
    check(
        &bluerov2("battery: {capacity_mah: 18000}"),
        "w.yaml:5:17: unknown key `capacity_mah`: expected `capacity_ah` [Ah], found the unit `mah`",
    );
}

#[test]
fn missing_keys_are_reported() {
    check(
        "seed: 1\n",
        "w.yaml:1:1: missing key `robots` (the robots, by name) in the file",
    );
    check(
        "robots:\n  r: {position_m: [0, 0, -1]}\n",
        "w.yaml:2:6: missing key `model` (robot model: a name in `params/robots`, a file, or a map with `extends` and overrides) in `r`",
    );
    check(
        "robots:\n  r:\n    model:\n      source: test\n      body: {mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1}}\n",
        concat!(
            "w.yaml:5:13: missing key `axes` (axes of all vectors and matrices of this body) in `body`\n",
            "w.yaml:5:13: missing key `source` (source of the parameter values) in `body`\n",
            "w.yaml:5:41: missing key `zz` (moment of inertia about z) in `inertia_kg_m2`"
        ),
    );
    check(
        &bluerov2("source: ''"),
        "w.yaml:5:15: `source`: expected a non-empty string, found string ``",
    );
    check(
        &world("water: {current: {kind: uniform}}"),
        "w.yaml:1:18: missing key `speed_m_s` (horizontal speed of the current) in `current`",
    );
    check(
        &world("water: {variation: {std_m_s: [0.1, 0.1, 0]}}"),
        "w.yaml:1:20: missing key `correlation_time_s` (correlation time of the variation) in `variation`",
    );
    check(
        &body("loads: {ballast: {force_n: -3}}, "),
        "w.yaml:5:56: missing key `position_m` (point at which the force acts, relative to the body origin) in `ballast`",
    );
    check(
        &plain("sensors: {imu: {rate_hz: 1}}"),
        "w.yaml:6:22: missing key `device` (type of the sensor: a name in `params/sensors`, a file, or a map) in `imu`",
    );
    check(
        "robots:\n  r: {model: bluerov2, repeat: {count: [2, 1, 1]}}\n",
        "w.yaml:2:32: missing key `spacing_m` (distance between copies along east, north and up) in `repeat`",
    );
}

#[test]
fn unknown_kinds_are_reported() {
    check(
        &world("water: {current: {kind: unifrom, speed_m_s: 1}}"),
        "w.yaml:1:25: `kind`: expected one of `none`, `uniform`, `profile`, found string `unifrom`; did you mean `uniform`?",
    );
    check(
        &world("water: {current: {speed_m_s: 1}}"),
        "w.yaml:1:18: missing key `kind` in `current`; expected one of `none`, `uniform`, `profile`",
    );
    check(
        &world("water: {current: uniform}"),
        "w.yaml:1:18: missing key `speed_m_s` (horizontal speed of the current) in `current`",
    );
    check(
        &world("water: {current: [uniform]}"),
        "w.yaml:1:18: `current`: expected a map with the key `kind`: one of `none`, `uniform`, `profile`, found a list of 1",
    );
    check(
        &world("water: {current: {kind: uniform, speed_m_s: 1, layers: []}}"),
        "w.yaml:1:48: unknown key `layers` in `current`; expected one of `speed_m_s`, `direction_deg`, `up_m_s`",
    );
    check(
        &world("water: {current: {kind: none, speed_m_s: 1}}"),
        "w.yaml:1:31: unknown key `speed_m_s` in `current`; expected no keys here",
    );
    check(
        &world("step: {integrator: rk45}"),
        "w.yaml:1:20: `integrator`: expected one of `rk4`, `semi_implicit`, found string `rk45`; did you mean `rk4`?",
    );
    check(
        &body("hull: {kind: cylinder}, "),
        "w.yaml:5:52: `kind`: expected one of `sphere`, `box`, `ellipsoid`, `mesh`, `bounding_box`, `solids`, found string `cylinder`",
    );
    check(
        &body("hull: box, "),
        "w.yaml:5:45: missing key `size_m` (length, width and height, along x, y and z) in `hull`",
    );
    check(
        &bluerov2("body: {axes: ned}"),
        "w.yaml:5:20: `axes`: expected one of `flu`, `frd`, found string `ned`",
    );
    check(
        &device("kind: sonar"),
        "w.yaml:8:52: `kind`: expected one of `imu`, `ahrs`, `ins`, `gnss`, `gnss_heading`, `dvl`, `pressure`, `magnetometer`, `altimeter`, `odometry`, `probe`, `ctd`, `water_sampler`, `barometer`, `anemometer`, `leak_detector`, `motor_telemetry`, `power_meter`, `laser`, `tilting_laser`, `camera`, `lidar`, `imaging_sonar`, `multibeam`, `side_scan`, `scanning_sonar`, `hydrophone`, `usbl`, `lbl`, `sbl`, `obstacle_detector`, `radar`, `ais_receiver`, `wrench`, found string `sonar`",
    );
    check(
        &device("latency_s: 0"),
        "w.yaml:8:19: missing key `kind` in `device`; expected one of `imu`, `ahrs`, `ins`, `gnss`, `gnss_heading`, `dvl`, `pressure`, `magnetometer`, `altimeter`, `odometry`, `probe`, `ctd`, `water_sampler`, `barometer`, `anemometer`, `leak_detector`, `motor_telemetry`, `power_meter`, `laser`, `tilting_laser`, `camera`, `lidar`, `imaging_sonar`, `multibeam`, `side_scan`, `scanning_sonar`, `hydrophone`, `usbl`, `lbl`, `sbl`, `obstacle_detector`, `radar`, `ais_receiver`, `wrench`",
    );
    check(
        &device("kind: pressure, altitude_m: [0.5, 50]"),
        "w.yaml:8:62: unknown key `altitude_m` in `device`; expected one of `description`, `source`, `estimated`, `rate_hz`, `max_rate_hz`, `latency_s`, `loss_probability`, `power_w`, `errors`",
    );
}
