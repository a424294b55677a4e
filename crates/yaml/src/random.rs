//! Values of parameters that are drawn at random, one of each distribution as a map with one key:
//! `{uniform: [low, high]}`, `{integer: [low, high]}`, `{normal: [mean, std]}`, `{choice: [...]}` and
//! `{shuffle: [...]}`.

use crate::error::{Place, did_you_mean, quote, quoted_list};
use crate::node::{DISTRIBUTIONS, Map, Node, Value, distribution_of};
use crate::number::number;

/// Function that returns random numbers of a parameter: from a seed, the name of the parameter and
/// the index of the draw, a number distributed uniformly in [0, 1) and one of the standard normal
/// distribution.
pub type Draw = fn(u64, &str, u64) -> [f64; 2];

/// The random numbers of one parameter.
pub(crate) struct Numbers<'a> {
    draw: Draw,
    seed: u64,
    name: &'a str,
    index: u64,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(draw: Draw, seed: u64, name: &'a str) -> Self {
        Self {
            draw,
            seed,
            name,
            index: 0,
        }
    }

    fn next(&mut self) -> [f64; 2] {
        self.index += 1;
        (self.draw)(self.seed, self.name, self.index - 1)
    }

    /// Returns a whole number from 0 to `n - 1`.
    fn below(&mut self, n: usize) -> usize {
        // `n` is at most the number of nodes of a file, so that all numbers are equally likely
        (self.next()[0] * n as f64) as usize
    }
}

/// Describes a value that is no argument of a distribution.
fn describe(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Scalar { text, .. } => quote(text),
        Value::Seq(items) => format!("a list of {}", items.len()),
        Value::Map(_) => "a map".to_owned(),
    }
}

/// Distribution of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distribution {
    Uniform,
    Integer,
    Normal,
    Choice,
    Shuffle,
}

impl Distribution {
    /// All distributions, in the order of their words in [`DISTRIBUTIONS`].
    const ALL: [Self; DISTRIBUTIONS.len()] = [
        Self::Uniform,
        Self::Integer,
        Self::Normal,
        Self::Choice,
        Self::Shuffle,
    ];

    /// Returns the distribution and its arguments if `map` consists of them.
    pub(crate) fn of_map(map: &Map) -> Option<(Self, &Node)> {
        let (word, arguments) = distribution_of(map)?;
        let k = DISTRIBUTIONS.iter().position(|known| *known == word)?;
        Some((Self::ALL[k], arguments))
    }

    /// Returns what is wrong with a map that was hardly meant as a value: two distributions, or a
    /// misspelt one.
    pub(crate) fn error(map: &Map) -> Option<(Place, String)> {
        let (key, arguments) = map.entries.first()?;
        let words = map.entries.iter().map(|(key, _)| key.name.as_str());
        let known: Vec<&str> = words.filter(|word| DISTRIBUTIONS.contains(word)).collect();
        if known.len() > 1 {
            let text = format!(
                "expected one distribution, found {}; remove one, or replace the whole value",
                quoted_list(known)
            );
            return Some((key.place.clone(), text));
        }
        let hint = did_you_mean(&key.name, DISTRIBUTIONS);
        let is_misspelt = map.entries.len() == 1
            && known.is_empty()
            && matches!(arguments.value, Value::Seq(_))
            && !hint.is_empty();
        is_misspelt.then(|| {
            let text = format!("no distribution {}{hint}", quote(&key.name));
            (key.place.clone(), text)
        })
    }

    /// Draws a value.
    ///
    /// # Errors
    /// The place of an argument, and what is expected there.
    pub(crate) fn draw(
        self,
        arguments: &Node,
        numbers: &mut Numbers<'_>,
    ) -> Result<Node, (Place, String)> {
        let wrong = |node: &Node, what: &str| {
            let text = format!("expected {what}, found {}", describe(node));
            (node.place.clone(), text)
        };
        match (self, &arguments.value) {
            (Self::Choice, Value::Seq(items)) if !items.is_empty() => {
                Ok(items[numbers.below(items.len())].clone())
            }
            (Self::Choice, _) => Err(wrong(arguments, "a list of at least one value")),
            (Self::Shuffle, Value::Seq(items)) => {
                let mut items = items.clone();
                // Fisher and Yates, as by Durstenfeld (1964)
                for last in (1..items.len()).rev() {
                    items.swap(last, numbers.below(last + 1));
                }
                Ok(Node {
                    value: Value::Seq(items),
                    place: arguments.place.clone(),
                })
            }
            (Self::Shuffle, _) => Err(wrong(arguments, "a list of values")),
            (Self::Uniform | Self::Integer | Self::Normal, Value::Seq(pair)) if pair.len() == 2 => {
                self.draw_numbers(&pair[0], &pair[1], numbers)
            }
            (Self::Uniform | Self::Integer, _) => Err(wrong(arguments, "the list [low, high]")),
            (Self::Normal, _) => Err(wrong(arguments, "the list [mean, std]")),
        }
    }

    /// Draws a number, or each number of a list.
    fn draw_numbers(
        self,
        a: &Node,
        b: &Node,
        numbers: &mut Numbers<'_>,
    ) -> Result<Node, (Place, String)> {
        let place = a.place.clone();
        if let (Value::Seq(first), Value::Seq(second)) = (&a.value, &b.value) {
            if first.len() != second.len() {
                let found = format!(
                    "expected two lists of one length, found {} and {} values",
                    first.len(),
                    second.len()
                );
                return Err((b.place.clone(), found));
            }
            let pairs = first.iter().zip(second);
            let drawn = pairs.map(|(a, b)| self.draw_numbers(a, b, numbers));
            let value = Value::Seq(drawn.collect::<Result<_, _>>()?);
            return Ok(Node { value, place });
        }
        let finite = |node: &Node| {
            let value = node.as_text().and_then(number).filter(|x| x.is_finite());
            value.ok_or_else(|| {
                let found = describe(node);
                let text = format!("expected a number, or two lists of numbers, found {found}");
                (node.place.clone(), text)
            })
        };
        let (low, high) = (finite(a)?, finite(b)?);
        let refuse = |what: &str| {
            let found = [a, b].map(|node| quote(node.as_text().unwrap_or_default()));
            let text = format!("expected {what}, found {} and {}", found[0], found[1]);
            Err((b.place.clone(), text))
        };
        let [uniform, normal] = numbers.next();
        let text = match self {
            Self::Normal if high < 0.0 => return refuse("a standard deviation of at least 0"),
            Self::Normal => format!("{:?}", low + high * normal),
            _ if low > high => return refuse("a lower bound that is not above the upper bound"),
            Self::Integer => {
                let exact = |x: f64| x.fract() == 0.0 && x.abs() <= 1e15;
                if !exact(low) || !exact(high) {
                    return refuse("whole numbers");
                }
                format!("{}", low + (uniform * (high - low + 1.0)).floor())
            }
            Self::Uniform | Self::Choice | Self::Shuffle => {
                // the two products cannot overflow; their sum can exceed a bound by rounding
                let value = low * (1.0 - uniform) + high * uniform;
                format!("{:?}", value.clamp(low, high))
            }
        };
        let value = Value::Scalar {
            text,
            quoted: false,
        };
        Ok(Node { value, place })
    }
}
