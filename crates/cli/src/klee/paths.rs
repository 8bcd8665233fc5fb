//! `.path` files: the symbolic branches of a path, one a line, written by `--write-paths` and followed by
//! `--replay-path`. 1 where a condition holds and 0 where it does not; the number of the case at a switch.

use anyhow::{Context, bail};
use forkwise_ir::Program;
use forkwise_vm::State;
use std::path::Path;
use std::rc::Rc;

/// The decisions of a path. Needs `Config::record_decisions`.
pub fn text(program: &Program, state: &State) -> String {
    let line = |edge: u32| match program.arms_of(edge) {
        Some(arms) if arms.len() == 2 => format!("{}\n", u32::from(edge == arms.start)),
        Some(arms) => format!("{}\n", edge - arms.start),
        None => "0\n".into(),
    };
    state.decision_list().into_iter().map(|(edge, _)| line(edge)).collect()
}

/// Reads a file that `text` gave: the number on each line.
pub fn read(path: &Path) -> anyhow::Result<Rc<[u32]>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        match line.trim().parse() {
            Ok(number) => out.push(number),
            Err(_) => bail!("{}:{}: '{line}' is not a decision", path.display(), i + 1),
        }
    }
    Ok(out.into())
}
