//! Hostile CDR of the message types of this crate.

#[path = "common/hostile_cdr.rs"]
mod hostile_cdr;
#[path = "common/samples.rs"]
mod samples;

use merrow_ros2::msg::catalogue;

#[test]
fn samples_decode_in_both_byte_orders() {
    hostile_cdr::check_byte_orders(catalogue());
}

#[test]
fn changed_messages_decode_without_panic() {
    hostile_cdr::fuzz(catalogue(), 1, 50_000);
}

#[test]
#[ignore = "takes minutes"]
fn changed_messages_long() {
    hostile_cdr::fuzz(catalogue(), 2, 10_000_000);
}

#[test]
fn every_length_is_bounded() {
    hostile_cdr::check_lengths(catalogue());
}
