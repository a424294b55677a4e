//! The parameters of a running world on the parameter server: declared with the values that the
//! user gives, and applied to the world when they change.

use super::world_parameter::{Actuator, Effect, WorldParameter};
use super::{list, node, sea, weather};
use crate::publisher::state::PublisherState;
use crossbeam_channel::{Receiver, Sender, unbounded};
use merrow_model::scene::Scene;
use merrow_model::state::{Command, DeviceCommand, Health};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::node::parameter_event;
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue as Value;
use merrow_sim::{InputMessage, Pace, Request, SceneVersion, Simulation};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Topic on which bags contain changed parameters.
pub(crate) const EVENTS: &str = "/parameter_events";
/// Name of a node without a namespace and a new name.
pub(crate) const NODE: &str = "/merrow";

/// Declares all parameters, applies the user's overrides, and applies later changes to the world.
/// In a resumed run the other parameters have the values of the state.
///
/// # Errors
/// An override violates the type, the range or the meaning of its parameter.
pub(crate) fn start(
    server: &Arc<ParameterServer>,
    simulation: &Simulation,
    pace: Pace,
    sinks: ParameterSinks,
) -> Result<(), String> {
    let (scene, state) = (&simulation.scene, &simulation.state);
    let given = declare_new(server, scene, pace)?;
    if state.time_ns > 0 {
        show_values(server, &list::values(scene, state, pace), &given);
    }
    let live = LiveParameters::new(server, scene, simulation.scene_version, sinks);
    live.apply(&given)?;
    server.set_on_set(Box::new(move |batch| live.apply(batch)));
    Ok(())
}

/// Sets the parameters that the user has not given to the values of a state, without commands.
fn show_values(server: &ParameterServer, values: &[(String, Value)], given: &[(String, Value)]) {
    let is_given = |name: &str| given.iter().any(|(other, _)| other == name);
    let own = values.iter().filter(|(name, _)| !is_given(name));
    server.update_values(&own.cloned().collect::<Vec<_>>());
}

/// Declares the parameters of objects that the scene `new` adds, removes the parameters of objects
/// that it lacks, shows the `values` of a loaded world, and applies later changes to the world with
/// the scene `new`.
///
/// # Errors
/// An override violates the type, the range or the meaning of its parameter.
pub(crate) fn change_scene(
    server: &Arc<ParameterServer>,
    (old, new): (&Scene, &Arc<Scene>),
    version: SceneVersion,
    sinks: ParameterSinks,
    values: &[(String, Value)],
) -> Result<(), String> {
    let names = |scene: &Scene| {
        let all = list::declarations(scene, Pace::Max).into_iter();
        all.map(|declaration| declaration.name)
            .collect::<HashSet<_>>()
    };
    let removed: Vec<_> = names(old).difference(&names(new)).cloned().collect();
    server.undeclare(&removed);
    let live = LiveParameters::new(server, new, version, sinks);
    let given = declare_new(server, new, Pace::Max);
    let applied = given.and_then(|given| {
        show_values(server, values, &given);
        live.apply(&given)
    });
    server.set_on_set(Box::new(move |batch| live.apply(batch)));
    applied
}

/// Checks that [`change_scene`] would succeed; with `at_start`, after [`undeclare_scene`] of the
/// old scene.
///
/// # Errors
/// An override violates the type, the range or the meaning of its parameter.
pub(crate) fn check_change(
    server: &ParameterServer,
    (old, new): (&Scene, &Arc<Scene>),
    at_start: bool,
    values: &[(String, Value)],
) -> Result<(), String> {
    let copy = Arc::new(server.copy());
    if at_start {
        undeclare_scene(&copy, old);
    }
    let (requests, _unused) = unbounded();
    let sinks = ParameterSinks::without_node(requests);
    change_scene(&copy, (old, new), SceneVersion::default(), sinks, values)
}

/// Removes the parameters of a scene, and keeps the parameters of the node.
pub(crate) fn undeclare_scene(server: &ParameterServer, scene: &Scene) {
    let of_node = node::parameters(Pace::Max);
    let is_kept = |name: &String| of_node.iter().any(|own| own.declaration.name == *name);
    let all = list::declarations(scene, Pace::Max).into_iter();
    let names = all.map(|declaration| declaration.name);
    server.undeclare(&names.filter(|name| !is_kept(name)).collect::<Vec<_>>());
}

/// Declares the parameters of a world that are not declared yet. Returns the parameters with a
/// value given by the user.
fn declare_new(
    server: &ParameterServer,
    scene: &Scene,
    pace: Pace,
) -> Result<Vec<(String, Value)>, String> {
    let mut given = Vec::new();
    for declaration in list::declarations(scene, pace) {
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
pub(crate) struct RecordedParameters {
    server: Arc<ParameterServer>,
    commands: Receiver<Request>,
}

impl RecordedParameters {
    /// Declares the parameters of a scene with their initial values.
    ///
    /// # Errors
    /// One line: a parameter could not be declared.
    pub(crate) fn new(scene: &Arc<Scene>) -> Result<Self, String> {
        let server = Arc::new(ParameterServer::new(Vec::new())?);
        declare_new(&server, scene, Pace::Max)?;
        let (requests, commands) = unbounded();
        let sinks = ParameterSinks::without_node(requests);
        let live = LiveParameters::new(&server, scene, SceneVersion::default(), sinks);
        server.set_on_set(Box::new(move |batch| live.apply(batch)));
        Ok(Self { server, commands })
    }

    /// Returns the parameters with their values up to the last change.
    pub(crate) fn server(&self) -> &ParameterServer {
        &self.server
    }

    /// Sets changed parameters and returns their commands. Parameters of other nodes are ignored.
    ///
    /// # Errors
    /// One line: a value is not valid.
    pub(crate) fn set(&self, changed: Vec<(String, Value)>) -> Result<Vec<Command>, String> {
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

struct LiveParameters {
    server: std::sync::Weak<ParameterServer>,
    scene: Arc<Scene>,
    /// The parameters of the scene, by name.
    parameters: HashMap<String, WorldParameter>,
    version: SceneVersion,
    sinks: ParameterSinks,
}

/// Where changes of parameters take effect.
#[derive(Clone)]
pub(crate) struct ParameterSinks {
    /// Requests to the run.
    pub(crate) requests: Sender<Request>,
    /// State of the publisher thread.
    pub(crate) shared: Arc<PublisherState>,
    /// Name of the node with the parameters, for bags.
    pub(crate) node: String,
}

impl ParameterSinks {
    /// Returns the sinks of parameters without a node.
    pub(crate) fn without_node(requests: Sender<Request>) -> Self {
        Self {
            requests,
            shared: Arc::default(),
            node: NODE.to_string(),
        }
    }
}

impl LiveParameters {
    fn new(
        server: &Arc<ParameterServer>,
        scene: &Arc<Scene>,
        version: SceneVersion,
        sinks: ParameterSinks,
    ) -> Self {
        let all = list::world_parameters(scene, Pace::Max).into_iter();
        let by_name = |parameter: WorldParameter| (parameter.declaration.name.clone(), parameter);
        Self {
            server: Arc::downgrade(server),
            scene: Arc::clone(scene),
            parameters: all.map(by_name).collect(),
            version,
            sinks,
        }
    }

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
        for (effect, value) in self.effects(batch) {
            if let Effect::Publisher(set) = effect {
                set(&self.sinks.shared, value);
            }
        }
        Ok(())
    }

    /// Returns the effects and values of the parameters of this world in a batch, which can contain
    /// others, such as `use_sim_time`.
    fn effects<'a>(
        &'a self,
        batch: &'a [(String, Value)],
    ) -> impl Iterator<Item = (&'a Effect, &'a Value)> {
        let known = |name: &String| self.parameters.get(name);
        batch
            .iter()
            .filter_map(move |(name, value)| Some((&known(name)?.effect, value)))
    }

    /// Returns the requests and the commands of a batch. The server has checked the types.
    fn requests(&self, batch: &[(String, Value)]) -> Result<(Vec<Request>, Vec<Command>), String> {
        let (mut requests, mut commands) = (Vec::new(), Vec::new());
        let has = |is_wanted: fn(&Effect) -> bool| {
            let mut effects = self.effects(batch);
            effects.any(|(effect, _)| is_wanted(effect))
        };
        let number = |name: &str| match self.value(name, batch) {
            Some(Value::Double(x)) => Some(x),
            _ => None,
        };
        if has(|effect| matches!(effect, Effect::Sea)) {
            let sea = sea::requested(&self.scene, |name| self.initial(name), number)?;
            commands.push(Command::Sea(Box::new(sea)));
        }
        if has(|effect| matches!(effect, Effect::Weather)) {
            let change = weather::change_from_parameters(batch, number);
            commands.push(Command::Weather(Box::new(change)));
        }
        for (effect, value) in self.effects(batch) {
            match effect {
                Effect::Pace => {
                    let Value::String(text) = value else { continue };
                    let pace = Pace::parse(text)
                        .map_err(|e| format!("parameter '{}': {e}", node::PACE))?;
                    requests.push(Request::Pace(pace));
                }
                Effect::Device(command) => {
                    commands.push(command(value).ok_or_else(|| {
                        format!("expected a value of another type, found {value}")
                    })?)
                }
                Effect::Health {
                    robot,
                    actuator,
                    prefix,
                } => {
                    let health = self.health(prefix, batch)?;
                    let command = match *actuator {
                        Actuator::Thruster(thruster) => DeviceCommand::Health { thruster, health },
                        Actuator::Fin(fin) => DeviceCommand::FinHealth { fin, health },
                    };
                    commands.push(command.of(*robot));
                }
                // the sea and the weather follow from all of their parameters; the others have no
                // effect on the simulation
                Effect::Sea | Effect::Weather | Effect::AtStart | Effect::Publisher(_) => {}
            }
        }
        Ok((requests, commands))
    }

    /// Returns the health of the actuator whose parameters begin with `prefix`.
    fn health(&self, prefix: &str, batch: &[(String, Value)]) -> Result<Health, String> {
        let efficiency = match self.value(&format!("{prefix}.efficiency"), batch) {
            Some(Value::Double(x)) => x,
            _ => 1.0,
        };
        let name = format!("{prefix}.state");
        match self.value(&name, batch) {
            Some(Value::String(s)) if s == "dead" => Ok(Health::Dead),
            Some(Value::String(s)) if s == "stuck" => Ok(Health::Stuck),
            Some(Value::String(s)) if s != "healthy" => Err(format!(
                "parameter '{name}': expected healthy, stuck or dead, found {s:?}"
            )),
            _ if efficiency < 1.0 => Ok(Health::Reduced(efficiency)),
            _ => Ok(Health::Healthy),
        }
    }

    /// Returns the number that the parameter `name` has in the world file.
    fn initial(&self, name: &str) -> Option<f64> {
        match self.parameters.get(name)?.declaration.default {
            Value::Double(x) => Some(x),
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
