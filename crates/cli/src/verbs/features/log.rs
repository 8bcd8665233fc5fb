//! The values of features over time: a CSV row for each choice of an engine. A choice never waits for an error: what goes wrong
//! with the file is kept and told at the end.

use crate::engine::Engine;
use crate::run::csv_cell;
use anyhow::{Context, bail};
use forkwise_concolic::Negation;
use forkwise_concolic::features::TABLE;
use forkwise_explore::{STATE_FEATURES, STATE_STATISTICS, Selection};
use forkwise_ir::Program;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::rc::Rc;

/// See the module text.
pub struct Log {
    sheet: Rc<RefCell<Sheet>>,
    name: String,
}

struct Sheet {
    to: Box<dyn Write>,
    /// The first error; nothing is written after it.
    failed: Option<io::Error>,
    every: u64,
    row: String,
}

impl Sheet {
    /// Is this choice, counted from 1, to be written?
    fn wants(&self, number: u64) -> bool {
        self.failed.is_none() && number % self.every == 1 % self.every
    }

    fn end_row(&mut self) {
        self.row.push('\n');
        if self.failed.is_none() {
            self.failed = self.to.write_all(self.row.as_bytes()).err();
        }
        self.row.clear();
    }

    fn cell(&mut self, value: impl std::fmt::Display) {
        if !self.row.is_empty() {
            self.row.push(',');
        }
        // Writing to a String cannot fail.
        let _ = write!(self.row, "{value}");
    }

    fn cells<T: std::fmt::Display>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|v| self.cell(v));
    }

    fn state(&mut self, s: &Selection<'_>) {
        self.cells([s.number, s.instructions, s.states as u64, s.state.id]);
        self.cells(s.statistics);
        self.cells(s.features().map(u8::from));
        self.end_row();
    }

    fn branch(&mut self, program: &Program, n: &Negation) {
        let (function, place) = n.taken.or(n.opposite).map_or_else(Default::default, |e| place(program, e));
        self.cells([n.number, n.executions, n.position as u64, n.length as u64]);
        self.cell(u8::from(n.success));
        self.cell(csv_cell(&function));
        self.cell(csv_cell(&place));
        self.cells(n.features().map(u8::from));
        self.end_row();
    }
}

impl Log {
    /// Begins to write what an engine chooses, every so many choices, to a file or to standard output.
    pub fn attach(engine: &mut Engine, file: Option<&Path>, every: u64) -> anyhow::Result<Log> {
        if let Engine::PureRandom(_) = engine {
            bail!("pure-random chooses no branch, so there are no features; take another --search");
        }
        let name = file.map_or("standard output".to_string(), |f| f.display().to_string());
        let to: Box<dyn Write> = match file {
            None => Box::new(BufWriter::new(io::stdout())),
            Some(file) => {
                Box::new(BufWriter::new(File::create(file).with_context(|| format!("cannot create {name}"))?))
            }
        };
        let sheet = Rc::new(RefCell::new(Sheet { to, failed: None, every, row: String::new() }));
        let writer = sheet.clone();
        match engine {
            Engine::Explore(explorer, _) => {
                let mut sheet = sheet.borrow_mut();
                sheet.cells(["selection", "instructions", "states", "state"]);
                // A statistic and its features are different columns: names of features end in -low and -high.
                sheet.cells(STATE_STATISTICS.map(|s| format!("value:{}", s.name)));
                sheet.cells(STATE_FEATURES.map(|f| f.name));
                sheet.end_row();
                explorer.observe(Box::new(move |selection| {
                    let mut sheet = writer.borrow_mut();
                    if sheet.wants(selection.number) {
                        sheet.state(selection);
                    }
                }));
            }
            Engine::Concolic(concolic) => {
                let mut sheet = sheet.borrow_mut();
                let first =
                    ["selection", "executions", "position", "path-length", "success", "function", "location"];
                sheet.cells(first);
                sheet.cells(TABLE.map(|f| f.name));
                sheet.end_row();
                let program = concolic.vm.program.clone();
                concolic.observe(Box::new(move |negation| {
                    let mut sheet = writer.borrow_mut();
                    if sheet.wants(negation.number) {
                        sheet.branch(&program, negation);
                    }
                }));
            }
            Engine::PureRandom(_) => {}
        }
        Ok(Log { sheet, name })
    }

    /// Writes what is left, and tells what went wrong. A reader that went away is no error.
    pub fn finish(self) -> anyhow::Result<()> {
        let mut sheet = self.sheet.borrow_mut();
        match sheet.failed.take().map_or_else(|| sheet.to.flush(), Err) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other.with_context(|| format!("cannot write {}", self.name)),
        }
    }
}

/// The function and the source place of the branch that an edge belongs to.
fn place(program: &Program, edge: u32) -> (String, String) {
    let i = program.branches.partition_point(|b| b.first_edge <= edge);
    let Some(branch) = i.checked_sub(1).and_then(|i| program.branches.get(i)) else {
        return Default::default();
    };
    let at = program.locations[branch.loc as usize];
    let file = program.files.get(at.file as usize).map_or("", |f| &f.path);
    let function = program.functions[branch.func as usize].name.clone();
    (function, if at.line == 0 { String::new() } else { format!("{file}:{}:{}", at.line, at.column) })
}

#[cfg(test)]
mod tests {
    use super::csv_cell;

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        assert_eq!(csv_cell("a.c:1:2"), "a.c:1:2");
        assert_eq!(csv_cell("a,\"b\".c"), "\"a,\"\"b\"\".c\"");
    }
}
