//! Memory of this process, and when states have to make room for others. The system counts pages, and a page goes back only
//! when nothing on it is left: dropping states makes room inside of pages long before it makes the process smaller. So
//! the limit is compared with pages, but what has to go is counted in allocated bytes. Chooses nothing and frees nothing.

/// Memory of this process now, in bytes (0 when the system does not tell).
pub fn resident_bytes() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    let pages: u64 = text.split_ascii_whitespace().nth(1).and_then(|p| p.parse().ok()).unwrap_or(0);
    pages * 4096
}

/// Gives memory that was freed back to the system, so that `resident_bytes` tells what is in use.
pub fn release_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: malloc_trim has no preconditions; it only touches the allocator's own free lists, under its lock.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Bytes in blocks that were allocated and not freed; where the allocator does not tell, the pages of the process.
pub fn allocated_bytes() -> u64 {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: mallinfo2 has no preconditions and returns plain numbers.
        let info = unsafe { libc::mallinfo2() };
        (info.uordblks + info.hblkhd) as u64
    }
    #[cfg(not(target_env = "gnu"))]
    resident_bytes()
}

/// What has to go before the process may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// Drop states until no more than this many bytes are allocated.
    pub goal: u64,
}

/// Decides when memory is short. Remembers what was freed inside of pages that stayed.
#[derive(Debug, Default)]
pub struct Pressure {
    /// Up to here allocations fit into the pages that the process has already.
    room: u64,
}

impl Pressure {
    /// Could memory be short with `resident` bytes in pages? `allocated` is asked only when the answer depends on it.
    pub fn is_short(&self, limit: u64, resident: u64, allocated: impl FnOnce() -> u64) -> bool {
        let near = limit / 100 * 90;
        let at = limit / 100 * 96;
        resident > near && (resident > at || allocated() > self.room)
    }

    /// After everything that comes back by itself was freed: what else has to go, if anything has to.
    pub fn shortage(&mut self, limit: u64, resident: u64, allocated: u64) -> Option<Shortage> {
        let above = |percent: u64| resident.saturating_sub(limit / 100 * percent);
        if above(90) == 0 {
            self.room = 0;
            return None;
        }
        self.room = allocated.saturating_sub(above(90));
        Some(Shortage { goal: allocated.saturating_sub(above(80)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory() {
        assert!(resident_bytes() > 100_000);
        let before = allocated_bytes();
        let block = vec![1_u8; 10_000_000];
        assert!(allocated_bytes() > before + 5_000_000, "{}", block.len());
        release_freed_memory();
    }

    #[test]
    fn what_was_freed_inside_of_pages_is_used_again_before_more_has_to_go() {
        let mut p = Pressure::default();
        assert!(!p.is_short(1000, 900, || panic!("far enough from the limit")));
        assert!(p.is_short(1000, 910, || 700));
        assert_eq!(p.shortage(1000, 910, 700), Some(Shortage { goal: 590 }));
        // States went, the pages did not: there is room for as much again.
        assert!(!p.is_short(1000, 910, || 600));
        assert!(p.is_short(1000, 910, || 691));
        // Pages grew all the same: the limit comes before the room.
        assert!(p.is_short(1000, 970, || panic!("at the limit")));
        assert_eq!(p.shortage(1000, 970, 650), Some(Shortage { goal: 480 }));
        // Well below again.
        assert_eq!(p.shortage(1000, 850, 600), None);
    }
}
