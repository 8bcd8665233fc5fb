//! `coverage.json`: which arms of which branches of the user's code were taken, and which lines. Arms have numbers that are the same in every
//! run of the same program, whatever the mode and the search; `compare` counts by them. See docs/search.md for the fields.

use serde::{Deserialize, Serialize};

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
    /// Lines that were executed: a file, as a place in `files`, and ranges of lines, both ends included.
    #[serde(default)]
    pub lines: Vec<(u32, Vec<(u32, u32)>)>,
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
    /// The version of the format.
    pub const FORMAT: u32 = 1;

    /// The text of the file: a line for each branch, so that two files can be compared line by line.
    pub fn to_json(&self) -> String {
        let lines = |list: Vec<String>| list.iter().map(|l| format!("\n  {l}")).collect::<Vec<_>>().join(",");
        let files = self.files.iter().map(|f| serde_json::json!(f).to_string()).collect();
        let covered = self.lines.iter().map(|l| serde_json::json!(l).to_string()).collect();
        let branches = self.branches.iter().map(|b| serde_json::json!(b).to_string()).collect();
        format!(
            "{{\"format\": {}, \"covered\": {}, \"total\": {},\n\"files\": [{}],\n\"branches\": [{}],\n\"lines\": [{}]}}\n",
            self.format,
            self.covered,
            self.total,
            lines(files),
            lines(branches),
            lines(covered),
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
            format: Arms::FORMAT,
            covered: 3,
            total: 4,
            files: vec!["a \"b\".c".into(), "c.c".into()],
            branches: vec![Branch(0, 0, 3, 7, 2, vec![0, 1]), Branch(2, 1, 9, 1, 2, vec![1])],
            lines: vec![(0, vec![(3, 5), (7, 7)])],
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
