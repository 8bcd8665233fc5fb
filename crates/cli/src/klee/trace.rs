//! `--debug-print-instructions`: every operation as it is executed, with its source line, its line in `assembly.ll` and
//! the state that executes it, to standard error or to `instructions.txt`. It only reports; see `Vm::tracer`.

use super::assembly::Assembly;
use super::options::Options;
use crate::console;
use anyhow::{Context, bail};
use forkwise_ir::Program;
use forkwise_vm::{Executed, Tracer};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::rc::Rc;

/// How much is said of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Its source line, its line in `assembly.ll`, its state, itself.
    All,
    /// The same without itself.
    Source,
    /// Only its line in `assembly.ll` and its state.
    Compact,
}

/// What the option asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tracing {
    to_stderr: Option<Detail>,
    to_file: Option<Detail>,
}

impl Tracing {
    /// Reads the option's values.
    pub fn parse(options: &Options) -> anyhow::Result<Tracing> {
        let mut out = Tracing::default();
        for value in options.list("debug-print-instructions") {
            let (detail, to) = value.split_once(':').unwrap_or((&value, ""));
            let detail = match detail {
                "all" => Detail::All,
                "src" => Detail::Source,
                "compact" => Detail::Compact,
                _ => bail!("for the --debug-print-instructions option: Cannot find option named '{value}'!"),
            };
            match to {
                "stderr" => out.to_stderr = Some(detail),
                "file" => out.to_file = Some(detail),
                _ => bail!("for the --debug-print-instructions option: Cannot find option named '{value}'!"),
            }
        }
        Ok(out)
    }

    /// The tracer, if any is asked for. Several program runs go to one file, one after the other.
    pub fn tracer(
        self,
        folder: &Path,
        assembly: impl FnOnce() -> Rc<Assembly>,
    ) -> anyhow::Result<Option<Tracer>> {
        if self == Tracing::default() {
            return Ok(None);
        }
        let mut file = match self.to_file {
            None => None,
            Some(_) => {
                let path = folder.join("instructions.txt");
                let file = File::options().create(true).append(true).open(&path);
                Some(BufWriter::new(file.with_context(|| format!("cannot write {}", path.display()))?))
            }
        };
        let assembly = assembly();
        Ok(Some(Box::new(move |program, executed| {
            if let Some(detail) = self.to_stderr {
                console::err_line(&line(program, &assembly, executed, detail));
            }
            if let (Some(detail), Some(file)) = (self.to_file, &mut file) {
                // A full disk ends the report, not the run.
                let _ = writeln!(file, "{}", line(program, &assembly, executed, detail));
            }
        })))
    }
}

fn line(program: &Program, assembly: &Assembly, executed: Executed, detail: Detail) -> String {
    let function = &program.functions[executed.func as usize];
    let pc = executed.pc as usize;
    let place = function.locs.get(pc).and_then(|l| program.locations.get(*l as usize));
    let place = place.copied().unwrap_or_default();
    let number = assembly.line(&function.name, place.line, place.column);
    let state = executed.state;
    if detail == Detail::Compact {
        return format!("{number}:{state}");
    }
    let source = match program.files.get(place.file as usize) {
        Some(file) if place.line != 0 => format!("     {}:{}", file.path, place.line),
        _ => format!("     [no debug info] {}", function.name),
    };
    match function.code.get(pc) {
        Some(op) if detail == Detail::All => format!("{source}:{number}:{state}:{op}"),
        _ => format!("{source}:{number}:{state}"),
    }
}
