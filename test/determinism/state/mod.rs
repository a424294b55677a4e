//! Tests of states, checkpoints and changes of a run.

mod checkpoint;
mod faults;
mod hostile_checkpoint;
mod replacement;
mod same_bits;
mod saved_run;
mod schedule;
mod tasks;
