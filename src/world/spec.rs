//! One declaration of a structure gives its Rust type, its reader and its JSON Schema.
//!
//! Exists so that what a world file may say is written down once. The keys, their meaning, their units, conditions and
//! defaults stand in `spec!`, `choice!` and `fieldless_choice!`; nothing else reads a map.
//!
//! Must not hold rules that concern more than one key.

/// A structure that is read from a map.
///
/// ```text
/// spec! {
///     /// The water of the world.
///     pub struct Water {
///         /// Density of the water.
///         density_kg_m3: f64 [positive] = 1025.0,      // a default
///         /// Depth at the origin.
///         depth_m: Option<f64> [positive],             // may be missing
///         /// Current.
///         current: Current => "{kind: none}",          // a default in YAML, read as if it stood in the file
///         /// Name of the place.
///         name: String [name],                         // required
///         ..pose: Pose,                                // the keys of another structure, in the same map; last, no doc
///     }
/// }
/// ```
///
/// Conditions: `positive`, `non_negative`, `fraction`, `in LOW..=HIGH`, `name`, `frame`, `not_empty`; several are separated by
/// commas. In lists and maps they are put to every element. Numbers are always finite. All fields are public, and `at`
/// holds where each was written; no field may have that name.
macro_rules! spec {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident : $ty:ty $([ $($check:tt)* ])? $(= $default:expr)? $(=> $yaml:literal)?
            ),*
            $(, .. $flat:ident : $flat_ty:ty)?
            $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
            $(
                /// What the other keys of the same map say.
                pub $flat: $flat_ty,
            )?
            /// Where this and each of its keys were written.
            pub at: $crate::world::read::Places,
        }

        impl $crate::world::read::Read for $name {
            fn read(
                node: &$crate::world::node::Node,
                field: &$crate::world::read::Field<'_>,
                problems: &mut $crate::world::error::Problems,
            ) -> Option<Self> {
                $crate::world::spec::read_fields!(
                    [$name] node, field, problems;
                    $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })*
                    $(.. $flat: $flat_ty)?
                )
            }

            fn noun(_: &$crate::world::read::Field<'_>) -> $crate::world::read::Noun {
                $crate::world::read::Noun::new("a map with keys", "maps with keys")
            }

            fn schema(
                _: &$crate::world::read::Field<'_>,
                defs: &mut $crate::world::schema::Defs,
            ) -> serde_json::Value {
                defs.refer::<Self>(stringify!($name), |defs| {
                    $crate::world::schema::any_of(
                        concat!($($doc, "\n"),*),
                        <Self as $crate::world::read::Fields>::shapes(defs),
                    )
                })
            }

            fn json(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                $(map.insert(stringify!($field).into(), $crate::world::read::Read::json(&self.$field));)*
                $(
                    if let serde_json::Value::Object(inner) = $crate::world::read::Read::json(&self.$flat) {
                        map.extend(inner);
                    }
                )?
                serde_json::Value::Object(map)
            }
        }

        impl $crate::world::read::Fields for $name {
            fn shapes(defs: &mut $crate::world::schema::Defs) -> Vec<$crate::world::schema::Shape> {
                $crate::world::spec::shapes_of!(
                    [$($doc)*] defs;
                    $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })*
                    $(.. $flat: $flat_ty)?
                )
            }
        }
    };
}
pub(crate) use spec;

/// A choice between kinds: the key `kind` of the map picks one, the others are its keys.
///
/// ```text
/// choice! {
///     /// The current.
///     pub enum Current {
///         /// Still water.
///         None = "none",
///         /// The same everywhere.
///         Uniform = "uniform" {
///             /// Speed.
///             speed_m_s: f64 [non_negative],
///         },
///         /// From a file.
///         Gridded = "gridded" (GriddedCurrent),        // a structure declared by spec!
///     }
/// }
/// ```
///
/// A kind with braces becomes a variant with these fields and `at`; `kind: none` may be written `none` alone.
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $kind_doc:literal])*
                $variant:ident = $kind:literal
                $({
                    $(
                        $(#[doc = $field_doc:literal])*
                        $field:ident : $ty:ty $([ $($check:tt)* ])? $(= $default:expr)? $(=> $yaml:literal)?
                    ),* $(,)?
                })?
                $(( $inner:ty ))?
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[allow(clippy::large_enum_variant)] // read once when a world is loaded
        #[derive(Clone, Debug, PartialEq)]
        $vis enum $name {
            $(
                $(#[doc = $kind_doc])*
                $variant $({
                    $($(#[doc = $field_doc])* $field: $ty,)*
                    /// Where this and each of its keys were written.
                    at: $crate::world::read::Places,
                })? $(( $inner ))?,
            )*
        }

        impl $name {
            /// The words that pick each kind.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// The word that picks this kind.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $kind,)*
                }
            }
        }

        impl $crate::world::read::Read for $name {
            fn read(
                node: &$crate::world::node::Node,
                field: &$crate::world::read::Field<'_>,
                problems: &mut $crate::world::error::Problems,
            ) -> Option<Self> {
                let (kind, node) = $crate::world::read::pick_kind::<Self>(node, field, Self::KINDS, problems)?;
                let node = &node;
                match kind {
                    $($kind => $crate::world::spec::read_kind!(
                        [Self::$variant] node, field, problems;
                        $({ $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })* })?
                        $(( $inner ))?
                    ),)*
                    _ => None,
                }
            }

            fn noun(_: &$crate::world::read::Field<'_>) -> $crate::world::read::Noun {
                $crate::world::read::Noun::new("a map with the key `kind`", "maps with the key `kind`")
            }

            fn schema(
                _: &$crate::world::read::Field<'_>,
                defs: &mut $crate::world::schema::Defs,
            ) -> serde_json::Value {
                defs.refer::<Self>(stringify!($name), |defs| {
                    let shapes = <Self as $crate::world::read::Fields>::shapes(defs);
                    $crate::world::schema::choice(concat!($($doc, "\n"),*), shapes)
                })
            }

            fn json(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                map.insert($crate::world::read::KIND.into(), self.kind().into());
                match self {
                    $(
                        Self::$variant
                        $({ $($field,)* .. })?
                        $(($crate::world::spec::bind!(inner $inner)))?
                        => {
                            $($(map.insert(stringify!($field).into(), $crate::world::read::Read::json($field));)*)?
                            $(
                                let inner = <$inner as $crate::world::read::Read>::json(inner);
                                if let serde_json::Value::Object(inner) = inner {
                                    map.extend(inner);
                                }
                            )?
                        }
                    )*
                }
                serde_json::Value::Object(map)
            }
        }

        impl $crate::world::read::Fields for $name {
            fn shapes(defs: &mut $crate::world::schema::Defs) -> Vec<$crate::world::schema::Shape> {
                let mut shapes = Vec::new();
                $(
                    let of_kind = $crate::world::spec::shapes_of_kind!(
                        [$($kind_doc)*] defs;
                        $({ $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })* })?
                        $(( $inner ))?
                    );
                    shapes.extend(
                        of_kind.into_iter().map(|shape| shape.kind($crate::world::read::KIND, $kind)),
                    );
                )*
                shapes
            }
        }
    };
}
pub(crate) use choice;

/// A choice between words.
///
/// ```text
/// fieldless_choice! {
///     /// Which way the propeller turns.
///     pub enum Turning { /** Clockwise. */ Right = "right", /** Counter-clockwise. */ Left = "left" }
/// }
/// ```
macro_rules! fieldless_choice {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident {
            $($(#[doc = $word_doc:literal])* $variant:ident = $word:literal),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[doc = $word_doc])* $variant,)*
        }

        impl $name {
            /// All words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word of the file.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl $crate::world::read::Read for $name {
            fn read(
                node: &$crate::world::node::Node,
                field: &$crate::world::read::Field<'_>,
                problems: &mut $crate::world::error::Problems,
            ) -> Option<Self> {
                match $crate::world::read::pick(node, field, Self::WORDS, problems)? {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }

            fn noun(_: &$crate::world::read::Field<'_>) -> $crate::world::read::Noun {
                let words = $crate::world::error::list(Self::WORDS.iter().copied());
                $crate::world::read::Noun::new(format!("one of {words}"), format!("words out of {words}"))
            }

            fn schema(
                _: &$crate::world::read::Field<'_>,
                defs: &mut $crate::world::schema::Defs,
            ) -> serde_json::Value {
                defs.refer::<Self>(stringify!($name), |_| {
                    $crate::world::schema::words(
                        concat!($($doc, "\n"),*),
                        &[$(($word, concat!($($word_doc, "\n"),*))),*],
                    )
                })
            }

            fn json(&self) -> serde_json::Value {
                self.word().into()
            }
        }
    };
}
pub(crate) use fieldless_choice;

/// Reads the fields of one map and builds `$path { fields, at }`. All are read before any failure ends it.
macro_rules! read_fields {
    (
        [$($path:tt)*] $node:expr, $owner:expr, $problems:expr;
        $({ $field:ident: $ty:ty, [$($doc:literal)*], [$($check:tt)*], [$($fallback:tt)*] })*
        $(.. $flat:ident: $flat_ty:ty)?
    ) => {{
        let fields: &[$crate::world::read::Field<'_>] =
            &[$($crate::world::spec::field!($field, [$($doc)*], [$($check)*])),*];
        let open = $crate::world::spec::is_open!($($flat)?);
        let reader = $crate::world::read::Reader::new($node, $owner, fields, open, $problems)?;
        $(
            let $field: Option<$ty> = reader.value(
                &$crate::world::spec::field!($field, [$($doc)*], [$($check)*]),
                $crate::world::spec::fallback!($($fallback)*),
                $problems,
            );
        )*
        $(let $flat: Option<$flat_ty> = reader.rest($problems);)?
        Some($($path)* { $($field: $field?,)* $($flat: $flat?,)? at: reader.places() })
    }};
}
pub(crate) use read_fields;

/// Reads one kind of a choice, in any of its three forms.
macro_rules! read_kind {
    ([$($path:tt)*] $node:expr, $owner:expr, $problems:expr; { $($fields:tt)* }) => {
        $crate::world::spec::read_fields!([$($path)*] $node, $owner, $problems; $($fields)*)
    };
    ([$($path:tt)*] $node:expr, $owner:expr, $problems:expr; ( $inner:ty )) => {
        <$inner as $crate::world::read::Read>::read($node, $owner, $problems).map($($path)*)
    };
    ([$($path:tt)*] $node:expr, $owner:expr, $problems:expr;) => {
        $crate::world::read::Reader::new($node, $owner, &[], false, $problems).map(|_| $($path)*)
    };
}
pub(crate) use read_kind;

/// The shapes of a map with these fields.
macro_rules! shapes_of {
    (
        [$($owner_doc:literal)*] $defs:expr;
        $({ $field:ident: $ty:ty, [$($doc:literal)*], [$($check:tt)*], [$($fallback:tt)*] })*
        $(.. $flat:ident: $flat_ty:ty)?
    ) => {{
        #[allow(unused_mut)]
        let mut shape = $crate::world::schema::Shape::new(concat!($($owner_doc, "\n"),*));
        $({
            let fallback: $crate::world::read::Fallback<$ty> = $crate::world::spec::fallback!($($fallback)*);
            let field = $crate::world::spec::field!($field, [$($doc)*], [$($check)*]);
            shape.key::<$ty>(&field, fallback.required(), fallback.json(&field), $defs);
        })*
        $crate::world::spec::joined_shapes!(shape, $defs $(, $flat_ty)?)
    }};
}
pub(crate) use shapes_of;

/// One shape, or one for each shape of the structure that shares its map.
macro_rules! joined_shapes {
    ($shape:expr, $defs:expr) => {
        vec![$shape]
    };
    ($shape:expr, $defs:expr, $flat:ty) => {{
        let inner = <$flat as $crate::world::read::Fields>::shapes($defs);
        $shape.with_each(inner)
    }};
}
pub(crate) use joined_shapes;

/// The shapes of one kind of a choice, in any of its three forms.
macro_rules! shapes_of_kind {
    ([$($doc:literal)*] $defs:expr; ( $inner:ty )) => {
        <$inner as $crate::world::read::Fields>::shapes($defs)
    };
    ([$($doc:literal)*] $defs:expr; $({ $($fields:tt)* })?) => {
        $crate::world::spec::shapes_of!([$($doc)*] $defs; $($($fields)*)?)
    };
}
pub(crate) use shapes_of_kind;

/// What is known about a field.
macro_rules! field {
    ($field:ident, [$($doc:literal)*], [$($check:tt)*]) => {
        $crate::world::read::Field::new(
            stringify!($field),
            concat!($($doc, "\n"),*),
            $crate::world::spec::checks!($($check)*),
        )
    };
}
pub(crate) use field;

/// The conditions of a field.
macro_rules! checks {
    ($($word:ident $($low:literal ..= $high:literal)?),* $(,)?) => {
        const { &[$($crate::world::spec::check!($word $($low, $high)?)),*] }
    };
}
pub(crate) use checks;

/// One condition.
macro_rules! check {
    (positive) => {
        $crate::world::read::Check::Positive
    };
    (non_negative) => {
        $crate::world::read::Check::NonNegative
    };
    (fraction) => {
        $crate::world::read::Check::Fraction
    };
    (name) => {
        $crate::world::read::Check::Name
    };
    (frame) => {
        $crate::world::read::Check::Frame
    };
    (not_empty) => {
        $crate::world::read::Check::NotEmpty
    };
    (in $low:literal, $high:literal) => {
        $crate::world::read::Check::In($low as f64, $high as f64)
    };
}
pub(crate) use check;

/// What holds when the key is missing.
macro_rules! fallback {
    () => {
        $crate::world::read::Fallback::OfType
    };
    (= $default:expr) => {
        $crate::world::read::Fallback::Value(|| $default)
    };
    (=> $yaml:literal) => {
        $crate::world::read::Fallback::Yaml($yaml)
    };
}
pub(crate) use fallback;

/// Whether unknown keys go to a structure that shares the map.
macro_rules! is_open {
    () => {
        false
    };
    ($flat:ident) => {
        true
    };
}
pub(crate) use is_open;

/// A name in a pattern; the type only says how often.
#[allow(unused_macros)] // by `choice!` alone, for kinds that wrap a structure
macro_rules! bind {
    ($name:ident $ty:ty) => {
        $name
    };
}
#[allow(unused_imports)]
pub(crate) use bind;

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
