//! `coverage.json`: which arms of which branches of the user's code were taken. Arms have numbers that are the same in every
//! run of the same program, whatever the mode and the search; `compare` counts by them. See docs/search.md for the fields.

use forkwise_vm::Vm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
const FORMAT: u32 = 1;

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arms {
    /// Version.
    pub format: u32,
    /// Arms that were taken.
    pub covered: u32,
    /// Arms there are.
    pub total: u32,
    /// Source files.
    pub files: Vec<String>,
    /// Branches of which an arm was taken.
    pub branches: Vec<Branch>,
}

/// A branch: the number of its first arm (the others follow), its place, how many arms it has, which were taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch(
    /// Number of the first arm.
    pub u32,
    /// File, as a place in `files`.
    pub u32,
    /// Line; 0 where it is not known.
    pub u32,
    /// Column; 0 where it is not known.
    pub u32,
    /// Arms.
    pub u32,
    /// Those that were taken, from 0.
    pub Vec<u32>,
);

impl Arms {
    /// What a machine has covered. Counts as `Coverage::branches` does: cases that lead to one block are one arm, the first.
    pub fn of(vm: &Vm) -> Arms {
        let program = &vm.program;
        let mut out = Arms { format: FORMAT, ..Arms::default() };
        let mut files: BTreeMap<u32, u32> = BTreeMap::new();
        let mut next = 0;
        for b in program.branches.iter().filter(|b| !program.functions[b.func as usize].is_library) {
            let number = next;
            next += b.arms;
            // By target: its first arm, and whether any was taken.
            let mut targets: BTreeMap<u32, (u32, bool)> = BTreeMap::new();
            for arm in 0..b.arms {
                let edge = (b.first_edge + arm) as usize;
                let target = targets.entry(program.edges[edge].block).or_insert((arm, false));
                target.1 |= vm.coverage.edges[edge] != 0;
            }
            out.total += targets.len() as u32;
            let mut taken: Vec<u32> = targets.values().filter(|t| t.1).map(|t| t.0).collect();
            if taken.is_empty() {
                continue;
            }
            taken.sort_unstable();
            out.covered += taken.len() as u32;
            let place = program.locations[b.loc as usize];
            let file = *files.entry(place.file).or_insert_with(|| {
                let path = program.files.get(place.file as usize).map_or("", |f| &f.path);
                out.files.push(path.to_string());
                out.files.len() as u32 - 1
            });
            out.branches.push(Branch(number, file, place.line, place.column, targets.len() as u32, taken));
        }
        out
    }

    /// The text of the file: a line for each branch, so that two files can be compared line by line.
    pub fn to_json(&self) -> String {
        let lines = |list: Vec<String>| list.iter().map(|l| format!("\n  {l}")).collect::<Vec<_>>().join(",");
        let files = self.files.iter().map(|f| serde_json::json!(f).to_string()).collect();
        let branches = self.branches.iter().map(|b| serde_json::json!(b).to_string()).collect();
        format!(
            "{{\"format\": {}, \"covered\": {}, \"total\": {},\n\"files\": [{}],\n\"branches\": [{}]}}\n",
            self.format,
            self.covered,
            self.total,
            lines(files),
            lines(branches),
        )
    }

    /// Arms that were taken: their numbers, and where they are (`FILE:LINE:COLUMN, arm K of N`).
    pub fn taken(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        self.branches.iter().flat_map(|Branch(first, file, line, column, arms, taken)| {
            let file = self.files.get(*file as usize).map_or("?", String::as_str);
            taken.iter().map(move |arm| {
                (first.saturating_add(*arm), format!("{file}:{line}:{column}, arm {} of {arms}", arm + 1))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_can_be_read_again() {
        let arms = Arms {
            format: FORMAT,
            covered: 3,
            total: 4,
            files: vec!["a \"b\".c".into(), "c.c".into()],
            branches: vec![Branch(0, 0, 3, 7, 2, vec![0, 1]), Branch(2, 1, 9, 1, 2, vec![1])],
        };
        let again: Arms = serde_json::from_str(&arms.to_json()).expect("it is JSON");
        assert_eq!(again, arms);
        let empty: Arms = serde_json::from_str(&Arms::default().to_json()).expect("it is JSON");
        assert_eq!(empty, Arms::default());
        let taken: Vec<(u32, String)> = arms.taken().collect();
        assert_eq!(taken[1], (1, "a \"b\".c:3:7, arm 2 of 2".to_string()));
        assert_eq!(taken[2], (3, "c.c:9:1, arm 2 of 2".to_string()));
    }
}
