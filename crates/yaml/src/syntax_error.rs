//! Messages for texts that are not valid YAML: the place of the likely cause, which is often before
//! the place where the parser stops.

/// Likely cause of an error: line and column, from 1, and the message.
pub(crate) type Cause = (u32, u32, String);

/// Bracket that is open at a position: line and column, from 1, and the character.
struct Bracket {
    line: usize,
    column: usize,
    open: char,
}

impl Bracket {
    fn close(&self) -> char {
        if self.open == '[' { ']' } else { '}' }
    }
}

/// Returns the likely cause of the error `info` of the parser, which stopped at `line` and
/// `column`, from 1; `None` if it is not known.
pub(crate) fn explain(text: &str, line: usize, column: usize, info: &str) -> Option<Cause> {
    let lines: Vec<&str> = text.lines().collect();
    let (open, at_stop) = open_brackets(&lines, line, column);
    let found = |line: usize, column: usize, what: String| Some((line as u32, column as u32, what));
    if info.contains("quoted scalar") {
        let what = "the quotation that begins here is not closed; expected its second quote";
        return found(line, column, what.to_string());
    }
    if let Some(tab) = tab_in_indentation(&lines, line) {
        let what = "a tab in the indentation; expected spaces";
        return found(tab.0, tab.1, what.to_string());
    }
    if let Some(bracket) = open.last() {
        let (open, close) = (bracket.open, bracket.close());
        let what = match at_stop {
            Some(other @ (']' | '}')) if other != close => {
                format!("`{open}` is closed by `{other}` in line {line}; expected `{close}`")
            }
            _ if line > bracket.line => {
                format!("`{open}` is not closed before line {line}; expected `{close}`")
            }
            _ => return None,
        };
        return found(bracket.line, bracket.column, what);
    }
    if let Some(bracket @ (']' | '}')) = at_stop {
        let what = format!("`{bracket}` without an opening bracket; remove it");
        return found(line, column, what);
    }
    if info.contains("mapping values are not allowed") {
        let own = lines.get(line - 1)?;
        let before: String = own.chars().take(column.saturating_sub(1)).collect();
        if before.contains(": ") {
            let what = "a second `:` in one line; expected quotes around a text with a colon";
            return found(line, column, what.to_string());
        }
        let mut above = lines[..line - 1].iter().enumerate().rev();
        if let Some((k, text)) = above.find(|(_, text)| indentation(text).is_some())
            && !text.contains(": ")
            && !text.trim_end().ends_with(':')
            && let Some(colon) = text.find(':')
        {
            let what = "a `:` without a space after it; expected `: ` between key and value";
            return found(k + 1, text[..colon].chars().count() + 1, what.to_string());
        }
    }
    if ["mapping values", "expected key", "expected '-'", "block"]
        .iter()
        .any(|part| info.contains(part))
    {
        return explain_indentation(&lines, line);
    }
    None
}

/// Returns the brackets that are open where the parser stopped, and the character there.
fn open_brackets(lines: &[&str], line: usize, column: usize) -> (Vec<Bracket>, Option<char>) {
    let mut open: Vec<Bracket> = Vec::new();
    let mut quote: Option<char> = None;
    for (k, text) in lines.iter().enumerate().take(line) {
        let mut before = ' ';
        let mut is_escaped = false;
        for (c, symbol) in text.chars().enumerate() {
            if k + 1 == line && c + 1 >= column && (quote.is_none() || c + 1 > column) {
                return (open, Some(symbol));
            }
            match (quote, symbol) {
                (Some('"'), '\\') if !is_escaped => {
                    is_escaped = true;
                    continue;
                }
                (Some(q), symbol) if q == symbol && !is_escaped => quote = None,
                (None, '"' | '\'') if " [{,:".contains(before) => quote = Some(symbol),
                (None, '#') if before == ' ' => break,
                // inside plain text, brackets are text unless a list or a map is open
                (None, '[' | '{') if !open.is_empty() || " -:".contains(before) => {
                    open.push(Bracket {
                        line: k + 1,
                        column: c + 1,
                        open: symbol,
                    });
                }
                (None, ']' | '}') if open.last().is_some_and(|b| b.close() == symbol) => {
                    open.pop();
                }
                _ => {}
            }
            (before, is_escaped) = (symbol, false);
        }
    }
    (open, None)
}

/// Returns line and column of a tab in the indentation of the line or of the line after it, where
/// the parser may stop first.
fn tab_in_indentation(lines: &[&str], line: usize) -> Option<(usize, usize)> {
    (line..=line + 1).find_map(|number| {
        let text = lines.get(number - 1)?;
        let blank = text.len() - text.trim_start().len();
        let tab = text[..blank].find('\t')?;
        Some((number, tab + 1))
    })
}

/// Returns the number of spaces before the content of a line; `None` for a blank line or a comment.
fn indentation(line: &str) -> Option<usize> {
    let content = line.trim_start_matches(' ');
    let is_empty = content.trim().is_empty() || content.starts_with('#');
    (!is_empty).then(|| line.len() - content.len())
}

/// Returns the message for a line whose indentation matches no line above.
fn explain_indentation(lines: &[&str], line: usize) -> Option<Cause> {
    let own = indentation(lines.get(line - 1)?)?;
    // the indentations of the maps and lists that are open here, innermost first
    let mut levels: Vec<usize> = Vec::new();
    for text in lines[..line - 1].iter().rev() {
        let Some(level) = indentation(text) else {
            continue;
        };
        if levels.last().is_none_or(|inner| level < *inner) {
            levels.push(level);
        }
    }
    let at = |what: String| Some((line as u32, own as u32 + 1, what));
    let spaces = |n: usize| {
        if n == 1 {
            "1 space".to_string()
        } else {
            format!("{n} spaces")
        }
    };
    if levels.contains(&own) {
        let is_element = |text: &str| text.trim_start().starts_with('-');
        let above = lines[..line - 1].iter().rev();
        let mut same = above.filter(|text| indentation(text) == Some(own));
        let above = same.next().is_some_and(|text| is_element(text));
        return match (above, is_element(lines[line - 1])) {
            (true, false) => at(
                "a key at the indentation of a list; expected `- ` before it, or \
                                 fewer spaces"
                    .to_string(),
            ),
            (false, true) => at(
                "an element of a list at the indentation of a map; expected a key, \
                                 or more spaces"
                    .to_string(),
            ),
            _ => None,
        };
    }
    let mut allowed: Vec<usize> = levels;
    allowed.sort_unstable();
    let expected = allowed.iter().map(|n| spaces(*n)).collect::<Vec<_>>();
    at(format!(
        "the indentation of {} matches no line above; expected {}",
        spaces(own),
        expected.join(" or ")
    ))
}

#[cfg(test)]
mod tests {
    use crate::error::Problems;
    use crate::parse::parse;

    #[test]
    fn syntax_errors_name_place_and_cause() {
        for (text, expected) in [
            (
                "a: [1, 2\nb: 3\nc: 4\n",
                "1:4: `[` is not closed before line 2; expected `]`",
            ),
            (
                "a: {b: 1\nc: 2\n",
                "1:4: `{` is not closed before line 2; expected `}`",
            ),
            (
                "r:\n  m: {a: [1, 2], b: {c: 1}\n  p: [1,2,3]\n",
                "2:6: `{` is not closed before line 3; expected `}`",
            ),
            (
                "a: {x: \"}\", y: [1, '[']\nb: 2\n",
                "1:4: `{` is not closed before line 2; expected `}`",
            ),
            (
                "r: {p: [0, 0, -5}\n",
                "1:8: `[` is closed by `}` in line 1; expected `]`",
            ),
            (
                "a: [1, 2]]\nb: 3\n",
                "1:10: `]` without an opening bracket; remove it",
            ),
            (
                "r:\n  s:\n    x: 1\n   y: 2\n",
                "4:4: the indentation of 3 spaces matches no line above; expected 0 spaces or 2 spaces or 4 spaces",
            ),
            (
                "a: 1\n b: 2\n",
                "2:2: the indentation of 1 space matches no line above; expected 0 spaces",
            ),
            (
                "a:\n  - 1\n  b: 2\n",
                "3:3: a key at the indentation of a list; expected `- ` before it, or fewer spaces",
            ),
            (
                "a: 1\n\tb: 2\n",
                "2:1: a tab in the indentation; expected spaces",
            ),
            (
                "a: b: c\n",
                "1:5: a second `:` in one line; expected quotes around a text with a colon",
            ),
            (
                "a: \"x\nb: 2\n",
                "1:4: the quotation that begins here is not closed; expected its second quote",
            ),
        ] {
            let mut problems = Problems::new();
            assert!(parse("a.yaml", text, &mut problems).is_none(), "{text:?}");
            let expected = match expected.split_once(": ") {
                Some((place, what)) => format!("a.yaml:{place}: not valid YAML: {what}"),
                None => String::new(),
            };
            assert_eq!(problems.to_string(), expected, "{text:?}");
        }
    }

    #[test]
    fn causes_of_any_text_are_found_without_panics() {
        let pieces = [
            "a: ", "[", "{", "}", "]", "\n", " ", "\t", "\"", "'", "- ", "é", "#", ",", "x",
        ];
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text += pieces[(seed >> 33) as usize % pieces.len()];
            }
            parse("a.yaml", &text, &mut Problems::new());
        }
    }
}
