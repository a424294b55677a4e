//! All tests but unit tests, one module per kind of proof. Run with `bash test/run`.

// closed solutions
mod analytic;
// no allocation in the step, every queue bounded
mod budget;
// worlds, random trees and physics helpers that the tests share
mod common;
// the error falls with the step as it should
mod convergence;
// same bits: reruns, threads, blocks, resume, lanes
mod determinism;
// the examples of README and the shipped URDF
mod docs;
// hours of extreme seas and currents; slow
mod hours;
// two independent ways agree
mod identity;
// each wrong file gives this message
mod input;
// real DDS peers and bag readers
mod ros;
// the rules of the code itself
mod tidy;
// the cases of merrow validate, and their page
mod validation;
// other programs and published data agree
mod witness;
