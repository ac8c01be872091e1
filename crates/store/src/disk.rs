//! The file system as the writer of segments uses it: an interface, so that tests can fill a disk, cut a write short
//! and fail an fsync.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Creates, opens and removes files that are appended to.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates a file that only its owner may read; an error where it exists.
    ///
    /// # Errors
    /// What the system says.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens a file at its end.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Syncs the names of a folder to the disk.
    ///
    /// # Errors
    /// What the system says.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// A file that is appended to. Another thread may sync it while one writes.
pub trait DiskFile: fmt::Debug + Send + Sync {
    /// Writes bytes to the operating system, at the end of the file, and returns how many it took.
    ///
    /// # Errors
    /// What the system says.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Syncs everything written to the disk.
    ///
    /// # Errors
    /// What the system says. The contents of the disk are then uncertain, and trying again proves nothing.
    fn sync(&self) -> io::Result<()>;

    /// Truncates the file.
    ///
    /// # Errors
    /// What the system says.
    fn truncate(&self, length: u64) -> io::Result<()>;
}

/// The machine's own file system.
#[derive(Clone, Copy, Debug)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(private(OpenOptions::new().append(true).create_new(true)).open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(OpenOptions::new().append(true).open(path)?))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        sync_folder(path)
    }
}

impl DiskFile for File {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut &*self, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// Writes all bytes, with as many writes as that takes.
pub(crate) fn write_all(file: &dyn DiskFile, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(taken) => bytes = bytes.get(taken..).unwrap_or_default(),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

/// Makes new files readable for their owner only.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

/// Creates a folder that only its owner may enter, or restricts an existing one.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)?;
    narrow(path, 0o700)
}

/// Removes other users' rights from an existing file or folder.
pub(crate) fn narrow(path: &Path, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mut permissions = std::fs::metadata(path)?.permissions();
        if permissions.mode() & 0o777 != mode {
            permissions.set_mode(mode);
            std::fs::set_permissions(path, permissions)?;
        }
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
    Ok(())
}

/// Syncs the names of a folder to the disk, where folders can be synced.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
