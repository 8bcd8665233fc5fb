//! The hot loop: concrete values are handled here, in place, without allocating, hashing or asking the solver. As
//! soon as an operand is symbolic, the same operation's slow path (`symbolic`, `branch`, `access`, …) takes over.
//!
//! Instructions are counted per block, when an edge is followed, which also is where budgets are checked.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Limit, Termination};
use crate::machine::{Executed, Step, Vm};
use crate::state::{First, State};
use crate::value::{Value, mask, sext};
use forkwise_expr::Op as EOp;
use forkwise_ir::{FpFormat, Op};
use std::time::Duration;

/// Longest time spent with queries before `run` comes back, so that limits and interrupts are seen.
const PAUSE_AFTER: Duration = Duration::from_millis(100);

/// Nothing beside executing.
const PLAIN: u8 = 0;
/// Blocks, call paths and branches are counted (`Config::count_executions`).
const COUNTED: u8 = 1;
/// The tracer hears of every operation, and every read is a slow one; counts as well if that is asked for.
const WATCHED: u8 = 2;

impl Vm {
    /// Advances a state by about `budget` instructions: until it forks, ends, or has used them up.
    pub fn run(&mut self, st: &mut State, budget: u64) -> Step {
        self.solving_since = None;
        let watched = self.tracer.is_some() || self.config.concrete_to_symbolic != 0;
        let step = match (watched, self.config.count_executions) {
            (false, false) => self.run_inner::<PLAIN>(st, budget),
            (false, true) => self.run_inner::<COUNTED>(st, budget),
            (true, _) => self.run_inner::<WATCHED>(st, budget),
        };
        if let Step::Ended(_) = step {
            self.settle_count(st);
        }
        let mut ended = std::mem::take(&mut self.ended);
        for e in &mut ended {
            self.settle_count(&mut e.state);
        }
        self.ended = ended;
        step
    }

    /// Blocks are counted when they are entered: gives back what was not executed, in main and above it.
    fn settle_count(&self, st: &mut State) {
        let open: u64 = st
            .frames()
            .take_while(|f| f.serial >= st.main_serial)
            .filter_map(|f| {
                let done = *self.program.functions[f.func as usize].inst_offsets.get(f.pc as usize)?;
                let block = self.block_at(f.func, f.pc)?;
                Some(self.program.blocks[block as usize].insts.saturating_sub(done) as u64)
            })
            .sum();
        st.instructions -= open.min(st.instructions);
    }

    /// The block an operation belongs to (`None` inside the copies of an edge).
    pub fn block_at(&self, func: u32, pc: u32) -> Option<u32> {
        let f = &self.program.functions[func as usize];
        let (first, n) = (f.first_block as usize, f.n_blocks as usize);
        let blocks = self.program.blocks.get(first..first + n)?;
        // Blocks are laid out in order of their first operation.
        let i = blocks.partition_point(|b| b.pc <= pc).checked_sub(1)?;
        (pc < blocks[i].end).then_some((first + i) as u32)
    }

    /// One loop for each of the three: what it does not do, it knows nothing of.
    fn run_inner<const MODE: u8>(&mut self, st: &mut State, budget: u64) -> Step {
        let program = self.program.clone();
        let edges = &program.edges[..];
        let mut stop_at = st.instructions.saturating_add(budget);
        let hang_at = match self.config.max_path_instructions {
            0 => u64::MAX,
            n => n,
        };
        stop_at = stop_at.min(hang_at);
        if let Some(edge) = st.pending_edge.take() {
            self.enter_edge(st, edge);
        }

        'frame: loop {
            let func = &program.functions[st.frame.func as usize];
            let code = &func.code[..];
            let mut pc = st.frame.pc as usize;
            let regs = &mut st.frame.regs[..];

            // Leaves the fast loop: `$body` may change the state in any way; Flow::Next goes on after this op.
            macro_rules! slow {
                ($body:expr) => {{
                    st.frame.pc = pc as u32;
                    let solved = st.solver_nanos;
                    match $body {
                        Ok(Flow::Next) => st.frame.pc = pc as u32 + 1,
                        Ok(Flow::Moved) => {}
                        Err(t) => return Step::Ended(t),
                    }
                    if let Some(limit) = self.config.max_operation_time
                        && u128::from(st.solver_nanos - solved) > limit.as_nanos()
                    {
                        return Step::Ended(Termination::Limit(Limit::Solver(
                            "one operation took longer than it may".into(),
                        )));
                    }
                    if !self.forks.is_empty() || !self.ended.is_empty() {
                        return Step::Forked;
                    }
                    if self.solving_since.is_some_and(|t| t.elapsed() > PAUSE_AFTER) {
                        return Step::Paused;
                    }
                    continue 'frame;
                }};
            }
            macro_rules! follow {
                // A jump, and a branch.
                ($edge:expr) => {{ follow!($edge, 0) }};
                (branch $edge:expr) => {{ follow!($edge, 1) }};
                ($edge:expr, $branches:expr) => {{
                    let id = $edge as usize;
                    let e = &edges[id];
                    st.instructions += e.insts as u64;
                    if MODE == COUNTED || MODE == WATCHED && self.config.count_executions {
                        st.branches += $branches;
                        self.counts.enter(e.block, e.insts, st.frame.call_path);
                    }
                    pc = e.pc as usize;
                    if self.coverage.edges[id] == 0 {
                        st.last_new = Some(st.instructions);
                        st.covered_new = true;
                        First::push(&mut st.firsts, id as u32);
                        self.coverage.first(&program, id as u32);
                    }
                    if st.instructions >= stop_at {
                        st.frame.pc = pc as u32;
                        if st.instructions >= hang_at {
                            return Step::Ended(
                                Fault::new(
                                    FaultKind::InstructionLimit,
                                    format!("the path executed more than {hang_at} instructions"),
                                )
                                .end(),
                            );
                        }
                        return Step::Budget;
                    }
                    continue;
                }};
            }
            macro_rules! bin {
                ($w:expr, $dst:expr, $a:expr, $b:expr, $eop:expr, |$x:ident, $y:ident| $concrete:expr) => {{
                    let (va, vb) = (regs[$a as usize], regs[$b as usize]);
                    regs[$dst as usize] = if va.sym.is_none() & vb.sym.is_none() {
                        let ($x, $y) = (va.bits, vb.bits);
                        Value::concrete($concrete)
                    } else {
                        self.sym_bin($eop, $w as u32, va, vb)
                    };
                }};
            }
            macro_rules! bitwise {
                ($dst:expr, $a:expr, $b:expr, $eop:expr, |$x:ident, $y:ident| $concrete:expr) => {{
                    let (va, vb) = (regs[$a as usize], regs[$b as usize]);
                    regs[$dst as usize] = if va.sym.is_none() & vb.sym.is_none() {
                        let ($x, $y) = (va.bits, vb.bits);
                        Value::concrete($concrete)
                    } else {
                        self.sym_bitwise($eop, va, vb)
                    };
                }};
            }
            macro_rules! cmp_branch {
                ($w:expr, $a:expr, $b:expr, $edge:expr, $eop:expr, $negate:expr, |$x:ident, $y:ident| $concrete:expr) => {{
                    let (va, vb) = (regs[$a as usize], regs[$b as usize]);
                    if va.sym.is_none() & vb.sym.is_none() {
                        let ($x, $y) = (va.bits, vb.bits);
                        follow!(branch $edge + !($concrete) as u32)
                    }
                    let (a, b) = (self.expr_of(va, $w as u32), self.expr_of(vb, $w as u32));
                    let mut c = self.exprs.bin($eop, a, b);
                    if $negate {
                        c = self.exprs.not(c);
                    }
                    slow!(self.branch(st, c, $edge))
                }};
            }
            macro_rules! divide {
                ($op:expr, $w:expr, $dst:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $concrete:expr) => {{
                    let (va, vb) = (regs[$a as usize], regs[$b as usize]);
                    let m = mask($w);
                    // Zero, minus one (which can overflow) and symbolic operands are for the slow path.
                    if va.sym.is_none() & vb.sym.is_none() && vb.bits != 0 && vb.bits != m {
                        let ($x, $y) = (va.bits, vb.bits);
                        regs[$dst as usize] = Value::concrete($concrete);
                    } else {
                        slow!(self.divide(st, $op, $w, $dst, va, vb))
                    }
                }};
            }
            macro_rules! shift {
                ($w:expr, $dst:expr, $a:expr, $b:expr, $eop:expr, |$x:ident, $y:ident| $concrete:expr) => {{
                    let (va, vb) = (regs[$a as usize], regs[$b as usize]);
                    if va.sym.is_none() & vb.sym.is_none() && vb.bits < $w as u64 {
                        let ($x, $y) = (va.bits, vb.bits);
                        regs[$dst as usize] = Value::concrete($concrete);
                    } else {
                        slow!(self.shift(st, $eop, $w, $dst, va, vb))
                    }
                }};
            }

            loop {
                if MODE == WATCHED {
                    self.trace(Executed { state: st.id, func: st.frame.func, pc: pc as u32 });
                }
                match code[pc] {
                    Op::Copy { dst, src } => regs[dst as usize] = regs[src as usize],
                    Op::CopyN { dst, src, n } => {
                        regs.copy_within(src as usize..(src + n) as usize, dst as usize);
                    }
                    Op::Add { w, dst, a, b } => {
                        bin!(w, dst, a, b, EOp::Add, |x, y| x.wrapping_add(y) & mask(w))
                    }
                    Op::Sub { w, dst, a, b } => {
                        bin!(w, dst, a, b, EOp::Sub, |x, y| x.wrapping_sub(y) & mask(w))
                    }
                    Op::Mul { w, dst, a, b } => {
                        bin!(w, dst, a, b, EOp::Mul, |x, y| x.wrapping_mul(y) & mask(w))
                    }
                    Op::And { dst, a, b } => bitwise!(dst, a, b, EOp::And, |x, y| x & y),
                    Op::Or { dst, a, b } => bitwise!(dst, a, b, EOp::Or, |x, y| x | y),
                    Op::Xor { dst, a, b } => bitwise!(dst, a, b, EOp::Xor, |x, y| x ^ y),
                    Op::Shl { w, dst, a, b } => shift!(w, dst, a, b, EOp::Shl, |x, y| x << y & mask(w)),
                    Op::LShr { w, dst, a, b } => shift!(w, dst, a, b, EOp::LShr, |x, y| x >> y),
                    Op::AShr { w, dst, a, b } => {
                        shift!(w, dst, a, b, EOp::AShr, |x, y| (sext(x, w) >> y) as u64 & mask(w))
                    }
                    Op::UDiv { w, dst, a, b } => divide!(EOp::UDiv, w, dst, a, b, |x, y| x / y),
                    Op::URem { w, dst, a, b } => divide!(EOp::URem, w, dst, a, b, |x, y| x % y),
                    Op::SDiv { w, dst, a, b } => {
                        divide!(EOp::SDiv, w, dst, a, b, |x, y| (sext(x, w) / sext(y, w)) as u64 & mask(w))
                    }
                    Op::SRem { w, dst, a, b } => {
                        divide!(EOp::SRem, w, dst, a, b, |x, y| (sext(x, w) % sext(y, w)) as u64 & mask(w))
                    }
                    Op::Eq { w, dst, a, b } => bin!(w, dst, a, b, EOp::Eq, |x, y| (x == y) as u64),
                    Op::Ne { w, dst, a, b } => {
                        let (va, vb) = (regs[a as usize], regs[b as usize]);
                        regs[dst as usize] = if va.sym.is_none() & vb.sym.is_none() {
                            Value::concrete((va.bits != vb.bits) as u64)
                        } else {
                            self.sym_ne(w as u32, va, vb)
                        };
                    }
                    Op::Ult { w, dst, a, b } => bin!(w, dst, a, b, EOp::Ult, |x, y| (x < y) as u64),
                    Op::Ule { w, dst, a, b } => bin!(w, dst, a, b, EOp::Ule, |x, y| (x <= y) as u64),
                    Op::Slt { w, dst, a, b } => {
                        bin!(w, dst, a, b, EOp::Slt, |x, y| (sext(x, w) < sext(y, w)) as u64)
                    }
                    Op::Sle { w, dst, a, b } => {
                        bin!(w, dst, a, b, EOp::Sle, |x, y| (sext(x, w) <= sext(y, w)) as u64)
                    }
                    Op::Select { w, dst, c, a, b } => {
                        let vc = regs[c as usize];
                        let (va, vb) = (regs[a as usize], regs[b as usize]);
                        regs[dst as usize] = match vc.sym {
                            None => {
                                if vc.bits != 0 {
                                    va
                                } else {
                                    vb
                                }
                            }
                            Some(c) => self.sym_select(w as u32, c, va, vb),
                        };
                    }
                    Op::Trunc { w, dst, a, .. } => {
                        let v = regs[a as usize];
                        regs[dst as usize] = match v.sym {
                            None => Value::concrete(v.bits & mask(w)),
                            Some(e) => self.sym_extract(e, 0, w as u32),
                        };
                    }
                    Op::ZExt { to, dst, a, .. } => {
                        let v = regs[a as usize];
                        regs[dst as usize] = match v.sym {
                            None => v,
                            Some(e) => self.sym_zext(e, to as u32),
                        };
                    }
                    Op::SExt { from, to, dst, a } => {
                        let v = regs[a as usize];
                        regs[dst as usize] = match v.sym {
                            None => Value::concrete(sext(v.bits, from) as u64 & mask(to)),
                            Some(e) => self.sym_sext(e, to as u32),
                        };
                    }
                    Op::AddImm { dst, a, imm } => {
                        let v = regs[a as usize];
                        regs[dst as usize] = match v.sym {
                            None => Value::concrete(v.bits.wrapping_add(imm as i64 as u64)),
                            Some(_) => self.sym_add_imm(v, imm as i64 as u64),
                        };
                    }
                    Op::Lea { dst, base, idx, scale } => {
                        let (vb, vi) = (regs[base as usize], regs[idx as usize]);
                        regs[dst as usize] = if vb.sym.is_none() & vi.sym.is_none() {
                            Value::concrete(vb.bits.wrapping_add(vi.bits.wrapping_mul(scale as i64 as u64)))
                        } else {
                            self.sym_lea(vb, vi, scale as i64 as u64, 0)
                        };
                    }
                    Op::Load { w, dst, ptr, off } => {
                        let p = regs[ptr as usize];
                        if MODE != WATCHED && p.sym.is_none() {
                            let n = (w as usize).div_ceil(8);
                            let addr = p.bits.wrapping_add(off as i64 as u64);
                            if let Some(v) = st.mem.load_fast(addr, n) {
                                regs[dst as usize] = Value::concrete(v & mask(w));
                                pc += 1;
                                continue;
                            }
                        }
                        slow!(self.load_op(st, w as u32, dst, p, off))
                    }
                    Op::Store { w, val, ptr, off } => {
                        let p = regs[ptr as usize];
                        let v = regs[val as usize];
                        if p.sym.is_none() & v.sym.is_none() {
                            let n = (w as usize).div_ceil(8);
                            let addr = p.bits.wrapping_add(off as i64 as u64);
                            if st.mem.store_fast(addr, n, v.bits) {
                                pc += 1;
                                continue;
                            }
                        }
                        slow!(self.store_op(st, w as u32, v, p, off))
                    }
                    Op::LoadX { w, scale, dst, base, idx, off } => {
                        let (vb, vi) = (regs[base as usize], regs[idx as usize]);
                        if MODE != WATCHED && vb.sym.is_none() & vi.sym.is_none() {
                            let addr = vb
                                .bits
                                .wrapping_add(vi.bits.wrapping_mul(scale as u64))
                                .wrapping_add(off as i64 as u64);
                            if let Some(v) = st.mem.load_fast(addr, w as usize / 8) {
                                regs[dst as usize] = Value::concrete(v);
                                pc += 1;
                                continue;
                            }
                        }
                        let p = self.sym_lea(vb, vi, scale as u64, off as i64 as u64);
                        slow!(self.load_op(st, w as u32, dst, p, 0))
                    }
                    Op::StoreX { w, scale, val, base, idx, off } => {
                        let (vb, vi) = (regs[base as usize], regs[idx as usize]);
                        let v = regs[val as usize];
                        if vb.sym.is_none() & vi.sym.is_none() & v.sym.is_none() {
                            let addr = vb
                                .bits
                                .wrapping_add(vi.bits.wrapping_mul(scale as u64))
                                .wrapping_add(off as i64 as u64);
                            if st.mem.store_fast(addr, w as usize / 8, v.bits) {
                                pc += 1;
                                continue;
                            }
                        }
                        let p = self.sym_lea(vb, vi, scale as u64, off as i64 as u64);
                        slow!(self.store_op(st, w as u32, v, p, 0))
                    }
                    Op::Jump { edge } => follow!(edge),
                    Op::Goto { pc: to } => {
                        pc = to as usize;
                        continue;
                    }
                    Op::Br { c, edge } => {
                        let v = regs[c as usize];
                        match v.sym {
                            None => follow!(branch edge + (v.bits == 0) as u32),
                            Some(c) => slow!(self.branch(st, c, edge)),
                        }
                    }
                    Op::BrEq { w, a, b, edge } => {
                        cmp_branch!(w, a, b, edge, EOp::Eq, false, |x, y| x == y)
                    }
                    Op::BrNe { w, a, b, edge } => {
                        cmp_branch!(w, a, b, edge, EOp::Eq, true, |x, y| x != y)
                    }
                    Op::BrUlt { w, a, b, edge } => {
                        cmp_branch!(w, a, b, edge, EOp::Ult, false, |x, y| x < y)
                    }
                    Op::BrUle { w, a, b, edge } => {
                        cmp_branch!(w, a, b, edge, EOp::Ule, false, |x, y| x <= y)
                    }
                    Op::BrSlt { w, a, b, edge } => {
                        cmp_branch!(w, a, b, edge, EOp::Slt, false, |x, y| sext(x, w) < sext(y, w))
                    }
                    Op::BrSle { w, a, b, edge } => {
                        cmp_branch!(w, a, b, edge, EOp::Sle, false, |x, y| sext(x, w) <= sext(y, w))
                    }
                    Op::Switch { w, a, table } => {
                        let v = regs[a as usize];
                        let t = &func.switches[table as usize];
                        match v.sym {
                            None => follow!(branch t.edge_for(v.bits)),
                            Some(e) => slow!(self.switch(st, w, e, t)),
                        }
                    }
                    Op::Call { func, dst, site } => slow!(self.call(st, func, dst, site)),
                    Op::Ret { src, n } => slow!(self.ret(st, src, n)),
                    Op::FpBin { op, fmt: FpFormat::Double, dst, a, b }
                        if regs[a as usize].sym.is_none() & regs[b as usize].sym.is_none() =>
                    {
                        regs[dst as usize] = Value::concrete(crate::fp::double_bin(
                            op,
                            regs[a as usize].bits,
                            regs[b as usize].bits,
                        ));
                    }
                    Op::Alloca { align_log2: _, dst, size, var } => slow!(self.alloca(st, dst, size, var)),
                    Op::CallExternal { func, dst, site } => slow!(self.call_external(st, func, dst, site)),
                    Op::CallPointer { ptr, dst, site } => slow!(self.call_pointer(st, ptr, dst, site)),
                    Op::Intrinsic { id, w, dst, site } => slow!(self.intrinsic(st, id, w, dst, site)),
                    op => slow!(self.rare(st, op)),
                }
                pc += 1;
            }
        }
    }

    #[cold]
    fn trace(&mut self, executed: Executed) {
        if let Some(tracer) = &mut self.tracer {
            tracer(&self.program, executed);
        }
    }

    /// Operations that are not worth a place in the hot loop.
    #[inline(never)]
    fn rare(&mut self, st: &mut State, op: Op) -> Result<Flow, Termination> {
        let reg = |s: u32| st.frame.regs[s as usize];
        match op {
            Op::FpBin { op, fmt, dst, a, b } => self.fp_bin(st, op, fmt, dst, a, b),
            Op::FpNeg { fmt, dst, a } => self.fp_neg(st, fmt, dst, a),
            Op::FpCmp { pred, fmt, dst, a, b } => self.fp_cmp(st, pred, fmt, dst, a, b),
            Op::FpConv { from, to, dst, a } => self.fp_conv(st, from, to, dst, a),
            Op::FpToInt { signed, fmt, w, dst, a } => self.fp_to_int(st, signed, fmt, w, dst, a),
            Op::IntToFp { signed, fmt, w, dst, a } => self.int_to_fp(st, signed, fmt, w, dst, a),
            Op::WideBin { op, w, dst, a, b } => self.wide_bin(st, op, w, dst, a, b),
            Op::WideCmp { pred, w, dst, a, b } => self.wide_cmp(st, pred, w, dst, a, b),
            Op::WideCast { signed, from, to, dst, a } => self.wide_cast(st, signed, from, to, dst, a),
            Op::Bitcast { shape, dst, a } => self.bitcast(st, shape, dst, a),
            Op::LoadWide { w, dst, ptr, off } => self.load_op(st, w, dst, reg(ptr), off),
            Op::StoreWide { w, val, ptr, off } => self.store_wide_op(st, w, val, reg(ptr), off),
            Op::ExtractElem { stride, dst, base, idx, n } => {
                let i = self.concretize(st, reg(idx), 64, "a vector index")?;
                for k in 0..stride as u32 {
                    let v = if i < n as u64 {
                        st.frame.regs[(base + i as u32 * stride as u32 + k) as usize]
                    } else {
                        Value::concrete(0)
                    };
                    st.frame.regs[(dst + k) as usize] = v;
                }
                Ok(Flow::Next)
            }
            Op::InsertElem { stride, base, val, idx, n } => {
                let i = self.concretize(st, reg(idx), 64, "a vector index")?;
                if i < n as u64 {
                    for k in 0..stride as u32 {
                        st.frame.regs[(base + i as u32 * stride as u32 + k) as usize] =
                            st.frame.regs[(val + k) as usize];
                    }
                }
                Ok(Flow::Next)
            }
            Op::IndirectBr { a, table } => self.indirect_branch(st, reg(a), table),
            Op::InlineAsm { text, dst, site } => self.inline_asm(st, text, dst, site),
            Op::Unreachable => {
                Err(Fault::new(FaultKind::Unreachable, "reached code that was declared unreachable").end())
            }
            Op::Unsupported { what } => {
                Err(Termination::Unsupported(self.program.unsupported[what as usize].clone()))
            }
            other => Err(Termination::Internal(format!("operation not handled: {other:?}"))),
        }
    }

    /// Follows an edge outside the hot loop.
    pub(crate) fn enter_edge(&mut self, st: &mut State, edge: u32) {
        let e = self.program.edges[edge as usize];
        st.instructions += e.insts as u64;
        st.frame.pc = e.pc;
        if self.config.count_executions {
            self.counts.enter(e.block, e.insts, st.frame.call_path);
        }
        if self.coverage.edges[edge as usize] == 0 {
            st.last_new = Some(st.instructions);
            st.covered_new = true;
            First::push(&mut st.firsts, edge);
            let program = self.program.clone();
            self.coverage.first(&program, edge);
        }
    }
}
