//! The files of a run folder that reports are made from: `program.json` (what there is to cover), `profile.json` (where
//! instructions, forks and solving went) and `tree.json` (the execution tree). It describes; it decides nothing.

use super::arms::Covered;
use forkwise_explore::{NONE, PathClass, Record, RecordNode};
use forkwise_ir::{Location, Program};
use forkwise_report::data::{
    ArmName, BranchPlace, End, FunctionPlace, PlaceSpent, ProgramFile, Spent, StackSpent, Tree, TreeNode,
};
use forkwise_vm::Profile;
use std::collections::BTreeMap;

const FORMAT: u32 = 1;
/// Nodes of a tree that is drawn.
const MOST_NODES: usize = 12_000;
/// Places that are told; those that took least are left out.
const MOST_PLACES: usize = 20_000;

/// Numbers given out in order of use, so that files hold only names that they need.
struct Names<'a> {
    program: &'a Program,
    numbers: BTreeMap<String, u32>,
    names: Vec<String>,
}

impl<'a> Names<'a> {
    fn new(program: &'a Program) -> Names<'a> {
        Names { program, numbers: BTreeMap::new(), names: Vec::new() }
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }

    /// The number of a file of the program.
    fn file(&mut self, file: u32) -> u32 {
        let program = self.program;
        program.files.get(file as usize).map_or(NONE, |f| self.name(&f.path))
    }

    /// The number of the source's function at a place.
    fn function(&mut self, at: &Location) -> u32 {
        let name = function_name(self.program, at);
        self.name(&name)
    }
}

/// The outermost place of an inlined instruction is where its function is; the innermost is what was written. We want the latter.
fn place(program: &Program, location: u32) -> Location {
    program.locations.get(location as usize).copied().unwrap_or_default()
}

/// The function of the source that a place is in.
fn function_name(program: &Program, at: &Location) -> String {
    let known = program.names.get(at.name as usize).filter(|name| !name.is_empty());
    let known = known.or_else(|| program.functions.get(at.function as usize).map(|f| &f.name));
    known.cloned().unwrap_or_default()
}

/// When the arms of a branch are taken, by the number of its first edge.
fn arm_names(program: &Program) -> BTreeMap<u32, Vec<String>> {
    let mut out: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for b in &program.branches {
        out.insert(b.first_edge, vec!["true".into(), "false".into()]);
    }
    for f in &program.functions {
        for table in &f.switches {
            let Some(b) = program.branches.get(table.branch as usize) else { continue };
            let mut names = vec![String::new(); b.arms as usize];
            for (value, edge) in &table.cases {
                if let Some(name) = names.get_mut(edge.wrapping_sub(b.first_edge) as usize) {
                    let letter = u8::try_from(*value).ok().filter(u8::is_ascii_graphic);
                    *name = match letter {
                        Some(c) => format!("{value} '{}'", char::from(c)),
                        // Cases are unsigned in the bytecode; small negative numbers are what people write.
                        None => match u32::try_from(*value) {
                            Ok(low) if low > u32::MAX / 2 => low.cast_signed().to_string(),
                            _ => value.cast_signed().to_string(),
                        },
                    };
                }
            }
            if let Some(name) = names.get_mut(table.default.wrapping_sub(b.first_edge) as usize) {
                *name = "default".into();
            }
            out.insert(b.first_edge, names);
        }
    }
    out
}

/// `program.json`.
pub fn program(program: &Program, covered: &Covered) -> ProgramFile {
    let mut files = Names::new(program);
    // Functions as the source has them, inlined or not: each begins at the first line of its code.
    let mut begins: BTreeMap<(u32, String), u32> = BTreeMap::new();
    let ours = || program.functions.iter().filter(|f| !f.is_library && !f.code.is_empty());
    let mut locations: Vec<u32> = ours().flat_map(|f| f.locs.iter().copied()).collect();
    locations.sort_unstable();
    locations.dedup();
    for at in locations.into_iter().map(|l| place(program, l)) {
        let name = function_name(program, &at);
        if at.line != 0 && !name.is_empty() {
            let line = begins.entry((at.file, name)).or_insert(at.line);
            *line = at.line.min(*line);
        }
    }
    for f in ours() {
        let at = place(program, f.location);
        if let (Some(line), true) = (begins.get_mut(&(at.file, f.name.clone())), at.line != 0) {
            *line = at.line.min(*line);
        }
    }
    let mut functions = Vec::new();
    let mut function_numbers = BTreeMap::new();
    for ((file, name), line) in begins {
        function_numbers.insert((file, name.clone()), functions.len() as u32);
        functions.push(FunctionPlace(name, files.file(file), line));
    }
    let mut lines: Vec<(u32, Vec<u32>)> = Vec::new();
    for (file, line) in covered.all_lines() {
        let file = files.file(file);
        match lines.last_mut() {
            Some((f, list)) if *f == file => list.push(line),
            _ => lines.push((file, vec![line])),
        }
    }
    let names = arm_names(program);
    let branches_of_ours = program.branches.iter().filter(|b| !program.functions[b.func as usize].is_library);
    let branches = covered
        .all_branches()
        .zip(branches_of_ours)
        .map(|((number, location, arms), b)| {
            let at = place(program, location);
            let of = names.get(&b.first_edge);
            let name = |i: u32| of.and_then(|n| n.get(i as usize)).cloned().unwrap_or_default();
            let arms = arms.into_iter().map(|i| ArmName(i, name(i))).collect();
            let function = (at.file, function_name(program, &at));
            let function = function_numbers.get(&function).copied().unwrap_or(NONE);
            BranchPlace(number, files.file(at.file), at.line, at.column, function, arms)
        })
        .collect();
    ProgramFile { format: FORMAT, name: program.name.clone(), files: files.names, functions, lines, branches }
}

/// `profile.json`.
pub fn profile(program: &Program, profile: &Profile) -> Spent {
    let (mut files, mut functions) = (Names::new(program), Names::new(program));
    let mut by_line: BTreeMap<(u32, u32, u32), (u64, u64, u64)> = BTreeMap::new();
    for (location, spent) in profile.places.iter().enumerate() {
        if (spent.instructions, spent.forks, spent.solver_nanos) != (0, 0, 0) {
            let at = place(program, location as u32);
            let sum = by_line.entry((functions.function(&at), at.file, at.line)).or_default();
            sum.0 += spent.instructions;
            sum.1 += spent.forks;
            sum.2 += spent.solver_nanos / 1000;
        }
    }
    let mut kept: Vec<_> = by_line.into_iter().collect();
    if kept.len() > MOST_PLACES {
        kept.sort_by_key(|(at, s)| (std::cmp::Reverse((s.2, s.1, s.0)), *at));
        kept.truncate(MOST_PLACES);
        kept.sort_unstable();
    }
    let places = kept
        .into_iter()
        .map(|((function, file, line), (i, f, s))| {
            let file = if line == 0 { NONE } else { files.file(file) };
            PlaceSpent(function, file, line, i, f, s)
        })
        .collect();
    let stacks = profile
        .stacks
        .iter()
        .map(|s| {
            let name = program.functions.get(s.func as usize).map_or("", |f| f.name.as_str());
            StackSpent(s.caller, functions.name(name), s.instructions)
        })
        .collect();
    Spent { format: FORMAT, files: files.names, functions: functions.names, places, stacks }
}

fn end(class: PathClass) -> End {
    match class {
        PathClass::Exit => End::Exit,
        PathClass::Fault => End::Bug,
        PathClass::Failed => End::Failed,
        PathClass::Unfinished => End::Unfinished,
        PathClass::Silent => End::Silent,
    }
}

/// `tree.json`.
pub fn tree(program: &Program, record: &Record) -> Tree {
    let (mut files, mut functions) = (Names::new(program), Names::new(program));
    let names = arm_names(program);
    let nodes: Vec<RecordNode> = record.folded(MOST_NODES);
    let folded = nodes.iter().map(|n| u64::from(n.forks)).sum();
    let nodes = nodes
        .iter()
        .map(|n| {
            let at = place(program, n.location);
            let arms = program.arms_of(n.edge);
            let arm = arms.and_then(|a| Some(names.get(&a.start)?.get((n.edge - a.start) as usize)?.clone()));
            let file = if at.line == 0 { NONE } else { files.file(at.file) };
            TreeNode {
                parent: (n.parent != NONE).then_some(n.parent),
                place: (functions.function(&at), file, at.line),
                arm: arm.unwrap_or_default(),
                instructions: n.instructions,
                solver_micros: n.solver_nanos / 1000,
                forks: n.forks,
                paths: n.paths,
                end: n.end.map(end),
                test: (n.test != NONE).then_some(n.test),
            }
        })
        .collect();
    Tree { format: FORMAT, folded, files: files.names, functions: functions.names, nodes }
}
