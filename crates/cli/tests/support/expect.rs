//! Expectations written into test programs as comments; `tests/programs/README.md` describes them. Reading them is all
//! this does: a comment that cannot be understood is an error, so that a misspelt expectation never passes silently.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Optimisation levels that exist.
pub const LEVELS: [u32; 3] = [0, 1, 2];

/// A bug that must be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Kinds that are right, any of them.
    pub kinds: Vec<String>,
    /// The function it is in.
    pub function: String,
    /// The line it is on.
    pub line: u64,
    /// The library function that stumbles; the bug is still reported where the program called it.
    pub via: Option<String>,
    /// One of several lines on which the same bug may show, for instance anywhere in a loop that hangs.
    pub loose: bool,
}

/// What is expected of one program at one level.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// Levels it runs at.
    pub levels: Vec<u32>,
    /// Options for the engine.
    pub flags: Vec<String>,
    /// Do not build and replay natively.
    pub native_skip: bool,
    /// Number of paths, and whether it holds exactly (else: at most).
    pub paths: Option<(u64, bool)>,
    /// Number of tests.
    pub tests: Option<u64>,
    /// Exit codes of the tests, and whether all of them must occur.
    pub exit_codes: Option<(BTreeSet<i32>, bool)>,
    /// Standard outputs of the tests that exit, and whether all of them must occur.
    pub outputs: Option<(BTreeSet<Vec<u8>>, bool)>,
    /// All branches and lines of the program are covered.
    pub full_coverage: bool,
    /// Why exploration stops.
    pub stop: String,
    /// Bugs, by line.
    pub bugs: Vec<Marker>,
}

/// Reads the comments of a program for one level.
pub fn read(path: &Path, level: u32) -> Result<Expectations, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut expect = Expectations { levels: LEVELS.to_vec(), stop: "complete".into(), ..Default::default() };
    let mut for_level = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u64 + 1;
        let wrong = |what: String| format!("{}:{number}: {what}", path.display());
        if let Some(rest) = line.strip_prefix("// opt:") {
            expect.levels = rest
                .split_whitespace()
                .map(str::parse)
                .collect::<Result<_, _>>()
                .map_err(|e| wrong(format!("{e}")))?;
        } else if let Some(rest) = line.strip_prefix("// flags:") {
            expect.flags = rest.split_whitespace().map(str::to_owned).collect();
        } else if let Some(rest) = line.strip_prefix("// native:") {
            match rest.trim() {
                "skip" => expect.native_skip = true,
                other => return Err(wrong(format!("native: skip is all there is, not {other}"))),
            }
        } else if let Some(rest) = line.strip_prefix("// expect:") {
            // What the optimiser may merge holds exactly at -O0 only.
            apply(&mut expect, rest.trim(), level == 0).map_err(wrong)?;
        } else if let Some(rest) = line.strip_prefix("// expect-at O") {
            let (at, rest) = rest.split_once(':').ok_or_else(|| wrong("expect-at needs a colon".into()))?;
            let at: u32 = at.parse().map_err(|e| wrong(format!("{e}")))?;
            if at == level {
                for_level.push((number, rest.trim().to_owned()));
            }
        } else if let Some(at) = line.find("//~") {
            expect.bugs.extend(marker(&line[at + 3..], number, level).map_err(wrong)?);
        }
    }
    for (number, rest) in for_level {
        apply(&mut expect, &rest, true).map_err(|what| format!("{}:{number}: {what}", path.display()))?;
    }
    Ok(expect)
}

fn apply(expect: &mut Expectations, text: &str, exact: bool) -> Result<(), String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let count =
        || rest.trim_start_matches(['=', ' ']).parse::<u64>().map_err(|error| format!("{word}: {error}"));
    match word {
        "paths" => expect.paths = Some((count()?, exact)),
        "tests" => expect.tests = Some(count()?),
        "exit-codes" => {
            let codes: Result<BTreeSet<i32>, _> = rest.split_whitespace().map(str::parse).collect();
            expect.exit_codes = Some((codes.map_err(|error| format!("{word}: {error}"))?, exact));
        }
        "output" | "outputs" => {
            let stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let texts: Result<BTreeSet<Vec<u8>>, _> =
                stream.map(|text| text.map(String::into_bytes)).collect();
            expect.outputs = Some((texts.map_err(|error| format!("{word}: {error}"))?, exact));
        }
        "coverage" if rest == "full" => expect.full_coverage = exact,
        "stop" => expect.stop = rest.to_owned(),
        _ => return Err(format!("not an expectation: {text}")),
    }
    Ok(())
}

/// `//~ KIND|KIND FUNCTION [via FUNCTION]`, `//~? …` for one of several lines, `//~O0,O1 …` for some levels only.
fn marker(text: &str, line: u64, level: u32) -> Result<Option<Marker>, String> {
    let loose = text.starts_with('?');
    let text = text.strip_prefix('?').unwrap_or(text);
    let mut words = text.split_whitespace();
    if text.starts_with('O') {
        let levels = words.next().unwrap_or_default();
        if !levels.split(',').any(|one| one == format!("O{level}")) {
            return Ok(None);
        }
    }
    let kinds: Vec<String> =
        words.next().ok_or("a marker needs a kind")?.split('|').map(str::to_owned).collect();
    for kind in &kinds {
        if forkwise_testcase::BugKind::from_id(kind).is_none() {
            return Err(format!("{kind} is not a kind of bug"));
        }
    }
    let function = words.next().ok_or("a marker needs a function")?.to_owned();
    let via = match (words.next(), words.next()) {
        (None, _) => None,
        (Some("via"), Some(name)) => Some(name.to_owned()),
        other => return Err(format!("after the function comes `via NAME`, not {other:?}")),
    };
    Ok(Some(Marker { kinds, function, line, via, loose }))
}
