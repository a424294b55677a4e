//! Tests of the decoder with the types of the catalogue, and with hostile definitions and bytes.

use serde_json::{Map, Value as Json};

use crate::cdr::{CdrError, to_bytes};
use crate::dynamic::definition::{Definition, DefinitionError, Element};
use crate::dynamic::value::{ArrayLimits, Leaf, Value};
use crate::message::Message;
use crate::msg::catalogue;
use crate::msg::nav_msgs::Odometry;
use crate::samples::samples;
use merrow_testing::random::Random;

/// Converts a decoded value to JSON, in the form of the values of the catalogue.
fn json(value: &Value<'_>) -> Json {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Uint(value) => (*value).into(),
        Value::Float32(value) => (*value).into(),
        Value::Float64(value) => (*value).into(),
        Value::Text(text) => text.as_ref().into(),
        Value::Numbers(numbers) => numbers.iter().map(|value| json(&value)).collect(),
        Value::Array(values) => values.iter().map(json).collect(),
        Value::Message(message, values) => {
            let names = message.fields.iter().map(|field| field.name.clone());
            Json::Object(Map::from_iter(names.zip(values.iter().map(json))))
        }
    }
}

// Every type is decoded with the text that bags contain. Method: the samples of the catalogue,
// whose values follow from the parsed structure and whose bytes are encoded by the Rust types,
// against the values decoded with the definitions.
#[test]
fn all_types_of_the_catalogue_are_decoded() {
    let samples = samples(catalogue());
    assert!(samples.len() > 200, "{} types", samples.len());
    for sample in samples {
        let name = sample.info.name;
        let definition = Definition::parse(name, &sample.info.definition)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let bytes = sample.cdr.unwrap();
        let value = definition
            .decode(&bytes)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(json(&value), sample.values, "{name}");
    }
}

// Comments, constants, defaults, bounds and short names of other writers are parsed. Method: a
// definition with all of them and big-endian bytes written by hand.
#[test]
fn definitions_of_interface_files_are_parsed() {
    let text = "# a comment\n\nint32 ZERO=0\nstring NAME = \"a=b # c\"\nHeader header # first\n\
        float32[<=2] pair [1.0, 2.0]\nstring<=5 word \"a=b\"\nPoint at\n\
        ================================================================================\n\
        MSG: std_msgs/msg/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n\
        ================================================================================\n\
        MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n\
        ================================================================================\n\
        MSG: my_msgs/Point\nint16 x\nbool ok";
    let definition = Definition::parse("my_msgs/msg/Mine", text).unwrap();
    assert!(definition.has_header());
    let bytes = [
        &[0, 0, 0, 0][..],
        &(-3_i32).to_be_bytes(),
        &500_000_000_u32.to_be_bytes(),
        &[0, 0, 0, 2, b'a', 0, 0, 0],
        &[0, 0, 0, 1],
        &1.5_f32.to_be_bytes(),
        &[0, 0, 0, 3, b'h', b'i', 0, 0],
        &(-2_i16).to_be_bytes(),
        &[1],
    ]
    .concat();
    let value = definition.decode(&bytes).unwrap();
    let mut leaves = Vec::new();
    let limits = ArrayLimits {
        bytes: 8,
        elements: 8,
    };
    value.visit_leaves(limits, &mut |path, leaf| {
        leaves.push(format!("{path} {leaf:?}"));
    });
    let expected = [
        "header.stamp Time { sec: -3, nanosec: 500000000 }",
        "header.frame_id Text(\"a\")",
        "pair[0] Float32(1.5)",
        "word Text(\"hi\")",
        "at.x Int(-2)",
        "at.ok Bool(true)",
    ];
    assert_eq!(leaves, expected);
    assert_eq!(value.number_at("header.stamp"), Some(-2.5));
    assert_eq!(value.number_at("at.y"), None);
    let short = ArrayLimits {
        bytes: 8,
        elements: 0,
    };
    let mut long = Vec::new();
    value.visit_leaves(short, &mut |path, leaf| {
        if let Leaf::Long { len } = leaf {
            long.push((path.to_owned(), len));
        }
    });
    assert_eq!(long, [("pair".to_owned(), 1)]);
}

#[test]
fn comments_end_default_values_outside_quotes() {
    let text = r##"string a "red # 1" # red
string[] b ['#', "\"#"] # two
string c it's # unquoted
string d# none
int32 e 7# seven
"##;
    let definition = Definition::parse("a/msg/B", text).unwrap();
    let fields = definition.root().fields.iter();
    let defaults: Vec<_> = fields.map(|field| field.default.as_str()).collect();
    let expected = [r##""red # 1""##, r##"['#', "\"#"]"##, "it's", "", "7"];
    assert_eq!(defaults, expected);
}

#[test]
fn fields_have_the_types_of_their_full_names() {
    let separator = "=".repeat(80);
    let text = format!(
        "Header a\nmy_msgs/Header b\nmy_msgs/Mine c\nmy_msgs/action/Do_Goal d\nmy_msgs/Do_Result e\n\
         {separator}\nMSG: my_msgs/Header\nint8 x\n\
         {separator}\nMSG: std_msgs/Header\nint16 x\n\
         {separator}\nMSG: my_msgs/Mine\nint32 x\n\
         {separator}\nMSG: my_msgs/Do_Goal\nint8 x\n\
         {separator}\nMSG: my_msgs/action/Do_Result\nint8 x\n"
    );
    let definition = Definition::parse("my_msgs/srv/Mine", &text).unwrap();
    let fields = definition.root().fields.iter();
    let names: Vec<_> = fields
        .map(|field| match field.element {
            Element::Message(k) => definition.message(k).name.as_str(),
            Element::Primitive(_) => "",
        })
        .collect();
    let expected = [
        "std_msgs/msg/Header",
        "my_msgs/msg/Header",
        "my_msgs/msg/Mine",
        "my_msgs/msg/Do_Goal",
        "my_msgs/action/Do_Result",
    ];
    assert_eq!(names, expected);
}

#[test]
fn invalid_definitions_are_refused() {
    let parse = |text: &str| Definition::parse("a/msg/B", text).map(|_| ());
    let message = |text: &str| parse(text).expect_err(text).to_string();
    assert_eq!(
        message("Other x"),
        "definition of a/msg/B: found no definition of the type `Other`"
    );
    assert_eq!(
        message("float64"),
        "definition of a/msg/B: expected a field, found `float64`"
    );
    assert!(message("wstring x").contains("`wstring` fields are not decoded"));
    for line in ["int8[0] x", "int8[-1] x", "int8[<=x] y", "int8[99"] {
        assert!(parse(line).is_err(), "{line}");
    }
    assert_eq!(
        parse("B x\nB y"),
        Err(DefinitionError::Nesting("a/msg/B".to_owned()))
    );
    // sizes that exceed every number
    let separator = "=".repeat(80);
    let mut text = "T0[4000000000] x\n".to_owned();
    for k in 0..20 {
        text += &format!("{separator}\nMSG: a/T{k}\nT{}[4000000000] x\n", k + 1);
    }
    text += &format!("{separator}\nMSG: a/T20\nint8 x\n");
    let definition = Definition::parse("a/msg/B", &text).unwrap();
    assert!(matches!(
        definition.decode(&[0, 1, 0, 0, 1, 2, 3]),
        Err(CdrError::Truncated { .. })
    ));
}

// No bytes cause a panic or more elements than bytes. Method: the samples of the catalogue cut at
// every length, and with bytes and lengths changed at random; the number of leaves. Tolerance: one
// leaf per byte, and the fields of the definition.
#[test]
fn hostile_bytes_are_bounded() {
    let limits = ArrayLimits {
        bytes: usize::MAX,
        elements: usize::MAX,
    };
    let mut random = Random(7);
    for sample in samples(catalogue()) {
        let definition = Definition::parse(sample.info.name, &sample.info.definition).unwrap();
        let bytes = sample.cdr.unwrap();
        for end in 0..bytes.len() {
            let _ = definition.decode(&bytes[..end]);
        }
        for _ in 0..200 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(changed.len());
                changed[at] = [0, 1, 0x7f, 0xff][random.below(4)];
            }
            if let Ok(value) = definition.decode(&changed) {
                let mut leaves = 0;
                value.visit_leaves(limits, &mut |_, _| leaves += 1);
                assert!(leaves <= changed.len(), "{}", sample.info.name);
            }
        }
    }
}

// No text causes a panic. Method: the definition of odometry with bytes changed at random; an
// accepted definition decodes or refuses the bytes of a message.
#[test]
fn hostile_definitions_are_bounded() {
    let text = Odometry::info().definition.as_bytes();
    let bytes = to_bytes(&Odometry::default());
    let mut random = Random(11);
    for _ in 0..2000 {
        let mut changed = text.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(changed.len());
            changed[at] = b"[]<=\n /9#a\xff"[random.below(11)];
        }
        let changed = String::from_utf8_lossy(&changed);
        if let Ok(definition) = Definition::parse("nav_msgs/msg/Odometry", &changed) {
            let _ = definition.decode(&bytes);
        }
    }
}
