//! How many runs a second: `cargo run --release -p forkwise-replay --example throughput -- PROGRAM [RUNS] [plain]`.
//! One thread; the test has an argument, a file and standard input when `full` is among the words.

use std::path::Path;
use std::time::Instant;

use forkwise_replay::{Isolation, Limits, Program, Runner, RunnerOptions};
use forkwise_testcase::{TestCase, TestFile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let program = Program::new(Path::new(words.first().ok_or("name a program")?))?;
    let runs: u32 = words.get(1).map_or(Ok(2000), |word| word.parse())?;
    let isolation = match words.iter().any(|word| word == "plain") {
        true => Isolation::ProcessGroup,
        false => Isolation::Namespaces,
    };
    let runner = Runner::new(&RunnerOptions { isolation, ..RunnerOptions::default() })?;
    let mut test = TestCase::new(vec![b"program".to_vec(), b"-x".to_vec()], Vec::new());
    if words.iter().any(|word| word == "full") {
        test.stdin = Some(b"input\n".to_vec());
        test.files.push(TestFile { name: "A".into(), bytes: b"contents\n".to_vec() });
    }
    let limits = Limits::default();
    let begin = Instant::now();
    for _ in 0..runs {
        runner.run_test(&program, &test, &limits)?;
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{:?}: {:.0} runs a second, {:.0} µs each",
        runner.isolation(),
        f64::from(runs) / seconds,
        seconds / f64::from(runs) * 1e6
    );
    Ok(())
}
