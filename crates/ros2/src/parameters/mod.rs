//! Parameter server of a node. Each parameter is declared with type, range and description;
//! undeclared parameters cannot be set.
//!
//! The rules agree with rclcpp, so `ros2 param` and other clients behave as with any node: no
//! implicit conversion, no undeclared names, and atomic batches on request. Every refusal states
//! its reason. The module does not depend on DDS; `node/parameter_services.rs` provides the
//! services.

pub mod range;
pub mod value;
pub mod yaml;

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

use crate::parameters::range::Range;
use crate::parameters::value::ParameterValue;

/// Declaration of a parameter by the node.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Name of the parameter; dots separate groups.
    pub name: String,
    /// Default value. Its type is the fixed type of the parameter.
    pub default: ParameterValue,
    /// Description of the parameter for users.
    pub description: String,
    /// Constraints, in words, that the range cannot express.
    pub constraints: String,
    /// Allowed values of a number.
    pub range: Option<Range>,
    /// Whether the parameter can be set only at start.
    pub read_only: bool,
    /// Whether a string parameter also accepts a number as its text. YAML parses `2` as an integer
    /// even if text is intended.
    pub number_as_text: bool,
}

impl Declaration {
    /// Declares a parameter without range that can be set at any time.
    pub fn new(name: &str, default: ParameterValue, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            default,
            description: description.to_owned(),
            constraints: String::new(),
            range: None,
            read_only: false,
            number_as_text: false,
        }
    }

    /// Returns the same declaration with a range. Values beyond the range are rejected.
    pub fn with_range(self, range: Range) -> Self {
        Self {
            range: Some(range),
            ..self
        }
    }

    /// Returns the same declaration with constraints in words.
    pub fn with_constraints(self, constraints: &str) -> Self {
        Self {
            constraints: constraints.to_owned(),
            ..self
        }
    }

    /// Returns the same declaration as read-only: it can be set only at start.
    pub fn read_only(self) -> Self {
        Self {
            read_only: true,
            ..self
        }
    }

    /// Returns the same declaration of a string that also accepts a number.
    pub fn with_number_as_text(self) -> Self {
        Self {
            number_as_text: true,
            ..self
        }
    }

    /// Converts a number to text if the parameter accepts that; otherwise returns the value
    /// unchanged.
    fn adapt(&self, value: &ParameterValue) -> ParameterValue {
        match (&self.default, value) {
            (ParameterValue::String(_), ParameterValue::Integer(number)) if self.number_as_text => {
                ParameterValue::String(number.to_string())
            }
            (ParameterValue::String(_), ParameterValue::Double(number)) if self.number_as_text => {
                ParameterValue::String(number.to_string())
            }
            _ => value.clone(),
        }
    }

    /// Checks the type, finiteness and range of `value`.
    fn check(&self, value: &ParameterValue) -> Result<(), String> {
        let (expected, found) = (self.default.type_name(), value.type_name());
        if expected != found {
            let hint = match (&self.default, value) {
                (ParameterValue::Double(_), ParameterValue::Integer(value)) => {
                    format!(" (write {value}.0)")
                }
                _ => String::new(),
            };
            let which = if self.constraints.is_empty() {
                String::new()
            } else {
                format!(" ({})", self.constraints)
            };
            return Err(format!(
                "parameter '{}': expected {expected}{which}, found {found} {value}{hint}",
                self.name
            ));
        }
        if value.has_non_finite() {
            return Err(format!(
                "parameter '{}': expected finite numbers, found {value}",
                self.name
            ));
        }
        match &self.range {
            Some(range) if !range.allows(value) => Err(format!(
                "parameter '{}': expected {range}, found {value}",
                self.name
            )),
            _ => Ok(()),
        }
    }
}

/// Kind of a change, as in `/parameter_events`.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The parameter was declared.
    New,
    /// The value of the parameter changed.
    Changed,
    /// The parameter was removed.
    Deleted,
}

/// Callback that checks a whole batch against conditions known only to the node, and applies it. An
/// error rejects the batch.
pub type OnSet = Box<dyn FnMut(&[(String, ParameterValue)]) -> Result<(), String> + Send>;

/// Callback that receives every batch after it took effect.
pub type Listener = Box<dyn FnMut(Change, &[(String, ParameterValue)]) + Send>;

/// Parameters of one node; usable from any thread.
pub struct ParameterServer {
    table: Mutex<Table>,
    /// Held during a whole set or declaration, so that batches do not mix; never while `table` is
    /// held.
    hooks: Mutex<Hooks>,
}

#[derive(Clone, Default)]
struct Table {
    parameters: BTreeMap<String, Parameter>,
    overrides: Vec<(String, ParameterValue)>,
}

#[derive(Clone)]
struct Parameter {
    declaration: Declaration,
    value: ParameterValue,
}

#[derive(Default)]
struct Hooks {
    on_set: Option<OnSet>,
    listener: Option<Listener>,
}

impl ParameterServer {
    /// Creates a server with the parameter `use_sim_time`, which every ROS node has. `overrides`
    /// replace the defaults of parameters declared later. If a name occurs more than once, the last
    /// value applies.
    ///
    /// # Errors
    /// The override of `use_sim_time` is not a boolean.
    pub fn new(overrides: Vec<(String, ParameterValue)>) -> Result<Self, String> {
        Self::with_clock(overrides, "Whether the node uses the time on /clock.")
    }

    /// Creates a server like [`ParameterServer::new`] whose parameter `use_sim_time` has the
    /// description `use_sim_time`, for a node with a clock of its own.
    ///
    /// # Errors
    /// The override of `use_sim_time` is not a boolean.
    pub fn with_clock(
        overrides: Vec<(String, ParameterValue)>,
        use_sim_time: &str,
    ) -> Result<Self, String> {
        let table = Table {
            parameters: BTreeMap::new(),
            overrides,
        };
        let server = Self {
            table: Mutex::new(table),
            hooks: Mutex::default(),
        };
        server.declare(Declaration::new(
            "use_sim_time",
            ParameterValue::Bool(false),
            use_sim_time,
        ))?;
        Ok(server)
    }

    /// Returns a server with the same parameters, values and overrides, without callbacks.
    pub fn copy(&self) -> Self {
        Self {
            table: Mutex::new(self.table.lock().clone()),
            hooks: Mutex::default(),
        }
    }

    /// Declares a parameter and returns its value: the override, or else the default.
    ///
    /// # Errors
    /// The name is empty or already declared, or the default or the override violates type or
    /// range.
    pub fn declare(&self, declaration: Declaration) -> Result<ParameterValue, String> {
        let mut hooks = self.hooks.lock();
        let name = declaration.name.clone();
        let value = {
            let mut table = self.table.lock();
            if name.is_empty() || table.parameters.contains_key(&name) {
                return Err(format!(
                    "parameter '{name}': empty name or already declared"
                ));
            }
            declaration.check(&declaration.default)?;
            let value = match table.overrides.iter().rev().find(|(key, _)| *key == name) {
                Some((_, value)) => {
                    adapt_empty_list(&declaration.adapt(value), &declaration.default)
                }
                None => declaration.default.clone(),
            };
            declaration.check(&value)?;
            table.parameters.insert(
                name.clone(),
                Parameter {
                    declaration,
                    value: value.clone(),
                },
            );
            value
        };
        hooks.notify(Change::New, &[(name, value.clone())]);
        Ok(value)
    }

    /// Removes parameters. Names that are not declared are skipped.
    pub fn undeclare(&self, names: &[String]) {
        let mut hooks = self.hooks.lock();
        let mut removed = Vec::new();
        for name in names {
            if let Some(parameter) = self.table.lock().parameters.remove(name) {
                removed.push((name.clone(), parameter.value));
            }
        }
        if !removed.is_empty() {
            hooks.notify(Change::Deleted, &removed);
        }
    }

    /// Returns one line for each override of an undeclared parameter. Call it after all
    /// declarations.
    pub fn unused_overrides(&self) -> Vec<String> {
        let table = self.table.lock();
        let unused = table
            .overrides
            .iter()
            .filter(|(name, _)| !table.parameters.contains_key(name));
        unused
            .map(|(name, value)| format!("parameter '{name}' (given as {value}) does not exist"))
            .collect()
    }

    /// Sets the callback for batches before they take effect. It may read parameters, but must not
    /// set any.
    pub fn set_on_set(&self, on_set: OnSet) {
        self.hooks.lock().on_set = Some(on_set);
    }

    /// Sets the listener for changes, and calls it with all parameters declared so far.
    pub fn set_listener(&self, mut listener: Listener) {
        let mut hooks = self.hooks.lock();
        let parameters: Vec<_> = self.all();
        listener(Change::New, &parameters);
        hooks.listener = Some(listener);
    }

    /// Returns every parameter and its value, sorted by name.
    pub fn all(&self) -> Vec<(String, ParameterValue)> {
        let table = self.table.lock();
        table
            .parameters
            .iter()
            .map(|(name, parameter)| (name.clone(), parameter.value.clone()))
            .collect()
    }

    /// Returns the value of a parameter; `None` if it is not declared.
    pub fn get(&self, name: &str) -> Option<ParameterValue> {
        self.table
            .lock()
            .parameters
            .get(name)
            .map(|parameter| parameter.value.clone())
    }

    /// Returns the declaration of a parameter; `None` if it is not declared.
    pub fn describe(&self, name: &str) -> Option<Declaration> {
        self.table
            .lock()
            .parameters
            .get(name)
            .map(|parameter| parameter.declaration.clone())
    }

    /// Sets parameters one by one.
    ///
    /// # Errors
    /// The reason for each parameter that is refused.
    pub fn set(&self, parameters: &[(String, ParameterValue)]) -> Vec<Result<(), String>> {
        parameters
            .iter()
            .map(|parameter| self.set_atomically(std::slice::from_ref(parameter)))
            .collect()
    }

    /// Sets all parameters of a batch, or none.
    ///
    /// # Errors
    /// The reasons for the refusal, joined if there are several.
    pub fn set_atomically(&self, batch: &[(String, ParameterValue)]) -> Result<(), String> {
        let mut hooks = self.hooks.lock();
        let batch = &self.table.lock().accept(batch)?;
        if let Some(on_set) = &mut hooks.on_set {
            on_set(batch)?;
        }
        {
            let mut table = self.table.lock();
            for (name, value) in batch {
                if let Some(parameter) = table.parameters.get_mut(name) {
                    parameter.value = value.clone();
                }
            }
        }
        hooks.notify(Change::Changed, batch);
        Ok(())
    }

    /// Updates values that were changed by other means than parameters. [`OnSet`] is not called,
    /// but listeners are. Values that a parameter cannot have, and values of undeclared parameters,
    /// are skipped.
    pub fn update_values(&self, values: &[(String, ParameterValue)]) {
        let mut hooks = self.hooks.lock();
        let mut followed = Vec::new();
        for one in values {
            let mut table = self.table.lock();
            let Ok(accepted) = table.accept(std::slice::from_ref(one)) else {
                continue;
            };
            for (name, value) in accepted {
                if let Some(parameter) = table.parameters.get_mut(&name) {
                    parameter.value = value.clone();
                    followed.push((name, value));
                }
            }
        }
        if !followed.is_empty() {
            hooks.notify(Change::Changed, &followed);
        }
    }

    /// Lists the parameter names below the prefixes (all names if there is no prefix) and their
    /// groups. `depth` limits the number of levels below a prefix; 0 means no limit.
    pub fn list(&self, prefixes: &[String], depth: u64) -> (Vec<String>, Vec<String>) {
        let fits = |below: &str| depth == 0 || (below.matches('.').count() as u64) < depth;
        let is_requested = |name: &str| {
            if prefixes.is_empty() {
                return fits(name);
            }
            prefixes
                .iter()
                .any(|prefix| match name.strip_prefix(prefix.as_str()) {
                    Some("") => true,
                    Some(below) => below.strip_prefix('.').is_some_and(fits),
                    None => false,
                })
        };
        let table = self.table.lock();
        let names: Vec<String> = table
            .parameters
            .keys()
            .filter(|name| is_requested(name))
            .cloned()
            .collect();
        // in the order of the names, a group can be interrupted by its own groups
        let mut seen = BTreeSet::new();
        let groups = names
            .iter()
            .filter_map(|name| name.rsplit_once('.'))
            .map(|(group, _)| group)
            .filter(|group| seen.insert(*group));
        let groups = groups.map(str::to_owned).collect();
        (names, groups)
    }
}

impl Table {
    /// Returns the converted values of the batch, or all errors in it.
    fn accept(
        &self,
        batch: &[(String, ParameterValue)],
    ) -> Result<Vec<(String, ParameterValue)>, String> {
        let (mut accepted, mut refusals) = (Vec::with_capacity(batch.len()), Vec::new());
        for (name, value) in batch {
            match self.check(name, value) {
                Ok(value) => accepted.push((name.clone(), value)),
                Err(why) => refusals.push(why),
            }
        }
        if refusals.is_empty() {
            Ok(accepted)
        } else {
            Err(refusals.join("; "))
        }
    }

    fn check(&self, name: &str, value: &ParameterValue) -> Result<ParameterValue, String> {
        let Some(parameter) = self.parameters.get(name) else {
            return Err(format!(
                "parameter '{name}' cannot be set because it was not declared"
            ));
        };
        if parameter.declaration.read_only {
            return Err(format!(
                "parameter '{name}' cannot be set because it is read-only"
            ));
        }
        let value = parameter.declaration.adapt(value);
        parameter.declaration.check(&value).map(|()| value)
    }
}

impl Hooks {
    fn notify(&mut self, change: Change, parameters: &[(String, ParameterValue)]) {
        if let Some(listener) = &mut self.listener {
            listener(change, parameters);
        }
    }
}

/// Returns an empty list of the type of the default. A list without elements does not determine its
/// type, so it receives the type of the default.
fn adapt_empty_list(value: &ParameterValue, default: &ParameterValue) -> ParameterValue {
    match (value, default) {
        (ParameterValue::StringArray(values), _) if !values.is_empty() => value.clone(),
        (ParameterValue::StringArray(_), ParameterValue::BoolArray(_)) => {
            ParameterValue::BoolArray(Vec::new())
        }
        (ParameterValue::StringArray(_), ParameterValue::IntegerArray(_)) => {
            ParameterValue::IntegerArray(Vec::new())
        }
        (ParameterValue::StringArray(_), ParameterValue::DoubleArray(_)) => {
            ParameterValue::DoubleArray(Vec::new())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
#[path = "parameters_tests.rs"]
mod tests;
