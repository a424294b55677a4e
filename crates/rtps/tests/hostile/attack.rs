//! Generator of hostile datagrams that reach the inner states of the protocol.

use std::net::SocketAddr;

use bytes::{BufMut, Bytes};
use merrow_rtps::wire::*;

use crate::peers::{MILLIS, Scene, address, prefix};
use merrow_testing::random::Random;

/// Datagrams of the attacker's participant, whose endpoints match, and of forged participants.
pub(crate) struct Attack {
    random: Random,
    /// Endpoints of the participant under attack and of the attacker.
    entities: Vec<EntityId>,
    own: Vec<EntityId>,
    count: i32,
    /// Next sample that the attacker's writers would send in order.
    number: i64,
    /// Next samples that announce readers and writers.
    announced: [i64; 2],
    index: u8,
}

/// Built-in endpoints of a participant.
const BUILTIN: [EntityId; 6] = [
    EntityId::PUBLICATIONS_WRITER,
    EntityId::PUBLICATIONS_READER,
    EntityId::SUBSCRIPTIONS_WRITER,
    EntityId::SUBSCRIPTIONS_READER,
    EntityId::MESSAGE_WRITER,
    EntityId::MESSAGE_READER,
];

impl Attack {
    pub(crate) fn new(seed: u64, scene: &Scene) -> Attack {
        let entities = |index: usize| {
            let peer = &scene.peers[index];
            let own = peer.readers.iter().chain([&peer.writer]);
            own.map(|guid| guid.entity).chain(BUILTIN).collect()
        };
        Attack {
            random: Random(seed),
            entities: entities(0),
            own: entities(2),
            count: 1000,
            number: 1,
            announced: [3, 2],
            index: 3,
        }
    }

    /// Returns the source address of the last datagram.
    pub(crate) fn from(&self) -> SocketAddr {
        address(self.index)
    }

    /// Returns the time until the next timers run [ns].
    pub(crate) fn pause(&mut self) -> u64 {
        let pauses = [1, 1, 1, 3, 20, 200, 600];
        self.random.pick(&pauses) * MILLIS
    }

    /// Returns the next datagram.
    pub(crate) fn next(&mut self) -> Bytes {
        // participants 100 to 199 exist only as forged datagrams
        let forged = self.random.below_u64(8) == 0;
        self.index = if forged {
            100 + self.random.below_u64(100) as u8
        } else {
            3
        };
        let source = prefix(self.index);
        let mut builder = MessageBuilder::new(source);
        for _ in 0..=self.random.below_u64(10) {
            if self.random.below_u64(4) != 0 {
                builder.info_destination(prefix(1));
            }
            self.submessage(source, &mut builder);
        }
        let mut bytes = builder.finish().concat();
        // a header without submessages has no byte to change
        if bytes.len() > 20 && self.random.below_u64(4) == 0 {
            for _ in 0..=self.random.below_u64(4) {
                let at = 20 + self.random.below(bytes.len() - 20);
                let value = self.random.next() as u8;
                bytes[at] = self.random.pick(&[0, 0xff, value, bytes[at] ^ 1]);
            }
        }
        bytes.truncate(65_000);
        bytes.into()
    }

    fn submessage(&mut self, source: GuidPrefix, builder: &mut MessageBuilder) {
        self.count = self.count.wrapping_add(1);
        match self.random.below_u64(18) {
            0..=2 => self.data(builder),
            3..=6 => self.data_frag(builder),
            7 | 8 => self.heartbeat(builder),
            9 => self.heartbeat_frag(builder),
            10 | 11 => self.acknack(builder),
            12 => self.nack_frag(builder),
            13 | 14 => self.gap(builder),
            15 => self.participant(source, builder),
            16 => self.endpoint(source, builder),
            _ => self.interpreter(builder),
        }
    }

    fn interpreter(&mut self, builder: &mut MessageBuilder) {
        let time = Time {
            seconds: self.random.pick(&[0, 1, u32::MAX]),
            fraction: self.random.pick(&[0, u32::MAX]),
        };
        match self.random.below_u64(3) {
            0 => builder.info_timestamp(Some(time)),
            1 => builder.info_timestamp(None),
            _ => builder.submessage(0x0c, 0, |out| {
                out.put_slice(&[0, 0, 0, 0, 2, 1, 1, 0x4d]);
                out.put_slice(&prefix(self.random.pick(&[0, 1, 3, 3, 3, 100, 150])).0);
            }),
        }
    }

    fn reader(&mut self) -> EntityId {
        let all = self.entities.clone();
        match self.random.below_u64(3) {
            0 => EntityId::UNKNOWN,
            _ => self.random.pick(&all),
        }
    }

    fn writer(&mut self) -> EntityId {
        let own: Vec<_> = self.own.iter().copied().filter(|e| e.is_writer()).collect();
        let (user, any) = (own[0], self.random.pick(&own));
        self.random.pick(&[user, any])
    }

    fn number(&mut self) -> SequenceNumber {
        let next = self.number;
        let edges = [1, next - 1, next + 255, next + 4095, next + 4096, 0];
        let last = SequenceNumber::MAX.0;
        // one of them ends all further progress of a writer
        let far = [1 << 32, last, last - 1, i64::MAX, -1];
        let number = match self.random.below_u64(500) {
            0 => self.random.pick(&far),
            1..50 => self.random.pick(&edges),
            50..200 => next + self.random.below_u64(300) as i64,
            _ => next + self.random.below_u64(5) as i64,
        };
        SequenceNumber(number)
    }

    /// Returns a set with random members, up to all 256.
    fn set(&mut self, base: SequenceNumber) -> SequenceNumberSet {
        let mut set = SequenceNumberSet::new(base);
        for _ in 0..self.random.pick(&[0, 1, 3, 300]) {
            set.insert(base.plus(self.random.below_u64(256) as i64));
        }
        set
    }

    fn counter(&mut self) -> i32 {
        let random = self.random.next() as i32;
        self.random
            .pick(&[self.count, self.count, self.count, random])
    }

    fn inline_qos(&mut self) -> InlineQos {
        let mut qos = InlineQos::default();
        if self.random.below_u64(4) == 0 {
            qos.related = Some(SampleIdentity {
                writer: Guid::new(prefix(1), self.random.pick(&self.entities.clone())),
                sequence_number: self.number(),
            });
        }
        if self.random.below_u64(8) == 0 {
            qos.key_hash = Some([self.random.next() as u8; 16]);
        }
        qos
    }

    fn data(&mut self, builder: &mut MessageBuilder) {
        let sequence_number = self.number();
        if sequence_number.0 == self.number {
            self.number += 1;
        }
        let size = self.random.pick(&[4, 5, 100, 3000]);
        let data = Data {
            reader: self.reader(),
            writer: self.writer(),
            sequence_number,
            inline_qos: self.inline_qos(),
            payload: match self.random.below_u64(8) {
                0 => Payload::None,
                1 => Payload::Key(Bytes::from(vec![0; size])),
                _ => Payload::Data(Bytes::from(vec![0; size])),
            },
        };
        builder.data(&data);
    }

    fn data_frag(&mut self, builder: &mut MessageBuilder) {
        let fragment_size: u16 = self.random.pick(&[1, 2, 256, 1000, 1000, 1000, u16::MAX]);
        let sizes = [4, 2500, 2500, 2500, 70_000, 1 << 20, 64 << 20, u32::MAX];
        let sample_size = self.random.pick(&sizes);
        let total = sample_size.div_ceil(u32::from(fragment_size));
        let any = 1 + self.random.below_u64(u64::from(total)) as u32;
        let first = self.random.pick(&[1, total, any]);
        let offset = u64::from(first - 1) * u64::from(fragment_size);
        let fragment_count = self.random.pick(&[1, 1, 2, 3]);
        let most = u64::from(fragment_size) * u64::from(fragment_count);
        let length = u64::from(sample_size).saturating_sub(offset).min(most);
        builder.data_frag(&DataFrag {
            reader: self.reader(),
            writer: self.writer(),
            sequence_number: self.number(),
            first_fragment: FragmentNumber(first),
            fragment_count: fragment_count.min((total - first + 1) as u16),
            fragment_size,
            sample_size,
            inline_qos: self.inline_qos(),
            key: self.random.below_u64(20) == 0,
            payload: Bytes::from(vec![0; length as usize]),
        });
    }

    fn heartbeat(&mut self, builder: &mut MessageBuilder) {
        let (first, last) = (self.number(), self.number());
        let before = first.plus(-1);
        builder.fixed(&Heartbeat {
            reader: self.reader(),
            writer: self.writer(),
            first: self
                .random
                .pick(&[first, SequenceNumber(1), SequenceNumber(1)]),
            last: self.random.pick(&[last, last, before]),
            count: self.counter(),
            is_final: self.random.below_u64(2) == 0,
            liveliness: self.random.below_u64(2) == 0,
        });
    }

    fn heartbeat_frag(&mut self, builder: &mut MessageBuilder) {
        let last = self.random.pick(&[1, 2, 3, 256, 1 << 17, u32::MAX]);
        builder.submessage(0x13, 0, |out| {
            out.put_slice(&self.reader().0);
            out.put_slice(&self.writer().0);
            let SequenceNumber(number) = self.number();
            out.put_i32_le((number >> 32) as i32);
            out.put_u32_le(number as u32);
            out.put_u32_le(last);
            out.put_i32_le(self.counter());
        });
    }

    /// Returns a reader of the attacker and a writer of the participant under attack.
    fn answer(&mut self) -> (EntityId, EntityId) {
        let own: Vec<_> = self.own.iter().copied().filter(|e| e.is_reader()).collect();
        let all: Vec<_> = self
            .entities
            .iter()
            .copied()
            .filter(|e| e.is_writer())
            .collect();
        let any = (self.random.pick(&own), self.random.pick(&all));
        self.random.pick(&[(own[0], all[0]), any])
    }

    fn acknack(&mut self, builder: &mut MessageBuilder) {
        let (reader, writer) = self.answer();
        let base = self.number();
        let small = SequenceNumber(self.random.below_u64(12) as i64);
        let base = self.random.pick(&[base, small]);
        builder.fixed(&AckNack {
            reader,
            writer,
            missing: self.set(base),
            count: self.counter(),
            is_final: self.random.below_u64(2) == 0,
        });
    }

    fn nack_frag(&mut self, builder: &mut MessageBuilder) {
        let (reader, writer) = self.answer();
        let base = self
            .random
            .pick(&[1, 2, 3, 1 << 17, u32::MAX - 256, u32::MAX]);
        let mut missing = FragmentNumberSet::new(FragmentNumber(base));
        for _ in 0..self.random.pick(&[1, 3, 300]) {
            let bit = self.random.below_u64(256) as u32;
            missing.insert(FragmentNumber(base.saturating_add(bit)));
        }
        let number = self.number();
        let small = SequenceNumber(self.random.below_u64(12) as i64);
        builder.fixed(&NackFrag {
            reader,
            writer,
            sequence_number: self.random.pick(&[number, small]),
            missing,
            count: self.counter(),
        });
    }

    fn gap(&mut self, builder: &mut MessageBuilder) {
        let (start, base) = (self.number(), self.number());
        let gap = Gap {
            reader: self.reader(),
            writer: self.writer(),
            start,
            list: self.set(base.max(start)),
        };
        if gap.start.0 <= self.number && base.0 < self.number + 300 {
            self.number = self.number.max(base.0);
        }
        builder.fixed(&gap);
    }

    fn lease(&mut self) -> Duration {
        self.random.pick(&[
            Duration::ZERO,
            Duration::INFINITE,
            Duration::from_nanos(1),
            Duration::from_seconds(-1),
            Duration::from_seconds(20),
            Duration::from_seconds(i32::MAX - 1),
        ])
    }

    fn participant(&mut self, source: GuidPrefix, builder: &mut MessageBuilder) {
        // the attacker's own announcement can end all matches
        if source == prefix(3) && self.random.below_u64(200) != 0 {
            return self.data_frag(builder);
        }
        let mut data = ParticipantData::new(source);
        // the honest peer has the address of a victim
        let to = self.random.pick(&[self.index, self.index, 2, 77]);
        data.metatraffic_unicast = vec![address(to).into(); 1 + self.random.below(3)];
        data.default_unicast = vec![address(to).into()];
        data.lease = self.lease();
        data.name = "x".repeat(self.random.pick(&[0, 10, 4000]));
        if self.random.below_u64(4) == 0 {
            data.builtin_endpoints = self.random.next() as u32;
            data.builtin_endpoint_qos = self.random.next() as u32;
        }
        let status = StatusInfo {
            disposed: true,
            unregistered: self.random.below_u64(2) == 0,
        };
        builder.data(&Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId::SPDP_WRITER,
            sequence_number: SequenceNumber(1),
            inline_qos: InlineQos {
                status: (self.random.below_u64(10) == 0).then_some(status),
                ..InlineQos::default()
            },
            payload: Payload::Data(data.encode()),
        });
    }

    fn endpoint(&mut self, source: GuidPrefix, builder: &mut MessageBuilder) {
        let key = 1 + self.random.below_u64(300) as u32;
        let random = match self.random.below_u64(2) {
            0 => EntityId::user_writer(key),
            _ => EntityId::user_reader(key),
        };
        let own = self.own.clone();
        let own = self.random.pick(&own);
        let entity = match self.random.below_u64(100) {
            0 => own,
            _ => random,
        };
        let guid = Guid::new(source, entity);
        let mut qos =
            crate::peers::spec(self.random.below_u64(2) == 0, self.random.below_u64(2) == 0).qos;
        qos.liveliness.lease = self.lease();
        qos.partition = vec![String::new(); self.random.pick(&[0, 0, 1, 64])];
        let topic = self.random.pick(&["t", "t", "t", "u"]);
        let type_name = self.random.pick(&["T", "T", "T", "U"]);
        let data = EndpointData::new(guid, topic, type_name, qos);
        let writer = match entity.is_writer() {
            true => EntityId::PUBLICATIONS_WRITER,
            false => EntityId::SUBSCRIPTIONS_WRITER,
        };
        let status = StatusInfo {
            disposed: true,
            unregistered: true,
        };
        let gone = self.random.below_u64(5) == 0;
        let next = &mut self.announced[usize::from(entity.is_writer())];
        let sequence_number = SequenceNumber(*next);
        *next += 1;
        builder.data(&Data {
            reader: EntityId::UNKNOWN,
            writer,
            sequence_number,
            inline_qos: InlineQos {
                related: None,
                status: gone.then_some(status),
                key_hash: Some(guid.to_bytes()),
            },
            payload: match gone {
                true => Payload::Key(encode_key(guid)),
                false => Payload::Data(data.encode()),
            },
        });
    }
}
