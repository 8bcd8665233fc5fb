//! Copying and filling memory: whole ranges at once where addresses are concrete, whatever the bytes are.
//!
//! A range is checked as a whole, the side that is read first, before anything is written; a length of zero
//! touches nothing. Ranges may overlap. `access` has single values and symbolic addresses.

use super::argument_value;
use crate::access::Access;
use crate::fault::Termination;
use crate::machine::Vm;
use crate::memory::{Byte, Memory};
use crate::state::State;
use crate::value::Value;
use forkwise_ir::{CallSite, Intrinsic};

/// Bytes moved at a time between two objects: the page of large objects.
const CHUNK: u64 = 4096;

/// Ranges longer than this at a symbolic address take one address a path; shorter ones become choices of bytes.
const MAX_SYMBOLIC_RANGE: u64 = 256;

impl Vm {
    pub(super) fn memory_intrinsic(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let (dst, second) = (argument_value(st, site, 0)?, argument_value(st, site, 1)?);
        let mut len = argument_value(st, site, 2)?;
        if let Some(e) = len.sym {
            len = self.adjust_width(e, 64);
        }
        let n = self.concretize(st, len, 64, "a length")?;
        match id {
            Intrinsic::Memset => self.fill_memory(st, dst, second, n),
            _ => self.copy_memory(st, dst, second, n),
        }
    }

    /// Copies `n` bytes from `src` to `dst`, as if through a buffer.
    pub(crate) fn copy_memory(
        &mut self,
        st: &mut State,
        dst: Value,
        src: Value,
        n: u64,
    ) -> Result<(), Termination> {
        if n == 0 {
            return Ok(());
        }
        let src = self.range_address(st, src, n)?;
        let dst = self.range_address(st, dst, n)?;
        let from = self.resolve(st, src, n, false)?;
        if let Access::Concrete { base: src_base, off: src_off } = from
            && dst.sym.is_none()
        {
            if let Access::Concrete { base, off } = self.resolve(st, dst, n, true)? {
                copy_range(&mut st.mem, (src_base, src_off), (base, off), n);
            }
            return Ok(());
        }
        let bytes = self.load_bytes(st, src, n)?;
        self.store_bytes(st, dst, &bytes)
    }

    /// Fills `n` bytes at `dst` with the low eight bits of `byte`.
    pub(crate) fn fill_memory(
        &mut self,
        st: &mut State,
        dst: Value,
        byte: Value,
        n: u64,
    ) -> Result<(), Termination> {
        if n == 0 {
            return Ok(());
        }
        let byte = match byte.sym {
            None => Byte::Concrete(byte.bits as u8),
            Some(e) => {
                let low = self.exprs.extract(e, 0, 8);
                self.byte_of(low)
            }
        };
        let dst = self.range_address(st, dst, n)?;
        match self.resolve(st, dst, n, true)? {
            Access::Concrete { base, off } => {
                let o = st.mem.object_mut(base).expect("resolved");
                match byte {
                    Byte::Concrete(b) => o.fill(off, n, b),
                    Byte::Symbolic(_) => (off..off + n).for_each(|i| o.set_byte(i, byte)),
                }
                Ok(())
            }
            Access::Symbolic { .. } => self.store_bytes(st, dst, &vec![byte; n as usize]),
        }
    }

    /// The address of a range, made concrete when the range is too long for choices.
    fn range_address(&mut self, st: &mut State, ptr: Value, n: u64) -> Result<Value, Termination> {
        if ptr.sym.is_none() || n <= MAX_SYMBOLIC_RANGE {
            return Ok(ptr);
        }
        Ok(Value::concrete(self.concretize(st, ptr, 64, "the address of a long range")?))
    }
}

/// Copies between (object, offset) pairs; both ranges have been checked.
fn copy_range(mem: &mut Memory, (src, src_off): (u64, u64), (dst, dst_off): (u64, u64), n: u64) {
    if n <= 64 {
        let mut buffer = [0u8; 64];
        let run = mem.object(src).expect("resolved").concrete_run(src_off, n as usize);
        if run.len() as u64 == n {
            let buffer = &mut buffer[..n as usize];
            buffer.copy_from_slice(run);
            mem.object_mut(dst).expect("resolved").write(dst_off, buffer);
            return;
        }
    }
    if src == dst && src_off == dst_off {
        return;
    }
    let mut concrete: Vec<u8> = Vec::new();
    let mut symbolic = Vec::new();
    let mut done = 0;
    while done < n {
        // Within one object everything is read before anything is written.
        let len = if src == dst { n } else { (CHUNK - (dst_off + done) % CHUNK).min(n - done) };
        concrete.clear();
        symbolic.clear();
        let from = mem.object(src).expect("resolved");
        while (concrete.len() as u64) < len {
            let at = src_off + done + concrete.len() as u64;
            let run = from.concrete_run(at, (len - concrete.len() as u64) as usize);
            concrete.extend_from_slice(run);
            if run.is_empty() {
                symbolic.push((concrete.len() as u64, from.byte(at)));
                concrete.push(0);
            }
        }
        let to = mem.object_mut(dst).expect("resolved");
        if symbolic.is_empty() && concrete.iter().all(|b| *b == 0) {
            // Zeros need no pages of their own.
            to.fill(dst_off + done, len, 0);
        } else {
            to.write(dst_off + done, &concrete);
            for (i, b) in &symbolic {
                to.set_byte(dst_off + done + i, *b);
            }
        }
        done += len;
    }
}
