//! The beginning of a program: its states with their symbolic inputs, and back from a path to what the native program
//! has to be started with. Inputs have the names of KLEE's model, so that tests can be exchanged.

use crate::content::Content;
use crate::descriptors::{Description, Descriptors, O_LARGEFILE, O_RDWR, O_WRONLY};
use crate::failures::Failures;
use crate::inode::{Device, Node};
use crate::mounts::Mounts;
use crate::process::{EPOCH, ProcessState};
use crate::setup::{Argument, Setup, VariableValue};
use crate::stat::stat_bytes;
use crate::tree::{Builder, WORKING_DIRECTORY};
use crate::world::World;
use forkwise_expr::Op;
use forkwise_vm::{Byte, State, Strings, Vm};
use std::rc::Rc;

/// Most combinations of numbers of arguments that one run begins with.
const MOST_STATES: u64 = 512;

/// What a program is started with natively to follow a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Arguments, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// Which of them are symbolic.
    pub symbolic_args: Vec<usize>,
    /// Environment variables that were asked for, beside the standard ones.
    pub env: Vec<(String, Vec<u8>)>,
    /// Files of the working directory.
    pub files: Vec<(String, Vec<u8>)>,
    /// Standard input; `None`: there is nothing to read.
    pub stdin: Option<Vec<u8>>,
}

pub(crate) fn argument_name(number: u32) -> String {
    format!("arg{number:02}")
}

pub(crate) fn variable_name(name: &str) -> String {
    format!("env-{name}")
}

pub(crate) fn file_name(number: u32) -> String {
    char::from(b'A' + number as u8).to_string()
}

/// The variables that every program has, here and in native runs.
fn standard_environment() -> [(&'static str, &'static str); 6] {
    [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", WORKING_DIRECTORY),
        ("TMPDIR", WORKING_DIRECTORY),
        ("LC_ALL", "C"),
        ("TZ", "UTC"),
        ("TERM", "xterm"),
    ]
}

/// The environment of a native run, as strings in their order in memory.
pub(crate) fn environment_strings(setup: &Setup, native: &Environment) -> Vec<Vec<u8>> {
    let standard = standard_environment();
    let standard = standard.iter().filter(|(name, _)| !setup.env.iter().any(|v| v.name == *name));
    let mut out: Vec<Vec<u8>> =
        standard.map(|(name, value)| format!("{name}={value}").into_bytes()).collect();
    out.extend(native.env.iter().map(|(name, value)| [name.as_bytes(), b"=", value].concat()));
    out
}

/// The states before the first instruction of `entry`: one for each combination of the numbers of arguments that the
/// set-up allows, the one that a seed asks for first. With `Config::concrete_inputs` (a replay) that is the only one.
pub fn initial_states(vm: &mut Vm, entry: &str, setup: &Rc<Setup>) -> Result<Vec<Box<State>>, String> {
    let ranges: Vec<(u32, u32)> = setup
        .args
        .iter()
        .filter_map(|a| match a {
            Argument::Range { min, max, .. } => Some((*min, *max)),
            _ => None,
        })
        .collect();
    let combinations = ranges.iter().fold(1u64, |n, (min, max)| n.saturating_mul((max - min + 1) as u64));
    if combinations > MOST_STATES {
        return Err(format!(
            "--sym-args: there are {combinations} combinations of numbers of arguments; at most {MOST_STATES} are \
             possible, so make the ranges smaller"
        ));
    }
    let seeded = seeded_counts(vm, &ranges);
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for (min, max) in &ranges {
        all = all
            .into_iter()
            .flat_map(|counts| {
                (*min..=*max).map(move |n| counts.iter().copied().chain([n]).collect::<Vec<u32>>())
            })
            .collect();
    }
    if let Some(seeded) = seeded {
        if vm.config.concrete_inputs {
            all = vec![seeded];
        } else {
            all.sort_by_key(|counts| *counts != seeded);
        }
    }
    let mounts = Rc::new(Mounts::default());
    all.iter().map(|counts| initial_state(vm, entry, setup, counts, &mounts)).collect()
}

/// The numbers of arguments that the seed has.
fn seeded_counts(vm: &Vm, ranges: &[(u32, u32)]) -> Option<Vec<u32>> {
    let mut seeds = vm.config.seed_inputs.iter().filter(|s| s.0 == "n_args").map(|s| &s.1);
    if vm.config.seed_inputs.is_empty() && !vm.config.concrete_inputs {
        return None;
    }
    let count = |(min, max): &(u32, u32)| {
        let n = seeds.next().map_or(*min, |v| v.iter().take(4).rev().fold(0, |n, b| n << 8 | u32::from(*b)));
        n.clamp(*min, *max)
    };
    Some(ranges.iter().map(count).collect())
}

fn initial_state(
    vm: &mut Vm,
    entry: &str,
    setup: &Rc<Setup>,
    counts: &[u32],
    mounts: &Rc<Mounts>,
) -> Result<Box<State>, String> {
    vm.initial_state(entry, |vm, st| {
        let strings = strings(vm, st, setup, counts);
        install(vm, st, setup, mounts.clone());
        Ok(strings)
    })
}

/// A symbolic string of at most `size` bytes: an input of one byte more, whose last is zero.
fn string_input(vm: &mut Vm, st: &mut State, setup: &Setup, name: &str, size: u32) -> Vec<Byte> {
    let mut bytes = vm.new_input(st, name, size + 1, 0);
    bytes.truncate(size as usize);
    if setup.readable {
        for b in &bytes {
            prefer_printable(vm, st, *b);
        }
    }
    bytes
}

fn prefer_printable(vm: &mut Vm, st: &mut State, b: Byte) {
    let Byte::Symbolic(e) = b else { return };
    let low = vm.exprs.constant(8, 32);
    let above = vm.exprs.bin(Op::Sub, e, low);
    let width = vm.exprs.constant(8, 127 - 32);
    let printable = vm.exprs.bin(Op::Ult, above, width);
    Rc::make_mut(&mut st.preferences).push(printable);
}

fn strings(vm: &mut Vm, st: &mut State, setup: &Setup, counts: &[u32]) -> Strings {
    let concrete = |bytes: &[u8]| bytes.iter().map(|b| Byte::Concrete(*b)).collect::<Vec<Byte>>();
    let mut out = Strings { args: vec![concrete(&setup.program)], env: Vec::new() };
    let mut number = 0;
    let mut counts = counts.iter();
    for argument in &setup.args {
        let (count, size) = match argument {
            Argument::Concrete(bytes) => {
                out.args.push(concrete(bytes));
                continue;
            }
            Argument::Symbolic(size) => (1, *size),
            Argument::Range { min, size, .. } => {
                let n = counts.next().copied().unwrap_or(*min);
                vm.new_known_input(st, "n_args", &n.to_le_bytes());
                (n, *size)
            }
        };
        for _ in 0..count {
            out.args.push(string_input(vm, st, setup, &argument_name(number), size));
            number += 1;
        }
    }
    for (name, value) in standard_environment() {
        if !setup.env.iter().any(|v| v.name == name) {
            out.env.push(concrete(format!("{name}={value}").as_bytes()));
        }
    }
    for variable in &setup.env {
        let mut text = concrete(format!("{}=", variable.name).as_bytes());
        text.extend(match &variable.value {
            VariableValue::Concrete(bytes) => concrete(bytes),
            VariableValue::Symbolic(size) => {
                string_input(vm, st, setup, &variable_name(&variable.name), *size)
            }
        });
        out.env.push(text);
    }
    out
}

/// Gives a state its files and descriptors, and makes the inputs that they consist of.
fn install(vm: &mut Vm, st: &mut State, setup: &Rc<Setup>, mounts: Rc<Mounts>) {
    let now = (EPOCH as i64, 0);
    let mut tree = Builder::new(mounts, now);
    let record = |vm: &mut Vm, st: &mut State, name: &str, size: u64| {
        if setup.klee_objects {
            let content = Content::plain(&vec![0; size as usize]);
            let inode = crate::inode::Inode::new(Node::File(content), 0o644, now);
            vm.new_known_input(st, name, &stat_bytes(1, &inode));
        }
    };
    if let Some((count, size)) = setup.sym_files {
        for i in 0..count {
            let name = format!("{}-data", file_name(i));
            let bytes = vm.new_input(st, &name, size, 0);
            record(vm, st, &format!("{name}-stat"), size as u64);
            tree.add_file(file_name(i).as_bytes(), Content::new(&bytes));
        }
    }
    for (name, bytes) in &setup.files {
        tree.add_file(name.as_bytes(), Content::plain(bytes));
    }
    // Natively standard input is a file without a name, or /dev/null where nothing is given; outputs are pipes.
    let stdin = match (setup.sym_stdin, &setup.stdin) {
        (Some(size), _) => {
            let bytes = vm.new_input(st, "stdin", size, 0);
            record(vm, st, "stdin-stat", size as u64);
            Some(Content::new(&bytes))
        }
        (None, Some(bytes)) => Some(Content::plain(bytes)),
        (None, None) => None,
    };
    let failures = Failures::new(vm, st, setup.max_fail);
    if setup.sym_stdout && setup.klee_objects {
        vm.new_known_input(st, "stdout", &[0; 1024]);
        record(vm, st, "stdout-stat", 1024);
    }
    if setup.klee_objects && setup.is_symbolic() {
        vm.new_known_input(st, "model_version", &1u32.to_le_bytes());
    }
    let input = match stdin {
        Some(content) => (tree.add_outside(Node::File(content), 0o777, 0), O_RDWR | O_LARGEFILE),
        None => (tree.add_outside(Node::Device(Device::Null), 0o666, 1), O_LARGEFILE),
    };
    let outputs = [1, 2].map(|n| (tree.add_outside(Node::Output(n), 0o600, 1), O_WRONLY));
    let cwd = tree.working_directory();
    for mount in &setup.mounts {
        tree.mount(mount);
    }
    let tree = tree.finish();
    let mut descriptors = Descriptors::default();
    for (ino, flags) in [input].into_iter().chain(outputs) {
        let opened = descriptors.open(Description { ino, offset: 0, flags }, false);
        debug_assert!(opened.is_ok(), "there is room for three descriptors");
    }
    World { tree, descriptors, cwd, umask: 0o022, failures, process: ProcessState::default() }.install(st);
}

/// The world of a state that no one prepared: as the set-up says, with no inputs.
pub(crate) fn install_late(vm: &mut Vm, st: &mut State, setup: &Rc<Setup>) {
    install(vm, st, setup, Rc::new(Mounts::default()));
}

/// What the native program has to be started with to follow the path of `st`: symbolic parts have their values under
/// the state's witness.
pub fn test_environment(vm: &mut Vm, st: &State, setup: &Setup) -> Environment {
    let inputs = vm.input_bytes(st);
    let find = |name: &str| inputs.iter().find(|i| i.0 == name).map(|i| i.1.clone()).unwrap_or_default();
    let text = |bytes: Vec<u8>| bytes.into_iter().take_while(|b| *b != 0).collect::<Vec<u8>>();
    let mut out = Environment { args: vec![setup.program.clone()], ..Environment::default() };
    let mut counts = inputs.iter().filter(|i| i.0 == "n_args").map(|i| &i.1);
    let mut number = 0;
    for argument in &setup.args {
        let (count, size) = match argument {
            Argument::Concrete(bytes) => {
                out.args.push(bytes.clone());
                continue;
            }
            Argument::Symbolic(size) => (1, *size),
            Argument::Range { size, .. } => {
                let n = counts.next().map_or(0, |v| v.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)));
                (n, *size)
            }
        };
        for _ in 0..count {
            let mut bytes = find(&argument_name(number));
            bytes.truncate(size as usize);
            out.symbolic_args.push(out.args.len());
            out.args.push(text(bytes));
            number += 1;
        }
    }
    for variable in &setup.env {
        let value = match &variable.value {
            VariableValue::Concrete(bytes) => bytes.clone(),
            VariableValue::Symbolic(size) => {
                let mut bytes = find(&variable_name(&variable.name));
                bytes.truncate(*size as usize);
                text(bytes)
            }
        };
        out.env.push((variable.name.clone(), value));
    }
    if let Some((count, _)) = setup.sym_files {
        out.files.extend((0..count).map(|i| (file_name(i), find(&format!("{}-data", file_name(i))))));
    }
    out.files.extend(setup.files.iter().cloned());
    out.stdin = match setup.sym_stdin {
        Some(_) => Some(find("stdin")),
        None => setup.stdin.clone(),
    };
    out
}
