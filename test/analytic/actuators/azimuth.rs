//! Tests thrusters that rotate about a shaft.

use crate::common::worlds::boat;
use crate::common::{close, close_vectors, initial_environment, scene, simulation, start};
use merrow_math::Vec3;
use merrow_model::state::{ActuatorCommand, Command, DeviceCommand, Health, Workspace};
use merrow_sim::step::Kernel;

const DIRECT: &str = "command: newton, range: [-50, 50], curve: direct, torque_per_thrust_m: 0.1";

fn mount(azimuth: &str) -> String {
    format!(
        "position_m: [-1, 0.5, 0], direction: [1, 0, 0], azimuth: {{range_deg: [-90, 90]{azimuth}}}"
    )
}

// Thrust, moment and reaction torque rotate with the azimuth angle. Method: the velocities that one
// step from rest gives a body of 10 kg with moments of inertia 2, 3 and 4. Tolerance: 1e-5, the
// rotation within the step.
#[test]
fn thrust_rotates_with_azimuth_angle() {
    for deg in [-90.0, -30.0, 0.0, 60.0] {
        let mut s = simulation(&boat(DIRECT, &mount(""), ""));
        let angle = f64::to_radians(deg);
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thrusters {
                values: vec![8.0, angle],
            },
        ))
        .unwrap();
        s.advance(1);
        let (V, dt) = (s.state.robots[0].motion.V_WB_B, s.scene.dt());
        let axis = Vec3::new(angle.cos(), angle.sin(), 0.0);
        close_vectors("velocity", V.v.scale(10.0 / dt), axis.scale(8.0), 1e-5);
        // A right-handed propeller exerts a negative reaction torque on the hull.
        let m = Vec3::new(-1.0, 0.5, 0.0).cross(axis).scale(8.0) - axis.scale(0.8);
        close_vectors(
            "rate",
            Vec3::new(2.0 * V.w.x, 3.0 * V.w.y, 4.0 * V.w.z).scale(1.0 / dt),
            m,
            1e-5,
        );
    }
}

// The inflow of a propeller in open water is taken along its rotated axis. Method: flow along and
// across the axis. Tolerance: rounding.
#[test]
fn inflow_follows_rotated_axis() {
    let motor = "command: rad_s, range: [-200, 200], curve: {kind: open_water, kt: [[0, 0.5], [1, 0.1]], kq: [[0, 0.0]]}";
    let s = scene(&boat(motor, &mount(""), ""));
    let robot = &s.robots[0];
    let force = |v: Vec3, angle: f64| {
        let mut motion = start(&s, 0);
        motion.V_WB_B.v = v;
        let mut work = Workspace::new(robot);
        work.drive[0] = [60.0; 3];
        work.fins[0].angle = [angle; 3];
        Kernel::new().evaluate(robot, &initial_environment(&s), &motion, &[], &mut work);
        work.links[0].F.f
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let ahead = force(Vec3::new(0.6, 0.0, 0.0), 0.0).x;
    let bollard = force(Vec3::zero(), 0.0).x;
    close(
        "along, turned",
        force(Vec3::new(0.0, 0.6, 0.0), quarter).y,
        ahead,
        1e-12,
    );
    close(
        "across, turned",
        force(Vec3::new(0.6, 0.0, 0.0), quarter).y,
        bollard,
        1e-12,
    );
    assert!(ahead < 0.9 * bollard);
}

// Rate, range and health follow the servo model. Method: 30 deg/s towards 200 deg, limited to 90
// deg. Tolerance: rounding.
#[test]
fn azimuth_servo_respects_rate_and_range() {
    let mut s = simulation(&boat(DIRECT, &mount(", rate_deg_s: 30"), ""));
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Fin { fin: 0, value: 3.5 },
    ))
    .unwrap();
    s.advance(500);
    close(
        "after a second",
        s.state.robots[0].fins[0].angle,
        30_f64.to_radians(),
        1e-12,
    );
    s.apply(&Command::Device(
        0,
        DeviceCommand::FinHealth {
            fin: 0,
            health: Health::Stuck,
        },
    ))
    .unwrap();
    s.advance(500);
    close(
        "stuck",
        s.state.robots[0].fins[0].angle,
        30_f64.to_radians(),
        1e-12,
    );
    s.apply(&Command::Device(
        0,
        DeviceCommand::FinHealth {
            fin: 0,
            health: Health::Healthy,
        },
    ))
    .unwrap();
    s.advance(2000);
    close(
        "at its end",
        s.state.robots[0].fins[0].angle,
        90_f64.to_radians(),
        1e-12,
    );
}
