//! Errors of decoding.

/// Reason why received bytes are not a valid message, submessage or parameter list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The bytes end before the structure does.
    #[error("the bytes end too early")]
    Truncated,
    /// The datagram does not start with the magic number `RTPS`.
    #[error("not an RTPS message")]
    NotRtps,
    /// The major version of the protocol is not 2.
    #[error("unsupported major version of RTPS")]
    Version,
    /// A field has a value that RTPS 2.5, 8.3.8 declares invalid.
    #[error("a field has an invalid value")]
    Invalid,
    /// A list, string or set is longer than this implementation accepts.
    #[error("a list is too long")]
    TooLong,
    /// An unknown parameter has the must-understand flag.
    #[error("found an unsupported parameter with the must-understand flag")]
    MustUnderstand,
    /// The encapsulation is not a parameter list (PL_CDR_BE or PL_CDR_LE).
    #[error("the encapsulation is not a parameter list")]
    Encapsulation,
    /// A mandatory parameter is absent.
    #[error("a mandatory parameter is absent")]
    Missing,
}
