//! Tests of the files that worlds, robots and models of requests name.

use crate::common::folder::Folder;
use merrow_math::{Quat, Vec3};
use merrow_world::document::{Placement, Resource};
use merrow_world::{Document, Overrides};
use merrow_yaml::error::REQUEST;

/// Content of a file that no message may quote.
const SECRET: &str = "secret_key: hunter2\n";

fn placement() -> Placement {
    Placement {
        p_WB: Vec3::new(0.0, 0.0, -2.0),
        q_WB: Quat::identity(),
    }
}

/// Returns the keys of a model that name the file `name`, one per way to name a file.
fn models(name: &str) -> Vec<String> {
    let body = "source: t, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
    vec![
        format!("{{extends: {name}}}"),
        format!("{{source: t, urdf: {name}}}"),
        format!("{{source: t, body: {{{body}, hull: {{kind: mesh, file: {name}}}}}}}"),
        format!("{{source: t, body: {{{body}, visuals: {{v: {{kind: mesh, file: {name}}}}}}}}}"),
        format!("{{source: t, body: {{{body}, collisions: {{v: {{kind: mesh, file: {name}}}}}}}}}"),
    ]
}

#[test]
fn texts_of_requests_name_bundled_files_only() {
    let folder = Folder::new(
        "requests",
        &[("secret.yaml", SECRET), ("secret.obj", SECRET)],
    );
    let (base, _) = Document::from_text("w.yaml", "robots: {}", Overrides::default()).unwrap();
    let inside = |file: &str| folder.0.join(file).display().to_string();
    let names = [
        "/etc/passwd".to_string(),
        inside("secret.yaml"),
        format!("file://{}", inside("secret.obj")),
        "../../../../../../etc/passwd".to_string(),
        "package://merrow/../../../../etc/passwd".to_string(),
        "Cargo.toml".to_string(),
        "/dev/zero".to_string(),
    ];
    for name in &names {
        for model in models(name) {
            let text = format!("model: {model}");
            let resource = Resource::RequestText(text.clone());
            let spawned = base.with_robot("r", "", &resource, placement());
            let spawned = spawned.map_err(|why| why.to_string());
            let built = spawned.and_then(|d| d.build().map_err(|why| why.to_string()));
            let why = built.map(drop).expect_err(&text);
            check(&why, name, &text);
            let world = format!("robots: {{r: {{model: {model}}}}}");
            let loaded = Document::from_text(REQUEST, &world, Overrides::default());
            check(&loaded.map(drop).unwrap_err().to_string(), name, &world);
        }
        let world = format!("extends: {name}");
        let loaded = Document::from_text(REQUEST, &world, Overrides::default());
        check(&loaded.map(drop).unwrap_err().to_string(), name, &world);
        for world in [
            format!("seabed: {{terrain: {{file: {name}}}}}\nrobots: {{}}"),
            format!("robots: {{}}\nwater: {{current: {{kind: grid, file: {name}}}}}"),
        ] {
            let loaded = Document::from_text(REQUEST, &world, Overrides::default());
            check(&loaded.map(drop).unwrap_err().to_string(), name, &world);
        }
    }
    // bundled files by their names
    for text in [
        "model: bluerov2_heavy",
        "model: {extends: robots/bluerov2_heavy.yaml}",
    ] {
        let resource = Resource::RequestText(text.to_string());
        let spawned = base.with_robot("r", "", &resource, placement());
        assert!(spawned.unwrap().build().is_ok(), "{text}");
    }
    for text in ["extends: pool", "robots: {r: {model: bluerov2_heavy}}"] {
        let loaded = Document::from_text(REQUEST, text, Overrides::default());
        assert!(
            loaded.is_ok(),
            "{text}: {:?}",
            loaded.err().map(|e| e.to_string())
        );
    }
}

/// Checks that a message neither quotes the named file nor lists its folder.
fn check(why: &str, name: &str, of: &str) {
    for content in [
        "hunter2",
        "secret_key",
        "root:",
        "workspace",
        "passwd-",
        "did you mean",
    ] {
        assert!(!why.contains(content), "{name} in\n{of}\ngives {why}");
    }
}

#[test]
fn buffers_of_gltf_files_are_regular_files_below_the_model() {
    for (uri, expected) in [
        ("/dev/zero", "below the folder of the model"),
        ("../secret.bin", "below the folder of the model"),
        ("fifo", "not a regular file"),
        ("none.bin", "No such file"),
    ] {
        let gltf = format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": []}}], "buffers": [{{"uri": "{uri}", "byteLength": 36}}]}}"#
        );
        let folder = Folder::new("gltf", &[("m.gltf", &gltf), ("secret.bin", SECRET)]);
        let fifo = folder.0.join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let mesh = folder.0.join("m.gltf");
        let world = format!(
            "robots: {{r: {{model: {{source: t, body: {{source: t, axes: flu, mass_kg: 1, \
             inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, visuals: {{v: {{kind: mesh, file: {}}}}}}}}}}}}}",
            mesh.display()
        );
        let loaded = Document::from_text("w.yaml", &world, Overrides::default());
        let why = loaded.map(drop).unwrap_err().to_string();
        assert!(why.contains(expected), "{uri}: {why}");
    }
}
