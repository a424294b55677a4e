//! Patterns of names of variables and programs: `*` for any characters and `?` for one.

use crate::message::field;

/// Returns whether a name has the form of a pattern.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    // positions after the last `*`: where a longer text of it is tried
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[n] => {
                p += 1;
                n += 1;
            }
            Some(_) | None => match &mut retry {
                Some((after, from)) => {
                    *from += 1;
                    (p, n) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// Returns whether a text is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Registration for all variables of a pattern that programs of a pattern write.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// Pattern of the programs.
    pub programs: String,
    /// Pattern of the variables.
    pub variables: String,
    /// Least period of a variable [s].
    pub period_s: f64,
}

impl Filter {
    /// Reads the text of a registration: `AppPattern=...,VarPattern=...,Interval=...`. What it does
    /// not state matches nothing; the period is then 0.
    pub fn from_text(text: &str) -> Self {
        let value = |key: &str| field(text, key).unwrap_or_default();
        Self {
            programs: value("AppPattern").to_string(),
            variables: value("VarPattern").to_string(),
            period_s: value("Interval").parse().unwrap_or(0.0),
        }
    }

    /// Returns the text of the registration.
    pub fn text(&self) -> String {
        format!(
            "AppPattern={},VarPattern={},Interval={}",
            self.programs, self.variables, self.period_s
        )
    }

    /// Returns whether a variable that a program writes belongs to the filter.
    pub fn matches(&self, program: &str, variable: &str) -> bool {
        matches(&self.programs, program) && matches(&self.variables, variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "NAV_X"),
            ("NAV_*", "NAV_"),
            ("NAV_?", "NAV_X"),
            ("*_REPORT*", "NODE_REPORT_LOCAL"),
            ("a*b*c", "aXbYbZc"),
            ("", ""),
            ("**", "x"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("NAV_?", "NAV_"),
            ("NAV_*", "NAX_Y"),
            ("a*b", "abc"),
            ("", "a"),
            ("?", ""),
            ("nav_*", "NAV_X"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
        // the time is a product of both lengths at most
        let many = "*a".repeat(2000);
        assert!(!matches(&many, &"a".repeat(1500)));
    }

    #[test]
    fn filters_return() {
        let filter = Filter {
            programs: "p*".into(),
            variables: "DESIRED_*".into(),
            period_s: 0.5,
        };
        assert_eq!(Filter::from_text(&filter.text()), filter);
        assert!(filter.matches("pHelmIvP", "DESIRED_SPEED"));
        assert!(!filter.matches("uXMS", "DESIRED_SPEED"));
        assert!(!Filter::from_text("?").matches("p", "A"));
    }
}
