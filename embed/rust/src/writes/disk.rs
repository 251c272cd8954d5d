//! Temporary files for writes that exceed a run's memory. They have no name where the system allows that; otherwise they are
//! removed when the run is dropped, also by a panic.

use crate::code::Code;
use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const LOCAL: &str = "It says nothing about the handler: with more allowed, or more space, the same run succeeds";

/// What the files of one run share.
pub(crate) struct Disk {
    bytes_max: u64,
    dir: PathBuf,
    bytes: AtomicU64,
}

impl Disk {
    pub(crate) fn new(bytes_max: u64, dir: Option<&Path>) -> Self {
        Disk { bytes_max, dir: dir.map_or_else(std::env::temp_dir, Path::to_owned), bytes: AtomicU64::new(0) }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// `UPG_STORE_FULL` when the files would take more than they may.
    fn take(&self, bytes: u64) -> Result<()> {
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.bytes_max {
            return Ok(());
        }
        let what = format!("no room for the handler's writes: the overlay_disk_bytes, {}, are used", self.bytes_max);
        Err(Error::new(Code::StoreFull, format!("{what}. {LOCAL}")))
    }
}

/// An error of the disk, of this machine alone.
fn disk_error(cause: std::io::Error) -> Error {
    let (code, what) = match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => (Code::StoreFull, "no room for the handler's writes"),
        _ => (Code::StoreIo, "cannot write or read a temporary file of the handler's writes"),
    };
    Error::new(code, format!("{what}: {cause}. {LOCAL}")).caused_by(Arc::new(cause))
}

/// A file that does not hold what was written to it: others may change files of a temporary folder.
pub(crate) fn damaged() -> Error {
    Error::new(Code::StoreIo, format!("a temporary file of the handler's writes is damaged. {LOCAL}"))
}

pub(crate) struct TempFile {
    file: File,
    /// Where the file must be removed later.
    path: Option<PathBuf>,
    bytes: u64,
    disk: Arc<Disk>,
}

impl TempFile {
    pub(crate) fn new(disk: &Arc<Disk>) -> Result<Self> {
        let (file, path) = create(&disk.dir).map_err(disk_error)?;
        let path = std::fs::remove_file(&path).err().map(|_| path);
        Ok(TempFile { file, path, bytes: 0, disk: Arc::clone(disk) })
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.disk.take(bytes.len() as u64)?;
        self.file.write_all(bytes).map_err(disk_error)
    }

    pub(crate) fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let read = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(into));
        read.map_err(disk_error)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    #[cfg(test)]
    pub(crate) fn damage(&mut self, at: u64) {
        self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.write_all(&[0xa5; 8])).expect("a file");
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        self.disk.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        if let Some(path) = &self.path {
            // The system removes it at last, or an operator.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A new file that nobody else has.
fn create(dir: &Path) -> std::io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!("chain-upgrade-{}-{count}.spill", std::process::id()));
        match options.open(&path) {
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, path)),
        }
    }
}
