//! Memory: alloca, load, store, address arithmetic, and atomics as one thread sees them.

use super::function::{Body, Place};
use super::fuse::{Address, indexable};
use super::types::{Shape, fp_format, slots_of};
use crate::llvm::{Type, TypeKind, Value};
use crate::op::{FpBin, Intrinsic, Op, Slot};
use crate::program::{ArgType, BitcastShape};
use llvm_sys::LLVMAtomicRMWBinOp;

impl<'m> Body<'_, 'm> {
    pub(crate) fn alloca(&mut self, inst: Value<'m>) -> Result<(), String> {
        let ty = inst.allocated_type();
        if !ty.is_sized() {
            return Err(format!("a variable of type {}", ty.print()));
        }
        let size = self.cx.module.alloc_size(ty);
        let count = inst.operand(0);
        let size = if count.is_constant() {
            let count = self.cx.constant(count)?.first().copied().unwrap_or(0);
            self.number(size.wrapping_mul(count))
        } else {
            let count = self.index_slot(count, false)?;
            let each = self.number(size);
            if size == 1 { count } else { self.emit_new(|dst| Op::Mul { w: 64, dst, a: count, b: each }) }
        };
        let align = inst.alignment().max(1);
        let var = self.variable(inst);
        let dst = self.define(inst, 1);
        self.emit(Op::Alloca { align_log2: align.ilog2() as u8, dst, size, var });
        Ok(())
    }

    /// An integer as a 64-bit slot.
    pub(crate) fn index_slot(&mut self, value: Value<'m>, signed: bool) -> Result<Slot, String> {
        let place = self.place(value)?;
        let from = self.cx.types.scalar_bits(value.ty()).ok_or("an index of an odd type")?;
        if value.is_constant() && from <= 64 {
            let word = self.cx.constant(value)?[0];
            let wide = super::constants::sign_extend(word as u128, from) as u64;
            return Ok(self.number(if signed { wide } else { word }));
        }
        Ok(self.resize(place.slot(0), from, 64, signed))
    }

    /// An integer in slot `a`, converted to `to` bits (at most 64).
    pub(crate) fn resize(&mut self, a: Slot, from: u32, to: u32, signed: bool) -> Slot {
        if from == to {
            return a;
        }
        self.emit_new(|dst| match (from, to) {
            (65.., _) => Op::WideCast { signed, from, to, dst, a },
            _ if to < from => Op::Trunc { w: to as u8, from: from as u8, dst, a },
            _ if signed => Op::SExt { from: from as u8, to: to as u8, dst, a },
            _ => Op::ZExt { from: from as u8, to: to as u8, dst, a },
        })
    }

    pub(crate) fn gep(&mut self, inst: Value<'m>) -> Result<(), String> {
        if inst.ty().is_vector() {
            return self.vector_gep(inst);
        }
        let base = self.address_of(inst.operand(0))?;
        let indices: Vec<Value<'m>> = (1..inst.operand_count()).map(|i| inst.operand(i)).collect();
        let (offset, steps) = self.gep_parts(inst.gep_source_type(), &indices, None)?;
        // First choice: one folded address.
        let folded = match (&steps[..], base.index) {
            ([], _) => Some(base),
            ([(idx, scale)], None) => u16::try_from(*scale)
                .ok()
                .filter(|s| *s > 0)
                .map(|s| Address { index: Some((*idx, s)), ..base }),
            _ => None,
        };
        if let Some(address) = folded.and_then(|a| a.advanced(offset)) {
            if address.index.is_none() && address.offset == 0 {
                self.places.insert(inst, Place::Run(address.base));
                return Ok(());
            }
            self.addresses.insert(inst, address);
            if !self.folds_into_uses(inst, address.index.is_some()) {
                let slot = self.compute_address(address);
                self.places.insert(inst, Place::Run(slot));
            }
            return Ok(());
        }
        let base = self.compute_address(base);
        let slot = self.add_steps(base, offset, &steps);
        self.places.insert(inst, Place::Run(slot));
        Ok(())
    }

    /// Constant offset and (64-bit index, scale) steps of a list of indices; `lane` selects the lane of vectors.
    fn gep_parts(
        &mut self,
        source: Type<'m>,
        indices: &[Value<'m>],
        lane: Option<u32>,
    ) -> Result<(u64, Vec<(Slot, u64)>), String> {
        let (mut ty, mut offset, mut steps) = (source, 0u64, Vec::new());
        for (i, &index) in indices.iter().enumerate() {
            let bits = self.cx.types.scalar_bits(index.ty().scalar()).ok_or("an index of an odd type")?;
            let at = lane.filter(|_| index.ty().is_vector()).unwrap_or(0);
            if index.is_constant() {
                let words = self.cx.constant(index)?;
                let word = words[(at * slots_of(bits)) as usize];
                let number = super::constants::sign_extend(word as u128, bits.min(64)) as i64;
                offset = offset.wrapping_add(self.cx.gep_step(&mut ty, i == 0, number)?);
                continue;
            }
            if i > 0 {
                match ty.kind() {
                    TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => ty = ty.element(),
                    _ => return Err(format!("a variable index into {}", ty.print())),
                }
            }
            let scale = self.cx.module.alloc_size(ty);
            let slot = self.place(index)?.slot(at * slots_of(bits));
            if scale > 0 {
                let slot = self.resize(slot, bits, 64, true);
                steps.push((slot, scale));
            }
        }
        Ok((offset, steps))
    }

    fn add_steps(&mut self, base: Slot, offset: u64, steps: &[(Slot, u64)]) -> Slot {
        let mut at = base;
        for &(idx, scale) in steps {
            let base = at;
            at = match i32::try_from(scale) {
                Ok(scale) => self.emit_new(|dst| Op::Lea { dst, base, idx, scale }),
                Err(_) => {
                    let b = self.number(scale);
                    let product = self.emit_new(|dst| Op::Mul { w: 64, dst, a: idx, b });
                    self.emit_new(|dst| Op::Add { w: 64, dst, a: base, b: product })
                }
            };
        }
        if offset != 0 {
            let a = at;
            at = match i32::try_from(offset as i64) {
                Ok(imm) => self.emit_new(|dst| Op::AddImm { dst, a, imm }),
                Err(_) => {
                    let b = self.number(offset);
                    self.emit_new(|dst| Op::Add { w: 64, dst, a, b })
                }
            };
        }
        at
    }

    fn vector_gep(&mut self, inst: Value<'m>) -> Result<(), String> {
        let base = inst.operand(0);
        let bases = self.place(base)?;
        let indices: Vec<Value<'m>> = (1..inst.operand_count()).map(|i| inst.operand(i)).collect();
        let mut result = Vec::new();
        for lane in 0..inst.ty().lanes() {
            let (offset, steps) = self.gep_parts(inst.gep_source_type(), &indices, Some(lane))?;
            let from = bases.slot(if base.ty().is_vector() { lane } else { 0 });
            result.push(self.add_steps(from, offset, &steps));
        }
        self.places.insert(inst, Place::Parts(result.into()));
        Ok(())
    }

    pub(crate) fn load(&mut self, inst: Value<'m>) -> Result<(), String> {
        let address = self.address_of(inst.operand(0))?;
        let shape = self.cx.types.shape(inst.ty())?;
        let dst = self.define(inst, shape.slots);
        self.load_shape(&shape, dst, address)
    }

    pub(crate) fn store(&mut self, inst: Value<'m>) -> Result<(), String> {
        let value = inst.operand(0);
        let shape = self.cx.types.shape(value.ty())?;
        let place = self.place(value)?;
        let address = self.address_of(inst.operand(1))?;
        self.store_shape(&shape, &place, address)
    }

    /// The address of a piece: folded if it can be, computed otherwise.
    fn piece_address(&mut self, address: Address, offset: u64, bits: u32) -> Address {
        let moved = address.advanced(offset).filter(|a| a.index.is_none() || indexable(bits));
        match moved {
            Some(address) => address,
            None => {
                let base = self.compute_address(address);
                let steps: [(Slot, u64); 0] = [];
                Address::plain(self.add_steps(base, offset, &steps))
            }
        }
    }

    /// Loads a value of `shape` into the slots from `dst`.
    pub(crate) fn load_shape(&mut self, shape: &Shape, dst: Slot, address: Address) -> Result<(), String> {
        for piece in &shape.pieces {
            let at = self.piece_address(address, piece.offset, piece.bits);
            if piece.leaves > 1 {
                let packed = self.new_group(slots_of(piece.bits));
                self.load_bits(piece.bits, packed, at);
                let widths = &shape.leaves[piece.leaf as usize..(piece.leaf + piece.leaves) as usize];
                self.reshape(vec![piece.bits], widths.to_vec(), dst + piece.slot, packed);
            } else {
                self.load_bits(piece.bits, dst + piece.slot, at);
            }
        }
        Ok(())
    }

    fn load_bits(&mut self, bits: u32, dst: Slot, at: Address) {
        self.emit(match at {
            Address { base, index: Some((idx, scale)), offset } => {
                Op::LoadX { w: bits as u8, scale, dst, base, idx, off: offset }
            }
            Address { base, offset, .. } if bits <= 64 => {
                Op::Load { w: bits as u8, dst, ptr: base, off: offset }
            }
            Address { base, offset, .. } => Op::LoadWide { w: bits, dst, ptr: base, off: offset },
        });
    }

    /// Stores a value of `shape`.
    pub(crate) fn store_shape(
        &mut self,
        shape: &Shape,
        place: &Place,
        address: Address,
    ) -> Result<(), String> {
        for piece in &shape.pieces {
            let at = self.piece_address(address, piece.offset, piece.bits);
            let val = if piece.leaves > 1 {
                let widths = &shape.leaves[piece.leaf as usize..(piece.leaf + piece.leaves) as usize];
                let n: u32 = widths.iter().map(|w| slots_of(*w)).sum();
                let source = self.run(&place.range(piece.slot, n), n);
                let packed = self.new_group(slots_of(piece.bits));
                self.reshape(widths.to_vec(), vec![piece.bits], packed, source);
                packed
            } else {
                place.slot(piece.slot)
            };
            self.store_bits(piece.bits, val, at);
        }
        Ok(())
    }

    fn store_bits(&mut self, bits: u32, val: Slot, at: Address) {
        self.emit(match at {
            Address { base, index: Some((idx, scale)), offset } => {
                Op::StoreX { w: bits as u8, scale, val, base, idx, off: offset }
            }
            Address { base, offset, .. } if bits <= 64 => {
                Op::Store { w: bits as u8, val, ptr: base, off: offset }
            }
            Address { base, offset, .. } => Op::StoreWide { w: bits, val, ptr: base, off: offset },
        });
    }

    /// Reinterprets the bits of the slots from `a` as other leaves.
    pub(crate) fn reshape(&mut self, from: Vec<u32>, to: Vec<u32>, dst: Slot, a: Slot) {
        let wanted = BitcastShape { from, to };
        let known = self.out.bitcasts.iter().position(|s| *s == wanted);
        let shape = known.unwrap_or_else(|| {
            self.out.bitcasts.push(wanted);
            self.out.bitcasts.len() - 1
        });
        self.emit(Op::Bitcast { shape: shape as u32, dst, a });
    }

    /// Old value, new value, memory: plain operations, since there is one thread.
    pub(crate) fn atomic_rmw(&mut self, inst: Value<'m>) -> Result<(), String> {
        use LLVMAtomicRMWBinOp::*;
        let ty = inst.ty();
        let shape = self.cx.types.shape(ty)?;
        let bits = shape.scalar().ok_or("an atomic operation on an odd type")?;
        let address = self.address_of(inst.operand(0))?;
        let operand = self.place(inst.operand(1))?.slot(0);
        let old = self.define(inst, shape.slots);
        self.load_shape(&shape, old, address)?;
        let operation = inst.rmw_operation();
        let new = match operation {
            LLVMAtomicRMWBinOpXchg => operand,
            LLVMAtomicRMWBinOpFAdd
            | LLVMAtomicRMWBinOpFSub
            | LLVMAtomicRMWBinOpFMax
            | LLVMAtomicRMWBinOpFMin => {
                let fmt = fp_format(ty).ok_or("a floating-point atomic operation on an odd type")?;
                let dst = self.new_group(shape.slots);
                match operation {
                    LLVMAtomicRMWBinOpFAdd => {
                        self.emit(Op::FpBin { op: FpBin::Add, fmt, dst, a: old, b: operand })
                    }
                    LLVMAtomicRMWBinOpFSub => {
                        self.emit(Op::FpBin { op: FpBin::Sub, fmt, dst, a: old, b: operand })
                    }
                    other => {
                        let max = other == LLVMAtomicRMWBinOpFMax;
                        let id = if max { Intrinsic::MaxNum } else { Intrinsic::MinNum };
                        let ty = ArgType::Float(fmt);
                        self.intrinsic(
                            id,
                            fmt as u32,
                            dst,
                            &[(old, ty.clone()), (operand, ty.clone())],
                            Some(ty),
                        );
                    }
                }
                dst
            }
            _ if bits > 64 => self.wide_rmw(operation, bits, old, operand)?,
            _ => {
                let w = bits as u8;
                match operation {
                    LLVMAtomicRMWBinOpAdd => self.emit_new(|dst| Op::Add { w, dst, a: old, b: operand }),
                    LLVMAtomicRMWBinOpSub => self.emit_new(|dst| Op::Sub { w, dst, a: old, b: operand }),
                    LLVMAtomicRMWBinOpAnd => self.emit_new(|dst| Op::And { dst, a: old, b: operand }),
                    LLVMAtomicRMWBinOpOr => self.emit_new(|dst| Op::Or { dst, a: old, b: operand }),
                    LLVMAtomicRMWBinOpXor => self.emit_new(|dst| Op::Xor { dst, a: old, b: operand }),
                    LLVMAtomicRMWBinOpNand => {
                        let and = self.emit_new(|dst| Op::And { dst, a: old, b: operand });
                        let ones = self.number(u64::MAX >> (64 - bits));
                        self.emit_new(|dst| Op::Xor { dst, a: and, b: ones })
                    }
                    LLVMAtomicRMWBinOpUIncWrap => {
                        // old >= operand ? 0 : old + 1
                        let wraps = self.emit_new(|dst| Op::Ule { w, dst, a: operand, b: old });
                        let (zero, one) = (self.number(0), self.number(1));
                        let next = self.emit_new(|dst| Op::Add { w, dst, a: old, b: one });
                        self.emit_new(|dst| Op::Select { w, dst, c: wraps, a: zero, b: next })
                    }
                    LLVMAtomicRMWBinOpUDecWrap => {
                        // old == 0 || old > operand ? operand : old - 1
                        let (zero, one) = (self.number(0), self.number(1));
                        let empty = self.emit_new(|dst| Op::Eq { w, dst, a: old, b: zero });
                        let above = self.emit_new(|dst| Op::Ult { w, dst, a: operand, b: old });
                        let wraps = self.emit_new(|dst| Op::Or { dst, a: empty, b: above });
                        let next = self.emit_new(|dst| Op::Sub { w, dst, a: old, b: one });
                        self.emit_new(|dst| Op::Select { w, dst, c: wraps, a: operand, b: next })
                    }
                    _ => {
                        let less = match operation {
                            LLVMAtomicRMWBinOpMax => {
                                self.emit_new(|dst| Op::Slt { w, dst, a: operand, b: old })
                            }
                            LLVMAtomicRMWBinOpMin => {
                                self.emit_new(|dst| Op::Slt { w, dst, a: old, b: operand })
                            }
                            LLVMAtomicRMWBinOpUMax => {
                                self.emit_new(|dst| Op::Ult { w, dst, a: operand, b: old })
                            }
                            LLVMAtomicRMWBinOpUMin => {
                                self.emit_new(|dst| Op::Ult { w, dst, a: old, b: operand })
                            }
                            _ => return Err("an atomic operation of an unknown kind".into()),
                        };
                        self.emit_new(|dst| Op::Select { w, dst, c: less, a: old, b: operand })
                    }
                }
            }
        };
        self.store_shape(&shape, &Place::Run(new), address)
    }

    fn wide_rmw(&mut self, operation: LLVMAtomicRMWBinOp, w: u32, a: Slot, b: Slot) -> Result<Slot, String> {
        use crate::op::IntOp;
        use LLVMAtomicRMWBinOp::*;
        let op = match operation {
            LLVMAtomicRMWBinOpAdd => IntOp::Add,
            LLVMAtomicRMWBinOpSub => IntOp::Sub,
            LLVMAtomicRMWBinOpAnd => IntOp::And,
            LLVMAtomicRMWBinOpOr => IntOp::Or,
            LLVMAtomicRMWBinOpXor => IntOp::Xor,
            _ => return Err("an atomic operation on more than 64 bits".into()),
        };
        let dst = self.new_group(slots_of(w));
        self.emit(Op::WideBin { op, w, dst, a, b });
        Ok(dst)
    }

    pub(crate) fn compare_exchange(&mut self, inst: Value<'m>) -> Result<(), String> {
        let ty = inst.operand(1).ty();
        let shape = self.cx.types.shape(ty)?;
        let bits = shape.scalar().ok_or("an atomic operation on an odd type")?;
        let address = self.address_of(inst.operand(0))?;
        let expected = self.place(inst.operand(1))?.slot(0);
        let new = self.place(inst.operand(2))?;
        let result = self.define(inst, shape.slots + 1);
        self.load_shape(&shape, result, address)?;
        let success = result + shape.slots;
        self.compare(crate::op::IntPred::Eq, bits, success, result, expected);
        let chosen = self.new_group(shape.slots);
        for (i, w) in shape.slot_widths().into_iter().enumerate() {
            let i = i as u32;
            self.emit(Op::Select { w, dst: chosen + i, c: success, a: new.slot(i), b: result + i });
        }
        self.store_shape(&shape, &Place::Run(chosen), address)
    }
}
