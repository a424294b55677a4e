//! One comparison of a result with an expected value and a tolerance.

/// Allowed difference between expected value and result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Absolute difference, in the unit of the values.
    Absolute(f64),
    /// Difference relative to the expected value.
    Relative(f64),
    /// The result may be at most the expected value.
    AtMost,
    /// The result must be greater than the expected value.
    MoreThan,
}

/// A comparison of an expected value with a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Description of the compared quantity.
    pub what: String,
    /// Unit of the values, empty for dimensionless values.
    pub unit: &'static str,
    /// Expected value or limit.
    pub expected: f64,
    /// Result of the case.
    pub computed: f64,
    /// Allowed difference from the expected value.
    pub tolerance: Tolerance,
}

/// Returns a list of comparisons. Each row has the compared quantity, its unit, the expected value or
/// limit, the result, and the [`Tolerance`].
#[macro_export]
macro_rules! checks {
    ($($what:expr, $unit:expr, $expected:expr, $computed:expr, $tolerance:expr;)*) => {
        vec![$($crate::cases::check::Check::new($what, $unit, $expected, $computed, $tolerance)),*]
    };
}

impl Check {
    /// Creates a comparison; `expected` and `computed` are in the unit `unit`.
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        expected: f64,
        computed: f64,
        tolerance: Tolerance,
    ) -> Self {
        Self {
            what: what.into(),
            unit,
            expected,
            computed,
            tolerance,
        }
    }

    /// Returns the error divided by the tolerance [-]: at most 1 if the comparison passes.
    pub fn relative_error(&self) -> f64 {
        match self.tolerance {
            Tolerance::AtMost => self.computed / self.expected,
            Tolerance::MoreThan => self.expected / self.computed,
            _ => (self.computed - self.expected).abs() / self.absolute_tolerance(),
        }
    }

    /// Returns true if the result is within its tolerance, false with NaN.
    pub fn passes(&self) -> bool {
        match self.tolerance {
            Tolerance::AtMost => self.computed <= self.expected,
            Tolerance::MoreThan => self.computed > self.expected,
            _ => (self.computed - self.expected).abs() <= self.absolute_tolerance(),
        }
    }

    /// Returns the tolerance in the unit of the values, or the limit.
    fn absolute_tolerance(&self) -> f64 {
        match self.tolerance {
            Tolerance::Absolute(x) => x,
            Tolerance::Relative(x) => x * self.expected.abs(),
            Tolerance::AtMost | Tolerance::MoreThan => self.expected.abs(),
        }
    }

    /// Formats a value `x` in the unit of this comparison, with a resolution of 1 % of its tolerance and at most
    /// seven digits.
    pub fn format_value(&self, x: f64) -> String {
        let finest = 0.01 * self.absolute_tolerance();
        if x.abs() < 0.5 * finest {
            return "0".to_string();
        }
        format_number(x, finest)
    }

    /// Formats the tolerance as the page shows it.
    pub fn tolerance_text(&self) -> String {
        match self.tolerance {
            Tolerance::Absolute(x) => format!("± {}", with_unit(&format_number(x, 0.0), self.unit)),
            Tolerance::Relative(x) if x >= 1e-3 => format!("{} %", format_number(100.0 * x, 0.0)),
            Tolerance::Relative(x) => format!("{} relative", format_number(x, 0.0)),
            Tolerance::AtMost => "at most".to_string(),
            Tolerance::MoreThan => "more than".to_string(),
        }
    }

    /// Formats the expected value with its unit.
    pub fn expected_text(&self) -> String {
        with_unit(&self.format_value(self.expected), self.unit)
    }

    /// Formats the result with its unit.
    pub fn computed_text(&self) -> String {
        // the exact size of a very small error depends on rounding, not on the model
        let floor = 0.01 * self.expected;
        if self.tolerance == Tolerance::AtMost && (0.0..floor).contains(&self.computed) {
            return with_unit(&format!("< {}", format_number(floor, 0.0)), self.unit);
        }
        with_unit(&self.format_value(self.computed), self.unit)
    }

    /// Returns "pass" or "FAIL".
    pub fn verdict(&self) -> &'static str {
        if self.passes() { "pass" } else { "FAIL" }
    }
}

fn with_unit(figure: &str, unit: &str) -> String {
    if unit.is_empty() {
        figure.to_string()
    } else {
        format!("{figure} {unit}")
    }
}

/// Formats a number with at most seven digits and no digit finer than `finest`, which has the unit
/// of the number.
pub fn format_number(x: f64, finest: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    if !x.is_finite() {
        return format!("{x}");
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
        return trim_zeros(format!("{x:.decimals$}"));
    }
    let decimals = (first - last).max(0) as usize;
    let text = format!("{x:.decimals$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trim_zeros(mantissa.to_string())),
        None => text,
    }
}

/// Removes trailing zeros after the decimal point.
fn trim_zeros(text: String) -> String {
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
    use Tolerance::{Absolute, AtMost, MoreThan};

    #[test]
    fn numbers_have_significant_digits() {
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
            assert_eq!(format_number(x, finest), text);
        }
        // values below a hundredth of the tolerance are printed as zero
        let checks = checks! {
            "", "rad", 0.0, 3e-17, Absolute(1e-9);
            "", "m", 1e-6, 3e-17, AtMost;
            "", "m", 1e-6, 3.21e-7, AtMost;
        };
        let texts: Vec<String> = checks.iter().map(Check::computed_text).collect();
        assert_eq!(texts, ["0 rad", "< 1e-8 m", "3.2e-7 m"]);
    }

    #[test]
    fn limits_are_one_sided() {
        let checks = checks! {
            "", "", 0.5, 0.4, AtMost;
            "", "", 0.5, 0.6, AtMost;
            "", "", 0.5, 0.5, MoreThan;
            "", "", 0.5, 0.6, MoreThan;
        };
        let passes: Vec<bool> = checks.iter().map(Check::passes).collect();
        assert_eq!(passes, [true, false, false, true]);
    }
}
