//! Calls and returns: frames, arguments, variadic areas, copies of by-value structures, stack objects.

use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::memory::{Byte, Origin};
use crate::state::{Exiting, Frame, OnReturn, State};
use crate::value::Value;
use forkwise_ir::{ArgType, CallSite, Op, Slot, layout};

/// Where execution goes on after an operation outside the hot loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// After the operation.
    Next,
    /// Where the state says (frame and pc were set).
    Moved,
}

/// What a frame costs beside its stack objects: return address, saved registers.
pub(crate) const FRAME_BYTES: u64 = 48;

/// A call as builtins see it.
pub struct Call<'a> {
    /// Name of the function called.
    pub name: &'a str,
    /// Arguments and types.
    pub site: &'a CallSite,
    /// Where results go.
    pub dst: Slot,
}

impl Call<'_> {
    /// The first slot of argument `i`; zero when the caller passed fewer.
    pub fn arg(&self, st: &State, i: usize) -> Value {
        let mut at = 0;
        for t in self.site.args.iter().take(i) {
            at += t.slots() as usize;
        }
        self.site.slots.get(at).map_or(Value::concrete(0), |s| st.frame.regs[*s as usize])
    }

    /// Width in bits of argument `i`.
    pub fn arg_width(&self, i: usize) -> u32 {
        match self.site.args.get(i) {
            Some(ArgType::Int(w)) => *w,
            Some(ArgType::Float(f)) => f.bits(),
            _ => 64,
        }
    }

    /// Number of arguments.
    pub fn arg_count(&self) -> usize {
        self.site.args.len()
    }

    /// Sets the (single-slot) result.
    pub fn ret(&self, st: &mut State, v: Value) -> Result<Flow, Termination> {
        if self.site.ret_slots > 0 {
            st.frame.regs[self.dst as usize] = v;
            for i in 1..self.site.ret_slots {
                st.frame.regs[(self.dst + i) as usize] = Value::concrete(0);
            }
        }
        Ok(Flow::Next)
    }
}

/// Functions of the C library that look at arguments which callers rightly leave out, and pass on what they find.
fn reads_optional_arguments(name: &str) -> bool {
    matches!(name, "fcntl" | "ioctl" | "mremap" | "open" | "openat" | "prctl" | "ptrace" | "semctl")
}

/// gnulib's wrapper around `fcntl`, a part of many programs, which does the same.
const GNULIB_FCNTL: &str = "rpl_fcntl";

impl Vm {
    /// Calls a function with a body.
    pub(crate) fn call(
        &mut self,
        st: &mut State,
        func: u32,
        dst: Slot,
        site: u32,
    ) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let site = &program.functions[st.frame.func as usize].sites[site as usize];
        let func = match self.function_aliases.is_empty() {
            true => func,
            false => self.function_aliases.get(&func).copied().unwrap_or(func),
        };
        if Some(func) == self.exit_hook {
            return self.next_destructor(st, 0, Exiting::Library);
        }
        if let Some(shortcut) = self.shortcuts[func as usize] {
            let call = Call { name: &program.functions[func as usize].name, site, dst };
            if let Some(v) = shortcut(self, st, &call) {
                return call.ret(st, v);
            }
        }
        self.enter(st, func, dst, site)
    }

    fn enter(&mut self, st: &mut State, func: u32, dst: Slot, site: &CallSite) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let f = &program.functions[func as usize];
        let mut frame = self.new_frame(st, func)?;
        let first = f.consts.len();
        let given = site.slots.len();
        if given == f.param_slots as usize && !f.variadic {
            for (i, s) in site.slots.iter().enumerate() {
                frame.regs[first + i] = st.frame.regs[*s as usize];
            }
            if !self.plain[func as usize] || (through_pointer(st, &program) && site.args != f.params) {
                self.adapt_arguments(st, &mut frame, f, site)?;
            }
        } else {
            self.pass_unusual(st, &mut frame, f, site)?;
        }
        if site.must_tail {
            // The callee returns in the caller's place, whose stack objects are gone by then.
            let objects = std::mem::take(&mut st.frame.allocas);
            self.free_stack(st, &objects);
            st.stack_bytes -= FRAME_BYTES;
            (frame.ret_dst, frame.ret_slots) = (st.frame.ret_dst, st.frame.ret_slots);
            frame.on_return = st.frame.on_return;
            let old = std::mem::replace(&mut st.frame, frame);
            self.recycle(old.regs);
            self.enter_edge(st, f.entry_edge);
            return Ok(Flow::Moved);
        }
        frame.ret_dst = dst;
        frame.ret_slots = site.ret_slots;
        st.push_frame(frame);
        if func == self.entry && st.main_serial == 0 {
            st.main_at = st.instructions;
            st.main_serial = st.frame.serial;
            self.startup_instructions += st.instructions;
            self.enter_edge(st, f.entry_edge);
            self.next_constructor(st, 0)?;
            return Ok(Flow::Moved);
        }
        self.enter_edge(st, f.entry_edge);
        Ok(Flow::Moved)
    }

    /// A frame with its constants; checks the depth of the stack.
    pub(crate) fn new_frame(&mut self, st: &mut State, func: u32) -> Result<Frame, Termination> {
        let program = self.program.clone();
        let f = &program.functions[func as usize];
        if st.stack_depth >= self.config.max_stack_frames || st.stack_bytes > self.config.max_stack_bytes {
            return Err(Fault::new(
                FaultKind::StackExhaustion,
                format!(
                    "the stack holds {} frames and {} bytes: unbounded recursion?",
                    st.stack_depth, st.stack_bytes
                ),
            )
            .end());
        }
        st.stack_bytes += FRAME_BYTES;
        st.stack_peak = st.stack_peak.max(st.stack_bytes);
        let mut regs = self.regs_pool.pop().unwrap_or_default();
        regs.clear();
        regs.reserve_exact(f.n_slots as usize);
        regs.extend(f.consts.iter().map(|c| Value::concrete(*c)));
        regs.resize(f.n_slots as usize, Value::concrete(0));
        let serial = st.next_serial;
        st.next_serial += 1;
        let call_path = match self.config.count_executions {
            true => self.counts.callee(st.frame.call_path, st.frame.func, st.frame.pc, func),
            false => 0,
        };
        Ok(Frame { func, regs, serial, call_path, ..Frame::empty() })
    }

    /// Makes copies for by-value arguments and adjusts the widths of symbolic ones where caller and callee disagree.
    fn adapt_arguments(
        &mut self,
        st: &mut State,
        frame: &mut Frame,
        f: &forkwise_ir::Function,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let mut at = f.consts.len();
        for (i, t) in f.params.iter().enumerate() {
            let v = frame.regs[at];
            if let Some(ArgType::ByVal { size, .. }) = site.args.get(i) {
                let copy = self.copy_by_value(st, v, *size)?;
                frame.allocas.push(copy);
                frame.regs[at] = Value::concrete(copy);
            } else if let (Some(e), ArgType::Int(_) | ArgType::Ptr | ArgType::Float(_)) = (v.sym, t) {
                let want = match t {
                    ArgType::Int(w) => (*w).min(64),
                    ArgType::Float(fmt) => fmt.bits().min(64),
                    _ => 64,
                };
                frame.regs[at] = self.adjust_width(e, want);
            }
            at += t.slots() as usize;
        }
        Ok(())
    }

    pub(crate) fn adjust_width(&mut self, e: forkwise_expr::Expr, want: u32) -> Value {
        let have = self.exprs.width(e);
        if have == want {
            Value::symbolic(e)
        } else if have > want {
            self.sym_extract(e, 0, want)
        } else {
            self.sym_zext(e, want)
        }
    }

    fn copy_by_value(&mut self, st: &mut State, from: Value, size: u64) -> Result<u64, Termination> {
        let bytes = self.load_bytes(st, from, size)?;
        let loc = self.current_loc(st);
        let func = st.frame.func;
        let Some(copy) = st.mem.allocate(size, Origin::Stack { func, var: u32::MAX }, loc) else {
            return Err(self.out_of_memory(size));
        };
        let o = st.mem.object_mut(copy).expect("just allocated");
        for (i, b) in bytes.iter().enumerate() {
            o.set_byte(i as u64, *b);
        }
        Ok(copy)
    }

    /// Variadic callees, and calls whose number of arguments does not fit.
    fn pass_unusual(
        &mut self,
        st: &mut State,
        frame: &mut Frame,
        f: &forkwise_ir::Function,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let first = f.consts.len();
        let named = f.params.len();
        if site.args.len() < named || (site.slots.len() as u32) < f.param_slots {
            return Err(Fault::new(
                FaultKind::BadCall,
                format!("{} takes {named} arguments, but {} are passed", f.name, site.args.len()),
            )
            .end());
        }
        for i in 0..f.param_slots as usize {
            frame.regs[first + i] = st.frame.regs[site.slots[i] as usize];
        }
        self.adapt_arguments(st, frame, f, site)?;
        if !f.variadic {
            return Ok(());
        }
        // The x86-64 convention with all registers used up: 8-byte slots, 16-byte alignment where needed.
        let mut area: Vec<Byte> = Vec::new();
        let mut at: usize = site.args[..named].iter().map(|t| t.slots() as usize).sum();
        for t in &site.args[named..] {
            let n = t.slots() as usize;
            let slots = &site.slots[at..at + n];
            at += n;
            match t {
                ArgType::ByVal { size, align } => {
                    pad(&mut area, (*align as usize).max(8));
                    let bytes = self.load_bytes(st, st.frame.regs[slots[0] as usize], *size)?;
                    area.extend(bytes);
                }
                ArgType::Aggregate(leaves) => {
                    pad(&mut area, 8);
                    let mut s = 0;
                    for w in leaves {
                        self.push_slots(st, &slots[s..s + w.div_ceil(64) as usize], *w, &mut area);
                        s += w.div_ceil(64) as usize;
                        pad(&mut area, 8);
                    }
                }
                ArgType::Int(w) => {
                    pad(&mut area, if *w > 64 { 16 } else { 8 });
                    self.push_slots(st, slots, *w, &mut area);
                }
                ArgType::Float(fmt) => {
                    pad(&mut area, if fmt.bits() > 64 { 16 } else { 8 });
                    self.push_slots(st, slots, fmt.bits(), &mut area);
                    if fmt.bits() == 80 {
                        pad(&mut area, 16);
                    }
                }
                ArgType::Ptr => {
                    pad(&mut area, 8);
                    self.push_slots(st, slots, 64, &mut area);
                }
            }
            pad(&mut area, 8);
        }
        if f.is_library && reads_optional_arguments(&f.name) || f.name == GNULIB_FCNTL {
            area.resize(area.len().max(6 * 8), Byte::Concrete(0));
        }
        let size = area.len() as u64;
        let Some(base) = st.mem.allocate(size, Origin::Engine, 0) else {
            return Err(self.out_of_memory(size));
        };
        let o = st.mem.object_mut(base).expect("just allocated");
        for (i, b) in area.iter().enumerate() {
            o.set_byte(i as u64, *b);
        }
        frame.allocas.push(base);
        frame.varargs = Some(base);
        Ok(())
    }

    fn push_slots(&mut self, st: &State, slots: &[Slot], w: u32, area: &mut Vec<Byte>) {
        for (i, s) in slots.iter().enumerate() {
            let bits = (w - 64 * i as u32).min(64);
            self.value_to_bytes(st.frame.regs[*s as usize], bits, area);
        }
    }

    /// Returns from the running function.
    pub(crate) fn ret(&mut self, st: &mut State, src: Slot, n: u32) -> Result<Flow, Termination> {
        let Some(callee) = st.pop_frame() else {
            // The outermost frame: nothing below it.
            let v = if n > 0 { st.frame.regs[src as usize] } else { Value::concrete(0) };
            return match st.frame.on_return {
                OnReturn::Exit => self.exit_with(st, v),
                _ => Err(Termination::Internal("the start function returned".into())),
            };
        };
        self.free_stack(st, &callee.allocas);
        st.stack_bytes -= FRAME_BYTES.min(st.stack_bytes);
        match callee.on_return {
            OnReturn::Resume => {
                let dst = callee.ret_dst as usize;
                for i in 0..callee.ret_slots {
                    let mut v = if i < n { callee.regs[(src + i) as usize] } else { Value::concrete(0) };
                    if let Some(e) = v.sym {
                        v = self.fit_result(st, e, i);
                    }
                    st.frame.regs[dst + i as usize] = v;
                }
                st.frame.pc += 1;
                self.recycle(callee.regs);
            }
            OnReturn::StoreErrno(value) => {
                let at = callee.regs[src as usize];
                self.store_value(st, at, Value::concrete(value as u64), 32)?;
                st.frame.pc += 1;
            }
            OnReturn::NextConstructor(i) => self.next_constructor(st, i)?,
            OnReturn::NextDestructor(i, status) => return self.next_destructor(st, i, status),
            OnReturn::Handler { mask, resume } => return self.handler_returned(st, mask, resume),
            OnReturn::Exit | OnReturn::Never => {
                return Err(Termination::Internal("a start frame returned".into()));
            }
        }
        Ok(Flow::Moved)
    }

    fn recycle(&mut self, regs: Vec<Value>) {
        if self.regs_pool.len() < 64 {
            self.regs_pool.push(regs);
        }
    }

    /// A caller through a cast pointer may expect another width than the callee returns.
    fn fit_result(&mut self, st: &State, e: forkwise_expr::Expr, i: u32) -> Value {
        let f = &self.program.functions[st.frame.func as usize];
        let site = match f.code[st.frame.pc as usize] {
            Op::Call { site, .. } | Op::CallPointer { site, .. } | Op::CallExternal { site, .. } => site,
            _ => return Value::symbolic(e),
        };
        let want = match &f.sites[site as usize].ret {
            Some(ArgType::Int(w)) if *w <= 64 => *w,
            Some(ArgType::Ptr) => 64,
            Some(ArgType::Float(fmt)) if fmt.bits() <= 64 => fmt.bits(),
            _ => return Value::symbolic(e),
        };
        if i == 0 { self.adjust_width(e, want) } else { Value::symbolic(e) }
    }

    /// Calls through a pointer.
    pub(crate) fn call_pointer(
        &mut self,
        st: &mut State,
        ptr: Slot,
        dst: Slot,
        site: u32,
    ) -> Result<Flow, Termination> {
        let v = st.frame.regs[ptr as usize];
        let address = self.concretize(st, v, 64, "a function pointer")?;
        let program = self.program.clone();
        match layout::function_at(address, program.functions.len()) {
            Some(func) if program.functions[func as usize].code.is_empty() => {
                self.call_external(st, func, dst, site)
            }
            Some(func) => self.call(st, func, dst, site),
            None if address < 65536 => {
                Err(Fault::new(FaultKind::NullDereference, "call through a null pointer").end())
            }
            None => Err(Fault::new(
                FaultKind::BadCall,
                format!("call through a pointer that is not a function's address ({address:#x})"),
            )
            .end()),
        }
    }

    /// Calls a function that the engine provides.
    pub(crate) fn call_external(
        &mut self,
        st: &mut State,
        func: u32,
        dst: Slot,
        site: u32,
    ) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let site = &program.functions[st.frame.func as usize].sites[site as usize];
        let name = &program.functions[func as usize].name[..];
        let call = Call { name, site, dst };
        match self.builtins[func as usize] {
            Some(builtin) => builtin(self, st, &call),
            None => Err(Termination::Unsupported(format!("call of the undefined function '{name}'"))),
        }
    }

    /// Calls function `func` on behalf of the engine with single-slot arguments; it runs next.
    pub(crate) fn call_from_engine(
        &mut self,
        st: &mut State,
        func: u32,
        args: &[Value],
        on_return: OnReturn,
    ) -> Result<(), Termination> {
        let program = self.program.clone();
        let f = &program.functions[func as usize];
        let mut frame = self.new_frame(st, func)?;
        for (i, v) in args.iter().take(f.param_slots as usize).enumerate() {
            frame.regs[f.consts.len() + i] = *v;
        }
        frame.on_return = on_return;
        st.push_frame(frame);
        self.enter_edge(st, f.entry_edge);
        Ok(())
    }

    /// Frees stack objects of an activation that ends.
    pub(crate) fn free_stack(&self, st: &mut State, objects: &[u64]) {
        for a in objects {
            if let Some(o) = st.mem.object(*a)
                && matches!(o.origin, Origin::Stack { var, .. } if var != u32::MAX)
            {
                st.stack_bytes -= o.size.min(st.stack_bytes);
            }
            st.mem.free(*a);
        }
    }

    /// A stack object.
    pub(crate) fn alloca(
        &mut self,
        st: &mut State,
        dst: Slot,
        size: Slot,
        var: u32,
    ) -> Result<Flow, Termination> {
        let size = self.concretize(st, st.frame.regs[size as usize], 64, "a stack object's size")?;
        if size > self.config.max_stack_bytes || st.stack_bytes + size > self.config.max_stack_bytes {
            return Err(Fault::new(
                FaultKind::StackExhaustion,
                format!("a stack object of {size} bytes does not fit"),
            )
            .end());
        }
        let loc = self.current_loc(st);
        let func = st.frame.func;
        let Some(base) = st.mem.allocate(size, Origin::Stack { func, var }, loc) else {
            return Err(self.out_of_memory(size));
        };
        st.stack_bytes += size;
        st.stack_peak = st.stack_peak.max(st.stack_bytes);
        st.frame.allocas.push(base);
        st.frame.regs[dst as usize] = Value::concrete(base);
        Ok(Flow::Next)
    }

    pub(crate) fn out_of_memory(&self, size: u64) -> Termination {
        Fault::new(FaultKind::MemoryExhaustion, format!("no room for an object of {size} bytes")).end()
    }

    /// Inline assembly: barriers and the x87 control word are no-ops, everything else is unsupported.
    pub(crate) fn inline_asm(
        &mut self,
        st: &mut State,
        text: u32,
        dst: Slot,
        site: u32,
    ) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let text = program.asm[text as usize].trim();
        let site = &program.functions[st.frame.func as usize].sites[site as usize];
        let harmless = text.is_empty()
            || text.split(['\n', ';']).all(|line| {
                let word = line.split_whitespace().next().unwrap_or("");
                word.starts_with('#')
                    || matches!(
                        word,
                        "" | "nop"
                            | "pause"
                            | "mfence"
                            | "lfence"
                            | "sfence"
                            | "fldcw"
                            | "fnstcw"
                            | "fstcw"
                            | "rep;nop"
                            | "fnclex"
                    )
            });
        if !harmless {
            return Err(Termination::Unsupported(format!("inline assembly \"{}\"", text.escape_default())));
        }
        for i in 0..site.ret_slots {
            let v = if text.is_empty() {
                site.slots.get(i as usize).map_or(Value::concrete(0), |s| st.frame.regs[*s as usize])
            } else {
                Value::concrete(0)
            };
            st.frame.regs[(dst + i) as usize] = v;
        }
        Ok(Flow::Next)
    }
}

/// Only calls through pointers can disagree with the callee's types; lowering checked the others.
fn through_pointer(st: &State, program: &forkwise_ir::Program) -> bool {
    let code = &program.functions[st.frame.func as usize].code;
    matches!(code.get(st.frame.pc as usize), Some(Op::CallPointer { .. }))
}

fn pad(area: &mut Vec<Byte>, align: usize) {
    while !area.len().is_multiple_of(align) {
        area.push(Byte::Concrete(0));
    }
}
