//! Frames of exteroceptive sensors.

use crate::persist;
use crate::state::frames::acoustic::{AcousticFix, AcousticObservations, AcousticRange};
use crate::state::frames::detection::{Detection, Echo, EchoSet};
use crate::state::frames::ping::{Ping, Sounding};
use crate::state::frames::sweep::Sweep;
use crate::state::frames::{CameraImages, FrameData, Point, Scan, Sentence};

persist! { enum FrameData {
    0 = Scan(scan), 1 = Cloud(points), 2 = CameraImages(images), 3 = Ping(ping), 4 = Acoustic(observations),
    5 = Detections(detections), 6 = Echoes(echoes), 7 = Sweep(sweep), 8 = Sentences(sentences),
} }
persist! { struct Scan { ranges, intensities } }
persist! { struct Point { p, intensity, time, ring } }
persist! { struct CameraImages { parts, rgb, depth, labels } }
persist! { struct Ping { sound_speed, head, number, levels, soundings } }
persist! { struct Sounding { range, level } }
persist! { struct AcousticObservations { fixes, ranges } }
persist! { struct AcousticFix { target, stamp_ns, p_S, covariance, snr, world } }
persist! { struct AcousticRange { target, receiver, stamp_ns, range, variance } }
persist! { struct Detection { p, q, size, p_W, echoes, listed } }
persist! { struct EchoSet { echoes, R_WS, p_WS, sample, noise, fault } }
persist! { struct Echo { p, half_height } }
persist! { struct Sweep { first, spokes } }
persist! { struct Sentence { stamp_ns, text } }
