//! Changes of the world while it runs: robots are added, removed and placed elsewhere.
//!
//! The editor keeps the world file with its changes. It builds the changed world on its own thread,
//! as a whole, and passes it to the run, which continues with it at the next step. The topics of
//! the new world are created before, its subscriptions and services right after that step. If the
//! changed world is invalid, the running world is unchanged.

use crate::node::bridge::{NextOutputs, WorldOutputs};
use crate::node::file_access::FileAccess;
use crate::node::interface::Interface;
use crate::node::parameters::list;
use crate::node::parameters::live::{self, ParameterSinks};
use crate::node::world_check;
use crate::publisher::connect_bridges;
use crate::topics::Plan;
use crossbeam_channel::{Receiver, Sender, bounded};
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::RobotState;
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_sim::{Access, Pace, Reply, Request, SceneVersion, Simulation};
use merrow_world::document::{Document, ObjectInfo};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Connections of the editor to the running world.
pub struct EditorParts {
    /// World file of the run.
    pub document: Document,
    /// Scene of the run.
    pub scene: Arc<Scene>,
    /// Maximum number of threads that step the robots; 0: one per core.
    pub threads: usize,
    /// Requests to the running world.
    pub requests: Sender<Request>,
    /// Objects that follow the changes of the scene.
    pub followers: Followers,
    /// Place for the topics of the next scene.
    pub next_outputs: NextOutputs,
    /// Files that requests may write and read.
    pub files: FileAccess,
}

/// Objects that follow the changes of the scene.
pub enum Followers {
    /// Objects of the node that receive.
    Node(Arc<Interface>),
    /// Parameters of a run without a node.
    Parameters(Arc<ParameterServer>),
}

/// Objects of the current world.
pub type Directory = Arc<Mutex<Vec<ObjectInfo>>>;

/// Maximum number of edits that wait. An edit can take a second, so that more would hold the editor
/// for minutes.
const MAX_WAITING: usize = 64;

/// Change of the world, called on the thread of the editor.
type Edit = Box<dyn FnOnce(&mut WorldEditor) + Send>;

/// Handle of the thread of an editor. Dropping it ends the thread.
pub struct EditorThread {
    sender: EditSender,
    /// Whether the thread drops the edits that wait.
    is_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Sender of changes to the thread of an editor.
#[derive(Clone)]
pub struct EditSender {
    edits: Sender<Edit>,
    directory: Directory,
}

/// Editor of the world of a run.
pub struct WorldEditor {
    parts: EditorParts,
    version: SceneVersion,
    directory: Directory,
}

impl EditorThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot start the thread.
    pub fn start(parts: EditorParts) -> Result<Self, String> {
        let (edits, inbox): (Sender<Edit>, Receiver<Edit>) = bounded(MAX_WAITING);
        let directory: Directory = Arc::new(Mutex::new(parts.document.objects()));
        let mut editor = WorldEditor {
            parts,
            version: SceneVersion::default(),
            directory: Arc::clone(&directory),
        };
        let is_ended: Arc<AtomicBool> = Arc::default();
        let ended = Arc::clone(&is_ended);
        let thread = std::thread::Builder::new()
            .name("merrow-world".into())
            .spawn(move || {
                for edit in inbox {
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    edit(&mut editor);
                }
            })
            .map_err(|e| format!("cannot start the thread of the world editor: {e}"))?;
        Ok(Self {
            sender: EditSender { edits, directory },
            is_ended,
            thread: Some(thread),
        })
    }

    /// Returns a sender of changes.
    pub fn sender(&self) -> EditSender {
        self.sender.clone()
    }
}

impl Drop for EditorThread {
    fn drop(&mut self) {
        // senders may exist longer than the thread
        self.is_ended.store(true, Ordering::Relaxed);
        // wakes the thread; it is awake if there is no room
        self.sender.send(|_| ());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl EditSender {
    /// Calls `edit` on the thread of the editor. If the run has ended or too many edits wait, it is
    /// dropped, with the answer that it contains.
    pub fn send(&self, edit: impl FnOnce(&mut WorldEditor) + Send + 'static) {
        let _ = self.edits.try_send(Box::new(edit));
    }

    /// Returns the objects of the current world.
    pub fn objects(&self) -> MutexGuard<'_, Vec<ObjectInfo>> {
        self.directory.lock()
    }
}

impl WorldEditor {
    /// Returns the current world file with its changes.
    pub fn document(&self) -> &Document {
        &self.parts.document
    }

    /// Returns the files that requests may write and read.
    pub fn files(&self) -> &FileAccess {
        &self.parts.files
    }

    /// Returns the current scene.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.parts.scene
    }

    /// Calls `read` on the thread of the run, between two steps, and returns the result.
    ///
    /// # Errors
    /// The run has ended.
    pub fn access<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut Simulation) -> T + Send + 'static,
    ) -> Result<T, String> {
        self.ask(|reply| {
            Request::Access(Access::new(move |simulation: &mut Simulation| {
                reply.send(read(simulation));
            }))
        })
    }

    /// Sends a request to the run and waits for its reply.
    ///
    /// # Errors
    /// The run has ended.
    pub fn ask<T: Send + 'static>(
        &self,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, String> {
        let ended = || "the simulation has ended".to_string();
        let (reply, answer) = bounded(1);
        let request = request(Reply::from(reply));
        self.parts.requests.send(request).map_err(|_| ended())?;
        answer.recv().map_err(|_| ended())
    }

    /// Continues the run with a changed world.
    ///
    /// # Errors
    /// All errors of the changed world, one per line; the world is then unchanged.
    pub fn change(&mut self, document: Document) -> Result<(), String> {
        let simulation = self.build(&document)?;
        self.continue_with(simulation, document, false)
    }

    /// Builds the world of a document.
    ///
    /// # Errors
    /// All errors of the world, one per line.
    pub fn build(&self, document: &Document) -> Result<Simulation, String> {
        let world = document.build().map_err(|problems| problems.to_string())?;
        world_check::check(document, &world).map_err(|lines| lines.join("\n"))?;
        let mut simulation = Simulation::new(Arc::new(world.scene), self.parts.threads)?;
        connect_bridges(&mut simulation);
        simulation.changes = document.changes();
        Ok(simulation)
    }

    /// Copies the motion of the robots of the running world to the robots of the same name in a
    /// world that was built.
    ///
    /// # Errors
    /// The run has ended.
    pub fn copy_motions(&self, built: &mut Simulation) -> Result<(), String> {
        let motions = self.access(|simulation| {
            let robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
            let motion =
                |(robot, state): (&Robot, &RobotState)| (robot.name.clone(), state.motion.clone());
            robots.map(motion).collect::<HashMap<_, _>>()
        })?;
        for (robot, state) in built.scene.robots.iter().zip(&mut built.state.robots) {
            if let Some(motion) = motions.get(&robot.name) {
                state.motion.clone_from(motion);
            }
        }
        Ok(())
    }

    /// Changes labels of objects, which are not part of the scene.
    ///
    /// # Errors
    /// The run has ended.
    pub fn change_labels(&mut self, document: Document) -> Result<(), String> {
        let changes = document.changes();
        self.access(move |simulation| simulation.changes = changes)?;
        self.set_document(document);
        Ok(())
    }

    /// Continues the run with a world that [`Self::build`] has built from a document. With
    /// `at_start` the world is stopped at its start, without state of the current world.
    ///
    /// # Errors
    /// One line. The world is then unchanged, except if DDS lacks the memory for a subscription.
    pub fn continue_with(
        &mut self,
        simulation: Simulation,
        document: Document,
        at_start: bool,
    ) -> Result<(), String> {
        let scene = Arc::clone(&simulation.scene);
        let plan = Arc::new(Plan::new(&scene));
        // all names and parameters, so that nothing is refused after the change
        let publishers = match &self.parts.followers {
            Followers::Node(interface) => {
                plan.check_names(&scene, interface.parts.node.names())?;
                Interface::publishers(&interface.parts.node, &plan)?
            }
            Followers::Parameters(_) => Arc::default(),
        };
        // the settings of a saved world
        let values = match at_start {
            true => list::values(&scene, &simulation.state, Pace::Max),
            false => Vec::new(),
        };
        let scenes = (&*self.parts.scene, &scene);
        live::check_change(self.parameters(), scenes, at_start, &values)?;
        self.set_next_outputs(Some((Arc::clone(&plan), publishers, document.to_yaml())));
        let simulation = Box::new(simulation);
        // the old world is dropped here, not on the thread of the run
        if at_start {
            drop(self.ask(|reply| Request::Load(simulation, reply))?);
        } else if let Err(why) = self.ask(|reply| Request::Replace(simulation, reply))? {
            // neither its topics remain nor does a bag contain it
            self.set_next_outputs(None);
            return Err(why);
        }
        self.version = SceneVersion(self.version.0 + 1);
        let old = std::mem::replace(&mut self.parts.scene, Arc::clone(&scene));
        self.set_document(document);
        if at_start {
            live::undeclare_scene(self.parameters(), &old);
        }
        self.change_followers(&old, &scene, &plan, &values)
    }

    /// Returns the parameters of the world.
    fn parameters(&self) -> &Arc<ParameterServer> {
        match &self.parts.followers {
            Followers::Node(interface) => &interface.parts.parameters,
            Followers::Parameters(server) => server,
        }
    }

    /// Connects the objects that follow the scene to the scene `new`, whose parameters have
    /// `values`.
    fn change_followers(
        &self,
        old: &Scene,
        new: &Arc<Scene>,
        plan: &Plan,
        values: &[(String, ParameterValue)],
    ) -> Result<(), String> {
        match &self.parts.followers {
            Followers::Node(interface) => {
                interface.change_scene(old, new, self.version, plan, values)
            }
            Followers::Parameters(server) => {
                let sinks = ParameterSinks::without_node(self.parts.requests.clone());
                live::change_scene(server, (old, new), self.version, sinks, values)
                    .map_err(|e| e.to_string())
            }
        }
    }

    fn set_next_outputs(&self, next: Option<WorldOutputs>) {
        *self.parts.next_outputs.lock() = next;
    }

    fn set_document(&mut self, document: Document) {
        *self.directory.lock() = document.objects();
        self.parts.document = document;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;
    use merrow_world::Overrides;

    fn document(robots: &str) -> Document {
        let text = format!("robots: {{{robots}}}");
        let parsed = Document::from_text("w.yaml", &text, Overrides::default());
        parsed.unwrap_or_else(|e| panic!("{e}")).0
    }

    fn editor(document: Document, requests: Sender<Request>) -> WorldEditor {
        with_parameters(document, requests, Vec::new())
    }

    fn with_parameters(
        document: Document,
        requests: Sender<Request>,
        given: Vec<(String, ParameterValue)>,
    ) -> WorldEditor {
        let world = document.build().unwrap_or_else(|e| panic!("{e}"));
        let parameters = Arc::new(ParameterServer::new(given).unwrap());
        WorldEditor {
            parts: EditorParts {
                document,
                scene: Arc::new(world.scene),
                threads: 1,
                requests,
                followers: Followers::Parameters(parameters),
                next_outputs: NextOutputs::default(),
                files: FileAccess::new(".".into(), false),
            },
            version: SceneVersion::default(),
            directory: Directory::default(),
        }
    }

    /// A bag takes the world, and the node its topics, from the outputs of the next scene. A world
    /// that the run refuses leaves none.
    #[test]
    fn refused_worlds_enter_no_bag() {
        let rov = |name: &str| format!("{name}: {{model: bluerov2, position_m: [0, 0, -2]}}");
        let (requests, inbox) = unbounded();
        let mut editor = editor(document(&rov("first")), requests);
        let outputs = Arc::clone(&editor.parts.next_outputs);
        let next = || outputs.lock().take();
        // the run refuses the first world and accepts the second
        let run = std::thread::spawn(move || {
            let worlds = inbox.iter().filter_map(|request| match request {
                Request::Replace(new, reply) => Some((new, reply)),
                _ => None,
            });
            for (k, (new, reply)) in worlds.take(2).enumerate() {
                reply.send(if k == 0 { Err("no".into()) } else { Ok(new) });
            }
        });
        let before = editor.document().to_yaml();
        let refused = editor.change(document(&rov("refused")));
        assert_eq!(refused, Err("no".to_string()));
        assert_eq!(editor.document().to_yaml(), before);
        assert!(next().is_none());
        editor.change(document(&rov("second"))).unwrap();
        run.join().unwrap();
        let (_, _, text) = next().unwrap();
        assert!(text.contains("second") && !text.contains("refused"));
        assert_eq!(editor.scene().robots[0].name, "second");
    }

    /// A parameter of a new robot is checked before the run changes, as are its names.
    #[test]
    fn robots_with_invalid_parameters_are_refused() {
        let given = [
            (
                "second.thrusters.t1.state",
                "sleepy",
                "expected healthy, stuck or dead",
            ),
            ("second.thrusters.t1.efficiency", "2.0", "found"),
            ("second.imu.noise", "5", "expected"),
        ];
        for (name, value, expected) in given {
            let value = match value.parse() {
                Ok(number) => ParameterValue::Double(number),
                Err(_) => ParameterValue::String(value.to_string()),
            };
            let (requests, inbox) = unbounded();
            let rov = |name: &str| format!("{name}: {{model: bluerov2, position_m: [0, 0, -2]}}");
            let given = vec![(name.to_string(), value)];
            let mut editor = with_parameters(document(&rov("first")), requests, given);
            let why = editor.change(document(&rov("second"))).unwrap_err();
            assert!(why.contains(name) && why.contains(expected), "{why}");
            assert!(inbox.try_recv().is_err());
            assert_eq!(editor.scene().robots[0].name, "first");
            assert!(editor.parts.next_outputs.lock().is_none());
        }
    }
}
