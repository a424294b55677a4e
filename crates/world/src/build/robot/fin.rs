//! Conversion of fin and azimuth servo files.

use crate::context::Context;
use crate::import::sname;
use crate::keys::ThrusterConfig;
use crate::keys::robot::fin::{
    AzimuthConfig, FinConfig, FinLawConfig, FinTableConfig, FinTypeConfig,
};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::fin::{FinServo, FinTable, LiftDrag, Slipstream};
use merrow_model::scene::{Fin, FinLaw, JointKind, Robot};
use merrow_yaml::error::{Place, quote};

/// Lift slope of a thin foil, reduced for viscosity [1/rad].
const FOIL_SLOPE: f64 = 0.9 * 2.0 * std::f64::consts::PI;

/// Builds the fin `name` on link `link` of `robot`, whose thrusters and sensors are known.
pub(crate) fn build_fin(
    name: &str,
    file: &FinConfig,
    link: usize,
    robot: &Robot,
    cx: Context<'_>,
) -> Fin {
    let surface = &file.surface;
    let R_UF = fin_axes(name, file, cx);
    let p_UoF_U = sname::vector_to_flu(file.axes, file.position_m);
    let R_LU = &robot.links[link].R_LU;
    let servo = &surface.servo;
    let range = range_in_radians(name, servo, cx);
    let extent = servo.range_deg.map(f64::abs);
    if extent[0].max(extent[1]) >= 180.0 {
        let text = format!(
            "the range of {name} reaches half a turn or more; expected it within (-180, 180)"
        );
        cx.error(servo.at.key_place("range_deg"), text);
    }
    check_name(name, &file.at.whole, robot, cx);
    Fin {
        name: name.to_string(),
        link,
        p_LoF: R_LU.mul_vec(p_UoF_U),
        R_LF: R_LU.mul_mat(&R_UF),
        p_UoF_U,
        R_UF,
        area_m2: surface.area_m2,
        span_m: surface.span_m,
        center_of_pressure_m: surface.center_of_pressure_m,
        law: build_law(name, surface, cx),
        range,
        dead_steps: servo.dead_steps(cx.dt),
        delay_start: robot.fins.iter().map(|f| f.dead_steps).sum(),
        slipstream: build_slipstream(name, file, link, robot, cx),
        incidence_in_hull: check_incidence(name, file, cx),
        servo: servo.clone(),
        sail: check_sail(name, file, cx),
    }
}

/// Builds the azimuth servo of thruster `k` of `robot` as a fin without a force, named
/// `<thruster>_azimuth`.
pub(crate) fn build_azimuth_servo(
    k: usize,
    file: &ThrusterConfig,
    azimuth: &AzimuthConfig,
    robot: &Robot,
    cx: Context<'_>,
) -> Fin {
    let thruster = &robot.thrusters[k];
    let name = format!("{}_azimuth", thruster.name);
    let place = if azimuth.at.has_key("shaft") {
        azimuth.at.key_place("shaft")
    } else {
        &azimuth.at.whole
    };
    let given = sname::vector_to_flu(file.axes, azimuth.shaft).unit();
    let square = |s: &Vec3| s.dot(thruster.direction_U).abs() < 1e-6;
    let shaft = given.filter(square).unwrap_or_else(|| {
        let text = format!("the shaft of {name} is not perpendicular to the direction of thrust");
        cx.error(place, text);
        Mat3::with_z_axis(thruster.direction_U).col(0)
    });
    let R_UF = Mat3::from_rows(
        thruster.direction_U,
        shaft.cross(thruster.direction_U),
        shaft,
    )
    .transpose();
    check_name(&name, &file.at.whole, robot, cx);
    let diameter = 2.0 * thruster.radius();
    Fin {
        link: thruster.link,
        p_LoF: thruster.p_LoT,
        R_LF: robot.links[thruster.link].R_LU.mul_mat(&R_UF),
        p_UoF_U: thruster.p_UoT_U,
        R_UF,
        // Used for display only.
        area_m2: diameter * diameter,
        span_m: diameter,
        center_of_pressure_m: 0.0,
        law: FinLaw::Azimuth(k),
        range: range_in_radians(&name, &azimuth.servo, cx),
        dead_steps: azimuth.servo.dead_steps(cx.dt),
        delay_start: robot.fins.iter().map(|f| f.dead_steps).sum(),
        slipstream: None,
        incidence_in_hull: false,
        servo: azimuth.servo.clone(),
        sail: false,
        name,
    }
}

/// Converts the range of a servo to radians.
fn range_in_radians(name: &str, servo: &FinServo, cx: Context<'_>) -> [f64; 2] {
    let [lo, hi] = servo.range_deg;
    if lo > hi {
        let text = format!("the range of {name} is [{lo}, {hi}]; expected the lowest angle first");
        cx.error(servo.at.key_place("range_deg"), text);
    }
    [lo.min(hi).to_radians(), hi.to_radians()]
}

/// Returns true if the fin is a sail, and reports keys that a sail cannot have.
fn check_sail(name: &str, file: &FinConfig, cx: Context<'_>) -> bool {
    let surface = &file.surface;
    if !surface.sail {
        return false;
    }
    let place = surface.at.key_place("sail");
    if !matches!(
        surface.law,
        FinLawConfig::LiftDrag(_) | FinLawConfig::Table(_)
    ) {
        let text = format!(
            "the sail {name} has a law of the kind `{}`; expected `lift_drag` or `table`",
            surface.law.kind()
        );
        cx.error(place, text);
    }
    if surface.servo.range_deg[0] < 0.0 {
        let text = format!(
            "the sheet of {name} starts at {} degrees; expected 0 or more",
            surface.servo.range_deg[0]
        );
        cx.error(surface.servo.at.key_place("range_deg"), text);
    }
    if file.slipstream.is_some() {
        cx.error(
            file.at.key_place("slipstream"),
            format!("{name} is a sail, for which `slipstream` has no effect"),
        );
    }
    true
}

/// Returns chord, normal and shaft at angle zero in U, as columns.
fn fin_axes(name: &str, file: &FinConfig, cx: Context<'_>) -> Mat3 {
    let shaft = cx.direction(
        (&file.at, "shaft"),
        &format!("the shaft of {name}"),
        sname::vector_to_flu(file.axes, file.shaft),
        Vec3::new(0.0, 0.0, 1.0),
    );
    let chord = sname::vector_to_flu(file.axes, file.chord);
    let across = chord - shaft.scale(chord.dot(shaft));
    let chord = across
        .unit()
        .filter(|_| across.norm() > 1e-6 * chord.norm())
        .unwrap_or_else(|| {
            let text = format!("the chord of {name} lies along its shaft; expected it across");
            cx.error(
                if file.at.has_key("chord") {
                    file.at.key_place("chord")
                } else {
                    file.at.key_place("shaft")
                },
                text,
            );
            Mat3::with_z_axis(shaft).col(0)
        });
    let normal = shaft.cross(chord);
    Mat3::from_rows(chord, normal, shaft).transpose()
}

/// Reports a fin whose name a link, joint or sensor has. The frame and the joint of a fin have its
/// name.
fn check_name(name: &str, place: &Place, robot: &Robot, cx: Context<'_>) {
    let link = robot.links.iter().any(|l| l.name == name);
    let joint = robot
        .links
        .iter()
        .any(|l| l.joint.kind != JointKind::Fixed && l.joint.name == name);
    let sensor = robot.sensors.iter().any(|s| s.name == name);
    let fin = robot.fins.iter().any(|f| f.name == name);
    if link || joint || sensor || fin {
        let text = format!(
            "the name {} is taken by a link, joint or sensor",
            quote(name)
        );
        cx.error(place, text);
    }
}

/// Returns `incidence_in_hull`, and reports it for a law that computes lift and drag at incidence.
fn check_incidence(name: &str, file: &FinConfig, cx: Context<'_>) -> bool {
    if file.incidence_in_hull && uses_angle_of_attack(&file.surface.law) {
        let text = format!(
            "the law of {name} computes lift and drag at incidence; expected `fossen` or `derivative` with `incidence_in_hull`"
        );
        cx.error(file.at.key_place("incidence_in_hull"), text);
    }
    file.incidence_in_hull
}

/// Returns false for the laws that use the velocity of the vehicle instead of the flow at the fin.
fn uses_angle_of_attack(law: &FinLawConfig) -> bool {
    match law {
        FinLawConfig::LiftDrag(_) | FinLawConfig::Table(_) | FinLawConfig::Chord { .. } => true,
        FinLawConfig::Fossen { .. } | FinLawConfig::Derivative { .. } => false,
    }
}

/// Converts the force law of a fin.
fn build_law(name: &str, surface: &FinTypeConfig, cx: Context<'_>) -> FinLaw {
    match &surface.law {
        FinLawConfig::LiftDrag(keys) => {
            let own_aspect = surface.span_m * surface.span_m / surface.area_m2;
            let pi_aspect = std::f64::consts::PI * keys.aspect_ratio.unwrap_or(own_aspect);
            FinLaw::LiftDrag(LiftDrag {
                lift_slope_per_rad: keys
                    .lift_slope_per_rad
                    .unwrap_or(1.0 / (1.0 / FOIL_SLOPE + 1.0 / pi_aspect)),
                drag: keys.drag,
                induced: 1.0 / (keys.oswald * pi_aspect),
                stall: keys.stall_deg.to_radians(),
                stall_sharpness_per_rad: keys.stall_sharpness_per_rad,
                broadside_drag: keys.broadside_drag,
            })
        }
        FinLawConfig::Table(keys) => FinLaw::Table(build_fin_table(name, keys, cx)),
        FinLawConfig::Chord {
            normal_slope_per_rad,
            axial,
            ..
        } => FinLaw::Chord {
            normal_slope_per_rad: *normal_slope_per_rad,
            axial: *axial,
        },
        FinLawConfig::Fossen {
            lift_slope_per_rad, ..
        } => FinLaw::Fossen {
            lift_slope_per_rad: *lift_slope_per_rad,
        },
        FinLawConfig::Derivative {
            coefficient_n_s2_per_m2,
            ..
        } => FinLaw::Derivative {
            coefficient_n_s2_per_m2: *coefficient_n_s2_per_m2,
        },
    }
}

/// Builds the table of lift and drag coefficients over the angle of attack [rad].
fn build_fin_table(name: &str, keys: &FinTableConfig, cx: Context<'_>) -> FinTable {
    let (alpha_deg, at) = (&keys.alpha_deg, &keys.at);
    for (key, values) in [("lift", &keys.lift), ("drag", &keys.drag)] {
        if values.len() != alpha_deg.len() {
            let text = format!(
                "the table of {name} has {} values of {key} for {} angles; expected one per angle",
                values.len(),
                alpha_deg.len()
            );
            cx.error(at.key_place(key), text);
        }
    }
    let (first, last) = (alpha_deg[0], alpha_deg[alpha_deg.len() - 1]);
    let rises = alpha_deg.windows(2).all(|w| w[0] < w[1]);
    if !(rises && (first == 0.0 || first == -180.0) && last == 180.0) {
        let text = format!(
            "the angles of the table of {name} go from {first} to {last}; expected increasing angles from -180 or 0 to 180"
        );
        cx.error(at.key_place("alpha_deg"), text);
    }
    let pairs = |values: &[f64]| {
        alpha_deg
            .iter()
            .zip(values)
            .map(|(a, c)| [a.to_radians(), *c])
            .collect()
    };
    FinTable {
        lift: pairs(&keys.lift),
        drag: pairs(&keys.drag),
        symmetric: first == 0.0,
    }
}

/// Builds the slipstream of a thruster over a fin on link `link`.
fn build_slipstream(
    name: &str,
    file: &FinConfig,
    link: usize,
    robot: &Robot,
    cx: Context<'_>,
) -> Option<Slipstream> {
    let race = file.slipstream.as_ref()?;
    if !uses_angle_of_attack(&file.surface.law) {
        let text = format!(
            "the law of {name} uses the vehicle's speed, so that `slipstream` has no effect; use `lift_drag`, `table` or `chord`"
        );
        cx.error(file.at.key_place("slipstream"), text);
    }
    let thruster = cx.find(
        race.at.key_place("thruster"),
        &race.thruster,
        robot.thrusters.iter().map(|t| t.name.as_str()),
        |name| format!("no thruster {name}"),
    )?;
    if robot.thrusters[thruster].link != link {
        let text = format!(
            "the thruster {} is on another link than {name}",
            quote(&race.thruster)
        );
        cx.error(race.at.key_place("thruster"), text);
    }
    Some(Slipstream {
        thruster,
        area_fraction: race.area_fraction,
        development: race.development,
    })
}
