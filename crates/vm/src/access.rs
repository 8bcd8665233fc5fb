//! Memory access: bounds and lifetime checks, symbolic addresses, and turning bytes into values and back.
//!
//! A symbolic address is resolved to one object at a time. When the address is a constant address plus something,
//! the constant says which object is meant and everything outside it is a fault; otherwise the witness says which
//! object is next, and a sibling re-executes the operation for the others.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Limit, Termination};
use crate::feasible::Feasibility;
use crate::machine::{Ended, Vm};
use crate::memory::{Byte, Memory, Origin, Place, Rights};
use crate::state::State;
use crate::value::{Value, mask};
use forkwise_expr::{Expr, Kind, Op as EOp, TableId};
use forkwise_ir::Slot;

/// Elements that a symbolic index may select from without asking how far it really goes: the questions would cost more
/// than the elements.
const SMALL_TABLE: u64 = 1024;
/// Words remembered by their bytes.
const MAX_WORDS: usize = 1 << 16;

/// A checked access.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// Inside the object at `base`.
    Concrete {
        /// First address of the object.
        base: u64,
        /// Offset.
        off: u64,
    },
    /// Inside the object at `base` for every value of the offset on this path.
    Symbolic {
        /// First address of the object.
        base: u64,
        /// Offset, 64 bits.
        off: Expr,
    },
}

impl Vm {
    pub(crate) fn load_op(
        &mut self,
        st: &mut State,
        w: u32,
        dst: Slot,
        ptr: Value,
        off: i32,
    ) -> Result<Flow, Termination> {
        let ptr = self.sym_add_imm(ptr, off as i64 as u64);
        if w <= 64 {
            let mut v = self.load_value(st, ptr, w)?;
            if self.config.concrete_to_symbolic != 0 {
                v = self.disguise(st, v, w);
            }
            st.frame.regs[dst as usize] = v;
            return Ok(Flow::Next);
        }
        let bytes = self.load_bytes(st, ptr, w.div_ceil(8) as u64)?;
        for (i, chunk) in bytes.chunks(8).enumerate() {
            let bits = (w - 64 * i as u32).min(64);
            let v = self.value_from_bytes(chunk, bits);
            st.frame.regs[dst as usize + i] = v;
        }
        Ok(Flow::Next)
    }

    pub(crate) fn store_op(
        &mut self,
        st: &mut State,
        w: u32,
        v: Value,
        ptr: Value,
        off: i32,
    ) -> Result<Flow, Termination> {
        let ptr = self.sym_add_imm(ptr, off as i64 as u64);
        self.store_value(st, ptr, v, w)?;
        Ok(Flow::Next)
    }

    pub(crate) fn store_wide_op(
        &mut self,
        st: &mut State,
        w: u32,
        val: Slot,
        ptr: Value,
        off: i32,
    ) -> Result<Flow, Termination> {
        let ptr = self.sym_add_imm(ptr, off as i64 as u64);
        let mut bytes = Vec::with_capacity(w.div_ceil(8) as usize);
        for i in 0..w.div_ceil(64) {
            let bits = (w - 64 * i).min(64);
            let v = st.frame.regs[(val + i) as usize];
            self.value_to_bytes(v, bits, &mut bytes);
        }
        self.store_bytes(st, ptr, &bytes)?;
        Ok(Flow::Next)
    }

    /// A value of `w` (at most 64) bits at `ptr`.
    pub fn load_value(&mut self, st: &mut State, ptr: Value, w: u32) -> Result<Value, Termination> {
        let n = w.div_ceil(8) as u64;
        let v = match self.resolve(st, ptr, n, false)? {
            Access::Concrete { base, off } => {
                let o = st.mem.object(base).expect("resolved");
                let mut bytes = [Byte::Concrete(0); 8];
                for i in 0..n {
                    bytes[i as usize] = o.byte(off + i);
                }
                return Ok(self.value_from_bytes(&bytes[..n as usize], w));
            }
            Access::Symbolic { base, off } => self.read_symbolic(st, base, off, n)?,
        };
        let e = self.exprs.extract(v, 0, w);
        Ok(self.value_of(e))
    }

    /// Stores `w` (at most 64) bits at `ptr`.
    pub fn store_value(&mut self, st: &mut State, ptr: Value, v: Value, w: u32) -> Result<(), Termination> {
        let mut bytes = Vec::with_capacity(8);
        self.value_to_bytes(v, w, &mut bytes);
        self.store_bytes(st, ptr, &bytes)
    }

    /// `n` bytes at `ptr`.
    pub fn load_bytes(&mut self, st: &mut State, ptr: Value, n: u64) -> Result<Vec<Byte>, Termination> {
        match self.resolve(st, ptr, n, false)? {
            Access::Concrete { base, off } => Ok(read_object(&st.mem, base, off, n)),
            Access::Symbolic { base, off } => {
                let mut out = Vec::with_capacity(n as usize);
                for i in 0..n {
                    let k = self.exprs.constant(64, i);
                    let at = self.exprs.bin(EOp::Add, off, k);
                    let e = self.read_symbolic(st, base, at, 1)?;
                    out.push(self.byte_of(e));
                }
                Ok(out)
            }
        }
    }

    /// Stores bytes at `ptr`.
    pub fn store_bytes(&mut self, st: &mut State, ptr: Value, bytes: &[Byte]) -> Result<(), Termination> {
        match self.resolve(st, ptr, bytes.len() as u64, true)? {
            Access::Concrete { base, off } => {
                if bytes.is_empty() {
                    return Ok(());
                }
                let o = st.mem.object_mut(base).expect("resolved");
                for (i, b) in bytes.iter().enumerate() {
                    o.set_byte(off + i as u64, *b);
                }
                Ok(())
            }
            Access::Symbolic { base, off } => self.write_symbolic(st, base, off, bytes),
        }
    }

    /// Checks an access of `n` bytes.
    pub fn resolve(
        &mut self,
        st: &mut State,
        ptr: Value,
        n: u64,
        write: bool,
    ) -> Result<Access, Termination> {
        match ptr.sym {
            None => {
                if n == 0 {
                    return Ok(Access::Concrete { base: ptr.bits, off: 0 });
                }
                match st.mem.object(ptr.bits) {
                    Some(o) if o.permits(ptr.bits.wrapping_sub(o.base), n, write) => {
                        Ok(Access::Concrete { base: o.base, off: ptr.bits - o.base })
                    }
                    _ => Err(self.memory_fault(st, ptr.bits, n, write).end()),
                }
            }
            Some(e) => self.resolve_symbolic(st, e, n.max(1), write),
        }
    }

    fn resolve_symbolic(
        &mut self,
        st: &mut State,
        e: Expr,
        n: u64,
        write: bool,
    ) -> Result<Access, Termination> {
        let home = self.home_object(st, e);
        let address = self.eval(st, e);
        let base = match home.or_else(|| st.mem.object(address).map(|o| o.base)) {
            Some(base) => base,
            None => return Err(self.invalid_under_witness(st, e, address, n, write)),
        };
        let o = st.mem.object(base).expect("located");
        if o.is_guarded() {
            // Rights differ from page to page: one address at a time.
            let address = self.concretize(st, Value::symbolic(e), 64, "an address in a protected map")?;
            return self.resolve(st, Value::concrete(address), n, write);
        }
        let (size, readonly) = (o.size, o.readonly);
        let kb = self.exprs.constant(64, base);
        let off = self.exprs.bin(EOp::Sub, e, kb);
        let inside = match size.checked_sub(n) {
            Some(last) => {
                let last = self.exprs.constant(64, last);
                self.exprs.bin(EOp::Ule, off, last)
            }
            None => self.exprs.bool(false),
        };
        let outside = self.exprs.not(inside);
        if home.is_some() {
            let fault = |vm: &mut Vm, s: &State| {
                let a = vm.eval(s, e);
                vm.fault_in(s, base, a, n, write).end()
            };
            if self.exprs.is_true(outside) {
                return Err(fault(self, st));
            }
            // Just past the end is what a person would look at, and what a sanitizer surely sees.
            let end = self.exprs.constant(64, (size + 1).saturating_sub(n));
            let past = self.exprs.bin(EOp::Sub, off, end);
            let k = self.exprs.constant(64, 16);
            let near = self.exprs.bin(EOp::Ult, past, k);
            self.check_never_preferring(st, outside, Some(near), fault)?;
        } else if self.eval(st, inside) == 1 {
            match self.may(st, outside) {
                Feasibility::Yes(w) => {
                    let child = self.sibling(st, outside, w);
                    self.push_retry(child, "a symbolic pointer");
                    self.assume_true(st, inside);
                }
                Feasibility::No => {}
                Feasibility::Unknown(_) => self.assume_true(st, inside),
            }
        } else {
            return Err(self.invalid_under_witness(st, e, address, n, write));
        }
        if write && readonly {
            let a = self.eval(st, e);
            return Err(self.memory_fault(st, a, n, true).end());
        }
        Ok(match self.exprs.const_u64(off) {
            Some(off) => Access::Concrete { base, off },
            None => Access::Symbolic { base, off },
        })
    }

    /// A sibling that executes the current operation again; bounded at one place.
    pub(crate) fn push_retry(&mut self, mut child: Box<State>, what: &str) {
        let here = (child.frame.func, child.frame.pc);
        let n = if (child.tried.0, child.tried.1) == here { child.tried.2 + 1 } else { 1 };
        child.tried = (here.0, here.1, n);
        if n >= self.config.max_values || self.stop_forking {
            let why = format!("more than {n} values of {what}");
            self.note(format!("{why} {}: the rest is left out (raise --max-values)", self.place(&child)));
            self.ended.push(Ended { state: child, termination: Termination::Limit(Limit::Values(why)) });
        } else {
            self.push_fork(child);
        }
    }

    /// The witness's address is in no object: the path ends with a fault, but objects named by constants inside the
    /// address expression may be reachable with other values; they become siblings.
    fn invalid_under_witness(
        &mut self,
        st: &mut State,
        e: Expr,
        address: u64,
        n: u64,
        write: bool,
    ) -> Termination {
        let mut candidates = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut todo = vec![e];
        while let Some(x) = todo.pop() {
            if seen.len() > 2000 || !seen.insert(x) {
                continue;
            }
            match self.exprs.kind(x) {
                Kind::Const => {
                    let address = self.exprs.const_u64(x).unwrap_or(0);
                    if let Some(o) = st.mem.object(address)
                        && address.wrapping_sub(o.base) <= o.size
                        && !candidates.contains(&o.base)
                    {
                        candidates.push(o.base);
                    }
                }
                Kind::Symbol(_) => {}
                Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) => todo.push(a),
                Kind::Bin(_, a, b) => todo.extend([a, b]),
                Kind::Ite(_, a, b) => todo.extend([a, b]),
                Kind::Lookup(t, i) => {
                    todo.push(i);
                    todo.extend(self.exprs.table(t).iter().take(512).copied());
                }
                Kind::Fp(..) => {}
            }
        }
        candidates.sort_unstable();
        for base in candidates.into_iter().take(64) {
            let Some(size) = st.mem.object(base).map(|o| o.size) else { continue };
            let Some(last) = size.checked_sub(n) else { continue };
            let (kb, kl) = (self.exprs.constant(64, base), self.exprs.constant(64, last));
            let off = self.exprs.bin(EOp::Sub, e, kb);
            let inside = self.exprs.bin(EOp::Ule, off, kl);
            if let Feasibility::Yes(w) = self.may(st, inside) {
                let child = self.sibling(st, inside, w);
                self.push_retry(child, "a symbolic pointer");
            }
        }
        self.memory_fault(st, address, n, write).end()
    }

    /// The object that a constant part of the address names.
    fn home_object(&self, st: &State, e: Expr) -> Option<u64> {
        let Kind::Bin(EOp::Add, a, b) = self.exprs.kind(e) else { return None };
        let c = self.exprs.const_u64(a).or_else(|| self.exprs.const_u64(b))?;
        let o = st.mem.object(c)?;
        (c - o.base <= o.size).then_some(o.base)
    }

    /// What is wrong with an access outside the live object at `base` that it was computed from.
    fn fault_in(&self, st: &State, base: u64, address: u64, n: u64, write: bool) -> Fault {
        self.describe_fault(st, Place::Live { base }, address, n, write)
    }

    /// What is wrong with an access at a concrete address.
    pub fn memory_fault(&self, st: &State, address: u64, n: u64, write: bool) -> Fault {
        // An address at the far end of a slot is a little before the object of the next one.
        let next = address.wrapping_add(1 << 20);
        let place = match (st.mem.locate(address), st.mem.object(next)) {
            (Place::Live { base }, Some(o)) if o.base != base => Place::Live { base: o.base },
            (place, _) => place,
        };
        self.describe_fault(st, place, address, n, write)
    }

    fn describe_fault(&self, st: &State, place: Place, address: u64, n: u64, write: bool) -> Fault {
        let verb = if write { "write" } else { "read" };
        let oob = if write { FaultKind::OutOfBoundsWrite } else { FaultKind::OutOfBoundsRead };
        let mut fault = match place {
            Place::Null if address < 65536 => Fault::new(
                FaultKind::NullDereference,
                format!("null pointer: {verb} of {n} bytes at address {address}"),
            ),
            Place::Freed => Fault::new(
                FaultKind::UseAfterFree,
                format!("{verb} of {n} bytes in memory that was freed or whose function has returned"),
            ),
            Place::Live { base } => {
                let o = st.mem.object(base).expect("located");
                let off = address.wrapping_sub(o.base) as i64;
                let name = self.object_name(o.origin);
                let inside = o.contains(off as u64, n);
                let page = o.rights_at(if inside { off as u64 } else { 0 });
                if inside && write && (o.readonly || page == Rights::Read) {
                    Fault::new(FaultKind::WriteToConstant, format!("write to constant memory: {name}"))
                } else if inside {
                    Fault::new(
                        oob,
                        format!("{verb} of {n} bytes at offset {off} of {name}, where it is not accessible"),
                    )
                } else {
                    let mut f = Fault::new(
                        oob,
                        format!("{verb} of {n} bytes at offset {off} of {name}, which has {} bytes", o.size),
                    );
                    if let Some(p) = self.location_text(o.loc) {
                        f.details.push(format!("the object was allocated at {p}"));
                    }
                    f
                }
            }
            Place::Code => Fault::new(oob, format!("{verb} of {n} bytes in a function's code")),
            _ => Fault::new(oob, format!("{verb} of {n} bytes at a wild address")),
        };
        fault.address = Some(address);
        fault
    }

    /// "variable 'x' of main", "global 'y'", "a heap object".
    pub fn object_name(&self, origin: Origin) -> String {
        match origin {
            Origin::Global(g) => match self.program.globals.get(g as usize) {
                Some(g) if !g.name.is_empty() => format!("global '{}'", g.name),
                _ => "a constant".to_string(),
            },
            Origin::Stack { func, var } => {
                let f = &self.program.functions[func as usize];
                match f.variables.get(var as usize) {
                    Some(v) if !v.is_empty() => format!("variable '{v}' of {}", f.name),
                    _ => format!("a variable of {}", f.name),
                }
            }
            Origin::Heap => "a heap object".to_string(),
            Origin::Map => "a memory map".to_string(),
            Origin::Engine => "an argument area".to_string(),
        }
    }

    /// "file:line" of a location.
    pub fn location_text(&self, loc: u32) -> Option<String> {
        let l = self.program.locations.get(loc as usize)?;
        let f = self.program.files.get(l.file as usize)?;
        (l.line != 0).then(|| format!("{}:{}", f.path, l.line))
    }

    // ---- symbolic offsets

    /// Offsets that an expression can take inside an object: (first, last, stride), the stride a power of two.
    fn offsets(&mut self, st: &mut State, off: Expr, size: u64, n: u64, limit: u64) -> (u64, u64, u64) {
        let (zero, one) = self.exprs.known_bits(off);
        let known = (zero | one).trailing_ones().min(12);
        let stride = 1u64 << known;
        let low = one & (stride - 1);
        let (mut min, mut max) = self.exprs.range(off);
        max = max.min(size - n);
        min = min.min(max);
        if self.config.simplify_indices && (max - min) / stride >= limit.min(64) {
            let (lo, hi) = self.ask_bounds(st, off, limit.min(SMALL_TABLE).saturating_mul(stride));
            min = min.max(lo);
            max = max.min(hi);
        }
        // Align to the residue class.
        let first = min + (low.wrapping_sub(min) & (stride - 1));
        let last = max.saturating_sub(max.wrapping_sub(low) & (stride - 1));
        (first, last.max(first), stride)
    }

    /// The `n` bytes at a symbolic offset, as one expression of 8 n bits.
    fn read_symbolic(&mut self, st: &mut State, base: u64, off: Expr, n: u64) -> Result<Expr, Termination> {
        if let Some(c) = self.exprs.const_u64(off) {
            let bytes = read_object(&st.mem, base, c, n);
            let parts: Vec<Expr> = bytes.iter().map(|b| self.byte_expr(*b)).collect();
            return Ok(self.concat_le(&parts));
        }
        let o = st.mem.object(base).expect("resolved");
        let (size, cacheable) = (o.size, o.readonly && !o.has_symbolic());
        let (first, last, stride) = self.offsets(st, off, size, n, self.config.max_table);
        let count = (last - first) / stride + 1;
        if count > self.config.max_table {
            let c = self.concretize(st, Value::symbolic(off), 64, "an index into a large object")?;
            let bytes = read_object(&st.mem, base, c, n);
            let parts: Vec<Expr> = bytes.iter().map(|b| self.byte_expr(*b)).collect();
            return Ok(self.concat_le(&parts));
        }
        // index = (off - first) / stride; elements at first, first + stride, …
        let kf = self.exprs.constant(64, first);
        let rel = self.exprs.bin(EOp::Sub, off, kf);
        let shift = self.exprs.constant(64, stride.trailing_zeros() as u64);
        let index = self.exprs.bin(EOp::LShr, rel, shift);
        let table = self.table_for(st, base, first, stride, count, n, cacheable);
        Ok(self.exprs.lookup(table, index))
    }

    #[allow(clippy::too_many_arguments)]
    fn table_for(
        &mut self,
        st: &State,
        base: u64,
        first: u64,
        stride: u64,
        count: u64,
        n: u64,
        cacheable: bool,
    ) -> TableId {
        let key = (base, first, stride, count, n);
        if cacheable && let Some(t) = self.constant_tables.get(&key) {
            return *t;
        }
        let mut elements = Vec::with_capacity(count as usize);
        let all = read_object(&st.mem, base, first, (count - 1) * stride + n);
        let mut parts: Vec<Expr> = Vec::with_capacity(n as usize);
        for i in 0..count {
            let at = (i * stride) as usize;
            let bytes = &all[at..at + n as usize];
            let v: Option<u64> = (n <= 8)
                .then(|| {
                    bytes.iter().rev().try_fold(0u64, |acc, b| match b {
                        Byte::Concrete(c) => Some(acc << 8 | *c as u64),
                        Byte::Symbolic(_) => None,
                    })
                })
                .flatten();
            elements.push(match v {
                Some(v) => self.exprs.constant(8 * n as u32, v),
                None => {
                    parts.clear();
                    parts.extend(bytes.iter().map(|b| self.byte_expr(*b)));
                    self.concat_le(&parts)
                }
            });
        }
        let t = self.exprs.make_table(&elements);
        if cacheable {
            self.constant_tables.insert(key, t);
        }
        t
    }

    /// Writes bytes at a symbolic offset: every byte that may be hit becomes a choice.
    fn write_symbolic(
        &mut self,
        st: &mut State,
        base: u64,
        off: Expr,
        bytes: &[Byte],
    ) -> Result<(), Termination> {
        let n = bytes.len() as u64;
        let size = st.mem.object(base).expect("resolved").size;
        let (first, last, stride) = self.offsets(st, off, size, n, self.config.max_symbolic_store);
        let count = (last - first) / stride + 1;
        if count > self.config.max_symbolic_store {
            let c = self.concretize(st, Value::symbolic(off), 64, "an index into a large object")?;
            let o = st.mem.object_mut(base).expect("resolved");
            for (i, b) in bytes.iter().enumerate() {
                o.set_byte(c + i as u64, *b);
            }
            return Ok(());
        }
        let old = read_object(&st.mem, base, first, last - first + n);
        let mut new = old.clone();
        for k in 0..count {
            let at = first + k * stride;
            let ka = self.exprs.constant(64, at);
            let hit = self.exprs.eq(off, ka);
            if self.exprs.is_false(hit) {
                continue;
            }
            for (i, b) in bytes.iter().enumerate() {
                let slot = &mut new[(at - first) as usize + i];
                let (yes, no) = (self.byte_expr(*b), self.byte_expr(*slot));
                let e = self.exprs.ite(hit, yes, no);
                *slot = self.byte_of(e);
            }
        }
        let o = st.mem.object_mut(base).expect("resolved");
        for (i, (b, before)) in new.iter().zip(&old).enumerate() {
            if b != before {
                o.set_byte(first + i as u64, *b);
            }
        }
        Ok(())
    }

    // ---- bytes and values

    /// The expression of a byte.
    pub fn byte_expr(&mut self, b: Byte) -> Expr {
        match b {
            Byte::Concrete(c) => self.exprs.constant(8, c as u64),
            Byte::Symbolic(e) => e,
        }
    }

    /// A byte from an expression of width 8.
    pub fn byte_of(&mut self, e: Expr) -> Byte {
        match self.exprs.const_u64(e) {
            Some(c) => Byte::Concrete(c as u8),
            None => Byte::Symbolic(e),
        }
    }

    /// Bytes as one expression, the first byte lowest.
    fn concat_le(&mut self, parts: &[Expr]) -> Expr {
        let mut key = [None; 8];
        let known = (2..=key.len()).contains(&parts.len());
        if known {
            key.iter_mut().zip(parts).for_each(|(k, p)| *k = Some(*p));
            if let Some(word) = self.words.get(&key) {
                return *word;
            }
        }
        let word = self.concat_bytes(parts);
        if known {
            if self.words.len() >= MAX_WORDS {
                self.words.clear();
            }
            self.words.insert(key, word);
        }
        word
    }

    fn concat_bytes(&mut self, parts: &[Expr]) -> Expr {
        let mut it = parts.iter().rev();
        let mut e = *it.next().expect("at least one byte");
        for p in it {
            e = self.exprs.concat(e, *p);
        }
        e
    }

    /// Little-endian bytes as a value of `w` (at most 64) bits.
    pub fn value_from_bytes(&mut self, bytes: &[Byte], w: u32) -> Value {
        let mut v = 0u64;
        for (i, b) in bytes.iter().enumerate() {
            match b {
                Byte::Concrete(c) => v |= (*c as u64) << (8 * i),
                Byte::Symbolic(_) => {
                    let parts: Vec<Expr> = bytes.iter().map(|b| self.byte_expr(*b)).collect();
                    let e = self.concat_le(&parts);
                    let e = self.exprs.extract(e, 0, w);
                    return self.value_of(e);
                }
            }
        }
        Value::concrete(v & mask(w as u8))
    }

    /// Appends the little-endian bytes of a value of `w` (at most 64) bits.
    pub fn value_to_bytes(&mut self, v: Value, w: u32, out: &mut Vec<Byte>) {
        let n = w.div_ceil(8);
        match v.sym {
            None => out.extend((0..n).map(|i| Byte::Concrete((v.bits >> (8 * i)) as u8))),
            Some(e) => {
                let e = if w.is_multiple_of(8) { e } else { self.exprs.zext(e, 8 * n) };
                for i in 0..n {
                    let b = self.exprs.extract(e, 8 * i, 8);
                    out.push(self.byte_of(b));
                }
            }
        }
    }

    /// A C string at a concrete address, symbolic bytes taken from the witness (for names and messages only).
    pub fn c_string(&mut self, st: &mut State, ptr: Value) -> Result<String, Termination> {
        let address = self.eval_value(st, ptr);
        let mut out = Vec::new();
        while out.len() < 4096 {
            let b = match st.mem.object(address + out.len() as u64) {
                Some(o) if o.contains(address + out.len() as u64 - o.base, 1) => {
                    o.byte(address + out.len() as u64 - o.base)
                }
                _ => return Err(self.memory_fault(st, address + out.len() as u64, 1, false).end()),
            };
            let b = match b {
                Byte::Concrete(c) => c,
                Byte::Symbolic(e) => self.eval(st, e) as u8,
            };
            if b == 0 {
                break;
            }
            out.push(b);
        }
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

/// Bytes of an object (inside it).
pub(crate) fn read_object(mem: &Memory, base: u64, off: u64, n: u64) -> Vec<Byte> {
    let Some(o) = (n > 0).then(|| mem.object(base)).flatten() else { return Vec::new() };
    let mut out = Vec::with_capacity(n as usize);
    let mut i = 0;
    while i < n {
        let run = o.concrete_run(off + i, (n - i) as usize);
        if run.is_empty() {
            out.push(o.byte(off + i));
            i += 1;
        } else {
            out.extend(run.iter().map(|b| Byte::Concrete(*b)));
            i += run.len() as u64;
        }
    }
    out
}
