//! Changes of the objects of the world that the live view requests, with undo and redo.
//!
//! The changes are the changes of the services of `simulation_interfaces`, on the thread of the
//! world editor. Each change has an inverse, which undoes it. All pages share one history.

use crate::input::serve::BUSY;
use crate::node::world_editor::{EditSender, WorldEditor};
use crate::simulation_interfaces::{edits, worlds};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_ros2::msg::simulation_interfaces::Resource;
use merrow_view::action::EditAction;
use merrow_view::{Answer, ControlState};
use merrow_world::catalogue::BundledModel;
use merrow_world::document::{Document, ObjectInfo, Placement};
use merrow_world::{Overrides, catalogue};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Maximum number of changes that can be undone.
const MAX_CHANGES: usize = 100;
/// Maximum number of requests that wait for the thread of the editor.
const MAX_PENDING: usize = 16;

/// Builds a world that contains only a model of the catalogue.
pub(super) fn model_scene(model: &str) -> Option<Scene> {
    let reference = catalogue::model_reference(model)?;
    let text = format!("robots: {{model: {{model: {reference}}}}}");
    let world = merrow_world::load_text(model, &text, Overrides::default());
    Some(world.ok()?.scene)
}

/// Returns the description of a model of the catalogue. Paths of other files are not accepted.
fn resource(model: &str) -> Result<Resource, String> {
    if catalogue::model_reference(model).is_some() {
        return Ok(Resource {
            uri: model.to_string(),
            resource_string: String::new(),
        });
    }
    Err(format!(
        "no model {model:?} in the catalogue; expected a bundled robot or prop"
    ))
}

/// Changes of the view, which its pages share.
pub(super) struct Editing {
    editor: EditSender,
    history: Arc<Mutex<History>>,
    /// Texts of the changes that can be undone and repeated. Separate from the history, which is
    /// locked while a world is built.
    labels: Arc<Mutex<[Option<String>; 2]>>,
    /// Number of requests that wait for the thread of the editor.
    pending: Arc<AtomicUsize>,
    catalogue: OnceLock<Vec<BundledModel>>,
}

/// Change of an object.
enum Change {
    /// Adds the object as another version of the world contains it.
    Restore(String, Box<Document>),
    /// Removes the object with this name.
    Remove(String),
    /// Places the object at a pose, at rest.
    Place(String, Placement),
}

/// Change that can be undone or repeated, and the text of the requested change.
struct Entry {
    text: String,
    change: Change,
}

#[derive(Default)]
struct History {
    undo: Vec<Entry>,
    redo: Vec<Entry>,
}

/// Client that waits for a change. If the editor drops the change, it receives the reason.
struct Client {
    pending: Arc<AtomicUsize>,
    answer: Option<Answer>,
}

impl Client {
    fn respond(&mut self, done: Result<String, String>) {
        if let Some(answer) = self.answer.take() {
            self.pending.fetch_sub(1, Ordering::Relaxed);
            answer(done);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.respond(Err(BUSY.to_string()));
    }
}

impl Editing {
    /// Creates an empty history of changes by `editor`.
    pub(super) fn new(editor: EditSender) -> Self {
        Self {
            editor,
            history: Arc::default(),
            labels: Arc::default(),
            pending: Arc::default(),
            catalogue: OnceLock::new(),
        }
    }

    /// Returns the robots and props that can be added.
    pub(super) fn catalogue(&self) -> Vec<BundledModel> {
        self.catalogue
            .get_or_init(catalogue::bundled_models)
            .clone()
    }

    /// Makes a change and answers.
    pub(super) fn request(&self, action: EditAction, answer: Answer) {
        self.perform(answer, |history, editor| history.handle(editor, action));
    }

    /// Calls `change` on the thread of the editor and answers.
    fn perform(
        &self,
        answer: Answer,
        change: impl FnOnce(&mut History, &mut WorldEditor) -> Result<String, String> + Send + 'static,
    ) {
        let pending = Arc::clone(&self.pending);
        if pending.fetch_add(1, Ordering::Relaxed) >= MAX_PENDING {
            pending.fetch_sub(1, Ordering::Relaxed);
            return answer(Err(format!(
                "{MAX_PENDING} changes of the world are in progress; try again later"
            )));
        }
        let mut client = Client {
            pending,
            answer: Some(answer),
        };
        let (history, labels) = (Arc::clone(&self.history), Arc::clone(&self.labels));
        self.editor.send(move |editor| {
            let mut history = history.lock();
            let done = change(&mut history, editor);
            *labels.lock() = history.labels();
            client.respond(done);
        });
    }

    /// Continues with a bundled world as the service `load_world`, and answers. No change of the
    /// world before can be undone then.
    pub(super) fn open(&self, world: String, answer: Answer) {
        self.perform(answer, move |history, editor| {
            worlds::open_bundled(editor, &world)?;
            *history = History::default();
            Ok(format!("opened {world}"))
        });
    }

    /// Adds undo, redo and the poses of the structures to the state of the controls.
    pub(super) fn add_state(&self, state: &mut ControlState) {
        [state.undo, state.redo] = self.labels.lock().clone();
        state.can_edit = true;
        let objects = self.editor.objects();
        let structure = |object: &ObjectInfo| Some((object.name.clone(), object.placement?));
        state.structures = objects.iter().filter_map(structure).collect();
    }
}

impl History {
    /// Makes a change. Returns the name of the object, a description of an undone or repeated
    /// change, or the saved world.
    fn handle(&mut self, editor: &mut WorldEditor, action: EditAction) -> Result<String, String> {
        match action {
            EditAction::Add {
                model,
                position,
                attitude,
            } => {
                let placement = placement(position, attitude);
                let name = edits::add(editor, &model, resource(&model)?, placement)?;
                self.push(format!("add {name}"), Change::Remove(name.clone()));
                Ok(name)
            }
            EditAction::Duplicate { object, position } => {
                let name = edits::duplicate(editor, &object, Vec3::from(position))?;
                self.push(format!("add {name}"), Change::Remove(name.clone()));
                Ok(name)
            }
            EditAction::Remove { object } => {
                let change = Change::Remove(object.clone());
                self.push(format!("remove {object}"), perform(editor, change)?);
                Ok(object)
            }
            EditAction::Place {
                object,
                position,
                attitude,
            } => {
                let change = Change::Place(object.clone(), placement(position, attitude));
                self.push(format!("move {object}"), perform(editor, change)?);
                Ok(object)
            }
            EditAction::Undo => {
                let entry = self.undo.pop().ok_or("no change to undo")?;
                let (text, inverse) = inverted(editor, entry)?;
                self.redo.push(inverse);
                Ok(format!("undone: {text}"))
            }
            EditAction::Redo => {
                let entry = self.redo.pop().ok_or("no change to repeat")?;
                let (text, inverse) = inverted(editor, entry)?;
                self.undo.push(inverse);
                Ok(format!("repeated: {text}"))
            }
            EditAction::Save => Ok(edits::current_document(editor)?.to_yaml()),
        }
    }

    /// Adds the inverse of a new change. Undone changes can then no longer be repeated.
    fn push(&mut self, text: String, change: Change) {
        self.redo.clear();
        self.undo.push(Entry { text, change });
        if self.undo.len() > MAX_CHANGES {
            self.undo.remove(0);
        }
    }

    fn labels(&self) -> [Option<String>; 2] {
        [&self.undo, &self.redo].map(|list| list.last().map(|entry| entry.text.clone()))
    }
}

/// Makes a change and returns its text and its inverse.
fn inverted(editor: &mut WorldEditor, entry: Entry) -> Result<(String, Entry), String> {
    let (text, change) = (entry.text, perform(editor, entry.change)?);
    Ok((text.clone(), Entry { text, change }))
}

/// Makes a change and returns its inverse.
fn perform(editor: &mut WorldEditor, change: Change) -> Result<Change, String> {
    match change {
        Change::Remove(name) => {
            let before = edits::current_document(editor)?;
            edits::remove(editor, &name)?;
            Ok(Change::Restore(name, Box::new(before)))
        }
        Change::Restore(name, source) => {
            let document = editor.document().with_object_of(&name, &source)?;
            editor
                .change(document)
                .map_err(|why| edits::one_line(&why))?;
            Ok(Change::Remove(name))
        }
        Change::Place(name, placement) => {
            let before = edits::placement(editor, &name)?;
            edits::place_entity(editor, &name, placement)?;
            Ok(Change::Place(name, before))
        }
    }
}

fn placement(position: [f64; 3], [w, x, y, z]: [f64; 4]) -> Placement {
    Placement {
        p_WB: Vec3::from(position),
        q_WB: Quat { w, x, y, z },
    }
}
