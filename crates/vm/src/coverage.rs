//! Which edges and blocks of the program have been executed, over all paths.

use forkwise_ir::Program;
use std::collections::BTreeSet;

/// Coverage of one exploration. Edges are recorded when taken; a block is covered when an edge into it is.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// 1 for each edge taken.
    pub edges: Vec<u8>,
    /// Edges in the order they were first taken.
    pub log: Vec<u32>,
    /// 1 for each covered block.
    pub blocks: Vec<u8>,
}

impl Coverage {
    /// Nothing covered.
    pub fn new(program: &Program) -> Coverage {
        Coverage {
            edges: vec![0; program.edges.len()],
            log: Vec::new(),
            blocks: vec![0; program.blocks.len()],
        }
    }

    /// Records the first time an edge is taken. Returns whether the block behind it is new, too.
    #[cold]
    pub fn first(&mut self, program: &Program, edge: u32) -> bool {
        self.edges[edge as usize] = 1;
        self.log.push(edge);
        let block = program.edges[edge as usize].block as usize;
        let new = self.blocks.get(block).is_some_and(|b| *b == 0);
        if let Some(b) = self.blocks.get_mut(block) {
            *b = 1;
        }
        new
    }

    /// (covered, total) arms of conditional branches and switches in the user's code. Cases of a switch that lead
    /// to one block are one arm: nothing can tell them apart afterwards, in the engine or natively.
    pub fn branches(&self, program: &Program) -> (usize, usize) {
        let mut covered = 0;
        let mut total = 0;
        let mut targets: Vec<(u32, bool)> = Vec::new();
        for b in &program.branches {
            if program.functions[b.func as usize].is_library {
                continue;
            }
            targets.clear();
            for e in b.first_edge..b.first_edge + b.arms {
                targets.push((program.edges[e as usize].block, self.edges[e as usize] == 0));
            }
            // Taken edges sort first among those with one target.
            targets.sort_unstable();
            targets.dedup_by_key(|t| t.0);
            total += targets.len();
            covered += targets.iter().filter(|t| !t.1).count();
        }
        (covered, total)
    }

    /// (covered, total) source lines of the user's code.
    pub fn lines(&self, program: &Program) -> (usize, usize) {
        (self.lines_where(program, |covered| covered).len(), self.lines_where(program, |_| true).len())
    }

    /// Covered source lines of the user's code: file number and line.
    pub fn covered_lines(&self, program: &Program) -> BTreeSet<(u32, u32)> {
        self.lines_where(program, |covered| covered)
    }

    fn lines_where(&self, program: &Program, wanted: impl Fn(bool) -> bool) -> BTreeSet<(u32, u32)> {
        let mut out = BTreeSet::new();
        for (block, covered) in program.blocks.iter().zip(&self.blocks) {
            if program.functions[block.func as usize].is_library || !wanted(*covered != 0) {
                continue;
            }
            let places = block.lines.iter().map(|l| program.locations[*l as usize]);
            out.extend(places.filter(|l| l.line != 0).map(|l| (l.file, l.line)));
        }
        out
    }
}
