//! Types of installed interface files have the hash and the definition of the compiled types.

use merrow_ros2::dynamic::definition::{Element, Field};
use merrow_ros2::installed::InstalledTypes;
use merrow_ros2::message::TypeInfo;
use merrow_ros2::msg::{catalogue, services};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder that is removed at the end of a test.
struct Prefix(PathBuf);

impl Prefix {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("merrow_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    /// Writes the interface file of a type such as `std_msgs/msg/Header`.
    fn write(&self, name: &str, text: &str) {
        let (package, rest) = name.split_once('/').unwrap();
        let kind = rest.split('/').next().unwrap();
        let path = self.0.join(format!("share/{package}/{rest}.{kind}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn types(&self) -> InstalledTypes {
        // another prefix without packages comes first
        let none = Path::new("/nowhere");
        InstalledTypes::new(&std::env::join_paths([none, &self.0]).unwrap())
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the messages of the catalogue. Of types with several forms, which are last, it has the
/// first.
fn messages() -> Vec<&'static TypeInfo> {
    let mut all: Vec<_> = catalogue().into_iter().map(|(info, _)| info).collect();
    all.retain(|info| info.name.split('/').nth(1) == Some("msg"));
    let mut names = HashSet::new();
    all.retain(|info| names.insert(info.name));
    all
}

/// Returns the text of the type itself in a definition with all types that it uses.
fn own_text(definition: &str) -> &str {
    definition.split(&"=".repeat(80)).next().unwrap()
}

// An interface file gives the type that its compiled declaration gives. Method: the files of all
// compiled messages, written from their definitions; the hash and the definition of each.
#[test]
fn files_give_the_compiled_messages() {
    let prefix = Prefix::new("installed_messages");
    let messages = messages();
    for info in &messages {
        prefix.write(info.name, own_text(&info.definition));
    }
    let types = prefix.types();
    let mut count = 0;
    for info in &messages {
        let found = types.message(info.name).unwrap().expect("a type");
        assert_eq!(found.hash, info.hash, "{}", found.name);
        assert_eq!(found.definition, info.definition, "{}", found.name);
        assert_eq!(found.dds_name, info.dds_name);
        count += 1;
    }
    assert!(count > 80, "{count}");
}

// The file of a service gives its compiled type. Method: as above, with the hashes of the request,
// the response and the service.
#[test]
fn files_give_the_compiled_services() {
    let prefix = Prefix::new("installed_services");
    for info in messages() {
        prefix.write(info.name, own_text(&info.definition));
    }
    let all = services();
    let mut names = HashSet::new();
    let mut is_service =
        |name: &'static str| name.split('/').nth(1) == Some("srv") && names.insert(name);
    let types = prefix.types();
    let mut count = 0;
    for service in all.iter().filter(|service| is_service(service.name)) {
        let [request, response] =
            [service.request, service.response].map(|info| own_text(&info.definition));
        prefix.write(service.name, &format!("{request}---\n{response}"));
        let found = types.service(service.name).unwrap().expect("a type");
        assert_eq!(found.hash, service.hash, "{}", service.name);
        assert_eq!(found.request.hash, service.request.hash, "{}", service.name);
        assert_eq!(found.response.hash, service.response.hash);
        count += 1;
    }
    assert!(count > 10, "{count}");
}

/// Returns the name of the innermost message at the start of the type.
fn first_name(info: &TypeInfo) -> &str {
    let structure = &info.structure;
    let mut message = structure.root();
    while let Element::Message(k) = message.fields[0].element {
        message = structure.message(k);
    }
    &message.name
}

// A service may use a message of its own name, and a package may have its own `Header`. Method: the
// innermost messages at the start of the types.
#[test]
fn types_of_equal_names_are_distinguished() {
    let prefix = Prefix::new("installed_names");
    prefix.write("my_msgs/msg/Point", "float64 x\n");
    prefix.write("my_msgs/srv/Point", "Point p\n---\nPoint[] all\n");
    let types = prefix.types();
    let service = types.service("my_msgs/srv/Point").unwrap().unwrap();
    assert_eq!(first_name(service.request), "my_msgs/msg/Point");
    assert_eq!(first_name(service.whole), "my_msgs/msg/Point");
    prefix.write("std_msgs/msg/Header", "int32 stamp\n");
    prefix.write("my_msgs/msg/Header", "int32 own\n");
    prefix.write("my_msgs/msg/Both", "Header a\nmy_msgs/Header b\n");
    let both = types.message("my_msgs/msg/Both").unwrap().unwrap();
    assert_eq!(first_name(both), "std_msgs/msg/Header");
}

// A service adds levels to those of its request. Method: a request with the maximum of levels.
#[test]
fn a_service_with_too_many_levels_is_reported() {
    let prefix = Prefix::new("installed_levels");
    for k in 1..32 {
        prefix.write(&format!("my_msgs/msg/L{k}"), &format!("L{} x\n", k + 1));
    }
    prefix.write("my_msgs/msg/L32", "int8 x\n");
    prefix.write("my_msgs/srv/Deep", "L1 x\n---\n");
    let types = prefix.types();
    let error = types.service("my_msgs/srv/Deep").unwrap_err();
    assert!(
        error.ends_with("nested in itself, or in more than 32 levels"),
        "{error}"
    );
}

// Comments, constants, defaults and bounds of a file are read. Method: a file with all of them,
// whose type is known.
#[test]
fn comments_constants_and_defaults_have_no_effect_on_the_hash() {
    let prefix = Prefix::new("installed_text");
    let plain = "Point p\nint32 a\nstring<=5[<=3] b\nfloat64[2] c\n";
    prefix.write("my_msgs/msg/Plain", plain);
    prefix.write("my_msgs/msg/Point", "float64 x\nfloat64 y\n");
    let full = "# a comment\nuint8 KIND=3\n\nmy_msgs/Point p  # a point\nint32 a 7\n\
                string<=5[<=3] b\nfloat64[2] c [1.0, 2.0]\n";
    prefix.write("my_msgs/msg/Full", full);
    let types = prefix.types();
    let plain = types.message("my_msgs/msg/Plain").unwrap().unwrap();
    let found = types.message("my_msgs/msg/Full").unwrap().unwrap();
    let shapes = |info: &TypeInfo| {
        let fields = info.structure.root().fields.iter();
        let shape = |field: &Field| (field.name.clone(), field.element, field.count);
        fields.map(shape).collect::<Vec<_>>()
    };
    assert_eq!(shapes(plain), shapes(found));
    assert!(found.definition.starts_with(full));
    assert!(found.definition.contains("MSG: my_msgs/Point\nfloat64 x"));
    assert_eq!(found.dds_name, "my_msgs::msg::dds_::Full_");
}

// Invalid files are one line. Method: a type that is not installed, an unknown field type, a line
// that is no field, a type that contains itself, and names that leave the folder.
#[test]
fn invalid_files_are_reported() {
    let prefix = Prefix::new("installed_invalid");
    prefix.write("my_msgs/msg/Unknown", "other_msgs/Thing t\n");
    prefix.write("my_msgs/msg/Line", "what\n");
    prefix.write("my_msgs/msg/Itself", "Itself[] more\n");
    prefix.write("my_msgs/srv/NoResponse", "int32 a\n");
    let types = prefix.types();
    for name in [
        "my_msgs/msg/None",
        "none_msgs/msg/A",
        "A",
        "../my_msgs/msg/Line",
        "a/b/c/d",
    ] {
        assert_eq!(types.message(name).unwrap(), None, "{name}");
    }
    for (name, expected) in [
        (
            "my_msgs/msg/Unknown",
            "my_msgs/msg/Unknown: no package in AMENT_PREFIX_PATH contains the type `other_msgs/Thing`",
        ),
        (
            "my_msgs/msg/Line",
            "definition of my_msgs/msg/Line: expected a field, found `what`",
        ),
        (
            "my_msgs/msg/Itself",
            "definition of my_msgs/msg/Itself: nested in itself, or in more than 32 levels",
        ),
    ] {
        assert_eq!(types.message(name).unwrap_err(), expected);
    }
    let error = types.service("my_msgs/srv/NoResponse").unwrap_err();
    assert_eq!(error, "my_msgs/srv/NoResponse: expected a line `---`");
}
