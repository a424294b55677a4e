//! Files of the page, part of the program.

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// File of the page: path, media type and content.
type File = (&'static str, &'static str, &'static [u8]);

/// Returns the files of modules with these names.
macro_rules! modules {
    ($($name:literal)*) => {
        &[$((
            concat!("/", $name, ".js"),
            SCRIPT,
            include_bytes!(concat!("../page/", $name, ".js")),
        )),*]
    };
}

/// Files that are no modules.
const DOCUMENTS: &[File] = &[
    ("/", HTML, include_bytes!("../page/index.html")),
    ("/style.css", STYLE, include_bytes!("../page/style.css")),
];
/// Modules of the page.
const MODULES: &[File] = modules! {
    "main" "math" "net"
    "scene/camera" "scene/geometry" "scene/light" "scene/overlays" "scene/raycast"
    "scene/renderer" "scene/scenery" "scene/shaders" "scene/waves" "scene/world"
    "panels/actuators" "panels/capture" "panels/faults" "panels/forces" "panels/help"
    "panels/layout" "panels/menus" "panels/network" "panels/overlay_menu" "panels/panels"
    "panels/plot" "panels/replay" "panels/sensors" "panels/tabs" "panels/task"
    "input/direct" "input/drive" "input/edit" "input/gamepad" "input/gizmo" "input/look"
    "input/pointers" "input/push" "input/route"
};

/// Returns all files of the page.
fn files() -> impl Iterator<Item = &'static File> {
    DOCUMENTS.iter().chain(MODULES)
}

/// Returns the media type and the content of a file of the page.
pub(crate) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let found = files().find(|(name, ..)| *name == path);
    found.map(|(_, kind, body)| (*kind, *body))
}

#[cfg(test)]
mod tests {
    use super::files;

    // The page loads quickly. Method: sum of the sizes of its files.
    #[test]
    fn page_is_below_one_megabyte() {
        let bytes: usize = files().map(|(_, _, body)| body.len()).sum();
        assert!(bytes < 1_000_000, "{bytes} bytes");
    }

    // The page needs no other server. Method: text search for addresses.
    #[test]
    fn page_names_no_other_server() {
        for (name, _, body) in files() {
            let text = String::from_utf8_lossy(body);
            let found = text.contains("http://") || text.contains("https://");
            assert!(!found, "{name}");
        }
    }
}
