//! Service `~/save_world`, which is not part of `simulation_interfaces`.

use crate::node::checkpoint;
use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::Connections;
use merrow_messages::msg::{SaveWorld, SaveWorldResponse};
use merrow_ros2::node::{NodeError, Service};
use merrow_world::Document;
use std::path::Path;

/// Starts the service of this file.
pub(super) fn serve(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve_private::<SaveWorld>("~/save_world", |connections, request, answer| {
        connections.editor.send(move |editor| {
            let done = save(editor, &request.uri);
            answer.send(&SaveWorldResponse {
                success: done.is_ok(),
                message: done.err().unwrap_or_default(),
            });
        });
    })
}

fn save(editor: &WorldEditor, uri: &str) -> Result<(), String> {
    if uri.is_empty() {
        return Err("expected the name of the file to write, found none".to_string());
    }
    let text = current_document(editor)?.to_yaml();
    checkpoint::write_world(Path::new(uri), &text)
}

/// Returns the world file with the current state of all entities.
///
/// # Errors
/// The run has ended.
pub(super) fn current_document(editor: &WorldEditor) -> Result<Document, String> {
    let document = editor.document().clone();
    editor.access(move |simulation| document.with_state(&simulation.scene, &simulation.state))
}
