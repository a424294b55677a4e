//! Message of a client as input of the derived decoders: the word of `do` selects the variant of an
//! enum, and an error begins with the key that it concerns.
//!
//! The attribute `tag` of serde has the same format, but its errors do not contain the key.

use crate::values::unexpected;
use serde::de::value::{EnumAccessDeserializer, MapAccessDeserializer};
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess,
    VariantAccess, Visitor,
};
use serde_json::map::Iter;
use serde_json::{Map, Value};
use std::fmt::{Display, Formatter, Result as FmtResult};

/// Word of `do` and the other keys of a message.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    pub word: &'a str,
    pub keys: &'a Map<String, Value>,
}

impl<'a> Message<'a> {
    /// Decodes the action; `None` if the enum has no action with this word. The words of the enum
    /// are then appended to `words`.
    pub(crate) fn decode<T: Deserialize<'a>>(
        self,
        words: &mut Vec<&'static str>,
    ) -> Result<Option<T>, String> {
        match T::deserialize(EnumAccessDeserializer::new(self)) {
            Ok(action) => Ok(Some(action)),
            Err(refusal) if !refusal.words.is_empty() => {
                words.extend(refusal.words);
                Ok(None)
            }
            Err(refusal) => Err(refusal.why),
        }
    }
}

/// Decodes a value that is an object.
pub(crate) fn object<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    let keys = value
        .as_object()
        .ok_or_else(|| unexpected(value, "an object"))?;
    let decoded = T::deserialize(MapAccessDeserializer::new(Fields::new(keys)));
    decoded.map_err(|refusal| refusal.why)
}

/// Reason why a message is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    why: String,
    /// Words of the enum, which has no action with the word of the message.
    words: &'static [&'static str],
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: Display>(why: T) -> Self {
        let why = why.to_string();
        let words = &[];
        Self { why, words }
    }

    fn unknown_variant(_: &str, words: &'static [&'static str]) -> Self {
        let why = String::new();
        Self { why, words }
    }
}

/// Keys of an object.
struct Fields<'a> {
    entries: Iter<'a>,
    value: Option<(&'a str, &'a Value)>,
}

impl<'a> Fields<'a> {
    fn new(keys: &'a Map<String, Value>) -> Self {
        let (entries, value) = (keys.iter(), None);
        Self { entries, value }
    }
}

impl<'a> MapAccess<'a> for Fields<'a> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refusal> {
        let Some((key, value)) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some((key, value));
        seed.deserialize(key.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Refusal> {
        let (key, value) = self.value.take().unwrap_or(("", &Value::Null));
        let decoded = seed.deserialize(value);
        decoded.map_err(|why| de::Error::custom(format_args!("{key}: {why}")))
    }
}

impl<'a> EnumAccess<'a> for Message<'a> {
    type Error = Refusal;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), Refusal> {
        Ok((seed.deserialize(self.word.into_deserializer())?, self))
    }
}

impl<'a> VariantAccess<'a> for Message<'a> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        match self.keys.keys().next() {
            None => Ok(()),
            Some(key) => Err(de::Error::unknown_field(key, &[])),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Refusal> {
        seed.deserialize(MapAccessDeserializer::new(Fields::new(self.keys)))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.struct_variant(&[], visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_map(Fields::new(self.keys))
    }
}
