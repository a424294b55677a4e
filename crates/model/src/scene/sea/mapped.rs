//! Samples that stay in their file, which the system maps into memory: a grid may be larger than the memory.
//!
//! What is read depends on the file alone, so the bits are those of a grid in memory.

use memmap2::Mmap;

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Number {
    /// Bytes of one.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// The number at the start of `bytes`, highest byte first if `big`.
    #[inline]
    pub fn read(self, bytes: &[u8], big: bool) -> f64 {
        macro_rules! number {
            ($type:ty) => {{
                let mut raw = [0; size_of::<$type>()];
                raw.copy_from_slice(&bytes[..size_of::<$type>()]);
                (if big {
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

/// Where samples lie in a file, and what they mean.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// How a number is stored.
    pub number: Number,
    /// True if its highest byte comes first.
    pub big: bool,
    /// Byte of the first sample.
    pub begin: usize,
    /// Samples that follow each other without a gap.
    pub run: usize,
    /// Bytes from the start of such a run to the next.
    pub run_stride: usize,
    /// How many samples there are.
    pub count: usize,
    /// Factor on the number stored, and what is added then.
    pub scale: [f64; 2],
    /// Number stored that stands for no value.
    pub void: Option<f64>,
    /// Value where there is none.
    pub filler: f64,
}

impl Layout {
    /// Byte of sample `i`.
    #[inline]
    pub fn byte(&self, i: usize) -> usize {
        self.begin + i / self.run * self.run_stride + i % self.run * self.number.size()
    }

    /// Byte after the last sample.
    pub fn end(&self) -> usize {
        if self.count == 0 {
            self.begin
        } else {
            self.byte(self.count - 1) + self.number.size()
        }
    }

    /// Sample `i` of the file `bytes`; none where it has no value.
    #[inline]
    pub fn get(&self, bytes: &[u8], i: usize) -> Option<f64> {
        let raw = self.number.read(&bytes[self.byte(i)..], self.big);
        let void = raw.is_nan() || self.void.is_some_and(|v| v == raw);
        (!void).then(|| raw * self.scale[0] + self.scale[1])
    }
}

/// Samples in a mapped file.
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    layout: Layout,
}

impl Mapped {
    /// The samples that `layout` finds in `map`; none if the file is too short for them.
    pub fn new(map: Mmap, layout: Layout) -> Option<Self> {
        (layout.end() <= map.len()).then_some(Self { map, layout })
    }

    /// Sample `i`.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        self.layout.get(&self.map, i).unwrap_or(self.layout.filler)
    }

    /// Says what stands for the samples without a value.
    pub fn fill_with(&mut self, value: f64) {
        self.layout.filler = value;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.layout.count
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.layout.count == 0
    }
}
