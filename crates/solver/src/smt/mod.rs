//! The SMT-LIB back end: a program such as `z3 -in` behind pipes, for floating point, hard arithmetic and
//! cross-checking.
//!
//! One process serves many queries. Whatever it does (missing, dying, silent, talking nonsense) becomes an answer
//! with a remedy, never a hang or a panic: reading and writing happen in threads of their own, and a process that
//! does not answer in time is killed and started again at the next query.

mod float;
mod process;
mod text;

use crate::answer::Unknown;
use crate::deadline::Deadline;
use forkwise_expr::{Expr, Exprs, SymbolId};
use process::{Process, Reply};
use std::fmt::Write;
use std::time::Duration;

pub(crate) use text::{Script, script};

/// What the program said.
pub(crate) enum Outcome {
    /// Values of the symbols that occur in the query.
    Sat(Vec<(SymbolId, u8)>),
    Unsat,
    Unknown(Unknown),
}

/// How a query is put to the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// In a scope of a living context: fastest for easy queries.
    Incremental,
    /// From an empty context, which lets the program choose a strategy for the whole query.
    Full,
    /// The same, but giving up soon: what rewriting alone can do.
    Quick,
}

/// The program.
pub(crate) struct Smt {
    command: Option<Vec<String>>,
    process: Option<Process>,
    /// Queries sent.
    pub calls: u64,
    /// Failures in a row; a program that never works is not started again for every query.
    failures: u32,
    last_failure: String,
}

const REMEDY: &str = "install z3 (apt-get install z3) or name another SMT-LIB program";
const MAX_FAILURES: u32 = 3;
/// About a second of z3.
const QUICK_STEPS: u64 = 5_000_000;
/// How long a program may stay silent over its own limit, and at all when there is none.
const GRACE: Duration = Duration::from_millis(50);

impl Smt {
    pub fn new(command: Option<Vec<String>>) -> Smt {
        let command = command.filter(|c| !c.is_empty());
        Smt { command, process: None, calls: 0, failures: 0, last_failure: String::new() }
    }

    pub fn available(&self) -> bool {
        self.command.is_some() && self.failures < MAX_FAILURES
    }

    /// Is the conjunction satisfiable?
    pub fn solve(&mut self, ex: &Exprs, conditions: &[Expr], effort: Effort, deadline: Deadline) -> Outcome {
        match text::script(ex, conditions) {
            Ok(script) => self.solve_script(&script, effort, deadline),
            Err(unsupported) => Outcome::Unknown(Unknown::BackEnd(unsupported)),
        }
    }

    pub fn solve_script(&mut self, script: &Script, effort: Effort, deadline: Deadline) -> Outcome {
        if deadline.left().is_some_and(|l| l.is_zero()) {
            return Outcome::Unknown(Unknown::Timeout);
        }
        if let Err(why) = self.start() {
            return Outcome::Unknown(why);
        }
        self.calls += 1;
        let mut result = self.converse(script, effort, deadline);
        if matches!(result, Err(Failure::Ended(_))) {
            // It may have been killed from outside since the last query: once more with a new process.
            self.process = None;
            if let Err(why) = self.start() {
                return Outcome::Unknown(why);
            }
            result = self.converse(script, effort, deadline);
        }
        match result {
            Ok(outcome) => {
                self.failures = 0;
                outcome
            }
            Err(Failure::Silent) => {
                self.process = None;
                Outcome::Unknown(Unknown::Timeout)
            }
            Err(Failure::Ended(why) | Failure::Broken(why)) => {
                self.process = None;
                self.failures += 1;
                Outcome::Unknown(self.broken(&why))
            }
        }
    }

    fn broken(&mut self, why: &str) -> Unknown {
        let program = self.command.as_ref().map_or("", |c| &c[0]);
        self.last_failure = format!("the SMT-LIB program `{program}` {why}; {REMEDY}");
        Unknown::BackEnd(self.last_failure.clone())
    }

    fn start(&mut self) -> Result<(), Unknown> {
        if self.process.is_some() {
            return Ok(());
        }
        let Some(command) = &self.command else {
            return Err(Unknown::BackEnd(format!("this query needs an SMT-LIB program; {REMEDY}")));
        };
        if self.failures >= MAX_FAILURES {
            return Err(Unknown::BackEnd(self.last_failure.clone()));
        }
        match Process::start(command) {
            Ok(process) => {
                self.process = Some(process);
                Ok(())
            }
            Err(e) => {
                self.failures += 1;
                Err(self.broken(&format!("could not be started ({e})")))
            }
        }
    }

    fn converse(&mut self, script: &Script, effort: Effort, deadline: Deadline) -> Result<Outcome, Failure> {
        let z3 = self.command.as_ref().is_some_and(|c| c[0].contains("z3"));
        let process = self.process.as_mut().expect("started");
        // Only z3 is known to take declarations in a scope without being told beforehand.
        let fresh = effort != Effort::Incremental || script.has_float || !z3;
        let mut text = String::with_capacity(script.text.len() + 200);
        if fresh || !process.incremental {
            text.push_str("(reset)\n(set-option :produce-models true)\n");
        }
        if !fresh {
            // Told the logic before the first scope, z3 works incrementally on its SAT solver: by far its fastest way.
            text.push_str(if process.incremental { "(push 1)\n" } else { "(set-logic QF_BV)\n(push 1)\n" });
        }
        process.incremental = !fresh;
        if z3 {
            // The program's own limit comes first: it keeps the process, ours kills it.
            let limit = deadline.left().map_or(u128::from(u32::MAX), |l| l.as_millis().max(1));
            let _ = writeln!(text, "(set-option :timeout {})", limit.min(u128::from(u32::MAX)));
            // Counted in the program's own steps, so that the same query ends the same way in every run.
            let steps = if effort == Effort::Quick { QUICK_STEPS } else { 0 };
            let _ = writeln!(text, "(set-option :rlimit {steps})");
        }
        if fresh {
            text.push_str(if script.has_float { "(set-logic QF_BVFP)\n" } else { "(set-logic QF_BV)\n" });
        }
        text.push_str(&script.text);
        text.push_str("(check-sat)\n");
        let patience = deadline.left().map(|l| l + l / 4 + GRACE);
        let reply = process.ask(&text, patience).map_err(Failure::from)?;
        let outcome = match reply.trim() {
            "unsat" => Outcome::Unsat,
            "unknown" | "timeout" => Outcome::Unknown(Unknown::Timeout),
            "sat" if script.symbols.is_empty() => Outcome::Sat(Vec::new()),
            "sat" => {
                let mut text = String::from("(get-value (");
                for s in &script.symbols {
                    let _ = write!(text, "s{} ", s.0);
                }
                text.push_str("))\n");
                let values = process.ask(&text, Some(Duration::from_secs(5))).map_err(Failure::from)?;
                Outcome::Sat(
                    parse_values(&values, &script.symbols)
                        .ok_or_else(|| Failure::Broken(format!("answered `{}`", shorten(&values))))?,
                )
            }
            other => return Err(Failure::Broken(format!("answered `{}`", shorten(other)))),
        };
        if !fresh {
            process.tell("(pop 1)\n");
        }
        Ok(outcome)
    }
}

enum Failure {
    /// No answer in time.
    Silent,
    /// Died.
    Ended(String),
    /// Answered nonsense.
    Broken(String),
}

impl From<Reply> for Failure {
    fn from(reply: Reply) -> Failure {
        match reply {
            Reply::Silent => Failure::Silent,
            Reply::Ended(status) => Failure::Ended(format!("ended unexpectedly ({status})")),
        }
    }
}

fn shorten(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    line.chars().take(160).collect()
}

/// `((s0 #x41) (s3 #b00000000))` for exactly these symbols.
fn parse_values(text: &str, symbols: &[SymbolId]) -> Option<Vec<(SymbolId, u8)>> {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty());
    let mut model = Vec::with_capacity(symbols.len());
    for &s in symbols {
        let id: u32 = words.next()?.strip_prefix('s')?.parse().ok()?;
        let value = words.next()?;
        let byte = match (value.strip_prefix("#x"), value.strip_prefix("#b")) {
            (Some(hex), _) => u8::from_str_radix(hex, 16).ok()?,
            (_, Some(binary)) => u8::from_str_radix(binary, 2).ok()?,
            _ => return None,
        };
        if id != s.0 {
            return None;
        }
        model.push((s, byte));
    }
    words.next().is_none().then_some(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed_strictly() {
        let symbols = [SymbolId(0), SymbolId(12)];
        let parse = |t: &str| parse_values(t, &symbols);
        assert_eq!(
            parse("((s0 #x41)\n (s12 #b00000010))"),
            Some(vec![(SymbolId(0), 0x41), (SymbolId(12), 2)])
        );
        for bad in ["", "((s0 #x41))", "((s0 #x41)(s1 #x00))", "(error \"line 1\")", "((s0 #x141)(s12 #x00))"]
        {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
