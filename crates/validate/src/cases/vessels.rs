//! V46 to V53: vehicles compared with other programs and publications.

use crate::cases::check::Check;
use crate::cases::reference_data::{ReferenceData, advance, apply, evaluate, initial_motion};
use crate::cases::{Case, CaseResult, otter, remus};
use crate::sets;
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{BLACK, COLOURS, Panel, PlotCurve, draw_figure};
use merrow_environment::air;
use merrow_math::Vec3;
use merrow_model::state::ActuatorCommand;
use otter::Decay;

const PROGRAMS: &str = "MSS 736a3d1 in GNU Octave; PythonVehicleSimulator c717e07";

/// Cases of whole vehicles against published data.
pub const CASES: [Case; 8] = [
    Case {
        number: 46,
        set: &sets::VEHICLES,
        title: "REMUS 100 in a current (MSS gives 2.2604 m/s over ground: its propeller model uses the speed over ground)",
        source: "still water (Galilean invariance)",
        run: current,
    },
    Case {
        number: 47,
        set: &sets::VEHICLES,
        title: "accelerations of REMUS 100 and Otter in 20 states each, to the precision of the tabulated states",
        source: "MSS 736a3d1 in GNU Octave",
        run: vectors,
    },
    Case {
        number: 48,
        set: &sets::VEHICLES,
        title: "trajectories with the reference programs' integrators, relative to the range of each column",
        source: PROGRAMS,
        run: trajectories,
    },
    Case {
        number: 49,
        set: &sets::VEHICLES,
        title: "steady speeds and turns",
        source: PROGRAMS,
        run: steady,
    },
    Case {
        number: 50,
        set: &sets::VEHICLES,
        title: "REMUS 100 with Prestero's coefficients: speed and static instability",
        source: "sqrt(X_prop/X_uu); [Prestero 2001]",
        run: prestero,
    },
    Case {
        number: 51,
        set: &sets::VEHICLES,
        title: "free decays of the Otter: period and logarithmic decrement",
        source: "MSS 736a3d1 in GNU Octave",
        run: decays,
    },
    Case {
        number: 52,
        set: &sets::VEHICLES,
        title: "Firefly: rotor speed in hover, maximum thrust",
        source: "RotorS [Furrer 2016]",
        run: firefly,
    },
    Case {
        number: 53,
        set: &sets::VEHICLES,
        title: "top speeds of WAM-V and Heron",
        source: "T = d u + q u² of VRX and Clearpath",
        run: top_speeds,
    },
];

// V46: 0.5 % of the speed in still water, 1 cm/s in the transverse directions.
fn current(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let v = remus::velocity_in_current(data)?;
    Ok(CaseResult::new(vec![
        Check::relative("speed through the water", "m/s", 2.5536, v.x, 0.005),
        Check::absolute("sideways", "m/s", 0.0, v.y, 0.01),
        Check::absolute("up", "m/s", 0.0, v.z, 0.01),
    ]))
}

// V47: accelerations of REMUS 100 and Otter.
fn vectors(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let mut checks = remus::acceleration_checks(data)?;
    checks.extend(otter::acceleration_checks(data)?);
    Ok(CaseResult::new(checks))
}

// V48: 1e-3 of the range of each column; 1e-5 for the Otter.
fn trajectories(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let (mss, python) = (remus::turn_mss(data)?, remus::turn_python(data)?);
    let dive = remus::dive_python(data)?;
    let turn = otter::compare_turn(data)?;
    let check = |what: &str, worst: (f64, &str), limit: f64| {
        Check::at_most(
            format!("{what}: largest error ({}) relative to its range", worst.1),
            "",
            limit,
            worst.0,
        )
    };
    let checks = vec![
        check("REMUS (MSS), 5 deg of rudder, 200 s", mss.worst, 1e-3),
        check("REMUS (Python), 5 deg of rudder, 200 s", python.worst, 1e-3),
        check("REMUS (Python), stern planes -5 deg", dive.worst, 1e-3),
        check("Otter (MSS), 100 and 80 rad/s, 60 s", turn.worst, 1e-5),
    ];
    Ok(CaseResult::new(checks).with_figure("remus_turn", remus::figure(&mss, &python)))
}

// V49: 0.5 %.
fn steady(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for (program, rpm, expected) in [
        ("python", 800, 1.3383),
        ("python", 1525, 2.5536),
        ("mss", 800, 1.3303),
        ("mss", 1525, 2.5396),
    ] {
        let run = remus::straight(data, program, rpm)?;
        let last = run.last().map_or(f64::NAN, |row| row[1][0]);
        checks.push(Check::relative(
            format!("REMUS ({program}), {rpm} rpm"),
            "m/s",
            expected,
            last,
            0.005,
        ));
    }
    for (program, turn, [radius, rate]) in [
        ("MSS", remus::turn_mss(data)?.turn, [26.56, 5.421]),
        ("Python", remus::turn_python(data)?.turn, [40.39, 3.609]),
    ] {
        checks.push(Check::relative(
            format!("REMUS ({program}), turning radius"),
            "m",
            radius,
            turn[0],
            0.005,
        ));
        checks.push(Check::relative(
            format!("REMUS ({program}), turn rate"),
            "deg/s",
            rate,
            turn[1],
            0.005,
        ));
    }
    let found = otter::steady_turn(data)?;
    for ((what, unit, expected), found) in [
        ("speed", "m/s", 2.2385),
        ("drift", "m/s", -0.2129),
        ("turn rate", "deg/s", 14.772),
    ]
    .into_iter()
    .zip(found)
    {
        checks.push(Check::relative(
            format!("Otter (MSS), {what}"),
            unit,
            expected,
            found,
            0.005,
        ));
    }
    Ok(CaseResult::new(checks))
}

// V50: steady speed without weight, buoyancy and torque, 1e-5; the moment at a small incidence,
// 1e-4, because of M_ww w|w|.
fn prestero(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let text = "
water: {density_kg_m3: 1030}
robots: {auv: {model: {extends: robots/remus100_prestero.yaml, sensors: null,
  body: {net_buoyancy_n: 0, center_of_mass_m: [0, 0, 0]},
  thrusters: {propeller: {motor: {torque_per_thrust_m: 0}}}}, position_m: [0, 0, -20]}}";
    let mut s = data.simulation(text)?;
    apply(
        &mut s,
        &ActuatorCommand::Thruster {
            thruster: 0,
            value: 3.86,
        }
        .of(0),
    )?;
    advance(&mut s, 120.0);
    let speed = s.state.robots[0].motion.V_WB_B.v.x;
    let scene = (data.world)(text)?;
    let mut motion = initial_motion(&scene)?;
    let (u, w) = (1.5, 1e-4);
    motion.V_WB_B.v = Vec3::new(u, 0.0, -w);
    let F = evaluate(&scene, &motion)?.links[0].F;
    // nose up is negative in forward-left-up
    let moment = -F.m.y / (u * w);
    Ok(CaseResult::new(vec![
        Check::relative(
            "speed at 3.86 N",
            "m/s",
            libm::sqrt(3.86 / 1.62),
            speed,
            1e-5,
        ),
        Check::relative("M_uw (destabilising)", "kg", 24.0, moment, 1e-4),
    ]))
}

/// Returns times [s] and values of the extrema of a decay relative to its end, by parabolic
/// interpolation.
fn extremes(x: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let end = x.last().map_or(f64::NAN, |p| p[1]);
    x.windows(3)
        .filter(|w| (w[1][1] - w[0][1]) * (w[2][1] - w[1][1]) < 0.0)
        .map(|w| {
            let [a, b, c] = [w[0][1], w[1][1], w[2][1]];
            let s = 0.5 * (a - c) / (a - 2.0 * b + c);
            [
                w[1][0] + s * (w[2][0] - w[1][0]),
                b - 0.25 * (a - c) * s - end,
            ]
        })
        .collect()
}

/// Returns the time between the first and the third extremum [s], and the logarithm of their ratio.
fn damping(x: &[[f64; 2]]) -> [f64; 2] {
    match extremes(x)[..] {
        [first, _, third, ..] => [third[0] - first[0], libm::log(first[1] / third[1])],
        _ => [f64::NAN; 2],
    }
}

// V51: 1 % of period and decrement, determined in the same way for both, and 1e-5 of the range of
// each column.
fn decays(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let (mut checks, mut panels) = (Vec::new(), Vec::new());
    for of in Decay::ALL {
        let (name, at, _) = of.parameters();
        let run = otter::compare_decay(data, of)?;
        let curve = |k: usize| {
            run.rows
                .iter()
                .map(|(t, x)| [*t, x[k][at]])
                .collect::<Vec<_>>()
        };
        let (merrow, reference) = (curve(0), curve(1));
        let ([period, decrement], expected) = (damping(&merrow), damping(&reference));
        checks.push(Check::relative(
            format!("period of {name}"),
            "s",
            expected[0],
            period,
            0.01,
        ));
        checks.push(Check::relative(
            format!("decrement of {name}"),
            "",
            expected[1],
            decrement,
            0.01,
        ));
        let (worst, column) = run.worst;
        let what = format!("{name}: largest error ({column}) relative to its range");
        checks.push(Check::at_most(what, "", 1e-5, worst));
        panels.push(decay_panel(name, reference, merrow));
    }
    if let Some(last) = panels.last_mut() {
        last.x_label = "time [s]".into();
    }
    let figure: Drawing = draw_figure("Otter: free decays (V51)", &panels, 820, 150);
    Ok(CaseResult::new(checks).with_figure("otter_decays", figure))
}

fn decay_panel(name: &str, reference: Vec<[f64; 2]>, merrow: Vec<[f64; 2]>) -> Panel {
    let first = |x: Vec<[f64; 2]>| x.into_iter().filter(|p| p[0] <= 6.0).collect();
    let line = |label: &str, colour, dashed, points| PlotCurve {
        label: label.into(),
        colour,
        dashed,
        points,
    };
    let unit = if name == "heave" { "m, down" } else { "rad" };
    Panel {
        y_label: format!("{name} [{unit}]"),
        x_label: String::new(),
        lines: vec![
            line("Merrow", COLOURS[0], false, first(merrow)),
            line("MSS", BLACK, true, first(reference)),
        ],
        logarithmic: false,
    }
}

// V52: the curves of the rotors, then all six rotors at that speed with the vehicle fixed near sea
// level. The digits of the reference; 1e-4 for the density at 10 m altitude.
fn firefly(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let text = "robots: {f: {model: {extends: robots/firefly.yaml, base: fixed, firmware: null}, position_m: [0, 0, 10]}}";
    let mut s = data.simulation(text)?;
    let robot = s.scene.robots[0].clone();
    let weight = robot.mass() * s.scene.gravity;
    let hover = robot.thrusters[0].command_from_thrust(weight / 6.0, 1025.0);
    let max_thrust: f64 = robot
        .thrusters
        .iter()
        .map(|t| t.thrust_limits(1025.0)[1])
        .sum();
    apply(
        &mut s,
        &ActuatorCommand::Thrusters {
            values: vec![hover; 6],
        }
        .of(0),
    )?;
    advance(&mut s, 1.0);
    let lift: f64 = s.state.robots[0].actuators.iter().map(|a| a.thrust).sum();
    let thinner = air::density(&s.scene.sea, 15.0, 10.0) / 1.225;
    Ok(CaseResult::new(vec![
        Check::relative("rotor speed in hover", "rad/s", 547.59, hover, 1e-5),
        Check::relative("maximum thrust", "N", 36.02, max_thrust, 1e-4),
        Check::relative(
            "maximum thrust / weight",
            "",
            2.342,
            max_thrust / weight,
            2e-4,
        ),
        Check::relative(
            "lift at hover rotor speed, 10 m altitude",
            "N",
            weight * thinner,
            lift,
            1e-4,
        ),
    ]))
}

// V53: full thrust until steady; 0.5 %, because of trim.
fn top_speeds(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for (model, command, speed) in [("wamv", 2353.5, 5.278), ("heron", 1.0, 2.741)] {
        let mut s = data.simulation(&format!(
            "
step: {{dt_s: 0.01}}
water: {{density_kg_m3: 1000}}
robots: {{usv: {{model: {{extends: robots/{model}.yaml, sensors: null, body: {{wind: null}}}}}}}}"
        ))?;
        for thruster in 0..2 {
            apply(
                &mut s,
                &ActuatorCommand::Thruster {
                    thruster,
                    value: command,
                }
                .of(0),
            )?;
        }
        advance(&mut s, 60.0);
        checks.push(Check::relative(
            model,
            "m/s",
            speed,
            s.state.robots[0].motion.V_WB_B.v.x,
            5e-3,
        ));
    }
    Ok(CaseResult::new(checks))
}
