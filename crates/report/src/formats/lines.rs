//! Coverage of a run by file and line, put together from what there is to cover and what was covered: what lcov, Cobertura and the
//! annotated source have in common.

use crate::folder::Run;
use std::collections::{BTreeMap, BTreeSet};

/// An arm of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmState {
    /// Its number in the program.
    pub number: u32,
    /// When it is taken.
    pub name: String,
    /// Was it?
    pub taken: bool,
    /// The first test that reached it.
    pub first_test: Option<u32>,
}

/// A branch on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchState {
    /// Column; 0 where it is not known.
    pub column: u32,
    /// Its arms.
    pub arms: Vec<ArmState>,
}

/// A line with code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineState {
    /// Was it executed?
    pub executed: bool,
    /// Its branches, by column.
    pub branches: Vec<BranchState>,
}

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLines {
    /// Its path.
    pub path: String,
    /// Lines with code.
    pub lines: BTreeMap<u32, LineState>,
    /// Functions, by their first lines.
    pub functions: BTreeMap<u32, String>,
}

impl FileLines {
    /// (executed, all) lines.
    pub fn executed(&self) -> (usize, usize) {
        (self.lines.values().filter(|l| l.executed).count(), self.lines.len())
    }

    /// (taken, all) arms.
    pub fn taken(&self) -> (usize, usize) {
        let arms = || self.lines.values().flat_map(|l| &l.branches).flat_map(|b| &b.arms);
        (arms().filter(|a| a.taken).count(), arms().count())
    }

    /// Functions: first line, name, whether it was entered.
    pub fn functions(&self) -> Vec<(u32, &str, bool)> {
        let firsts: Vec<u32> = self.functions.keys().copied().collect();
        let one = |(i, (first, name)): (usize, (&u32, &'_ String))| {
            let end = firsts.get(i + 1).copied().unwrap_or(u32::MAX);
            let entered = self.lines.range(*first..end.max(*first)).any(|(_, l)| l.executed);
            (*first, entered, name.len())
        };
        let states: Vec<_> = self.functions.iter().enumerate().map(one).collect();
        states.iter().zip(self.functions.values()).map(|(s, name)| (s.0, name.as_str(), s.1)).collect()
    }
}

/// All files of the user's code, by path.
pub fn by_file(run: &Run) -> Vec<FileLines> {
    let program = &run.program;
    let mut files: BTreeMap<String, FileLines> = BTreeMap::new();
    let path = |number: u32| program.files.get(number as usize).filter(|p| !p.is_empty());
    for (file, lines) in &program.lines {
        let Some(path) = path(*file) else { continue };
        let of = files.entry(path.clone()).or_default();
        of.lines.extend(lines.iter().filter(|l| **l > 0).map(|l| (*l, LineState::default())));
    }
    for f in &program.functions {
        if let (Some(path), true) = (path(f.1), f.2 > 0) {
            files.entry(path.clone()).or_default().functions.entry(f.2).or_insert_with(|| f.0.clone());
        }
    }
    // The two files number source files differently.
    for (file, ranges) in &run.arms.lines {
        let Some(of) = run.arms.files.get(*file as usize).and_then(|p| files.get_mut(p)) else { continue };
        for (from, to) in ranges.iter().filter(|(from, to)| from <= to) {
            of.lines.range_mut(*from..=*to).for_each(|(_, l)| l.executed = true);
        }
    }
    let taken: BTreeSet<u32> =
        run.arms.branches.iter().flat_map(|b| b.5.iter().map(|arm| b.0.saturating_add(*arm))).collect();
    for b in &program.branches {
        let Some(path) = path(b.1) else { continue };
        let arms = b.5.iter().map(|arm| {
            let number = b.0.saturating_add(arm.0);
            let first_test = run.events.first_test.get(&number).copied();
            ArmState { number, name: arm.1.clone(), taken: taken.contains(&number), first_test }
        });
        if b.2 > 0 {
            let line = files.entry(path.clone()).or_default().lines.entry(b.2).or_default();
            line.branches.push(BranchState { column: b.3, arms: arms.collect() });
        }
    }
    for (path, file) in &mut files {
        file.path = path.clone();
        file.lines.values_mut().for_each(|l| l.branches.sort_by_key(|b| b.column));
    }
    files.into_values().filter(|f| !f.lines.is_empty()).collect()
}
