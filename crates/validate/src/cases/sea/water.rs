//! V65, V66 and V70: sea water, absorption of sound, and geodetic coordinates.

use crate::cases::prelude::*;
use merrow_environment::absorption::{Water, ainslie_mccolm, francois_garrison, thorp};
use merrow_environment::geodesy;
use merrow_environment::seawater::{
    density, ipts68_from_its90, mackenzie_sound_speed, sound_speed,
};
use merrow_model::scene::Origin;

// V65: the published check values to their digits; the grid 1e-3 m/s (the UNESCO column of the
// table was computed with temperatures taken as IPTS-68). The density of the table is the density
// of TEOS-10, from which EOS-80 differs by up to 0.018 kg/m³.
pub(crate) fn sea_water(data: &ReferenceData) -> Result<CaseResult, String> {
    let names = "T_insitu_C S_psu depth_m p_dbar(lat45) c_mackenzie1981 c_unesco_chenmillero rho_teos10_exact";
    let mut worst = [0.0_f64; 3];
    for [t, s, depth, dbar, by_depth, unesco, rho] in
        data.table("sound_speed_density.csv")?.columns(names)?
    {
        let pressure = dbar * 1e4;
        worst[0] = worst[0].max((mackenzie_sound_speed(t, s, depth) - by_depth).abs());
        worst[1] = worst[1].max((sound_speed(s, t, pressure) - unesco).abs());
        worst[2] = worst[2].max((density(s, ipts68_from_its90(t), pressure) - rho).abs());
    }
    Ok(CaseResult::new(checks! {
        "Mackenzie, 25 C, 35, 1000 m", "m/s", 1550.744, mackenzie_sound_speed(25.0, 35.0, 1000.0),
            Absolute(5e-4);
        "UNESCO, 40 C, 40, 10000 dbar", "m/s", 1731.995, sound_speed(40.0, 40.0, 1e8),
            Absolute(5e-4);
        "EOS-80, 5 C, 35, surface", "kg/m³", 1027.67547, density(35.0, 5.0, 0.0), Absolute(5e-6);
        "EOS-80, 5 C, 35, 10000 dbar", "kg/m³", 1069.48914, density(35.0, 5.0, 1e8), Absolute(5e-6);
        "EOS-80, 5 C, fresh", "kg/m³", 999.96675, density(0.0, 5.0, 0.0), Absolute(5e-6);
        "EOS-80, 25 C, 35, 10000 dbar", "kg/m³", 1062.53817, density(35.0, 25.0, 1e8),
            Absolute(5e-6);
        "Mackenzie, largest error on the grid", "m/s", 1e-3, worst[0], AtMost;
        "UNESCO, largest error on the grid", "m/s", 1e-3, worst[1], AtMost;
        "EOS-80 against TEOS-10, largest difference", "kg/m³", 0.018, worst[2], AtMost;
    }))
}

/// Names of the laws of absorption.
const LAWS: [&str; 3] = ["Thorp", "Francois and Garrison", "Ainslie and McColm"];

/// Returns the absorption of the laws at the frequency `f` [kHz] [dB/km].
fn laws(f: f64, water: &Water) -> [f64; 3] {
    [
        thorp(f),
        francois_garrison(f, water),
        ainslie_mccolm(f, water),
    ]
}

// V66: relative error of 1e-5, the six digits of the table.
pub(crate) fn absorption(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = published_absorption();
    let names = "f_kHz T_C S_psu depth_m pH thorp francois_garrison1982 ainslie_mccolm1998";
    let mut worst = [0.0_f64; 3];
    for [f, temperature, salinity, depth, ph, a, b, c] in
        data.table("absorption_db_per_km.csv")?.columns(names)?
    {
        let water = Water {
            temperature,
            salinity,
            depth,
            ph,
        };
        let found = laws(f, &water);
        for (worst, (found, expected)) in worst.iter_mut().zip(found.into_iter().zip([a, b, c])) {
            *worst = worst.max((found / expected - 1.0).abs());
        }
    }
    for (name, worst) in LAWS.into_iter().zip(worst) {
        checks.extend(checks! {
            format!("{name}, largest error on the grid"), "", 1e-5, worst, AtMost;
        });
    }
    Ok(CaseResult::new(checks))
}

/// Checks of the absorption [dB/km] at the published check values.
fn published_absorption() -> Vec<Check> {
    let deep = Water {
        temperature: 4.0,
        salinity: 35.0,
        depth: 1000.0,
        ph: 8.0,
    };
    let mut checks = Vec::new();
    for (f, expected) in [
        (10.0, [1.187, 1.005_29, 1.009_86]),
        (50.0, [17.467, 13.130_40, 13.097_99]),
        (100.0, [34.069, 24.092_02, 24.017_40]),
    ] {
        let found = laws(f, &deep);
        for (k, tolerance) in [5e-4, 1e-5, 1e-5].into_iter().enumerate() {
            let what = format!("{}, {f} kHz", LAWS[k]);
            checks.extend(checks! {
                what, "dB/km", expected[k], found[k], Absolute(tolerance);
            });
        }
    }
    checks
}

// V70: 1e-6 m, forward and back.
pub(crate) fn geodesy(data: &ReferenceData) -> Result<CaseResult, String> {
    let names = "lat0 lon0 h0 lat lon h ecef_x ecef_y ecef_z east north up";
    let mut worst = [0.0_f64; 3];
    for [lat0, lon0, h0, lat, lon, h, x, y, z, east, north, up] in
        data.table("geodesy_wgs84.csv")?.columns(names)?
    {
        let origin = Origin {
            latitude: lat0.to_radians(),
            longitude: lon0.to_radians(),
            altitude: h0,
            magnetic_field: Vec3::zero(),
        };
        let (lat, lon) = (lat.to_radians(), lon.to_radians());
        let (there, local) = (Vec3::new(x, y, z), Vec3::new(east, north, up));
        worst[0] = worst[0].max((geodesy::ecef(lat, lon, h) - there).norm());
        worst[1] = worst[1].max((geodesy::world_from_ecef(&origin, there) - local).norm());
        let [a, b, c] = geodesy::geodetic_from_world(&origin, local);
        worst[2] = worst[2].max((geodesy::ecef(a, b, c) - there).norm());
    }
    let degrees = std::f64::consts::PI / 180.0;
    let place = geodesy::ecef(63.0 * degrees, 10.0 * degrees, 100.0);
    let known = Vec3::new(2_859_275.419_0, 504_167.401_6, 5_660_067.224_9);
    Ok(CaseResult::new(checks! {
        "largest error of ECEF positions", "m", 1e-6, worst[0], AtMost;
        "largest error of local positions", "m", 1e-6, worst[1], AtMost;
        "largest round-trip error", "m", 1e-6, worst[2], AtMost;
        "63 N, 10 E, 100 m: distance from the known position", "m", 0.0, (place - known).norm(),
            Absolute(1e-4);
    }))
}
