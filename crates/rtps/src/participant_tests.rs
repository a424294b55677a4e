//! Participants on the network of this machine.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::engine::tests::spec;
use crate::qos::{Durability, Qos};
use crate::udp::discovery::Range;

/// Domains of these tests only.
const DOMAIN: u16 = 210;

const TIMEOUT: Duration = Duration::from_secs(10);

struct Samples(Sender<Sample>);

impl EventSink for Samples {
    fn sample(&self, _: usize, sample: Sample) {
        let _ = self.0.send(sample);
    }
    fn event(&self, _: Event) {}
}

fn join(domain: u16) -> (Participant, Receiver<Sample>) {
    join_within(domain, Discovery::new(Range::Localhost, []).unwrap())
}

fn join_within(domain: u16, discovery: Discovery) -> (Participant, Receiver<Sample>) {
    let (sender, samples) = channel();
    let mut config = ParticipantConfig::new(domain);
    config.discovery = discovery;
    (
        Participant::join(&config, Samples(sender)).unwrap(),
        samples,
    )
}

fn sample(len: usize) -> OutgoingSample {
    let mut payload = vec![7; len];
    payload[..4].copy_from_slice(&[0, 1, 0, 0]);
    OutgoingSample {
        payload: payload.into(),
        related: None,
    }
}

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !condition() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn large_reliable_samples_all_arrive() {
    let (listener, samples) = join(DOMAIN);
    let mut qos = Qos::writer();
    qos.history = History::KeepLast(5);
    let _reader = listener.create_reader(spec(qos.clone()), |_| {});
    let (talker, _) = join(DOMAIN);
    let writer = talker.create_writer(spec(qos));
    wait_for("match", || !writer.ready_readers().is_empty());
    for number in 1..=10 {
        let len = 1_000_000 + number;
        writer.write(sample(len)).unwrap();
        let received = samples.recv_timeout(TIMEOUT).unwrap();
        assert_eq!(received.payload.len(), len);
    }
    assert_eq!(writer.evicted_unacknowledged(), 0);
}

/// Acknowledgements arrive within milliseconds of the question, and only when the sample has been
/// delivered.
#[test]
fn acknowledgments_are_requested() {
    let (listener, samples) = join(DOMAIN + 6);
    let _reader = listener.create_reader(spec(Qos::writer()), |_| {});
    let (talker, _) = join(DOMAIN + 6);
    assert!(talker.poll_acknowledgments(), "nothing was written");
    let writer = talker.create_writer(spec(Qos::writer()));
    wait_for("match", || !writer.ready_readers().is_empty());
    for len in [100, 1_000_000] {
        for _ in 0..20 {
            writer.write(sample(len)).unwrap();
            wait_for("acknowledgement", || talker.poll_acknowledgments());
            let received = samples
                .try_recv()
                .expect("acknowledged before it was delivered");
            assert_eq!(received.payload.len(), len);
        }
    }
}

#[test]
fn samples_are_completed_before_the_participant_leaves() {
    let (listener, samples) = join(DOMAIN + 4);
    let mut qos = Qos::writer();
    qos.history = History::KeepLast(5);
    let _reader = listener.create_reader(spec(qos.clone()), |_| {});
    let (talker, _) = join(DOMAIN + 4);
    let writer = talker.create_writer(spec(qos));
    wait_for("match", || !writer.ready_readers().is_empty());
    writer.write(sample(2_000_000)).unwrap();
    talker.leave();
    let received = samples.recv_timeout(TIMEOUT).unwrap();
    assert_eq!(received.payload.len(), 2_000_000);
    let start = Instant::now();
    talker.leave();
    assert!(
        start.elapsed() < Duration::from_millis(100),
        "no data waits"
    );
}

#[test]
fn a_late_reader_receives_the_history_and_ends_with_its_handle() {
    let (talker, _) = join(DOMAIN + 1);
    let mut qos = Qos::writer();
    qos.durability = Durability::TransientLocal;
    qos.history = History::KeepLast(1);
    let writer = talker.create_writer(spec(qos.clone()));
    writer.write(sample(8)).unwrap();
    writer.write(sample(16)).unwrap();
    let (listener, samples) = join(DOMAIN + 1);
    let reader = listener.create_reader(spec(qos), |_| {});
    assert_eq!(samples.recv_timeout(TIMEOUT).unwrap().payload.len(), 16);
    assert_eq!(listener.matched_writers(reader.guid()), [writer.guid()]);
    assert_eq!(writer.matched(), 1);
    drop(reader);
    wait_for("end of the match", || writer.matched() == 0);
}

#[test]
fn participants_that_leave_are_forgotten_at_once() {
    let (talker, _) = join(DOMAIN + 2);
    let writer = talker.create_writer(spec(Qos::writer()));
    let (listener, _) = join(DOMAIN + 2);
    let reader = listener.create_reader(spec(Qos::writer()), |_| {});
    wait_for("match", || writer.matched() == 1);
    listener.leave();
    wait_for("end of the match", || writer.matched() == 0);
    drop(reader);
}

#[test]
fn static_peers_are_found_without_automatic_discovery() {
    let named = || Discovery::new(Range::Off, ["127.0.0.1"]).unwrap();
    let (talker, _) = join_within(DOMAIN + 3, named());
    let writer = talker.create_writer(spec(Qos::writer()));
    let (unnamed, _) = join_within(DOMAIN + 3, Discovery::new(Range::Off, []).unwrap());
    let _hidden = unnamed.create_reader(spec(Qos::writer()), |_| {});
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(writer.matched(), 0);
    let (listener, samples) = join_within(DOMAIN + 3, named());
    let _reader = listener.create_reader(spec(Qos::writer()), |_| {});
    wait_for("match", || !writer.ready_readers().is_empty());
    writer.write(sample(8)).unwrap();
    assert_eq!(samples.recv_timeout(TIMEOUT).unwrap().payload.len(), 8);
}

/// Files and threads of this process.
fn resources() -> [usize; 2] {
    ["/proc/self/fd", "/proc/self/task"].map(|folder| std::fs::read_dir(folder).unwrap().count())
}

/// Sockets and threads do not depend on the endpoints. Other tests of this process open and close
/// their own meanwhile, so the test runs in a process of its own.
#[test]
fn endpoints_need_no_sockets_and_threads() {
    const NAME: &str = "MERROW_TEST_ENDPOINTS";
    if std::env::var_os(NAME).is_none() {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["endpoints_need_no_sockets_and_threads", "--test-threads=1"])
            .env(NAME, "1")
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let before = resources();
    let (participant, _samples) = join(DOMAIN + 5);
    let one = resources();
    // three sockets and a pair that wakes the thread
    assert!(one[0] - before[0] <= 8, "{before:?}, {one:?}");
    assert_eq!(one[1] - before[1], 1);
    let _endpoints: Vec<_> = (0..50)
        .map(|index| {
            let mut spec = spec(Qos::writer());
            spec.topic = format!("t{index}");
            let writer = participant.create_writer(spec.clone());
            (writer, participant.create_reader(spec, |_| {}))
        })
        .collect();
    assert_eq!(resources(), one);
}

/// More participants than the ten to which Cyclone DDS and Fast DDS limit themselves without
/// multicast find each other by the unicast ports of this machine.
#[test]
fn participants_without_multicast_find_each_other() {
    const COUNT: usize = 14;
    let all: Vec<_> = (0..COUNT)
        .map(|_| {
            let discovery = Discovery::new(Range::Off, ["127.0.0.1"]).unwrap();
            let (participant, _) = join_within(DOMAIN + 6, discovery);
            let reader = participant.create_reader(spec(Qos::writer()), |_| {});
            let writer = participant.create_writer(spec(Qos::writer()));
            (participant, reader, writer)
        })
        .collect();
    wait_for("all know all others", || {
        all.iter()
            .all(|(_, _, writer)| writer.matched() == COUNT - 1)
    });
}

/// A hundred participants on one machine find each other; each has at most eight sockets and two
/// threads.
#[test]
#[ignore = "takes half a minute"]
fn a_hundred_participants_find_each_other() {
    const COUNT: usize = 100;
    let before = resources();
    let all: Vec<_> = (0..COUNT)
        .map(|_| {
            let (participant, samples) = join(DOMAIN + 9);
            let reader = participant.create_reader(spec(Qos::writer()), |_| {});
            (participant, reader, samples)
        })
        .collect();
    let writers: Vec<_> = all
        .iter()
        .map(|(participant, ..)| participant.create_writer(spec(Qos::writer())))
        .collect();
    let [files, threads] = resources();
    assert!(files - before[0] <= 8 * COUNT, "{files} open files");
    assert!(threads - before[1] <= 2 * COUNT, "{threads} threads");
    let end = Instant::now() + Duration::from_secs(60);
    let found = || writers.iter().filter(|w| w.matched() == COUNT - 1).count();
    while found() < COUNT {
        let found = found();
        assert!(
            Instant::now() < end,
            "{found} of {COUNT} have discovered all others"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}
