//! The functions of klee.h and forkwise.h.

use super::Builtin;
use crate::call::{Call, Flow};
use crate::fault::{Fault, FaultKind, Termination, backtrace};
use crate::machine::Vm;
use crate::memory::{Byte, Object, Origin};
use crate::state::{Input, State};
use crate::value::Value;
use forkwise_expr::{Expr, Op as EOp, SymbolId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    Some(match name {
        "klee_make_symbolic" | "forkwise_symbolic" => make_symbolic,
        "klee_assume" => klee_assume,
        "forkwise_assume" => quiet_assume,
        "klee_range" => range,
        "klee_int" => int,
        "klee_choose" => choose,
        "klee_silent_exit" => silent_exit,
        "klee_abort" => abort,
        "klee_report_error" => report_error,
        "klee_warning" => warning,
        "klee_warning_once" => warning_once,
        "klee_prefer_cex" | "klee_posix_prefer_cex" => prefer,
        "klee_print_expr" => print_expr,
        "klee_print_range" => print_range,
        "klee_is_symbolic" | "forkwise_is_symbolic" => is_symbolic,
        "klee_is_replay" | "forkwise_is_replay" | "klee_get_errno" => zero,
        "klee_get_obj_size" => object_size,
        "klee_define_fixed_object" => define_fixed_object,
        "klee_mark_global" => mark_global,
        "klee_check_memory_access" => check_access,
        "klee_set_forking" => set_forking,
        "klee_stack_trace" => stack_trace,
        "klee_open_merge" | "klee_close_merge" => merge,
        "klee_alias_function" => alias_function,
        "klee_undef_function" | "klee_debug" => zero,
        "forkwise_size" => size_parameter,
        n if n.starts_with("klee_get_value") => get_value,
        _ => return None,
    })
}

impl Vm {
    /// The next input of a path: its symbols as bytes, or the given values in a replay.
    pub fn new_input(&mut self, st: &mut State, name: &str, size: u32, address: u64) -> Vec<Byte> {
        let earlier = st.inputs.iter().filter(|i| i.name == name).count();
        let seed = self.config.seed_inputs.iter().filter(|s| s.0 == name).nth(earlier).map(|s| s.1.clone());
        let unique = if earlier == 0 { name.to_string() } else { format!("{name}#{earlier}") };
        let first = self.symbols_for(&unique, size);
        let input = Input { name: name.to_string(), first, size, address };
        Rc::make_mut(&mut st.inputs).push(input.clone());
        self.seed_input(st, &input, earlier);
        if let Some(values) = &seed {
            self.set_witness(st, first, &values[..values.len().min(size as usize)]);
        }
        if st.salt != 0 && st.seeds.is_empty() && seed.is_none() {
            let values = random_bytes(st.salt, &unique, size);
            self.set_witness(st, first, &values);
        }
        if self.config.concrete_inputs {
            let a = st.witness.assignment();
            return (first..first + size).map(|s| Byte::Concrete(a.get(SymbolId(s)))).collect();
        }
        (first..first + size).map(|s| Byte::Symbolic(self.exprs.symbol(SymbolId(s)))).collect()
    }

    /// An input that has this value on the path, whatever the seeds say: something that was decided before the
    /// program began and that a test has to hold.
    pub fn new_known_input(&mut self, st: &mut State, name: &str, values: &[u8]) {
        let bytes = self.new_input(st, name, values.len() as u32, 0);
        let Some(first) = st.inputs.last().map(|i| i.first) else { return };
        self.set_witness(st, first, values);
        for (b, v) in bytes.iter().zip(values) {
            if let Byte::Symbolic(e) = b {
                let k = self.exprs.constant(8, *v as u64);
                let is = self.exprs.eq(*e, k);
                self.assume_true(st, is);
            }
        }
    }

    /// Random values, which follow from `salt`, for all inputs that the path condition leaves free, and for those to come.
    pub fn randomize_inputs(&mut self, st: &mut State, salt: u64) {
        st.salt = salt;
        let bound: FxHashSet<SymbolId> =
            st.condition.iter().flat_map(|c| self.exprs.support(c).to_vec()).collect();
        let mut bytes = st.witness.bytes.clone();
        for (i, input) in st.inputs.iter().enumerate() {
            let earlier = st.inputs[..i].iter().filter(|other| other.name == input.name).count();
            let unique = if earlier == 0 { input.name.clone() } else { format!("{}#{earlier}", input.name) };
            let end = (input.first + input.size) as usize;
            bytes.resize(bytes.len().max(end), 0);
            for (symbol, value) in (input.first..).zip(random_bytes(salt, &unique, input.size)) {
                if !bound.contains(&SymbolId(symbol)) {
                    bytes[symbol as usize] = value;
                }
            }
        }
        st.witness = self.new_witness(bytes);
    }

    /// Values for symbols that no constraint of the path mentions yet, so that any keep the witness valid.
    fn set_witness(&mut self, st: &mut State, first: u32, values: &[u8]) {
        let first = first as usize;
        let mut bytes = st.witness.bytes.clone();
        bytes.resize(bytes.len().max(first + values.len()), 0);
        bytes[first..first + values.len()].copy_from_slice(values);
        st.witness = self.new_witness(bytes);
    }

    /// An input as a value of at most 64 bits.
    pub(crate) fn new_input_value(&mut self, st: &mut State, name: &str, w: u32) -> Value {
        let bytes = self.new_input(st, name, w.div_ceil(8), 0);
        self.value_from_bytes(&bytes, w)
    }

    /// "value is not zero" as a condition.
    pub(crate) fn nonzero(&mut self, v: Value) -> Expr {
        match v.sym {
            None => self.exprs.bool(v.bits != 0),
            Some(e) => {
                let w = self.exprs.width(e);
                let zero = self.exprs.constant(w, 0);
                let is_zero = self.exprs.eq(e, zero);
                self.exprs.not(is_zero)
            }
        }
    }

    /// The path goes on only where the value is not zero; `otherwise` is how it ends where that cannot be.
    pub(crate) fn assume(
        &mut self,
        st: &mut State,
        v: Value,
        otherwise: impl FnOnce() -> Termination,
    ) -> Result<(), Termination> {
        let cond = self.nonzero(v);
        if self.require(st, cond)? { Ok(()) } else { Err(otherwise()) }
    }
}

/// The first values of an input on paths that begin with random ones: the same whenever the path is run.
fn random_bytes(salt: u64, name: &str, size: u32) -> Vec<u8> {
    let mut x = name.bytes().fold(salt, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    let mut out = Vec::with_capacity(size as usize + 8);
    while out.len() < size as usize {
        // SplitMix64.
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        out.extend_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    out.truncate(size as usize);
    out
}

fn user_error(text: impl Into<String>) -> Termination {
    Fault::new(FaultKind::UserError, text).end()
}

/// (address, size, name); forkwise.h and klee.h agree on the order.
fn make_symbolic(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let address = vm.concretize(st, call.arg(st, 0), 64, "an input's address")?;
    let size = vm.concretize(st, call.arg(st, 1), 64, "an input's size")?;
    let mut name = match call.arg_count() {
        0..=2 => String::new(),
        _ if call.arg(st, 2) == Value::concrete(0) => String::new(),
        _ => vm.c_string(st, call.arg(st, 2))?,
    };
    if name.is_empty() {
        name = "unnamed".to_string();
    }
    let Ok(size32) = u32::try_from(size) else {
        return Err(Termination::Unsupported(format!("a symbolic input of {size} bytes")));
    };
    if size == 0 {
        vm.new_input(st, &name, 0, address);
        return call.ret(st, Value::concrete(0));
    }
    vm.resolve(st, Value::concrete(address), size, true)?;
    let o = st.mem.object(address).expect("resolved");
    if vm.config.klee_names && (o.base != address || o.size != size) {
        return Err(user_error("wrong size given to klee_make_symbolic"));
    }
    let bytes = vm.new_input(st, &name, size32, address);
    vm.store_bytes(st, Value::concrete(address), &bytes)?;
    call.ret(st, Value::concrete(0))
}

fn klee_assume(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let silent = vm.config.silent_assume;
    vm.assume(st, call.arg(st, 0), || {
        if silent { Termination::Silent } else { user_error("invalid klee_assume call (provably false)") }
    })?;
    call.ret(st, Value::concrete(0))
}

fn quiet_assume(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    vm.assume(st, call.arg(st, 0), || Termination::Silent)?;
    call.ret(st, Value::concrete(0))
}

/// (begin, end, name): begin <= value < end, signed.
fn range(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let begin = vm.concretize(st, call.arg(st, 0), 32, "a bound of klee_range")?;
    let end = vm.concretize(st, call.arg(st, 1), 32, "a bound of klee_range")?;
    let name = vm.c_string(st, call.arg(st, 2))?;
    if begin as i32 >= end as i32 {
        return Err(user_error("invalid klee_range"));
    }
    let v = vm.new_input_value(st, &name, 32);
    // One comparison of the distance from the lower bound, so that no fork is needed.
    let low = vm.sym_bin(EOp::Sub, 32, v, Value::concrete(begin));
    let width = (end as i32).wrapping_sub(begin as i32) as u32 as u64;
    let inside = vm.sym_bin(EOp::Ult, 32, low, Value::concrete(width));
    vm.assume(st, inside, || user_error("invalid klee_range value"))?;
    call.ret(st, v)
}

fn int(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let name = vm.c_string(st, call.arg(st, 0))?;
    let v = vm.new_input_value(st, &name, 32);
    call.ret(st, v)
}

fn choose(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let n = call.arg(st, 0);
    let v = vm.new_input_value(st, "klee_choose", 64);
    let below = vm.sym_bin(EOp::Ult, 64, v, n);
    vm.assume(st, below, || user_error("klee_choose of nothing"))?;
    call.ret(st, v)
}

fn silent_exit(_: &mut Vm, _: &mut State, _: &Call<'_>) -> Result<Flow, Termination> {
    Err(Termination::Silent)
}

fn abort(_: &mut Vm, _: &mut State, _: &Call<'_>) -> Result<Flow, Termination> {
    Err(Fault::new(FaultKind::Abort, "abort failure").end())
}

/// (file, line, message, suffix)
fn report_error(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let file = vm.c_string(st, call.arg(st, 0))?;
    let line = vm.eval_value(st, call.arg(st, 1)) as u32;
    let message = vm.c_string(st, call.arg(st, 2))?;
    let suffix = vm.c_string(st, call.arg(st, 3))?;
    let mut f = Fault::new(FaultKind::UserError, message);
    f.place = Some((file, line));
    f.suffix = Some(suffix);
    Err(f.end())
}

fn warning(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let text = vm.c_string(st, call.arg(st, 0))?;
    let f = vm.program.functions[st.frame.func as usize].name.clone();
    vm.messages.push(format!("WARNING: {f}: {text}"));
    call.ret(st, Value::concrete(0))
}

fn warning_once(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let text = vm.c_string(st, call.arg(st, 0))?;
    let f = vm.program.functions[st.frame.func as usize].name.clone();
    let text = format!("WARNING ONCE: {f}: {text}");
    if !vm.messages.contains(&text) {
        vm.messages.push(text);
    }
    call.ret(st, Value::concrete(0))
}

fn prefer(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let c = vm.nonzero(call.arg(st, 1));
    if !vm.exprs.is_true(c) && !vm.exprs.is_false(c) {
        Rc::make_mut(&mut st.preferences).push(c);
    }
    call.ret(st, Value::concrete(0))
}

fn print_expr(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let text = vm.c_string(st, call.arg(st, 0))?;
    let v = call.arg(st, 1);
    let shown = match v.sym {
        None => v.bits.to_string(),
        Some(e) => vm.exprs.display(e),
    };
    vm.messages.push(format!("{text}:{shown}"));
    call.ret(st, Value::concrete(0))
}

fn print_range(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let text = vm.c_string(st, call.arg(st, 0))?;
    let v = call.arg(st, 1);
    let shown = match v.sym {
        None => v.bits.to_string(),
        Some(e) => {
            let range = vm.ask_range(st, e);
            match range {
                Some((lo, hi)) => format!("{} (in [{lo}, {hi}])", vm.exprs.display(e)),
                None => format!("{} (range unknown)", vm.exprs.display(e)),
            }
        }
    };
    vm.messages.push(format!("{text}:{shown}"));
    call.ret(st, Value::concrete(0))
}

fn is_symbolic(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let v = call.arg(st, 0).sym.is_some();
    call.ret(st, Value::concrete(v as u64))
}

fn zero(_: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    call.ret(st, Value::concrete(0))
}

fn size_parameter(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    call.ret(st, Value::concrete(vm.config.size_parameter))
}

fn get_value(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let v = vm.eval_value(st, call.arg(st, 0));
    call.ret(st, Value::concrete(v))
}

fn object_size(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let p = vm.concretize(st, call.arg(st, 0), 64, "a pointer")?;
    match st.mem.object(p).map(|o| o.size) {
        Some(size) => call.ret(st, Value::concrete(size)),
        None => Err(vm.memory_fault(st, p, 1, false).end()),
    }
}

fn define_fixed_object(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let address = vm.concretize(st, call.arg(st, 0), 64, "a fixed address")?;
    let size = vm.concretize(st, call.arg(st, 1), 64, "a fixed object's size")?;
    let slot = 1u64 << forkwise_ir::layout::SMALL_OFFSET_BITS;
    if address >> 48 != 0 || address % slot + size > slot || st.mem.object(address).is_some() {
        return Err(Termination::Unsupported(format!(
            "klee_define_fixed_object at {address:#x}: one object in each 16 MiB of the low addresses is possible"
        )));
    }
    let mut o = Object::new(address, size, Origin::Engine, vm.current_loc(st));
    o.external = true;
    st.mem.place(o);
    call.ret(st, Value::concrete(0))
}

fn mark_global(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let p = vm.concretize(st, call.arg(st, 0), 64, "a pointer")?;
    if let Some(o) = st.mem.object_mut(p) {
        o.external = true;
    }
    call.ret(st, Value::concrete(0))
}

fn check_access(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let n = vm.concretize(st, call.arg(st, 1), 64, "a size")?;
    vm.resolve(st, call.arg(st, 0), n, false)?;
    call.ret(st, Value::concrete(0))
}

fn set_forking(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    st.forking = vm.eval_value(st, call.arg(st, 0)) != 0;
    call.ret(st, Value::concrete(0))
}

fn stack_trace(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let program = vm.program.clone();
    for (i, l) in backtrace(&program, st).iter().enumerate() {
        vm.messages.push(format!("\t#{i} in {} at {}:{}", l.function, l.file, l.line));
    }
    call.ret(st, Value::concrete(0))
}

/// Merging is an optimisation: the paths between the calls are explored one by one.
fn merge(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    vm.note("klee_open_merge/klee_close_merge: paths are explored one by one, not merged");
    call.ret(st, Value::concrete(0))
}

/// (name, new name)
fn alias_function(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let (from, to) = (vm.c_string(st, call.arg(st, 0))?, vm.c_string(st, call.arg(st, 1))?);
    match (vm.program.function(&from), vm.program.function(&to)) {
        (Some(a), Some(b)) if from == to => {
            let _ = b;
            vm.function_aliases.remove(&a);
        }
        (Some(a), Some(b)) => {
            vm.function_aliases.insert(a, b);
        }
        _ => return Err(user_error(format!("klee_alias_function: no function '{from}' or '{to}'"))),
    }
    call.ret(st, Value::concrete(0))
}
