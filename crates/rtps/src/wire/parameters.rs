//! Parameter lists (RTPS 2.5, 9.4.2.11, 9.6.3, 10.5.3).

use bytes::{BufMut, Bytes, BytesMut};

use super::element::{Element, padding};
use super::error::ParseError;
use super::input::Input;
use super::types::Locator;

/// Parameter identifiers (RTPS 2.5, 9.6.3, 9.6.4).
pub(super) mod pid {
    pub(crate) const PAD: u16 = 0x0000;
    pub(crate) const SENTINEL: u16 = 0x0001;
    pub(crate) const PARTICIPANT_LEASE: u16 = 0x0002;
    pub(crate) const TOPIC_NAME: u16 = 0x0005;
    pub(crate) const TYPE_NAME: u16 = 0x0007;
    pub(crate) const DOMAIN_ID: u16 = 0x000f;
    pub(crate) const PROTOCOL_VERSION: u16 = 0x0015;
    pub(crate) const VENDOR_ID: u16 = 0x0016;
    pub(crate) const RELIABILITY: u16 = 0x001a;
    pub(crate) const LIVELINESS: u16 = 0x001b;
    pub(crate) const DURABILITY: u16 = 0x001d;
    pub(crate) const OWNERSHIP: u16 = 0x001f;
    pub(crate) const PRESENTATION: u16 = 0x0021;
    pub(crate) const DEADLINE: u16 = 0x0023;
    pub(crate) const DESTINATION_ORDER: u16 = 0x0025;
    pub(crate) const LATENCY_BUDGET: u16 = 0x0027;
    pub(crate) const PARTITION: u16 = 0x0029;
    pub(crate) const LIFESPAN: u16 = 0x002b;
    pub(crate) const USER_DATA: u16 = 0x002c;
    pub(crate) const UNICAST_LOCATOR: u16 = 0x002f;
    pub(crate) const DEFAULT_UNICAST_LOCATOR: u16 = 0x0031;
    pub(crate) const METATRAFFIC_UNICAST_LOCATOR: u16 = 0x0032;
    pub(crate) const METATRAFFIC_MULTICAST_LOCATOR: u16 = 0x0033;
    pub(crate) const HISTORY: u16 = 0x0040;
    pub(crate) const PARTICIPANT_GUID: u16 = 0x0050;
    pub(crate) const BUILTIN_ENDPOINT_SET: u16 = 0x0058;
    pub(crate) const ENDPOINT_GUID: u16 = 0x005a;
    pub(crate) const ENTITY_NAME: u16 = 0x0062;
    pub(crate) const KEY_HASH: u16 = 0x0070;
    pub(crate) const STATUS_INFO: u16 = 0x0071;
    pub(crate) const DATA_REPRESENTATION: u16 = 0x0073;
    pub(crate) const BUILTIN_ENDPOINT_QOS: u16 = 0x0077;
    pub(crate) const RELATED_SAMPLE_IDENTITY: u16 = 0x0083;
    pub(crate) const DOMAIN_TAG: u16 = 0x4014;
    /// Form of RELATED_SAMPLE_IDENTITY in Fast DDS before the number was standardised.
    pub(crate) const LEGACY_RELATED_SAMPLE_IDENTITY: u16 = 0x800f;

    /// The receiver must understand the parameter or ignore the whole list.
    pub(crate) const MUST_UNDERSTAND: u16 = 0x4000;
    /// The meaning depends on the vendor.
    pub(crate) const VENDOR: u16 = 0x8000;
}

/// Upper bound of the number of parameters in one list.
const MAX_PARAMETERS: usize = 512;

/// Reads a parameter list up to its sentinel and passes each parameter to `visit`, which returns
/// true if the identifier is supported. The input is at the byte after the sentinel afterwards.
pub(super) fn read_list(
    input: &mut Input,
    mut visit: impl FnMut(u16, &mut Input) -> Result<bool, ParseError>,
) -> Result<(), ParseError> {
    for _ in 0..MAX_PARAMETERS {
        let id = u16::get(input)?;
        let length = usize::from(u16::get(input)?);
        if id == pid::SENTINEL {
            // The length of a sentinel has no meaning.
            return Ok(());
        }
        let mut value = Input::new(input.take_bytes(length)?, input.is_little());
        if id == pid::PAD {
            continue;
        }
        let known = visit(id, &mut value)?;
        if !known && id & pid::VENDOR == 0 && id & pid::MUST_UNDERSTAND != 0 {
            return Err(ParseError::MustUnderstand);
        }
    }
    Err(ParseError::TooLong)
}

/// Reads the encapsulation header of a parameter list and then the list.
pub(super) fn read_encapsulated(
    payload: &Bytes,
    visit: impl FnMut(u16, &mut Input) -> Result<bool, ParseError>,
) -> Result<(), ParseError> {
    let mut input = Input::new(payload.clone(), true);
    match input.array::<4>()? {
        [0, 2, ..] => input.set_little(false),
        [0, 3, ..] => {}
        _ => return Err(ParseError::Encapsulation),
    }
    read_list(&mut input, visit)
}

/// Writer of a little-endian parameter list.
pub(super) struct ListWriter<'a> {
    out: &'a mut BytesMut,
}

impl<'a> ListWriter<'a> {
    /// Starts a list without an encapsulation header.
    pub(super) fn new(out: &'a mut BytesMut) -> ListWriter<'a> {
        ListWriter { out }
    }

    /// Starts a list with the encapsulation header PL_CDR_LE.
    pub(super) fn encapsulated(out: &'a mut BytesMut) -> ListWriter<'a> {
        out.put_slice(&[0, 3, 0, 0]);
        ListWriter { out }
    }

    /// Appends the parameter `id` with the value that `fill` writes, aligned to 4. A value above
    /// 65,532 B has no wire form and is left out.
    pub(super) fn add(&mut self, id: u16, fill: impl FnOnce(&mut BytesMut)) {
        let start = self.out.len();
        self.out.put_u16_le(id);
        self.out.put_u16_le(0);
        fill(self.out);
        let length = self.out.len() - start - 4;
        self.out.put_bytes(0, padding(length));
        match u16::try_from(length + padding(length)) {
            Ok(padded) => self.out[start + 2..start + 4].copy_from_slice(&padded.to_le_bytes()),
            Err(_) => self.out.truncate(start),
        }
    }

    /// Appends the sentinel that ends the list.
    pub(super) fn finish(self) {
        self.out.put_u16_le(pid::SENTINEL);
        self.out.put_u16_le(0);
    }
}

/// Upper bound of the locators of one kind; further locators are ignored.
const MAX_LOCATORS: usize = 32;

/// The value of a parameter of a list.
pub(super) trait Parameter {
    /// Appends the parameter `id`.
    fn write(&self, list: &mut ListWriter<'_>, id: u16);

    /// Reads a value of the parameter.
    ///
    /// # Errors
    /// The value is too short or invalid.
    fn read(&mut self, value: &mut Input) -> Result<(), ParseError>;
}

impl<T: Element> Parameter for T {
    fn write(&self, list: &mut ListWriter<'_>, id: u16) {
        list.add(id, |out| self.put(out));
    }

    fn read(&mut self, value: &mut Input) -> Result<(), ParseError> {
        *self = T::get(value)?;
        Ok(())
    }
}

/// A parameter that is absent without a value.
impl<T: Element> Parameter for Option<T> {
    fn write(&self, list: &mut ListWriter<'_>, id: u16) {
        if let Some(value) = self {
            value.write(list, id);
        }
    }

    fn read(&mut self, value: &mut Input) -> Result<(), ParseError> {
        *self = Some(T::get(value)?);
        Ok(())
    }
}

/// A parameter that occurs once per locator.
impl Parameter for Vec<Locator> {
    fn write(&self, list: &mut ListWriter<'_>, id: u16) {
        self.iter().for_each(|locator| locator.write(list, id));
    }

    fn read(&mut self, value: &mut Input) -> Result<(), ParseError> {
        let locator = Locator::get(value)?;
        if self.len() < MAX_LOCATORS {
            self.push(locator);
        }
        Ok(())
    }
}

/// Declares the parameters of a structure in the order in which they are written: `always`, or only
/// if `set` to another value than `default`.
macro_rules! parameters {
    (@always $value:expr, $default:expr) => { { let _ = &$default; true } };
    (@set $value:expr, $default:expr) => { $value != $default };
    ($name:ty, $default:expr; $($when:ident $id:ident $field:ident;)*) => {
        impl $name {
            /// Writes the parameters for which `is_written` returns true.
            pub(super) fn write_parameters(
                &self,
                list: &mut $crate::wire::parameters::ListWriter<'_>,
                is_written: impl Fn(u16) -> bool,
            ) {
                let default: $name = $default;
                $(if is_written(pid::$id) && parameters!(@$when self.$field, default.$field) {
                    $crate::wire::parameters::Parameter::write(&self.$field, list, pid::$id);
                })*
            }

            /// Reads the parameter `id`. Returns true if it belongs to the structure.
            pub(super) fn read_parameter(&mut self, id: u16, value: &mut Input) -> Result<bool, ParseError> {
                match id {
                    $(pid::$id => {
                        $crate::wire::parameters::Parameter::read(&mut self.$field, value)?
                    })*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}

pub(super) use parameters;
