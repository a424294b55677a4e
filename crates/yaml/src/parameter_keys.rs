//! Reading of the key that declares parameters, and their values as JSON.

use serde_json::{Map as JsonMap, Value as Json, json};

use crate::collections::keys_of;
use crate::error::Problems;
use crate::node::{Node, Value};
use crate::parameters::{Parameter, Parameters, read_parameter, unescape};
use crate::scalars::{boolean, number};
use crate::schema::Defs;
use crate::traits::{Field, Read, TypeName};

impl Parameter {
    /// Returns the value as JSON.
    pub fn json(&self) -> Json {
        let mut value = self.value.clone();
        unescape(&mut value);
        json_of(&value)
    }
}

impl Read for Parameters {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Parameters> {
        let keys = &keys_of(node, &Self::type_name(field).singular, field, problems)?.entries;
        let mut all = Vec::new();
        for (key, node) in keys {
            all.extend(read_parameter(key, node, problems));
        }
        (all.len() == keys.len()).then_some(Parameters(all))
    }

    fn type_name(_: &Field<'_>) -> TypeName {
        TypeName::new("a map of names to values", "maps of names to values")
    }

    fn schema(_: &Field<'_>, _: &mut Defs) -> Json {
        json!({
            "type": "object",
            "propertyNames": { "pattern": "^[a-z][a-z0-9_]*$" },
            "additionalProperties": {}
        })
    }

    fn json(&self) -> Json {
        let entries = self.0.iter();
        let entries = entries.map(|parameter| (parameter.name.clone(), json_of(&parameter.value)));
        entries.collect::<JsonMap<_, _>>().into()
    }
}

/// Returns a node as JSON.
fn json_of(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Scalar { text, quoted: true } => json!(text),
        Value::Scalar { text, .. } => match (text.parse::<i64>(), number(text), boolean(text)) {
            (Ok(whole), ..) => json!(whole),
            (_, Some(x), _) if x.is_finite() => json!(x),
            (_, _, Some(is_true)) => json!(is_true),
            _ => json!(text),
        },
        Value::Seq(items) => items.iter().map(json_of).collect(),
        Value::Map(map) => {
            let entries = map.entries.iter();
            let entries = entries.map(|(key, node)| (key.name.clone(), json_of(node)));
            entries.collect::<JsonMap<_, _>>().into()
        }
    }
}
