//! Phis as parallel copies on edges.
//!
//! A block with one successor does its copies itself, before its jump; other edges get code of their own that ends
//! in `Goto`. Copies of one edge happen at once: they are ordered so that no source is overwritten too early, and
//! a cycle goes through a temporary.

use super::function::{Body, Code, EdgeCode};
use crate::op::{Op, Slot};
use llvm_sys::LLVMOpcode;

impl Body<'_, '_> {
    /// Emits the copies of every edge, and the jumps of blocks that end in one.
    pub(crate) fn place_phi_copies(&mut self) {
        for block in 0..self.blocks.len() as u32 {
            self.code = std::mem::take(&mut self.blocks[block as usize]);
            // Code that stops early never gets to its edges.
            let stopped = matches!(self.code.ops.last(), Some(Op::Unsupported { .. }));
            let terminator = self.cfg.blocks[block as usize].terminator();
            let succs = self.cfg.succs[block as usize].clone();
            let jumps = terminator.is_some_and(|t| match t.opcode() {
                LLVMOpcode::LLVMBr => !t.is_conditional(),
                LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => succs.len() == 1,
                _ => false,
            });
            self.offset = self.cx.program.blocks[(self.cfg.first_block + block) as usize].insts;
            self.loc = terminator.map_or(0, |t| self.cx.debug.location(t));
            if stopped {
                self.blocks[block as usize] = std::mem::take(&mut self.code);
                continue;
            }
            if let (true, Some(&(edge, target))) = (jumps, succs.first()) {
                self.emit_phi_copies(block, target);
                self.emit(Op::Jump { edge });
                self.blocks[block as usize] = std::mem::take(&mut self.code);
                continue;
            }
            self.blocks[block as usize] = std::mem::take(&mut self.code);
            let mut targets: Vec<u32> = Vec::new();
            for &(_, target) in &succs {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            for target in targets {
                self.code = Code::default();
                self.emit_phi_copies(block, target);
                if self.code.ops.is_empty() {
                    continue;
                }
                self.emit(Op::Goto { pc: 0 });
                let edges = succs.iter().filter(|(_, t)| *t == target).map(|(e, _)| *e).collect();
                self.edges.push(EdgeCode {
                    source: block,
                    target,
                    edges,
                    code: std::mem::take(&mut self.code),
                });
            }
        }
    }

    fn emit_phi_copies(&mut self, source: u32, target: u32) {
        let from = self.cfg.blocks[source as usize];
        let mut copies: Vec<(Slot, Slot)> = Vec::new();
        for phi in self.cfg.blocks[target as usize].instructions() {
            if phi.opcode() != LLVMOpcode::LLVMPHI {
                break;
            }
            let Some((value, _)) = phi.incoming().find(|(_, block)| *block == from) else { continue };
            let Ok(shape) = self.cx.types.shape(phi.ty()) else { continue };
            let Ok(dst) = self.place(phi) else { continue };
            // A constant that cannot be evaluated stops the paths that take this edge.
            match self.place(value) {
                Ok(src) => copies.extend((0..shape.slots).map(|i| (dst.slot(i), src.slot(i)))),
                Err(what) => {
                    let what = self.cx.unsupported(format!("{what}: `{}`", phi.print().trim()));
                    self.emit(Op::Unsupported { what });
                    return;
                }
            }
        }
        self.parallel_copy(copies);
    }

    /// Copies all sources to all destinations as if at once.
    pub(crate) fn parallel_copy(&mut self, mut pending: Vec<(Slot, Slot)>) {
        pending.retain(|(dst, src)| dst != src);
        while !pending.is_empty() {
            let before = pending.len();
            let mut i = 0;
            while i < pending.len() {
                let (dst, src) = pending[i];
                if pending.iter().any(|(_, other)| *other == dst) {
                    i += 1;
                } else {
                    self.emit(Op::Copy { dst, src });
                    pending.remove(i);
                }
            }
            if pending.len() == before {
                // Only cycles are left: free one destination by saving what it holds.
                let (dst, _) = pending[0];
                let saved = self.emit_new(|tmp| Op::Copy { dst: tmp, src: dst });
                for (_, src) in &mut pending {
                    if *src == dst {
                        *src = saved;
                    }
                }
            }
        }
    }
}
