//! What a run covers of the user's code, kept up to date edge by edge: counts that cost nothing to ask for, `coverage.json`, and
//! which test was the first to reach an arm. Counts as `Coverage::branches` and `Coverage::lines` do.

use forkwise_ir::Program;
pub use forkwise_report::data::{Arms, Branch};
use forkwise_vm::{Coverage, First};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Not the user's code, or not an arm.
const NONE: u32 = u32::MAX;

/// An arm; cases that lead to one block are one arm, the first.
#[derive(Clone, Copy)]
struct Arm {
    /// Its number within the branch.
    index: u32,
    covered: bool,
    /// A test reached it.
    tested: bool,
}

/// A branch of the user's code.
struct Place {
    /// Number of its first arm in files.
    number: u32,
    location: u32,
    /// First of its arms in `Covered::arms`, and how many there are.
    first: u32,
    arms: u32,
}

/// See the module text.
pub struct Covered {
    branches: Vec<Place>,
    arms: Vec<Arm>,
    /// By edge: its arm.
    arm_of: Vec<u32>,
    /// Of each arm: its branch.
    branch_of: Vec<u32>,
    /// Lines with code, by file and line; whether they were executed.
    lines: Vec<(u32, u32, bool)>,
    /// By block: where its lines begin in `block_lines`.
    line_of_block: Vec<u32>,
    block_lines: Vec<u32>,
    covered_arms: usize,
    covered_lines: usize,
    /// Edges of the log that were looked at.
    seen: usize,
    /// By edge: a test went over it.
    tested: Vec<bool>,
}

impl Covered {
    /// Nothing is covered.
    pub fn new(program: &Program) -> Covered {
        let mut out = Covered {
            branches: Vec::new(),
            arms: Vec::new(),
            arm_of: vec![NONE; program.edges.len()],
            branch_of: Vec::new(),
            lines: Vec::new(),
            line_of_block: Vec::with_capacity(program.blocks.len() + 1),
            block_lines: Vec::new(),
            covered_arms: 0,
            covered_lines: 0,
            seen: 0,
            tested: vec![false; program.edges.len()],
        };
        out.number_arms(program);
        out.number_lines(program);
        out
    }

    fn number_arms(&mut self, program: &Program) {
        let mut number = 0;
        for b in program.branches.iter().filter(|b| !program.functions[b.func as usize].is_library) {
            let first = self.arms.len() as u32;
            let mut targets: BTreeMap<u32, u32> = BTreeMap::new();
            for index in 0..b.arms {
                let edge = (b.first_edge + index) as usize;
                let arm = *targets.entry(program.edges[edge].block).or_insert_with(|| {
                    self.arms.push(Arm { index, covered: false, tested: false });
                    self.branch_of.push(self.branches.len() as u32);
                    self.arms.len() as u32 - 1
                });
                self.arm_of[edge] = arm;
            }
            let arms = self.arms.len() as u32 - first;
            self.branches.push(Place { number, location: b.loc, first, arms });
            number += b.arms;
        }
    }

    fn number_lines(&mut self, program: &Program) {
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut of_blocks: Vec<(u32, u32)> = Vec::new();
        for block in &program.blocks {
            self.line_of_block.push(of_blocks.len() as u32);
            if !program.functions[block.func as usize].is_library {
                let places = block.lines.iter().map(|l| program.locations[*l as usize]);
                of_blocks.extend(places.filter(|l| l.line != 0).map(|l| (l.file, l.line)));
            }
        }
        self.line_of_block.push(of_blocks.len() as u32);
        numbers.extend(of_blocks.iter().map(|place| (*place, 0)));
        for (i, (place, number)) in numbers.iter_mut().enumerate() {
            *number = i as u32;
            self.lines.push((place.0, place.1, false));
        }
        self.block_lines = of_blocks.iter().map(|place| numbers[place]).collect();
    }

    /// Takes in what was covered since the last time. Returns whether arms are among it.
    pub fn update(&mut self, program: &Program, coverage: &Coverage) -> bool {
        let before = self.covered_arms;
        for edge in &coverage.log[self.seen..] {
            if let Some(arm) = self.arms.get_mut(self.arm_of[*edge as usize] as usize)
                && !arm.covered
            {
                arm.covered = true;
                self.covered_arms += 1;
            }
            let block = program.edges[*edge as usize].block as usize;
            if let (Some(from), Some(to)) = (self.line_of_block.get(block), self.line_of_block.get(block + 1))
            {
                for line in &self.block_lines[*from as usize..*to as usize] {
                    let line = &mut self.lines[*line as usize];
                    self.covered_lines += usize::from(!line.2);
                    line.2 = true;
                }
            }
        }
        self.seen = coverage.log.len();
        self.covered_arms != before
    }

    /// (covered, total) arms.
    pub fn branches(&self) -> (usize, usize) {
        (self.covered_arms, self.arms.len())
    }

    /// (covered, total) lines.
    pub fn lines(&self) -> (usize, usize) {
        (self.covered_lines, self.lines.len())
    }

    /// Would a test of this path be the first to reach an arm?
    pub fn is_first(&self, firsts: Option<&Rc<First>>) -> bool {
        let path = std::iter::successors(firsts, |first| first.before.as_ref());
        path.take_while(|first| !self.tested[first.edge as usize])
            .filter_map(|first| self.arms.get(self.arm_of[first.edge as usize] as usize))
            .any(|arm| !arm.tested)
    }

    /// A path became a test. Returns the numbers of the arms that no test before it reached.
    pub fn tested(&mut self, firsts: Option<&Rc<First>>) -> Vec<u32> {
        let mut out = Vec::new();
        let mut next = firsts;
        while let Some(first) = next {
            let known = &mut self.tested[first.edge as usize];
            if *known {
                // Whoever went over this edge had everything before it, too.
                break;
            }
            *known = true;
            let arm = self.arm_of[first.edge as usize];
            if let Some(a) = self.arms.get_mut(arm as usize)
                && !a.tested
            {
                a.tested = true;
                out.push(self.branches[self.branch_of[arm as usize] as usize].number + a.index);
            }
            next = first.before.as_ref();
        }
        out.sort_unstable();
        out
    }

    /// The contents of `coverage.json`.
    pub fn arms(&self, program: &Program) -> Arms {
        let mut out = Arms {
            format: Arms::FORMAT,
            covered: self.covered_arms as u32,
            total: self.arms.len() as u32,
            ..Arms::default()
        };
        let mut files: BTreeMap<u32, u32> = BTreeMap::new();
        let mut file_number = |file: u32, names: &mut Vec<String>| {
            *files.entry(file).or_insert_with(|| {
                let path = program.files.get(file as usize).map_or("", |f| &f.path);
                names.push(path.to_string());
                names.len() as u32 - 1
            })
        };
        for b in &self.branches {
            let arms = &self.arms[b.first as usize..(b.first + b.arms) as usize];
            let taken: Vec<u32> = arms.iter().filter(|a| a.covered).map(|a| a.index).collect();
            if !taken.is_empty() {
                let place = program.locations[b.location as usize];
                let file = file_number(place.file, &mut out.files);
                out.branches.push(Branch(b.number, file, place.line, place.column, b.arms, taken));
            }
        }
        for (file, line, _) in self.lines.iter().filter(|l| l.2) {
            let file = file_number(*file, &mut out.files);
            match out.lines.last_mut() {
                Some((f, ranges)) if *f == file => match ranges.last_mut() {
                    Some((_, end)) if *end + 1 == *line => *end = *line,
                    _ => ranges.push((*line, *line)),
                },
                _ => out.lines.push((file, vec![(*line, *line)])),
            }
        }
        out
    }

    /// Lines with code, by file: for `program.json`.
    pub fn all_lines(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.lines.iter().map(|l| (l.0, l.1))
    }

    /// Branches for `program.json`: number of the first arm, location, arms.
    pub fn all_branches(&self) -> impl Iterator<Item = (u32, u32, Vec<u32>)> + '_ {
        self.branches.iter().map(|b| {
            let arms = &self.arms[b.first as usize..(b.first + b.arms) as usize];
            (b.number, b.location, arms.iter().map(|a| a.index).collect())
        })
    }
}
