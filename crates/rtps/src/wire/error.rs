//! Errors of decoding.

/// Reason why received bytes are not a valid message, submessage or parameter list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The bytes end before the structure does.
    Truncated,
    /// The datagram does not start with the magic number `RTPS`.
    NotRtps,
    /// The major version of the protocol is not 2.
    Version,
    /// A field has a value that RTPS 2.5, 8.3.8 declares invalid.
    Invalid,
    /// A list, string or set is longer than this implementation accepts.
    TooLong,
    /// An unknown parameter has the must-understand flag.
    MustUnderstand,
    /// The encapsulation is not a parameter list (PL_CDR_BE or PL_CDR_LE).
    Encapsulation,
    /// A mandatory parameter is absent.
    Missing,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            ParseError::Truncated => "the bytes end too early",
            ParseError::NotRtps => "not an RTPS message",
            ParseError::Version => "unsupported major version of RTPS",
            ParseError::Invalid => "a field has an invalid value",
            ParseError::TooLong => "a list is too long",
            ParseError::MustUnderstand => {
                "found an unsupported parameter with the must-understand flag"
            }
            ParseError::Encapsulation => "the encapsulation is not a parameter list",
            ParseError::Missing => "a mandatory parameter is absent",
        })
    }
}

impl std::error::Error for ParseError {}
