//! One of a run's outputs while it is read: the beginning is kept, the rest counted. Never blocks.

use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};

use crate::native::set_nonblocking;
use crate::report::Captured;

/// See the module text.
pub(crate) struct Stream {
    pipe: Option<fs::File>,
    pub(crate) captured: Captured,
    limit: usize,
}

impl Stream {
    pub(crate) fn new(fd: OwnedFd, limit: usize) -> io::Result<Stream> {
        set_nonblocking(&fd)?;
        Ok(Stream { pipe: Some(fd.into()), captured: Captured::default(), limit })
    }

    pub(crate) fn poll_fd(&self) -> Option<i32> {
        self.pipe.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Reads what is there, once; a flood on one output must not keep the other and the clock waiting. False when
    /// there was nothing.
    pub(crate) fn read_some(&mut self) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        let mut buffer = [0; 64 << 10];
        match pipe.read(&mut buffer) {
            Ok(0) => {
                self.pipe = None;
                Ok(false)
            }
            Ok(count) => {
                let room = self.limit.saturating_sub(self.captured.bytes.len());
                self.captured.bytes.extend_from_slice(&buffer[..count.min(room)]);
                self.captured.total += count as u64;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Reads what an ended program left in the pipe: at most one pipe full, even if a stray process still writes.
    pub(crate) fn drain(&mut self) -> io::Result<()> {
        for _ in 0..32 {
            if !self.read_some()? {
                break;
            }
        }
        Ok(())
    }
}
