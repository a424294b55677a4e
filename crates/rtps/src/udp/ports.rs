//! Well-known port numbers of participants (RTPS 2.5, 9.6.2.3).

/// Maximum participant id whose ports are tried, and to which announcements on this host are sent.
pub const MAX_PARTICIPANT_ID: u16 = 119;

const PORT_BASE: u16 = 7400;
const DOMAIN_GAIN: u16 = 250;
const PARTICIPANT_GAIN: u16 = 2;
const METATRAFFIC_MULTICAST: u16 = 0;
const METATRAFFIC_UNICAST: u16 = 10;
const DEFAULT_UNICAST: u16 = 11;

/// Returns the port of multicast announcements of a domain; `None` above 65535.
pub fn metatraffic_multicast(domain_id: u16) -> Option<u16> {
    port(domain_id, 0, METATRAFFIC_MULTICAST)
}

/// Returns the discovery port of a participant; `None` above 65535.
pub fn metatraffic_unicast(domain_id: u16, participant_id: u16) -> Option<u16> {
    port(domain_id, participant_id, METATRAFFIC_UNICAST)
}

/// Returns the port of a participant for samples of user topics; `None` above 65535.
pub fn default_unicast(domain_id: u16, participant_id: u16) -> Option<u16> {
    port(domain_id, participant_id, DEFAULT_UNICAST)
}

fn port(domain_id: u16, participant_id: u16, offset: u16) -> Option<u16> {
    let participant = PARTICIPANT_GAIN.checked_mul(participant_id)?;
    DOMAIN_GAIN
        .checked_mul(domain_id)?
        .checked_add(PORT_BASE + offset)?
        .checked_add(participant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_the_specification() {
        assert_eq!(metatraffic_multicast(0), Some(7400));
        assert_eq!(metatraffic_unicast(0, 0), Some(7410));
        assert_eq!(default_unicast(0, 0), Some(7411));
        assert_eq!(metatraffic_unicast(1, 3), Some(7666));
    }

    #[test]
    fn ports_above_65535_do_not_exist() {
        // the largest domain id of ROS
        assert_eq!(default_unicast(232, 61), Some(65_533));
        assert_eq!(default_unicast(232, 63), None);
        assert_eq!(metatraffic_multicast(u16::MAX), None);
    }
}
