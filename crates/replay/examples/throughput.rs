//! How many runs a second a machine manages: `cargo run -p forkwise-replay --example throughput -- [RUNS] [THREADS]`.
//! Runs `/bin/true`, or the program named by the third argument, with each kind of isolation.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use forkwise_replay::{Isolation, Job, Limits, Program, RunError, Runner, RunnerOptions};

fn main() -> Result<(), RunError> {
    let mut args = std::env::args().skip(1);
    let runs: usize = args.next().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let threads: usize = args.next().and_then(|text| text.parse().ok()).unwrap_or(2);
    let program = Program::new(Path::new(&args.next().unwrap_or_else(|| "/bin/true".into())))?;
    let limits = Limits::default();
    for isolation in [Isolation::ProcessGroup, Isolation::Namespaces] {
        let runner = Runner::new(&RunnerOptions { isolation, ..Default::default() })?;
        if let Some(warning) = runner.warning() {
            println!("{warning}");
        }
        let next = AtomicUsize::new(0);
        let begin = Instant::now();
        std::thread::scope(|scope| {
            let work = || {
                while next.fetch_add(1, Ordering::Relaxed) < runs {
                    runner.run(&Job::new(&program, &limits)).expect("the program runs");
                }
            };
            (0..threads).for_each(|_| drop(scope.spawn(work)));
        });
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{:?}: {:.0} runs/s, {:.0} us each",
            runner.isolation(),
            runs as f64 / seconds,
            1e6 * seconds / runs as f64
        );
    }
    Ok(())
}
