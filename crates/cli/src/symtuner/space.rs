//! The space of the paper for KLEE's options, and what of a space an engine does not know any more.

use crate::klee;
use forkwise_tune::words::{declares_input, stem};
use forkwise_tune::{Parameter, Space, SpaceFile};
use std::path::Path;
use std::process::{Command, Stdio};

/// Options that no KLEE since 2.1 has.
const DEAD: [&str; 2] = ["max-instruction-time", "ignore-solver-failures"];

/// Section 4.1.1 of the paper; the fixed part only says what every run needs.
pub fn of_paper() -> SpaceFile {
    let pairs = |name: &str| Parameter::new(name, ["true", "false"], 1);
    let shares = |name: &str| Parameter::new(name, ["0.25", "0.5", "1", "2", "4"], 1);
    let sizes = |name: &str| Parameter::new(name, [4, 8, 12, 16, 20], 1);
    let searches = [
        "dfs",
        "bfs",
        "random-state",
        "random-path",
        "nurs:covnew",
        "nurs:md2u",
        "nurs:depth",
        "nurs:icnt",
        "nurs:cpicnt",
        "nurs:qc",
    ];
    let parameters = vec![
        Parameter::new("-search", searches, 1),
        Parameter::new("-sym-arg", 1..=10, 5),
        sizes("-sym-files 1"),
        sizes("-sym-stdin"),
        Parameter::new("-sym-stdout", ["on", "off"], 1),
        Parameter::new("-seed-file", Vec::<String>::new(), 1),
        Parameter::new("-max-memory", [500, 1000, 1500, 2000, 2500], 1),
        Parameter::new("-batch-instructions", [6000, 8000, 10_000, 12_000, 14_000], 1),
        Parameter::new("-max-sym-array-size", [3000, 3500, 4000, 4500, 5000], 1),
        shares("-max-static-fork-pct"),
        shares("-max-static-solve-pct"),
        shares("-max-static-cpfork-pct"),
        Parameter::new("-switch-type", ["simple", "internal"], 1),
        Parameter::new("-external-calls", ["concrete", "all"], 1),
        pairs("-simplify-sym-indices"),
        pairs("-use-forked-solver"),
        pairs("-use-cex-cache"),
        pairs("-max-memory-inhibit"),
        pairs("-optimize"),
    ];
    let flags = [
        "posix-runtime",
        "use-batching-search",
        "only-output-states-covering-new",
        "allow-seed-extension",
        "allow-seed-truncation",
    ];
    let mut defaults: Vec<_> = flags.iter().map(|f| (format!("-{f}"), None)).collect();
    defaults.push(("-libc".into(), Some("uclibc".into())));
    SpaceFile { space: Space { parameters }, defaults }
}

/// The options an engine has: `None` where it does not tell.
pub fn options_of(klee: Option<&Path>) -> Option<Vec<String>> {
    let Some(klee) = klee else { return Some(klee::option_names().map(str::to_string).collect()) };
    let output = Command::new(klee).arg("--help-hidden").stdin(Stdio::null()).output().ok()?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let names: Vec<String> = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--").or_else(|| word.strip_prefix('-')))
        .map(|word| word.split(['=', ',', '[']).next().unwrap_or_default().to_string())
        .filter(|name| !name.is_empty())
        .collect();
    // Something that was written by a KLEE, and not an error.
    names.iter().any(|n| n == "search").then_some(names)
}

/// Takes out of a space what the engine does not know; the answer names it.
pub fn drop_dead(file: &mut SpaceFile, known: Option<&[String]>) -> Vec<String> {
    let alive = |key: &str| {
        let name = stem(key);
        declares_input(key)
            || !DEAD.contains(&name) && known.is_none_or(|known| known.iter().any(|k| k == name))
    };
    let mut dead: Vec<String> = Vec::new();
    file.space.parameters.retain(|p| alive(&p.name) || (dead.push(p.name.clone()), false).1);
    file.defaults.retain(|(key, _)| alive(key) || (dead.push(key.clone()), false).1);
    dead
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_of_the_paper_is_known_to_this_engine() {
        let mut file = of_paper();
        assert_eq!(file.space.parameters.len(), 19, "and the time of an instruction, which KLEE has no more");
        let known = options_of(None).expect("a table");
        assert_eq!(drop_dead(&mut file, Some(&known)), Vec::<String>::new());
        assert_eq!(SpaceFile::parse(&file.to_json()).expect("a space file"), file);
    }

    #[test]
    fn dead_options_are_dropped() {
        let text = r#"{"space": {"-max-instruction-time": [[10], 1], "-search": [["dfs"], 1], "-sym-arg": [[1], 2]},
                       "defaults": {"-ignore-solver-failures": null, "-disable-inlining": null, "-watchdog": null}}"#;
        let file = SpaceFile::parse(text).expect("a space file");
        let mut one = file.clone();
        assert_eq!(drop_dead(&mut one, None), ["-max-instruction-time", "-ignore-solver-failures"]);
        let known = ["search", "watchdog"].map(String::from);
        let mut other = file;
        let dead = drop_dead(&mut other, Some(&known));
        assert_eq!(dead, ["-max-instruction-time", "-ignore-solver-failures", "-disable-inlining"]);
        assert_eq!((other.space.parameters.len(), other.defaults.len()), (2, 1));
    }
}
