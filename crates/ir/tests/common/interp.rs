//! A reference interpreter of the bytecode for concrete programs: as plain as possible, never fast.
//!
//! It exists to compare lowered programs with native ones without the engine. It checks what lowering promises
//! (slots within the frame, locations and counts for every operation) while it runs.

use super::float;
use forkwise_ir::{ArgType, CallSite, Function, IntOp, IntPred, Intrinsic, Op, Program, layout};
use std::collections::HashMap;

pub struct Interp<'p> {
    program: &'p Program,
    objects: HashMap<u64, Vec<u8>>,
    next: u32,
    /// What the program printed by calling `emit`.
    pub output: Vec<u64>,
    pub text: Vec<u8>,
    pub instructions: u64,
    budget: u64,
    thread: u64,
}

struct Frame<'p> {
    function: &'p Function,
    slots: Vec<u64>,
    variadic: Vec<(u64, ArgType, Vec<u64>)>,
}

pub type Outcome<T> = Result<T, String>;

fn mask(w: u32) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}

fn sext(v: u64, w: u32) -> i64 {
    ((v << (64 - w)) as i64) >> (64 - w)
}

fn wide(words: &[u64], w: u32) -> u128 {
    assert!(w <= 128, "the reference interpreter stops at 128 bits");
    let v = words.iter().enumerate().fold(0u128, |v, (i, x)| v | (*x as u128) << (64 * i));
    if w == 128 { v } else { v & ((1 << w) - 1) }
}

fn wide_sext(v: u128, w: u32) -> i128 {
    ((v << (128 - w)) as i128) >> (128 - w)
}

impl<'p> Interp<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut objects = HashMap::new();
        for g in &program.globals {
            let mut bytes = g.init.clone();
            assert!(bytes.len() as u64 <= g.size, "{} is longer than its size", g.name);
            bytes.resize(g.size as usize, 0);
            objects.insert(key(g.address), bytes);
        }
        let mut this = Interp {
            program,
            objects,
            next: program.first_free_index,
            output: Vec::new(),
            text: Vec::new(),
            instructions: 0,
            budget: 400_000_000,
            thread: 0,
        };
        this.thread = this.allocate(4096) + 2048;
        let thread = this.thread;
        this.store(thread, &thread.to_le_bytes()).unwrap();
        this
    }

    fn allocate(&mut self, size: u64) -> u64 {
        let address = layout::small_address(self.next, 0);
        self.next += 1;
        assert!(size <= layout::SMALL_MAX_SIZE);
        self.objects.insert(key(address), vec![0; size as usize]);
        address
    }

    fn bytes(&mut self, address: u64, n: usize) -> Outcome<&mut [u8]> {
        let offset =
            if address & layout::LARGE_FLAG != 0 { address & ((1 << 40) - 1) } else { address & 0xff_ffff };
        let object = self.objects.get_mut(&key(address)).ok_or(format!("no object at {address:#x}"))?;
        let size = object.len();
        object
            .get_mut(offset as usize..offset as usize + n)
            .ok_or(format!("{n} bytes at {address:#x} of {size}"))
    }

    fn store(&mut self, address: u64, data: &[u8]) -> Outcome<()> {
        if !data.is_empty() {
            self.bytes(address, data.len())?.copy_from_slice(data);
        }
        Ok(())
    }

    fn load_word(&mut self, address: u64, w: u32) -> Outcome<u64> {
        let mut raw = [0; 8];
        let n = w.div_ceil(8) as usize;
        raw[..n].copy_from_slice(self.bytes(address, n)?);
        Ok(u64::from_le_bytes(raw) & mask(w))
    }

    fn c_string(&mut self, mut address: u64) -> Outcome<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            match self.bytes(address, 1)?[0] {
                0 => return Ok(text),
                b => text.push(b),
            }
            address += 1;
        }
    }

    /// Runs constructors and then `main` (or another function) with integer arguments.
    pub fn run(&mut self, name: &str, args: &[u64]) -> Outcome<u64> {
        for &c in &self.program.constructors.clone() {
            self.call(c, &[], &CallSite::default(), 0)?;
        }
        let func = self.program.function(name).ok_or(format!("no function {name}"))?;
        let result = self.call(func, args, &CallSite::default(), 0)?;
        for &d in &self.program.destructors.clone() {
            self.call(d, &[], &CallSite::default(), 0)?;
        }
        Ok(result.first().copied().unwrap_or(0))
    }

    pub fn call(&mut self, func: u32, args: &[u64], site: &CallSite, depth: u32) -> Outcome<Vec<u64>> {
        let function = &self.program.functions[func as usize];
        if depth > 400 {
            return Err("recursion too deep".into());
        }
        if function.code.is_empty() {
            return self.external(&function.name.clone(), args, depth);
        }
        let mut slots = vec![0xdead_dead_dead_dead; function.n_slots as usize];
        slots[..function.consts.len()].copy_from_slice(&function.consts);
        let n = function.param_slots as usize;
        assert!(args.len() >= n, "{} called with too few slots", function.name);
        let first = function.consts.len();
        slots[first..first + n].copy_from_slice(&args[..n]);
        let mut at = first;
        for p in &function.params {
            if let ArgType::ByVal { size, .. } = p {
                let copy = self.allocate(*size);
                let data = self.bytes(slots[at], *size as usize)?.to_vec();
                self.store(copy, &data)?;
                slots[at] = copy;
            }
            at += p.slots() as usize;
        }
        let mut variadic = Vec::new();
        let mut at = n;
        for ty in site.args.iter().skip(function.params.len()) {
            let k = ty.slots() as usize;
            variadic.push((args[at], ty.clone(), args[at..at + k].to_vec()));
            at += k;
        }
        let mut frame = Frame { function, slots, variadic };
        self.execute(&mut frame, depth)
    }

    fn execute(&mut self, frame: &mut Frame<'p>, depth: u32) -> Outcome<Vec<u64>> {
        let f = frame.function;
        assert_eq!(f.code.len(), f.locs.len());
        assert_eq!(f.code.len(), f.inst_offsets.len());
        let program = self.program;
        let mut pc = 0usize;
        let mut take: Option<u32> = Some(f.entry_edge);
        loop {
            if let Some(edge) = take.take() {
                let e = &program.edges[edge as usize];
                self.instructions += e.insts as u64;
                pc = e.pc as usize;
                if self.instructions > self.budget {
                    return Err("out of budget".into());
                }
            }
            let op = f.code[pc];
            pc += 1;
            let s = &mut frame.slots;
            macro_rules! r {
                ($x:expr) => {
                    s[$x as usize]
                };
            }
            macro_rules! bin {
                ($w:expr, $dst:expr, $a:expr, $b:expr, $f:expr) => {{
                    let g: fn(u64, u64, u32) -> u64 = $f;
                    r!($dst) = g(r!($a), r!($b), $w as u32) & mask($w as u32);
                }};
            }
            macro_rules! br {
                ($w:expr, $a:expr, $b:expr, $edge:expr, $f:expr) => {{
                    let g: fn(u64, u64, u32) -> bool = $f;
                    take = Some(if g(r!($a), r!($b), $w as u32) { $edge } else { $edge + 1 });
                }};
            }
            match op {
                Op::Copy { dst, src } => r!(dst) = r!(src),
                Op::CopyN { dst, src, n } => {
                    assert!(dst + n <= src || src + n <= dst, "CopyN overlaps");
                    s.copy_within(src as usize..(src + n) as usize, dst as usize);
                }
                Op::Add { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| a.wrapping_add(b)),
                Op::Sub { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| a.wrapping_sub(b)),
                Op::Mul { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| a.wrapping_mul(b)),
                Op::UDiv { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| a / b),
                Op::SDiv { w, dst, a, b } => {
                    bin!(w, dst, a, b, |a, b, w| sext(a, w).wrapping_div(sext(b, w)) as u64)
                }
                Op::URem { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| a % b),
                Op::SRem { w, dst, a, b } => {
                    bin!(w, dst, a, b, |a, b, w| sext(a, w).wrapping_rem(sext(b, w)) as u64)
                }
                Op::And { dst, a, b } => bin!(64, dst, a, b, |a, b, _| a & b),
                Op::Or { dst, a, b } => bin!(64, dst, a, b, |a, b, _| a | b),
                Op::Xor { dst, a, b } => bin!(64, dst, a, b, |a, b, _| a ^ b),
                Op::Shl { w, dst, a, b } => {
                    bin!(w, dst, a, b, |a, b, _| a.checked_shl(b as u32).unwrap_or(0))
                }
                Op::LShr { w, dst, a, b } => {
                    bin!(w, dst, a, b, |a, b, _| a.checked_shr(b as u32).unwrap_or(0))
                }
                Op::AShr { w, dst, a, b } => bin!(w, dst, a, b, |a, b, w| (sext(a, w) >> b.min(63)) as u64),
                Op::Eq { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| (a == b) as u64),
                Op::Ne { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| (a != b) as u64),
                Op::Ult { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| (a < b) as u64),
                Op::Ule { w, dst, a, b } => bin!(w, dst, a, b, |a, b, _| (a <= b) as u64),
                Op::Slt { w, dst, a, b } => bin!(w, dst, a, b, |a, b, w| (sext(a, w) < sext(b, w)) as u64),
                Op::Sle { w, dst, a, b } => bin!(w, dst, a, b, |a, b, w| (sext(a, w) <= sext(b, w)) as u64),
                Op::Select { w, dst, c, a, b } => {
                    let v = if r!(c) & 1 != 0 { r!(a) } else { r!(b) };
                    assert_eq!(v & !mask(w as u32), 0, "a value is wider than {w} bits in {}", f.name);
                    r!(dst) = v;
                }
                Op::Trunc { w, dst, a, .. } => r!(dst) = r!(a) & mask(w as u32),
                Op::ZExt { from, dst, a, .. } => {
                    assert_eq!(r!(a) & !mask(from as u32), 0, "zext of a dirty slot in {}", f.name);
                    r!(dst) = r!(a);
                }
                Op::SExt { from, to, dst, a } => r!(dst) = sext(r!(a), from as u32) as u64 & mask(to as u32),
                Op::WideBin { op, w, dst, a, b } if w > 128 => {
                    let n = w.div_ceil(64) as usize;
                    let get = |x: u32| super::numeric::bits(&s[x as usize..x as usize + n], w);
                    let result = super::numeric::huge(op, get(a), get(b));
                    s[dst as usize..dst as usize + n].copy_from_slice(&super::numeric::packed(&result));
                }
                Op::WideCast { signed, from, to, dst, a } if from > 128 || to > 128 => {
                    let mut v = super::numeric::bits(&s[a as usize..(a + from.div_ceil(64)) as usize], from);
                    let fill = signed && v[from as usize - 1];
                    v.resize(to as usize, fill);
                    let v = super::numeric::packed(&v);
                    s[dst as usize..dst as usize + v.len()].copy_from_slice(&v);
                }
                Op::WideBin { op, w, dst, a, b } => {
                    let n = w.div_ceil(64) as usize;
                    let get = |x: u32| wide(&s[x as usize..x as usize + n], w);
                    let (a, b) = (get(a), get(b));
                    let (sa, sb) = (wide_sext(a, w), wide_sext(b, w));
                    let v = match op {
                        IntOp::Add => a.wrapping_add(b),
                        IntOp::Sub => a.wrapping_sub(b),
                        IntOp::Mul => a.wrapping_mul(b),
                        IntOp::UDiv => a / b,
                        IntOp::SDiv => sa.wrapping_div(sb) as u128,
                        IntOp::URem => a % b,
                        IntOp::SRem => sa.wrapping_rem(sb) as u128,
                        IntOp::And => a & b,
                        IntOp::Or => a | b,
                        IntOp::Xor => a ^ b,
                        IntOp::Shl => a.checked_shl(b as u32).unwrap_or(0),
                        IntOp::LShr => a.checked_shr(b as u32).unwrap_or(0),
                        IntOp::AShr => (sa >> b.min(127)) as u128,
                    };
                    put_wide(s, dst, v, w);
                }
                Op::WideCmp { pred, w, dst, a, b } => {
                    let n = w.div_ceil(64) as usize;
                    let get = |x: u32| wide(&s[x as usize..x as usize + n], w);
                    let (a, b) = (get(a), get(b));
                    let (sa, sb) = (wide_sext(a, w), wide_sext(b, w));
                    r!(dst) = match pred {
                        IntPred::Eq => a == b,
                        IntPred::Ne => a != b,
                        IntPred::Ult => a < b,
                        IntPred::Ule => a <= b,
                        IntPred::Slt => sa < sb,
                        IntPred::Sle => sa <= sb,
                    } as u64;
                }
                Op::WideCast { signed, from, to, dst, a } => {
                    let n = from.div_ceil(64) as usize;
                    let v = wide(&s[a as usize..a as usize + n], from);
                    put_wide(s, dst, if signed { wide_sext(v, from) as u128 } else { v }, to);
                }
                Op::FpBin { op, fmt, dst, a, b } => {
                    let v = float::binary(op, fmt, float::get(s, a, fmt), float::get(s, b, fmt));
                    float::put(s, dst, fmt, v);
                }
                Op::FpNeg { fmt, dst, a } => {
                    let v = float::get(s, a, fmt) ^ (1u128 << (fmt.bits() - 1));
                    float::put(s, dst, fmt, v);
                }
                Op::FpCmp { pred, fmt, dst, a, b } => {
                    r!(dst) = float::compare(pred, fmt, float::get(s, a, fmt), float::get(s, b, fmt)) as u64;
                }
                Op::FpConv { from, to, dst, a } => {
                    let v = float::convert(from, to, float::get(s, a, from));
                    float::put(s, dst, to, v);
                }
                Op::FpToInt { signed, fmt, w, dst, a } => {
                    let v = float::to_int(signed, fmt, w, float::get(s, a, fmt));
                    put_wide(s, dst, v, w);
                }
                Op::IntToFp { signed, fmt, w, dst, a } => {
                    let n = w.div_ceil(64) as usize;
                    let v = wide(&s[a as usize..a as usize + n], w);
                    float::put(s, dst, fmt, float::from_int(signed, fmt, w, v));
                }
                Op::Bitcast { shape, dst, a } => {
                    let shape = &f.bitcasts[shape as usize];
                    let mut bits = Vec::new();
                    let mut at = a;
                    for &w in &shape.from {
                        (0..w).for_each(|i| bits.push(s[(at + i / 64) as usize] >> (i % 64) & 1));
                        at += w.div_ceil(64);
                    }
                    assert_eq!(bits.len() as u32, shape.to.iter().sum::<u32>(), "a bitcast changes the size");
                    let (mut at, mut next) = (dst, bits.into_iter());
                    for &w in &shape.to {
                        for k in 0..w.div_ceil(64) {
                            s[(at + k) as usize] = 0;
                        }
                        (0..w).for_each(|i| s[(at + i / 64) as usize] |= next.next().unwrap() << (i % 64));
                        at += w.div_ceil(64);
                    }
                }
                Op::ExtractElem { stride, dst, base, idx, n } => {
                    let i = r!(idx);
                    for k in 0..stride as u32 {
                        r!(dst + k) =
                            if i < n as u64 { r!(base as u64 + i * stride as u64 + k as u64) } else { 0 };
                    }
                }
                Op::InsertElem { stride, base, val, idx, n } => {
                    let i = r!(idx);
                    for k in 0..stride as u64 {
                        if i < n as u64 {
                            r!(base as u64 + i * stride as u64 + k) = r!(val as u64 + k);
                        }
                    }
                }
                Op::AddImm { dst, a, imm } => r!(dst) = r!(a).wrapping_add(imm as i64 as u64),
                Op::Lea { dst, base, idx, scale } => {
                    r!(dst) = r!(base).wrapping_add(r!(idx).wrapping_mul(scale as i64 as u64));
                }
                Op::Load { w, dst, ptr, off } => {
                    let at = r!(ptr).wrapping_add(off as i64 as u64);
                    frame.slots[dst as usize] = self.load_word(at, w as u32)?;
                }
                Op::LoadX { w, scale, dst, base, idx, off } => {
                    let at = r!(base).wrapping_add(r!(idx).wrapping_mul(scale as u64));
                    frame.slots[dst as usize] =
                        self.load_word(at.wrapping_add(off as i64 as u64), w as u32)?;
                }
                Op::Store { w, val, ptr, off } => {
                    let at = r!(ptr).wrapping_add(off as i64 as u64);
                    let data = r!(val).to_le_bytes();
                    assert_eq!(
                        r!(val) & !mask(w as u32),
                        0,
                        "store of a dirty slot in {} at {}",
                        f.name,
                        pc - 1
                    );
                    self.store(at, &data[..(w as usize).div_ceil(8)])?;
                }
                Op::StoreX { w, scale, val, base, idx, off } => {
                    let at = r!(base).wrapping_add(r!(idx).wrapping_mul(scale as u64));
                    let data = r!(val).to_le_bytes();
                    self.store(at.wrapping_add(off as i64 as u64), &data[..(w as usize).div_ceil(8)])?;
                }
                Op::LoadWide { w, dst, ptr, off } => {
                    let at = r!(ptr).wrapping_add(off as i64 as u64);
                    for k in 0..w.div_ceil(64) {
                        let part = (w - 64 * k).min(64);
                        frame.slots[(dst + k) as usize] =
                            self.load_word(at.wrapping_add(8 * k as u64), part)?;
                    }
                }
                Op::StoreWide { w, val, ptr, off } => {
                    let at = r!(ptr).wrapping_add(off as i64 as u64);
                    for k in 0..w.div_ceil(64) {
                        let part = (w - 64 * k).min(64) as usize;
                        let data = frame.slots[(val + k) as usize].to_le_bytes();
                        self.store(at.wrapping_add(8 * k as u64), &data[..part.div_ceil(8)])?;
                    }
                }
                Op::Alloca { dst, size, .. } => {
                    let n = r!(size);
                    frame.slots[dst as usize] = self.allocate(n);
                }
                Op::Jump { edge } => take = Some(edge),
                Op::Goto { pc: to } => pc = to as usize,
                Op::Br { c, edge } => take = Some(if r!(c) & 1 != 0 { edge } else { edge + 1 }),
                Op::BrEq { w, a, b, edge } => br!(w, a, b, edge, |a, b, _| a == b),
                Op::BrNe { w, a, b, edge } => br!(w, a, b, edge, |a, b, _| a != b),
                Op::BrUlt { w, a, b, edge } => br!(w, a, b, edge, |a, b, _| a < b),
                Op::BrUle { w, a, b, edge } => br!(w, a, b, edge, |a, b, _| a <= b),
                Op::BrSlt { w, a, b, edge } => br!(w, a, b, edge, |a, b, w| sext(a, w) < sext(b, w)),
                Op::BrSle { w, a, b, edge } => br!(w, a, b, edge, |a, b, w| sext(a, w) <= sext(b, w)),
                Op::Switch { a, table, .. } => {
                    let t = &f.switches[table as usize];
                    let v = r!(a);
                    take =
                        Some(t.cases.binary_search_by_key(&v, |c| c.0).map_or(t.default, |i| t.cases[i].1));
                }
                Op::IndirectBr { a, table } => {
                    let n = (r!(a) - layout::block_address(0)) / layout::FUNCTION_STRIDE;
                    let block = program.edges[n as usize].block;
                    let list = &f.indirect_targets[table as usize];
                    let edge = list.iter().find(|e| program.edges[**e as usize].block == block);
                    take = Some(*edge.ok_or("indirectbr to nowhere")?);
                }
                Op::Ret { src, n } => return Ok(s[src as usize..(src + n) as usize].to_vec()),
                Op::Unreachable => return Err(format!("unreachable in {}", f.name)),
                Op::Unsupported { what } => return Err(program.unsupported[what as usize].clone()),
                Op::Call { func, dst, site } | Op::CallExternal { func, dst, site } => {
                    let site = &f.sites[site as usize];
                    let args: Vec<u64> = site.slots.iter().map(|x| s[*x as usize]).collect();
                    let result = self.call(func, &args, site, depth + 1)?;
                    put(&mut frame.slots, dst, &result, site.ret_slots);
                }
                Op::CallPointer { ptr, dst, site } => {
                    let site = &f.sites[site as usize];
                    let func =
                        layout::function_at(r!(ptr), program.functions.len()).ok_or("call of no function")?;
                    let args: Vec<u64> = site.slots.iter().map(|x| s[*x as usize]).collect();
                    let result = self.call(func, &args, site, depth + 1)?;
                    put(&mut frame.slots, dst, &result, site.ret_slots);
                }
                Op::Intrinsic { id, w, dst, site } => {
                    let site = &f.sites[site as usize];
                    let args: Vec<u64> = site.slots.iter().map(|x| s[*x as usize]).collect();
                    let result = self.intrinsic(id, w, &args, site, frame)?;
                    put(&mut frame.slots, dst, &result, site.ret_slots);
                }
                Op::InlineAsm { text, .. } => return Err(format!("assembly {}", program.asm[text as usize])),
            }
        }
    }

    fn intrinsic(
        &mut self,
        id: Intrinsic,
        w: u32,
        a: &[u64],
        site: &CallSite,
        frame: &Frame<'_>,
    ) -> Outcome<Vec<u64>> {
        use Intrinsic::*;
        Ok(match id {
            Memcpy | Memmove => {
                let data = if a[2] == 0 { Vec::new() } else { self.bytes(a[1], a[2] as usize)?.to_vec() };
                self.store(a[0], &data)?;
                vec![]
            }
            Memset => {
                self.store(a[0], &vec![a[1] as u8; a[2] as usize])?;
                vec![]
            }
            VaStart => {
                let mut area = Vec::new();
                for (first, ty, words) in &frame.variadic {
                    if let ArgType::ByVal { size, align } = ty {
                        while !area.len().is_multiple_of(*align as usize) {
                            area.push(0);
                        }
                        let data = self.bytes(*first, *size as usize)?.to_vec();
                        area.extend(data);
                        area.resize(area.len().next_multiple_of(8), 0);
                        continue;
                    }
                    if words.len() == 2 {
                        area.resize(area.len().next_multiple_of(16), 0);
                    }
                    words.iter().for_each(|x| area.extend(x.to_le_bytes()));
                }
                let overflow = self.allocate(area.len() as u64);
                self.store(overflow, &area)?;
                self.store(a[0], &[48, 0, 0, 0, 176, 0, 0, 0])?;
                self.store(a[0] + 8, &overflow.to_le_bytes())?;
                self.store(a[0] + 16, &[0; 8])?;
                vec![]
            }
            VaCopy => {
                let data = self.bytes(a[1], 24)?.to_vec();
                self.store(a[0], &data)?;
                vec![]
            }
            VaEnd | Nop | StackRestore => vec![],
            StackSave => vec![0],
            ObjectSize => vec![if a[1] != 0 { 0 } else { mask(w) }],
            Trap | DebugTrap | UbsanTrap => return Err("trap".into()),
            FrameAddress | ReturnAddress => vec![0x1000],
            ReadCycleCounter => vec![self.instructions],
            _ => match super::numeric::integer(id, w, a) {
                Some(words) => words,
                None => float::intrinsic(id, w, a, site).ok_or(format!("intrinsic {id:?}"))?,
            },
        })
    }

    fn external(&mut self, name: &str, a: &[u64], depth: u32) -> Outcome<Vec<u64>> {
        let _ = depth;
        Ok(match name {
            "emit" => {
                self.output.push(a[0]);
                vec![]
            }
            "malloc" => vec![self.allocate(a[0])],
            "calloc" => vec![self.allocate(a[0] * a[1])],
            "realloc" => {
                let new = self.allocate(a[1]);
                if a[0] != 0 {
                    let mut old = self.objects[&key(a[0])].clone();
                    old.truncate(a[1] as usize);
                    self.store(new, &old)?;
                }
                vec![new]
            }
            "free" => vec![],
            "memcmp" | "bcmp" => {
                let (x, y) =
                    (self.bytes(a[0], a[2] as usize)?.to_vec(), self.bytes(a[1], a[2] as usize)?.to_vec());
                vec![(x.cmp(&y) as i32) as u32 as u64]
            }
            "sqrt" => vec![f64::from_bits(a[0]).sqrt().to_bits()],
            "strlen" => vec![self.c_string(a[0])?.len() as u64],
            "strcmp" => vec![(self.c_string(a[0])?.cmp(&self.c_string(a[1])?) as i32) as u32 as u64],
            "__forkwise_thread_pointer" => vec![self.thread],
            "__forkwise_syscall" => vec![self.syscall(a)? as u64],
            _ => return Err(format!("external {name}")),
        })
    }

    fn syscall(&mut self, a: &[u64]) -> Outcome<i64> {
        Ok(match a[0] {
            1 => {
                let data = if a[3] == 0 { vec![] } else { self.bytes(a[2], a[3] as usize)?.to_vec() };
                self.text.extend(data);
                a[3] as i64
            }
            20 => {
                let mut total = 0;
                for i in 0..a[3] {
                    let at = self.load_word(a[2] + 16 * i, 64)?;
                    let n = self.load_word(a[2] + 16 * i + 8, 64)?;
                    let data = if n == 0 { vec![] } else { self.bytes(at, n as usize)?.to_vec() };
                    self.text.extend(data);
                    total += n as i64;
                }
                total
            }
            16 => -25,
            _ => -38,
        })
    }
}

fn key(address: u64) -> u64 {
    if address & layout::LARGE_FLAG != 0 { address >> 40 << 40 } else { address >> 24 << 24 }
}

fn put(slots: &mut [u64], dst: u32, words: &[u64], n: u32) {
    slots[dst as usize..(dst + n) as usize].copy_from_slice(&words[..n as usize]);
}

fn put_wide(slots: &mut [u64], dst: u32, v: u128, w: u32) {
    let v = if w >= 128 { v } else { v & ((1 << w) - 1) };
    slots[dst as usize] = v as u64;
    if w > 64 {
        slots[dst as usize + 1] = (v >> 64) as u64;
    }
}
