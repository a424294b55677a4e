//! V05 to V07: buoyancy, waves and wind in the Kelpie simulator [Mendonca 2013, eqs 1-6].
//!
//! The paper gives only equations, no results. Each equation is tested with a vehicle in a world.

use merrow_environment::{WaveState, air};
use merrow_model::state::Motion;
use merrow_validate::cases::prelude::*;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Label of the axis of wind directions.
const DIRECTION: &str = "wind direction (towards) relative to the bow [deg]";
/// Period of the waves [s].
const PERIOD: f64 = 4.0;
const ALPHA: [f64; 2] = [0.1, 0.2];

/// Returns the direction from which a wind blows, clockwise from north [deg], if it blows `angle`
/// [rad] to the right of a bow that points east.
fn from_deg(angle: f64) -> f64 {
    libm::fmod(270.0 + angle.to_degrees(), 360.0)
}

/// Returns the largest pitch and roll [rad] of a vehicle in Kelpie's sea state of Beaufort 4, first
/// as simulated, then from the law.
///
/// The wind initially blows `angle` [rad] to the right of the bow. The law is evaluated at the
/// current heading, because a body that rolls and pitches at the same time also yaws a little.
fn max_pitch_and_roll(data: &ReferenceData, angle: f64) -> Result<[[f64; 2]; 2], String> {
    let from = from_deg(angle);
    let mut s = data.simulation(&format!(
        "
step: {{dt_s: 0.01}}
water: {{waves: {{kind: kelpie, beaufort: 4, period_s: {PERIOD}}}}}
weather: {{wind_speed_m_s: 6.7, wind_from_deg: {from}}}
robots:
  usv:
    model:
      source: case V05
      body: {{source: case V05, axes: flu, mass_kg: 30, inertia_kg_m2: {{xx: 2, yy: 5, zz: 6}}, volume_m3: 0.06,
        linear_damping: {{kind: diagonal, values: [50, 50, 300, 0, 0, 10]}},
        kelpie_attitude: {{pitch_rad_per_m: {}, roll_rad_per_m: {}}}}}
",
        ALPHA[0], ALPHA[1]
    ))?;
    // three periods to let the initial transient decay
    advance(&mut s, 3.0 * PERIOD);
    let mut max_angles = [[0.0_f64; 2]; 2];
    for _ in 0..400 {
        s.advance(1);
        let R_WB = s.state.robots[0].motion.q_WB.matrix();
        let found = [
            libm::asin(R_WB.r[2].x.clamp(-1.0, 1.0)),
            libm::atan2(R_WB.r[2].y, R_WB.r[2].z),
        ];
        let height = WaveState::new(&s.state.sea.waves, s.time_ns() as f64).elevation(0.0, 0.0);
        let (sin, cos) = sin_cos(angle + R_WB.to_rpy()[2]);
        let law = [height * ALPHA[0] * cos, height * ALPHA[1] * sin];
        for k in 0..2 {
            max_angles[0][k] = max_angles[0][k].max(found[k].abs());
            max_angles[1][k] = max_angles[1][k].max(law[k].abs());
        }
    }
    Ok(max_angles)
}

// V05: with the wind along the vehicle the pitch amplitude is h_m α and the roll amplitude zero;
// across it the reverse; at 45 degrees cos 45° of each. The law itself within 1e-9. The vehicle,
// which a moment turns to these angles, within 1 % of the largest angle.
pub(super) fn attitude(data: &ReferenceData) -> Result<CaseResult, String> {
    use merrow_model::scene::robot::force::KelpieAttitude;
    use merrow_physics::forces::link::kelpie_attitude::target_angles;
    use merrow_yaml::read::Places;
    let law = KelpieAttitude {
        pitch_rad_per_m: ALPHA[0],
        roll_rad_per_m: ALPHA[1],
        bandwidth_hz: 1.0,
        at: Places::default(),
    };
    let (ahead, starboard, height) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 0.0), 0.5);
    let mut checks = Vec::new();
    for (degrees, part) in [
        (0.0, [1.0, 0.0]),
        (90.0, [0.0, 1.0]),
        (45.0, [FRAC_1_SQRT_2; 2]),
    ] {
        let (sin, cos) = sin_cos(f64::to_radians(degrees));
        let law = target_angles(&law, ahead, starboard, Vec3::new(sin, cos, 0.0), height);
        let ran = max_pitch_and_roll(data, f64::to_radians(degrees))?;
        for (k, name) in ["pitch", "roll"].into_iter().enumerate() {
            let expected = height * ALPHA[k] * part[k];
            checks.extend(checks! {
                format!("{name} from the law, wind {degrees} deg off the bow"), "rad", expected,
                    law[k], Absolute(1e-9);
                format!("{name} of the vehicle at its heading, wind {degrees} deg off the bow"),
                    "rad", ran[1][k], ran[0][k], Absolute(0.01 * height * ALPHA[k]);
            });
        }
    }
    let figure = attitude_figure(data, height)?;
    Ok(CaseResult::new(checks).with_figure("kelpie_attitude", figure))
}

/// Draws the amplitudes of pitch and roll [deg] over the wind direction, of the vehicle and of the
/// law, for waves of the amplitude `height` [m].
fn attitude_figure(data: &ReferenceData, height: f64) -> Result<Drawing, String> {
    let mut curves = [const { Vec::new() }; 4];
    for k in 0..=24 {
        let degrees = 15.0 * f64::from(k);
        let ran = max_pitch_and_roll(data, degrees.to_radians())?;
        let (sin, cos) = sin_cos(degrees.to_radians());
        let law = [height * ALPHA[0] * cos.abs(), height * ALPHA[1] * sin.abs()];
        for i in 0..2 {
            curves[i].push([degrees, ran[0][i].to_degrees()]);
            curves[i + 2].push([degrees, law[i].to_degrees()]);
        }
    }
    let [pitch, roll, law_pitch, law_roll] = curves;
    let pitch = vec![
        PlotCurve::new("eq. 3", BLACK, true, law_pitch),
        PlotCurve::new("vehicle", COLOURS[0], false, pitch),
    ];
    let roll = vec![
        PlotCurve::new("eq. 4", BLACK, true, law_roll),
        PlotCurve::new("vehicle", COLOURS[1], false, roll),
    ];
    let panels = [
        Panel::new("amplitude of pitch [deg]", "", pitch),
        Panel::new("amplitude of roll [deg]", DIRECTION, roll),
    ];
    let title = "Kelpie's pitch and roll, Beaufort 4 (h = 0.5 m)";
    Ok(draw_figure(title, &panels, 820, 190))
}

/// Returns the force [N] forward and to starboard of a vehicle at 20 m altitude, whose areas make
/// Kelpie's factor one, in a wind of `speed` [m/s] that blows `angle` [rad] to the right of its
/// bow.
fn wind_force(data: &ReferenceData, speed: f64, angle: f64) -> Result<[f64; 2], String> {
    let text = |area: f64| {
        format!(
            "
gravity_m_s2: 0
air: {{shear: {{kind: uniform}}}}
weather: {{wind_speed_m_s: {speed}, wind_from_deg: {}}}
robots:
  uav:
    position_m: [0, 0, 20]
    model:
      source: case V06
      body: {{source: case V06, axes: flu, mass_kg: 2, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}},
        wind: {{law: kelpie, area_m2: [{area}, {area}, 0]}}}}
",
            from_deg(angle)
        )
    };
    let thin = data.world(&text(1.0))?;
    let rho = air::density(&thin.sea, 15.0, 20.0);
    let scene = data.world(&text(2.0 / rho))?;
    let f = evaluate(&scene, &initial_motion(&scene)?)?.links[0].F.f;
    Ok([f.x, -f.y])
}

// V06: with |p_w| = 5 and the wind from astern, eq. 5 gives 25 if p_w is the wind vector, and 5 if
// it is the wind direction. Merrow uses the vector: `|p_w|` appears in the next equation, and
// physically the force grows with the square of the wind speed.
pub(super) fn wind(data: &ReferenceData) -> Result<CaseResult, String> {
    let astern = wind_force(data, 5.0, 0.0)?;
    let abeam = wind_force(data, 5.0, 0.5 * PI)?;
    let skew = wind_force(data, 5.0, 0.25 * PI)?;
    let checks = checks! {
        "F_y, 5 m/s wind from astern, p_w as vector", "N", 25.0, astern[0], Absolute(1e-6);
        "F_x, 5 m/s wind from astern", "N", 0.0, astern[1], Absolute(1e-6);
        "F_x, 5 m/s wind from port", "N", 25.0, abeam[1], Absolute(1e-6);
        "F_y, 5 m/s wind from port", "N", 0.0, abeam[0], Absolute(1e-6);
        "F_y, 45 deg", "N", 25.0 * FRAC_1_SQRT_2, skew[0], Absolute(1e-6);
    };
    let mut curves = [const { Vec::new() }; 4];
    for k in 0..=36 {
        let degrees = 10.0 * f64::from(k);
        let [ahead, right] = wind_force(data, 5.0, degrees.to_radians())?;
        let (sin, cos) = sin_cos(degrees.to_radians());
        for (curve, y) in curves.iter_mut().zip([ahead, right, 5.0 * cos, 5.0 * sin]) {
            curve.push([degrees, y]);
        }
    }
    let [ahead, right, unit_ahead, unit_right] = curves;
    let lines = vec![
        PlotCurve::new("F_y, p_w as vector (Merrow)", COLOURS[0], false, ahead),
        PlotCurve::new("F_x", COLOURS[1], false, right),
        PlotCurve::new("F_y, p_w as unit vector", COLOURS[0], true, unit_ahead),
        PlotCurve::new("F_x", COLOURS[1], true, unit_right),
    ];
    let over_angle = Panel::new("force [N], 5 m/s wind", DIRECTION, lines);
    let mut by_speed = [const { Vec::new() }; 2];
    for k in 0..=20 {
        let speed = 0.5 * f64::from(k);
        by_speed[0].push([speed, wind_force(data, speed, 0.0)?[0]]);
        by_speed[1].push([speed, speed]);
    }
    let [vector, unit] = by_speed;
    let lines = vec![
        PlotCurve::new("p_w as vector (Merrow)", COLOURS[0], false, vector),
        PlotCurve::new("p_w as unit vector", COLOURS[0], true, unit),
    ];
    let over_speed = Panel::new("force [N], wind from astern", "wind [m/s]", lines);
    let title = "Two interpretations of Kelpie's wind force";
    let figure = draw_figure(title, &[over_angle, over_speed], 820, 210);
    Ok(CaseResult::new(checks).with_figure("kelpie_wind", figure))
}

/// Returns a world with a body of this hull in fresh water.
fn hull(data: &ReferenceData, hull: &str) -> Result<Scene, String> {
    data.world(&format!(
        "
water: {{density_kg_m3: 1000}}
robots: {{hull: {{model: {{source: case V07, body: {{source: case V07, axes: flu, mass_kg: 10,
  inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, {hull}}}}}}}}}"
    ))
}

/// Returns the buoyancy [N] with the origin at height `z` [m].
fn buoyancy_force(scene: &Scene, z: f64) -> Result<f64, String> {
    let motion = Motion {
        p_WB: Vec3::new(0.0, 0.0, z),
        q_WB: Quat::identity(),
        ..Motion::at_rest(0)
    };
    Ok(evaluate(scene, &motion)?.links[0].F.f.z + 10.0 * scene.gravity)
}

/// Wigley hull: length, beam, draught [m] of its mesh.
const WIGLEY: [f64; 3] = [2.4, 0.7, 0.22];

/// Returns the volume [m³] of the Wigley hull up to `depth` [m] above its keel, at most its
/// draught.
fn wigley_volume(depth: f64) -> f64 {
    let [length, beam, draught] = WIGLEY;
    let part = |z: f64| z - z * z * z / (3.0 * draught * draught);
    2.0 / 3.0 * length * beam * (part(depth - draught) - part(-draught))
}

// V07: the buoyancy of a half-submerged box of 1 m is 4905 N. The bounding box of a ball or a boat
// has more buoyancy than the mesh of the hull. The mesh of the ball is accurate to 0.1 %, the mesh
// of the boat to 2 %, because its 814 triangles are chords of a curved hull.
pub(super) fn buoyancy(data: &ReferenceData) -> Result<CaseResult, String> {
    let of = |kind: &str, file: &str| {
        let keys = format!("hull: {{kind: {kind}, file: meshes/{file}.obj}}");
        hull(data, &keys)
    };
    let hulls = BuoyancyHulls {
        cube: hull(data, "volume_m3: 1, hull: {kind: box, size_m: [1, 1, 1]}")?,
        ball_box: of("bounding_box", "ball_2m")?,
        ball: of("mesh", "ball_2m")?,
        boat_box: of("bounding_box", "wigley_2m4")?,
        boat: of("mesh", "wigley_2m4")?,
    };
    let title = "Buoyancy of a hull and of its bounding box";
    let figure = draw_figure(title, &buoyancy_panels(&hulls)?, 820, 200);
    Ok(CaseResult::new(buoyancy_checks(&hulls)?).with_figure("kelpie_buoyancy", figure))
}

/// Weight of a cubic metre of water [N].
const WATER_WEIGHT: f64 = 9810.0;

/// Scenes with one hull each.
struct BuoyancyHulls {
    cube: Scene,
    ball_box: Scene,
    ball: Scene,
    boat_box: Scene,
    boat: Scene,
}

/// Compares the buoyancy of each hull at one draught with its closed form.
fn buoyancy_checks(hulls: &BuoyancyHulls) -> Result<Vec<Check>, String> {
    let BuoyancyHulls {
        cube,
        ball_box,
        ball,
        boat_box,
        boat,
    } = hulls;
    let full = wigley_volume(WIGLEY[2]);
    // the radius of the ball's mesh is slightly above 1 m, so that it has the volume of the ball
    let reach = ball_box.robots[0].links[0].volume_m3 / 2.0;
    Ok(checks! {
        "box 1 x 1 x 1 m, draught 0.5 m", "N", 4905.0, buoyancy_force(cube, 0.0)?, Relative(1e-9);
        "2 m ball, half submerged, mesh", "N", WATER_WEIGHT * 2.0 / 3.0 * PI,
            buoyancy_force(ball, 0.0)?, Relative(1e-3);
        "2 m ball, half submerged, bounding box", "N", WATER_WEIGHT * reach,
            buoyancy_force(ball_box, 0.0)?, Relative(1e-9);
        "boat at its waterline, mesh", "N", WATER_WEIGHT * full, buoyancy_force(boat, 0.0)?,
            Relative(0.02);
        "boat at its waterline, bounding box / mesh", "", 1.5,
            buoyancy_force(boat_box, 0.0)? / buoyancy_force(boat, 0.0)?, MoreThan;
    })
}

/// Plots the buoyancy [N] of the ball and the boat over the draught [m].
fn buoyancy_panels(hulls: &BuoyancyHulls) -> Result<[Panel; 2], String> {
    let BuoyancyHulls {
        ball_box,
        ball,
        boat_box,
        boat,
        ..
    } = hulls;
    let buoyancy_curve =
        |scene: &Scene, keel: f64, deepest: f64| -> Result<Vec<[f64; 2]>, String> {
            (0..=40)
                .map(|k| deepest * f64::from(k) / 40.0)
                .map(|d| Ok([d, buoyancy_force(scene, keel - d)?]))
                .collect()
        };
    let closed = (0..=40)
        .map(|k| WIGLEY[2] * f64::from(k) / 40.0)
        .map(|d| [d, WATER_WEIGHT * wigley_volume(d)])
        .collect();
    let cap = |d: f64| PI * d * d * (3.0 - d) / 3.0;
    let cap = (0..=40)
        .map(|k| 2.0 * f64::from(k) / 40.0)
        .map(|d| [d, WATER_WEIGHT * cap(d)])
        .collect();
    let curves = |law: (&str, Vec<[f64; 2]>), mesh, bounding_box| {
        vec![
            PlotCurve::new(law.0, BLACK, true, law.1),
            PlotCurve::new("mesh", COLOURS[1], false, mesh),
            PlotCurve::new("bounding box (Kelpie)", COLOURS[0], false, bounding_box),
        ]
    };
    let balls = curves(
        ("spherical cap", cap),
        buoyancy_curve(ball, 1.0, 2.0)?,
        buoyancy_curve(ball_box, 1.0, 2.0)?,
    );
    let boats = curves(
        ("Wigley's closed form", closed),
        buoyancy_curve(boat, WIGLEY[2], 0.42)?,
        buoyancy_curve(boat_box, WIGLEY[2], 0.42)?,
    );
    Ok([
        Panel::new("buoyancy of a 2 m ball [N]", "", balls),
        Panel::new("buoyancy of a 2.4 m boat [N]", "draught [m]", boats),
    ])
}
