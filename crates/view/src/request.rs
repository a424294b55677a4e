//! Head of an HTTP request: the line with the path, and the headers that the server uses.

use std::net::IpAddr;

/// Maximum length of the head of a request [bytes].
pub(crate) const HEAD_BYTES: usize = 8192;

/// Head of an HTTP request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// True if the method reads a resource.
    pub is_read: bool,
    /// Path without the query.
    pub path: String,
    query: String,
    host: String,
    origin: Option<String>,
    upgrades: bool,
    key: Option<String>,
}

impl Head {
    /// Reads the head of a request.
    ///
    /// # Errors
    /// One line: what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err("malformed request line".to_string());
        };
        if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
            return Err("expected HTTP/1.1".to_string());
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut head = Self {
            is_read: matches!(method.as_bytes(), [b'G', b'E', b'T']),
            path: path.to_string(),
            query: query.to_string(),
            ..Self::default()
        };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim().to_string();
            match name.to_ascii_lowercase().as_str() {
                "host" => head.host = value,
                "origin" => head.origin = Some(value),
                "upgrade" => head.upgrades = value.eq_ignore_ascii_case("websocket"),
                "sec-websocket-key" => head.key = Some(value),
                _ => {}
            }
        }
        Ok(head)
    }

    /// Returns the key of a request for a WebSocket.
    pub(crate) fn socket_key(&self) -> Option<&str> {
        self.key.as_deref().filter(|_| self.upgrades)
    }

    /// Returns the value of `token` in the query of the address; `None` without one.
    pub fn token(&self) -> Option<&str> {
        let mut pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(key, _)| *key == "token")
            .map(|(_, value)| value)
    }

    /// Returns true if the request names this machine as its host.
    pub fn host_is_loopback(&self) -> bool {
        let name = match self.host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|c| c.is_ascii_digit()) => name,
            _ => self.host.as_str(),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Returns true if the request has no origin, or the origin of the page of its host.
    pub fn is_same_origin(&self) -> bool {
        match &self.origin {
            None => true,
            Some(origin) => origin.strip_prefix("http://") == Some(self.host.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &[&str]) -> Head {
        Head::parse(&format!("{}\r\n\r\n", lines.join("\r\n"))).unwrap()
    }

    #[test]
    fn path_token_and_key_are_read() {
        let head = head(&[
            "GET /socket?a=1&token=0f HTTP/1.1",
            "Host: 127.0.0.1:8080",
            "Upgrade: WebSocket",
            "Sec-WebSocket-Key: abc==",
        ]);
        assert_eq!((head.path.as_str(), head.token()), ("/socket", Some("0f")));
        assert_eq!(head.socket_key(), Some("abc=="));
    }

    #[test]
    fn foreign_hosts_and_origins_are_recognised() {
        let of = |host: &str, origin: &str| {
            head(&[
                "GET / HTTP/1.1",
                &format!("Host: {host}"),
                &format!("Origin: {origin}"),
            ])
        };
        for host in ["127.0.0.1:8080", "localhost:80", "[::1]:8080", "localhost"] {
            assert!(of(host, "").host_is_loopback(), "{host}");
        }
        for host in ["example.org", "example.org:8080", "10.0.0.1:8080", ""] {
            assert!(!of(host, "").host_is_loopback(), "{host}");
        }
        assert!(of("localhost:80", "http://localhost:80").is_same_origin());
        assert!(!of("localhost:80", "http://example.org").is_same_origin());
        assert!(!of("localhost:80", "null").is_same_origin());
    }

    #[test]
    fn malformed_heads_are_refused() {
        for text in [
            "",
            "GET",
            "GET /",
            "GET / FTP/1.0",
            "GET a HTTP/1.1",
            "a b c d",
        ] {
            assert!(Head::parse(text).is_err(), "{text}");
        }
    }
}
