//! Calls the readers of MOOS: packets, the server's database, logs and mission files.
//!
//! It is a separate file so that the randomized test and the fuzz target use the same readers. It must
//! not make assumptions about the origin of the bytes.

use merrow_moos::alog::{Reader, Writer};
use merrow_moos::database::Database;
use merrow_moos::mission::Mission;
use merrow_moos::packet::{decode, encode};

/// Reads `bytes` as a packet, as a log and as a mission file. Accepted messages pass a database with a
/// second client, and are unchanged after another round trip. Returns the number of messages.
///
/// # Panics
/// Panics if the bytes change or a reader panics; the tests look for this.
pub(super) fn decode_moos(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    if let Err(why) = Mission::from_text(&text, "fuzz.moos") {
        assert!(!why.is_empty());
    }
    for message in Reader::new(bytes) {
        let Ok(message) = message else { break };
        let written = Writer::new(Vec::new(), "fuzz.alog", 0.0).map(|mut log| log.write(&message));
        assert!(matches!(written, Ok(Ok(()))));
    }
    let messages = match decode(bytes) {
        Ok(messages) => messages,
        Err(why) => {
            assert!(!why.contains('\n') && why.len() < 500, "{why}");
            return 0;
        }
    };
    let packet = encode(&messages);
    assert_eq!(decode(&packet).map(|again| encode(&again)), Ok(packet));
    let count = messages.len();
    let mut database = Database::new("fuzz", 0.0);
    database.connect("hostile", 0.0);
    database.connect("other", 0.0);
    let _ = database.receive("hostile", messages.clone(), 1.0);
    let _ = database.receive("other", messages, 2.0);
    let _ = (database.take_mail("hostile"), database.take_mail("other"));
    count
}
