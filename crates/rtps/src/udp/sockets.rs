//! UDP sockets of a participant: three that receive, for any number of endpoints, and those that
//! send to other hosts.
//!
//! One socket receives multicast announcements, one receives discovery by unicast, and one receives
//! samples and sends to groups and to this machine (RTPS 2.5, 9.6.2). The system keeps datagrams to
//! a host that does not answer for some seconds, until it gives up resolving the address. They fill
//! the send buffer of their socket, so hosts do not share one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4, UdpSocket};

use rustix::fd::OwnedFd;
use rustix::net::addr::SocketAddrArg;
use rustix::net::{
    AddressFamily, MMsgHdr, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType, sockopt,
};

use super::networks::Networks;
use super::ports;
use crate::engine::{Paths, Transmit};

/// Group of multicast announcements (RTPS 2.5, 9.6.2.4).
pub const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);

/// Requested size of the buffers of a socket [bytes]; the kernel limits it to its maximum.
const BUFFER_LEN: usize = 8 << 20;

/// Requested size of the send buffer for all unverified participants [bytes]; the kernel doubles
/// it. It holds answers to about 50 hosts, of 1024 whose addresses the kernel resolves at a time.
const UNVERIFIED_LEN: usize = 64 << 10;

/// Maximum number of sockets that send to one host each.
const MAX_HOSTS: usize = 256;

/// Sockets of one participant, bound to the ports of its participant id.
#[derive(Debug)]
pub struct Sockets {
    /// Participant id whose ports are free.
    pub participant_id: u16,
    /// Multicast announcements; `None` without multicast.
    pub multicast: Option<UdpSocket>,
    /// Socket that receives discovery data by unicast.
    pub metatraffic: UdpSocket,
    /// Samples; also sends to groups and to this machine.
    pub data: UdpSocket,
}

/// Sockets that only send, to other hosts.
#[derive(Debug)]
pub struct HostSockets {
    /// Socket of each host with verified participants, and the number of its last use.
    hosts: HashMap<IpAddr, (UdpSocket, u64)>,
    uses: u64,
    /// Socket for all unverified participants.
    unverified: UdpSocket,
}

impl HostSockets {
    /// Opens the socket for unverified participants.
    ///
    /// # Errors
    /// The system refuses the socket.
    pub fn open() -> io::Result<Self> {
        Ok(Self {
            hosts: HashMap::new(),
            uses: 0,
            unverified: sender(UNVERIFIED_LEN)?,
        })
    }

    /// Returns the socket for a destination on another host, or why a new socket was refused. Above
    /// the limit the socket that was not used for the longest time is closed; the system still
    /// sends its datagrams.
    fn socket(&mut self, transmit: &Transmit) -> io::Result<&UdpSocket> {
        if !transmit.is_verified {
            return Ok(&self.unverified);
        }
        let host = transmit.to.ip();
        if !self.hosts.contains_key(&host) && self.hosts.len() >= MAX_HOSTS {
            let oldest = self.hosts.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(host, _)| *host) {
                self.hosts.remove(&oldest);
            }
        }
        self.uses += 1;
        let (socket, used) = match self.hosts.entry(host) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert((sender(BUFFER_LEN)?, 0)),
        };
        *used = self.uses;
        Ok(socket)
    }
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
    pub fn send(
        &self,
        datagrams: &[Transmit],
        networks: &Networks,
        hosts: &mut HostSockets,
    ) -> io::Result<usize> {
        let Some(first) = datagrams.first() else {
            return Ok(0);
        };
        if first.to.ip().is_multicast() {
            let mut result = Ok(1);
            for network in networks.iter() {
                sockopt::set_ip_multicast_if(&self.data, &network.address)?;
                if let Err(error) = send_all(&self.data, std::slice::from_ref(first)) {
                    result = Err(error);
                }
            }
            return result;
        }
        // datagrams to this machine share a system call, and those to one other host
        let is_here = |to: &Transmit| Paths::is_own(networks, to.to.ip());
        let shares = |next: &&Transmit| match is_here(first) {
            true => is_here(next),
            false => (next.to.ip(), next.is_verified) == (first.to.ip(), first.is_verified),
        };
        let count = datagrams.iter().take_while(shares).count();
        let socket = match is_here(first) {
            true => &self.data,
            false => hosts.socket(first)?,
        };
        send_all(socket, &datagrams[..count])
    }
}

/// Sends datagrams with one system call. Returns the number of those that were sent.
fn send_all(socket: &UdpSocket, datagrams: &[Transmit]) -> io::Result<usize> {
    let no_flags = SendFlags::empty();
    if let [one] = datagrams {
        let mut control = SendAncillaryBuffer::default();
        rustix::net::sendmsg_addr(socket, &one.to, &slices(one), &mut control, no_flags)?;
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
    Ok(rustix::net::sendmmsg(socket, &mut messages, no_flags)?)
}

fn multicast_socket(domain_id: u16) -> io::Result<UdpSocket> {
    let port = ports::metatraffic_multicast(domain_id)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "domain id is too large"))?;
    bind(port, true)
}

/// Opens a socket that does not block.
fn datagram_socket() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(rustix::net::socket_with(
        AddressFamily::INET,
        SocketType::DGRAM,
        flags,
        None,
    )?)
}

/// Opens a socket that sends, with a send buffer of a size [bytes].
fn sender(buffer_len: usize) -> io::Result<UdpSocket> {
    let socket = datagram_socket()?;
    let _ = sockopt::set_socket_send_buffer_size(&socket, buffer_len);
    // answers to the port of a socket that has none arrive at a new port
    let _ = sockopt::set_socket_recv_buffer_size(&socket, 0);
    Ok(UdpSocket::from(socket))
}

/// Opens a socket on all networks, which does not block.
fn bind(port: u16, shared: bool) -> io::Result<UdpSocket> {
    let socket = datagram_socket()?;
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
    use std::os::fd::AsRawFd;
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
            is_verified: true,
        });
        let hosts = &mut HostSockets::open().unwrap();
        assert_eq!(first.send(&all[..1], &networks, hosts).unwrap(), 1);
        assert_eq!(first.send(&all[1..], &networks, hosts).unwrap(), 2);
        let mut buffer = vec![0; 65_536];
        for _ in all {
            let (len, from) = second.data.recv_from(&mut buffer).unwrap();
            assert_eq!((len, &buffer[..5]), (60_004, &b"RTPS\x07"[..]));
            assert_eq!(from.port(), first.data.local_addr().unwrap().port());
        }
    }

    /// A host that does not answer cannot fill the send buffer of another. The sockets are limited.
    #[test]
    fn hosts_do_not_share_a_send_buffer() {
        let mut hosts = HostSockets::open().unwrap();
        let mut socket = |host: u32, is_verified: bool| {
            let transmit = Transmit {
                to: (Ipv4Addr::from_bits(0x0a00_0000 + host), 7400).into(),
                parts: Vec::new(),
                is_verified,
            };
            let socket = hosts.socket(&transmit).unwrap();
            (socket.as_raw_fd(), hosts.hosts.len())
        };
        let (first, second) = (socket(1, true).0, socket(2, true).0);
        assert_ne!(first, second);
        assert_eq!(socket(1, true), (first, 2));
        let unverified = socket(3, false).0;
        assert!(![first, second].contains(&unverified));
        assert_eq!(socket(1, false), (unverified, 2));
        for host in 3..1000 {
            socket(host, true);
            assert_eq!(socket(1, true).0, first, "the most recently used remains");
        }
        assert_eq!(socket(1, true).1, MAX_HOSTS);
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
            is_verified: true,
        };
        let sent = sockets.send(&[hello], &networks, &mut HostSockets::open().unwrap());
        let mut buffer = [0; 16];
        match socket.recv_from(&mut buffer) {
            Ok((len, _)) => assert_eq!(&buffer[..len], b"hello"),
            Err(error) => panic!("sending: {sent:?}, receiving: {error}"),
        }
    }
}
