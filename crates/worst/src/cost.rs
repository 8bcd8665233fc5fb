//! What is maximised. One value answers for all costs: it is read off a path's last state, counted while the path runs,
//! or asked of somebody who runs the input natively.

use crate::path::Values;
use forkwise_ir::Program;
use forkwise_vm::{State, Vm};

/// Instructions that the native program executes on an input.
pub type NativeCost = Box<dyn FnMut(&Values) -> Result<u64, String>>;

/// Why a cost cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// The name means nothing.
    #[error(
        "there is no cost '{0}'; say instructions, native, alloc, stack, branch:FILE:LINE or function:NAME"
    )]
    Unknown(String),
    /// The program has no such function.
    #[error("the program has no function '{0}' whose calls could be counted")]
    NoFunction(String),
    /// The program has no branch there.
    #[error("the program has no branch at {0}:{1}; lines with branches there: {2}")]
    NoBranch(String, u32, String),
}

/// See the module text.
pub enum Cost {
    /// IR instructions from `main` on.
    Instructions,
    /// The most bytes that `malloc` and its like had given at once.
    Alloc,
    /// The most bytes on the stack at once.
    Stack,
    /// Times these blocks were entered: those of a branch, or the first one of a function.
    Blocks(Vec<u32>),
    /// Instructions of the native program.
    Native(NativeCost),
}

impl Cost {
    /// The cost of a name as the command line has it, except `native`, which needs somebody to measure it.
    pub fn parse(name: &str, program: &Program) -> Result<Cost, CostError> {
        match name.split_once(':') {
            None => match name {
                "instructions" => Ok(Cost::Instructions),
                "alloc" => Ok(Cost::Alloc),
                "stack" => Ok(Cost::Stack),
                _ => Err(CostError::Unknown(name.into())),
            },
            Some(("function", function)) => {
                let none = || CostError::NoFunction(function.into());
                let f = program.function(function).ok_or_else(none)?;
                let f = &program.functions[f as usize];
                match f.n_blocks {
                    0 => Err(none()),
                    _ => Ok(Cost::Blocks(vec![f.first_block])),
                }
            }
            Some(("branch", place)) => {
                let unknown = || CostError::Unknown(name.into());
                let (file, line) = place.rsplit_once(':').ok_or_else(unknown)?;
                branch(program, file, line.parse().map_err(|_| unknown())?)
            }
            Some(_) => Err(CostError::Unknown(name.into())),
        }
    }

    /// Must the machine count blocks?
    pub(crate) fn counts_blocks(&self) -> bool {
        matches!(self, Cost::Blocks(_))
    }

    /// What the machine has counted since it was made.
    pub(crate) fn count(&self, vm: &Vm) -> u64 {
        match self {
            Cost::Blocks(blocks) => blocks.iter().map(|b| vm.counts.of_block(*b)).sum(),
            _ => 0,
        }
    }

    /// The cost of a path that has ended.
    pub(crate) fn of(
        &mut self,
        st: &State,
        counted: u64,
        values: &[(String, Vec<u8>)],
    ) -> Result<u64, String> {
        match self {
            Cost::Instructions => Ok(st.instructions.saturating_sub(st.main_at)),
            Cost::Alloc => Ok(st.mem.heap_peak),
            Cost::Stack => Ok(st.stack_peak),
            Cost::Blocks(_) => Ok(counted),
            Cost::Native(measure) => measure(&values.to_vec()),
        }
    }
}

/// The branches of a line. A file is named by the end of its path.
fn branch(program: &Program, file: &str, line: u32) -> Result<Cost, CostError> {
    let in_file = |loc: u32| {
        let l = program.locations.get(loc as usize)?;
        let path = &program.files.get(l.file as usize)?.path;
        (path == file || path.ends_with(&format!("/{file}"))).then_some(l.line)
    };
    let at = |b: &&forkwise_ir::Branch| in_file(b.loc) == Some(line);
    let blocks: Vec<u32> = program.branches.iter().filter(at).map(|b| b.block).collect();
    if blocks.is_empty() {
        let mut lines: Vec<u32> = program.branches.iter().filter_map(|b| in_file(b.loc)).collect();
        lines.sort_unstable();
        lines.dedup();
        let known = match lines.is_empty() {
            true => "none".into(),
            false => lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        };
        return Err(CostError::NoBranch(file.into(), line, known));
    }
    Ok(Cost::Blocks(blocks))
}
