//! The ROS objects of a node that receive: subscriptions, services, actions and parameters. They
//! follow the changes of the scene.

use crate::arm;
use crate::arm::{GoalObserver, RunningAction};
use crate::input::mailbox::{Mailbox, RunLink, subscribe};
use crate::input::services;
use crate::modem::calls::BridgedCalls;
use crate::node::checkpoint::WriterThread;
use crate::node::parameters::live::{self, ParameterSinks};
use crate::publisher::GoalObservers;
use crate::publisher::state::PublisherState;
use crate::topics::{ActionPlan, Plan};
use merrow_model::scene::Scene;
use merrow_ros2::node::{Node, ParameterServices, Publisher, Service, Subscription};
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_sim::{Pace, SceneVersion, Simulation};
use parking_lot::Mutex;
use std::sync::Arc;

/// Objects of a node that receive. Fields are dropped in this order, the node last.
pub struct Interface {
    objects: Mutex<Objects>,
    _parameter_services: ParameterServices,
    /// What the objects use.
    pub parts: InterfaceParts,
}

/// Objects for one version of the scene.
#[derive(Default)]
struct Objects {
    actions: Vec<Action>,
    _subscriptions: Vec<Subscription>,
    _services: Vec<Service>,
}

/// An action server with the observer of its goals. It is kept while its robot exists, because its
/// goals are executing.
struct Action {
    name: String,
    _server: RunningAction,
    observer: Arc<dyn GoalObserver>,
}

/// Node with its connections to the run. Fields are dropped in this order, the node last.
pub struct InterfaceParts {
    /// Thread that writes files.
    pub(crate) _writer: WriterThread,
    /// Parameters of the node.
    pub parameters: Arc<ParameterServer>,
    /// Connection to the run.
    pub run: RunLink,
    /// State shared with the publisher thread.
    pub shared: Arc<PublisherState>,
    /// Observers of the goals.
    pub goals: GoalObservers,
    /// Calls of services over bridges.
    pub calls: Arc<BridgedCalls>,
    /// Node of the run.
    pub node: Arc<Node>,
}

impl InterfaceParts {
    /// Returns where changes of the parameters take effect.
    fn sinks(&self) -> ParameterSinks {
        ParameterSinks {
            requests: self.run.requests.clone(),
            shared: Arc::clone(&self.shared),
            node: self.node.names().full_node_name(),
        }
    }
}

impl Interface {
    /// Creates all objects for the scene of `simulation`. The parameters of the world are added to
    /// those of the node.
    ///
    /// # Errors
    /// One line that names the object that could not be created.
    pub(crate) fn new(
        simulation: &Simulation,
        plan: &Plan,
        pace: Pace,
        parts: InterfaceParts,
    ) -> Result<Arc<Self>, String> {
        let InterfaceParts {
            parameters, node, ..
        } = &parts;
        live::start(parameters, simulation, pace, parts.sinks()).map_err(|e| e.to_string())?;
        for warning in parameters.unused_overrides() {
            node.logger().warn(warning);
        }
        let services = ParameterServices::start(node, parameters).map_err(|e| e.to_string())?;
        let interface = Self {
            objects: Mutex::default(),
            _parameter_services: services,
            parts,
        };
        interface.connect(&simulation.scene, simulation.scene_version, plan)?;
        Ok(Arc::new(interface))
    }

    /// Creates one publisher per output of a plan. A topic that is already published keeps its
    /// publisher.
    ///
    /// # Errors
    /// One line that names the topic.
    pub(crate) fn publishers(node: &Node, plan: &Plan) -> Result<Arc<[Publisher]>, String> {
        let create = |output: &crate::topics::Output| {
            node.publisher(&output.topic, output.info, &output.qos)
                .map_err(|e| e.to_string())
        };
        let publishers: Result<Vec<_>, _> = plan.outputs.iter().map(create).collect();
        Ok(publishers?.into())
    }

    /// Connects the objects to the scene `new`: creates the objects of added robots, removes the
    /// objects of removed robots.
    ///
    /// # Errors
    /// One line that names the object that could not be created, or the parameter whose override is
    /// not valid.
    pub(crate) fn change_scene(
        &self,
        old: &Scene,
        new: &Arc<Scene>,
        version: SceneVersion,
        plan: &Plan,
        values: &[(String, ParameterValue)],
    ) -> Result<(), String> {
        self.parts.run.rejections.retain(new);
        let sinks = self.parts.sinks();
        live::change_scene(&self.parts.parameters, (old, new), version, sinks, values)
            .map_err(|e| e.to_string())?;
        self.connect(new, version, plan)
    }

    /// Creates the objects of a version of the scene, which replace the former objects.
    fn connect(
        &self,
        scene: &Arc<Scene>,
        version: SceneVersion,
        plan: &Plan,
    ) -> Result<(), String> {
        let InterfaceParts {
            node,
            parameters,
            calls,
            ..
        } = &self.parts;
        let mailbox = Mailbox {
            scene: Arc::clone(scene),
            version,
            run: self.parts.run.clone(),
        };
        let text = |e: merrow_ros2::node::NodeError| e.to_string();
        let subscriptions = subscribe(node, &plan.inputs, &mailbox).map_err(text)?;
        // the node's thread serves messages in the order of their arrival, so that a command sent
        // before a step request acts in that step
        let services = services::start(node, &mailbox, parameters, calls).map_err(text)?;
        let mut objects = self.objects.lock();
        let former = std::mem::take(&mut objects.actions);
        let actions = self
            .connect_actions(former, &plan.actions, &mailbox)
            .map_err(text)?;
        *objects = Objects {
            actions,
            _subscriptions: subscriptions,
            _services: services,
        };
        Ok(())
    }

    /// Connects the actions of a plan to the scene of the mailbox. Actions that exist are kept with
    /// their goals.
    fn connect_actions(
        &self,
        mut former: Vec<Action>,
        plan: &[ActionPlan],
        mailbox: &Mailbox,
    ) -> Result<Vec<Action>, merrow_ros2::node::NodeError> {
        let mut actions = Vec::with_capacity(plan.len());
        for planned in plan {
            match former.iter().position(|action| action.name == planned.name) {
                Some(k) => {
                    let kept = former.swap_remove(k);
                    kept.observer.bind(planned.group_index, mailbox);
                    actions.push(kept);
                }
                None => {
                    let (server, observer) = arm::serve(&self.parts.node, planned, mailbox)?;
                    actions.push(Action {
                        name: planned.name.clone(),
                        _server: server,
                        observer,
                    });
                }
            }
        }
        let observers = actions.iter().map(|action| Arc::clone(&action.observer));
        *self.parts.goals.lock() = observers.collect();
        Ok(actions)
    }
}
