//! Pipes, named or not: what was written and not yet read. One process has both ends, so who waits waits forever.

use forkwise_expr::Expr;
use forkwise_vm::Byte;
use std::collections::VecDeque;

/// What a pipe holds at most.
pub(crate) const CAPACITY: usize = 65536;

/// See the module text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    bytes: VecDeque<Byte>,
}

impl Pipe {
    /// Bytes in it.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Takes out up to `n` bytes.
    pub fn take(&mut self, n: usize) -> Vec<Byte> {
        let n = n.min(self.bytes.len());
        self.bytes.drain(..n).collect()
    }

    /// The first `n` bytes, which stay.
    pub fn peek(&self, n: usize) -> Vec<Byte> {
        self.bytes.iter().take(n).copied().collect()
    }

    /// Puts bytes in as far as there is room; how many.
    pub fn put(&mut self, bytes: &[Byte]) -> usize {
        let n = bytes.len().min(CAPACITY - self.bytes.len());
        self.bytes.extend(&bytes[..n]);
        n
    }

    /// Every expression in it.
    pub fn expressions(&self, out: &mut Vec<Expr>) {
        out.extend(self.bytes.iter().filter_map(|b| match b {
            Byte::Symbolic(e) => Some(*e),
            Byte::Concrete(_) => None,
        }));
    }
}
