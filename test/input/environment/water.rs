//! Tests of errors in the water of a world.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{check, world};

#[test]
fn invalid_tides_are_rejected() {
    let tide = |text: &str| {
        world(&format!(
            "water: {{flows: {{t: {{kind: tidal, constituents: [{text}]}}}}}}"
        ))
    };
    check(
        &tide("{name: M3, speed_m_s: 1, direction_deg: 0}"),
        "w.yaml:1:56: unknown tidal constituent `M3`; expected one of `M2`, `S2`, `N2`, `K2`, `K1`, `O1`, `P1`, `Q1`, `M4`, `MS4`, `M6`, or its `period_s`",
    );
    check(
        &tide("{speed_m_s: 1, direction_deg: 0}"),
        "w.yaml:1:49: a tidal constituent needs either its `name` or its `period_s`",
    );
    check(
        &tide("{name: M2, period_s: 5, speed_m_s: 1, direction_deg: 0}"),
        "w.yaml:1:49: a tidal constituent needs either its `name` or its `period_s`",
    );
}

#[test]
fn invalid_flows_are_rejected() {
    check(
        &world("water: {flows: {t: {kind: jett}}}"),
        "w.yaml:1:27: `kind`: expected one of `tidal`, `jet`, `channel`, `eddy`, `gridded`, found string `jett`; did you mean `jet`?",
    );
    check(
        &world("water: {flows: {t: {kind: eddy, angular_velocity_rad_s: 1, core_radius_m: 0}}}"),
        "w.yaml:1:75: `core_radius_m`: expected a positive number [m], found `0`",
    );
}

#[test]
fn invalid_water_columns_are_rejected() {
    let layers = |text: &str| world(&format!("water: {{column: {{{text}}}}}"));
    check(
        &layers(
            "layers: [{depth_m: 5, temperature_c: 4, salinity_psu: 35}, {depth_m: 5, temperature_c: 3, salinity_psu: 35}]",
        ),
        "w.yaml:1:26: the layers are not in order; expected increasing `depth_m`",
    );
    check(
        &layers(
            "sound_speed_law: mackenzie, layers: [{depth_m: 0, temperature_c: 1, salinity_psu: 35}]",
        ),
        "w.yaml:1:83: `temperature_c`: the law `mackenzie` holds from 2 to 30 degrees Celsius, found 1; `sound_speed_law: unesco` holds from -2 to 40, 0 to 42 and to 9900 m",
    );
    check(
        &layers("layers: [{depth_m: 0, temperature_c: 50, salinity_psu: 43}]"),
        concat!(
            "w.yaml:1:55: `temperature_c`: the law `unesco` holds from -2 to 40 degrees Celsius, found 50\n",
            "w.yaml:1:73: `salinity_psu`: the law `unesco` holds from 0 to 42, found 43"
        ),
    );
    check(
        &world(
            "water: {density_kg_m3: 1000, column: {layers: [{depth_m: 0, temperature_c: 5, salinity_psu: 3}]}}",
        ),
        "w.yaml:1:24: both `column` and `density_kg_m3` are given; expected one of them",
    );
    check(
        &world("water: {tracers: {turbidity: {unit: ntu, profile: [[3, 1], [2, 0]]}}}"),
        "w.yaml:1:51: `turbidity`: expected rising depths",
    );
    check(
        &world("water: {tracers: {turbidity: {unit: ntu}}}"),
        "w.yaml:1:30: `turbidity` needs either `profile` or `grid`",
    );
    check(
        &layers(
            "layers: [{depth_m: 0, temperature_c: 5, salinity_psu: 35}], temperature: {file: test/data/grids/point.tif}",
        ),
        "w.yaml:1:98: temperatures from -89 to -22.7; expected -2 to 40, where the law `unesco` holds",
    );
}

#[test]
fn air_and_weather() {
    check(
        &world("weather: {start_utc: '2026-02-30T12:00:00Z'}"),
        "w.yaml:1:22: `start_utc`: expected a date and time such as 2026-06-21T09:30:00Z, found `2026-02-30T12:00:00Z`",
    );
    check(
        &world("air: {reference_height_m: 2, shear: {kind: log, roughness_m: 3}}"),
        "w.yaml:1:62: `roughness_m`: expected less than `reference_height_m` = 2, found 3",
    );
    check(
        &world("air: {gusts: {kind: drydn}}"),
        "w.yaml:1:21: `kind`: expected one of `none`, `npd`, `dryden`, found string `drydn`; did you mean `dryden`?",
    );
    check(
        &world("weather: {cloud_cover: 2}"),
        "w.yaml:1:24: `cloud_cover`: expected a number from 0 to 1, found `2`",
    );
}

#[test]
fn invalid_regions_are_rejected() {
    check(
        &world("water: {regions: {river: {corners_m: [[0, 0], [1, 1]]}}}"),
        "w.yaml:1:38: `river`: expected at least 3 corners, found 2",
    );
    check(
        &world(
            "water: {regions: {river: {corners_m: [[0, 0], [1, 1], [0, 1]]}}, flows: {f: {region: rivr, kind: eddy, angular_velocity_rad_s: 1, core_radius_m: 1}}}",
        ),
        "w.yaml:1:86: no region `rivr` in this world; did you mean `river`?",
    );
    check(
        &world("water: {regions: {lake: {level_m: 3}}}"),
        "w.yaml:1:25: `lake` needs either `corners_m` or `corners_deg`",
    );
    check(
        &world("water: {regions: {lake: {corners_m: [[0, 0], [9, 9], [9, 0], [0, 9]]}}}"),
        "w.yaml:1:37: `lake`: the edge after corner 1 crosses that after corner 3; expected the corners in order around the region",
    );
    check(
        &world(
            "water: {regions: {meadow: {corners_m: [[0, 0], [9, 9], [0, 9]], dry: true, level_m: 2}}}",
        ),
        "w.yaml:1:85: `meadow` is dry land; expected no `level_m`",
    );
    check(
        &world("water: {regions: {lake: {corners_m: [[0, 0], [9, 9], [0, 9]], waves: -1}}}"),
        "w.yaml:1:63: unknown key `waves` in `lake`; expected one of `corners_m`, `corners_deg`, `density_kg_m3`, `sound_speed_m_s`, `temperature_c`, `level_m`, `wave_factor`, `open_to_current`, `dry`",
    );
    check(
        &world(
            "water: {regions: {lake: {corners_m: [[0, 0], [9, 9], [0, 9]]}}, flows: {f: {region: lake, kind: tidal, constituents: [{name: M2, speed_m_s: 1, direction_deg: 9}]}}}",
        ),
        "w.yaml:1:85: a tidal flow is the same everywhere; expected no `region`; `open_to_current: false` on the region excludes it",
    );
    check(
        &world(
            "origin: {latitude_deg: 54, longitude_deg: 10}\nwater: {regions: {lake: {corners_deg: [[10, 54], [10.001, 54], [10.001, 54.001]]}}}",
        ),
        "accepted",
    );
}
