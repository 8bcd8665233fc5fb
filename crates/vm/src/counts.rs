//! How often blocks were entered and how many instructions each call path executed, over all states of an
//! exploration. Searches ask for it (`Config::count_executions`); otherwise nothing is counted and the hot loop knows
//! nothing of it. It decides nothing itself; `forkwise_explore` reads it.

use forkwise_ir::Program;
use rustc_hash::FxHashMap;

/// A call path: the calls that led to an activation, as a node of a tree. Number 0 is the root: the function that the
/// program begins with, and everything that was entered while nothing was counted.
pub type CallPath = u32;

/// Call paths beyond this many count with their caller's: endless recursion must not fill the memory.
const MAX_CALL_PATHS: usize = 1 << 20;

/// See the module text.
#[derive(Debug, Default)]
pub struct Counts {
    /// Times each block was entered.
    blocks: Vec<u64>,
    /// Instructions executed in each call path.
    call_paths: Vec<u64>,
    /// From a call path, the call's function and place in it, and the function called. Looked up, never walked.
    callees: FxHashMap<(CallPath, u32, u32, u32), CallPath>,
}

impl Counts {
    /// Nothing was executed yet.
    pub fn new(program: &Program) -> Counts {
        Counts { blocks: vec![0; program.blocks.len()], call_paths: vec![0], callees: FxHashMap::default() }
    }

    /// A block of so many instructions is entered.
    #[inline]
    pub(crate) fn enter(&mut self, block: u32, instructions: u32, path: CallPath) {
        if let Some(n) = self.blocks.get_mut(block as usize) {
            *n += 1;
        }
        if let Some(n) = self.call_paths.get_mut(path as usize) {
            *n += u64::from(instructions);
        }
    }

    /// The call path of `callee`, called from the operation `pc` of `func`, which runs in `path`.
    pub(crate) fn callee(&mut self, path: CallPath, func: u32, pc: u32, callee: u32) -> CallPath {
        let next = self.call_paths.len();
        if let Some(known) = self.callees.get(&(path, func, pc, callee)) {
            return *known;
        }
        if next >= MAX_CALL_PATHS {
            return path;
        }
        self.callees.insert((path, func, pc, callee), next as CallPath);
        self.call_paths.push(0);
        next as CallPath
    }

    /// Times a block was entered, and so its instructions executed; 0 when nothing is counted.
    pub fn of_block(&self, block: u32) -> u64 {
        self.blocks.get(block as usize).copied().unwrap_or(0)
    }

    /// Instructions executed in a call path; 0 when nothing is counted.
    pub fn of_call_path(&self, path: CallPath) -> u64 {
        self.call_paths.get(path as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_ir::Block;

    #[test]
    fn call_paths_are_told_apart_by_their_calls() {
        let program = Program { blocks: vec![Block::default(); 2], ..Program::default() };
        let mut counts = Counts::new(&program);
        let a = counts.callee(0, 0, 5, 1);
        let b = counts.callee(0, 0, 9, 1);
        let deeper = counts.callee(a, 1, 2, 1);
        assert_eq!((a, b, deeper), (1, 2, 3));
        assert_eq!(counts.callee(0, 0, 5, 1), a);
        counts.enter(1, 7, a);
        counts.enter(1, 7, b);
        counts.enter(0, 2, a);
        assert_eq!([counts.of_block(0), counts.of_block(1), counts.of_block(9)], [1, 2, 0]);
        assert_eq!([0, a, b, deeper].map(|p| counts.of_call_path(p)), [0, 9, 7, 0]);
    }
}
