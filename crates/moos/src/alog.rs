//! Logs of MOOS (`.alog`): a line per message, in the order of its arrival.
//!
//! A line is `time variable source value`, with the time since the start of the log [s]; the source
//! may be `program:part` and `program@community`, and a value may begin with `D:` or `S:`, its type,
//! as the options of `pLogger` demand. Lines that begin with `%%` are comments; `%% LOGSTART` has
//! the time of the start.
//!
//! `pLogger` writes texts with line breaks as they are, which a reader cannot separate from the next
//! message in every case. [`Writer`] replaces them by a blank, and writes of bytes only their number.

use crate::message::{Message, Value};
use std::io::{self, BufRead, Write};

/// Longest line that is read [bytes].
const MAX_LINE: u64 = 64 << 20;

/// Writes a log.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    start_s: f64,
}

impl<W: Write> Writer<W> {
    /// Begins a log with the name of its file, at a time on the clock of the community [s].
    ///
    /// # Errors
    /// The output fails.
    pub fn new(mut out: W, name: &str, start_s: f64) -> io::Result<Self> {
        let rule = "%".repeat(60);
        writeln!(out, "{rule}\n%% LOG FILE:       {name}")?;
        writeln!(out, "%% FILE OPENED ON  {start_s:.3}")?;
        writeln!(out, "%% LOGSTART        {start_s:20.5}\n{rule}")?;
        Ok(Self { out, start_s })
    }

    /// Appends a message.
    ///
    /// # Errors
    /// The output fails.
    pub fn write(&mut self, message: &Message) -> io::Result<()> {
        let value = match message.value() {
            Some(Value::Number(number)) => format!("{number}"),
            Some(Value::Text(text)) => text.replace(['\n', '\r'], " "),
            Some(Value::Binary(bytes)) => {
                format!("<MOOS_BINARY>Bytes={}</MOOS_BINARY>", bytes.len())
            }
            None => String::new(),
        };
        let source = match message.source_aux.as_str() {
            "" => message.source.clone(),
            aux => format!("{}:{aux}", message.source),
        };
        let (time, key) = (message.time - self.start_s, &message.key);
        writeln!(self.out, "{time:<15.5} {key:<20} {source:<15} {value} ")
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// The output fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads a log; an iterator over its messages, whose times are those since its start [s].
#[derive(Debug)]
pub struct Reader<R: BufRead> {
    lines: R,
    line: u64,
    /// Message whose text may continue in the next line.
    next: Option<Message>,
    start_s: Option<f64>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the lines of a log.
    pub fn new(lines: R) -> Self {
        Self {
            lines,
            line: 0,
            next: None,
            start_s: None,
        }
    }

    /// Returns the time of the start on the clock of the community, once it was read [s].
    pub fn start_s(&self) -> Option<f64> {
        self.start_s
    }

    /// Returns the next line, or `None` at the end.
    fn read_line(&mut self) -> Result<Option<String>, String> {
        self.line += 1;
        let located = |why: String| format!("line {}: {why}", self.line);
        let mut bytes = Vec::new();
        let mut lines = io::Read::take(&mut self.lines, MAX_LINE);
        let read = lines.read_until(b'\n', &mut bytes);
        read.map_err(|why| located(why.to_string()))?;
        if bytes.len() as u64 == MAX_LINE {
            return Err(located(format!(
                "expected a line of at most {MAX_LINE} bytes"
            )));
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\n', '\r']).to_string();
        Ok((!bytes.is_empty()).then_some(text))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Message, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.read_line() {
                Ok(Some(line)) => line,
                Ok(None) => return self.next.take().map(Ok),
                Err(why) => return Some(Err(why)),
            };
            if let Some(comment) = line.strip_prefix("%%") {
                let start = comment.trim().strip_prefix("LOGSTART");
                self.start_s = start.and_then(|s| s.trim().parse().ok()).or(self.start_s);
                continue;
            }
            match (message(&line), &mut self.next) {
                (Some(message), next) => {
                    if let Some(before) = next.replace(message) {
                        return Some(Ok(before));
                    }
                }
                // a text with line breaks
                (None, Some(before)) => {
                    before.bytes.push(b'\n');
                    before.bytes.extend(line.into_bytes());
                }
                (None, None) if line.trim().is_empty() => {}
                (None, None) => {
                    return Some(Err(format!(
                        "line {}: expected `time variable source value`, found {line:?}",
                        self.line
                    )));
                }
            }
        }
    }
}

/// Reads a line; `None` if it does not begin with a time, a variable and a source.
fn message(line: &str) -> Option<Message> {
    let mut rest = line;
    let mut word = || {
        let text = rest.trim_start_matches([' ', '\t']);
        let (word, after) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        rest = after;
        (!word.is_empty()).then_some(word)
    };
    let time = word()?
        .parse::<f64>()
        .ok()
        .filter(|time| time.is_finite())?;
    let (key, source) = (word()?, word()?);
    // a blank ends the line
    let text = rest.trim_start_matches([' ', '\t']);
    let text = text.strip_suffix(' ').unwrap_or(text);
    let value = match text.get(..2) {
        Some("S:") => Value::Text(text[2..].to_string()),
        Some("D:") => Value::Number(text[2..].trim().parse().ok()?),
        _ => match text.trim().parse::<f64>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::Text(text.to_string()),
        },
    };
    let mut message = Message::notify(key, value, time);
    let (source, community) = source.split_once('@').unwrap_or((source, ""));
    let (source, aux) = source.split_once(':').unwrap_or((source, ""));
    message.source = source.to_string();
    message.source_aux = aux.to_string();
    message.community = community.to_string();
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Message> {
        Reader::new(text.as_bytes()).map(Result::unwrap).collect()
    }

    #[test]
    fn logs_return() {
        let mut first = Message::notify("NAV_X", 1.0 / 3.0, 1000.25).from("uSim");
        first.source_aux = "part".to_string();
        let second = Message::notify("VIEW_POINT", "x=1,label=a  b", 1000.5).from("pHelmIvP");
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, "a.alog", 1000.0).unwrap();
        for message in [&first, &second, &first] {
            writer.write(message).unwrap();
        }
        let text = String::from_utf8(bytes).unwrap();
        let found = read(&text);
        first.time = 0.25;
        let second = Message {
            time: 0.5,
            ..second
        };
        assert_eq!(found, [first.clone(), second, first]);
        let mut reader = Reader::new(text.as_bytes());
        reader.next().unwrap().unwrap();
        assert_eq!(reader.start_s(), Some(1000.0));
    }

    /// Lines as pLogger writes them, with all its options.
    #[test]
    fn lines_of_the_logger_are_read() {
        let text = "%% LOGSTART         17648.5\n\
            0.30312         DB_VARSUMMARY        MOOSDB_alpha    A 1\nB\n\n\
            1.5             NAV_X                uSimMarineV22@alpha D:0.5 \n\
            2               MODE                 pHelmIvP:HELM   S:12 \n";
        let found = read(text);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].text(), "A 1\nB\n");
        assert_eq!(
            (found[1].number(), found[1].community.as_str()),
            (Some(0.5), "alpha")
        );
        assert_eq!(
            (found[2].text().as_ref(), found[2].source_aux.as_str()),
            ("12", "HELM")
        );
        let why = Reader::new("no log".as_bytes())
            .next()
            .unwrap()
            .unwrap_err();
        assert_eq!(
            why,
            "line 1: expected `time variable source value`, found \"no log\""
        );
    }
}
