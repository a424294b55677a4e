//! Bytes that wait until a non-blocking stream accepts them.
//!
//! A stream can accept a part of a frame. The rest must follow before the next frame, otherwise the
//! receiver loses the limits of the frames. The queue therefore keeps this rest, and refuses whole
//! frames until it is sent.

use std::io::{self, ErrorKind, Write};

/// Rest of the last frame that was sent in part.
#[derive(Clone, Debug, Default)]
pub(super) struct SendQueue {
    rest: Vec<u8>,
}

impl SendQueue {
    /// Sends `frame` after the rest of the frame before it. Returns false if the stream has not
    /// accepted this rest: then no byte of `frame` is sent.
    ///
    /// # Errors
    /// The connection has failed.
    pub(super) fn send(&mut self, stream: &mut impl Write, frame: &[u8]) -> io::Result<bool> {
        if !self.rest.is_empty() {
            let sent = write_available(stream, &self.rest)?;
            self.rest.drain(..sent);
            if !self.rest.is_empty() {
                return Ok(false);
            }
        }
        let sent = write_available(stream, frame)?;
        if sent == 0 && !frame.is_empty() {
            return Ok(false);
        }
        self.rest.extend_from_slice(&frame[sent..]);
        Ok(true)
    }
}

/// Returns the number of bytes that the stream has accepted without blocking.
fn write_available(stream: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    let mut sent = 0;
    while sent < bytes.len() {
        match stream.write(&bytes[sent..]) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => sent += count,
            Err(why) if why.kind() == ErrorKind::WouldBlock => break,
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stream that accepts `room` further bytes.
    struct Limited {
        received: Vec<u8>,
        room: usize,
    }

    impl Write for Limited {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.room);
            if count == 0 {
                return Err(ErrorKind::WouldBlock.into());
            }
            self.room -= count;
            self.received.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn stalled_stream_receives_whole_frames_only() {
        let (received, room) = (Vec::new(), 5);
        let mut stream = Limited { received, room };
        let mut queue = SendQueue::default();
        // the stream accepts the first frame and half of the second
        assert!(queue.send(&mut stream, b"abc").unwrap());
        assert!(queue.send(&mut stream, b"defg").unwrap());
        assert!(!queue.send(&mut stream, b"hij").unwrap());
        stream.room = 1;
        assert!(!queue.send(&mut stream, b"klm").unwrap());
        stream.room = 100;
        assert!(queue.send(&mut stream, b"nop").unwrap());
        assert_eq!(stream.received, b"abcdefgnop");
        // a full stream at the limit of two frames
        stream.room = 0;
        assert!(!queue.send(&mut stream, b"qrs").unwrap());
        stream.room = 100;
        assert!(queue.send(&mut stream, b"tuv").unwrap());
        assert_eq!(stream.received, b"abcdefgnoptuv");
    }

    #[test]
    fn closed_stream_is_an_error() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let sent = SendQueue::default().send(&mut Closed, b"abc");
        assert_eq!(sent.unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
