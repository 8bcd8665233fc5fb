//! Constants and constant expressions, evaluated to the numbers in their slots.
//!
//! Addresses of globals, functions and blocks are known before anything is evaluated (see `globals`, `cfg`), so
//! every constant is a number. `undef` and `poison` are zero. What cannot be evaluated is an error text, never a
//! wrong number.

use super::Lowering;
use super::types::slots_of;
use crate::layout;
use crate::llvm::{Type, TypeKind, Value};
use llvm_sys::{LLVMLinkage, LLVMOpcode};

/// Deepest nesting of constant expressions that is followed.
const MAX_DEPTH: u32 = 200;

/// Sign-extends the low `bits` bits.
pub(crate) fn sign_extend(value: u128, bits: u32) -> i128 {
    if bits == 0 || bits >= 128 { value as i128 } else { ((value << (128 - bits)) as i128) >> (128 - bits) }
}

fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

impl<'m> Lowering<'m> {
    /// The slots of a constant.
    pub(crate) fn constant(&mut self, value: Value<'m>) -> Result<Vec<u64>, String> {
        let mut out = Vec::new();
        self.constant_into(value, &mut out, 0)?;
        Ok(out)
    }

    fn constant_into(&mut self, value: Value<'m>, out: &mut Vec<u64>, depth: u32) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err("a constant expression that is nested too deeply".into());
        }
        let ty = value.ty();
        if value.is_constant_int() && ty.kind() == TypeKind::LLVMIntegerTypeKind && ty.int_width() <= 64 {
            out.push(value.zext_value());
            return Ok(());
        }
        if value.is_global() {
            out.push(self.global_address(value, depth)?);
            return Ok(());
        }
        if value.is_undef() || value.is_null() {
            let n = self.types.shape(ty)?.slots as usize;
            out.resize(out.len() + n, 0);
            return Ok(());
        }
        if value.is_block_address() {
            let edge = value.block_address_block().and_then(|b| self.block_edges.get(&b)).copied();
            out.push(layout::block_address(edge.ok_or("the address of an unknown block")?));
            return Ok(());
        }
        if value.is_constant_expr() {
            return self.expression(value, out, depth);
        }
        if let Some(bits) = self.types.scalar_bits(ty) {
            if value.is_constant_int() || value.is_constant_fp() {
                let words = self.module.constant_words(value, bits);
                out.extend(words.ok_or_else(|| format!("the constant {}", value.print()))?);
                return Ok(());
            }
            // dso_local_equivalent and no_cfi stand for the function they name.
            if value.is_constant() && value.operand_count() == 1 && value.operand(0).is_global() {
                out.push(self.global_address(value.operand(0), depth)?);
                return Ok(());
            }
            return Err(format!("the constant {}", value.print()));
        }
        let n = match ty.kind() {
            TypeKind::LLVMStructTypeKind => ty.field_count() as u64,
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => ty.length(),
            _ => return Err(format!("the constant {}", value.print())),
        };
        self.types.shape(ty)?;
        for i in 0..n {
            let element = value.element(i as u32).ok_or_else(|| format!("the constant {}", value.print()))?;
            self.constant_into(element, out, depth + 1)?;
        }
        Ok(())
    }

    /// The address of a function, variable or alias.
    pub(crate) fn global_address(&mut self, value: Value<'m>, depth: u32) -> Result<u64, String> {
        let mut value = value;
        for _ in 0..MAX_DEPTH {
            if let Some(&number) = self.function_numbers.get(&value) {
                // A weak reference that nothing defines is null, unless the engine provides the function.
                if value.linkage() == LLVMLinkage::LLVMExternalWeakLinkage
                    && value.is_declaration()
                    && !self.keep_external.contains(&value.name())
                {
                    return Ok(0);
                }
                return Ok(layout::function_address(number));
            }
            if let Some(&address) = self.addresses.get(&value) {
                return Ok(address);
            }
            if !value.is_alias() {
                break;
            }
            let aliasee = value.aliasee().ok_or("an alias without target")?;
            if aliasee.is_global() {
                value = aliasee;
            } else {
                let mut out = Vec::new();
                self.constant_into(aliasee, &mut out, depth + 1)?;
                return out.first().copied().ok_or_else(|| "an alias without target".to_string());
            }
        }
        Err(format!("the address of {}", value.name()))
    }

    fn scalar_operand(&mut self, value: Value<'m>, lane: u32, depth: u32) -> Result<u128, String> {
        let mut out = Vec::new();
        self.constant_into(value, &mut out, depth + 1)?;
        let bits =
            self.types.scalar_bits(value.ty().scalar()).ok_or("a constant expression of an odd type")?;
        if bits > 128 {
            return Err("a constant expression of more than 128 bits".into());
        }
        let stride = slots_of(bits) as usize;
        let at = lane as usize * stride;
        let low = *out.get(at).ok_or("a constant expression of an odd shape")? as u128;
        Ok(if stride > 1 { low | (out[at + 1] as u128) << 64 } else { low })
    }

    fn expression(&mut self, value: Value<'m>, out: &mut Vec<u64>, depth: u32) -> Result<(), String> {
        use LLVMOpcode::*;
        let opcode = value.const_opcode();
        let ty = value.ty();
        match opcode {
            LLVMBitCast => return self.constant_bitcast(value, out, depth),
            LLVMAddrSpaceCast => return self.constant_into(value.operand(0), out, depth + 1),
            LLVMExtractElement => {
                let index = self.scalar_operand(value.operand(1), 0, depth)?;
                let lanes = value.operand(0).ty().lanes() as u128;
                let mut all = Vec::new();
                self.constant_into(value.operand(0), &mut all, depth + 1)?;
                let n = self.types.shape(ty)?.slots as usize;
                let at = index as usize * n;
                if index >= lanes {
                    out.resize(out.len() + n, 0);
                } else {
                    out.extend_from_slice(&all[at..at + n]);
                }
                return Ok(());
            }
            LLVMInsertElement => {
                let index = self.scalar_operand(value.operand(2), 0, depth)?;
                let mut all = Vec::new();
                self.constant_into(value.operand(0), &mut all, depth + 1)?;
                let mut part = Vec::new();
                self.constant_into(value.operand(1), &mut part, depth + 1)?;
                if index < ty.lanes() as u128 {
                    let at = index as usize * part.len();
                    all[at..at + part.len()].copy_from_slice(&part);
                }
                out.extend(all);
                return Ok(());
            }
            LLVMShuffleVector => {
                let (mut all, mut second) = (Vec::new(), Vec::new());
                self.constant_into(value.operand(0), &mut all, depth + 1)?;
                self.constant_into(value.operand(1), &mut second, depth + 1)?;
                all.extend(second);
                let n = self.types.shape(ty.element())?.slots as usize;
                for index in value.shuffle_mask() {
                    match usize::try_from(index) {
                        Ok(i) if (i + 1) * n <= all.len() => out.extend_from_slice(&all[i * n..(i + 1) * n]),
                        _ => out.resize(out.len() + n, 0),
                    }
                }
                return Ok(());
            }
            _ => {}
        }
        let bits = self.types.scalar_bits(ty.scalar()).ok_or("a constant expression of an odd type")?;
        for lane in 0..ty.lanes() {
            let result = match opcode {
                LLVMGetElementPtr => self.constant_gep(value, lane, depth)?,
                LLVMTrunc | LLVMZExt | LLVMPtrToInt | LLVMIntToPtr => {
                    self.scalar_operand(value.operand(0), lane, depth)?
                }
                LLVMSExt => {
                    let from = self.types.scalar_bits(value.operand(0).ty().scalar()).unwrap_or(0);
                    sign_extend(self.scalar_operand(value.operand(0), lane, depth)?, from) as u128
                }
                _ => {
                    let a = self.scalar_operand(value.operand(0), lane, depth)?;
                    let b = self.scalar_operand(value.operand(1), lane, depth)?;
                    let amount = b.min(127) as u32;
                    match opcode {
                        LLVMAdd => a.wrapping_add(b),
                        LLVMSub => a.wrapping_sub(b),
                        LLVMMul => a.wrapping_mul(b),
                        LLVMAnd => a & b,
                        LLVMOr => a | b,
                        LLVMXor => a ^ b,
                        LLVMShl => a << amount,
                        LLVMLShr => a >> amount,
                        LLVMAShr => (sign_extend(a, bits) >> amount) as u128,
                        _ => return Err(format!("the constant expression {}", value.print())),
                    }
                }
            };
            let result = result & mask(bits);
            out.push(result as u64);
            if bits > 64 {
                out.push((result >> 64) as u64);
            }
        }
        Ok(())
    }

    fn constant_bitcast(&mut self, value: Value<'m>, out: &mut Vec<u64>, depth: u32) -> Result<(), String> {
        let source = value.operand(0);
        let mut words = Vec::new();
        self.constant_into(source, &mut words, depth + 1)?;
        let from = self.types.shape(source.ty())?;
        let to = self.types.shape(value.ty())?;
        if from.leaves == to.leaves {
            out.extend(words);
            return Ok(());
        }
        let mut bits = Vec::new();
        for (&width, &start) in from.leaves.iter().zip(&from.starts) {
            for i in 0..width {
                bits.push(words[(start + i / 64) as usize] >> (i % 64) & 1);
            }
        }
        let mut at = 0;
        for &width in &to.leaves {
            let mut slots = vec![0u64; slots_of(width) as usize];
            for i in 0..width as usize {
                slots[i / 64] |= bits.get(at + i).copied().unwrap_or(0) << (i % 64);
            }
            at += width as usize;
            out.extend(slots);
        }
        Ok(())
    }

    fn constant_gep(&mut self, value: Value<'m>, lane: u32, depth: u32) -> Result<u128, String> {
        let lane_of = |v: Value<'m>| if v.ty().is_vector() { lane } else { 0 };
        let base = value.operand(0);
        let mut address = self.scalar_operand(base, lane_of(base), depth)? as u64;
        let mut ty = value.gep_source_type();
        for i in 1..value.operand_count() {
            let index = value.operand(i);
            let width = self.types.scalar_bits(index.ty().scalar()).unwrap_or(64);
            let number = sign_extend(self.scalar_operand(index, lane_of(index), depth)?, width) as i64;
            address = address.wrapping_add(self.gep_step(&mut ty, i == 1, number)?);
        }
        Ok(address as u128)
    }

    /// The bytes one constant index adds; `ty` becomes the type it leads to. The first index steps over whole
    /// objects of the source type.
    pub(crate) fn gep_step(&mut self, ty: &mut Type<'m>, first: bool, index: i64) -> Result<u64, String> {
        if first {
            return Ok((index as u64).wrapping_mul(self.module.alloc_size(*ty)));
        }
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                let field = u32::try_from(index).ok().filter(|i| *i < ty.field_count());
                let field = field.ok_or("an address of a field that does not exist")?;
                let offset = self.module.field_offset(*ty, field);
                *ty = ty.field(field);
                Ok(offset)
            }
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                *ty = ty.element();
                Ok((index as u64).wrapping_mul(self.module.alloc_size(*ty)))
            }
            _ => Err(format!("an address into {}", ty.print())),
        }
    }
}
