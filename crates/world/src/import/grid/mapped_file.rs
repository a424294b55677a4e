//! Memory maps of files that another program may shorten.
//!
//! Access to a missing page of a map ends a process by the signal SIGBUS. The handler replaces the
//! page by zeros and sets a flag, so that the run can end with a message and a complete bag.

use memmap2::Mmap;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Size of the pages of the memory that the handler replaces [bytes]. A system with larger pages
/// refuses the replacement.
const PAGE: usize = 4096;
/// Maximum number of maps whose pages are replaced.
const MAX_MAPS: usize = 256;

/// Addresses of the maps: first byte, and end. Maps of dropped worlds stay listed, as the addresses
/// are then not accessed.
static MAPS: [[AtomicUsize; 2]; MAX_MAPS] =
    [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; MAX_MAPS];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static IS_SHORTENED: AtomicBool = AtomicBool::new(false);

/// Returns true if a mapped file was shortened and a part of it that is missing was read; its
/// values are then wrong.
pub fn is_shortened() -> bool {
    IS_SHORTENED.load(Ordering::Relaxed)
}

/// Maps a file into memory, read-only.
///
/// # Errors
/// The file cannot be read or mapped.
pub(super) fn map_file(path: &Path) -> Result<Mmap, String> {
    let file = std::fs::File::open(path).map_err(|e| format!("cannot be read: {e}"))?;
    // SAFETY: the map is only read. Pages that are missing because the file was shortened are
    // replaced; a file that is rewritten gives wrong values (docs/reference/water.md), but every value of a
    // number is valid.
    let map = unsafe { Mmap::map(&file) };
    let map = map.map_err(|e| format!("cannot be mapped into memory: {e}"))?;
    handle_missing_pages()?;
    let start = map.as_ptr().addr();
    if let Some(place) = MAPS.get(COUNT.fetch_add(1, Ordering::Relaxed)) {
        place[1].store(start + map.len(), Ordering::Relaxed);
        place[0].store(start, Ordering::Release);
    }
    Ok(map)
}

/// Installs the handler once.
fn handle_missing_pages() -> Result<(), String> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    let install = || {
        let handler = SigHandler::SigAction(replace_page);
        let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
        // SAFETY: the handler accesses only atomic variables and calls only the operating system
        unsafe { sigaction(Signal::SIGBUS, &action) }
            .map(drop)
            .map_err(|e| format!("cannot be mapped into memory: {e}"))
    };
    INSTALLED.get_or_init(install).clone()
}

/// Replaces the page that is missing by zeros. A fault outside the maps ends the process, as
/// without the handler.
extern "C" fn replace_page(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the operating system passes a valid description
    let address = unsafe { (*info).si_addr() }.addr();
    let is_inside = |map: &[AtomicUsize; 2]| {
        let start = map[0].load(Ordering::Acquire);
        start != 0 && (start..map[1].load(Ordering::Relaxed)).contains(&address)
    };
    let page = NonZeroUsize::new(address & !(PAGE - 1));
    if let (true, Some(page)) = (MAPS.iter().any(is_inside), page) {
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_FIXED;
        let length = NonZeroUsize::MIN.saturating_add(PAGE - 1);
        // SAFETY: the page belongs to a map of this module, which is only read
        if unsafe { mmap_anonymous(Some(page), length, ProtFlags::PROT_READ, flags) }.is_ok() {
            IS_SHORTENED.store(true, Ordering::Relaxed);
            return;
        }
    }
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: the default reaction has no requirements; the instruction is repeated and ends the
    // process
    let _ = unsafe { sigaction(Signal::SIGBUS, &default) };
}
