//! Tests of files that are not YAML, or do not have the form of a world.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::check;

#[test]
fn files_that_are_not_worlds() {
    check(
        "",
        "w.yaml:1:1: missing key `robots` (the robots, by name) in the file",
    );
    check(
        "# nothing yet\n",
        "w.yaml:1:1: missing key `robots` (the robots, by name) in the file",
    );
    check(
        "- a\n- b\n",
        "w.yaml:1:1: the file: expected a map with keys, found a list of 2",
    );
    check(
        "hello\n",
        "w.yaml:1:1: the file: expected a map with keys, found string `hello`",
    );
    check(
        "42\n",
        "w.yaml:1:1: the file: expected a map with keys, found `42`",
    );
    check(
        "robots: bluerov2\n",
        "w.yaml:1:9: `robots`: expected a map of names to maps with keys, found string `bluerov2`",
    );
    check(
        "robots:\n- model: bluerov2\n",
        "w.yaml:2:3: `robots`: expected a map of names to maps with keys, found a list of 1",
    );
}

#[test]
fn invalid_yaml_is_rejected() {
    check(
        "water:\n\tdensity_kg_m3: 1000\n",
        "w.yaml:2:1: not valid YAML: a tab in the indentation; expected spaces",
    );
    check(
        "robots: [1, 2\n",
        "w.yaml:1:9: not valid YAML: `[` is not closed before line 2; expected `]`",
    );
    check(
        "description: \"pool\nrobots: {}\n",
        "w.yaml:1:14: not valid YAML: the quotation that begins here is not closed; expected its second quote",
    );
    check(
        "seed:1\nrobots: {}\n",
        "w.yaml:1:5: not valid YAML: a `:` without a space after it; expected `: ` between key and value",
    );
    check(
        "step:\n  dt_s: 0.001\n integrator: rk4\n",
        "w.yaml:3:2: not valid YAML: the indentation of 1 space matches no line above; expected 0 spaces or 2 spaces",
    );
    check(
        "robots: *fleet\n",
        "w.yaml:1:9: not valid YAML: while parsing node, found unknown anchor",
    );
    check(
        "description: a\u{7}b\nrobots: {}\n",
        "w.yaml:1:15: not valid YAML: control characters are not allowed",
    );
}

#[test]
fn unsupported_yaml_is_rejected() {
    check(
        "robots: {}\n---\nrobots: {}\n",
        "w.yaml:2:1: a second YAML document; expected one per file",
    );
    check(
        "robots: !!map {}\n",
        "w.yaml:1:9: YAML tags (`!...`) other than `!!str` are not supported; expected only the value",
    );
    check(
        "robots: &a {}\nseabed:\n  <<: *a\n",
        "w.yaml:3:3: merge keys (`<<`) are not supported; expected the keys themselves or `extends: FILE`",
    );
    check(
        "robots: {}\n[1, 2]: 3\n",
        "w.yaml:2:1: expected plain text as key, found a list, a map or an alias",
    );
    check(
        "robots: {}\n: 1\n",
        "w.yaml:2:1: a key is empty; expected a name before the colon",
    );
    check(
        "robots: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
        "w.yaml:1:72: nested too deep; expected at most 64 levels",
    );
}

#[test]
fn duplicate_keys_are_rejected() {
    check(
        "seed: 1\nseed: 2\nrobots: {}\n",
        "w.yaml:2:1: duplicate key `seed` in one map",
    );
    check(
        "robots:\n  r: {model: bluerov2}\n  r: {model: rexrov}\n",
        "w.yaml:3:3: duplicate key `r` in one map",
    );
    check(
        "robots: {r: {model: bluerov2, position_m: [0, 0, 0], position_m: [1, 0, 0]}}\n",
        "w.yaml:1:54: duplicate key `position_m` in one map",
    );
}
