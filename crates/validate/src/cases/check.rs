//! One comparison: what was expected, what was found, and how far they may be apart.

/// How far two figures may be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// In the unit of the figure.
    Absolute(f64),
    /// As a part of what was expected.
    Relative(f64),
    /// What was found may be at most what was expected.
    AtMost,
    /// What was found must be more than what was expected.
    MoreThan,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is compared.
    pub what: String,
    /// Unit of the figures; empty: none.
    pub unit: &'static str,
    /// What was expected.
    pub expected: f64,
    /// What was found.
    pub got: f64,
    /// How far they may be apart.
    pub tolerance: Tolerance,
}

impl Check {
    fn new(
        what: impl Into<String>,
        unit: &'static str,
        [expected, got]: [f64; 2],
        tolerance: Tolerance,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            expected,
            got,
            tolerance,
        }
    }

    /// Within `tolerance` in the figures' own unit.
    pub fn absolute(
        what: impl Into<String>,
        unit: &'static str,
        expected: f64,
        got: f64,
        tolerance: f64,
    ) -> Self {
        Self::new(what, unit, [expected, got], Tolerance::Absolute(tolerance))
    }

    /// Within a part of what is expected.
    pub fn relative(
        what: impl Into<String>,
        unit: &'static str,
        expected: f64,
        got: f64,
        part: f64,
    ) -> Self {
        Self::new(what, unit, [expected, got], Tolerance::Relative(part))
    }

    /// At most `limit`.
    pub fn at_most(what: impl Into<String>, unit: &'static str, limit: f64, got: f64) -> Self {
        Self::new(what, unit, [limit, got], Tolerance::AtMost)
    }

    /// More than `limit`.
    pub fn more_than(what: impl Into<String>, unit: &'static str, limit: f64, got: f64) -> Self {
        Self::new(what, unit, [limit, got], Tolerance::MoreThan)
    }

    /// Distance over tolerance: up to 1 within it.
    pub fn misses_by(&self) -> f64 {
        match self.tolerance {
            Tolerance::AtMost => self.got / self.expected,
            Tolerance::MoreThan => self.expected / self.got,
            _ => (self.got - self.expected).abs() / self.allowed(),
        }
    }

    /// Whether it is within its tolerance; not if a figure is no number.
    pub fn holds(&self) -> bool {
        match self.tolerance {
            Tolerance::AtMost => self.got <= self.expected,
            Tolerance::MoreThan => self.got > self.expected,
            _ => (self.got - self.expected).abs() <= self.allowed(),
        }
    }

    /// The tolerance in the figures' unit; of a limit, the limit.
    fn allowed(&self) -> f64 {
        match self.tolerance {
            Tolerance::Absolute(x) => x,
            Tolerance::Relative(x) => x * self.expected.abs(),
            Tolerance::AtMost | Tolerance::MoreThan => self.expected.abs(),
        }
    }

    /// A figure of this comparison as text, as finely as its tolerance is worth, with at most seven digits.
    pub fn figure(&self, x: f64) -> String {
        let finest = 0.01 * self.allowed();
        if x.abs() < 0.5 * finest {
            return "0".to_string();
        }
        number(x, finest)
    }

    /// The tolerance as text.
    pub fn allowance(&self) -> String {
        match self.tolerance {
            Tolerance::Absolute(x) => format!("± {}", with_unit(&number(x, 0.0), self.unit)),
            Tolerance::Relative(x) if x >= 1e-3 => format!("{} %", number(100.0 * x, 0.0)),
            Tolerance::Relative(x) => format!("{} of it", number(x, 0.0)),
            Tolerance::AtMost => "at most".to_string(),
            Tolerance::MoreThan => "more than".to_string(),
        }
    }

    /// What was expected, with its unit.
    pub fn wanted(&self) -> String {
        with_unit(&self.figure(self.expected), self.unit)
    }

    /// What was found, with its unit.
    pub fn found(&self) -> String {
        // how small an error is shows the machine's rounding more than the law
        let least = 0.01 * self.expected;
        if self.tolerance == Tolerance::AtMost && (0.0..least).contains(&self.got) {
            return with_unit(&format!("< {}", number(least, 0.0)), self.unit);
        }
        with_unit(&self.figure(self.got), self.unit)
    }

    /// One word for it.
    pub fn verdict(&self) -> &'static str {
        if self.holds() { "pass" } else { "FAIL" }
    }
}

fn with_unit(figure: &str, unit: &str) -> String {
    if unit.is_empty() {
        figure.to_string()
    } else {
        format!("{figure} {unit}")
    }
}

/// A number with at most seven digits and none finer than `finest`.
pub fn number(x: f64, finest: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 {
            "0".to_string()
        } else {
            format!("{x}")
        };
    }
    let place = |x: f64| libm::floor(libm::log10(x.abs())) as i32;
    let first = place(x);
    let last = if finest > 0.0 {
        place(finest).max(first - 6)
    } else {
        first - 6
    };
    if (-4..7).contains(&first) {
        let decimals = (-last).max(0) as usize;
        return trimmed(format!("{x:.decimals$}"));
    }
    let decimals = (first - last).max(0) as usize;
    let text = format!("{x:.decimals$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trimmed(mantissa.to_string())),
        None => text,
    }
}

/// Without zeros at the end.
fn trimmed(text: String) -> String {
    if !text.contains('.') {
        return text;
    }
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" {
        "0".to_string()
    } else {
        short.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_count() {
        for (x, finest, text) in [
            (0.17, 1e-9, "0.17"),
            (4_905.000_000_3, 1e-12, "4905"),
            (24.6, 0.075, "24.6"),
            (24.6412, 0.075, "24.64"),
            (1e-9, 0.0, "1e-9"),
            (-2.5e-7, 1e-8, "-2.5e-7"),
            (12_345_678.9, 0.1, "1.234568e7"),
            (0.0, 1.0, "0"),
            (f64::NAN, 1.0, "NaN"),
        ] {
            assert_eq!(number(x, finest), text);
        }
        // what is under a hundredth of the tolerance is no figure
        assert_eq!(
            Check::absolute("", "rad", 0.0, 3e-17, 1e-9).found(),
            "0 rad"
        );
        assert_eq!(Check::at_most("", "m", 1e-6, 3e-17).found(), "< 1e-8 m");
        assert_eq!(Check::at_most("", "m", 1e-6, 3.21e-7).found(), "3.2e-7 m");
    }

    #[test]
    fn limits_go_one_way() {
        assert!(
            Check::at_most("", "", 0.5, 0.4).holds() && !Check::at_most("", "", 0.5, 0.6).holds()
        );
        assert!(
            !Check::more_than("", "", 0.5, 0.5).holds()
                && Check::more_than("", "", 0.5, 0.6).holds()
        );
    }
}
