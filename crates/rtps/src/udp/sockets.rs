//! UDP sockets of a participant: three for any number of endpoints.
//!
//! One socket receives multicast announcements, one receives discovery by unicast, and one receives
//! samples and sends all datagrams (RTPS 2.5, 9.6.2).

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};

use rustix::net::addr::SocketAddrArg;
use rustix::net::{
    AddressFamily, MMsgHdr, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType, sockopt,
};

use super::networks::Networks;
use super::ports;
use crate::engine::Transmit;

/// Group of multicast announcements (RTPS 2.5, 9.6.2.4).
pub const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);

/// Requested size of the buffers of a socket [bytes]; the kernel limits it to its maximum.
const BUFFER_LEN: usize = 8 << 20;

/// Sockets of one participant, bound to the ports of its participant id.
#[derive(Debug)]
pub struct Sockets {
    /// Participant id whose ports are free.
    pub participant_id: u16,
    /// Multicast announcements; `None` without multicast.
    pub multicast: Option<UdpSocket>,
    /// Socket that receives discovery data by unicast.
    pub metatraffic: UdpSocket,
    /// Samples; also sends all datagrams.
    pub data: UdpSocket,
}

fn slices(transmit: &Transmit) -> Vec<io::IoSlice<'_>> {
    let parts = transmit.parts.iter();
    parts.map(|part| io::IoSlice::new(part)).collect()
}

impl Sockets {
    /// Opens the sockets with the first free participant id. Multicast datagrams pass at most
    /// `multicast_ttl` networks, none if it is 0; without a value there is no multicast.
    ///
    /// # Errors
    /// All participant ids of the domain are in use, or the system refuses a socket.
    pub fn open(domain_id: u16, multicast_ttl: Option<u8>) -> io::Result<Self> {
        for participant_id in 0..=ports::MAX_PARTICIPANT_ID {
            let Some((first, second)) = ports::metatraffic_unicast(domain_id, participant_id)
                .zip(ports::default_unicast(domain_id, participant_id))
            else {
                break;
            };
            let pair = bind(first, false).and_then(|metatraffic| {
                let data = bind(second, false)?;
                Ok((metatraffic, data))
            });
            match pair {
                Ok((metatraffic, data)) => {
                    if let Some(ttl) = multicast_ttl {
                        sockopt::set_ip_multicast_ttl(&data, u32::from(ttl))?;
                    }
                    let multicast = multicast_ttl.map(|_| multicast_socket(domain_id));
                    let multicast = multicast.transpose()?;
                    return Ok(Self {
                        participant_id,
                        multicast,
                        metatraffic,
                        data,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            format!(
                "no free participant id in domain {domain_id}; stop other participants or use another domain"
            ),
        ))
    }

    /// Joins the multicast group on all networks. Existing memberships are kept.
    pub fn join(&self, networks: &Networks) {
        let Some(socket) = &self.multicast else {
            return;
        };
        for network in networks.iter() {
            // a failure is "already a member", or an interface without multicast: unicast remains
            let _ = sockopt::set_ip_add_membership_with_ifindex(
                socket,
                &GROUP,
                &network.address,
                network.index,
            );
        }
    }

    /// Sends the first of some datagrams and returns their count, at least 1 unless there are none.
    /// A multicast datagram is sent on every network.
    ///
    /// # Errors
    /// The first datagram was not sent: `WouldBlock` if the send buffer is full; otherwise the
    /// error of the network.
    pub fn send(&self, datagrams: &[Transmit], networks: &Networks) -> io::Result<usize> {
        let is_multicast = |transmit: &Transmit| transmit.to.ip().is_multicast();
        let Some(first) = datagrams.first() else {
            return Ok(0);
        };
        if !is_multicast(first) {
            let end = datagrams.iter().position(is_multicast);
            return self.send_unicast(&datagrams[..end.unwrap_or(datagrams.len())]);
        }
        let mut result = Ok(1);
        for network in networks.iter() {
            sockopt::set_ip_multicast_if(&self.data, &network.address)?;
            if let Err(error) = self.send_unicast(std::slice::from_ref(first)) {
                result = Err(error);
            }
        }
        result
    }

    /// Sends datagrams with one system call. Returns the number of those that were sent.
    fn send_unicast(&self, datagrams: &[Transmit]) -> io::Result<usize> {
        let no_flags = SendFlags::empty();
        if let [one] = datagrams {
            let mut control = SendAncillaryBuffer::default();
            rustix::net::sendmsg_addr(&self.data, &one.to, &slices(one), &mut control, no_flags)?;
            return Ok(1);
        }
        let slices: Vec<_> = datagrams.iter().map(slices).collect();
        let addresses: Vec<_> = datagrams.iter().map(|t| t.to.as_any()).collect();
        let mut controls = Vec::new();
        controls.resize_with(datagrams.len(), SendAncillaryBuffer::default);
        let mut messages: Vec<_> = slices
            .iter()
            .zip(&addresses)
            .zip(&mut controls)
            .map(|((parts, to), control)| MMsgHdr::new_with_addr(to, parts, control))
            .collect();
        Ok(rustix::net::sendmmsg(&self.data, &mut messages, no_flags)?)
    }
}

fn multicast_socket(domain_id: u16) -> io::Result<UdpSocket> {
    let port = ports::metatraffic_multicast(domain_id)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "domain id is too large"))?;
    bind(port, true)
}

/// Opens a socket on all networks, which does not block.
fn bind(port: u16, shared: bool) -> io::Result<UdpSocket> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)?;
    if shared {
        sockopt::set_socket_reuseaddr(&socket, true)?;
    }
    // the kernel accepts any size and uses at most its own maximum
    let _ = sockopt::set_socket_recv_buffer_size(&socket, BUFFER_LEN);
    let _ = sockopt::set_socket_send_buffer_size(&socket, BUFFER_LEN);
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    Ok(UdpSocket::from(socket))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use std::net::SocketAddr;
    use std::time::Duration;

    /// Domain of these tests only.
    const DOMAIN: u16 = 201;

    #[test]
    fn participants_take_the_next_free_id_and_exchange_datagrams() {
        let networks = Networks::detect();
        let first = Sockets::open(DOMAIN, Some(1)).unwrap();
        let second = Sockets::open(DOMAIN, Some(1)).unwrap();
        assert!(second.participant_id > first.participant_id);
        second.data.set_nonblocking(false).unwrap();
        second
            .data
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let to = SocketAddr::from((
            Ipv4Addr::LOCALHOST,
            second.data.local_addr().unwrap().port(),
        ));
        let body = [7; 60_000];
        let parts = vec![Bytes::from_static(b"RTPS"), Bytes::from(body.to_vec())];
        let all = [(); 3].map(|()| Transmit {
            to,
            parts: parts.clone(),
        });
        assert_eq!(first.send(&all[..1], &networks).unwrap(), 1);
        assert_eq!(first.send(&all[1..], &networks).unwrap(), 2);
        let mut buffer = vec![0; 65_536];
        for _ in all {
            let (len, from) = second.data.recv_from(&mut buffer).unwrap();
            assert_eq!((len, &buffer[..5]), (60_004, &b"RTPS\x07"[..]));
            assert_eq!(from.port(), first.data.local_addr().unwrap().port());
        }
    }

    #[test]
    fn a_hundred_participants_have_ports() {
        let all: Vec<_> = (0..100).map(|_| Sockets::open(10, None).unwrap()).collect();
        let ids: std::collections::HashSet<_> = all.iter().map(|s| s.participant_id).collect();
        assert_eq!(ids.len(), 100);
    }

    #[test]
    fn multicast_announcements_reach_this_machine() {
        let networks = Networks::detect();
        let sockets = Sockets::open(DOMAIN + 1, Some(0)).unwrap();
        sockets.join(&networks);
        let socket = sockets.multicast.as_ref().unwrap();
        socket.set_nonblocking(false).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let port = socket.local_addr().unwrap().port();
        let hello = Transmit {
            to: (GROUP, port).into(),
            parts: vec![Bytes::from_static(b"hello")],
        };
        let sent = sockets.send(&[hello], &networks);
        let mut buffer = [0; 16];
        match socket.recv_from(&mut buffer) {
            Ok((len, _)) => assert_eq!(&buffer[..len], b"hello"),
            Err(error) => panic!("sending: {sent:?}, receiving: {error}"),
        }
    }
}
