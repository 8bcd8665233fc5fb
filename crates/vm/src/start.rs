//! The beginning and the end of a program: globals, arguments, constructors, main, destructors, leaks.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::memory::{Byte, Memory, Object, Origin};
use crate::state::{Exiting, Frame, OnReturn, State};
use crate::value::Value;
use forkwise_ir::layout;
use std::collections::BTreeSet;

/// The strings that a program is started with; any byte may be symbolic, and a zero byte is put after each.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    /// argv, program name first.
    pub args: Vec<Vec<Byte>>,
    /// Environment, `NAME=value`.
    pub env: Vec<Vec<Byte>>,
}

const PROGRAM_START: &str = "__libc_start_main";

impl Vm {
    /// The state before the first instruction of `entry` (`main`). The strings it is started with may be inputs of
    /// the state, so they are made when the state is there. `Err` says what is missing.
    pub fn initial_state(
        &mut self,
        entry: &str,
        strings: impl FnOnce(&mut Vm, &mut State) -> Result<Strings, String>,
    ) -> Result<Box<State>, String> {
        let program = self.program.clone();
        let entry = program
            .function(entry)
            .filter(|f| !program.functions[*f as usize].code.is_empty())
            .ok_or_else(|| format!("the program has no function '{entry}'"))?;
        let mut mem = Memory::new(program.first_free_index, program.first_free_large);
        for (i, g) in program.globals.iter().enumerate() {
            if g.address == 0 {
                continue;
            }
            let mut o = Object::new(g.address, g.size, Origin::Global(i as u32), 0);
            o.write(0, &g.init);
            o.readonly = g.constant;
            mem.place(o);
        }
        let libc =
            program.function(PROGRAM_START).filter(|f| !program.functions[*f as usize].code.is_empty());
        let first = libc.unwrap_or(entry);
        self.entry = entry;
        self.exit_hook = libc.and(program.function("libc_exit_fini"));
        let id = self.next_state;
        self.next_state += 1;
        let mut st = Box::new(State::new(id, Frame::empty(), mem));
        st.salt = self.config.salt;
        let f = &program.functions[first as usize];
        let mut frame = self.new_frame(&mut st, first).map_err(|t| format!("{t:?}"))?;
        frame.on_return = if libc.is_some() { OnReturn::Never } else { OnReturn::Exit };
        let strings = strings(self, &mut st)?;
        let (argc, argv, envp) = self.arguments(&mut st, &strings)?;
        let at = f.consts.len();
        let values: Vec<u64> = if libc.is_some() {
            vec![layout::function_address(entry), argc, argv, 0, 0, 0]
        } else {
            vec![argc, argv, envp]
        };
        for (i, v) in values.iter().take(f.param_slots as usize).enumerate() {
            frame.regs[at + i] = Value::concrete(*v);
        }
        st.frame = frame;
        st.pending_edge = Some(f.entry_edge);
        if libc.is_none() && !program.constructors.is_empty() {
            // Constructors run on top of main's frame, which waits at its first operation.
            self.enter_edge(&mut st, f.entry_edge);
            st.pending_edge = None;
            self.next_constructor(&mut st, 0).map_err(|t| format!("{t:?}"))?;
        }
        Ok(st)
    }

    /// argc, argv, envp in memory; the auxiliary vector follows the environment as on Linux.
    fn arguments(&mut self, st: &mut State, start: &Strings) -> Result<(u64, u64, u64), String> {
        let no_room = || "no room for the arguments".to_string();
        let strings = |st: &mut State, list: &[Vec<Byte>]| -> Result<Vec<u64>, String> {
            list.iter()
                .map(|s| {
                    let a = st.mem.allocate(s.len() as u64 + 1, Origin::Engine, 0).ok_or_else(no_room)?;
                    let o = st.mem.object_mut(a).ok_or_else(no_room)?;
                    s.iter().enumerate().for_each(|(i, b)| o.set_byte(i as u64, *b));
                    o.external = true;
                    Ok(a)
                })
                .collect()
        };
        let args = strings(st, &start.args)?;
        let env = strings(st, &start.env)?;
        let random = st.mem.allocate(16, Origin::Engine, 0).ok_or_else(no_room)?;
        let mut words = args.clone();
        words.push(0);
        let env_at = words.len();
        words.extend(&env);
        words.push(0);
        // AT_PAGESZ, AT_UID, AT_EUID, AT_GID, AT_EGID, AT_SECURE, AT_RANDOM, AT_NULL
        words.extend([6, 4096, 11, 1000, 12, 1000, 13, 1000, 14, 1000, 23, 0, 25, random, 0, 0]);
        let table = st.mem.allocate(words.len() as u64 * 8, Origin::Engine, 0).ok_or_else(no_room)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let o = st.mem.object_mut(table).ok_or_else(no_room)?;
        o.write(0, &bytes);
        o.external = true;
        Ok((args.len() as u64, table, table + 8 * env_at as u64))
    }

    /// Runs constructor `i`, or goes on with main.
    pub(crate) fn next_constructor(&mut self, st: &mut State, i: u32) -> Result<(), Termination> {
        match self.program.constructors.get(i as usize).copied() {
            Some(c) => self.call_from_engine(st, c, &[], OnReturn::NextConstructor(i + 1)),
            None => Ok(()),
        }
    }

    /// `main` returned and there is no C library.
    pub(crate) fn exit_with(&mut self, st: &mut State, v: Value) -> Result<Flow, Termination> {
        let status = self.exit_status(st, v);
        self.next_destructor(st, 0, Exiting::Status(status))
    }

    pub(crate) fn next_destructor(
        &mut self,
        st: &mut State,
        i: u32,
        then: Exiting,
    ) -> Result<Flow, Termination> {
        match (self.program.destructors.get(i as usize).copied(), then) {
            (Some(d), _) => {
                self.call_from_engine(st, d, &[], OnReturn::NextDestructor(i + 1, then))?;
                Ok(Flow::Moved)
            }
            (None, Exiting::Status(status)) => Err(self.exited(st, status)),
            (None, Exiting::Library) => {
                st.frame.pc += 1;
                Ok(Flow::Moved)
            }
        }
    }

    /// The status the program ends with on this path. Preferences move the witness, which the status may depend on,
    /// so they are applied first.
    pub fn exit_status(&mut self, st: &mut State, v: Value) -> i32 {
        self.apply_preferences(st);
        self.eval_value(st, v) as i32
    }

    /// The program ends with `status`; leaks are looked for here.
    pub fn exited(&mut self, st: &mut State, status: i32) -> Termination {
        if self.config.check_leaks
            && let Some(fault) = self.find_leak(st)
        {
            return fault.end();
        }
        Termination::Exit(status & 0xff)
    }

    /// A heap object that no global (and nothing reachable from one) points to.
    fn find_leak(&mut self, st: &State) -> Option<Fault> {
        let mut reached: BTreeSet<u64> = BTreeSet::new();
        let mut todo: Vec<u64> = Vec::new();
        for o in st.mem.objects() {
            if !matches!(o.origin, Origin::Heap) || o.external {
                todo.push(o.base);
            }
        }
        for f in st.frames() {
            todo.extend(f.regs.iter().filter(|r| r.sym.is_none()).map(|r| r.bits));
        }
        while let Some(address) = todo.pop() {
            let Some(o) = st.mem.object(address) else { continue };
            if !reached.insert(o.base) {
                continue;
            }
            for at in (0..o.size.saturating_sub(7)).step_by(8) {
                let mut word = 0u64;
                let whole = (0..8).all(|i| match o.byte(at + i) {
                    Byte::Concrete(b) => {
                        word |= (b as u64) << (8 * i);
                        true
                    }
                    Byte::Symbolic(_) => false,
                });
                if whole && word > 65536 {
                    todo.push(word);
                }
            }
        }
        let lost: Vec<&Object> = st
            .mem
            .objects()
            .filter(|o| o.origin == Origin::Heap && !o.external && !reached.contains(&o.base))
            .collect();
        let first = lost.first()?;
        let bytes: u64 = lost.iter().map(|o| o.size).sum();
        let mut f = Fault::new(
            FaultKind::Leak,
            format!("{} object(s) with {bytes} bytes in all are never freed and unreachable", lost.len()),
        );
        if let Some(at) = self.location_text(first.loc) {
            f.details.push(format!("the first was allocated at {at}"));
        }
        let l = self.program.locations.get(first.loc as usize).copied().unwrap_or_default();
        if l.line != 0 {
            f.place = self.program.files.get(l.file as usize).map(|s| (s.path.clone(), l.line));
        }
        Some(f)
    }
}
