//! `forkwise report`: pages that a real browser renders without complaint, links that lead somewhere, files that other tools' schemas
//! accept, from run folders that are whole, broken, hostile and huge.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::{files_ending, forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(120);

/// A run with bugs, in `out` below a fresh folder.
fn explored() -> tempfile::TempDir {
    let folder = scratch();
    let example = workspace().join("examples/rle.c");
    fs::copy(example, folder.path().join("rle.c")).expect("the example can be copied");
    let built = run(&mut forkwise(folder.path(), ["cc", "-g", "-o", "rle", "rle.c"]), LIMIT);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    let words = ["run", "--quiet", "-o", "out", "rle", "--sym-args", "0", "2", "2", "--sym-files", "1", "3"];
    let done = run(&mut forkwise(folder.path(), words), LIMIT);
    assert_eq!(done.code(), Some(1), "{}", done.err());
    folder
}

fn report(folder: &Path, words: &[&str]) -> String {
    let done = run(&mut forkwise(folder, [&["report"], words].concat()), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    done.out()
}

/// Every link of every page leads to a file, and where it names a place in it, to that place.
fn check_links(root: &Path) {
    let pages = files_ending(root, ".html");
    assert!(!pages.is_empty());
    let text = |path: &Path| fs::read_to_string(path).expect("a page is text");
    for page in &pages {
        for part in text(page).split("href=\"").skip(1).chain(text(page).split("src=\"").skip(1)) {
            let link = part.split('"').next().unwrap_or_default();
            if link.starts_with("data:") {
                continue;
            }
            assert!(!link.contains("://"), "{}: {link} leads to the network", page.display());
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            assert!(target.is_file(), "{}: {link} leads nowhere", page.display());
            if !anchor.is_empty() {
                let id = format!("id=\"{anchor}\"");
                assert!(text(&target).contains(&id), "{}: {link} has no such place", page.display());
            }
        }
    }
}

/// The page as a browser leaves it; an error on its console is ours.
fn render(page: &Path) -> String {
    let data = scratch();
    let mut command = Command::new("chromium");
    command
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .args(["--virtual-time-budget=3000", "--window-size=1200,900"])
        .arg(format!("--user-data-dir={}", data.path().display()))
        .arg(format!("file://{}", page.display()));
    assert!(
        Command::new("chromium").arg("--version").output().is_ok(),
        "there is no chromium; `cargo xtask test` installs it"
    );
    let done = run(&mut command, LIMIT);
    let said = done.err();
    let complaints: Vec<&str> = said.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{}: {complaints:?}", page.display());
    assert!(done.out().contains("</html>"), "{}: nothing was rendered\n{said}", page.display());
    done.out()
}

#[test]
fn a_browser_shows_every_kind_of_page() {
    let folder = explored();
    report(folder.path(), &["out"]);
    let root = folder.path().join("out/report");
    check_links(&root);
    let index = render(&root.join("index.html"));
    assert!(index.contains("Out-of-bounds write") && index.contains("<svg class=\"plot\""));
    let tree = render(&root.join("tree.html"));
    assert!(tree.matches("class=\"cell").count() > 50, "the icicle is not drawn");
    let spent = render(&root.join("spent.html"));
    assert!(spent.contains("By calls") && spent.matches("class=\"cell").count() > 10);
    let source = render(&root.join("source-1.html"));
    assert!(source.contains("class=\"arm taken\" href=\"tests-"), "arms lead to their first tests");
    // A link to a test opens it.
    let bug =
        fs::read_to_string(&files_ending(&root, "out-of-bounds-write.html")[0]).expect("a page is text");
    assert!(bug.contains("forkwise replay --sanitize rle out/tests/") && bug.contains("C reproducer"));

    // Again, over itself; and several runs, one of them small enough to be drawn as a tree.
    report(folder.path(), &["out"]);
    let password = workspace().join("examples/password.c");
    for (out, seed) in [("a", "1"), ("b", "2")] {
        let mut command =
            forkwise(folder.path(), ["run", "--quiet", "--no-replay", "--seed", seed, "-o", out]);
        run(command.arg(&password), LIMIT);
    }
    report(folder.path(), &["-o", "both", "out", "a", "b"]);
    let both = folder.path().join("both");
    check_links(&both);
    let index = render(&both.join("index.html"));
    assert!(index.contains("mean of 2 trials"));
    let tree = render(&both.join("run-2/tree.html"));
    assert!(tree.contains("role=\"treeitem\""), "a small tree is drawn as one");
}

/// The official schema, from the source of a crate that carries it.
fn sarif_schema() -> Value {
    let mut command = Command::new(env!("CARGO"));
    let done =
        run(command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(workspace()), LIMIT);
    let metadata: Value = serde_json::from_str(&done.out()).unwrap_or_else(|e| panic!("{e}: {}", done.err()));
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("it is a dependency");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    let text = fs::read_to_string(manifest.with_file_name("src/schema.json")).expect("the schema is there");
    let mut schema = serde_json::from_str(&text).expect("a schema is JSON");
    without_broken_patterns(&mut schema);
    schema
}

/// The schema's pattern for languages has a bracket too many, which strict readers of patterns refuse.
fn without_broken_patterns(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("pattern").and_then(Value::as_str).is_some_and(|p| p.ends_with("]?$")) {
                map.remove("pattern");
            }
            map.values_mut().for_each(without_broken_patterns);
        }
        Value::Array(list) => list.iter_mut().for_each(without_broken_patterns),
        _ => {}
    }
}

#[test]
fn other_tools_can_read_what_is_written_for_them() {
    let folder = explored();
    let schema = sarif_schema();
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    for text in [
        fs::read_to_string(folder.path().join("out/bugs.sarif")).expect("every run has one"),
        report(folder.path(), &["--format", "sarif", "out"]),
    ] {
        let log: Value = serde_json::from_str(&text).expect("SARIF is JSON");
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let results = log["runs"][0]["results"].as_array().expect("results");
        assert_eq!(results.len(), 2);
        for one in results {
            assert_eq!(one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "rle.c");
            let steps = one["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
            assert!(steps.len() > 1, "the flow has the decisions of the path: {steps:?}");
            assert!(one["stacks"][0]["frames"].as_array().is_some_and(|f| f.len() >= 2));
        }
    }

    let summary: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("out/summary.json")).expect("a summary"))
            .expect("JSON");
    let coverage = &summary["coverage"];
    let lcov = report(folder.path(), &["--format", "lcov", "out"]);
    let sum =
        |key: &str| -> u64 { lcov.lines().filter_map(|l| l.strip_prefix(key)?.parse::<u64>().ok()).sum() };
    for (key, name) in [
        ("LH:", "lines_covered"),
        ("LF:", "lines_total"),
        ("BRH:", "branches_covered"),
        ("BRF:", "branches_total"),
    ] {
        assert_eq!(sum(key), coverage[name].as_u64().expect("a number"), "{key}");
    }
    assert!(lcov.starts_with("TN:\nSF:/") && lcov.ends_with("end_of_record\n"));
    assert!(lcov.contains(",decode\n"), "functions have their names although they were inlined");

    let cobertura = report(folder.path(), &["--format", "cobertura", "out"]);
    assert!(cobertura.contains("filename=\"rle.c\"") && cobertura.contains("condition-coverage=\""));
    let junit = report(folder.path(), &["--format", "junit", "out"]);
    assert!(junit.contains("failures=\"2\"") && junit.contains("<failure type=\"out-of-bounds-write\""));
    for text in [&cobertura, &junit] {
        well_formed(text);
    }
}

/// XML whose elements are closed in order.
fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in text.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').expect("a tag ends");
        assert!(!rest.contains('&') || rest.contains(';'), "{rest}");
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        let name = tag.split_whitespace().next().unwrap_or_default();
        match name.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end), "in {text}"),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn hostile_names_stay_text() {
    let folder = scratch();
    let out = folder.path().join("out");
    let evil = "<script>alert(1)</script>\"'&\\u0000";
    let put = |name: &str, text: String| {
        let path = out.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    };
    let evil_json = evil.replace('"', "\\\"");
    put(
        "events.jsonl",
        format!(
            "{{\"event\":\"start\",\"program\":\"{evil_json}\"}}\n{{\"event\":\"warning\",\"text\":\"{evil_json}\"}}\n"
        ),
    );
    put(
        "program.json",
        format!(
            "{{\"files\":[\"/etc/passwd\",\"{evil_json}.c\"],\"functions\":[[\"{evil_json}\",1,1]],\"lines\":[[0,[1,2]],[1,[1]],[9,[1]]],\"branches\":[[0,1,1,1,0,[[0,\"{evil_json}\"]]],[4294967295,7,1,1,9,[[4294967295,\"\"]]]]}}"
        ),
    );
    put("coverage.json", "{\"format\":1,\"covered\":1,\"total\":2,\"files\":[],\"branches\":[[4294967295,9,9,9,9,[4294967295]]],\"lines\":[[7,[[5,1],[0,4294967295]]]]}".into());
    put(
        "tree.json",
        format!(
            "{{\"functions\":[\"{evil_json}\"],\"nodes\":[{{\"p\":0,\"at\":[0,0,1],\"i\":1,\"s\":1,\"t\":1}},{{\"p\":5,\"at\":[9,9,9],\"arm\":\"{evil_json}\",\"i\":1,\"s\":1}}]}}"
        ),
    );
    put(
        "profile.json",
        format!(
            "{{\"functions\":[\"{evil_json}\"],\"places\":[[0,5,1,1,1,1]],\"stacks\":[[7,0,5],[1,9,5]]}}"
        ),
    );
    put(
        "bugs/x\"><script>/report.json",
        format!(
            "{{\"kind\":\"{evil_json}\",\"message\":\"{evil_json}\",\"test\":\"tests/000001.ktest\",\"stack\":[{{\"function\":\"{evil_json}\",\"line\":3}}]}}"
        ),
    );
    put("tests/000001.test.json", "{".into());
    let said = report(folder.path(), &["out"]);
    assert!(said.contains("index.html"));
    check_links(&out.join("report"));
    for page in files_ending(&out.join("report"), ".html") {
        let text = fs::read_to_string(&page).expect("a page is text");
        assert!(!text.contains("<script>alert"), "{}", page.display());
        assert!(!text.contains("root:"), "{}: a file that is no source is shown", page.display());
    }
    for name in ["index.html", "tree.html", "spent.html"] {
        render(&out.join("report").join(name));
    }
    for format in ["sarif", "lcov", "cobertura", "junit"] {
        let text = report(folder.path(), &["--format", format, "out"]);
        assert!(!text.contains("<script>alert") || format == "sarif" || format == "lcov");
    }
}

#[test]
fn worst_cases_have_a_curve() {
    let folder = scratch();
    let source = "#include <forkwise.h>\nint main(void) { int n = (int)forkwise_size(); unsigned char a[16]; int s = 0;\n\
        for (int i = 0; i < n && i < 16; i++) { forkwise_symbolic(&a[i], 1, \"a\"); }\n\
        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) if (a[i] > a[j]) s += j; return s & 1; }\n";
    fs::write(folder.path().join("n.c"), source).expect("it can be written");
    let words = ["worst", "--quiet", "--no-replay", "--sizes", "2,4,6,8", "--time", "1s", "-o", "out", "n.c"];
    let done = run(&mut forkwise(folder.path(), words), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    report(folder.path(), &["out"]);
    check_links(&folder.path().join("out/report"));
    let page = render(&folder.path().join("out/report/worst.html"));
    assert!(
        page.contains("<svg class=\"plot\"")
            && page.contains("grows as")
            && page.contains("href=\"tests-1.html#t4\"")
    );
}

#[test]
fn campaigns_have_pages() {
    let folder = scratch();
    let tune = folder.path().join("tune");
    fs::create_dir(&tune).expect("a folder can be made");
    let mut vectors = String::new();
    for i in 0..40 {
        let search = if i % 4 == 0 || i > 25 { "dfs" } else { "bfs" };
        let settings = format!("{{\"--search\":\"{search}\",\"--seed\":\"{i}\"}}");
        let reached = 10 + i;
        vectors += &format!(
            "{{\"at\":{i},\"how\":\"exploit\",\"settings\":{settings},\"reached\":{reached},\"new\":1}}\n"
        );
    }
    fs::write(tune.join("vectors.jsonl"), vectors + "{\"at\":").expect("it can be written");
    fs::write(tune.join("coverage.csv"), "seconds,branches,bugs,trials\n1,10,0,1\n30,40,1,40\n")
        .expect("it can be written");
    report(folder.path(), &["tune"]);
    check_links(&folder.path().join("tune-report"));
    let page = render(&folder.path().join("tune-report/index.html"));
    assert!(page.contains("--search: percent of runs") && page.contains("exploit"), "{page}");
    assert!(!page.contains("--seed: percent"), "{page}");

    let train = folder.path().join("train");
    fs::create_dir(&train).expect("a folder can be made");
    let database = rusqlite::Connection::open(train.join("campaign.sqlite")).expect("a database can be made");
    let tables = "CREATE TABLE trials (id TEXT, label TEXT, trial TEXT);
        CREATE TABLE outcomes (number INTEGER PRIMARY KEY, id TEXT, outcome TEXT, arms BLOB);";
    database.execute_batch(tables).expect("tables can be made");
    for i in 0..20u8 {
        let text = format!("[weights]\\nfirst = 0.{}\\nsecond = -0.5\\n", i % 5);
        let trial = format!("{{\"files\":[{{\"name\":\"w\",\"text\":\"{text}\"}}]}}");
        let label = format!("learn {} find", i / 10 + 1);
        let arms = vec![1u8; 10 + usize::from(i)];
        database
            .execute("INSERT INTO trials VALUES (?1, ?2, ?3)", rusqlite::params![i, label, trial])
            .expect("a row");
        let insert = "INSERT INTO outcomes VALUES (?1, ?1, '{\"total\": 99}', ?2)";
        database.execute(insert, rusqlite::params![i, arms]).expect("a row");
    }
    drop(database);
    report(folder.path(), &["train"]);
    let page = render(&folder.path().join("train-report/index.html"));
    assert!(
        page.contains("round 2, 10 vectors") && page.contains("+0.40") && page.contains("of 99"),
        "{page}"
    );
}

#[test]
fn what_is_no_run_folder_is_refused() {
    let folder = scratch();
    let refused = |words: &[&str], says: &str| {
        let done = run(&mut forkwise(folder.path(), [&["report"], words].concat()), LIMIT);
        assert_eq!(done.code(), Some(2));
        assert!(done.err().contains(says), "{}", done.err());
    };
    refused(&["nowhere"], "cannot read nowhere");
    refused(&["."], "is no result folder");
    fs::write(folder.path().join("events.jsonl"), "").expect("a file can be written");
    refused(&[".", "."], "Name a folder with -o");
    refused(&["--format", "lcov", ".", "."], "this format holds one run");
    fs::create_dir(folder.path().join("mine")).expect("a folder can be made");
    fs::write(folder.path().join("mine/letter.txt"), "").expect("a file can be written");
    refused(&[".", "-o", "mine"], "exists already");
    // An empty run is a report with nothing in it.
    report(folder.path(), &[".", "-o", "empty"]);
    check_links(&folder.path().join("empty"));
}

#[test]
fn a_hundred_thousand_tests_take_seconds() {
    let folder = scratch();
    let tests = folder.path().join("out/tests");
    fs::create_dir_all(&tests).expect("folders can be made");
    fs::write(folder.path().join("out/events.jsonl"), "").expect("a file can be written");
    let number = if support::long() { 100_000 } else { 20_000 };
    for n in 1..=number {
        let text = format!(
            "{{\"format\":\"forkwise-test\",\"version\":1,\"args\":[\"p\"],\"objects\":[{{\"name\":\"x\",\"size\":4,\"bytes\":\"ab\\\\x00{}\"}}],\"expect\":{{\"exit\":0}}}}",
            n % 10
        );
        fs::write(tests.join(format!("{n:06}.test.json")), text).expect("files can be written");
    }
    let start = std::time::Instant::now();
    report(folder.path(), &["out"]);
    // Twice the time that is promised: other tests run beside this one.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let root = folder.path().join("out/report");
    let pages: BTreeSet<PathBuf> = files_ending(&root, ".html").into_iter().collect();
    assert_eq!(pages.iter().filter(|p| p.to_string_lossy().contains("tests-")).count(), number / 250);
    let largest = pages.iter().filter_map(|p| fs::metadata(p).ok()).map(|m| m.len()).max();
    assert!(largest < Some(1 << 20), "pages stay small: {largest:?}");
}
