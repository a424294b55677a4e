//! Parameters of a running world: water and waves, weather, pace, sensor noise, electrical loads,
//! health of thrusters and fins.

use crate::node::device_parameters::double;
use crate::node::{device_parameters, weather};
use crate::publisher::state::{DEFAULT_CLOCK_RATE, PublisherState};
use crate::simulation_interfaces::version::Version;
use crossbeam_channel::{Receiver, Sender, unbounded};
use merrow_environment::waves::sea_state;
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Sea};
use merrow_model::state::{Command, Health, State};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::node::parameter_event;
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue as Value;
use merrow_ros2::parameters::{Declaration, ParameterError, ParameterServer};
use merrow_sim::{InputMessage, Pace, Request, SceneVersion, Simulation};
use merrow_world::build::horizontal_velocity;
use merrow_world::build::waves::{changed_waves, flat_sea, initial_sea_state};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const SPEED: &str = "water.current.speed_m_s";
const DIRECTION: &str = "water.current.direction_deg";
const UP: &str = "water.current.up_m_s";
const DENSITY: &str = "water.density_kg_m3";
const SOUND: &str = "water.sound_speed_m_s";
const TEMPERATURE: &str = "water.temperature_c";
const AIR: &str = "water.air_pressure_pa";
const HEIGHT: &str = "water.waves.hs_m";
const PERIOD: &str = "water.waves.tp_s";
const WAVES_TO: &str = "water.waves.direction_deg";
/// Name of the parameter of the pace.
pub(crate) const PACE: &str = "pace";
/// Topic on which bags contain changed parameters.
pub(crate) const EVENTS: &str = "/parameter_events";
/// Name of a node without a namespace and a new name.
pub(crate) const NODE: &str = "/merrow";
const TRUTH_TF: &str = "publish_truth_tf";
const CLOCK_RATE: &str = "clock_rate_hz";
const INTERFACES_VERSION: &str = "simulation_interfaces_version";
const INTERFACES_PREFIX: &str = "simulation_interfaces_prefix";

/// Returns the name of the gain parameter of a flow.
fn flow_gain_name(flow: &str) -> String {
    format!("water.flows.{flow}.gain")
}

/// Range of the level parameter of a region about its initial level [m].
const LEVEL_RANGE: f64 = 20.0;

/// Returns the names of the level and wave-factor parameters of a region.
fn region_parameter_names(region: &str) -> [String; 2] {
    ["level_m", "wave_factor"].map(|key| format!("water.regions.{region}.{key}"))
}

/// Declares all parameters of a world, for the node and for `describe`.
pub fn declarations(scene: &Scene, pace: Pace) -> Vec<Declaration> {
    let mut all = current_declarations(&scene.sea);
    all.extend(water_declarations(&scene.sea));
    all.extend(wave_declarations(scene));
    all.extend(node_declarations(pace));
    all.extend(weather::declarations(&scene.sea));
    add_flow_declarations(&scene.sea, &mut all);
    add_region_declarations(&scene.sea, &mut all);
    for robot in &scene.robots {
        if robot.floating {
            all.push(Declaration::new(
                &format!("{}.{TRUTH_TF}", robot.name),
                Value::Bool(true),
                "Whether /tf contains the true pose of the robot; set false if an estimator publishes its own.",
            ));
        }
        add_sensor_and_load_declarations(robot, &mut all);
        add_health_declarations(robot, &mut all);
        device_parameters::add_declarations(robot, &mut all);
    }
    all
}

/// Declares speed [m/s] and direction [deg] of the uniform current.
fn current_declarations(sea: &Sea) -> Vec<Declaration> {
    let v = sea.current.profile[0].1;
    let speed = (v.x * v.x + v.y * v.y).sqrt();
    let heading = if speed > 0.0 {
        libm::atan2(v.x, v.y).to_degrees()
    } else {
        0.0
    };
    let replaces = "Setting any current parameter replaces a current profile by a uniform current.";
    vec![
        double(
            SPEED,
            speed,
            [0.0, 20.0],
            &format!("Speed of the current [m/s]. {replaces}"),
        ),
        double(
            DIRECTION,
            heading,
            [-360.0, 360.0],
            &format!(
                "Direction towards which the current flows, clockwise from north [deg]. {replaces}"
            ),
        ),
        double(
            UP,
            v.z,
            [-20.0, 20.0],
            &format!("Upward speed of the current [m/s]. {replaces}"),
        ),
    ]
}

/// Declares the properties of water and air at the surface.
fn water_declarations(sea: &Sea) -> Vec<Declaration> {
    let everywhere = "Setting it replaces a water column by uniform water.";
    vec![
        double(
            DENSITY,
            sea.density,
            [0.0, 2000.0],
            &format!("Density of the water at the surface [kg/m3]. {everywhere}"),
        ),
        double(
            SOUND,
            sea.sound_speed,
            [1000.0, 2000.0],
            &format!("Speed of sound at the surface [m/s]. {everywhere}"),
        ),
        double(
            TEMPERATURE,
            sea.temperature,
            [-5.0, 60.0],
            &format!("Temperature of the water at the surface [deg C]. {everywhere}"),
        ),
        double(
            AIR,
            sea.air_pressure,
            [1e4, 2e5],
            "Air pressure at the surface [Pa].",
        ),
    ]
}

/// Declares height [m], period [s] and direction [deg] of the waves.
fn wave_declarations(scene: &Scene) -> Vec<Declaration> {
    let waves = initial_sea_state(scene);
    let grows = format!(
        "A change blends from the current sea state to the new sea state over {} s.",
        waves.ramp
    );
    vec![
        double(
            HEIGHT,
            waves.hs,
            [
                0.0,
                sea_state::breaking_height(-scene.sea.seabed.z0)
                    .clamp(0.0, 30.0)
                    .max(waves.hs),
            ],
            &format!("Significant wave height [m]; the wave height of a regular wave. {grows}"),
        ),
        double(
            PERIOD,
            if waves.hs > 0.0 { waves.tp } else { 0.0 },
            [0.0, 100.0],
            &format!(
                "Peak period of the waves [s]; 0 selects the period of a fully developed sea of this height. {grows}"
            ),
        ),
        double(
            WAVES_TO,
            libm::atan2(waves.towards.x, waves.towards.y).to_degrees(),
            [-360.0, 360.0],
            &format!(
                "Direction towards which the waves travel, clockwise from north [deg]. {grows}"
            ),
        ),
    ]
}

/// Declares the parameters of the node itself.
fn node_declarations(pace: Pace) -> Vec<Declaration> {
    vec![
        Declaration::new(
            PACE,
            Value::String(pace.to_string()),
            "Pace of the simulation.",
        )
        .with_constraints("realtime, max, lockstep or a factor above 0")
        .with_number_as_text(),
        Declaration::new(
            TRUTH_TF,
            Value::Bool(true),
            "Whether /tf contains the true pose of every robot in the world; set false if an estimator publishes its own.",
        ),
        double(
            CLOCK_RATE,
            DEFAULT_CLOCK_RATE,
            [1.0, 1000.0],
            "Maximum rate of /clock in wall time [Hz], while the pace follows wall time. With other \
             paces and during a pause /clock follows every block of steps.",
        ),
        Declaration::new(
            INTERFACES_VERSION,
            Value::Integer(2),
            "Version of the services of simulation_interfaces: 1 for the packages of Humble and Jazzy, 2. Read at the start.",
        )
        .with_range(Range::integers(1, 2))
        .read_only(),
        Declaration::new(
            INTERFACES_PREFIX,
            Value::String(String::new()),
            "Text before the names of the services of simulation_interfaces, such as gzserver; \
             empty: the names are absolute. Read at the start.",
        )
        .read_only(),
    ]
}

/// Adds the gain of every flow.
fn add_flow_declarations(sea: &Sea, all: &mut Vec<Declaration>) {
    for flow in &sea.current.flows {
        all.push(double(
            &flow_gain_name(&flow.name),
            flow.gain,
            [0.0, 100.0],
            "Factor on the velocity of the flow [1].",
        ));
    }
}

/// Adds the level [m] and the wave factor of every region with water.
fn add_region_declarations(sea: &Sea, all: &mut Vec<Declaration>) {
    for region in sea.regions.iter().filter(|region| !region.is_dry()) {
        let [level, factor] = region_parameter_names(&region.name);
        if let Some(z) = region.level {
            let about = "Level of the region's surface above z = 0 [m]. A change acts immediately.";
            all.push(double(&level, z, [z - LEVEL_RANGE, z + LEVEL_RANGE], about));
        }
        all.push(double(
            &factor,
            region.waves,
            [0.0, 10.0],
            "Factor on the wave height in the region [1].",
        ));
    }
}

/// Adds the noise of every sensor and the level of every load of `robot`.
fn add_sensor_and_load_declarations(robot: &Robot, all: &mut Vec<Declaration>) {
    for sensor in &robot.sensors {
        let name = format!("{}.{}.noise", robot.name, sensor.name);
        all.push(Declaration::new(
            &name,
            Value::Bool(true),
            "Whether the sensor model adds its measurement errors.",
        ));
    }
    for load in &robot.loads {
        let text = format!(
            "Level of the load: 0 is off, 1 is its full {} W [1].",
            load.power
        );
        all.push(double(
            &device_parameters::load_level_name(&robot.name, &load.name),
            load.level,
            [0.0, 1.0],
            &text,
        ));
    }
}

/// Adds the health of every thruster and fin of `robot`.
fn add_health_declarations(robot: &Robot, all: &mut Vec<Declaration>) {
    for thruster in &robot.thrusters {
        let prefix = format!("{}.thrusters.{}", robot.name, thruster.name);
        all.push(health_declaration(&prefix, "Health of the thruster."));
        let text = "Available fraction of the drive of a healthy thruster [1].";
        all.push(double(
            &format!("{prefix}.efficiency"),
            1.0,
            [0.0, 1.0],
            text,
        ));
    }
    for fin in &robot.fins {
        let prefix = format!("{}.fins.{}", robot.name, fin.name);
        all.push(health_declaration(
            &prefix,
            "Health of the fin: stuck holds its angle, dead removes it.",
        ));
        if !fin.is_azimuth() {
            let text = "Effective fraction of the area of a healthy fin [1].";
            all.push(double(
                &format!("{prefix}.efficiency"),
                1.0,
                [0.0, 1.0],
                text,
            ));
        }
    }
}

/// Declares the state of health of the device `prefix`.
fn health_declaration(prefix: &str, text: &str) -> Declaration {
    Declaration::new(
        &format!("{prefix}.state"),
        Value::String("healthy".into()),
        text,
    )
    .with_constraints("healthy, stuck or dead")
}

/// Returns the values of the parameters in a state.
pub fn values(scene: &Scene, state: &State, pace: Pace) -> Vec<(String, Value)> {
    let mut now = Scene {
        sea: state.sea.clone(),
        ..scene.clone()
    };
    // the parameter states the time of day now
    now.sea.air.start_utc += state.time_ns as f64 / 1e9;
    let is_of_sea = |name: &str| name.starts_with("water.") || name.starts_with("weather.");
    let mut all: Vec<(String, Value)> = declarations(&now, pace)
        .into_iter()
        .filter(|declaration| is_of_sea(&declaration.name))
        .map(|declaration| (declaration.name, declaration.default))
        .collect();
    for (robot, own) in scene.robots.iter().zip(&state.robots) {
        device_parameters::add_values(robot, own, &mut all);
    }
    all
}

/// Declares all parameters, applies the user's overrides, and applies later changes to the world.
/// In a resumed run the other parameters have the values of the state.
///
/// # Errors
/// An override violates the type, the range or the meaning of its parameter.
pub fn start(
    server: &Arc<ParameterServer>,
    simulation: &Simulation,
    pace: Pace,
    sinks: ParameterSinks,
) -> Result<(), ParameterError> {
    let (scene, state) = (&simulation.scene, &simulation.state);
    let given = declare_new(server, scene, pace)?;
    if state.time_ns > 0 {
        show_values(server, &values(scene, state, pace), &given);
    }
    let live = LiveParameters {
        server: Arc::downgrade(server),
        scene: Arc::clone(scene),
        version: simulation.scene_version,
        sinks,
    };
    live.apply(&given).map_err(ParameterError::new)?;
    server.set_on_set(Box::new(move |batch| live.apply(batch)));
    Ok(())
}

/// Sets the parameters that the user has not given to the values of a state, without commands.
fn show_values(server: &ParameterServer, values: &[(String, Value)], given: &[(String, Value)]) {
    let is_given = |name: &str| given.iter().any(|(other, _)| other == name);
    let own = values.iter().filter(|(name, _)| !is_given(name));
    server.update_values(&own.cloned().collect::<Vec<_>>());
}

/// Checks the user's values of the parameters that a change to the scene `new` declares: of all
/// parameters of the scene if `at_start`, else of those that are not declared yet.
///
/// # Errors
/// An override violates the type, the range or the meaning of its parameter.
pub fn check_given(
    server: &Arc<ParameterServer>,
    new: &Arc<Scene>,
    at_start: bool,
    sinks: ParameterSinks,
) -> Result<(), ParameterError> {
    let mut given = Vec::new();
    for declaration in declarations(new, Pace::Max) {
        if at_start || server.get(&declaration.name).is_none() {
            let value = server.initial_value(&declaration)?;
            if value != declaration.default {
                given.push((declaration.name, value));
            }
        }
    }
    let live = LiveParameters {
        server: Arc::downgrade(server),
        scene: Arc::clone(new),
        version: SceneVersion::default(),
        sinks,
    };
    live.requests(&given).map(drop).map_err(ParameterError::new)
}

/// Declares the parameters of objects that the scene `new` adds, removes the parameters of objects
/// that it lacks, shows the `values` of a loaded world, and applies later changes to the world with
/// the scene `new`.
///
/// # Errors
/// An override violates the type, the range or the meaning of its parameter.
pub fn change_scene(
    server: &Arc<ParameterServer>,
    (old, new): (&Scene, &Arc<Scene>),
    version: SceneVersion,
    sinks: ParameterSinks,
    values: &[(String, Value)],
) -> Result<(), ParameterError> {
    let names = |scene: &Scene| {
        let all = declarations(scene, Pace::Max).into_iter();
        all.map(|declaration| declaration.name)
            .collect::<HashSet<_>>()
    };
    let removed: Vec<_> = names(old).difference(&names(new)).cloned().collect();
    server.undeclare(&removed);
    let live = LiveParameters {
        server: Arc::downgrade(server),
        scene: Arc::clone(new),
        version,
        sinks,
    };
    let given = declare_new(server, new, Pace::Max);
    let applied = given.and_then(|given| {
        show_values(server, values, &given);
        live.apply(&given).map_err(ParameterError::new)
    });
    server.set_on_set(Box::new(move |batch| live.apply(batch)));
    applied
}

/// Removes the parameters of a scene, and keeps the parameters of the node.
pub fn undeclare_scene(server: &ParameterServer, scene: &Scene) {
    let of_node = node_declarations(Pace::Max);
    let is_kept = |name: &String| of_node.iter().any(|declaration| declaration.name == *name);
    let all = declarations(scene, Pace::Max).into_iter().map(|d| d.name);
    server.undeclare(&all.filter(|name| !is_kept(name)).collect::<Vec<_>>());
}

/// Declares the parameters of a world that are not declared yet. Returns the parameters with a
/// value given by the user.
fn declare_new(
    server: &ParameterServer,
    scene: &Scene,
    pace: Pace,
) -> Result<Vec<(String, Value)>, ParameterError> {
    let mut given = Vec::new();
    for declaration in declarations(scene, pace) {
        let (name, default) = (declaration.name.clone(), declaration.default.clone());
        if server.get(&name).is_some() {
            continue;
        }
        let value = server.declare(declaration)?;
        if value != default {
            given.push((name, value));
        }
    }
    Ok(given)
}

/// Values of the parameters of a scene, for the commands of recorded changes.
pub struct RecordedParameters {
    server: Arc<ParameterServer>,
    commands: Receiver<Request>,
}

impl RecordedParameters {
    /// Declares the parameters of a scene with their initial values.
    ///
    /// # Errors
    /// One line: a parameter could not be declared.
    pub fn new(scene: &Arc<Scene>) -> Result<Self, String> {
        let why = |e: ParameterError| e.to_string();
        let server = Arc::new(ParameterServer::new(Vec::new()).map_err(why)?);
        declare_new(&server, scene, Pace::Max).map_err(why)?;
        let (requests, commands) = unbounded();
        let live = LiveParameters {
            server: Arc::downgrade(&server),
            scene: Arc::clone(scene),
            version: SceneVersion::default(),
            sinks: ParameterSinks::without_node(requests),
        };
        server.set_on_set(Box::new(move |batch| live.apply(batch)));
        Ok(Self { server, commands })
    }

    /// Returns the parameters with their values up to the last change.
    pub fn server(&self) -> &ParameterServer {
        &self.server
    }

    /// Sets changed parameters and returns their commands. Parameters of other nodes are ignored.
    ///
    /// # Errors
    /// One line: a value is not valid.
    pub fn set(&self, changed: Vec<(String, Value)>) -> Result<Vec<Command>, String> {
        let mut known = changed;
        known.retain(|(name, _)| self.server.get(name).is_some());
        if known.is_empty() {
            return Ok(Vec::new());
        }
        self.server.set_atomically(&known)?;
        let new = self.commands.try_iter();
        let commands = new.filter_map(|request| match request {
            Request::Input(_, commands, _) => Some(commands),
            _ => None,
        });
        Ok(commands.flatten().collect())
    }
}

/// Returns version 1 if the parameter has the value 1, otherwise version 2.
pub fn simulation_interfaces_version(server: &ParameterServer) -> Version {
    match server.get(INTERFACES_VERSION) {
        Some(Value::Integer(1)) => Version::One,
        _ => Version::Two,
    }
}

/// Returns the text before the names of the services of `simulation_interfaces`.
pub fn simulation_interfaces_prefix(server: &ParameterServer) -> String {
    match server.get(INTERFACES_PREFIX) {
        Some(Value::String(prefix)) => prefix,
        _ => String::new(),
    }
}

/// An actuator with a health parameter, by indices.
enum Actuator {
    Thruster { robot: usize, thruster: usize },
    Fin { robot: usize, fin: usize },
}

struct LiveParameters {
    server: std::sync::Weak<ParameterServer>,
    scene: Arc<Scene>,
    version: SceneVersion,
    sinks: ParameterSinks,
}

/// Where changes of parameters take effect.
#[derive(Clone)]
pub struct ParameterSinks {
    /// Requests to the run.
    pub requests: Sender<Request>,
    /// State of the publisher thread.
    pub shared: Arc<PublisherState>,
    /// Name of the node with the parameters, for bags.
    pub node: String,
}

impl ParameterSinks {
    /// Returns the sinks of parameters without a node.
    pub fn without_node(requests: Sender<Request>) -> Self {
        Self {
            requests,
            shared: Arc::default(),
            node: NODE.to_string(),
        }
    }
}

impl LiveParameters {
    /// Checks the whole batch, then applies it.
    fn apply(&self, batch: &[(String, Value)]) -> Result<(), String> {
        let (mut requests, commands) = self.requests(batch)?;
        if !commands.is_empty() {
            let message = InputMessage {
                topic: EVENTS.into(),
                bytes: to_bytes(&parameter_event(&self.sinks.node, batch)),
            };
            requests.push(Request::Input(self.version, commands, message));
        }
        for request in requests {
            self.sinks
                .requests
                .send(request)
                .map_err(|_| "the simulation has ended".to_string())?;
        }
        for (name, value) in batch {
            if let (CLOCK_RATE, Value::Double(rate)) = (name.as_str(), value) {
                self.sinks.shared.set_clock_rate(*rate);
            }
            let Value::Bool(on) = value else { continue };
            if name == TRUTH_TF {
                self.sinks.shared.truth_tf.store(*on, Ordering::Relaxed);
            } else if let Some(robot) = name.strip_suffix(TRUTH_TF) {
                self.sinks
                    .shared
                    .set_truth_tf(robot.trim_end_matches('.'), *on);
            }
        }
        Ok(())
    }

    /// Returns the requests and the commands of a batch.
    fn requests(&self, batch: &[(String, Value)]) -> Result<(Vec<Request>, Vec<Command>), String> {
        let (mut requests, mut commands) = (Vec::new(), Vec::new());
        if batch.iter().any(|(name, _)| name.starts_with("water.")) {
            commands.push(Command::Sea(Box::new(self.sea(batch)?)));
        }
        if let Some(change) =
            weather::change_from_parameters(batch, |name| match self.value(name, batch) {
                Some(Value::Double(x)) => Some(x),
                _ => None,
            })
        {
            commands.push(Command::Weather(Box::new(change)));
        }
        for (name, value) in batch {
            match (name.as_str(), value) {
                (PACE, Value::String(text)) => {
                    let pace = Pace::parse(text).map_err(|e| format!("parameter '{PACE}': {e}"))?;
                    requests.push(Request::Pace(pace));
                }
                (_, Value::Bool(on)) => commands.extend(self.noise(name, *on)),
                (_, Value::Double(level)) if name.ends_with(".level") => {
                    commands.extend(self.load(name, *level));
                }
                (_, Value::Double(value)) if name.contains(".controller.") => {
                    commands.extend(device_parameters::command(&self.scene, name, *value));
                }
                (_, Value::String(_) | Value::Double(_)) => {
                    commands.extend(self.health(name, batch)?)
                }
                _ => {}
            }
        }
        Ok((requests, commands))
    }

    /// Returns the water state for the batch and the other parameters.
    fn sea(&self, batch: &[(String, Value)]) -> Result<Sea, String> {
        let number = |name: &str, otherwise: f64| match self.value(name, batch) {
            Some(Value::Double(x)) => x,
            _ => otherwise,
        };
        let mut sea = self.scene.sea.clone();
        sea.density = number(DENSITY, sea.density);
        sea.sound_speed = number(SOUND, sea.sound_speed);
        sea.temperature = number(TEMPERATURE, sea.temperature);
        sea.air_pressure = number(AIR, sea.air_pressure);
        let all = declarations(&self.scene, Pace::Max);
        let changed = |is_selected: &dyn Fn(&str) -> bool| {
            all.iter().any(|d| {
                is_selected(&d.name) && self.value(&d.name, batch).is_some_and(|v| v != d.default)
            })
        };
        if changed(&|name| [DENSITY, SOUND, TEMPERATURE].contains(&name)) {
            sea.column = None;
        }
        if changed(&|name| name.starts_with("water.current.")) {
            let mut v: Vec3 = horizontal_velocity(number(SPEED, 0.0), number(DIRECTION, 0.0));
            v.z = number(UP, 0.0);
            sea.current.profile = vec![(0.0, v)];
        }
        for flow in &mut sea.current.flows {
            flow.gain = number(&flow_gain_name(&flow.name), flow.gain);
        }
        for region in sea.regions.iter_mut().filter(|region| !region.is_dry()) {
            let [level, factor] = region_parameter_names(&region.name);
            region.level = region.level.map(|z| number(&level, z));
            region.waves = number(&factor, region.waves);
        }
        let default = |name: &str| match all.iter().find(|d| d.name == name).map(|d| &d.default) {
            Some(Value::Double(x)) => *x,
            _ => 0.0,
        };
        let now = [HEIGHT, PERIOD, WAVES_TO].map(|name| number(name, default(name)));
        if now != [HEIGHT, PERIOD, WAVES_TO].map(default) {
            sea.waves = changed_waves(&self.scene, now)
                .map_err(|why| format!("parameters '{HEIGHT}' and '{PERIOD}': {why}"))?;
        } else if self.scene.sea.waves.latest().is_none() {
            // flat water as a separate sea state, into which earlier requested waves fade
            sea.waves = flat_sea(&self.scene);
        }
        Ok(sea)
    }

    fn noise(&self, name: &str, on: bool) -> Option<Command> {
        let (robot_name, rest) = name.split_once('.')?;
        let sensor_name = rest.strip_suffix(".noise")?;
        let robot = self
            .scene
            .robots
            .iter()
            .position(|r| r.name == robot_name)?;
        let sensor = self.scene.robots[robot]
            .sensors
            .iter()
            .position(|s| s.name == sensor_name)?;
        Some(Command::Noise { robot, sensor, on })
    }

    fn load(&self, name: &str, level: f64) -> Option<Command> {
        let found = self
            .scene
            .robots
            .iter()
            .enumerate()
            .find_map(|(robot, model)| {
                let of = |load: &merrow_model::scene::Load| {
                    device_parameters::load_level_name(&model.name, &load.name) == name
                };
                Some((robot, model.loads.iter().position(of)?))
            });
        found.map(|(robot, load)| Command::Load { robot, load, level })
    }

    fn health(&self, name: &str, batch: &[(String, Value)]) -> Result<Option<Command>, String> {
        let Some((prefix, _)) = name.rsplit_once('.') else {
            return Ok(None);
        };
        let Some(actuator) = self.actuator(prefix) else {
            return Ok(None);
        };
        let state = self.value(&format!("{prefix}.state"), batch);
        let efficiency = match self.value(&format!("{prefix}.efficiency"), batch) {
            Some(Value::Double(x)) => x,
            _ => 1.0,
        };
        let health = match &state {
            Some(Value::String(s)) if s == "dead" => Health::Dead,
            Some(Value::String(s)) if s == "stuck" => Health::Stuck,
            Some(Value::String(s)) if s != "healthy" => {
                return Err(format!(
                    "parameter '{prefix}.state': expected healthy, stuck or dead, found {s:?}"
                ));
            }
            _ if efficiency < 1.0 => Health::Reduced(efficiency),
            _ => Health::Healthy,
        };
        Ok(Some(match actuator {
            Actuator::Thruster { robot, thruster } => Command::Health {
                robot,
                thruster,
                health,
            },
            Actuator::Fin { robot, fin } => Command::FinHealth { robot, fin, health },
        }))
    }

    /// Finds the actuator whose parameters begin with `prefix`.
    fn actuator(&self, prefix: &str) -> Option<Actuator> {
        let mut parts = prefix.splitn(3, '.');
        let (robot_name, kind, name) = (parts.next()?, parts.next()?, parts.next()?);
        let robot = self
            .scene
            .robots
            .iter()
            .position(|r| r.name == robot_name)?;
        let model = &self.scene.robots[robot];
        match kind {
            "thrusters" => {
                let thruster = model.thrusters.iter().position(|t| t.name == name)?;
                Some(Actuator::Thruster { robot, thruster })
            }
            "fins" => {
                let fin = model.fins.iter().position(|f| f.name == name)?;
                Some(Actuator::Fin { robot, fin })
            }
            _ => None,
        }
    }

    /// Returns the value that `name` has after the batch.
    fn value(&self, name: &str, batch: &[(String, Value)]) -> Option<Value> {
        let new = batch
            .iter()
            .rev()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.clone());
        new.or_else(|| self.server.upgrade()?.get(name))
    }
}
