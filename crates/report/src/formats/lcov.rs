//! lcov's tracefile (see geninfo(1)). The engine knows whether something was executed, not how often: counts are 0 and 1.

use super::lines::by_file;
use crate::folder::Run;
use std::fmt::Write as _;

/// The text.
pub fn lcov(run: &Run) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    for file in by_file(run) {
        // One record a line: a name that cannot be written so is left out.
        if file.path.contains(['\n', '\r']) {
            continue;
        }
        let _ = writeln!(out, "TN:\nSF:{}", file.path);
        let functions = file.functions();
        for (line, name, _) in &functions {
            let _ = writeln!(out, "FN:{line},{name}");
        }
        for (_, name, entered) in &functions {
            let _ = writeln!(out, "FNDA:{},{name}", u32::from(*entered));
        }
        let entered = functions.iter().filter(|f| f.2).count();
        let _ = writeln!(out, "FNF:{}\nFNH:{entered}", functions.len());
        for (line, state) in &file.lines {
            for (block, branch) in state.branches.iter().enumerate() {
                for (arm, state_of_arm) in branch.arms.iter().enumerate() {
                    let count = match (state.executed, state_of_arm.taken) {
                        (_, true) => "1",
                        (true, false) => "0",
                        (false, false) => "-",
                    };
                    let _ = writeln!(out, "BRDA:{line},{block},{arm},{count}");
                }
            }
        }
        let (taken, arms) = file.taken();
        let _ = writeln!(out, "BRF:{arms}\nBRH:{taken}");
        for (line, state) in &file.lines {
            let _ = writeln!(out, "DA:{line},{}", u32::from(state.executed));
        }
        let (executed, lines) = file.executed();
        let _ = writeln!(out, "LF:{lines}\nLH:{executed}\nend_of_record");
    }
    out
}
