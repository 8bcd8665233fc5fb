//! One function: values to virtual slots, blocks to code, then DCE, packing into a frame and layout.
//!
//! Virtual slots are numbered per value and never reused; constants live in their own range, marked by
//! `CONST_BIT`. A value is a [`Place`]: either a run of consecutive slots or a list of slots, which makes
//! extracting, inserting and shuffling free. Read `inst` for instructions, `slots` for how frames stay small.

use super::Lowering;
use super::cfg::Cfg;
use super::fuse::Address;
use super::operands::{self, Access};
use crate::llvm::Value;
use crate::op::{Op, Slot};
use crate::program::{CallSite, Function};
use llvm_sys::LLVMOpcode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Marks a virtual slot that holds a constant.
pub(crate) const CONST_BIT: u32 = 1 << 31;

/// Where a value's slots are.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Consecutive slots from this one.
    Run(Slot),
    /// Slot by slot; the slots of one leaf are always consecutive.
    Parts(Rc<[Slot]>),
}

impl Place {
    /// Slot number `i` of the value.
    pub(crate) fn slot(&self, i: u32) -> Slot {
        match self {
            Place::Run(first) => first + i,
            Place::Parts(list) => list[i as usize],
        }
    }

    /// `n` slots from slot `from`.
    pub(crate) fn range(&self, from: u32, n: u32) -> Place {
        match self {
            Place::Run(first) => Place::Run(first + from),
            Place::Parts(list) if n == 1 => Place::Run(list[from as usize]),
            Place::Parts(list) => Place::Parts(list[from as usize..(from + n) as usize].into()),
        }
    }

    /// The first `n` slots as a list.
    pub(crate) fn list(&self, n: u32) -> Vec<Slot> {
        (0..n).map(|i| self.slot(i)).collect()
    }
}

/// A stretch of code with the location and the instruction count of each operation.
#[derive(Default, Debug)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub locs: Vec<u32>,
    pub offsets: Vec<u32>,
}

impl Code {
    fn keep(&mut self, keep: &[bool]) {
        let mut k = keep.iter();
        self.ops.retain(|_| *k.next().unwrap_or(&true));
        let mut k = keep.iter();
        self.locs.retain(|_| *k.next().unwrap_or(&true));
        let mut k = keep.iter();
        self.offsets.retain(|_| *k.next().unwrap_or(&true));
    }
}

/// Copies on edges that cannot be placed in the source block.
pub(crate) struct EdgeCode {
    pub source: u32,
    pub target: u32,
    pub edges: Vec<u32>,
    pub code: Code,
}

/// A group of virtual slots that is placed as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub first: Slot,
    pub n: u32,
}

/// State of lowering one function.
pub(crate) struct Body<'a, 'm> {
    pub cx: &'a mut Lowering<'m>,
    pub cfg: Cfg<'m>,
    pub out: Function,
    pub places: FxHashMap<Value<'m>, Place>,
    pub addresses: FxHashMap<Value<'m>, Address>,
    /// Comparisons that become part of the branch that uses them.
    pub fused: FxHashSet<Value<'m>>,
    pub consts: Vec<u64>,
    const_slots: FxHashMap<u64, u32>,
    const_runs: FxHashMap<Vec<u64>, u32>,
    /// First constant of each run of more than one, with its length.
    run_starts: FxHashMap<u32, u32>,
    pub groups: Vec<Group>,
    pub slot_group: Vec<u32>,
    pub param_groups: u32,
    pub code: Code,
    pub loc: u32,
    pub offset: u32,
    pub block: u32,
    pub blocks: Vec<Code>,
    pub edges: Vec<EdgeCode>,
    /// Names of stack variables from debug information.
    pub variable_names: FxHashMap<Value<'m>, String>,
    variable_numbers: FxHashMap<String, u32>,
    /// A callee may return twice: slots are not shared, since a second return reads them again.
    pub returns_twice: bool,
}

/// Lowers `function` into `cx.program`.
pub(crate) fn lower_function<'m>(cx: &mut Lowering<'m>, function: Value<'m>, number: u32, cfg: Cfg<'m>) {
    let mut out = std::mem::take(&mut cx.program.functions[number as usize]);
    out.location = cx.debug.function_location(function);
    out.first_block = cfg.first_block;
    out.n_blocks = cfg.blocks.len() as u32;
    out.entry_edge = cfg.entry_edge;
    // Calls to itself need the signature while the function is being lowered.
    cx.program.functions[number as usize] = Function {
        name: out.name.clone(),
        params: out.params.clone(),
        ret: out.ret.clone(),
        variadic: out.variadic,
        ..Function::default()
    };
    let n = cfg.blocks.len();
    let mut body = Body {
        cx,
        cfg,
        out,
        places: FxHashMap::default(),
        addresses: FxHashMap::default(),
        fused: FxHashSet::default(),
        consts: Vec::new(),
        const_slots: FxHashMap::default(),
        const_runs: FxHashMap::default(),
        run_starts: FxHashMap::default(),
        groups: Vec::new(),
        slot_group: Vec::new(),
        param_groups: 0,
        code: Code::default(),
        loc: 0,
        offset: 0,
        block: 0,
        blocks: (0..n).map(|_| Code::default()).collect(),
        edges: Vec::new(),
        variable_names: FxHashMap::default(),
        variable_numbers: FxHashMap::default(),
        returns_twice: false,
    };
    body.prepare(function);
    let order = body.cfg.order.clone();
    for block in order {
        body.lower_block(block);
    }
    for block in 0..n as u32 {
        if body.cfg.position[block as usize] == u32::MAX {
            body.lower_block(block);
        }
    }
    body.place_phi_copies();
    body.remove_dead_code();
    let (merged, ranges) = body.coalesce();
    let frame = body.pack(&merged, &ranges);
    body.finish(number, &frame);
}

impl<'m> Body<'_, 'm> {
    // ---- slots

    /// A new group of `n` virtual slots.
    pub(crate) fn new_group(&mut self, n: u32) -> Slot {
        let first = self.slot_group.len() as u32;
        if n > 0 {
            let group = self.groups.len() as u32;
            self.groups.push(Group { first, n });
            self.slot_group.resize((first + n) as usize, group);
        }
        first
    }

    /// A new group for the result of `value`.
    pub(crate) fn define(&mut self, value: Value<'m>, n: u32) -> Slot {
        let slot = self.new_group(n);
        self.places.insert(value, Place::Run(slot));
        slot
    }

    /// The slot of a one-word constant.
    pub(crate) fn number(&mut self, value: u64) -> Slot {
        let next = self.consts.len() as u32;
        let index = *self.const_slots.entry(value).or_insert(next);
        if index == next {
            self.consts.push(value);
        }
        CONST_BIT | index
    }

    /// Consecutive slots that hold these words.
    pub(crate) fn number_run(&mut self, words: &[u64]) -> Slot {
        if let [one] = words {
            return self.number(*one);
        }
        let next = self.consts.len() as u32;
        if let Some(&index) = self.const_runs.get(words) {
            return CONST_BIT | index;
        }
        self.consts.extend_from_slice(words);
        self.const_runs.insert(words.to_vec(), next);
        self.run_starts.insert(next, words.len() as u32);
        CONST_BIT | next
    }

    /// Where a value is. A constant is evaluated; an address that was folded into its uses is computed here.
    pub(crate) fn place(&mut self, value: Value<'m>) -> Result<Place, String> {
        if let Some(place) = self.places.get(&value) {
            return Ok(place.clone());
        }
        if let Some(address) = self.addresses.get(&value).copied() {
            return Ok(Place::Run(self.compute_address(address)));
        }
        let shape = self.cx.types.shape(value.ty())?;
        if !value.is_constant() {
            // Defined after an unsupported instruction, or used in unreachable code: never read when running.
            let zero = self.number(0);
            return Ok(Place::Parts(vec![zero; shape.slots as usize].into()));
        }
        let words = self.cx.constant(value)?;
        if let [one] = words[..] {
            return Ok(Place::Run(self.number(one)));
        }
        let mut list = Vec::with_capacity(words.len());
        for (i, &start) in shape.starts.iter().enumerate() {
            let end = shape.starts.get(i + 1).map_or(words.len(), |s| *s as usize);
            let first = self.number_run(&words[start as usize..end]);
            list.extend((0..end as u32 - start).map(|k| first + k));
        }
        Ok(Place::Parts(list.into()))
    }

    /// The slot of a value that takes one.
    pub(crate) fn slot(&mut self, value: Value<'m>) -> Result<Slot, String> {
        Ok(self.place(value)?.slot(0))
    }

    /// The value in consecutive slots.
    pub(crate) fn run(&mut self, place: &Place, n: u32) -> Slot {
        let list = match place {
            Place::Run(first) => return *first,
            Place::Parts(list) => list.clone(),
        };
        let list = &list[..n as usize];
        if !list.is_empty() && list.iter().all(|s| s & CONST_BIT != 0) {
            let words: Vec<u64> = list.iter().map(|s| self.consts[(s & !CONST_BIT) as usize]).collect();
            return self.number_run(&words);
        }
        if list.is_empty() || list.windows(2).all(|w| self.follows(w[0], w[1])) {
            return list.first().copied().unwrap_or(0);
        }
        self.gather(list)
    }

    /// Will slot `b` come right after slot `a` in the frame? Only within one group is that certain.
    fn follows(&self, a: Slot, b: Slot) -> bool {
        let free = (a | b) & CONST_BIT == 0;
        free && b == a + 1 && self.slot_group[a as usize] == self.slot_group[b as usize]
    }

    /// Copies slots into a new group.
    pub(crate) fn gather(&mut self, list: &[Slot]) -> Slot {
        let dst = self.new_group(list.len() as u32);
        let mut i = 0;
        while i < list.len() {
            let mut n = 1;
            while i + n < list.len() && self.follows(list[i + n - 1], list[i + n]) {
                n += 1;
            }
            let (to, src) = (dst + i as u32, list[i]);
            self.emit(if n == 1 {
                Op::Copy { dst: to, src }
            } else {
                Op::CopyN { dst: to, src, n: n as u32 }
            });
            i += n;
        }
        dst
    }

    /// Appends an operation at the current location.
    pub(crate) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.locs.push(self.loc);
        self.code.offsets.push(self.offset);
    }

    /// Emits an operation with a one-slot result in a new group.
    pub(crate) fn emit_new(&mut self, op: impl FnOnce(Slot) -> Op) -> Slot {
        let dst = self.new_group(1);
        self.emit(op(dst));
        dst
    }

    pub(crate) fn add_site(&mut self, site: CallSite) -> u32 {
        self.out.sites.push(site);
        self.out.sites.len() as u32 - 1
    }

    pub(crate) fn variable(&mut self, alloca: Value<'m>) -> u32 {
        let name = self.variable_names.get(&alloca).cloned().unwrap_or_else(|| alloca.name());
        let next = self.out.variables.len() as u32;
        let number = *self.variable_numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.out.variables.push(name);
        }
        number
    }

    // ---- blocks

    fn prepare(&mut self, function: Value<'m>) {
        for param in function.params() {
            let n = self.cx.types.shape(param.ty()).map_or(0, |s| s.slots);
            self.define(param, n);
        }
        self.param_groups = self.groups.len() as u32;
        for i in 0..self.cfg.blocks.len() {
            for inst in self.cfg.blocks[i].instructions() {
                match inst.opcode() {
                    LLVMOpcode::LLVMPHI => {
                        let n = self.cx.types.shape(inst.ty()).map_or(0, |s| s.slots);
                        self.define(inst, n);
                    }
                    LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke => {
                        if let Some((storage, name)) = self.cx.debug.declared_variable(inst) {
                            self.variable_names.entry(storage).or_insert(name);
                        }
                        let callee = inst.callee();
                        self.returns_twice |= inst.call_has_attribute("returns_twice")
                            || (callee.is_function() && callee.has_attribute("returns_twice"));
                    }
                    _ => {}
                }
            }
        }
    }

    fn lower_block(&mut self, block: u32) {
        self.block = block;
        self.code = Code::default();
        let number = (self.cfg.first_block + block) as usize;
        let (mut count, mut dead) = (0, false);
        let mut lines = Vec::new();
        for inst in self.cfg.blocks[block as usize].instructions() {
            if inst.opcode() == LLVMOpcode::LLVMCall && inst.is_debug_intrinsic() {
                continue;
            }
            count += 1;
            self.offset = count;
            self.loc = self.cx.debug.location(inst);
            if let Some(line) = self.cx.debug.line_of(self.loc)
                && !lines.contains(&line)
            {
                lines.push(line);
            }
            if dead {
                continue;
            }
            if let Err(what) = self.lower_instruction(inst) {
                let what = self.describe_unsupported(inst, &what);
                let what = self.cx.unsupported(what);
                self.emit(Op::Unsupported { what });
                dead = true;
            }
        }
        let out = &mut self.cx.program.blocks[number];
        out.insts = count;
        out.lines = lines;
        let branch = self.cfg.branch[block as usize];
        if branch != u32::MAX {
            self.cx.program.branches[branch as usize].loc = self.loc;
            if let Some(terminator) = self.cfg.blocks[block as usize].terminator() {
                self.cx.program.conditions[branch as usize] = self.condition(terminator);
            }
        }
        self.blocks[block as usize] = std::mem::take(&mut self.code);
    }

    fn describe_unsupported(&self, inst: Value<'m>, what: &str) -> String {
        let printed = inst.print();
        let printed = printed.trim().split(", !dbg ").next().unwrap_or_default();
        let place = self.cx.debug.describe(self.loc);
        let place =
            if place.is_empty() { format!("in function {}", self.out.name) } else { format!("at {place}") };
        format!("{what}: `{printed}` {place}")
    }

    /// Every stretch of code, in layout order: each block followed by the copies of its edges.
    pub(crate) fn stretches(&self) -> Vec<Stretch> {
        let mut list = Vec::with_capacity(self.blocks.len() + self.edges.len());
        let mut next_edge = 0;
        for block in 0..self.blocks.len() {
            list.push(Stretch::Block(block as u32));
            while self.edges.get(next_edge).is_some_and(|e| e.source as usize == block) {
                list.push(Stretch::Edge(next_edge as u32));
                next_edge += 1;
            }
        }
        list
    }

    fn remove_dead_code(&mut self) {
        let mut reads = vec![0u32; self.groups.len()];
        let groups = &self.slot_group;
        let sites = &mut self.out.sites;
        let mut codes: Vec<&mut Code> =
            self.blocks.iter_mut().chain(self.edges.iter_mut().map(|e| &mut e.code)).collect();
        for op in codes.iter_mut().flat_map(|c| c.ops.iter_mut()) {
            operands::visit_all(op, sites, &mut |slot, access| {
                if access == Access::Read && *slot & CONST_BIT == 0 {
                    reads[groups[*slot as usize] as usize] += 1;
                }
            });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for code in codes.iter_mut().rev() {
                let mut keep = vec![true; code.ops.len()];
                for i in (0..code.ops.len()).rev() {
                    let op = &mut code.ops[i];
                    if !operands::is_pure(op) {
                        continue;
                    }
                    let mut needed = false;
                    operands::visit(op, &mut |slot, access| {
                        needed |= access != Access::Read && reads[groups[*slot as usize] as usize] > 0;
                    });
                    if !needed {
                        keep[i] = false;
                        operands::visit(op, &mut |slot, access| {
                            if access == Access::Read && *slot & CONST_BIT == 0 {
                                reads[groups[*slot as usize] as usize] -= 1;
                            }
                        });
                    }
                }
                if keep.contains(&false) {
                    code.keep(&keep);
                    changed = true;
                }
            }
        }
    }

    /// Lays the code out, renames virtual slots and writes the function into the program.
    fn finish(mut self, number: u32, frame: &super::slots::Frame) {
        let (new_const, consts) = self.used_constants();
        let base = consts.len() as u32;
        let mut pcs = Vec::new();
        let stretches = self.stretches();
        let rename = |slot: &mut Slot, groups: &[Group], slot_group: &[u32]| {
            if *slot & CONST_BIT != 0 {
                *slot = new_const[(*slot & !CONST_BIT) as usize];
            } else {
                let group = slot_group[*slot as usize] as usize;
                *slot = base + frame.start[group] + (*slot - groups[group].first);
            }
        };
        let mut out = std::mem::take(&mut self.out);
        for stretch in &stretches {
            let code = match stretch {
                Stretch::Block(b) => &mut self.blocks[*b as usize],
                Stretch::Edge(e) => &mut self.edges[*e as usize].code,
            };
            let start = out.code.len() as u32;
            for i in 0..code.ops.len() {
                let mut op = code.ops[i];
                operands::visit_all(&mut op, &mut out.sites, &mut |slot, _| {
                    rename(slot, &self.groups, &self.slot_group);
                });
                operands::visit(&mut op, &mut |slot, _| {
                    if *slot == operands::NO_SLOT {
                        *slot = 0;
                    }
                });
                match op {
                    Op::Copy { dst, src } if dst == src => continue,
                    Op::CopyN { dst, src, .. } if dst == src => continue,
                    _ => {}
                }
                out.code.push(op);
                out.locs.push(code.locs[i]);
                out.inst_offsets.push(code.offsets[i]);
            }
            // Only the jump is left when all copies of an edge were merged away: the edge needs no code.
            if matches!(stretch, Stretch::Edge(_)) && out.code.len() as u32 == start + 1 {
                out.code.truncate(start as usize);
                out.locs.truncate(start as usize);
                out.inst_offsets.truncate(start as usize);
            }
            pcs.push((start, out.code.len() as u32));
        }
        let mut block_pcs = vec![0; self.blocks.len()];
        for (stretch, &(start, end)) in stretches.iter().zip(&pcs) {
            if let Stretch::Block(b) = stretch {
                block_pcs[*b as usize] = start;
                let block = &mut self.cx.program.blocks[(self.cfg.first_block + b) as usize];
                block.pc = start;
                block.end = end;
                block.returns = matches!(out.code[start as usize..end as usize].last(), Some(Op::Ret { .. }));
            }
        }
        let program = &mut self.cx.program;
        let mut set = |edge: u32, pc: u32, local: u32| {
            let insts = program.blocks[(self.cfg.first_block + local) as usize].insts;
            let edge = &mut program.edges[edge as usize];
            edge.pc = pc;
            edge.insts = insts;
        };
        set(self.cfg.entry_edge, 0, 0);
        for list in &self.cfg.succs {
            for &(edge, target) in list {
                set(edge, block_pcs[target as usize], target);
            }
        }
        for &edge in &self.cx.orphan_edges {
            let block = program_block(&self.cx.program.edges[edge as usize], &self.cfg);
            if let Some(local) = block {
                let insts = self.cx.program.blocks[(self.cfg.first_block + local) as usize].insts;
                let edge = &mut self.cx.program.edges[edge as usize];
                edge.pc = block_pcs[local as usize];
                edge.insts = insts;
            }
        }
        for (stretch, &(start, end)) in stretches.iter().zip(&pcs) {
            let Stretch::Edge(e) = stretch else { continue };
            let code = &self.edges[*e as usize];
            let target = block_pcs[code.target as usize];
            let pc = if end == start { target } else { start };
            if end > start
                && let Some(Op::Goto { pc }) = out.code.get_mut(end as usize - 1)
            {
                *pc = target;
            }
            for &edge in &code.edges {
                self.cx.program.edges[edge as usize].pc = pc;
            }
        }
        out.consts = consts;
        out.n_slots = base + frame.size;
        self.cx.program.functions[number as usize] = out;
    }

    /// Constants that are still read: their new numbers, and the list itself.
    fn used_constants(&mut self) -> (Vec<u32>, Vec<u64>) {
        let mut used = vec![false; self.consts.len()];
        let sites = &mut self.out.sites;
        let codes = self.blocks.iter_mut().chain(self.edges.iter_mut().map(|e| &mut e.code));
        for op in codes.flat_map(|c| c.ops.iter_mut()) {
            operands::visit_all(op, sites, &mut |slot, _| {
                if *slot & CONST_BIT != 0 {
                    used[(*slot & !CONST_BIT) as usize] = true;
                }
            });
        }
        for (&start, &n) in &self.run_starts {
            let run = start as usize..(start + n) as usize;
            if used[run.clone()].contains(&true) {
                used[run].fill(true);
            }
        }
        let mut list = Vec::new();
        let numbers = self.consts.iter().zip(&used).map(|(value, used)| {
            if *used {
                list.push(*value);
            }
            (list.len() as u32).wrapping_sub(1)
        });
        (numbers.collect(), list)
    }
}

fn program_block(edge: &crate::program::Edge, cfg: &Cfg<'_>) -> Option<u32> {
    let local = edge.block.checked_sub(cfg.first_block)?;
    (local < cfg.blocks.len() as u32).then_some(local)
}

/// A piece of the final layout.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stretch {
    /// A block, by its local number.
    Block(u32),
    /// The copies of some edges, by position in `Body::edges`.
    Edge(u32),
}
