//! Conversion of fin and azimuth servo files.

use crate::build::energy;
use crate::import::sname;
use crate::schema::ThrusterFile;
use crate::schema::fin::{AzimuthFile, FinFile, LawFile, SurfaceFile};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::fin::{FinTable, LiftDrag, Race};
use merrow_model::scene::{Fin, FinLaw, JointKind, Robot};
use merrow_yaml::error::Place;
use merrow_yaml::error::{Problems, did_you_mean, quote};

/// Lift slope of a thin foil, reduced for viscosity [1/rad].
const FOIL_SLOPE: f64 = 0.9 * 2.0 * std::f64::consts::PI;

/// Builds the fin `name` on link `link` of `robot`, whose thrusters and sensors are known. `dt` is
/// the time step [s].
pub fn fin(
    name: &str,
    file: &FinFile,
    link: usize,
    robot: &Robot,
    dt: f64,
    problems: &mut Problems,
) -> Fin {
    let surface = &file.surface;
    let R_UF = axes(name, file, problems);
    let p_UoF_U = sname::vector(file.axes, file.position_m);
    let R_LU = &robot.links[link].R_LU;
    let range = range(
        name,
        surface.range_deg,
        surface.at.of("range_deg"),
        problems,
    );
    let most = surface.range_deg.map(f64::abs);
    if most[0].max(most[1]) >= 180.0 {
        let text = format!(
            "the range of {name} reaches half a turn or more, expected it within (-180, 180)"
        );
        problems.push(surface.at.of("range_deg"), text);
    }
    check_name(name, &file.at.whole, robot, problems);
    Fin {
        name: name.to_string(),
        link,
        p_LoF: R_LU.mul_vec(p_UoF_U),
        R_LF: R_LU.mul_mat(&R_UF),
        p_UoF_U,
        R_UF,
        area: surface.area_m2,
        span: surface.span_m,
        center_of_pressure: surface.center_of_pressure_m,
        law: law(name, surface, problems),
        range,
        rate: surface.rate_deg_s.map_or(f64::INFINITY, f64::to_radians),
        lag: surface.time_constant_s,
        dead_steps: dead_steps(surface.dead_time_s, dt),
        delay_start: robot.fins.iter().map(|f| f.dead_steps).sum(),
        race: race(name, file, link, robot, problems),
        power: energy::servo(&surface.power),
        sail: sail(name, file, problems),
    }
}

/// Builds the azimuth servo of thruster `k` of `robot` as a fin without a force, named
/// `<thruster>_azimuth`.
pub fn azimuth(
    k: usize,
    file: &ThrusterFile,
    azimuth: &AzimuthFile,
    robot: &Robot,
    dt: f64,
    problems: &mut Problems,
) -> Fin {
    let thruster = &robot.thrusters[k];
    let name = format!("{}_azimuth", thruster.name);
    let place = if azimuth.at.has("shaft") {
        azimuth.at.of("shaft")
    } else {
        &azimuth.at.whole
    };
    let given = sname::vector(file.axes, azimuth.shaft).unit();
    let square = |s: &Vec3| s.dot(thruster.direction_U).abs() < 1e-6;
    let shaft = given.filter(square).unwrap_or_else(|| {
        let text = format!("the shaft of {name} is not perpendicular to the direction of thrust");
        problems.push(place, text);
        Mat3::with_z_axis(thruster.direction_U).col(0)
    });
    let R_UF = Mat3::from_rows(
        thruster.direction_U,
        shaft.cross(thruster.direction_U),
        shaft,
    )
    .transpose();
    check_name(&name, &file.at.whole, robot, problems);
    let diameter = 2.0 * thruster.radius;
    Fin {
        link: thruster.link,
        p_LoF: thruster.p_LoT,
        R_LF: robot.links[thruster.link].R_LU.mul_mat(&R_UF),
        p_UoF_U: thruster.p_UoT_U,
        R_UF,
        // Used for display only.
        area: diameter * diameter,
        span: diameter,
        center_of_pressure: 0.0,
        law: FinLaw::Azimuth(k),
        range: range(
            &name,
            azimuth.range_deg,
            azimuth.at.of("range_deg"),
            problems,
        ),
        rate: azimuth.rate_deg_s.map_or(f64::INFINITY, f64::to_radians),
        lag: azimuth.time_constant_s,
        dead_steps: dead_steps(azimuth.dead_time_s, dt),
        delay_start: robot.fins.iter().map(|f| f.dead_steps).sum(),
        race: None,
        power: energy::servo(&azimuth.power),
        sail: false,
        name,
    }
}

/// Converts a range from degrees to radians.
fn range(name: &str, deg: [f64; 2], place: &Place, problems: &mut Problems) -> [f64; 2] {
    let [lo, hi] = deg;
    if lo > hi {
        let text = format!("the range of {name} is [{lo}, {hi}], expected the lowest angle first");
        problems.push(place, text);
    }
    [lo.min(hi).to_radians(), hi.to_radians()]
}

/// Returns whether the fin is a sail, and reports keys that a sail cannot have.
fn sail(name: &str, file: &FinFile, problems: &mut Problems) -> bool {
    let surface = &file.surface;
    if !surface.sail {
        return false;
    }
    let place = surface.at.of("sail");
    if !matches!(
        surface.law,
        LawFile::LiftDrag { .. } | LawFile::Table { .. }
    ) {
        let text = format!(
            "the sail {name} has a law of the kind `{}`, expected `lift_drag` or `table`",
            surface.law.kind()
        );
        problems.push(place, text);
    }
    if surface.range_deg[0] < 0.0 {
        let text = format!(
            "the sheet of {name} starts at {} degrees, expected 0 or more",
            surface.range_deg[0]
        );
        problems.push(surface.at.of("range_deg"), text);
    }
    if file.race.is_some() {
        problems.push(
            file.at.of("race"),
            format!("{name} is a sail, for which `race` has no effect"),
        );
    }
    true
}

/// Returns the dead time in whole time steps.
fn dead_steps(seconds: f64, dt: f64) -> usize {
    let steps = seconds / dt;
    // A world that could not be read has no time step.
    if steps <= 1e7 {
        libm::round(steps) as usize
    } else {
        0
    }
}

/// Returns chord, normal and shaft at angle zero in U, as columns.
fn axes(name: &str, file: &FinFile, problems: &mut Problems) -> Mat3 {
    let shaft = sname::vector(file.axes, file.shaft)
        .unit()
        .unwrap_or_else(|| {
            let text =
                format!("the shaft of {name} has no length, expected numbers that are not all 0");
            problems.push(file.at.of("shaft"), text);
            Vec3::new(0.0, 0.0, 1.0)
        });
    let chord = sname::vector(file.axes, file.chord);
    let across = chord - shaft.scale(chord.dot(shaft));
    let chord = across
        .unit()
        .filter(|_| across.norm() > 1e-6 * chord.norm())
        .unwrap_or_else(|| {
            let text = format!("the chord of {name} lies along its shaft, expected it across");
            problems.push(
                if file.at.has("chord") {
                    file.at.of("chord")
                } else {
                    file.at.of("shaft")
                },
                text,
            );
            Mat3::with_z_axis(shaft).col(0)
        });
    let normal = shaft.cross(chord);
    Mat3::from_rows(chord, normal, shaft).transpose()
}

/// The frame and the joint of a fin have its name, so no link, joint or sensor may have it.
fn check_name(name: &str, place: &Place, robot: &Robot, problems: &mut Problems) {
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
        problems.push(place, text);
    }
}

fn law(name: &str, surface: &SurfaceFile, problems: &mut Problems) -> FinLaw {
    match &surface.law {
        LawFile::LiftDrag {
            lift_slope_per_rad,
            aspect_ratio,
            drag,
            oswald,
            stall_deg,
            stall_sharpness,
            broadside_drag,
            ..
        } => {
            let aspect = aspect_ratio.unwrap_or(surface.span_m * surface.span_m / surface.area_m2);
            let pi_aspect = std::f64::consts::PI * aspect;
            FinLaw::LiftDrag(LiftDrag {
                slope: lift_slope_per_rad.unwrap_or(1.0 / (1.0 / FOIL_SLOPE + 1.0 / pi_aspect)),
                drag: *drag,
                induced: 1.0 / (oswald * pi_aspect),
                stall: stall_deg.to_radians(),
                sharpness: *stall_sharpness,
                broadside: *broadside_drag,
            })
        }
        LawFile::Table {
            alpha_deg,
            lift,
            drag,
            at,
        } => {
            for (key, values) in [("lift", lift), ("drag", drag)] {
                if values.len() != alpha_deg.len() {
                    let text = format!(
                        "the table of {name} has {} values of {key} for {} angles, expected one per angle",
                        values.len(),
                        alpha_deg.len()
                    );
                    problems.push(at.of(key), text);
                }
            }
            let (first, last) = (alpha_deg[0], alpha_deg[alpha_deg.len() - 1]);
            let rises = alpha_deg.windows(2).all(|w| w[0] < w[1]);
            if !(rises && (first == 0.0 || first == -180.0) && last == 180.0) {
                let text = format!(
                    "the angles of the table of {name} go from {first} to {last}, expected them rising from -180 or 0 to 180"
                );
                problems.push(at.of("alpha_deg"), text);
            }
            let pairs = |values: &[f64]| {
                alpha_deg
                    .iter()
                    .zip(values)
                    .map(|(a, c)| (a.to_radians(), *c))
                    .collect()
            };
            FinLaw::Table(FinTable {
                lift: pairs(lift),
                drag: pairs(drag),
                symmetric: first == 0.0,
            })
        }
        LawFile::Chord {
            normal_slope_per_rad,
            axial,
            ..
        } => FinLaw::Chord {
            normal_slope: *normal_slope_per_rad,
            axial: *axial,
        },
        LawFile::Fossen {
            lift_slope_per_rad, ..
        } => FinLaw::Fossen {
            slope: *lift_slope_per_rad,
        },
        LawFile::Derivative {
            coefficient_n_s2_m2,
            ..
        } => FinLaw::Derivative {
            gain: *coefficient_n_s2_m2,
        },
    }
}

fn race(
    name: &str,
    file: &FinFile,
    link: usize,
    robot: &Robot,
    problems: &mut Problems,
) -> Option<Race> {
    let race = file.race.as_ref()?;
    if matches!(
        file.surface.law,
        LawFile::Fossen { .. } | LawFile::Derivative { .. }
    ) {
        let text = format!(
            "the law of {name} uses the vehicle's speed, so that `race` has no effect: use `lift_drag`, `table` or `chord`"
        );
        problems.push(file.at.of("race"), text);
    }
    let Some(thruster) = robot.thrusters.iter().position(|t| t.name == race.thruster) else {
        let hint = did_you_mean(
            &race.thruster,
            robot.thrusters.iter().map(|t| t.name.as_str()),
        );
        problems.push(
            race.at.of("thruster"),
            format!("no thruster {}{hint}", quote(&race.thruster)),
        );
        return None;
    };
    if robot.thrusters[thruster].link != link {
        let text = format!(
            "the thruster {} is on another link than {name}",
            quote(&race.thruster)
        );
        problems.push(race.at.of("thruster"), text);
    }
    Some(Race {
        thruster,
        part: race.part,
        development: race.development,
    })
}
