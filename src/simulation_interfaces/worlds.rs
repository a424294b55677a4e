//! Services that list, load and unload worlds.
//!
//! A loaded world is stopped at its start, the time 0 or its `start_time_s`. Without a world the run
//! is stopped, and no entities exist.

use crate::node::file_access::FileAccess;
use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::poses::has_tags;
use crate::simulation_interfaces::{Connections, done, failed, failure};
use merrow_ros2::msg::Outcome;
use merrow_ros2::msg::simulation_interfaces::{
    GetAvailableWorlds, GetAvailableWorldsRequest, GetAvailableWorldsResponse, GetCurrentWorld,
    GetCurrentWorldResponse, LoadWorld, LoadWorldRequest, LoadWorldResponse, Resource,
    ServiceResult, UnloadWorld, UnloadWorldResponse, WorldResource,
};
use merrow_ros2::node::{NodeError, Service};
use merrow_world::{Document, Overrides, catalogue, data_dir};
use std::path::{Path, PathBuf};

/// Name of the empty world that replaces an unloaded one.
const NO_WORLD: &str = "no world";

/// Suffixes of the files of other simulators.
const OTHER_FORMATS: [&str; 6] = ["sdf", "world", "mjcf", "usd", "usda", "urdf"];

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        // reads files, so not on the thread of the node
        connections.serve_edit::<GetAvailableWorlds>(false, |editor, request| {
            available_worlds(editor.files(), &request)
        })?,
        connections.serve_edit::<GetCurrentWorld>(false, |editor, _| {
            check_loaded(editor, GetCurrentWorldResponse::NO_WORLD_LOADED)?;
            let world = world_resource(editor.document());
            Ok(GetCurrentWorldResponse { world, ..done() })
        })?,
        connections.serve_edit::<LoadWorld>(true, |editor, request| {
            load(editor, &request)?;
            let world = world_resource(editor.document());
            Ok(LoadWorldResponse { world, ..done() })
        })?,
        connections.serve_edit::<UnloadWorld>(false, |editor, _| {
            check_loaded(editor, UnloadWorldResponse::NO_WORLD_LOADED)?;
            let empty = Document::from_text(NO_WORLD, "robots: {}", Overrides::default());
            let (document, _) = empty.map_err(|problems| failed(problems.to_string()))?;
            let simulation = editor.build(&document).map_err(failed)?;
            let unloaded = editor.continue_with(simulation, document, true);
            unloaded.map(|()| done()).map_err(failed)
        })?,
    ])
}

/// Returns true if a world is loaded.
pub(super) fn is_loaded(document: &Document) -> bool {
    document.path().is_some() || document.name() != NO_WORLD
}

fn check_loaded(editor: &WorldEditor, code: u8) -> Result<(), ServiceResult> {
    let no_world = || failure(code, "no world is loaded; call load_world");
    let is_loaded = is_loaded(editor.document());
    is_loaded.then_some(()).ok_or_else(no_world)
}

fn world_resource(document: &Document) -> WorldResource {
    let path = document.path().map(|path| path.display().to_string());
    let labels = document.labels();
    WorldResource {
        name: document.name().to_string(),
        world_resource: Resource {
            uri: path.unwrap_or_default(),
            resource_string: document.to_yaml(),
        },
        description: labels.description,
        tags: labels.tags,
    }
}

/// Lists the bundled worlds and the worlds in further folders.
fn available_worlds(
    files: &FileAccess,
    request: &GetAvailableWorldsRequest,
) -> Result<GetAvailableWorldsResponse, ServiceResult> {
    let names = data_dir::file_names("worlds").into_iter();
    let mut worlds: Vec<(String, PathBuf)> = names
        .map(|name| (name.clone(), data_dir::world_file(&name)))
        .collect();
    let mut unread = Vec::new();
    for source in &request.additional_sources {
        let found = files.folder_to_list(source);
        match found.and_then(|folder| data_dir::worlds_in(&folder)) {
            Ok(found) => worlds.extend(found),
            Err(why) => unread.push(why),
        }
    }
    let unread_text = unread.join("\n");
    if !unread.is_empty() && !request.continue_on_error {
        return Err(failed(unread_text));
    }
    let world = |(name, path): (String, PathBuf)| {
        let labels = catalogue::world_labels(&path);
        has_tags(&request.filter, &labels.tags).then(|| WorldResource {
            name,
            world_resource: Resource {
                uri: path.display().to_string(),
                resource_string: String::new(),
            },
            description: labels.description,
            tags: labels.tags,
        })
    };
    Ok(GetAvailableWorldsResponse {
        worlds: worlds.into_iter().filter_map(world).collect(),
        ..Outcome::of(Ok(unread_text).into())
    })
}

/// Loads the bundled world `name` instead of the current one, as the service `load_world`.
///
/// # Errors
/// One line: there is no such bundled world, or it cannot be loaded.
pub(crate) fn open_bundled(editor: &mut WorldEditor, name: &str) -> Result<(), String> {
    let path = data_dir::bundled_world(name);
    let path = path.ok_or_else(|| format!("no bundled world {name:?}; see `merrow list`"))?;
    let request = LoadWorldRequest {
        world_resource: Resource {
            uri: path.display().to_string(),
            resource_string: String::new(),
        },
        ..LoadWorldRequest::default()
    };
    load(editor, &request).map_err(|result| result.error_message.replace('\n', "; "))
}

/// Loads a world instead of the current one.
fn load(editor: &mut WorldEditor, request: &LoadWorldRequest) -> Result<(), ServiceResult> {
    let Resource {
        uri,
        resource_string,
    } = &request.world_resource;
    let uri = uri.strip_prefix("file://").unwrap_or(uri);
    let suffix = Path::new(uri)
        .extension()
        .and_then(|suffix| suffix.to_str());
    let is_other = suffix.is_some_and(|suffix| OTHER_FORMATS.contains(&suffix))
        || uri.is_empty() && resource_string.trim_start().starts_with('<');
    if is_other {
        let why = "expected a YAML world file of Merrow, found another format";
        return Err(failure(LoadWorldResponse::UNSUPPORTED_FORMAT, why));
    }
    let parsed = if !uri.is_empty() {
        let path = editor.files().world_to_read(uri);
        let path = path.map_err(|why| failure(ServiceResult::RESULT_NOT_FOUND, why))?;
        Document::load(&path, Overrides::default())
    } else if resource_string.trim().is_empty() {
        let why = "expected a URI or a text, found neither";
        return Err(failure(LoadWorldResponse::NO_RESOURCE, why));
    } else {
        Document::from_text(
            editor.files().text_name(),
            resource_string,
            Overrides::default(),
        )
    };
    let (document, _) = parsed.map_err(|problems| malformed(editor, &problems.to_string()))?;
    let built = editor.build(&document);
    let simulation = built.map_err(|why| malformed(editor, &why))?;
    editor
        .continue_with(simulation, document, true)
        .map_err(|why| failed(editor.files().without_contents(&why)))
}

/// Returns the result for a world with errors, without quotations of files.
fn malformed(editor: &WorldEditor, why: &str) -> ServiceResult {
    let code = if why.contains(": no file ") {
        LoadWorldResponse::MISSING_ASSETS
    } else {
        LoadWorldResponse::RESOURCE_PARSE_ERROR
    };
    failure(code, editor.files().without_contents(why))
}
