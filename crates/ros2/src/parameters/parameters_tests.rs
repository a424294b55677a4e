//! Unit tests of the parameter server: the values it rejects and the texts of its errors.

use parking_lot::Mutex;
use std::sync::Arc;

use crate::parameters::*;

fn pair(name: &str, value: ParameterValue) -> (String, ParameterValue) {
    (name.to_owned(), value)
}

fn server() -> ParameterServer {
    let server = ParameterServer::new(vec![
        pair("sea.wave_height_m", ParameterValue::Double(2.0)),
        pair("sea.wave_height_m", ParameterValue::Double(1.5)),
        pair("typo", ParameterValue::Integer(3)),
    ])
    .unwrap();
    let height = Declaration::new(
        "sea.wave_height_m",
        ParameterValue::Double(0.0),
        "Significant wave height [m].",
    );
    server
        .declare(height.with_range(Range::Double(0.0, 15.0)))
        .unwrap();
    server
        .declare(Declaration::new(
            "sea.current.speed_m_s",
            ParameterValue::Double(0.0),
            "Current [m/s].",
        ))
        .unwrap();
    let seed = Declaration::new("seed", ParameterValue::Integer(1), "Seed of all noise.");
    server.declare(seed.read_only()).unwrap();
    let pace = Declaration::new(
        "pace",
        ParameterValue::String("realtime".to_owned()),
        "Pace.",
    );
    server
        .declare(pace.with_constraints("realtime, max or a factor"))
        .unwrap();
    server
}

fn refusal(name: &str, value: ParameterValue) -> String {
    server().set_atomically(&[pair(name, value)]).unwrap_err()
}

#[test]
fn overrides_apply_at_declaration_and_unused_ones_are_reported() {
    let server = server();
    assert_eq!(
        server.get("sea.wave_height_m"),
        Some(ParameterValue::Double(1.5))
    );
    assert_eq!(
        server.get("use_sim_time"),
        Some(ParameterValue::Bool(false))
    );
    assert_eq!(server.get("typo"), None);
    assert_eq!(
        server.unused_overrides(),
        ["parameter 'typo' (given as 3) does not exist"]
    );
}

#[test]
fn declarations_are_checked() {
    let server = ParameterServer::new(vec![
        pair("gain", ParameterValue::Integer(2)),
        pair("ids", ParameterValue::StringArray(vec![])),
    ])
    .unwrap();
    let declare = |name: &str, default| server.declare(Declaration::new(name, default, ""));
    let error = declare("gain", ParameterValue::Double(1.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter 'gain': expected double, found integer 2 (write 2.0)"
    );
    assert_eq!(
        declare("ids", ParameterValue::IntegerArray(vec![1])),
        Ok(ParameterValue::IntegerArray(vec![])),
        "an empty list has the type of the default"
    );
    assert!(
        declare("ids", ParameterValue::Bool(true)).is_err(),
        "declared before"
    );
    assert!(declare("", ParameterValue::Bool(true)).is_err());
    assert!(declare("nan", ParameterValue::Double(f64::NAN)).is_err());
    let wrong = ParameterServer::new(vec![pair("use_sim_time", ParameterValue::Integer(1))]);
    assert!(wrong.is_err());
}

#[test]
fn string_parameters_accept_numbers_as_text() {
    let text = |text: &str| Some(ParameterValue::String(text.to_owned()));
    let declare = |server: &ParameterServer| {
        let pace = Declaration::new(
            "pace",
            ParameterValue::String("realtime".to_owned()),
            "Pace.",
        );
        server.declare(pace.with_number_as_text()).unwrap();
    };
    for (given, expected) in [
        (ParameterValue::Integer(2), "2"),
        (ParameterValue::Double(0.5), "0.5"),
        (ParameterValue::Double(3.0), "3"),
    ] {
        let server = ParameterServer::new(vec![pair("pace", given.clone())]).unwrap();
        declare(&server);
        assert_eq!(server.get("pace"), text(expected), "on the command line");
        let server = ParameterServer::new(vec![]).unwrap();
        declare(&server);
        let changes = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&changes);
        server.set_on_set(Box::new(move |batch| {
            log.lock().extend_from_slice(batch);
            Ok(())
        }));
        server.set_atomically(&[pair("pace", given)]).unwrap();
        assert_eq!(server.get("pace"), text(expected));
        assert_eq!(
            *changes.lock(),
            [pair("pace", ParameterValue::String(expected.to_owned()))]
        );
    }
    assert!(
        server()
            .set_atomically(&[pair("pace", ParameterValue::Integer(2))])
            .is_err(),
        "not declared to"
    );
}

#[test]
fn refusals_state_expected_and_found_values() {
    assert_eq!(
        refusal("wave_height", ParameterValue::Double(1.0)),
        "parameter 'wave_height' cannot be set because it was not declared"
    );
    assert_eq!(
        refusal("seed", ParameterValue::Integer(2)),
        "parameter 'seed' cannot be set because it is read-only"
    );
    assert_eq!(
        refusal("sea.wave_height_m", ParameterValue::Integer(2)),
        "parameter 'sea.wave_height_m': expected double, found integer 2 (write 2.0)"
    );
    assert_eq!(
        refusal("pace", ParameterValue::Bool(true)),
        "parameter 'pace': expected string (realtime, max or a factor), found bool true"
    );
    assert_eq!(
        refusal("sea.wave_height_m", ParameterValue::Double(20.0)),
        "parameter 'sea.wave_height_m': expected 0.0 to 15.0, found 20.0"
    );
    assert_eq!(
        refusal("sea.current.speed_m_s", ParameterValue::Double(f64::NAN)),
        "parameter 'sea.current.speed_m_s': expected finite numbers, found NaN"
    );
}

#[test]
fn batches_are_applied_atomically() {
    let server = server();
    let good = pair("sea.wave_height_m", ParameterValue::Double(3.0));
    let bad = pair("sea.current.speed_m_s", ParameterValue::Bool(true));
    assert!(server.set_atomically(&[good.clone(), bad.clone()]).is_err());
    assert_eq!(
        server.get("sea.wave_height_m"),
        Some(ParameterValue::Double(1.5))
    );
    let results = server.set(&[good, bad]);
    assert!(results[0].is_ok() && results[1].is_err());
    assert_eq!(
        server.get("sea.wave_height_m"),
        Some(ParameterValue::Double(3.0))
    );
}

#[test]
fn callbacks_can_refuse_and_listeners_get_applied_values() {
    let server = server();
    let changes = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&changes);
    server.set_listener(Box::new(move |change, parameters| {
        for (name, value) in parameters {
            log.lock().push(format!("{change:?} {name}={value}"));
        }
    }));
    assert_eq!(
        changes.lock().len(),
        5,
        "the listener receives all declared parameters as new"
    );
    changes.lock().clear();
    server.set_on_set(Box::new(|batch| match batch {
        [(_, ParameterValue::String(pace))] if pace == "warp" => {
            Err("pace 'warp' is unknown".to_owned())
        }
        _ => Ok(()),
    }));
    let set = |pace: &str| {
        server.set_atomically(&[pair("pace", ParameterValue::String(pace.to_owned()))])
    };
    assert_eq!(set("warp"), Err("pace 'warp' is unknown".to_owned()));
    assert_eq!(set("max"), Ok(()));
    server
        .declare(Declaration::new("late", ParameterValue::Bool(true), ""))
        .unwrap();
    assert_eq!(*changes.lock(), ["Changed pace='max'", "New late=true"]);
}

#[test]
fn listing_follows_prefixes_and_depth() {
    let server = server();
    let list = |prefixes: &[&str], depth| {
        let prefixes: Vec<String> = prefixes.iter().map(|prefix| (*prefix).to_owned()).collect();
        server.list(&prefixes, depth)
    };
    let (names, groups) = list(&[], 0);
    assert_eq!(
        names,
        [
            "pace",
            "sea.current.speed_m_s",
            "sea.wave_height_m",
            "seed",
            "use_sim_time"
        ]
    );
    assert_eq!(groups, ["sea.current", "sea"]);
    assert_eq!(list(&[], 1).0, ["pace", "seed", "use_sim_time"]);
    assert_eq!(list(&["sea"], 1).0, ["sea.wave_height_m"]);
    assert_eq!(
        list(&["sea"], 0).0,
        ["sea.current.speed_m_s", "sea.wave_height_m"]
    );
    assert_eq!(list(&["se"], 0).0, Vec::<String>::new());
    assert_eq!(list(&["seed", "pace"], 1).0, ["pace", "seed"]);
}

/// A group whose own groups are between its parameters is listed once.
#[test]
fn groups_are_listed_once() {
    let server = ParameterServer::new(Vec::new()).unwrap();
    for name in ["arm.base", "arm.gripper.force", "arm.shoulder"] {
        let declaration = Declaration::new(name, ParameterValue::Bool(true), "");
        server.declare(declaration).unwrap();
    }
    assert_eq!(server.list(&[], 0).1, ["arm", "arm.gripper"]);
}

#[test]
fn the_caller_describes_use_sim_time() {
    let described = |server: ParameterServer| server.describe("use_sim_time").unwrap().description;
    let plain = ParameterServer::new(Vec::new()).unwrap();
    assert_eq!(
        described(plain),
        "Whether the node uses the time on /clock."
    );
    let own = ParameterServer::with_clock(Vec::new(), "No effect.").unwrap();
    assert_eq!(described(own), "No effect.");
}

#[test]
fn descriptors_contain_the_whole_declaration() {
    let server = server();
    let pace = server.describe("pace").unwrap();
    assert_eq!(
        (pace.constraints.as_str(), pace.read_only),
        ("realtime, max or a factor", false)
    );
    assert!(server.describe("seed").unwrap().read_only);
    assert_eq!(server.describe("nothing"), None);
}

#[test]
fn external_changes_are_published() {
    let server = server();
    let (calls, published) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (counter, seen) = (Arc::clone(&calls), Arc::clone(&published));
    server.set_on_set(Box::new(move |_| {
        *counter.lock() += 1;
        Ok(())
    }));
    server.set_listener(Box::new(move |_, batch| {
        seen.lock().extend(batch.iter().map(|p| p.0.clone()))
    }));
    published.lock().clear();
    let height = |x| pair("sea.wave_height_m", ParameterValue::Double(x));
    server.update_values(&[
        height(3.5),
        pair("no.such", ParameterValue::Double(1.0)),
        height(99.0),
    ]);
    assert_eq!(
        server.get("sea.wave_height_m"),
        Some(ParameterValue::Double(3.5))
    );
    assert_eq!(*published.lock(), ["sea.wave_height_m"]);
    assert_eq!(*calls.lock(), 0, "the callback is not called");
}
