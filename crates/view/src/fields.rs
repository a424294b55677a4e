//! Numeric fields of one robot: their names and units, and their values at an instant.

use merrow_model::scene::{Robot, Scene};
use merrow_sim::Simulation;
use serde_json::{Value, json};

/// Field with its name, its unit and its value.
type Visit<'a> = dyn FnMut(&dyn Fn() -> String, &str, f64) + 'a;

/// Returns the names and units of the fields of a robot, in the order of [`values`].
pub fn names(scene: &Scene, robot: usize) -> Vec<(String, String)> {
    let state = merrow_model::state::RobotState::from_scene(scene, robot);
    let mut names = Vec::new();
    visit(&scene.robots[robot], &state, &mut |name, unit, _| {
        names.push((name(), unit.to_string()));
    });
    names
}

/// Returns the fields as JSON.
pub(crate) fn names_json(scene: &Scene, robot: usize) -> Value {
    let one = |(name, unit): (String, String)| json!({"name": name, "unit": unit});
    names(scene, robot).into_iter().map(one).collect()
}

/// Returns the values of the fields of a robot, in the units of [`names`].
pub fn values(simulation: &Simulation, robot: usize) -> Vec<f64> {
    let mut values = Vec::new();
    let state = &simulation.state.robots[robot];
    visit(&simulation.scene.robots[robot], state, &mut |_, _, x| {
        values.push(x);
    });
    values
}

fn visit(robot: &Robot, state: &merrow_model::state::RobotState, visit: &mut Visit<'_>) {
    let motion = &state.motion;
    let p = motion.p_WB;
    let rpy = motion.q_WB.matrix().to_rpy().map(f64::to_degrees);
    let (v, w) = (motion.V_WB_B.v, motion.V_WB_B.w);
    let mut fixed = |name: &str, unit: &str, x: f64| visit(&|| name.to_string(), unit, x);
    fixed("position.x", "m", p.x);
    fixed("position.y", "m", p.y);
    fixed("position.z", "m", p.z);
    fixed("roll", "deg", rpy[0]);
    fixed("pitch", "deg", rpy[1]);
    fixed("yaw", "deg", rpy[2]);
    fixed("heading", "deg", (90.0 - rpy[2]).rem_euclid(360.0));
    fixed("velocity.x", "m/s", v.x);
    fixed("velocity.y", "m/s", v.y);
    fixed("velocity.z", "m/s", v.z);
    fixed("speed", "m/s", v.norm());
    fixed("angular_velocity.x", "deg/s", w.x.to_degrees());
    fixed("angular_velocity.y", "deg/s", w.y.to_degrees());
    fixed("angular_velocity.z", "deg/s", w.z.to_degrees());
    if robot.battery.is_some() {
        let battery = &state.battery;
        fixed("battery.charge", "%", 100.0 * battery.charge);
        fixed("battery.voltage", "V", battery.voltage);
        fixed("battery.current", "A", battery.current);
    }
    let voltage = state.battery.voltage;
    for (thruster, state) in robot.thrusters.iter().zip(&state.actuators) {
        let name = &thruster.name;
        let unit = thruster.motor.command.symbol();
        visit(&|| format!("thruster.{name}.command"), unit, state.command);
        visit(&|| format!("thruster.{name}.thrust"), "N", state.thrust);
        if robot.battery.is_some() {
            let current = state.power / voltage;
            visit(&|| format!("thruster.{name}.current"), "A", current);
            visit(&|| format!("thruster.{name}.heating"), "K", state.heat);
        }
    }
    for (fin, state) in robot.fins.iter().zip(&state.fins) {
        let angle = state.angle.to_degrees();
        visit(&|| format!("fin.{}.angle", fin.name), "deg", angle);
    }
    for (link, q) in robot.links[1..].iter().zip(&motion.q) {
        let name = &link.joint.name;
        match link.joint.kind {
            merrow_model::scene::JointKind::Prismatic => {
                visit(&|| format!("joint.{name}.position"), "m", *q);
            }
            _ => visit(&|| format!("joint.{name}.position"), "deg", q.to_degrees()),
        }
    }
    for (k, engine) in state.buoyancy_engines.iter().enumerate() {
        let name = &robot.buoyancy_engines[k].name;
        let volume = engine.volume * 1e6;
        visit(&|| format!("buoyancy_engine.{name}.volume"), "cm3", volume);
    }
}
