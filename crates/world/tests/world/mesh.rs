//! Tests that all formats give the same box, and that bad files give one-line errors.

use crate::sample::{FACES, box_mesh};
use merrow_math::Vec3;
use merrow_model::scene::robot::collision::Mesh;
use merrow_world::import::mesh::{check_manifold, read, scaled};

/// Returns the vertices of a box of 1 x 2 x 3 m, centred at the origin.
fn corners() -> Vec<[f64; 3]> {
    box_mesh([1.0, 2.0, 3.0], Vec3::zero())
        .vertices
        .iter()
        .map(|v| [v.x, v.y, v.z])
        .collect()
}

/// Writes a temporary file, reads it as a mesh, and removes it.
fn read_as(name: &str, bytes: &[u8]) -> Result<Mesh, String> {
    // tests run in parallel
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    let path = std::env::temp_dir().join(format!(
        "merrow_mesh_{}_{thread}_{name}",
        std::process::id()
    ));
    std::fs::write(&path, bytes).unwrap();
    let mesh = read(&path);
    std::fs::remove_file(&path).unwrap();
    mesh
}

fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        for x in face.into_iter().flat_map(|k| corners()[k]) {
            bytes.extend((x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_text() -> String {
    let mut text = "solid box\n".to_string();
    for face in FACES {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in face.map(|k| corners()[k]) {
            text += &format!("vertex {x} {y} {z}\n");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid box\n"
}

fn obj() -> String {
    let corners = corners()
        .iter()
        .map(|[x, y, z]| format!("v {x} {y} {z}\n"))
        .collect::<String>();
    corners
        + &FACES
            .map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1))
            .concat()
}

/// Returns the box in inches, y up, placed by two nested nodes, with a normal index next to each
/// vertex index.
fn dae() -> String {
    // The expected output is (x, y, z). The file's y is our z, and its z is our -y. The nodes
    // translate by (1, 2, 3) and rotate by 90 deg about the file's y.
    let inch = 0.0254;
    let local = |[x, y, z]: [f64; 3]| {
        let (fx, fy, fz) = (x / inch, z / inch, -y / inch);
        // inverse of the rotation by +90 degrees about y: (x, y, z) -> (-z, y, x)
        format!("{} {} {} ", -fz, fy, fx)
    };
    let positions = corners().into_iter().map(local).collect::<String>();
    let p = FACES
        .map(|f| f.map(|k| format!("{k} 0 ")).concat())
        .concat();
    let counts = "3 ".repeat(FACES.len());
    format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="inch" meter="{inch}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="24">{positions}</float_array>
<technique_common><accessor source="#f" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="12"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" offset="1"/>
<vcount>{counts}</vcount><p>{p}</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node><matrix>1 0 0 10 0 1 0 20 0 0 1 30 0 0 0 1</matrix>
<node><translate>-10 -20 -30</translate><rotate>0 1 0 90</rotate><instance_geometry url="#g"/></node></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>"##
    )
}

/// Returns the box with y up, 16-bit indices, and the buffer as base64 text.
fn gltf_text() -> String {
    let mut bytes = Vec::new();
    for [x, y, z] in corners() {
        for v in [x, z, -y] {
            bytes.extend((v as f32).to_le_bytes());
        }
    }
    for k in FACES.concat() {
        bytes.extend((k as u16).to_le_bytes());
    }
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
"nodes": [{{"children": [1], "translation": [1, 0, 0]}}, {{"mesh": 0, "translation": [-1, 0, 0]}}],
"meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
"buffers": [{{"byteLength": {}, "uri": "data:application/octet-stream;base64,{data}"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 96}}, {{"buffer": 0, "byteOffset": 96, "byteLength": 72}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [-0.5, -1.5, -1], "max": [0.5, 1.5, 1]}},
{{"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}}]}}"#,
        bytes.len()
    )
}

/// Returns the same file in the binary form (GLB).
fn glb() -> Vec<u8> {
    let text = gltf_text();
    let (head, rest) = text
        .split_once(", \"uri\": \"data:application/octet-stream;base64,")
        .unwrap();
    let (data, tail) = rest.split_once('"').unwrap();
    use base64::Engine;
    let mut binary = base64::engine::general_purpose::STANDARD
        .decode(data)
        .unwrap();
    let mut json = format!("{head}{tail}").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    let total = 12 + 8 + json.len() + 8 + binary.len();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((total as u32).to_le_bytes());
    for (kind, part) in [(b"JSON", &json), (b"BIN\0", &binary)] {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(part);
    }
    bytes
}

#[test]
fn every_format_gives_the_same_box() {
    let files = [
        ("b.stl", stl_binary()),
        ("t.STL", stl_text().into_bytes()),
        ("o.obj", obj().into_bytes()),
        ("d.dae", dae().into_bytes()),
        ("g.gltf", gltf_text().into_bytes()),
        ("g.glb", glb()),
    ];
    for (name, bytes) in files {
        let mesh = read_as(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let check = check_manifold(&mesh);
        assert_eq!(
            (mesh.vertices.len(), mesh.triangles.len()),
            (8, 12),
            "{name}"
        );
        assert_eq!(
            (check.open, check.crossed, check.flat),
            (0, 0, false),
            "{name}"
        );
        // the formats have single precision, and the COLLADA file uses inches
        assert!(
            (check.volume - 6.0).abs() < 1e-6,
            "{name}: {}",
            check.volume
        );
        for expected in corners().into_iter().map(Vec3::from) {
            let nearest = mesh
                .vertices
                .iter()
                .map(|v| (*v - expected).norm())
                .fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-6, "{name}: {expected:?} is missing");
        }
    }
}

#[test]
fn surface_defects_are_found() {
    let mesh = read_as("s.obj", obj().as_bytes()).unwrap();
    assert_eq!(check_manifold(&mesh).closure_defect(), None);
    let mirrored = scaled(&mesh, [-1.0, 1.0, 1.0]);
    assert!(
        (check_manifold(&mirrored).volume - 6.0).abs() < 1e-12,
        "a mirrored mesh keeps its outward orientation"
    );
    let with = |change: &dyn Fn(&mut Vec<[u32; 3]>)| {
        let mut changed = mesh.clone();
        change(&mut changed.triangles);
        check_manifold(&changed)
            .closure_defect()
            .unwrap_or_default()
    };
    assert_eq!(
        with(&|t| t.truncate(11)),
        "the mesh is open: 3 edges have only one triangle; expected a closed surface"
    );
    assert!(with(&|t| t[0].swap(0, 1)).starts_with("the mesh is not manifold: 3 edges have"));
    assert!(with(&|t| t.push(t[0])).starts_with("the mesh is not manifold: 3 edges have"));
    assert!(
        with(&|t| t.iter_mut().for_each(|t| t.swap(0, 1))).starts_with("the mesh is inside out")
    );
    let flat = read_as(
        "f.obj",
        b"v 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n",
    )
    .unwrap();
    assert!(check_manifold(&flat).flat);
}

#[test]
fn invalid_files_give_one_line_errors() {
    let wrong = |name: &str, bytes: &[u8]| read_as(name, bytes).unwrap_err();
    assert!(
        wrong("x.ply", b"ply").starts_with("unknown mesh format; expected one of the extensions")
    );
    assert_eq!(
        wrong("e.obj", b"v 0 0 0\n"),
        "the mesh is empty: it has no triangles"
    );
    assert_eq!(
        wrong("e.stl", b"solid a\nendsolid a\n"),
        "the mesh is empty: it has no triangles"
    );
    assert_eq!(
        wrong("n.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        "a vertex is not finite"
    );
    assert!(wrong("s.stl", b"short").starts_with("not a valid STL file: "));
    assert!(wrong("x.dae", b"<a").starts_with("not a valid COLLADA file: "));
    assert_eq!(
        wrong("h.dae", b"<html/>"),
        "not a COLLADA file: found the element `html`"
    );
    assert!(wrong("x.glb", b"glTF").starts_with("not a valid glTF file: "));
    let outside = gltf_text().replace("\"byteOffset\": 96", "\"byteOffset\": 4000");
    assert_eq!(
        wrong("o.gltf", outside.as_bytes()),
        "the glTF file refers to bytes outside its buffers"
    );
    let short = dae().replace("3 3 ", "3 9 ");
    assert_eq!(
        wrong("v.dae", short.as_bytes()),
        "not a valid COLLADA file: a `polylist` has too few numbers"
    );
}

/// Malformed files never cause a panic. Method: every format, truncated and with random bytes
/// changed.
#[test]
fn broken_files_never_panic() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n.max(1) as u64) as usize
    };
    for (name, bytes) in [
        ("b.stl", stl_binary()),
        ("t.stl", stl_text().into_bytes()),
        ("o.obj", obj().into_bytes()),
        ("d.dae", dae().into_bytes()),
        ("g.gltf", gltf_text().into_bytes()),
        ("g.glb", glb()),
    ] {
        for _ in 0..300 {
            let mut broken = bytes.clone();
            for _ in 0..=next(4) {
                let at = next(broken.len());
                broken[at] = [b'-', b'9', b' ', b'"', 0, 255][next(6)];
            }
            if next(2) == 0 {
                broken.truncate(next(broken.len()));
            }
            // both `Ok` and `Err` are acceptable; only a panic fails
            let _ = read_as(name, &broken);
        }
    }
}
