//! Service `~/save_world`, which is not part of `simulation_interfaces`.

use crate::node::checkpoint;
use crate::node::file_access::FileKind;
use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::Connections;
use merrow_messages::msg::{SaveWorld, SaveWorldResponse};
use merrow_ros2::node::{NodeError, Service};
use merrow_world::Document;

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
    let path = editor.files().path_to_write(uri, FileKind::World)?;
    let text = current_document(editor)?.to_yaml();
    checkpoint::write_world(&path, &text)
}

/// Returns the world file with the current state of all entities.
///
/// # Errors
/// The run has ended.
pub(super) fn current_document(editor: &WorldEditor) -> Result<Document, String> {
    let document = editor.document().clone();
    editor.access(move |simulation| document.with_state(&simulation.scene, &simulation.state))
}
