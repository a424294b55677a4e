//! Macro that derives Rust types, their readers and their JSON Schema from one declaration.
//!
//! Every key of a file is declared exactly once, with its meaning, unit, conditions and default, by
//! [`spec!`](crate::spec::spec). Rules that concern more than one key are not part of these
//! declarations.

/// Declares the keys of a file: structures, choices between kinds, and choices between words.
///
/// ```text
/// spec! {
///     /// A structure, which is read from a map.
///     pub struct Water {
///         /// Density of the water.
///         density_kg_m3: f64 [positive] = 1025.0,      // a default
///         /// Depth at the origin.
///         depth_m: Option<f64> [positive],             // may be missing
///         /// Current.
///         current: Current => "{kind: none}",          // a default in YAML, read as if the file contained it
///         /// Name of the place.
///         name: String [name],                         // required
///         ..pose: Pose,                                // keys of another structure in the same map; last, no doc
///     }
///
///     /// A choice between kinds: the key `kind` of the map selects one, with its own keys.
///     pub enum Current {
///         /// Still water.
///         None = "none",
///         /// The same everywhere.
///         Uniform = "uniform" {
///             /// Speed.
///             speed_m_s: f64 [non_negative],
///         },
///         /// From a file.
///         Gridded = "gridded" (GriddedCurrent),        // a structure
///     }
///
///     /// A choice between words.
///     pub enum Turning words {
///         /// Clockwise.
///         Right = "right",
///         /// Counter-clockwise.
///         Left = "left",
///     }
/// }
/// ```
///
/// Conditions: `positive`, `non_negative`, `fraction`, `in LOW..=HIGH`, `name`, `frame`,
/// `not_empty`, separated by commas. For lists and maps they apply to every element. Numbers are
/// always finite. All fields are public. The additional field `at`, also of a kind with braces,
/// holds the position of each key; no declared field may have that name. `kind: none` may be
/// written as the string `none`.
///
/// A type of the state or of a law that is copied has no positions: `pub struct Water plain { … }`,
/// `pub enum Current plain { … }`. Further traits may be derived: `#[derive(Trait)]` after the
/// description.
#[macro_export]
macro_rules! spec {
    (@ struct [$($mark:ident)?] $($item:tt)*) => {
        $crate::spec::structure! { $($item)* }
    };
    (@ enum [words] $(#[$($meta:tt)*])* $vis:vis enum $name:ident words { $($body:tt)* }) => {
        $crate::spec::words! { $(#[$($meta)*])* $vis enum $name { $($body)* } }
    };
    (@ enum [$($mark:ident)?] $($item:tt)*) => {
        $crate::spec::choice! { $($item)* }
    };
    ($(
        $(#[$($meta:tt)*])* $vis:vis $type:ident $name:ident $($mark:ident)? { $($body:tt)* }
    )*) => {
        $($crate::spec::spec! {
            @ $type [$($mark)?] $(#[$($meta)*])* $vis $type $name $($mark)? { $($body)* }
        })*
    };
}
pub use spec;

/// Declares a structure of [`spec!`](crate::spec::spec).
#[macro_export]
macro_rules! structure {
    (
        @ [$($at:ident)?]
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
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
        #[derive(Clone, Debug, PartialEq $($(, $derive)*)?)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
            $(
                /// Values of the other keys of the same map.
                pub $flat: $flat_ty,
            )?
            $(
                /// Positions at which this map and each of its keys were written.
                pub $at: $crate::read::Places,
            )?
        }

        impl $crate::read::Read for $name {
            fn read(
                node: &$crate::node::Node,
                field: &$crate::read::Field<'_>,
                problems: &mut $crate::error::Problems,
            ) -> Option<Self> {
                $crate::spec::read_fields!(
                    [$name] [$($at)?] node, field, problems;
                    $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })*
                    $(.. $flat: $flat_ty)?
                )
            }

            fn type_name(_: &$crate::read::Field<'_>) -> $crate::read::TypeName {
                $crate::read::TypeName::new("a map with keys", "maps with keys")
            }

            fn schema(
                _: &$crate::read::Field<'_>,
                defs: &mut $crate::schema::Defs,
            ) -> serde_json::Value {
                defs.reference(std::any::type_name::<Self>(), stringify!($name), |defs| {
                    $crate::schema::map_schema(
                        concat!($($doc, "\n"),*),
                        <Self as $crate::read::Fields>::key_sets(defs),
                    )
                })
            }

            fn json(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                $($crate::read::insert_json(
                    &mut map,
                    stringify!($field),
                    $crate::read::Read::json(&self.$field),
                );)*
                $(
                    if let serde_json::Value::Object(inner) = $crate::read::Read::json(&self.$flat) {
                        map.extend(inner);
                    }
                )?
                serde_json::Value::Object(map)
            }
        }

        impl $crate::read::Fields for $name {
            fn key_sets(defs: &mut $crate::schema::Defs) -> Vec<$crate::schema::KeySet> {
                $crate::spec::key_sets_of!(
                    [$($doc)*] defs;
                    $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })*
                    $(.. $flat: $flat_ty)?
                )
            }
        }
    };
    ($(#[$($meta:tt)*])* $vis:vis struct $name:ident plain { $($body:tt)* }) => {
        $crate::spec::structure! { @ [] $(#[$($meta)*])* $vis struct $name { $($body)* } }
    };
    ($(#[$($meta:tt)*])* $vis:vis struct $name:ident { $($body:tt)* }) => {
        $crate::spec::structure! { @ [at] $(#[$($meta)*])* $vis struct $name { $($body)* } }
    };
}
pub use structure;

/// Declares a choice between kinds of [`spec!`](crate::spec::spec).
#[macro_export]
macro_rules! choice {
    (
        @ $at:tt
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $kind_doc:literal])*
                $variant:ident = $kind:tt
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
        $crate::spec::choice_enum! {
            $at
            $(#[doc = $doc])*
            $(#[derive($($derive),*)])?
            $vis enum $name {
                $($(#[doc = $kind_doc])* $variant
                    $({ $($(#[doc = $field_doc])* $field: $ty),* })?
                    $(( $inner ))?
                ),*
            }
        }

        impl $name {
            /// Values of the key `kind`, in the order of the variants.
            pub(crate) const KINDS: &'static [&'static str] = &[$($kind),*];

            /// Returns the value of the key `kind` that selects this variant.
            #[allow(unreachable_pub, reason = "the type may be private")]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $kind,)*
                }
            }
        }

        impl $crate::read::Read for $name {
            fn read(
                node: &$crate::node::Node,
                field: &$crate::read::Field<'_>,
                problems: &mut $crate::error::Problems,
            ) -> Option<Self> {
                let (kind, node) = $crate::read::read_kind_key(
                    node,
                    field,
                    Self::KINDS,
                    <Self as $crate::read::Fields>::key_sets,
                    problems,
                )?;
                let node = &node;
                match kind {
                    $($kind => $crate::spec::read_kind!(
                        [Self::$variant] $at node, field, problems;
                        $({ $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })* })?
                        $(( $inner ))?
                    ),)*
                    _ => None,
                }
            }

            fn type_name(_: &$crate::read::Field<'_>) -> $crate::read::TypeName {
                $crate::read::TypeName::new("a map with the key `kind`", "maps with the key `kind`")
            }

            fn schema(
                _: &$crate::read::Field<'_>,
                defs: &mut $crate::schema::Defs,
            ) -> serde_json::Value {
                defs.reference(std::any::type_name::<Self>(), stringify!($name), |defs| {
                    let key_sets = <Self as $crate::read::Fields>::key_sets(defs);
                    $crate::schema::choice_schema(concat!($($doc, "\n"),*), key_sets)
                })
            }

            fn json(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                map.insert($crate::read::KIND.into(), self.kind().into());
                match self {
                    $(
                        Self::$variant
                        $({ $($field,)* .. })?
                        $(($crate::spec::bind!(inner $inner)))?
                        => {
                            $($($crate::read::insert_json(
                                &mut map,
                                stringify!($field),
                                $crate::read::Read::json($field),
                            );)*)?
                            $(
                                let inner = <$inner as $crate::read::Read>::json(inner);
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

        impl $crate::read::Fields for $name {
            fn key_sets(defs: &mut $crate::schema::Defs) -> Vec<$crate::schema::KeySet> {
                let mut key_sets = Vec::new();
                $(
                    let of_kind = $crate::spec::key_sets_of_kind!(
                        [$($kind_doc)*] defs;
                        $({ $({ $field: $ty, [$($field_doc)*], [$($($check)*)?], [$(= $default)? $(=> $yaml)?] })* })?
                        $(( $inner ))?
                    );
                    $crate::schema::add_kind(&mut key_sets, $kind, of_kind);
                )*
                key_sets
            }
        }
    };
    ($(#[$($meta:tt)*])* $vis:vis enum $name:ident plain { $($body:tt)* }) => {
        $crate::spec::choice! { @ [] $(#[$($meta)*])* $vis enum $name { $($body)* } }
    };
    ($(#[$($meta:tt)*])* $vis:vis enum $name:ident { $($body:tt)* }) => {
        $crate::spec::choice! { @ [at] $(#[$($meta)*])* $vis enum $name { $($body)* } }
    };
}
pub use choice;

/// Defines the enumeration of `choice!`, with or without positions.
#[macro_export]
macro_rules! choice_enum {
    (
        [$($at:ident)?]
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        $vis:vis enum $name:ident { $($variants:tt)* }
    ) => {
        $crate::spec::choice_enum! {
            @ [$($at)?] [$(#[doc = $doc])* #[derive(Clone, Debug, PartialEq $($(, $derive)*)?)] $vis] $name
            $($variants)*
        }
    };
    (
        @ [] [$($head:tt)*] $name:ident
        $($(#[doc = $kind_doc:literal])* $variant:ident $({ $($fields:tt)* })? $(( $inner:ty ))?),*
    ) => {
        #[allow(clippy::large_enum_variant)] // Only a few exist, created while a world is loaded.
        $($head)* enum $name {
            $($(#[doc = $kind_doc])* $variant $({ $($fields)* })? $(( $inner ))?,)*
        }
    };
    (
        @ [at] [$($head:tt)*] $name:ident
        $($(#[doc = $kind_doc:literal])* $variant:ident $({ $($fields:tt)* })? $(( $inner:ty ))?),*
    ) => {
        #[allow(clippy::large_enum_variant)] // Only a few exist, created while a world is loaded.
        $($head)* enum $name {
            $(
                $(#[doc = $kind_doc])*
                $variant $({
                    $($fields)*,
                    /// Positions at which this map and each of its keys were written.
                    at: $crate::read::Places,
                })? $(( $inner ))?,
            )*
        }
    };
}
pub use choice_enum;

/// Declares a choice between words of [`spec!`](crate::spec::spec).
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        $vis:vis enum $name:ident {
            $($(#[doc = $word_doc:literal])* $variant:ident = $word:literal),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash $($(, $derive)*)?)]
        $vis enum $name {
            $($(#[doc = $word_doc])* $variant,)*
        }

        impl $name {
            /// All words, in the order of the variants.
            pub(crate) const WORDS: &'static [&'static str] = &[$($word),*];

            /// All variants, in their order.
            #[allow(dead_code, unreachable_pub, reason = "the type may be private")]
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),*];

            /// Returns the word that denotes this variant in a file.
            #[allow(unreachable_pub, reason = "the type may be private")]
            pub fn keyword(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns the variant that this word denotes; `None` for another word.
            #[allow(dead_code, unreachable_pub, reason = "the type may be private")]
            pub fn from_keyword(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.keyword() == word)
            }
        }

        impl $crate::read::Read for $name {
            fn read(
                node: &$crate::node::Node,
                field: &$crate::read::Field<'_>,
                problems: &mut $crate::error::Problems,
            ) -> Option<Self> {
                match $crate::read::read_word(node, field, Self::WORDS, problems)? {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }

            fn type_name(_: &$crate::read::Field<'_>) -> $crate::read::TypeName {
                let words = $crate::error::quoted_list(Self::WORDS.iter().copied());
                $crate::read::TypeName::new(format!("one of {words}"), format!("words out of {words}"))
            }

            fn schema(
                _: &$crate::read::Field<'_>,
                defs: &mut $crate::schema::Defs,
            ) -> serde_json::Value {
                defs.reference(std::any::type_name::<Self>(), stringify!($name), |_| {
                    $crate::schema::words_schema(
                        concat!($($doc, "\n"),*),
                        &[$(($word, concat!($($word_doc, "\n"),*))),*],
                    )
                })
            }

            fn json(&self) -> serde_json::Value {
                self.keyword().into()
            }
        }
    };
}
pub use words;

/// Reads the fields of one map and builds `$path { fields, at }`, or `$path { fields }` of a plain type. All fields are read even if one
/// of them fails.
#[macro_export]
macro_rules! read_fields {
    (
        [$($path:tt)*] [$($at:ident)?] $node:expr, $owner:expr, $problems:expr;
        $({ $field:ident: $ty:ty, [$($doc:literal)*], [$($check:tt)*], [$($fallback:tt)*] })*
        $(.. $flat:ident: $flat_ty:ty)?
    ) => {{
        let fields: &'static [$crate::read::Declaration] =
            const { &[$($crate::spec::declaration!($field, [$($doc)*], [$($check)*])),*] };
        let open = $crate::spec::is_open!($($flat)?);
        let reader = $crate::read::Reader::new($node, $owner, fields, open, $problems)?;
        $(
            let $field: Option<$ty> = reader.read_key(
                const { &$crate::spec::declaration!($field, [$($doc)*], [$($check)*]) },
                $crate::spec::fallback!($($fallback)*),
                $problems,
            );
        )*
        $(let $flat: Option<$flat_ty> = reader.read_flattened($problems);)?
        // One pattern instead of a `?` per field: the drops after each `?` would make the compiled
        // code grow with the square of the number of fields.
        match ($($field,)* $($flat,)?) {
            ($(Some($field),)* $(Some($flat),)?) => {
                Some($($path)* { $($field,)* $($flat,)? $($at: reader.into_places())? })
            }
            #[allow(unreachable_patterns, reason = "there may be no fields")]
            _ => None,
        }
    }};
}
pub use read_fields;

/// Reads one kind of a choice, in any of its three forms.
#[macro_export]
macro_rules! read_kind {
    ([$($path:tt)*] $at:tt $node:expr, $owner:expr, $problems:expr; { $($fields:tt)* }) => {
        $crate::spec::read_fields!([$($path)*] $at $node, $owner, $problems; $($fields)*)
    };
    ([$($path:tt)*] $at:tt $node:expr, $owner:expr, $problems:expr; ( $inner:ty )) => {
        <$inner as $crate::read::Read>::read($node, $owner, $problems).map($($path)*)
    };
    ([$($path:tt)*] $at:tt $node:expr, $owner:expr, $problems:expr;) => {
        $crate::read::Reader::new($node, $owner, &[], false, $problems).map(|_| $($path)*)
    };
}
pub use read_kind;

/// Returns the key sets of a map with these fields.
#[macro_export]
macro_rules! key_sets_of {
    (
        [$($owner_doc:literal)*] $defs:expr;
        $({ $field:ident: $ty:ty, [$($doc:literal)*], [$($check:tt)*], [$($fallback:tt)*] })*
        $(.. $flat:ident: $flat_ty:ty)?
    ) => {{
        #[allow(unused_mut)]
        let mut key_set = $crate::schema::KeySet::new(concat!($($owner_doc, "\n"),*));
        $(
            key_set.add_key::<$ty>(
                const { &$crate::spec::declaration!($field, [$($doc)*], [$($check)*]) },
                $crate::spec::fallback!($($fallback)*),
                $defs,
            );
        )*
        $crate::spec::joined_key_sets!(key_set, $defs $(, $flat_ty)?)
    }};
}
pub use key_sets_of;

/// Returns the given key set, or one key set for each key set of the structure that shares the map.
#[macro_export]
macro_rules! joined_key_sets {
    ($key_set:expr, $defs:expr) => {
        vec![$key_set]
    };
    ($key_set:expr, $defs:expr, $flat:ty) => {{
        let inner = <$flat as $crate::read::Fields>::key_sets($defs);
        $key_set.extended_by_each(inner)
    }};
}
pub use joined_key_sets;

/// Returns the key sets of one kind of a choice, in any of its three forms.
#[macro_export]
macro_rules! key_sets_of_kind {
    ([$($doc:literal)*] $defs:expr; ( $inner:ty )) => {
        <$inner as $crate::read::Fields>::key_sets($defs)
    };
    ([$($doc:literal)*] $defs:expr; $({ $($fields:tt)* })?) => {
        $crate::spec::key_sets_of!([$($doc)*] $defs; $($($fields)*)?)
    };
}
pub use key_sets_of_kind;

/// Builds the [`Declaration`](crate::read::Declaration) of a field.
#[macro_export]
macro_rules! declaration {
    ($field:ident, [$($doc:literal)*], [$($check:tt)*]) => {
        $crate::read::Declaration {
            name: stringify!($field),
            doc: concat!($($doc, "\n"),*),
            checks: $crate::spec::checks!($($check)*),
        }
    };
}
pub use declaration;

/// Builds the list of the conditions of a field.
#[macro_export]
macro_rules! checks {
    ($($word:ident $($low:literal ..= $high:literal)?),* $(,)?) => {
        &[$($crate::spec::check!($word $($low, $high)?)),*]
    };
}
pub use checks;

/// Builds one condition from its keyword.
#[macro_export]
macro_rules! check {
    (positive) => {
        $crate::read::Check::Positive
    };
    (non_negative) => {
        $crate::read::Check::NonNegative
    };
    (fraction) => {
        $crate::read::Check::Fraction
    };
    (name) => {
        $crate::read::Check::Name
    };
    (frame) => {
        $crate::read::Check::Frame
    };
    (not_empty) => {
        $crate::read::Check::NotEmpty
    };
    (in $low:literal, $high:literal) => {
        $crate::read::Check::Range($low as f64, $high as f64)
    };
}
pub use check;

/// Builds the [`Fallback`](crate::read::Fallback) that applies when the key is missing.
#[macro_export]
macro_rules! fallback {
    () => {
        $crate::read::Fallback::TypeDefault
    };
    (= $default:expr) => {
        $crate::read::Fallback::Value(|| $default)
    };
    (=> $yaml:literal) => {
        $crate::read::Fallback::Yaml($yaml)
    };
}
pub use fallback;

/// Returns whether another structure shares the map, so that unknown keys are passed to it.
#[macro_export]
macro_rules! is_open {
    () => {
        false
    };
    ($flat:ident) => {
        true
    };
}
pub use is_open;

/// Expands to the identifier `$name`; the type only drives the macro repetition.
#[allow(unused_macros)] // Used only by `choice!`, for kinds that wrap a structure.
#[macro_export]
macro_rules! bind {
    ($name:ident $ty:ty) => {
        $name
    };
}
#[allow(unused_imports)]
pub use bind;

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
