//! Samples in a memory-mapped file, for grids larger than the available memory.
//!
//! The values depend only on the file, so they are bit-identical to the values of a grid in memory.

use memmap2::Mmap;

/// Number format of the samples in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Signed integer of 8 bits.
    I8,
    /// Unsigned integer of 8 bits.
    U8,
    /// Signed integer of 16 bits.
    I16,
    /// Unsigned integer of 16 bits.
    U16,
    /// Signed integer of 32 bits.
    I32,
    /// Unsigned integer of 32 bits.
    U32,
    /// Signed integer of 64 bits.
    I64,
    /// Floating-point number of 32 bits.
    F32,
    /// Floating-point number of 64 bits.
    F64,
}

impl Number {
    /// Returns the size of one number in the file [bytes].
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// Reads the number at the start of `bytes`, in big-endian order if `big_endian`. Its unit is
    /// the unit of the file.
    #[inline]
    pub fn read(self, bytes: &[u8], big_endian: bool) -> f64 {
        macro_rules! number {
            ($type:ty) => {{
                let mut raw = [0; size_of::<$type>()];
                raw.copy_from_slice(&bytes[..size_of::<$type>()]);
                (if big_endian {
                    <$type>::from_be_bytes(raw)
                } else {
                    <$type>::from_le_bytes(raw)
                }) as f64
            }};
        }
        match self {
            Self::I8 => number!(i8),
            Self::U8 => number!(u8),
            Self::I16 => number!(i16),
            Self::U16 => number!(u16),
            Self::I32 => number!(i32),
            Self::U32 => number!(u32),
            Self::I64 => number!(i64),
            Self::F32 => number!(f32),
            Self::F64 => number!(f64),
        }
    }
}

/// Position and encoding of the samples in a file.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Number format of a sample.
    pub number: Number,
    /// True for big-endian byte order.
    pub big_endian: bool,
    /// Byte offset of the first sample.
    pub offset: usize,
    /// Number of samples in a contiguous run.
    pub run: usize,
    /// Bytes from the start of one run to the next.
    pub run_stride: usize,
    /// Total number of samples.
    pub count: usize,
    /// Scale factor and offset of the stored number.
    pub scale: [f64; 2],
    /// Stored number that marks a missing value.
    pub missing_value: Option<f64>,
    /// Substitute for missing values.
    pub fill_value: f64,
}

impl Layout {
    /// Returns the byte offset of sample `i`.
    #[inline]
    pub fn byte(&self, i: usize) -> usize {
        self.offset + i / self.run * self.run_stride + i % self.run * self.number.size()
    }

    /// Returns the byte offset after the last sample.
    pub fn end(&self) -> usize {
        if self.count == 0 {
            self.offset
        } else {
            self.byte(self.count - 1) + self.number.size()
        }
    }

    /// Returns sample `i` of the file contents `bytes`, in its unit; `None` if the value is
    /// missing.
    #[inline]
    pub fn get(&self, bytes: &[u8], i: usize) -> Option<f64> {
        let raw = self.number.read(&bytes[self.byte(i)..], self.big_endian);
        let is_missing = raw.is_nan() || self.missing_value.is_some_and(|v| v == raw);
        (!is_missing).then(|| raw * self.scale[0] + self.scale[1])
    }
}

/// Samples in a memory-mapped file.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    layout: Layout,
}

impl Mapped {
    /// Creates the samples described by `layout`; `None` if the file is too short.
    pub fn new(map: Mmap, layout: Layout) -> Option<Self> {
        (layout.end() <= map.len()).then_some(Self { map, layout })
    }

    /// Returns sample `i`, or the substitute if it is missing, in the unit of the grid.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        self.layout
            .get(&self.map, i)
            .unwrap_or(self.layout.fill_value)
    }

    /// Sets the substitute for missing values, in the unit of the samples.
    pub fn set_fill_value(&mut self, value: f64) {
        self.layout.fill_value = value;
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.layout.count
    }

    /// Returns true if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.layout.count == 0
    }
}
