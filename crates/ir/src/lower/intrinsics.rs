//! LLVM's intrinsics: dropped, turned into plain operations, unrolled over lanes, or passed to the virtual machine.
//!
//! Dispatch is by name without types (`llvm.smax`). An intrinsic not listed here ends the path that calls it with a
//! message that names it.

use super::function::{Body, Place};
use super::operands::NO_SLOT;
use super::types::{fp_format, slots_of};
use crate::llvm::{TypeKind, Value, intrinsic_base_name};
use crate::op::{FpBin, FpFormat, IntOp, Intrinsic, Op, Slot};
use crate::program::ArgType;
use llvm_sys::LLVMOpcode;

/// Intrinsics without effect on one thread of C.
const DROPPED: [&str; 24] = [
    "lifetime.start",
    "lifetime.end",
    "assume",
    "donothing",
    "var.annotation",
    "experimental.noalias.scope.decl",
    "sideeffect",
    "prefetch",
    "invariant.start",
    "invariant.end",
    "pseudoprobe",
    "codeview.annotation",
    "clear_cache",
    "fake.use",
    "instrprof.increment",
    "instrprof.increment.step",
    "instrprof.cover",
    "instrprof.value.profile",
    "dbg.value",
    "dbg.declare",
    "dbg.label",
    "dbg.assign",
    "x86.sse2.pause",
    "x86.sse2.mfence",
];

/// Intrinsics that return their first operand.
const COPIED: [&str; 11] = [
    "expect",
    "expect.with.probability",
    "annotation",
    "ptr.annotation",
    "ssa.copy",
    "launder.invariant.group",
    "strip.invariant.group",
    "arithmetic.fence",
    "canonicalize",
    "threadlocal.address",
    "preserve.static.offset",
];

/// One result of the operand's type per lane, by integer width.
fn integer_intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "sadd.sat" => Intrinsic::SAddSat,
        "uadd.sat" => Intrinsic::UAddSat,
        "ssub.sat" => Intrinsic::SSubSat,
        "usub.sat" => Intrinsic::USubSat,
        "sshl.sat" => Intrinsic::SShlSat,
        "ushl.sat" => Intrinsic::UShlSat,
        "smin" => Intrinsic::SMin,
        "smax" => Intrinsic::SMax,
        "umin" => Intrinsic::UMin,
        "umax" => Intrinsic::UMax,
        "abs" => Intrinsic::Abs,
        "ctpop" => Intrinsic::Ctpop,
        "ctlz" => Intrinsic::Ctlz,
        "cttz" => Intrinsic::Cttz,
        "bswap" => Intrinsic::Bswap,
        "bitreverse" => Intrinsic::Bitreverse,
        "fshl" => Intrinsic::Fshl,
        "fshr" => Intrinsic::Fshr,
        "scmp" => Intrinsic::SCmp,
        "ucmp" => Intrinsic::UCmp,
        _ => return None,
    })
}

/// A value and an overflow bit per lane.
fn overflow_intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "sadd.with.overflow" => Intrinsic::SAddOverflow,
        "uadd.with.overflow" => Intrinsic::UAddOverflow,
        "ssub.with.overflow" => Intrinsic::SSubOverflow,
        "usub.with.overflow" => Intrinsic::USubOverflow,
        "smul.with.overflow" => Intrinsic::SMulOverflow,
        "umul.with.overflow" => Intrinsic::UMulOverflow,
        _ => return None,
    })
}

/// By floating-point format.
fn float_intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "fabs" => Intrinsic::Fabs,
        "copysign" => Intrinsic::Copysign,
        "sqrt" => Intrinsic::Sqrt,
        "fma" => Intrinsic::Fma,
        "floor" => Intrinsic::Floor,
        "ceil" => Intrinsic::Ceil,
        "trunc" => Intrinsic::FpTrunc,
        "round" => Intrinsic::Round,
        "roundeven" => Intrinsic::RoundEven,
        "rint" | "nearbyint" => Intrinsic::Rint,
        "minnum" => Intrinsic::MinNum,
        "maxnum" => Intrinsic::MaxNum,
        "minimum" => Intrinsic::Minimum,
        "maximum" => Intrinsic::Maximum,
        "ldexp" => Intrinsic::Ldexp,
        "is.fpclass" => Intrinsic::IsFpClass,
        "lrint" | "llrint" => Intrinsic::Lrint,
        "lround" | "llround" => Intrinsic::Lround,
        _ => return None,
    })
}

/// Passed on as they are: operands by LLVM's order, no lanes.
fn plain_intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "stacksave" => Intrinsic::StackSave,
        "stackrestore" => Intrinsic::StackRestore,
        "va_start" => Intrinsic::VaStart,
        "va_end" => Intrinsic::VaEnd,
        "va_copy" => Intrinsic::VaCopy,
        "objectsize" => Intrinsic::ObjectSize,
        "trap" => Intrinsic::Trap,
        "debugtrap" => Intrinsic::DebugTrap,
        "ubsantrap" => Intrinsic::UbsanTrap,
        "returnaddress" => Intrinsic::ReturnAddress,
        "frameaddress" => Intrinsic::FrameAddress,
        "get.rounding" => Intrinsic::GetRounding,
        "readcyclecounter" | "readsteadycounter" | "x86.rdtsc" => Intrinsic::ReadCycleCounter,
        "set.rounding" | "reset.fpenv" | "reset.fpmode" => Intrinsic::Nop,
        _ => return None,
    })
}

impl<'m> Body<'_, 'm> {
    /// A call of an `llvm.…` function.
    pub(crate) fn intrinsic_call(&mut self, inst: Value<'m>, callee: Value<'m>) -> Result<(), String> {
        let id = callee.intrinsic_id();
        let full = if id != 0 { intrinsic_base_name(id) } else { callee.name() };
        let name = full.strip_prefix("llvm.").unwrap_or(&full);
        match name.strip_prefix("experimental.constrained.") {
            Some(inner) => self.constrained(inst, inner),
            // Graduated from experimental without a change of meaning.
            None if name.starts_with("experimental.vector.") => {
                self.named_intrinsic(inst, name.trim_start_matches("experimental."))
            }
            None => self.named_intrinsic(inst, name),
        }
    }

    fn named_intrinsic(&mut self, inst: Value<'m>, name: &str) -> Result<(), String> {
        if DROPPED.contains(&name) {
            if inst.ty().kind() != TypeKind::LLVMVoidTypeKind {
                let zero = self.number(0);
                self.places.insert(inst, Place::Run(zero));
            }
            return Ok(());
        }
        if COPIED.contains(&name) {
            return self.alias(inst, inst.operand(0));
        }
        if let Some(id) = integer_intrinsic(name) {
            return self.integer_lanes(inst, id);
        }
        if let Some(id) = overflow_intrinsic(name) {
            return self.overflow_lanes(inst, id);
        }
        if let Some(id) = float_intrinsic(name) {
            return self.float_lanes(inst, id);
        }
        if let Some(id) = plain_intrinsic(name) {
            return self.plain(inst, id);
        }
        if let Some(done) = self.math_call(inst, name) {
            return done;
        }
        if let Some(kind) = name.strip_prefix("vector.reduce.") {
            return self.reduce(inst, kind);
        }
        match name {
            "memcpy" | "memcpy.inline" | "memcpy.element.unordered.atomic" => {
                self.memory_intrinsic(inst, Intrinsic::Memcpy)
            }
            "memmove" | "memmove.element.unordered.atomic" => self.memory_intrinsic(inst, Intrinsic::Memmove),
            "memset" | "memset.inline" | "memset.element.unordered.atomic" => {
                self.memory_intrinsic(inst, Intrinsic::Memset)
            }
            "fmuladd" => self.multiply_add(inst),
            "fptosi.sat" => self.saturating_cast(inst, Intrinsic::FpToSiSat),
            "fptoui.sat" => self.saturating_cast(inst, Intrinsic::FpToUiSat),
            "is.constant" => self.constant_result(inst, 0),
            "allow.runtime.check" | "allow.ubsan.check" | "experimental.widenable.condition" => {
                self.constant_result(inst, 1)
            }
            "convert.from.fp16" | "convert.to.fp16" => self.half_conversion(inst),
            "thread.pointer" => self.thread_pointer(inst),
            "ptrmask" => self.pointer_mask(inst),
            "load.relative" => self.load_relative(inst),
            "vector.insert"
            | "vector.extract"
            | "vector.reverse"
            | "vector.interleave2"
            | "vector.deinterleave2"
            | "vector.splice" => self.vector_shuffle(inst, name),
            "stepvector" | "experimental.stepvector" => self.step_vector(inst),
            "masked.load"
            | "masked.store"
            | "masked.gather"
            | "masked.scatter"
            | "masked.expandload"
            | "masked.compressstore" => self.masked(inst, name),
            "x86.sse2.pmovmskb.128" | "x86.sse.movmsk.ps" | "x86.sse2.movmsk.pd" => self.move_mask(inst),
            "x86.sse.sfence" | "x86.sse2.lfence" => Ok(()),
            _ => Err("an intrinsic that is not supported".into()),
        }
    }

    fn constant_result(&mut self, inst: Value<'m>, value: u64) -> Result<(), String> {
        let slot = self.number(value);
        self.places.insert(inst, Place::Run(slot));
        Ok(())
    }

    /// Operand places with scalar types; metadata is left out.
    fn lane_operands(&mut self, inst: Value<'m>) -> Result<Vec<(Value<'m>, Place, ArgType)>, String> {
        let mut list = Vec::new();
        for i in 0..inst.arg_count() {
            let arg = inst.operand(i);
            if arg.ty().kind() == TypeKind::LLVMMetadataTypeKind {
                continue;
            }
            let place = self.place(arg)?;
            let ty = self.cx.types.arg_type(arg.ty().scalar())?.ok_or("an operand of an odd type")?;
            list.push((arg, place, ty));
        }
        Ok(list)
    }

    /// The operands of one lane: vectors give their element, scalars themselves.
    fn lane(operands: &[(Value<'m>, Place, ArgType)], lane: u32) -> Vec<(Slot, ArgType)> {
        let slot = |v: &Value<'m>, place: &Place, ty: &ArgType| {
            place.slot(if v.ty().is_vector() { lane * ty.slots() } else { 0 })
        };
        operands.iter().map(|(v, place, ty)| (slot(v, place, ty), ty.clone())).collect()
    }

    fn lanes_of(&mut self, inst: Value<'m>, id: Intrinsic, w: u32) -> Result<(), String> {
        let operands = self.lane_operands(inst)?;
        let ret = self.cx.types.arg_type(inst.ty().scalar())?.ok_or("a result of an odd type")?;
        let (lanes, stride) = (inst.ty().lanes(), ret.slots());
        let dst = self.define(inst, lanes * stride);
        for lane in 0..lanes {
            let operands = Self::lane(&operands, lane);
            self.intrinsic(id, w, dst + lane * stride, &operands, Some(ret.clone()));
        }
        Ok(())
    }

    fn integer_lanes(&mut self, inst: Value<'m>, id: Intrinsic) -> Result<(), String> {
        let scalar = inst.operand(0).ty().scalar();
        let w = self.cx.types.scalar_bits(scalar).ok_or("an operand of an odd type")?;
        self.lanes_of(inst, id, w)
    }

    fn float_lanes(&mut self, inst: Value<'m>, id: Intrinsic) -> Result<(), String> {
        let format = fp_format(inst.operand(0).ty().scalar()).ok_or("an operand of an odd type")?;
        self.lanes_of(inst, id, format as u32)
    }

    fn saturating_cast(&mut self, inst: Value<'m>, id: Intrinsic) -> Result<(), String> {
        let w = self.cx.types.scalar_bits(inst.ty().scalar()).ok_or("a result of an odd type")?;
        self.lanes_of(inst, id, w)
    }

    fn overflow_lanes(&mut self, inst: Value<'m>, id: Intrinsic) -> Result<(), String> {
        let operand = inst.operand(0).ty();
        let w = self.cx.types.scalar_bits(operand.scalar()).ok_or("an operand of an odd type")?;
        let operands = self.lane_operands(inst)?;
        let stride = slots_of(w);
        let ret = ArgType::Aggregate(vec![w, 1]);
        let (mut values, mut bits) = (Vec::new(), Vec::new());
        for lane in 0..operand.lanes() {
            let dst = self.new_group(stride + 1);
            let operands = Self::lane(&operands, lane);
            self.intrinsic(id, w, dst, &operands, Some(ret.clone()));
            values.extend((0..stride).map(|i| dst + i));
            bits.push(dst + stride);
        }
        values.extend(bits);
        self.places.insert(inst, Place::Parts(values.into()));
        Ok(())
    }

    fn plain(&mut self, inst: Value<'m>, id: Intrinsic) -> Result<(), String> {
        let operands = self.lane_operands(inst)?;
        let operands = Self::lane(&operands, 0);
        let ret = self.cx.types.arg_type(inst.ty())?;
        let n = ret.as_ref().map_or(0, ArgType::slots);
        let w = self.cx.types.scalar_bits(inst.ty()).unwrap_or(0);
        let dst = self.result(inst, n);
        self.intrinsic(id, w, dst, &operands, ret);
        Ok(())
    }

    /// (destination, source or byte, length as 64 bits)
    fn memory_intrinsic(&mut self, inst: Value<'m>, id: Intrinsic) -> Result<(), String> {
        let to = self.slot(inst.operand(0))?;
        let what = self.slot(inst.operand(1))?;
        let length = self.index_slot(inst.operand(2), false)?;
        let kind = if id == Intrinsic::Memset { ArgType::Int(8) } else { ArgType::Ptr };
        self.intrinsic(id, 0, NO_SLOT, &[(to, ArgType::Ptr), (what, kind), (length, ArgType::Int(64))], None);
        Ok(())
    }

    fn multiply_add(&mut self, inst: Value<'m>) -> Result<(), String> {
        let fmt = fp_format(inst.ty().scalar()).ok_or("a result of an odd type")?;
        let (a, b, c) =
            (self.place(inst.operand(0))?, self.place(inst.operand(1))?, self.place(inst.operand(2))?);
        let (lanes, stride) = (inst.ty().lanes(), fmt.slots());
        let dst = self.define(inst, lanes * stride);
        for at in (0..lanes).map(|lane| lane * stride) {
            let product = self.new_group(stride);
            self.emit(Op::FpBin { op: FpBin::Mul, fmt, dst: product, a: a.slot(at), b: b.slot(at) });
            self.emit(Op::FpBin { op: FpBin::Add, fmt, dst: dst + at, a: product, b: c.slot(at) });
        }
        Ok(())
    }

    /// Half precision kept in an `i16`.
    fn half_conversion(&mut self, inst: Value<'m>) -> Result<(), String> {
        let source = inst.operand(0);
        let from = fp_format(source.ty()).unwrap_or(FpFormat::Half);
        let to = fp_format(inst.ty()).unwrap_or(FpFormat::Half);
        let a = self.slot(source)?;
        let dst = self.define(inst, to.slots());
        self.emit(Op::FpConv { from, to, dst, a });
        Ok(())
    }

    /// The same hook that the C library calls.
    fn thread_pointer(&mut self, inst: Value<'m>) -> Result<(), String> {
        let func = self.cx.named_function("__forkwise_thread_pointer", Vec::new(), Some(ArgType::Ptr));
        let dst = self.define(inst, 1);
        self.emit_call(func, dst, super::calls::site_of(&[], Some(ArgType::Ptr)));
        Ok(())
    }

    fn pointer_mask(&mut self, inst: Value<'m>) -> Result<(), String> {
        let bits = self.cx.types.scalar_bits(inst.operand(1).ty().scalar());
        if bits != Some(64) {
            return Err("a pointer mask of an odd width".into());
        }
        let (a, b) = (self.place(inst.operand(0))?, self.place(inst.operand(1))?);
        let lanes = inst.ty().lanes();
        let dst = self.define(inst, lanes);
        for lane in 0..lanes {
            self.emit(Op::And { dst: dst + lane, a: a.slot(lane), b: b.slot(lane) });
        }
        Ok(())
    }

    /// base + the signed 32 bits stored at base + offset.
    fn load_relative(&mut self, inst: Value<'m>) -> Result<(), String> {
        let base = self.slot(inst.operand(0))?;
        let offset = self.index_slot(inst.operand(1), true)?;
        let ptr = self.emit_new(|dst| Op::Lea { dst, base, idx: offset, scale: 1 });
        let loaded = self.emit_new(|dst| Op::Load { w: 32, dst, ptr, off: 0 });
        let distance = self.resize(loaded, 32, 64, true);
        let dst = self.define(inst, 1);
        self.emit(Op::Add { w: 64, dst, a: base, b: distance });
        Ok(())
    }

    fn step_vector(&mut self, inst: Value<'m>) -> Result<(), String> {
        let bits = self.cx.types.scalar_bits(inst.ty().scalar()).filter(|b| *b <= 64).ok_or("an odd type")?;
        let lanes = inst.ty().lanes();
        let list: Vec<Slot> = (0..lanes).map(|i| self.number(i as u64 & (u64::MAX >> (64 - bits)))).collect();
        self.places.insert(inst, Place::Parts(list.into()));
        Ok(())
    }

    fn vector_shuffle(&mut self, inst: Value<'m>, name: &str) -> Result<(), String> {
        let first = inst.operand(0);
        let stride = self.cx.types.shape(first.ty().scalar())?.slots;
        let lanes = first.ty().lanes();
        let mut all = self.place(first)?.list(lanes * stride);
        let take =
            |all: &[Slot], lane: u32| all[(lane * stride) as usize..((lane + 1) * stride) as usize].to_vec();
        let constant = |v: Value<'m>| v.is_constant_int().then(|| v.zext_value());
        let missing = "a vector index that is not constant";
        let list: Vec<Slot> = match name {
            "vector.insert" => {
                let part = inst.operand(1);
                let n = part.ty().lanes() * stride;
                let part = self.place(part)?.list(n);
                let at = constant(inst.operand(2)).ok_or(missing)? as usize * stride as usize;
                let room = all.get_mut(at..at + part.len()).ok_or("a vector index out of range")?;
                room.copy_from_slice(&part);
                all
            }
            "vector.extract" => {
                let n = (inst.ty().lanes() * stride) as usize;
                let at = constant(inst.operand(1)).ok_or(missing)? as usize * stride as usize;
                all.get(at..at + n).ok_or("a vector index out of range")?.to_vec()
            }
            "vector.reverse" => (0..lanes).rev().flat_map(|lane| take(&all, lane)).collect(),
            "vector.interleave2" => {
                let second = self.place(inst.operand(1))?.list(lanes * stride);
                (0..lanes).flat_map(|lane| [take(&all, lane), take(&second, lane)].concat()).collect()
            }
            "vector.deinterleave2" => {
                let even = (0..lanes).step_by(2).flat_map(|lane| take(&all, lane));
                even.chain((1..lanes).step_by(2).flat_map(|lane| take(&all, lane))).collect()
            }
            _ => {
                let at = constant(inst.operand(2)).ok_or(missing)? as i32;
                all.extend(self.place(inst.operand(1))?.list(lanes * stride));
                let from = if at < 0 { lanes as i32 + at } else { at };
                let from =
                    u32::try_from(from).ok().filter(|f| *f <= lanes).ok_or("a vector index out of range")?;
                (from..from + lanes).flat_map(|lane| take(&all, lane)).collect()
            }
        };
        self.places.insert(inst, Place::Parts(list.into()));
        Ok(())
    }

    fn reduce(&mut self, inst: Value<'m>, kind: &str) -> Result<(), String> {
        let starts = matches!(kind, "fadd" | "fmul");
        let vector = inst.operand(starts as u32);
        let bits = self.cx.types.scalar_bits(vector.ty().scalar()).ok_or("an operand of an odd type")?;
        let (lanes, stride) = (vector.ty().lanes(), slots_of(bits));
        let all = self.place(vector)?;
        let (mut result, first) =
            if starts { (self.place(inst.operand(0))?.slot(0), 0) } else { (all.slot(0), 1) };
        let scalar = self.cx.types.arg_type(vector.ty().scalar())?.ok_or("an operand of an odd type")?;
        let format = fp_format(vector.ty().scalar());
        for lane in first..lanes {
            let (a, b) = (result, all.slot(lane * stride));
            let dst = self.new_group(stride);
            let by_intrinsic = match kind {
                "add" => Err(IntOp::Add),
                "mul" => Err(IntOp::Mul),
                "and" => Err(IntOp::And),
                "or" => Err(IntOp::Or),
                "xor" => Err(IntOp::Xor),
                "smin" => Ok(Intrinsic::SMin),
                "smax" => Ok(Intrinsic::SMax),
                "umin" => Ok(Intrinsic::UMin),
                "umax" => Ok(Intrinsic::UMax),
                "fmin" => Ok(Intrinsic::MinNum),
                "fmax" => Ok(Intrinsic::MaxNum),
                "fminimum" => Ok(Intrinsic::Minimum),
                "fmaximum" => Ok(Intrinsic::Maximum),
                "fadd" | "fmul" => {
                    let op = if kind == "fadd" { FpBin::Add } else { FpBin::Mul };
                    let fmt = format.ok_or("an operand of an odd type")?;
                    self.emit(Op::FpBin { op, fmt, dst, a, b });
                    result = dst;
                    continue;
                }
                _ => return Err("an intrinsic that is not supported".into()),
            };
            match by_intrinsic {
                Ok(id) => {
                    let w = format.map_or(bits, |f| f as u32);
                    self.intrinsic(
                        id,
                        w,
                        dst,
                        &[(a, scalar.clone()), (b, scalar.clone())],
                        Some(scalar.clone()),
                    );
                }
                Err(op) => self.binary(op, bits, dst, a, b),
            }
            result = dst;
        }
        self.places.insert(inst, Place::Run(result));
        Ok(())
    }

    /// The sign bits of all lanes as one integer.
    fn move_mask(&mut self, inst: Value<'m>) -> Result<(), String> {
        let vector = inst.operand(0);
        let bits =
            self.cx.types.scalar_bits(vector.ty().scalar()).filter(|b| *b <= 64).ok_or("an odd type")?;
        let place = self.place(vector)?;
        let mut result = self.number(0);
        for lane in 0..vector.ty().lanes() {
            let zero = self.number(0);
            let sign = self.emit_new(|dst| Op::Slt { w: bits as u8, dst, a: place.slot(lane), b: zero });
            let wide = self.resize(sign, 1, 32, false);
            let amount = self.number(lane as u64);
            let moved = self.emit_new(|dst| Op::Shl { w: 32, dst, a: wide, b: amount });
            let so_far = result;
            result = self.emit_new(|dst| Op::Or { dst, a: so_far, b: moved });
        }
        self.places.insert(inst, Place::Run(result));
        Ok(())
    }

    /// Constrained floating point in the default environment is plain floating point.
    fn constrained(&mut self, inst: Value<'m>, name: &str) -> Result<(), String> {
        use LLVMOpcode::*;
        match name {
            "fadd" => self.float_operation(inst, FpBin::Add),
            "fsub" => self.float_operation(inst, FpBin::Sub),
            "fmul" => self.float_operation(inst, FpBin::Mul),
            "fdiv" => self.float_operation(inst, FpBin::Div),
            "frem" => self.float_operation(inst, FpBin::Rem),
            "fptosi" => self.float_cast(inst, LLVMFPToSI),
            "fptoui" => self.float_cast(inst, LLVMFPToUI),
            "sitofp" => self.float_cast(inst, LLVMSIToFP),
            "uitofp" => self.float_cast(inst, LLVMUIToFP),
            "fptrunc" => self.float_cast(inst, LLVMFPTrunc),
            "fpext" => self.float_cast(inst, LLVMFPExt),
            "fcmp" | "fcmps" => {
                let names = [
                    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge",
                    "ult", "ule", "une", "true",
                ];
                let wanted = inst.operand(2).metadata_string();
                let predicate = names.iter().position(|n| *n == wanted).ok_or("an unknown comparison")?;
                self.float_compare(inst, predicate as u8)
            }
            other => self.named_intrinsic(inst, other),
        }
    }
}
