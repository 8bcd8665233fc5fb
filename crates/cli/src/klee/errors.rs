//! Errors in KLEE's words: the text, the suffix of the file, and the file's contents.

use super::assembly::Assembly;
use crate::kinds;
use forkwise_explore::Sighting;
use forkwise_testcase::BugKind;
use forkwise_vm::{Fault, FaultKind, Limit, StackLine, State, Termination};
use std::fmt::Write as _;

/// How a path ended, as KLEE sees it.
pub enum End {
    /// The program exited.
    Exit,
    /// An error with a message and the suffix of its file.
    Error {
        /// Its kind.
        kind: BugKind,
        /// KLEE's message.
        message: String,
        /// What follows `testNNNNNN.`.
        suffix: String,
    },
    /// Ended early; why.
    Early(String),
    /// Nothing to show.
    Silent,
}

/// KLEE's view of an end.
pub fn end_of(termination: &Termination, sighting: Option<&Sighting>) -> End {
    let error =
        |kind: BugKind, message: String| End::Error { kind, message, suffix: kind.klee_suffix().into() };
    match termination {
        Termination::Exit(_) | Termination::Signal(_) => End::Exit,
        Termination::Silent => End::Silent,
        Termination::Fault(fault) => of_fault(fault),
        Termination::ImpossibleAssumption => {
            error(BugKind::HarnessError, BugKind::HarnessError.klee_message().into())
        }
        Termination::Unsupported(what) => error(BugKind::Unsupported, what.clone()),
        Termination::Internal(what) => error(BugKind::InternalError, format!("internal error: {what}")),
        Termination::Limit(Limit::Values(why)) => error(BugKind::ModelLimit, why.clone()),
        Termination::Limit(Limit::Solver(_)) => {
            let kind = sighting.map_or(BugKind::SolverFailure, |s| kinds::of_trouble(s.key.trouble));
            error(kind, kind.klee_message().into())
        }
        Termination::Limit(Limit::Memory) => End::Early("Memory limit exceeded.".into()),
        Termination::Limit(_) => End::Early("Execution halting.".into()),
    }
}

fn of_fault(fault: &Fault) -> End {
    let kind = kinds::of_fault(fault.kind);
    if kind.klee_suffix() == "early" {
        return End::Early(kind.klee_message().into());
    }
    let (message, suffix) = match (fault.kind, &fault.suffix) {
        // The program chose both.
        (FaultKind::UserError, Some(suffix)) => (fault.message.clone(), suffix.clone()),
        // The harness called the engine wrongly.
        (FaultKind::UserError, None) => (fault.message.clone(), BugKind::HarnessError.klee_suffix().into()),
        (FaultKind::AssertionFailure, _) => (fault.message.clone(), kind.klee_suffix().into()),
        _ => (kind.klee_message().into(), kind.klee_suffix().into()),
    };
    // A suffix from the program becomes part of a file name.
    End::Error { kind, message, suffix: suffix.replace('/', "_") }
}

/// `FILE:LINE: ` before a message.
pub fn location(sighting: Option<&Sighting>) -> String {
    match sighting.map(|s| &s.key.place) {
        Some(p) if p.line != 0 => format!("{}:{}: ", p.file, p.line),
        _ => "(location information missing) ".into(),
    }
}

/// The contents of an error's file.
pub fn file_text(
    message: &str,
    sighting: &Sighting,
    fault: Option<&Fault>,
    state: &State,
    assembly: &Assembly,
) -> String {
    let mut out = format!("Error: {message}\n");
    let line_of = |l: &StackLine| assembly.line(&l.function, l.line, l.column);
    let place = &sighting.key.place;
    let here = sighting.stack.iter().find(|l| l.line == place.line && l.function == place.function);
    // Writing to a String cannot fail.
    if place.line != 0 {
        let _ = writeln!(out, "File: {}\nLine: {}", place.file, place.line);
    }
    let _ = writeln!(out, "assembly.ll line: {}", here.or(sighting.stack.first()).map_or(0, line_of));
    let _ = writeln!(out, "State: {}\nStack: ", state.id);
    for (i, l) in sighting.stack.iter().enumerate() {
        let _ = write!(out, "\t#{i}{:08} in {}()", line_of(l), l.function);
        if l.line != 0 {
            let _ = write!(out, " at {}:{}", l.file, l.line);
        }
        out.push('\n');
    }
    if let Some(fault) = fault.filter(|f| f.address.is_some() || !f.details.is_empty()) {
        out.push_str("Info: \n");
        if let Some(address) = fault.address {
            let _ = writeln!(out, "\taddress: {address}");
        }
        for line in &fault.details {
            let _ = writeln!(out, "\t{line}");
        }
    }
    out
}
