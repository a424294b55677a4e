//! AprilTags of the family 36h11: the white cells of each tag.
//!
//! # Law
//! A tag has eight by eight cells in a white frame that is one cell wide. The outer cells are
//! black. The 36 bits of its code, most significant bit first, fill the four quarters of the
//! inside. Each quarter is rotated by a right angle relative to the preceding quarter. A 1 is
//! white. [Olson 2011; Wang and Olson 2016]
//!
//! # Frames
//! Rows are counted from the top.
//!
//! # Limits
//! One family; the others are rarely used.
//!
//! # Checked by
//! test/witness/devices/tags.rs

/// Number of cells per side, including the white frame.
pub const CELLS: usize = 10;
/// Number of cells per side of the black square. The size of a tag is the side of this square.
pub(crate) const BLACK_CELLS: usize = 8;

/// Column and row of each bit of the first quarter, inside the black frame.
const QUARTER: [[usize; 2]; 9] = [
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 0],
    [1, 1],
    [2, 1],
    [3, 1],
    [2, 2],
];

/// Number of tags in the family.
pub const COUNT: usize = 587;

/// Codes of the family as hexadecimal numbers, one per line, in the order of the tags.
const CODES: &str = include_str!("../../data/tag36h11.txt");

/// Returns the cells of tag `id`, row by row from the top, true where the cell is white. A too
/// large `id` gives the last tag.
pub fn cells(id: usize) -> [[bool; CELLS]; CELLS] {
    let line = CODES.lines().nth(id.min(COUNT - 1));
    let code = line.and_then(|code| u64::from_str_radix(code, 16).ok());
    let code = code.expect("one hexadecimal number per line");
    let mut cells = [[false; CELLS]; CELLS];
    for k in 0..CELLS {
        for (row, column) in [(0, k), (CELLS - 1, k), (k, 0), (k, CELLS - 1)] {
            cells[row][column] = true;
        }
    }
    for turn in 0..4 {
        for (k, [column, row]) in QUARTER.iter().enumerate() {
            let (mut x, mut y) = (*column, *row);
            for _ in 0..turn {
                (x, y) = (5 - y, x);
            }
            cells[y + 2][x + 2] = code >> (35 - 9 * turn - k) & 1 == 1;
        }
    }
    cells
}
