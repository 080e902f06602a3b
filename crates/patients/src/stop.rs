//! The wish to stop, in the middle of reading and writing.

use std::io::{Error, Read, Result, Write};

use velamen_recipe::JobError;

/// Says whether the run is to stop.
pub(crate) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Ends a run that is to stop.
///
/// # Errors
/// [`JobError::interrupted`].
pub(crate) fn check(stop: Stop<'_>) -> std::result::Result<(), JobError> {
    if stop() { Err(JobError::interrupted()) } else { Ok(()) }
}

/// A file that is read or written no further once the run is to stop.
pub(crate) struct Stoppable<'a, T> {
    pub(crate) file: T,
    pub(crate) stop: Stop<'a>,
}

impl<T> Stoppable<'_, T> {
    fn check(&self) -> Result<()> {
        // Whoever reads tries again after an error of the kind "interrupted".
        if (self.stop)() { Err(Error::other("interrupted")) } else { Ok(()) }
    }
}

impl<T: Read> Read for Stoppable<'_, T> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        self.check()?;
        self.file.read(bytes)
    }
}

impl<T: Write> Write for Stoppable<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.check()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }
}
