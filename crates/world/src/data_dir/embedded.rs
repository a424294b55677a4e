//! The bundled data inside the program, for a program that was moved without its share folder.
//!
//! Grids are mapped into memory and meshes are named by their paths, so the files are unpacked to a
//! cache folder once. Every file is compared with the program at each start: a file of another
//! version, or of an interrupted copy, is replaced.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file of the bundled data: its path below the share folder, and its content.
pub type File = (PathBuf, &'static [u8]);

/// Unpacks the files into a cache folder and returns it.
///
/// # Errors
/// The folders that were tried, each with the reason.
pub(super) fn unpack(files: &[File]) -> Result<PathBuf, String> {
    let version = version(files);
    let mut failed = Vec::new();
    for caches in own_folders() {
        let folder = caches.join(format!("merrow-{version}"));
        let ready = fs::create_dir_all(&caches).and_then(|()| require_own(&caches));
        match ready
            .and_then(|()| create_private(&folder))
            .and_then(|()| write_missing(&folder, files))
        {
            Ok(()) => return Ok(folder),
            Err(why) => failed.push(format!("{}: {why}", folder.display())),
        }
    }
    // other users may have folders of these names, also to keep this user from them
    let user = rustix::process::geteuid().as_raw();
    let temporary = Some(std::env::temp_dir()).filter(|folder| folder.is_absolute());
    let temporary = temporary.unwrap_or_else(|| "/tmp".into());
    for number in 0..SHARED_NAMES {
        let name = format!("merrow-{version}-{user}-{number}");
        let folder = temporary.join(name);
        match create_private(&folder).and_then(|()| write_missing(&folder, files)) {
            Ok(()) => return Ok(folder),
            Err(why) if number == 0 => failed.push(format!("{}: {why}", folder.display())),
            Err(_) => {}
        }
    }
    Err(failed.join(", "))
}

/// Returns a name that differs between versions of the data.
fn version(files: &[File]) -> String {
    let mut digest = Sha256::new();
    for (name, content) in files {
        digest.update(name.as_os_str().as_encoded_bytes());
        digest.update((content.len() as u64).to_le_bytes());
        digest.update(content);
    }
    digest
        .finalize()
        .iter()
        .take(8)
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Number of names that are tried in the folder for temporary files, which all users can write.
const SHARED_NAMES: u32 = 64;

/// Returns the folders for caches of this user, in search order.
fn own_folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = variable("HOME").map(|path| path.join(".cache"));
    let folders = variable("XDG_CACHE_HOME").into_iter().chain(home);
    folders.filter(|path| path.is_absolute()).collect()
}

/// Creates a folder that only this user can change. An existing folder of another user is refused:
/// its owner could replace its files by links.
fn create_private(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
            let is_link = fs::symlink_metadata(folder)?.is_symlink();
            match is_link {
                true => Err(io::Error::other("is a link")),
                false => require_own(folder),
            }
        }
        created => created,
    }
}

/// Refuses a folder that another user owns or can write, as a home that `sudo` keeps.
fn require_own(folder: &Path) -> io::Result<()> {
    let found = fs::metadata(folder)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    if found.is_dir() && is_own && found.mode() & 0o022 == 0 {
        Ok(())
    } else {
        Err(io::Error::other(
            "belongs to another user, or others can write it",
        ))
    }
}

/// Writes the files that the folder does not contain yet.
fn write_missing(folder: &Path, files: &[File]) -> io::Result<()> {
    for (name, content) in files {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|found| found == *content) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        // another program may unpack the same file, or read it
        let partial = folder.join(format!(".{}", std::process::id()));
        match fs::remove_file(&partial) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        fs::File::create_new(&partial)?.write_all(content)?;
        fs::rename(&partial, &path)?;
    }
    Ok(())
}
