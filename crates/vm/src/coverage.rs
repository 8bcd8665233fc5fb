//! Which edges and blocks of the program have been executed, over all paths.

use forkwise_ir::Program;

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
        let mut total = std::collections::BTreeSet::new();
        let mut covered = std::collections::BTreeSet::new();
        for (i, b) in program.blocks.iter().enumerate() {
            if program.functions[b.func as usize].is_library {
                continue;
            }
            for l in &b.lines {
                let loc = program.locations[*l as usize];
                if loc.line == 0 {
                    continue;
                }
                total.insert((loc.file, loc.line));
                if self.blocks[i] != 0 {
                    covered.insert((loc.file, loc.line));
                }
            }
        }
        (covered.len(), total.len())
    }
}
