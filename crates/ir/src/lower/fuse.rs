//! Superinstructions: comparisons inside branches, address arithmetic inside loads and stores.
//!
//! A comparison whose only use is the branch that ends its block is emitted by that branch. An address that is only
//! loaded from, stored to or indexed further stays symbolic as base + index · scale + offset and is folded into each
//! use; whoever needs its value after all computes it on the spot, so folding never decides correctness.

use super::function::Body;
use crate::llvm::{TypeKind, Value};
use crate::op::{Op, Slot};
use llvm_sys::LLVMOpcode;

/// base + index · scale + offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub base: Slot,
    /// A 64-bit slot and what it is multiplied by.
    pub index: Option<(Slot, u16)>,
    pub offset: i32,
}

impl Address {
    /// Just a pointer.
    pub(crate) fn plain(base: Slot) -> Address {
        Address { base, index: None, offset: 0 }
    }

    /// The address `bytes` further on, if the offset still fits.
    pub(crate) fn advanced(self, bytes: u64) -> Option<Address> {
        let offset = i32::try_from(bytes as i64).ok()?.checked_add(self.offset)?;
        Some(Address { offset, ..self })
    }
}

/// Widths that indexed loads and stores can have.
pub(crate) fn indexable(bits: u32) -> bool {
    matches!(bits, 8 | 16 | 32 | 64)
}

impl<'m> Body<'_, 'm> {
    /// Is this comparison's only use the conditional branch of its own block?
    pub(crate) fn fuses_with_branch(&self, compare: Value<'m>) -> bool {
        let mut users = compare.users();
        let (Some(user), None) = (users.next(), users.next()) else { return false };
        user.is_instruction() && user.opcode() == LLVMOpcode::LLVMBr && user.parent() == compare.parent()
    }

    /// Can the address of `gep` be folded into all its uses?
    pub(crate) fn folds_into_uses(&mut self, gep: Value<'m>, has_index: bool) -> bool {
        let mut any = false;
        for user in gep.users() {
            any = true;
            if !user.is_instruction() {
                return false;
            }
            let accessed = match user.opcode() {
                LLVMOpcode::LLVMLoad => user.ty(),
                LLVMOpcode::LLVMStore if user.operand(0) != gep => user.operand(0).ty(),
                LLVMOpcode::LLVMGetElementPtr if user.operand(0) == gep && !user.ty().is_vector() => {
                    let variable =
                        (1..user.operand_count()).filter(|i| !user.operand(*i).is_constant()).count();
                    if variable + has_index as usize > 1 {
                        return false;
                    }
                    continue;
                }
                _ => return false,
            };
            if has_index {
                let indexed = self.cx.types.scalar_bits(accessed).is_some_and(indexable);
                if !indexed {
                    return false;
                }
            } else if matches!(accessed.kind(), TypeKind::LLVMArrayTypeKind | TypeKind::LLVMStructTypeKind) {
                return false;
            }
        }
        any
    }

    /// The value of an address, in a new slot unless it is plain.
    pub(crate) fn compute_address(&mut self, address: Address) -> Slot {
        let mut at = address.base;
        if let Some((idx, scale)) = address.index {
            let base = at;
            at = self.emit_new(|dst| Op::Lea { dst, base, idx, scale: scale as i32 });
        }
        if address.offset != 0 {
            let a = at;
            at = self.emit_new(|dst| Op::AddImm { dst, a, imm: address.offset });
        }
        at
    }

    /// The address a pointer operand stands for.
    pub(crate) fn address_of(&mut self, pointer: Value<'m>) -> Result<Address, String> {
        match self.addresses.get(&pointer) {
            Some(address) if !self.places.contains_key(&pointer) => Ok(*address),
            _ => Ok(Address::plain(self.slot(pointer)?)),
        }
    }
}
