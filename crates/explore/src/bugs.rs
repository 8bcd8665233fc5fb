//! Telling bugs apart: the same kind at the same place of the user's code is the same bug, whatever path led there.
//!
//! Only identity is decided here; files, words and severities are the caller's.

use forkwise_ir::Program;
use forkwise_vm::{FaultKind, Limit, StackLine, State, Termination, backtrace};
use rustc_hash::FxHashMap;

/// What kind of end is worth telling the user about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The program is wrong.
    Fault(FaultKind),
    /// An assumption that cannot hold.
    ImpossibleAssumption,
    /// Something we do not support.
    Unsupported,
    /// More values of a size, pointer or jump than the limit allows.
    Values,
    /// The solver gave no answer.
    Solver,
    /// We are wrong.
    Internal,
}

impl Trouble {
    /// Of an end; `None` when it is an ordinary one.
    pub fn of(termination: &Termination) -> Option<Trouble> {
        match termination {
            Termination::Fault(f) => Some(Trouble::Fault(f.kind)),
            Termination::ImpossibleAssumption => Some(Trouble::ImpossibleAssumption),
            Termination::Unsupported(_) => Some(Trouble::Unsupported),
            Termination::Limit(Limit::Values(_)) => Some(Trouble::Values),
            Termination::Limit(Limit::Solver(_)) => Some(Trouble::Solver),
            Termination::Internal(_) => Some(Trouble::Internal),
            Termination::Limit(_) | Termination::Exit(_) | Termination::Signal(_) | Termination::Silent => {
                None
            }
        }
    }
}

/// A place in the user's code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Function.
    pub function: String,
    /// Source path; empty when unknown.
    pub file: String,
    /// Line; 0 when unknown.
    pub line: u32,
}

/// What makes two sightings the same bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BugKey {
    /// Its kind.
    pub trouble: Trouble,
    /// Where.
    pub place: Place,
}

/// One time a bug was seen.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Number of the bug, from 0 in order of discovery.
    pub bug: usize,
    /// Never seen before.
    pub first: bool,
    /// Its identity.
    pub key: BugKey,
    /// The stack, innermost first.
    pub stack: Vec<StackLine>,
}

/// All bugs of an exploration, in order of discovery.
#[derive(Debug, Default)]
pub struct Bugs {
    numbers: FxHashMap<BugKey, usize>,
    /// Times each was seen.
    counts: Vec<u64>,
}

impl Bugs {
    /// Number of distinct bugs.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// None yet?
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How often a bug was seen.
    pub fn count(&self, bug: usize) -> u64 {
        self.counts.get(bug).copied().unwrap_or(0)
    }

    /// Records the end of a path, if it is trouble.
    pub fn record(&mut self, program: &Program, st: &State, termination: &Termination) -> Option<Sighting> {
        let trouble = Trouble::of(termination)?;
        let stack = backtrace(program, st);
        let key = BugKey { trouble, place: place_of(program, &stack, termination) };
        let next = self.counts.len();
        let identity = BugKey { place: identity(&key.place, termination), ..key.clone() };
        let bug = *self.numbers.entry(identity).or_insert(next);
        if bug == next {
            self.counts.push(0);
        }
        self.counts[bug] += 1;
        Some(Sighting { bug, first: bug == next, key, stack })
    }
}

/// The innermost place that is the user's, or the innermost of all. A report that names a place itself wins when
/// the stack has none, or (a leak) is about something that happened elsewhere.
fn place_of(program: &Program, stack: &[StackLine], termination: &Termination) -> Place {
    let known = |l: &&StackLine| l.line != 0;
    let users = |l: &&StackLine| !l.is_library;
    let line = stack
        .iter()
        .filter(users)
        .find(known)
        .or_else(|| stack.iter().find(users))
        .or_else(|| stack.iter().find(known))
        .or_else(|| stack.first());
    let mut place = line
        .map(|l| Place { function: l.function.clone(), file: l.file.clone(), line: l.line })
        .unwrap_or_default();
    if let Termination::Fault(f) = termination
        && let Some((file, line)) = &f.place
        && (f.kind == FaultKind::Leak || place.line == 0)
    {
        if let Some(function) = function_at(program, file, *line) {
            place.function = function;
        }
        place.file.clone_from(file);
        place.line = *line;
    }
    place
}

/// What makes two bugs one: a path that runs into its instruction limit stops anywhere in its loop, so only the
/// function tells hangs apart.
fn identity(place: &Place, termination: &Termination) -> Place {
    match termination {
        Termination::Fault(f) if f.kind == FaultKind::InstructionLimit => Place { line: 0, ..place.clone() },
        _ => place.clone(),
    }
}

/// The function that has code at a line.
fn function_at(program: &Program, file: &str, line: u32) -> Option<String> {
    let file = program.files.iter().position(|f| f.path == file)? as u32;
    let here = program.locations.iter().skip(1).find(|l| l.file == file && l.line == line)?;
    let function = program.functions.get(here.function as usize).map(|f| &f.name);
    function.or_else(|| program.names.get(here.name as usize).filter(|_| here.name != 0)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_ir::{Function, Location, SourceFile};
    use forkwise_vm::{Fault, Frame, Memory};

    fn program() -> Program {
        let file = |path: &str, is_library| SourceFile { path: path.into(), is_library };
        let at = |file, line, function| Location { file, line, column: 1, function, ..Location::default() };
        Program {
            functions: vec![
                Function { name: "main".into(), locs: vec![1, 2], ..Function::default() },
                Function { name: "strlen".into(), locs: vec![3], is_library: true, ..Function::default() },
            ],
            files: vec![file("/src/a.c", false), file("/musl/strlen.c", true)],
            locations: vec![Location::default(), at(0, 10, 0), at(0, 11, 0), at(1, 5, 1)],
            ..Program::default()
        }
    }

    fn state(frames: &[(u32, u32)]) -> State {
        let frame = |(func, pc): (u32, u32)| Frame { func, pc, ..Frame::empty() };
        let mut st = State::new(1, frame(frames[0]), Memory::new(0, 0));
        frames[1..].iter().for_each(|f| st.push_frame(frame(*f)));
        st
    }

    #[test]
    fn the_users_line_is_the_place_even_inside_the_library() {
        let p = program();
        let mut bugs = Bugs::default();
        let end = Fault::new(FaultKind::OutOfBoundsRead, "").end();
        let first = bugs.record(&p, &state(&[(0, 1), (1, 0)]), &end).unwrap();
        assert!(first.first);
        assert_eq!(first.key.place, Place { function: "main".into(), file: "/src/a.c".into(), line: 11 });
        assert_eq!(first.stack.len(), 2);
        let again = bugs.record(&p, &state(&[(0, 1)]), &end).unwrap();
        assert_eq!((again.bug, again.first, bugs.count(0)), (0, false, 2));
        let other = bugs.record(&p, &state(&[(0, 0)]), &end).unwrap();
        assert_eq!((other.bug, other.first, bugs.len()), (1, true, 2));
    }

    #[test]
    fn a_leak_is_where_the_object_was_allocated() {
        let p = program();
        let mut fault = Fault::new(FaultKind::Leak, "");
        fault.place = Some(("/src/a.c".into(), 11));
        let seen = Bugs::default().record(&p, &state(&[(1, 0)]), &fault.end()).unwrap();
        assert_eq!(seen.key.place, Place { function: "main".into(), file: "/src/a.c".into(), line: 11 });
    }

    #[test]
    fn ordinary_ends_are_no_trouble() {
        let p = program();
        let mut bugs = Bugs::default();
        for end in [Termination::Exit(0), Termination::Silent, Termination::Limit(Limit::Time)] {
            assert!(bugs.record(&p, &state(&[(0, 0)]), &end).is_none());
        }
        assert!(bugs.is_empty());
    }
}
