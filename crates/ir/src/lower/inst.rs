//! Instructions: arithmetic, comparisons, casts, selection and terminators, lane by lane for vectors.

use super::function::{Body, Place};
use super::types::{fp_format, slots_of};
use crate::llvm::{TypeKind, Value};
use crate::op::{FpBin, FpPred, IntOp, IntPred, Intrinsic, Op, Slot};
use crate::program::SwitchTable;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

impl<'m> Body<'_, 'm> {
    /// Lowers one instruction. The error says what is not supported.
    pub(crate) fn lower_instruction(&mut self, inst: Value<'m>) -> Result<(), String> {
        use LLVMOpcode::*;
        match inst.opcode() {
            LLVMPHI | LLVMFence => Ok(()),
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl | LLVMLShr
            | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => self.integer_binary(inst),
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => self.float_binary(inst),
            LLVMFNeg => self.float_negate(inst),
            LLVMICmp => {
                if self.fuses_with_branch(inst) && self.cx.types.scalar_bits(inst.operand(0).ty()) <= Some(64)
                {
                    self.fused.insert(inst);
                    return Ok(());
                }
                self.integer_compare(inst)
            }
            LLVMFCmp => self.float_compare(inst, inst.real_predicate()),
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMPtrToInt | LLVMIntToPtr => self.integer_cast(inst),
            LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt => {
                self.float_cast(inst, inst.opcode())
            }
            LLVMBitCast => self.bitcast(inst),
            LLVMFreeze | LLVMAddrSpaceCast => self.alias(inst, inst.operand(0)),
            LLVMSelect => self.select(inst),
            LLVMAlloca => self.alloca(inst),
            LLVMLoad => self.load(inst),
            LLVMStore => self.store(inst),
            LLVMGetElementPtr => self.gep(inst),
            LLVMAtomicRMW => self.atomic_rmw(inst),
            LLVMAtomicCmpXchg => self.compare_exchange(inst),
            LLVMExtractValue => self.extract_value(inst),
            LLVMInsertValue => self.insert_value(inst),
            LLVMExtractElement => self.extract_element(inst),
            LLVMInsertElement => self.insert_element(inst),
            LLVMShuffleVector => self.shuffle(inst),
            LLVMCall => self.call(inst),
            LLVMInvoke => self.call(inst),
            LLVMCallBr => self.call(inst),
            LLVMVAArg => self.va_arg(inst),
            LLVMBr => self.branch(inst),
            LLVMSwitch => self.switch(inst),
            LLVMIndirectBr => self.indirect_branch(inst),
            LLVMRet => self.ret(inst),
            LLVMUnreachable => {
                self.emit(Op::Unreachable);
                Ok(())
            }
            _ => Err("an instruction that is not supported".into()),
        }
    }

    /// The instruction's value is another value.
    pub(crate) fn alias(&mut self, inst: Value<'m>, source: Value<'m>) -> Result<(), String> {
        let place = self.place(source)?;
        self.places.insert(inst, place);
        Ok(())
    }

    fn scalar_width(&mut self, value: Value<'m>) -> Result<u32, String> {
        let scalar = value.ty().scalar();
        self.cx.types.scalar_bits(scalar).ok_or_else(|| format!("type {}", value.ty().print()))
    }

    fn integer_binary(&mut self, inst: Value<'m>) -> Result<(), String> {
        let bits = self.scalar_width(inst)?;
        let op = int_op(inst.opcode()).ok_or("an operator that is not supported")?;
        let (a, b) = (self.place(inst.operand(0))?, self.place(inst.operand(1))?);
        let (lanes, stride) = (inst.ty().lanes(), slots_of(bits));
        let dst = self.define(inst, lanes * stride);
        for at in (0..lanes).map(|lane| lane * stride) {
            self.binary(op, bits, dst + at, a.slot(at), b.slot(at));
        }
        Ok(())
    }

    /// One integer operation of any width.
    pub(crate) fn binary(&mut self, op: IntOp, bits: u32, dst: Slot, a: Slot, b: Slot) {
        let w = bits as u8;
        self.emit(match op {
            _ if bits > 64 => Op::WideBin { op, w: bits, dst, a, b },
            IntOp::Add => Op::Add { w, dst, a, b },
            IntOp::Sub => Op::Sub { w, dst, a, b },
            IntOp::Mul => Op::Mul { w, dst, a, b },
            IntOp::UDiv => Op::UDiv { w, dst, a, b },
            IntOp::SDiv => Op::SDiv { w, dst, a, b },
            IntOp::URem => Op::URem { w, dst, a, b },
            IntOp::SRem => Op::SRem { w, dst, a, b },
            IntOp::And => Op::And { dst, a, b },
            IntOp::Or => Op::Or { dst, a, b },
            IntOp::Xor => Op::Xor { dst, a, b },
            IntOp::Shl => Op::Shl { w, dst, a, b },
            IntOp::LShr => Op::LShr { w, dst, a, b },
            IntOp::AShr => Op::AShr { w, dst, a, b },
        });
    }

    fn float_binary(&mut self, inst: Value<'m>) -> Result<(), String> {
        use LLVMOpcode::*;
        let op = match inst.opcode() {
            LLVMFAdd => FpBin::Add,
            LLVMFSub => FpBin::Sub,
            LLVMFMul => FpBin::Mul,
            LLVMFDiv => FpBin::Div,
            _ => FpBin::Rem,
        };
        self.float_operation(inst, op)
    }

    /// `inst` = operand 0 `op` operand 1.
    pub(crate) fn float_operation(&mut self, inst: Value<'m>, op: FpBin) -> Result<(), String> {
        let fmt = fp_format(inst.ty().scalar()).ok_or_else(|| format!("type {}", inst.ty().print()))?;
        let (a, b) = (self.place(inst.operand(0))?, self.place(inst.operand(1))?);
        let (lanes, stride) = (inst.ty().lanes(), fmt.slots());
        let dst = self.define(inst, lanes * stride);
        for at in (0..lanes).map(|lane| lane * stride) {
            self.emit(Op::FpBin { op, fmt, dst: dst + at, a: a.slot(at), b: b.slot(at) });
        }
        Ok(())
    }

    fn float_negate(&mut self, inst: Value<'m>) -> Result<(), String> {
        let fmt = fp_format(inst.ty().scalar()).ok_or_else(|| format!("type {}", inst.ty().print()))?;
        let a = self.place(inst.operand(0))?;
        let (lanes, stride) = (inst.ty().lanes(), fmt.slots());
        let dst = self.define(inst, lanes * stride);
        for at in (0..lanes).map(|lane| lane * stride) {
            self.emit(Op::FpNeg { fmt, dst: dst + at, a: a.slot(at) });
        }
        Ok(())
    }

    fn integer_compare(&mut self, inst: Value<'m>) -> Result<(), String> {
        let bits = self.scalar_width(inst.operand(0))?;
        let (pred, swap) = int_predicate(inst.int_predicate());
        let (mut a, mut b) = (self.place(inst.operand(0))?, self.place(inst.operand(1))?);
        if swap {
            std::mem::swap(&mut a, &mut b);
        }
        let (lanes, stride) = (inst.ty().lanes(), slots_of(bits));
        let dst = self.define(inst, lanes);
        for lane in 0..lanes {
            self.compare(pred, bits, dst + lane, a.slot(lane * stride), b.slot(lane * stride));
        }
        Ok(())
    }

    /// One integer comparison of any width.
    pub(crate) fn compare(&mut self, pred: IntPred, bits: u32, dst: Slot, a: Slot, b: Slot) {
        let w = bits as u8;
        self.emit(match pred {
            _ if bits > 64 => Op::WideCmp { pred, w: bits, dst, a, b },
            IntPred::Eq => Op::Eq { w, dst, a, b },
            IntPred::Ne => Op::Ne { w, dst, a, b },
            IntPred::Ult => Op::Ult { w, dst, a, b },
            IntPred::Ule => Op::Ule { w, dst, a, b },
            IntPred::Slt => Op::Slt { w, dst, a, b },
            IntPred::Sle => Op::Sle { w, dst, a, b },
        });
    }

    /// A floating-point comparison with LLVM's predicate number.
    pub(crate) fn float_compare(&mut self, inst: Value<'m>, predicate: u8) -> Result<(), String> {
        let operand = inst.operand(0);
        let fmt = fp_format(operand.ty().scalar()).ok_or_else(|| format!("type {}", operand.ty().print()))?;
        let lanes = inst.ty().lanes();
        if predicate == 0 || predicate == 15 {
            let constant = self.number((predicate != 0) as u64);
            self.places.insert(inst, Place::Parts(vec![constant; lanes as usize].into()));
            return Ok(());
        }
        let (a, b) = (self.place(operand)?, self.place(inst.operand(1))?);
        let stride = fmt.slots();
        let dst = self.define(inst, lanes);
        for lane in 0..lanes {
            let (a, b) = (a.slot(lane * stride), b.slot(lane * stride));
            self.emit(Op::FpCmp { pred: FpPred(predicate), fmt, dst: dst + lane, a, b });
        }
        Ok(())
    }

    fn integer_cast(&mut self, inst: Value<'m>) -> Result<(), String> {
        let source = inst.operand(0);
        let (from, to) = (self.scalar_width(source)?, self.scalar_width(inst)?);
        if from == to {
            return self.alias(inst, source);
        }
        let signed = inst.opcode() == LLVMOpcode::LLVMSExt;
        let a = self.place(source)?;
        let lanes = inst.ty().lanes();
        let dst = self.define(inst, lanes * slots_of(to));
        for lane in 0..lanes {
            let (dst, a) = (dst + lane * slots_of(to), a.slot(lane * slots_of(from)));
            self.emit(if from > 64 || to > 64 {
                Op::WideCast { signed, from, to, dst, a }
            } else if to < from {
                Op::Trunc { w: to as u8, from: from as u8, dst, a }
            } else if signed {
                Op::SExt { from: from as u8, to: to as u8, dst, a }
            } else {
                Op::ZExt { from: from as u8, to: to as u8, dst, a }
            });
        }
        Ok(())
    }

    /// A conversion between floating-point formats or between them and integers.
    pub(crate) fn float_cast(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Result<(), String> {
        use LLVMOpcode::*;
        let source = inst.operand(0);
        let (from, to) = (self.scalar_width(source)?, self.scalar_width(inst)?);
        let odd = || "a conversion of an odd type".to_string();
        let a = self.place(source)?;
        let lanes = inst.ty().lanes();
        let dst = self.define(inst, lanes * slots_of(to));
        let (from_format, to_format) = (fp_format(source.ty().scalar()), fp_format(inst.ty().scalar()));
        for lane in 0..lanes {
            let (dst, a) = (dst + lane * slots_of(to), a.slot(lane * slots_of(from)));
            let op = match opcode {
                LLVMFPToUI | LLVMFPToSI => {
                    let fmt = from_format.ok_or_else(odd)?;
                    Op::FpToInt { signed: opcode == LLVMFPToSI, fmt, w: to, dst, a }
                }
                LLVMUIToFP | LLVMSIToFP => {
                    let fmt = to_format.ok_or_else(odd)?;
                    Op::IntToFp { signed: opcode == LLVMSIToFP, fmt, w: from, dst, a }
                }
                _ => {
                    Op::FpConv { from: from_format.ok_or_else(odd)?, to: to_format.ok_or_else(odd)?, dst, a }
                }
            };
            self.emit(op);
        }
        Ok(())
    }

    fn bitcast(&mut self, inst: Value<'m>) -> Result<(), String> {
        let source = inst.operand(0);
        let (from, to) = (self.cx.types.shape(source.ty())?, self.cx.types.shape(inst.ty())?);
        if from.leaves == to.leaves {
            return self.alias(inst, source);
        }
        let place = self.place(source)?;
        let a = self.run(&place, from.slots);
        let dst = self.define(inst, to.slots);
        self.reshape(from.leaves.clone(), to.leaves.clone(), dst, a);
        Ok(())
    }

    fn select(&mut self, inst: Value<'m>) -> Result<(), String> {
        let condition = inst.operand(0);
        let shape = self.cx.types.shape(inst.ty())?;
        let c = self.place(condition)?;
        let (a, b) = (self.place(inst.operand(1))?, self.place(inst.operand(2))?);
        let by_lane = condition.ty().is_vector();
        let dst = self.define(inst, shape.slots);
        let widths = shape.slot_widths();
        for (leaf, &start) in shape.starts.iter().enumerate() {
            let end = shape.starts.get(leaf + 1).copied().unwrap_or(shape.slots);
            let c = c.slot(if by_lane { leaf as u32 } else { 0 });
            for i in start..end {
                self.emit(Op::Select { w: widths[i as usize], dst: dst + i, c, a: a.slot(i), b: b.slot(i) });
            }
        }
        Ok(())
    }

    fn va_arg(&mut self, inst: Value<'m>) -> Result<(), String> {
        let shape = self.cx.types.shape(inst.ty())?;
        let bits = shape.scalar().ok_or("va_arg of an aggregate")?;
        let list = self.slot(inst.operand(0))?;
        let ret = self.cx.types.arg_type(inst.ty())?;
        let dst = self.define(inst, shape.slots);
        self.intrinsic(Intrinsic::VaArg, bits, dst, &[(list, crate::program::ArgType::Ptr)], ret);
        Ok(())
    }

    // ---- terminators (jumps are emitted with the copies of their edge, see `phi`)

    fn branch(&mut self, inst: Value<'m>) -> Result<(), String> {
        if !inst.is_conditional() {
            return Ok(());
        }
        let condition = inst.operand(0);
        let edge = self.cfg.succs[self.block as usize][0].0;
        if !self.fused.contains(&condition) {
            let c = self.slot(condition)?;
            self.emit(Op::Br { c, edge });
            return Ok(());
        }
        let w = self.scalar_width(condition.operand(0))? as u8;
        let (pred, swap) = int_predicate(condition.int_predicate());
        let (mut a, mut b) = (self.slot(condition.operand(0))?, self.slot(condition.operand(1))?);
        if swap {
            std::mem::swap(&mut a, &mut b);
        }
        self.emit(match pred {
            IntPred::Eq => Op::BrEq { w, a, b, edge },
            IntPred::Ne => Op::BrNe { w, a, b, edge },
            IntPred::Ult => Op::BrUlt { w, a, b, edge },
            IntPred::Ule => Op::BrUle { w, a, b, edge },
            IntPred::Slt => Op::BrSlt { w, a, b, edge },
            IntPred::Sle => Op::BrSle { w, a, b, edge },
        });
        Ok(())
    }

    fn switch(&mut self, inst: Value<'m>) -> Result<(), String> {
        let edges = self.cfg.succs[self.block as usize].clone();
        let Some(&(default, _)) = edges.last() else { return Err("a switch without targets".into()) };
        if edges.len() == 1 {
            return Ok(());
        }
        let value = inst.operand(0);
        let bits = self.scalar_width(value)?;
        if bits > 64 {
            return Err("a switch over more than 64 bits".into());
        }
        let mut cases = Vec::with_capacity(edges.len() - 1);
        for (i, &(edge, _)) in edges[..edges.len() - 1].iter().enumerate() {
            cases.push((inst.operand(2 + 2 * i as u32).zext_value(), edge));
        }
        cases.sort_unstable();
        let a = self.slot(value)?;
        let branch = self.cfg.branch[self.block as usize];
        self.out.switches.push(SwitchTable { cases, default, branch });
        self.emit(Op::Switch { w: bits as u8, a, table: self.out.switches.len() as u32 - 1 });
        Ok(())
    }

    fn indirect_branch(&mut self, inst: Value<'m>) -> Result<(), String> {
        let a = self.slot(inst.operand(0))?;
        let edges = self.cfg.succs[self.block as usize].iter().map(|(edge, _)| *edge).collect();
        self.out.indirect_targets.push(edges);
        self.emit(Op::IndirectBr { a, table: self.out.indirect_targets.len() as u32 - 1 });
        Ok(())
    }

    fn ret(&mut self, inst: Value<'m>) -> Result<(), String> {
        if inst.operand_count() == 0 || inst.operand(0).ty().kind() == TypeKind::LLVMVoidTypeKind {
            self.emit(Op::Ret { src: super::operands::NO_SLOT, n: 0 });
            return Ok(());
        }
        let n = self.cx.types.shape(inst.operand(0).ty())?.slots;
        let place = self.place(inst.operand(0))?;
        let src = if n == 0 { super::operands::NO_SLOT } else { self.run(&place, n) };
        self.emit(Op::Ret { src, n });
        Ok(())
    }
}

fn int_op(opcode: LLVMOpcode) -> Option<IntOp> {
    use LLVMOpcode::*;
    Some(match opcode {
        LLVMAdd => IntOp::Add,
        LLVMSub => IntOp::Sub,
        LLVMMul => IntOp::Mul,
        LLVMUDiv => IntOp::UDiv,
        LLVMSDiv => IntOp::SDiv,
        LLVMURem => IntOp::URem,
        LLVMSRem => IntOp::SRem,
        LLVMShl => IntOp::Shl,
        LLVMLShr => IntOp::LShr,
        LLVMAShr => IntOp::AShr,
        LLVMAnd => IntOp::And,
        LLVMOr => IntOp::Or,
        LLVMXor => IntOp::Xor,
        _ => return None,
    })
}

/// Our predicate, and whether the operands change places.
fn int_predicate(predicate: LLVMIntPredicate) -> (IntPred, bool) {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => (IntPred::Eq, false),
        LLVMIntNE => (IntPred::Ne, false),
        LLVMIntULT => (IntPred::Ult, false),
        LLVMIntULE => (IntPred::Ule, false),
        LLVMIntSLT => (IntPred::Slt, false),
        LLVMIntSLE => (IntPred::Sle, false),
        LLVMIntUGT => (IntPred::Ult, true),
        LLVMIntUGE => (IntPred::Ule, true),
        LLVMIntSGT => (IntPred::Slt, true),
        LLVMIntSGE => (IntPred::Sle, true),
    }
}
