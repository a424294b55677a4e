//! Errors in YAML files and their messages.
//!
//! A file is either read completely or yields all its errors, one line each: `file:line:column:
//! what is wrong, what was expected, did you mean`. The reader and later checks decide what is an
//! error.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path};
use std::sync::Arc;

pub(crate) use crate::units::{in_brackets, split_unit};
pub use crate::units::{trailing_units, unit_of};

/// Returns an error of one line from the surrounding function unless a condition holds. The line has
/// the form of [`format!`].
///
/// ```
/// use merrow_yaml::ensure;
///
/// fn check_level(level: f64) -> Result<(), String> {
///     ensure!((0.0..=1.0).contains(&level), "expected a level from 0 to 1, found {level}");
///     Ok(())
/// }
/// assert_eq!(check_level(2.0).unwrap_err(), "expected a level from 0 to 1, found 2");
/// ```
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($line:tt)+) => {
        if !$condition {
            return Err(format!($($line)+));
        }
    };
}

/// Position in a file. Lines and columns count from 1; line 0 denotes the file as a whole.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Name of the file as it was opened, for display.
    pub file: Arc<str>,
    /// Line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Name of a text that a request from the network contains, as the file of its positions. Such a
/// text names files of the search folders only.
pub const REQUEST: &str = "request";

/// Start of the file of positions of values that an option of the command line sets.
pub const OPTION: &str = "--set ";

impl Place {
    /// Returns the position of the values that the option `--set` sets at a path.
    pub fn option(path: &str) -> Place {
        Place::file(&(OPTION.to_owned() + &escape_control_characters(&shortened(path, 200))))
    }

    /// Returns true for the value of an option.
    pub fn is_in_option(&self) -> bool {
        self.file.starts_with(OPTION)
    }

    /// Returns the folder of the files that are named at this position: the folder of the file, and
    /// the current folder for an option; `None` for a request.
    pub fn folder(&self) -> Option<&Path> {
        let current = Path::new("");
        if self.is_in_request() {
            return None;
        }
        if self.is_in_option() {
            return Some(current);
        }
        Some(Path::new(&*self.file).parent().unwrap_or(current))
    }

    /// Returns true for a position in a text of a request.
    pub fn is_in_request(&self) -> bool {
        &*self.file == REQUEST
    }

    /// Returns true if the text at this position may name the file: in a request, names are
    /// relative and do not leave their folder.
    pub fn may_name(&self, file: &str) -> bool {
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        !self.is_in_request() || Path::new(file).components().all(is_plain)
    }

    /// Creates a position in a file.
    pub fn new(file: &Arc<str>, line: u32, column: u32) -> Place {
        Place {
            file: Arc::clone(file),
            line,
            column,
        }
    }

    /// Creates the position of a file as a whole, without a line.
    pub fn file(name: &str) -> Place {
        Place {
            file: Arc::from(name),
            line: 0,
            column: 0,
        }
    }
}

impl Default for Place {
    /// Returns the position of a value that comes from no file.
    fn default() -> Self {
        Place::file("built-in default")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One error or note, with its position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Position of the error.
    pub place: Place,
    /// Message in one line: what is wrong and what was expected.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// Collects errors and notes, without duplicates, ordered by file, line and column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    set: BTreeSet<Problem>,
    notes: BTreeSet<Problem>,
}

impl Problems {
    /// Creates an empty collection without errors and notes.
    pub fn new() -> Problems {
        Problems::default()
    }

    /// Adds one error. Line breaks and other control characters are escaped, so that each error
    /// takes one line.
    pub fn push(&mut self, place: &Place, text: impl AsRef<str>) {
        self.set.insert(Problem {
            place: place.clone(),
            text: escape_control_characters(text.as_ref()),
        });
    }

    /// Adds one error in place of a value.
    pub fn refuse<T>(&mut self, place: &Place, text: impl AsRef<str>) -> Option<T> {
        self.push(place, text);
        None
    }

    /// Returns the index of `name` among `names`. If there is none, it reports the text that
    /// `explain` returns for the quoted name, and the name that was probably meant.
    pub fn find<'a>(
        &mut self,
        place: &Place,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
        explain: impl FnOnce(String) -> String,
    ) -> Option<usize> {
        let names: Vec<&str> = names.into_iter().collect();
        let found = names.iter().position(|known| *known == name);
        if found.is_none() {
            let hint = known_names(name, names);
            self.push(place, explain(quote(name)) + &hint);
        }
        found
    }

    /// Reports the first pair of a table whose first value is not above that of the pair before.
    /// `what` names the table; its values have any unit.
    pub fn check_increasing(&mut self, place: &Place, what: &str, points: &[[f64; 2]]) {
        if let Some(k) = points.windows(2).position(|w| w[1][0] <= w[0][0]) {
            let text = format!(
                "{what} does not increase: {} comes after {}; expected increasing first values",
                points[k + 1][0],
                points[k][0]
            );
            self.push(place, text);
        }
    }

    /// Adds a note. A note is not an error, but information for the user, such as that part of a
    /// file is ignored.
    pub fn note(&mut self, place: &Place, text: impl AsRef<str>) {
        self.notes.insert(Problem {
            place: place.clone(),
            text: escape_control_characters(text.as_ref()),
        });
    }

    /// Removes and returns the notes, ordered by file, line and column.
    pub fn take_notes(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.notes).into_iter().collect()
    }

    /// Returns true if there are no errors.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the number of errors.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Iterates over the errors, ordered by file, line and column.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.set.iter()
    }

    /// Returns `value` if there are no errors, else the errors.
    ///
    /// # Errors
    /// Returns all errors found. A `None` without any error is itself reported as an error.
    pub fn into_result<T>(mut self, value: Option<T>) -> Result<T, Problems> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            None if self.is_empty() => {
                self.push(
                    &Place::default(),
                    "internal error: the world could not be read, but no problem was reported",
                );
                Err(self)
            }
            _ => Err(self),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.set.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

/// Escapes the control characters of `text`.
fn escape_control_characters(text: &str) -> String {
    let is_escaped = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// Returns the user's text between backticks, shortened to 60 characters.
pub fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    format!("`{}`", shortened(text, LONGEST))
}

/// Returns the first `longest` characters of a text, and `...` if it is longer.
fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the quoted names, separated by commas.
pub fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(quote).collect::<Vec<_>>().join(", ")
}

/// Returns the candidate that is most similar to `wrong`, or `None` if none is similar enough.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MIN_SIMILARITY: f64 = 0.7;
    const MAX_LEN: usize = 80;
    if wrong.len() > MAX_LEN {
        return None;
    }
    let mut best: Option<(&str, f64)> = None;
    for candidate in candidates {
        let score = strsim::normalized_damerau_levenshtein(wrong, candidate);
        if score >= MIN_SIMILARITY && best.is_none_or(|(_, highest)| score > highest) {
            best = Some((candidate, score));
        }
    }
    best.map(|(candidate, _)| candidate)
}

/// Returns the ending "; did you mean `x`?", or an empty string if no candidate is similar enough.
pub fn did_you_mean<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wrong, candidates).map_or_else(String::new, |name| {
        format!("; did you mean {}?", quote(name))
    })
}

/// Maximum number of names in a message.
const MAX_NAMES: usize = 8;

/// Returns the ending of a message about an object that does not exist: the name that was probably
/// meant, or the first of the names that exist.
pub fn known_names<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let hint = did_you_mean(wrong, names.iter().copied());
    if !hint.is_empty() {
        return hint;
    }
    let listed = quoted_list(names.iter().copied().take(MAX_NAMES));
    match names.len() {
        0 => "; there are none".to_string(),
        1 => format!("; expected {listed}"),
        n if n <= MAX_NAMES => format!("; expected one of {listed}"),
        n => format!("; expected one of {listed} and {} more", n - MAX_NAMES),
    }
}

/// Returns the message for a key that is not among `expected`, and the expected key that was
/// probably meant. `owner` is the name of the map in the message.
pub(crate) fn explain_unknown_key<'a>(
    wrong: &str,
    owner: &str,
    expected: &[&'a str],
) -> (String, Option<&'a str>) {
    let (stem, found) = split_unit(wrong);
    let same_stem = expected.iter().copied().find(|key| {
        let (key_stem, unit) = split_unit(key);
        unit.is_some() && key_stem == stem && *key != wrong
    });
    let (name, names) = (quote(wrong), expected.iter().copied());
    if let Some(meant) = same_stem {
        let (key, unit) = (quote(meant), in_brackets(unit_of(meant)));
        let text = match found.map(|(suffix, _)| quote(suffix)) {
            None => format!("{name} needs its unit; write {key}"),
            Some(found) => {
                format!("unknown key {name}: expected {key}{unit}, found the unit {found}")
            }
        };
        return (text, Some(meant));
    }
    let keys = match expected {
        [] => "no keys here".to_owned(),
        _ => format!("one of {}", quoted_list(names.clone())),
    };
    let hint = did_you_mean(wrong, names.clone());
    let text = format!("unknown key {name} in {owner}; expected {keys}{hint}");
    (text, nearest(wrong, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_sorted_unique_and_on_one_line() {
        let (a, b): (Arc<str>, Arc<str>) = (Arc::from("a.yaml"), Arc::from("b.yaml"));
        let mut problems = Problems::new();
        problems.push(&Place::new(&b, 1, 1), "other file");
        problems.push(&Place::new(&a, 10, 1), "later");
        problems.push(&Place::new(&a, 9, 3), "two\nlines");
        problems.push(&Place::new(&a, 10, 1), "later");
        problems.push(&Place::file("a.yaml"), "whole");
        let expected =
            "a.yaml: whole\na.yaml:9:3: two\\nlines\na.yaml:10:1: later\nb.yaml:1:1: other file";
        assert_eq!(problems.to_string(), expected);
        assert_eq!(problems.len(), 4);
    }

    #[test]
    fn value_is_returned_only_without_problems() {
        assert_eq!(Problems::new().into_result(Some(1)), Ok(1));
        assert!(
            Problems::new()
                .into_result(None::<i32>)
                .is_err_and(|problems| problems.len() == 1)
        );
        let mut problems = Problems::new();
        problems.push(&Place::default(), "wrong");
        assert!(problems.into_result(Some(1)).is_err());
    }

    #[test]
    fn unknown_keys_are_explained() {
        let expected = ["depth_m", "yaw_deg", "rate_hz", "density_kg_m3", "name"];
        let check = |wrong: &str, text: &str, meant: Option<&str>| {
            assert_eq!(
                explain_unknown_key(wrong, "`water`", &expected),
                (text.to_owned(), meant)
            );
        };
        check(
            "depth",
            "`depth` needs its unit; write `depth_m`",
            Some("depth_m"),
        );
        check(
            "depth_ft",
            "unknown key `depth_ft`: expected `depth_m` [m], found the unit `ft`",
            Some("depth_m"),
        );
        check(
            "yaw_rad",
            "unknown key `yaw_rad`: expected `yaw_deg` [deg], found the unit `rad`",
            Some("yaw_deg"),
        );
        check(
            "rate_khz",
            "unknown key `rate_khz`: expected `rate_hz` [Hz], found the unit `khz`",
            Some("rate_hz"),
        );
        let all = "expected one of `depth_m`, `yaw_deg`, `rate_hz`, `density_kg_m3`, `name`";
        let text =
            format!("unknown key `densty_kg_m3` in `water`; {all}; did you mean `density_kg_m3`?");
        check("densty_kg_m3", &text, Some("density_kg_m3"));
        check(
            "colour",
            &format!("unknown key `colour` in `water`; {all}"),
            None,
        );
        let none = "unknown key `colour` in `water`; expected no keys here";
        assert_eq!(
            explain_unknown_key("colour", "`water`", &[]),
            (none.to_owned(), None)
        );
    }

    #[test]
    fn the_longest_suffix_is_the_unit() {
        let check = |key: &str, stem: &str, unit: Option<&str>| {
            assert_eq!((split_unit(key).0, unit_of(key)), (stem, unit), "{key}");
        };
        check("density_kg_m3", "density", Some("kg/m3"));
        check("speed_m_s", "speed", Some("m/s"));
        check("torque_nm", "torque", Some("N m"));
        check(
            "accel_noise_m_s2_per_sqrt_hz",
            "accel_noise",
            Some("m/s2/sqrt(Hz)"),
        );
        check("kind", "kind", None);
        check("_m", "_m", None);
        check("m", "m", None);
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(quote(&"é".repeat(61)), format!("`{}...`", "é".repeat(60)));
        assert_eq!(nearest(&"a".repeat(100), ["aaaa"]), None);
    }
}
