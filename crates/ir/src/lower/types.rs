//! How values of a type lie in slots and in memory.
//!
//! A [`Shape`] lists a type's leaves (scalars) with their widths, the slot each starts at, and the pieces of memory
//! they are loaded from. Shapes are computed for values only, never for what is merely allocated, so a huge array
//! type costs nothing unless it is a first-class value.

use crate::llvm::{Module, Type, TypeKind};
use crate::op::FpFormat;
use crate::program::ArgType;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// More slots than this in one value are refused (the instruction becomes unsupported).
const MAX_SLOTS: u64 = 1 << 16;

/// Slots of a scalar of `bits` bits.
pub(crate) fn slots_of(bits: u32) -> u32 {
    bits.div_ceil(64)
}

/// One contiguous access to memory: a scalar, or a vector whose elements are packed bit by bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Byte offset from the value's address.
    pub offset: u64,
    /// Bits accessed.
    pub bits: u32,
    /// First slot.
    pub slot: u32,
    /// First leaf.
    pub leaf: u32,
    /// Leaves (more than one only for bit-packed vectors).
    pub leaves: u32,
}

/// Slot structure of a type.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// Width in bits of each leaf.
    pub leaves: Vec<u32>,
    /// First slot of each leaf.
    pub starts: Vec<u32>,
    /// Slots in all.
    pub slots: u32,
    /// Memory accesses that load or store it.
    pub pieces: Vec<Piece>,
}

impl Shape {
    fn push_leaf(&mut self, bits: u32) {
        self.leaves.push(bits);
        self.starts.push(self.slots);
        self.slots += slots_of(bits);
    }

    /// The single leaf's width, if there is exactly one.
    pub(crate) fn scalar(&self) -> Option<u32> {
        (self.leaves.len() == 1).then(|| self.leaves[0])
    }

    /// Width in bits of each slot.
    pub(crate) fn slot_widths(&self) -> Vec<u8> {
        let mut list = Vec::with_capacity(self.slots as usize);
        for &bits in &self.leaves {
            let mut left = bits;
            while left > 0 {
                list.push(left.min(64) as u8);
                left -= left.min(64);
            }
        }
        list
    }
}

/// Shapes of types, computed once each.
pub(crate) struct Types<'m> {
    module: &'m Module<'m>,
    shapes: FxHashMap<Type<'m>, Rc<Shape>>,
}

impl<'m> Types<'m> {
    pub(crate) fn new(module: &'m Module<'m>) -> Self {
        Types { module, shapes: FxHashMap::default() }
    }

    /// The shape of a value's type; the error says which type cannot be a value here.
    pub(crate) fn shape(&mut self, ty: Type<'m>) -> Result<Rc<Shape>, String> {
        if let Some(shape) = self.shapes.get(&ty) {
            return Ok(shape.clone());
        }
        let mut shape = Shape::default();
        self.collect(ty, 0, &mut shape)?;
        let shape = Rc::new(shape);
        self.shapes.insert(ty, shape.clone());
        Ok(shape)
    }

    fn collect(&self, ty: Type<'m>, offset: u64, shape: &mut Shape) -> Result<(), String> {
        if let Some(bits) = self.scalar_bits(ty) {
            let piece = Piece { offset, bits, slot: shape.slots, leaf: shape.leaves.len() as u32, leaves: 1 };
            shape.pieces.push(piece);
            shape.push_leaf(bits);
            return Ok(());
        }
        let too_large = |n: u64| n > MAX_SLOTS;
        match ty.kind() {
            TypeKind::LLVMVoidTypeKind => Ok(()),
            TypeKind::LLVMStructTypeKind if ty.is_sized() || ty.field_count() == 0 => {
                for i in 0..ty.field_count() {
                    let at = offset + self.module.field_offset(ty, i);
                    self.collect(ty.field(i), at, shape)?;
                }
                if too_large(shape.slots as u64) { Err(large(ty)) } else { Ok(()) }
            }
            TypeKind::LLVMArrayTypeKind => {
                if too_large(ty.length()) {
                    return Err(large(ty));
                }
                let stride = self.module.alloc_size(ty.element());
                for i in 0..ty.length() {
                    self.collect(ty.element(), offset + i * stride, shape)?;
                    if too_large(shape.slots as u64) {
                        return Err(large(ty));
                    }
                }
                Ok(())
            }
            TypeKind::LLVMVectorTypeKind => {
                let bits = self.scalar_bits(ty.element()).ok_or_else(|| format!("type {}", ty.print()))?;
                let n = ty.length();
                if too_large(n * slots_of(bits) as u64) {
                    return Err(large(ty));
                }
                let (slot, leaf) = (shape.slots, shape.leaves.len() as u32);
                for i in 0..n {
                    if bits % 8 == 0 {
                        let offset = offset + i * bits as u64 / 8;
                        let piece =
                            Piece { offset, bits, slot: shape.slots, leaf: leaf + i as u32, leaves: 1 };
                        shape.pieces.push(piece);
                    }
                    shape.push_leaf(bits);
                }
                if bits % 8 != 0 {
                    shape.pieces.push(Piece { offset, bits: bits * n as u32, slot, leaf, leaves: n as u32 });
                }
                Ok(())
            }
            _ => Err(format!("type {}", ty.print())),
        }
    }

    /// Width of a scalar type.
    pub(crate) fn scalar_bits(&self, ty: Type<'m>) -> Option<u32> {
        match ty.kind() {
            TypeKind::LLVMIntegerTypeKind => Some(ty.int_width()),
            TypeKind::LLVMPointerTypeKind => Some(64),
            _ => fp_format(ty).map(FpFormat::bits),
        }
    }

    /// First slot and type of the part of an aggregate that `indices` name.
    pub(crate) fn part(&mut self, ty: Type<'m>, indices: &[u32]) -> Result<(u32, Type<'m>), String> {
        let (mut slot, mut ty) = (0, ty);
        for &i in indices {
            match ty.kind() {
                TypeKind::LLVMStructTypeKind if i < ty.field_count() => {
                    for before in 0..i {
                        slot += self.shape(ty.field(before))?.slots;
                    }
                    ty = ty.field(i);
                }
                TypeKind::LLVMArrayTypeKind => {
                    ty = ty.element();
                    slot += self.shape(ty)?.slots * i;
                }
                _ => return Err(format!("index into {}", ty.print())),
            }
        }
        Ok((slot, ty))
    }

    /// The type as calls see it; `None` for void.
    pub(crate) fn arg_type(&mut self, ty: Type<'m>) -> Result<Option<ArgType>, String> {
        Ok(match ty.kind() {
            TypeKind::LLVMVoidTypeKind => None,
            TypeKind::LLVMIntegerTypeKind => Some(ArgType::Int(ty.int_width())),
            TypeKind::LLVMPointerTypeKind => Some(ArgType::Ptr),
            _ => match fp_format(ty) {
                Some(format) => Some(ArgType::Float(format)),
                None => Some(ArgType::Aggregate(self.shape(ty)?.leaves.clone())),
            },
        })
    }
}

fn large(ty: Type<'_>) -> String {
    let mut text = ty.print();
    if let Some((cut, _)) = text.char_indices().nth(80) {
        text.truncate(cut);
        text.push('…');
    }
    format!("a value of the very large type {text}")
}

/// The floating-point format of a type.
pub(crate) fn fp_format(ty: Type<'_>) -> Option<FpFormat> {
    Some(match ty.kind() {
        TypeKind::LLVMHalfTypeKind => FpFormat::Half,
        TypeKind::LLVMBFloatTypeKind => FpFormat::BFloat,
        TypeKind::LLVMFloatTypeKind => FpFormat::Single,
        TypeKind::LLVMDoubleTypeKind => FpFormat::Double,
        TypeKind::LLVMX86_FP80TypeKind => FpFormat::X87,
        TypeKind::LLVMFP128TypeKind => FpFormat::Quad,
        _ => return None,
    })
}
