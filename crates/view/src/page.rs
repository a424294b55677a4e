//! Files of the page, part of the program.

/// Name, media type and content of every file.
const FILES: [(&str, &str, &[u8]); 15] = [
    ("/", HTML, include_bytes!("../page/index.html")),
    (
        "/style.css",
        "text/css; charset=utf-8",
        include_bytes!("../page/style.css"),
    ),
    ("/main.js", SCRIPT, include_bytes!("../page/main.js")),
    ("/math.js", SCRIPT, include_bytes!("../page/math.js")),
    ("/net.js", SCRIPT, include_bytes!("../page/net.js")),
    ("/world.js", SCRIPT, include_bytes!("../page/world.js")),
    (
        "/geometry.js",
        SCRIPT,
        include_bytes!("../page/geometry.js"),
    ),
    ("/shaders.js", SCRIPT, include_bytes!("../page/shaders.js")),
    (
        "/renderer.js",
        SCRIPT,
        include_bytes!("../page/renderer.js"),
    ),
    ("/waves.js", SCRIPT, include_bytes!("../page/waves.js")),
    ("/camera.js", SCRIPT, include_bytes!("../page/camera.js")),
    (
        "/overlays.js",
        SCRIPT,
        include_bytes!("../page/overlays.js"),
    ),
    ("/panels.js", SCRIPT, include_bytes!("../page/panels.js")),
    ("/plot.js", SCRIPT, include_bytes!("../page/plot.js")),
    ("/drive.js", SCRIPT, include_bytes!("../page/drive.js")),
];
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Returns the media type and the content of a file of the page.
pub(crate) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let found = FILES.iter().find(|(name, ..)| *name == path);
    found.map(|(_, kind, body)| (*kind, *body))
}

#[cfg(test)]
mod tests {
    use super::FILES;

    // Goal: the page loads quickly. Method: sum of the sizes of its files. Tolerance: none.
    #[test]
    fn page_is_below_one_megabyte() {
        let bytes: usize = FILES.iter().map(|(_, _, body)| body.len()).sum();
        assert!(bytes < 1_000_000, "{bytes} bytes");
    }

    // Goal: the page needs no other server. Method: text search for addresses. Tolerance: none.
    #[test]
    fn page_names_no_other_server() {
        for (name, _, body) in FILES {
            let text = String::from_utf8_lossy(body);
            let found = text.contains("http://") || text.contains("https://");
            assert!(!found, "{name}");
        }
    }
}
