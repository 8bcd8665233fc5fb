//! Mathematical intrinsics that are calls of the C library's functions (`llvm.sin.f64` is `sin`).

use super::calls::site_of;
use super::function::{Body, Place};
use super::types::fp_format;
use crate::llvm::Value;
use crate::op::{FpFormat, Intrinsic, Op};
use crate::program::ArgType;

/// Intrinsics with a function of the same name in the C library.
const SAME_NAME: [&str; 17] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "pow", "exp", "exp2", "exp10",
    "log", "log2", "log10", "frexp",
];

/// The function that provides `llvm.<name>` for a format, if the C library or the compiler's runtime has one.
/// Half precision is computed in single.
pub(crate) fn function_name(name: &str, format: FpFormat) -> Option<String> {
    if name == "powi" {
        let suffix = match format {
            FpFormat::Half | FpFormat::BFloat | FpFormat::Single => "s",
            FpFormat::Double => "d",
            FpFormat::X87 => "x",
            FpFormat::Quad => "t",
        };
        return Some(format!("__powi{suffix}f2"));
    }
    let suffix = match format {
        FpFormat::Half | FpFormat::BFloat | FpFormat::Single => "f",
        FpFormat::Double => "",
        FpFormat::X87 => "l",
        FpFormat::Quad => "f128",
    };
    SAME_NAME.contains(&name).then(|| format!("{name}{suffix}"))
}

impl<'m> Body<'_, 'm> {
    /// Lowers a mathematical intrinsic to calls, one per lane. `None` when it is none of them.
    pub(crate) fn math_call(&mut self, inst: Value<'m>, name: &str) -> Option<Result<(), String>> {
        let operand = (inst.arg_count() > 0).then(|| inst.operand(0))?;
        let format = fp_format(operand.ty().scalar())?;
        let function = function_name(name, format)?;
        Some(if name == "frexp" {
            self.frexp(inst, &function, format)
        } else {
            self.math_lanes(inst, &function, format)
        })
    }

    fn math_lanes(&mut self, inst: Value<'m>, function: &str, format: FpFormat) -> Result<(), String> {
        let narrow = matches!(format, FpFormat::Half | FpFormat::BFloat);
        let called = if narrow { FpFormat::Single } else { format };
        let stride = format.slots();
        let mut operands = Vec::new();
        for i in 0..inst.arg_count() {
            let arg = inst.operand(i);
            if arg.ty().kind() == crate::llvm::TypeKind::LLVMMetadataTypeKind {
                continue;
            }
            operands.push((arg, self.place(arg)?));
        }
        let mut result = Vec::new();
        for lane in 0..inst.ty().lanes() {
            let mut args = Vec::new();
            for (arg, place) in &operands {
                if fp_format(arg.ty().scalar()).is_some() {
                    let mut slot = place.slot(if arg.ty().is_vector() { lane * stride } else { 0 });
                    if narrow {
                        let a = slot;
                        slot = self.emit_new(|dst| Op::FpConv { from: format, to: called, dst, a });
                    }
                    args.push((slot, ArgType::Float(called)));
                } else {
                    let ty = self.cx.types.arg_type(arg.ty())?.ok_or("an operand of an odd type")?;
                    args.push((place.slot(0), ty));
                }
            }
            let types = args.iter().map(|(_, ty)| ty.clone()).collect();
            let func = self.cx.named_function(function, types, Some(ArgType::Float(called)));
            let dst = self.new_group(called.slots());
            self.emit_call(func, dst, site_of(&args, Some(ArgType::Float(called))));
            let value = if narrow {
                self.emit_new(|to| Op::FpConv { from: called, to: format, dst: to, a: dst })
            } else {
                dst
            };
            result.extend((0..stride).map(|i| value + i));
        }
        self.places.insert(inst, Place::Parts(result.into()));
        Ok(())
    }

    /// `llvm.frexp` returns both results; `frexp` stores the exponent through a pointer.
    fn frexp(&mut self, inst: Value<'m>, function: &str, format: FpFormat) -> Result<(), String> {
        if inst.operand(0).ty().is_vector() || matches!(format, FpFormat::Half | FpFormat::BFloat) {
            return Err("an intrinsic that is not supported".into());
        }
        let value = self.place(inst.operand(0))?.slot(0);
        let exponent = self.cx.types.part(inst.ty(), &[1])?.1;
        let bits = self.cx.types.scalar_bits(exponent).ok_or("an exponent of an odd type")?;
        let saved = self.new_group(1);
        self.intrinsic(Intrinsic::StackSave, 64, saved, &[], Some(ArgType::Ptr));
        let size = self.number(4);
        let var = self.variable(inst);
        let pointer = self.emit_new(|dst| Op::Alloca { align_log2: 2, dst, size, var });
        let args = [(value, ArgType::Float(format)), (pointer, ArgType::Ptr)];
        let types = args.iter().map(|(_, ty)| ty.clone()).collect();
        let func = self.cx.named_function(function, types, Some(ArgType::Float(format)));
        let fraction = self.new_group(format.slots());
        self.emit_call(func, fraction, site_of(&args, Some(ArgType::Float(format))));
        let loaded = self.emit_new(|dst| Op::Load { w: 32, dst, ptr: pointer, off: 0 });
        let loaded = self.resize(loaded, 32, bits.min(64), true);
        self.intrinsic(Intrinsic::StackRestore, 64, super::operands::NO_SLOT, &[(saved, ArgType::Ptr)], None);
        let mut list: Vec<_> = (0..format.slots()).map(|i| fraction + i).collect();
        list.push(loaded);
        self.places.insert(inst, Place::Parts(list.into()));
        Ok(())
    }
}
