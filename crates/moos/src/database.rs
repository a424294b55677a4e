//! Variables, registrations and mail of a MOOSDB, without its connections.

use crate::message::{DataType, Kind, Message, Value};
use crate::pattern::Filter;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

/// Period of the variables about the database itself [s].
const SUMMARY_PERIOD_S: f64 = 2.0;
/// Maximum number of variables.
const MAX_VARIABLES: usize = 100_000;
/// Maximum number of lines that wait for [`Database::take_notes`].
const MAX_NOTES: usize = 1000;
/// Maximum number of filters of a client.
const MAX_FILTERS: usize = 1000;
/// Mail that is kept for a client which does not fetch it [messages], [bytes].
const MAX_MAIL: usize = 100_000;
const MAX_MAIL_BYTES: usize = 64 << 20;
/// Time after which the rate of a variable begins again [s], and the least time of its average.
const RATE_AGE_S: [f64; 2] = [10.0, 0.5];

/// Variables of a community and the mail of its clients. All times are on the clock of the
/// community [s].
#[derive(Debug)]
pub struct Database {
    name: String,
    community: String,
    start_s: f64,
    summary_s: f64,
    variables: BTreeMap<String, Variable>,
    clients: BTreeMap<String, Mailbox>,
    notes: Vec<String>,
}

#[derive(Debug, Default)]
struct Variable {
    /// Last value; `None` until the variable is written.
    last: Option<Message>,
    written_s: f64,
    writes: u64,
    rate_hz: f64,
    /// Time and number of writes at the last update of the rate.
    rated: (f64, u64),
    writers: BTreeSet<String>,
    subscribers: BTreeMap<String, Subscription>,
    /// Whether a write with another type was noted.
    is_noted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Subscription {
    period_s: f64,
    sent_s: f64,
}

#[derive(Debug, Default)]
struct Mailbox {
    mail: VecDeque<Message>,
    bytes: usize,
    dropped: u64,
    filters: Vec<Filter>,
}

impl Mailbox {
    fn push(&mut self, message: Message) {
        self.bytes += size(&message);
        self.mail.push_back(message);
        while self.mail.len() > MAX_MAIL || self.bytes > MAX_MAIL_BYTES {
            let Some(oldest) = self.mail.pop_front() else {
                break;
            };
            self.bytes -= size(&oldest);
            self.dropped += 1;
        }
    }
}

/// Returns the size of the parts of a message that vary [bytes].
fn size(message: &Message) -> usize {
    message.bytes.len() + message.key.len() + message.source.len() + message.source_aux.len()
}

impl Database {
    /// Creates the database of a community at a time [s].
    pub fn new(community: &str, now_s: f64) -> Self {
        Self {
            name: format!("MOOSDB_{community}"),
            community: community.to_string(),
            start_s: now_s,
            summary_s: now_s,
            variables: BTreeMap::new(),
            clients: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the name of the community.
    pub fn community(&self) -> &str {
        &self.community
    }

    /// Returns the names of the clients.
    pub fn clients(&self) -> impl Iterator<Item = &str> {
        self.clients.keys().map(String::as_str)
    }

    /// Returns the lines about clients that the database could not serve as they expect, once each.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Adds a line to [`Self::take_notes`].
    pub(crate) fn note(&mut self, line: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&line) {
            self.notes.push(line);
        }
    }

    /// Adds a client at a time [s]. Returns `false` if there is one of this name.
    pub fn connect(&mut self, client: &str, now_s: f64) -> bool {
        if self.clients.contains_key(client) {
            return false;
        }
        self.clients.insert(client.to_string(), Mailbox::default());
        self.post("DB_EVENT", format!("connected={client}"), now_s);
        true
    }

    /// Removes a client with its registrations and its mail, at a time [s].
    pub fn disconnect(&mut self, client: &str, now_s: f64) {
        if self.clients.remove(client).is_none() {
            return;
        }
        for variable in self.variables.values_mut() {
            variable.subscribers.remove(client);
        }
        self.post("DB_EVENT", format!("disconnected={client}"), now_s);
    }

    /// Processes the messages of a client at a time [s]. Returns the answers to its requests.
    pub fn receive(&mut self, client: &str, messages: Vec<Message>, now_s: f64) -> Vec<Message> {
        let mut answers = Vec::new();
        for message in messages {
            match message.kind {
                Kind::Notify => self.notify(message, now_s),
                Kind::Register => self.register(client, &message.key, message.number, now_s),
                Kind::Unregister => {
                    if let Some(variable) = self.variables.get_mut(&message.key) {
                        variable.subscribers.remove(client);
                    }
                }
                Kind::RegisterPattern => {
                    self.register_pattern(client, Filter::from_text(&message.text()), now_s);
                }
                Kind::UnregisterPattern => {
                    self.unregister_pattern(client, &Filter::from_text(&message.text()));
                }
                Kind::Request => self.answer(&message, now_s, &mut answers),
                // between a client and the server only
                Kind::Name
                | Kind::Welcome
                | Kind::Refusal
                | Kind::Timing
                | Kind::Null
                | Kind::Other(_) => {}
            }
        }
        self.summarize(now_s);
        answers
    }

    /// Returns the mail of a client, oldest first, and removes it.
    pub fn take_mail(&mut self, client: &str) -> Vec<Message> {
        let Some(mailbox) = self.clients.get_mut(client) else {
            return Vec::new();
        };
        let dropped = std::mem::take(&mut mailbox.dropped);
        if dropped > 0 {
            self.notes.push(format!(
                "client {client:?} fetches its mail too slowly: its oldest {dropped} messages were dropped"
            ));
        }
        mailbox.bytes = 0;
        std::mem::take(&mut mailbox.mail).into()
    }

    /// Returns whether a client has mail.
    pub fn has_mail(&self, client: &str) -> bool {
        let mailbox = self.clients.get(client);
        mailbox.is_some_and(|mailbox| !mailbox.mail.is_empty())
    }

    /// Writes a variable of the database itself.
    fn post(&mut self, key: &str, value: impl Into<Value>, now_s: f64) {
        let message = Message::notify(key, value, now_s).from(self.name.clone());
        self.notify(message, now_s);
    }

    fn notify(&mut self, mut message: Message, now_s: f64) {
        if !self.has_place(&message.key) {
            return;
        }
        if message.community.is_empty() {
            message.community.clone_from(&self.community);
        }
        let variable = self.variables.entry(message.key.clone()).or_default();
        match &variable.last {
            None => {
                // filters of clients that registered before the first write
                for (client, mailbox) in &self.clients {
                    let mut filters = mailbox.filters.iter();
                    let filter = filters.find(|own| own.matches(&message.source, &message.key));
                    if let Some(filter) = filter {
                        let new = Subscription::new(filter.period_s);
                        variable.subscribers.entry(client.clone()).or_insert(new);
                    }
                }
            }
            Some(last) if last.data_type != message.data_type => {
                if !std::mem::replace(&mut variable.is_noted, true) {
                    self.notes.push(format!(
                        "{:?} writes {} with type {:?}; expected {:?}, the type of its first value",
                        message.source, message.key, message.data_type, last.data_type
                    ));
                }
                return;
            }
            Some(_) => {}
        }
        variable.count(&message.source, now_s);
        for (client, subscription) in &mut variable.subscribers {
            if now_s - subscription.sent_s >= subscription.period_s {
                subscription.sent_s = now_s;
                if let Some(mailbox) = self.clients.get_mut(client) {
                    mailbox.push(message.clone());
                }
            }
        }
        variable.last = Some(message);
    }

    /// Returns whether a variable exists or can be added.
    fn has_place(&mut self, key: &str) -> bool {
        if self.variables.contains_key(key) || self.variables.len() < MAX_VARIABLES {
            return true;
        }
        self.note(format!(
            "further variables are ignored; expected at most {MAX_VARIABLES}"
        ));
        false
    }

    fn register(&mut self, client: &str, key: &str, period_s: f64, now_s: f64) {
        if !self.has_place(key) {
            return;
        }
        let variable = self.variables.entry(key.to_string()).or_default();
        let mut subscription = Subscription::new(period_s);
        if let Some(last) = &variable.last
            && let Some(mailbox) = self.clients.get_mut(client)
        {
            mailbox.push(last.clone());
            subscription.sent_s = now_s;
        }
        variable
            .subscribers
            .insert(client.to_string(), subscription);
    }

    fn register_pattern(&mut self, client: &str, filter: Filter, now_s: f64) {
        let found = self.matching(&filter);
        let Some(mailbox) = self.clients.get_mut(client) else {
            return;
        };
        if mailbox.filters.len() >= MAX_FILTERS {
            self.notes.push(format!(
                "a further pattern of {client:?} is ignored; expected at most {MAX_FILTERS}"
            ));
            return;
        }
        let period_s = filter.period_s;
        if !mailbox.filters.contains(&filter) {
            mailbox.filters.push(filter);
        }
        for key in found {
            self.register(client, &key, period_s, now_s);
        }
    }

    fn unregister_pattern(&mut self, client: &str, filter: &Filter) {
        for key in self.matching(filter) {
            if let Some(variable) = self.variables.get_mut(&key) {
                variable.subscribers.remove(client);
            }
        }
        if let Some(mailbox) = self.clients.get_mut(client) {
            mailbox
                .filters
                .retain(|own| own.programs != filter.programs || own.variables != filter.variables);
        }
    }

    /// Returns the names of the written variables of a filter.
    fn matching(&self, filter: &Filter) -> Vec<String> {
        let all = self.variables.iter().filter(|(key, variable)| {
            let last = variable.last.as_ref();
            last.is_some_and(|last| filter.matches(&last.source, key))
        });
        all.map(|(key, _)| key.clone()).collect()
    }

    fn answer(&mut self, request: &Message, now_s: f64, answers: &mut Vec<Message>) {
        let key = request.key.as_str();
        let mut add = |mut answer: Message| {
            answer.id = request.id;
            answers.push(answer);
        };
        if key == "ALL" {
            for (name, variable) in &self.variables {
                let unwritten = || {
                    let mut message = Message::notify(name.clone(), -1.0, -1.0);
                    message.data_type = DataType::Other(b'~');
                    message
                };
                let mut answer = variable.last.clone().unwrap_or_else(unwritten);
                if variable.last.is_some() {
                    answer.time = (variable.written_s - self.start_s).max(-1.0);
                }
                answer.second = variable.rate_hz;
                add(answer);
            }
        } else if key.contains("PROC_SUMMARY") {
            for client in self.clients.keys() {
                let [subscribed, published] = self.variables_of(client);
                let mut text = format!("{client}:SUBSCRIBED=");
                // the readers expect a comma before every name
                for name in subscribed {
                    let _ = write!(text, ",{name}");
                }
                text += ",PUBLISHED=";
                for name in published {
                    let _ = write!(text, ",{name}");
                }
                let time = now_s - self.start_s;
                add(Message::notify("PROC_SUMMARY", text, time).from(self.name.clone()));
            }
        } else if key.contains("VAR_SUMMARY") {
            let names: Vec<&str> = self.variables.keys().map(String::as_str).collect();
            let answer = Message::notify("VAR_SUMMARY", names.join(","), now_s);
            add(answer.from(self.name.clone()));
        } else if key.contains("DB_CLEAR") {
            for variable in self.variables.values_mut() {
                let subscribers = std::mem::take(&mut variable.subscribers);
                *variable = Variable {
                    subscribers,
                    ..Variable::default()
                };
            }
            for mailbox in self.clients.values_mut() {
                (mailbox.mail, mailbox.bytes) = (VecDeque::new(), 0);
            }
            self.start_s = now_s;
        }
    }

    /// Returns the variables that a client receives and writes.
    fn variables_of(&self, client: &str) -> [Vec<&str>; 2] {
        let names = |belongs: &dyn Fn(&Variable) -> bool| {
            let own = self.variables.iter().filter(|(_, own)| belongs(own));
            own.map(|(name, _)| name.as_str()).collect()
        };
        [
            names(&|variable| variable.subscribers.contains_key(client)),
            names(&|variable| variable.writers.contains(client)),
        ]
    }

    /// Writes the variables about the database itself when they are due.
    fn summarize(&mut self, now_s: f64) {
        if now_s - self.summary_s <= SUMMARY_PERIOD_S {
            return;
        }
        self.summary_s = now_s;
        self.post("DB_TIME", now_s, now_s);
        self.post("DB_UPTIME", now_s - self.start_s, now_s);
        let mut clients = String::new();
        let mut traffic: Vec<String> = Vec::new();
        for client in self.clients.keys() {
            let _ = write!(clients, "{client},");
            let [subscribed, published] = self.variables_of(client);
            traffic.push(format!(
                "{client}={}&{}",
                subscribed.join(":"),
                published.join(":")
            ));
        }
        let variables: String = self.variables.iter().map(line).collect();
        self.post("DB_CLIENTS", clients, now_s);
        self.post("DB_VARSUMMARY", variables, now_s);
        self.post("DB_RWSUMMARY", traffic.join(","), now_s);
    }
}

/// Returns the line of a variable in `DB_VARSUMMARY`.
fn line((name, variable): (&String, &Variable)) -> String {
    let source = variable
        .last
        .as_ref()
        .map_or("(not written)", |m| &m.source);
    let value = match variable.last.as_ref().and_then(Message::value) {
        None => String::new(),
        Some(Value::Number(number)) => format!("D {number}"),
        Some(Value::Text(text)) => {
            let short: String = text.chars().take(25).collect();
            format!("S {}", short.replace('\n', " "))
        }
        Some(Value::Binary(bytes)) => format!("B {} bytes", bytes.len()),
    };
    let (written, rate) = (variable.written_s, variable.rate_hz);
    format!("{name:20} {written:<20.3} {source:20} {rate:4.1}Hz {value}\n")
}

impl Subscription {
    fn new(period_s: f64) -> Self {
        Self {
            // a period that is not a number would never expire
            period_s: if period_s > 0.0 { period_s } else { 0.0 },
            sent_s: f64::NEG_INFINITY,
        }
    }
}

impl Variable {
    /// Counts a write.
    fn count(&mut self, source: &str, now_s: f64) {
        self.written_s = now_s;
        self.writes += 1;
        if !self.writers.contains(source) {
            self.writers.insert(source.to_string());
        }
        let (rated_s, rated) = self.rated;
        let [oldest_s, least_s] = RATE_AGE_S;
        let age_s = now_s - rated_s;
        if age_s > least_s {
            let rate_hz = (self.writes - rated) as f64 / age_s;
            self.rate_hz = if age_s > oldest_s {
                0.0
            } else {
                0.5 * (self.rate_hz + rate_hz)
            };
            self.rated = (now_s, self.writes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(mail: &[Message]) -> Vec<&str> {
        mail.iter().map(|message| message.key.as_str()).collect()
    }

    fn notify(db: &mut Database, key: &str, value: impl Into<Value>, now_s: f64) {
        let message = Message::notify(key, value, now_s).from("writer");
        db.receive("writer", vec![message], now_s);
    }

    fn with_clients() -> Database {
        let mut db = Database::new("alpha", 100.0);
        assert!(db.connect("writer", 100.0));
        assert!(db.connect("reader", 100.0));
        assert!(!db.connect("reader", 100.0));
        db
    }

    fn register(db: &mut Database, kind: Kind, key: &str, value: impl Into<Value>, now_s: f64) {
        let message = Message::new(kind, key, value, now_s).from("reader");
        db.receive("reader", vec![message], now_s);
    }

    #[test]
    fn values_reach_those_who_registered() {
        let mut db = with_clients();
        notify(&mut db, "A", 1.0, 100.0);
        assert!(db.take_mail("reader").is_empty());
        // the last value at once, then every one
        register(&mut db, Kind::Register, "A", 0.0, 100.0);
        notify(&mut db, "A", 2.0, 100.0);
        notify(&mut db, "B", 3.0, 100.0);
        let mail = db.take_mail("reader");
        assert_eq!(
            mail.iter().map(|m| m.number).collect::<Vec<_>>(),
            [1.0, 2.0]
        );
        assert_eq!(mail[1].community, "alpha");
        assert!(db.take_mail("reader").is_empty());
        register(&mut db, Kind::Unregister, "A", 0.0, 100.0);
        notify(&mut db, "A", 4.0, 100.0);
        assert!(!db.has_mail("reader"));
    }

    #[test]
    fn periods_limit_the_rate() {
        let mut db = with_clients();
        register(&mut db, Kind::Register, "A", 1.0, 100.0);
        for k in 0..40 {
            notify(&mut db, "A", f64::from(k), 100.0 + 0.1 * f64::from(k));
        }
        assert!((4..=5).contains(&db.take_mail("reader").len()));
        // a period that is not a number is none
        register(&mut db, Kind::Register, "B", f64::NAN, 100.0);
        notify(&mut db, "B", 1.0, 104.0);
        notify(&mut db, "B", 1.0, 104.0);
        assert_eq!(keys(&db.take_mail("reader")), ["B", "B"]);
    }

    #[test]
    fn patterns_include_later_variables() {
        let mut db = with_clients();
        notify(&mut db, "NAV_X", 1.0, 100.0);
        let pattern = "AppPattern=w*,VarPattern=NAV_*,Interval=0";
        register(&mut db, Kind::RegisterPattern, "reader", pattern, 100.0);
        notify(&mut db, "NAV_Y", 2.0, 100.0);
        notify(&mut db, "DESIRED_X", 2.0, 100.0);
        assert_eq!(keys(&db.take_mail("reader")), ["NAV_X", "NAV_Y"]);
        register(&mut db, Kind::UnregisterPattern, "reader", pattern, 100.0);
        notify(&mut db, "NAV_X", 2.0, 100.0);
        notify(&mut db, "NAV_Z", 2.0, 100.0);
        assert!(!db.has_mail("reader"));
    }

    #[test]
    fn types_stay_those_of_the_first_value() {
        let mut db = with_clients();
        register(&mut db, Kind::Register, "A", 0.0, 100.0);
        notify(&mut db, "A", 1.0, 100.0);
        notify(&mut db, "A", "text", 100.0);
        notify(&mut db, "A", "text", 100.0);
        assert_eq!(db.take_mail("reader").len(), 1);
        let notes = db.take_notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("writes A with type Text; expected Number"));
    }

    #[test]
    fn requests_are_answered() {
        let mut db = with_clients();
        notify(&mut db, "A", 1.0, 101.0);
        register(&mut db, Kind::Register, "B", 0.0, 101.0);
        let mut ask = |key: &str| {
            let mut request = Message::new(Kind::Request, key, "", 101.0);
            request.id = -2;
            db.receive("reader", vec![request], 101.0)
        };
        let all = ask("ALL");
        assert_eq!(keys(&all), ["A", "B", "DB_EVENT"]);
        assert!(all.iter().all(|answer| answer.id == -2));
        assert_eq!(
            (all[0].time, all[1].data_type),
            (1.0, DataType::Other(b'~'))
        );
        assert_eq!(ask("VAR_SUMMARY")[0].text(), "A,B,DB_EVENT");
        let processes = ask("PROC_SUMMARY");
        assert_eq!(processes[0].text(), "reader:SUBSCRIBED=,B,PUBLISHED=");
        assert_eq!(processes[1].text(), "writer:SUBSCRIBED=,PUBLISHED=,A");
        assert!(ask("DB_CLEAR").is_empty());
        assert_eq!(ask("ALL")[0].data_type, DataType::Other(b'~'));
    }

    #[test]
    fn slow_clients_lose_their_oldest_mail_with_a_line() {
        let mut db = with_clients();
        register(&mut db, Kind::Register, "A", 0.0, 100.0);
        for k in 0..MAX_MAIL + 10 {
            notify(&mut db, "A", k as f64, 100.0);
        }
        let mail = db.take_mail("reader");
        assert_eq!((mail.len(), mail[0].number), (MAX_MAIL, 10.0));
        assert!(db.take_notes()[0].contains("oldest 10 messages"));
    }

    #[test]
    fn clients_and_time_are_variables() {
        let mut db = with_clients();
        register(&mut db, Kind::Register, "DB_CLIENTS", 0.0, 100.0);
        register(&mut db, Kind::Register, "DB_UPTIME", 0.0, 100.0);
        register(&mut db, Kind::Register, "DB_RWSUMMARY", 0.0, 100.0);
        notify(&mut db, "A", 1.0, 103.0);
        let mail = db.take_mail("reader");
        assert_eq!(mail[0].number(), Some(3.0));
        assert_eq!(mail[1].text(), "reader,writer,");
        let traffic = "reader=DB_CLIENTS:DB_RWSUMMARY:DB_UPTIME&,writer=&A";
        assert_eq!(mail[2].text(), traffic);
        db.disconnect("reader", 103.0);
        assert_eq!(db.clients().collect::<Vec<_>>(), ["writer"]);
    }
}
