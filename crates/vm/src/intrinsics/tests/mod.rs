//! Tests of the operations beyond the hot loop: wide integers, floating point, intrinsics. Their concrete and
//! symbolic forms are run on the same values (the symbolic ones under a witness that holds them) and must agree.

mod floats;
mod ints;
mod mem;
mod stack;

use crate::machine::{Config, Vm};
use crate::memory::Memory;
use crate::state::{Frame, State};
use crate::value::Value;
use crate::wide::{slot_count, slot_width};
use crate::{Flow, Termination};
use forkwise_expr::{Bits, SymbolId};
use forkwise_ir::{ArgType, BitcastShape, CallSite, Function, Op, Program, Slot};
use forkwise_solver::Solver;
use std::rc::Rc;

const SLOTS: u32 = 256;

/// A machine with one function, a state in it, and slots to put operands into.
struct Bench {
    vm: Vm,
    st: State,
    next: Slot,
    symbols: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        Bench::with_bitcasts(Vec::new())
    }

    fn with_bitcasts(bitcasts: Vec<BitcastShape>) -> Bench {
        let main = Function {
            name: "main".into(),
            code: vec![Op::Unreachable],
            locs: vec![0],
            inst_offsets: vec![0],
            n_slots: SLOTS,
            bitcasts,
            ..Function::default()
        };
        let program = Program { functions: vec![main], first_free_index: 16, ..Program::default() };
        let solver = Solver::new(forkwise_solver::Config::default());
        let vm = Vm::new(Rc::new(program), solver, Config::default());
        let frame = Frame { regs: vec![Value::concrete(0); SLOTS as usize], ..Frame::empty() };
        let st = State::new(1, frame, Memory::new(16, 0));
        Bench { vm, st, next: 0, symbols: Vec::new() }
    }

    /// Forgets all operands.
    fn reset(&mut self) {
        self.next = 0;
        self.symbols.clear();
        self.st.frame.regs.fill(Value::concrete(0));
    }

    fn reserve(&mut self, n: u32) -> Slot {
        self.next += n;
        self.next - n
    }

    /// Puts a value into new slots; as symbols with a witness of that value if `symbolic`.
    fn put(&mut self, v: &Bits, symbolic: bool) -> Slot {
        let w = v.width();
        let slot = self.reserve(slot_count(w));
        for (i, limb) in v.limbs().iter().enumerate() {
            let n = slot_width(w, i as u32);
            self.st.frame.regs[slot as usize + i] =
                if symbolic { self.symbol(*limb, n) } else { Value::concrete(*limb) };
        }
        slot
    }

    fn symbol(&mut self, v: u64, w: u32) -> Value {
        let mut whole = None;
        for i in 0..w.div_ceil(8) {
            let id = SymbolId(self.symbols.len() as u32);
            self.symbols.push((v >> (8 * i)) as u8);
            let byte = self.vm.exprs.symbol(id);
            whole = Some(match whole {
                Some(low) => self.vm.exprs.concat(byte, low),
                None => byte,
            });
        }
        self.st.witness = self.vm.new_witness(self.symbols.clone());
        let e = self.vm.exprs.extract(whole.expect("at least one byte"), 0, w);
        Value::symbolic(e)
    }

    /// The value at a slot under the witness.
    fn get(&mut self, slot: Slot, w: u32) -> Bits {
        let limbs: Vec<u64> = (0..slot_count(w))
            .map(|i| {
                let v = self.st.frame.regs[(slot + i) as usize];
                if let Some(e) = v.sym {
                    assert_eq!(self.vm.exprs.width(e), slot_width(w, i), "width of a symbolic slot");
                } else {
                    assert_eq!(
                        v.bits,
                        Bits::from_u64(slot_width(w, i), v.bits).low_u64(),
                        "unused bits are zero"
                    );
                }
                self.vm.eval_value(&self.st, v)
            })
            .collect();
        Bits::from_limbs(w, &limbs)
    }
}

/// A call site with the given arguments and result widths.
fn site(args: &[(ArgType, Slot)], ret: Option<ArgType>, ret_slots: u32) -> CallSite {
    let mut slots = Vec::new();
    for (t, first) in args {
        slots.extend((0..t.slots()).map(|i| first + i));
    }
    CallSite { slots, args: args.iter().map(|a| a.0.clone()).collect(), ret_slots, ret, must_tail: false }
}

/// A small deterministic generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A value of `w` bits, often near one of the ends of its range.
    fn int(&mut self, w: u32) -> Bits {
        let mut limbs: Vec<u64> = (0..slot_count(w)).map(|_| self.next()).collect();
        match self.below(8) {
            0 => limbs.fill(0),
            1 => limbs.fill(u64::MAX),
            2 => {
                limbs.fill(0);
                limbs[(w as usize - 1) / 64] = 1 << ((w - 1) % 64);
            }
            3 => {
                limbs.fill(u64::MAX);
                limbs[(w as usize - 1) / 64] ^= 1 << ((w - 1) % 64);
            }
            4 => {
                limbs.fill(0);
                limbs[0] = self.below(2 * w as u64 + 2);
            }
            5 => {
                let keep = self.below(w as u64) as u32;
                for (i, l) in limbs.iter_mut().enumerate() {
                    let bits = keep.saturating_sub(64 * i as u32).min(64);
                    *l = if bits == 0 { 0 } else { *l & (u64::MAX >> (64 - bits)) };
                }
            }
            _ => {}
        }
        Bits::from_limbs(w, &limbs)
    }
}

/// Executes an operation on operands in slots, with results from a slot on.
type Operation<'a> = &'a dyn Fn(&mut Vm, &mut State, &[Slot], Slot) -> Result<Flow, Termination>;

/// Runs an operation on values, all concrete and with every choice of symbolic operands, and compares the results.
/// `run` gets the operands' slots and the first result slot; `results` are the widths of the results, in
/// consecutive slots.
fn agree(bench: &mut Bench, what: &str, values: &[Bits], results: &[u32], run: Operation<'_>) {
    let mut expected: Option<Result<Vec<Bits>, Termination>> = None;
    for mask in 0..1u32 << values.len() {
        bench.reset();
        let slots: Vec<Slot> =
            values.iter().enumerate().map(|(i, v)| bench.put(v, mask >> i & 1 == 1)).collect();
        let dst = bench.reserve(results.iter().map(|w| slot_count(*w)).sum());
        let outcome = run(&mut bench.vm, &mut bench.st, &slots, dst).map(|flow| {
            assert_eq!(flow, Flow::Next);
            let mut at = dst;
            let mut out = Vec::new();
            for w in results {
                if mask == 0 {
                    let all =
                        (0..slot_count(*w)).all(|i| bench.st.frame.regs[(at + i) as usize].sym.is_none());
                    assert!(all, "{what}: concrete operands give concrete results");
                }
                out.push(bench.get(at, *w));
                at += slot_count(*w);
            }
            out
        });
        bench.vm.ended.clear();
        bench.vm.forks.clear();
        bench.st.condition = Default::default();
        match &expected {
            None => expected = Some(outcome),
            Some(e) => assert_eq!(e, &outcome, "{what} of {values:x?}, symbolic operands {mask:#b}"),
        }
    }
}
