//! SARIF 2.1.0: the bugs of a run for code scanners (GitHub, GitLab, editors). Each result has the stack, and as its code flow
//! the decisions of its path in the user's code. Places below the run's directory are relative to it.

use crate::folder::{Bug, Run};
use forkwise_testcase::{Blame, BugKind};
use serde_json::{Value, json};
use std::path::Path;

/// The steps of a code flow; a path of a real program has thousands, and those next to the bug tell most.
const MOST_STEPS: usize = 200;
/// The name of the run's directory in places.
const BASE: &str = "PROJECT";

/// A path as a URI: everything but unreserved characters and slashes is escaped.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn folder_uri(path: &str) -> String {
    format!("file://{}/", uri(path.trim_end_matches('/')))
}

struct Places<'a> {
    directory: Option<&'a str>,
}

impl Places<'_> {
    fn artifact(&self, file: &str) -> Value {
        let relative = self.directory.and_then(|d| Path::new(file).strip_prefix(d).ok());
        match relative {
            Some(path) => json!({"uri": uri(&path.to_string_lossy()), "uriBaseId": BASE}),
            None if file.starts_with('/') => json!({"uri": format!("file://{}", uri(file))}),
            None => json!({"uri": uri(file)}),
        }
    }

    fn location(&self, function: &str, file: &str, line: u32, column: u32, text: Option<&str>) -> Value {
        let mut out = json!({});
        if !file.is_empty() && line > 0 {
            let mut region = json!({"startLine": line});
            if column > 0 {
                region["startColumn"] = column.into();
            }
            out["physicalLocation"] = json!({"artifactLocation": self.artifact(file), "region": region});
        }
        if !function.is_empty() {
            out["logicalLocations"] = json!([{"name": function, "kind": "function"}]);
        }
        if let Some(text) = text {
            out["message"] = json!({"text": text});
        }
        out
    }
}

/// The text.
pub fn sarif(run: &Run) -> String {
    let directory = run.info.get("directory").map(String::as_str).filter(|d| d.starts_with('/'));
    let places = Places { directory };
    let mut rules: Vec<&str> = run.bugs.iter().map(|b| b.kind.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = run
        .bugs
        .iter()
        .map(|bug| result(run, bug, &places, rules.binary_search(&bug.kind.as_str()).unwrap_or(0)))
        .collect();
    let invocation = json!({
        "executionSuccessful": run.finished,
        "commandLine": run.info.get("command").cloned().unwrap_or_default(),
        "toolExecutionNotifications": run.events.warnings.iter()
            .map(|(_, text)| json!({"level": "note", "message": {"text": text}})).collect::<Vec<_>>(),
    });
    let mut object = json!({
        "tool": {"driver": {
            "name": "Forkwise",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules.iter().map(|id| rule(id)).collect::<Vec<_>>(),
        }},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if let Some(directory) = directory {
        object["originalUriBaseIds"] = json!({BASE: {"uri": folder_uri(directory)}});
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [object],
    });
    format!("{log:#}\n")
}

fn rule(id: &str) -> Value {
    let kind = BugKind::from_id(id);
    let title = match kind {
        Some(kind) => kind.title(),
        None => id,
    };
    let level = match kind.map(BugKind::blame) {
        None | Some(Blame::Program) => "error",
        Some(Blame::Unsupported | Blame::Engine) => "note",
    };
    json!({
        "id": id,
        "name": title,
        "shortDescription": {"text": title},
        "defaultConfiguration": {"level": level},
    })
}

fn result(run: &Run, bug: &Bug, places: &Places<'_>, rule: usize) -> Value {
    let native = match (&bug.confirmed, &bug.native) {
        (_, Some(text)) => format!(" Natively: {text}."),
        _ => String::new(),
    };
    let text = format!("{}: {}.{native} Reproduce with: {}", bug.title(), bug.message, run.reproduce(bug));
    let frames: Vec<Value> = bug
        .stack
        .iter()
        .map(|f| {
            let name = if f.function.is_empty() { "?" } else { &f.function };
            json!({"location": places.location(name, &f.file, f.line, f.column, Some(name))})
        })
        .collect();
    let mut steps = flow(run, bug, places);
    steps.push(json!({
        "location": places.location(&bug.function, &bug.file, bug.line, 0, Some(&bug.message)),
        "importance": "essential",
    }));
    let level = if bug.is_programs() { "error" } else { "note" };
    let mut out = json!({
        "ruleId": bug.kind,
        "ruleIndex": rule,
        "level": level,
        "kind": if bug.is_programs() { "fail" } else { "informational" },
        "message": {"text": text},
        "locations": [places.location(&bug.function, &bug.file, bug.line, 0, None)],
        "codeFlows": [{"threadFlows": [{"locations": steps}]}],
        "partialFingerprints": {"place/v1": format!("{}:{}:{}:{}", bug.kind, bug.function, bug.file, bug.line)},
        "properties": {
            "confirmed": bug.confirmed,
            "test": bug.test,
            "paths": bug.seen,
        },
    });
    if !bug.is_programs() {
        // The standard allows no level beside the kinds that are not failures.
        out["level"] = "none".into();
    }
    if !frames.is_empty() {
        out["stacks"] = json!([{"message": {"text": "innermost first"}, "frames": frames}]);
    }
    out
}

/// The decisions of a bug's path in the user's code, first one first.
fn flow(run: &Run, bug: &Bug, places: &Places<'_>) -> Vec<Value> {
    let tree = &run.tree;
    let Some(test) = bug.test_number() else { return Vec::new() };
    let mut at = tree.nodes.iter().position(|n| n.test == Some(test));
    let mut steps = Vec::new();
    while let Some(node) = at.and_then(|i| tree.nodes.get(i)) {
        // Parents come first in the file; a file that says otherwise must not lead us in circles.
        let parent = node.parent.map(|p| p as usize).filter(|p| at.is_some_and(|i| *p < i));
        let (function, file, line) = node.place;
        let file = tree.files.get(file as usize).filter(|f| run.program.files.contains(f));
        if let (Some(file), true) = (file, node.parent.is_some()) {
            let function = tree.functions.get(function as usize).map_or("", String::as_str);
            let text = match node.arm.as_str() {
                "" => "the path forks here".to_string(),
                "true" => "the condition holds".to_string(),
                "false" => "the condition does not hold".to_string(),
                "default" => "no case of the switch matches".to_string(),
                value => format!("case {value}"),
            };
            steps.push(json!({"location": places.location(function, file, line, 0, Some(&text))}));
        }
        at = parent;
        if steps.len() >= MOST_STEPS {
            break;
        }
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_uris() {
        assert_eq!(uri("/a b/ü#.c"), "/a%20b/%C3%BC%23.c");
        let places = Places { directory: Some("/work/p") };
        assert_eq!(places.artifact("/work/p/src/a.c"), json!({"uri": "src/a.c", "uriBaseId": "PROJECT"}));
        assert_eq!(places.artifact("/else/a.c"), json!({"uri": "file:///else/a.c"}));
        assert_eq!(places.artifact("musl/a.c"), json!({"uri": "musl/a.c"}));
    }
}
