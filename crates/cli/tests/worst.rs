//! Worst-case inputs through the real binary: the answer is a test whose cost anybody measures again, the same seed gives
//! the same answer, every method finds the worst input of a small program, and programs without an answer get a clear one.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use support::{Finished, finish, forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(100);

fn worst(folder: &Path, options: &[&str], program: &str) -> Finished {
    let mut all = vec!["worst", "--json", "-q"];
    all.extend(options);
    all.push(program);
    run(&mut forkwise(folder, all), LIMIT)
}

fn answer(done: &Finished) -> Value {
    assert!(matches!(done.code(), Some(0 | 1)), "{:?}\n{}", done.status, done.err());
    done.json().unwrap_or_else(|problem| panic!("{problem}"))
}

fn subject(name: &str) -> String {
    workspace().join("bench/worst").join(name).display().to_string()
}

/// What one execution of a test costs, as `run` counts it.
fn measured(folder: &Path, size: u64, test: &str, program: &str) -> u64 {
    let define = format!("-DN={size}");
    let mode =
        ["run", "--json", "-q", "--no-replay", "--no-tests", "--mode", "concolic", "--executions", "1"];
    let own = [define.as_str(), "--input", test, "-o", "again", program];
    let done = run(&mut forkwise(folder, mode.into_iter().chain(own)), LIMIT);
    fs::remove_dir_all(folder.join("again")).expect("it was made");
    answer(&done)["instructions"].as_u64().expect("a number")
}

#[test]
fn options_may_follow_the_program() {
    let folder = scratch();
    let program = subject("alternate_0.c");
    let after = [program.as_str(), "--size", "10", "--paths", "4000", "--json", "--quiet"];
    let done = run(&mut forkwise(folder.path(), ["worst"].into_iter().chain(after)), LIMIT);
    let found = answer(&done);
    assert_eq!((&found["size"], &found["cost"]), (&10.into(), &254.into()), "{found}");
    // Behind `--` they are the program's.
    let words = ["worst", "--json", "--paths", "10", "--", program.as_str(), "--size", "10"];
    let done = run(&mut forkwise(folder.path(), words), LIMIT);
    assert_eq!(answer(&done)["size"], 0, "{}", done.err());
    assert!(done.err().contains("--size comes after the program"), "{}", done.err());
}

#[test]
fn the_answer_has_exactly_the_reported_cost() {
    // Costs of the hand-made worst inputs (cargo xtask bench worst --manual).
    for (program, worst_cost) in [("alternate_0.c", 254), ("is_palindrome.c", 191), ("kmp.c", 609)] {
        let folder = scratch();
        let program = subject(program);
        let done = worst(folder.path(), &["--size", "10", "--paths", "4000", "-o", "out"], &program);
        let found = answer(&done);
        assert_eq!(found["cost"], worst_cost, "{found}");
        assert_eq!((&found["method"], &found["size"]), (&"auto".into(), &10.into()));
        assert!(found["times_typical"].as_f64().is_some_and(|t| t >= 1.0), "{found}");
        assert_eq!(found["native_same"], true, "{found}");
        let native = found["native_instructions"].as_u64();
        assert!(
            native.is_some_and(|n| n > worst_cost / 4) || found["native_instructions_missing"].is_string(),
            "{found}"
        );
        let test = folder.path().join("out").join(found["test"].as_str().expect("a test"));
        let test = test.display().to_string();
        assert_eq!(measured(folder.path(), 10, &test, &program), worst_cost, "{found}");
    }
}

#[test]
fn every_method_finds_the_worst_input_of_a_small_program() {
    for method in ["ese", "random", "dfs", "wise", "spf-wca"] {
        let folder = scratch();
        let options = ["--method", method, "--size", "4", "--paths", "400", "--no-replay", "-o", "out"];
        let found = answer(&worst(folder.path(), &options, &subject("alternate_0.c")));
        let all = ["--method", "dfs", "--size", "4", "--no-replay", "-o", "all"];
        let complete = answer(&worst(folder.path(), &all, &subject("alternate_0.c")));
        assert_eq!(complete["stop_reason"], "complete", "{complete}");
        assert_eq!(found["cost"], complete["cost"], "{method}: {found}");
    }
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    for method in ["auto", "ese", "dynamic"] {
        let once = || {
            let folder = scratch();
            let options = [
                "--method",
                method,
                "--size",
                "12",
                "--paths",
                "500",
                "--seed",
                "3",
                "--no-replay",
                "-o",
                "o",
            ];
            let found = answer(&worst(folder.path(), &options, &subject("merge_sort.c")));
            let test = fs::read(folder.path().join("o/tests/000001.ktest")).expect("a test");
            let counts = ["cost", "paths", "concrete_runs", "generations", "paths_to_best"];
            (counts.map(|c| found[c].clone()), test)
        };
        assert_eq!(once(), once(), "{method}");
    }
}

#[test]
fn sizes_give_a_curve_and_a_class() {
    let folder = scratch();
    let options = ["--sizes", "4,8,16,24", "--paths", "300", "--no-replay", "-o", "out"];
    let found = answer(&worst(folder.path(), &options, &subject("is_palindrome.c")));
    assert_eq!(found["fit"]["class"], "n", "{found}");
    assert!(found["fit"]["r2"].as_f64().is_some_and(|r| r > 0.99), "{found}");
    assert_eq!(found["curve"].as_array().map(Vec::len), Some(4), "{found}");
    let svg = fs::read_to_string(folder.path().join("out/curve.svg")).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.matches("<circle").count() == 4);
}

#[test]
fn other_costs_are_maximised_too() {
    let folder = scratch();
    let source = "#include <forkwise.h>\n#include <stdlib.h>\n\
        static int deeper(int n) { return n > 0 ? 1 + deeper(n - 1) : 0; }\n\
        int main(void) {\n  unsigned char a, b;\n  forkwise_symbolic(&a, 1, \"a\");\n  forkwise_symbolic(&b, 1, \"b\");\n\
        \x20 void *p = malloc(10);\n  if (a == 7) p = malloc(1000);\n  if (b == 9) deeper(50);\n  return p == 0;\n}\n";
    fs::write(folder.path().join("p.c"), source).expect("room");
    for (cost, expected) in
        [("alloc", Some(1010)), ("function:deeper", Some(51)), ("branch:p.c:3", Some(51)), ("stack", None)]
    {
        let options =
            ["--cost", cost, "--paths", "300", "--no-replay", "-o", &format!("o-{}", cost.replace(':', "-"))];
        let found = answer(&worst(folder.path(), &options, "p.c"));
        match expected {
            Some(n) => assert_eq!(found["cost"], n, "{cost}: {found}"),
            None => assert!(found["cost"].as_u64().is_some_and(|c| c > 2000), "{cost}: {found}"),
        }
    }
    for (cost, said) in
        [("time", "there is no cost"), ("function:f", "no function 'f'"), ("branch:p.c:99", "lines with")]
    {
        let done = worst(folder.path(), &["--cost", cost, "-o", "none"], "p.c");
        assert_eq!(done.code(), Some(2));
        assert!(done.err().contains(said), "{}", done.err());
    }
}

#[test]
fn programs_without_a_choice_get_a_clear_answer() {
    let folder = scratch();
    let program = |name: &str, body: &str| {
        let text =
            format!("#include <forkwise.h>\n#include <stdlib.h>\nint main(void) {{ int x; {body} }}\n");
        fs::write(folder.path().join(name), text).expect("room");
    };
    let input = "forkwise_symbolic(&x, sizeof x, \"x\");";
    program("straight.c", &format!("{input} return 0;"));
    program("fails.c", &format!("{input} if (x) abort(); int *p = 0; return *p;"));
    program("endless.c", &format!("{input} if (x == 12345) for (;;) x++; return 0;"));
    program("never.c", &format!("{input} forkwise_assume(x < 0); forkwise_assume(x > 0); return 0;"));

    let straight = answer(&worst(folder.path(), &["-o", "straight", "--no-replay"], "straight.c"));
    assert_eq!((&straight["stop_reason"], &straight["paths"]), (&"complete".into(), &1.into()));

    let fails = worst(folder.path(), &["-o", "fails", "--paths", "20"], "fails.c");
    assert_eq!(fails.code(), Some(2));
    assert!(fails.err().contains("no path ends well"), "{}", fails.err());

    let options = ["-o", "endless", "--endless", "200000", "--time", "20s"];
    let endless = answer(&worst(folder.path(), &options, "endless.c"));
    assert_eq!((&endless["endless"], &endless["stop_reason"]), (&true.into(), &"endless".into()));
    assert!(folder.path().join("endless/tests/000001.ktest").is_file());

    let never = worst(folder.path(), &["-o", "never", "--paths", "20", "--time", "20s"], "never.c");
    assert_eq!(never.code(), Some(2));
    assert!(never.err().contains("assumptions"), "{}", never.err());
}

#[test]
fn standard_input_is_an_input_too() {
    let folder = scratch();
    let source = "#include <stdio.h>\nint main(void) { int c, n = 0; while ((c = getchar()) != EOF) if (c == 'x') for (int i = 0; i < 20; i++) n++; return n > 250; }\n";
    fs::write(folder.path().join("p.c"), source).expect("room");
    let mut command = forkwise(
        folder.path(),
        ["worst", "--json", "-q", "--paths", "400", "-o", "out", "p.c", "--sym-stdin", "4"],
    );
    let found = answer(&run(&mut command, LIMIT));
    let test = fs::read_to_string(folder.path().join("out/tests/000001.test.json")).expect("a test");
    assert!(test.contains("xxxx"), "{test}\n{found}");
    assert_eq!(found["native_same"], true, "{found}");
}

#[test]
fn searches_side_by_side_give_one_answer() {
    let once = |jobs: &str| {
        let folder = scratch();
        let options =
            ["--jobs", jobs, "--size", "16", "--paths", "3000", "--seed", "5", "--no-replay", "-o", "o"];
        let found = answer(&worst(folder.path(), &options, &subject("quicksort_jdk.c")));
        let test = fs::read(folder.path().join("o/tests/000001.ktest")).expect("a test");
        assert_eq!(found["jobs"].to_string(), jobs);
        let counts = ["cost", "paths", "concrete_runs", "generations"];
        (counts.map(|c| found[c].clone()), test)
    };
    assert_eq!(once("3"), once("3"), "threads do not decide the answer");
}

#[test]
fn a_target_ends_the_search() {
    let folder = scratch();
    let options = ["--target", "200", "--size", "10", "--time", "60s", "--no-replay", "-o", "out"];
    let found = answer(&worst(folder.path(), &options, &subject("alternate_0.c")));
    assert_eq!(found["stop_reason"], "target", "{found}");
    assert!(found["cost"].as_u64().is_some_and(|c| c >= 200), "{found}");
}

#[test]
fn contradictory_conditions_give_no_individual() {
    let folder = scratch();
    let options = ["--method", "ese", "--size", "10", "--paths", "400", "--no-replay", "-o", "out"];
    let found = answer(&worst(folder.path(), &options, &subject("merge_sort.c")));
    assert!(
        found["infeasible"].as_u64().is_some_and(|n| n > 0),
        "joined conditions contradict at times: {found}"
    );
    assert!(found["paths"].as_u64().is_some_and(|n| n >= 400), "{found}");
}

#[test]
fn forgetting_expressions_changes_nothing() {
    let once = |method: &str, most: &[&str]| {
        let folder = scratch();
        let mut options = vec![
            "--method",
            method,
            "--jobs",
            "1",
            "--size",
            "8",
            "--paths",
            "300",
            "--no-replay",
            "-o",
            "o",
        ];
        options.extend(most);
        let found = answer(&worst(folder.path(), &options, &subject("alternate_0.c")));
        (found["cost"].clone(), fs::read(folder.path().join("o/tests/000001.ktest")).expect("a test"))
    };
    for method in ["auto", "ese", "dfs"] {
        assert_eq!(once(method, &[]), once(method, &["--most-expressions", "50"]), "{method}");
    }
}

#[test]
fn parts_can_be_left_out() {
    let parts =
        ["training", "wishes", "flips", "learning", "changes", "shapes", "crossover", "witnesses", "order"];
    let folder = scratch();
    for part in parts {
        let options =
            ["--without", part, "--size", "10", "--paths", "1500", "--no-replay", "-o", &format!("o-{part}")];
        let found = answer(&worst(folder.path(), &options, &subject("is_palindrome.c")));
        assert_eq!(found["cost"], 191, "without {part}: {found}");
    }
    let done = worst(folder.path(), &["--without", "luck", "-o", "none"], &subject("is_palindrome.c"));
    assert_eq!(done.code(), Some(2));
    assert!(done.err().contains("there is no such part"), "{}", done.err());
}

#[test]
fn an_interrupted_search_tells_the_best_so_far() {
    let folder = scratch();
    let program = subject("quicksort_jdk.c");
    let options = ["worst", "--json", "--size", "60", "--time", "5m", "-o", "out", &program];
    let mut command = forkwise(folder.path(), options);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    // Long enough for a line that says how it goes.
    std::thread::sleep(Duration::from_secs(8));
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|s| s.success()));
    let done = finish(child, Duration::from_secs(40));
    let found = answer(&done);
    assert_eq!(found["stop_reason"], "interrupt", "{found}");
    assert!(done.err().contains("best cost"), "nothing was told on the way: {}", done.err());
    let test = folder.path().join("out").join(found["test"].as_str().expect("a test")).display().to_string();
    assert_eq!(Some(measured(folder.path(), 60, &test, &program)), found["cost"].as_u64(), "{found}");
}
