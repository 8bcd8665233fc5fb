//! Seeds of a run: tests in any format, or command lines, as values of the program's symbolic inputs. A seed that does not
//! fit what was declared is an error that says what does not fit; see `forkwise_posix::seed_values`.

use super::options::RunArgs;
use crate::engine::Engine;
use anyhow::{Context, anyhow, bail};
use forkwise_posix::{SeedInput, Setup, seed_values};
use forkwise_testcase::import::{ImportOptions, import};
use forkwise_testcase::{TestCase, shell};
use std::path::PathBuf;

/// One seed: where it came from, and values of inputs by name.
pub struct Seed {
    name: String,
    values: Values,
}

/// Values of inputs by name.
type Values = Vec<(String, Vec<u8>)>;

/// Reads all seeds that the options name, and says which were left out (`--seed-skip`).
pub fn read(args: &RunArgs, setup: &Setup) -> anyhow::Result<(Vec<Seed>, Vec<String>)> {
    let mut seeds = Vec::new();
    let mut left_out = Vec::new();
    let mut take = |name: String, values: anyhow::Result<Values>| {
        match values {
            Ok(values) => seeds.push(Seed { name, values }),
            Err(problem) if args.seed_skip => {
                left_out.push(format!("forkwise: note: the seed '{name}' is left out: {problem:#}"));
            }
            Err(problem) => return Err(problem.context(format!("the seed '{name}'"))),
        }
        Ok(())
    };
    for path in args.input.iter().chain(&args.seed_tests) {
        let found = import(path, &ImportOptions::default())?;
        if found.is_empty() {
            bail!("there are no tests in {}", path.display());
        }
        for one in found {
            let name = one.path.display().to_string();
            take(name, values(args, setup, &one.test))?;
        }
    }
    for line in &args.seed_args {
        let words = shell::split(line).map_err(|problem| anyhow!("--seed-args '{line}': {problem}"))?;
        let test = TestCase::new(words, Vec::new());
        take(line.clone(), values(args, setup, &test))?;
    }
    Ok((seeds, left_out))
}

fn values(args: &RunArgs, setup: &Setup, test: &TestCase) -> anyhow::Result<Values> {
    if !setup.is_symbolic() {
        // A harness: its inputs are the test's own.
        return Ok(test.objects.iter().map(|o| (o.name.clone(), o.bytes.clone())).collect());
    }
    let mut seed = SeedInput {
        args: test.arguments().to_vec(),
        files: test.files.iter().map(|f| (f.name.clone(), f.bytes.clone())).collect(),
        stdin: test.stdin.clone(),
        env: test.env.clone(),
        cut: args.seed_cut,
    };
    let read =
        |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    for (name, path) in &args.seed_file {
        if !seed.files.iter().any(|f| f.0 == *name) {
            seed.files.push((name.clone(), read(&PathBuf::from(path))?));
        }
    }
    if let (None, Some(path)) = (&seed.stdin, &args.seed_stdin) {
        seed.stdin = Some(read(path)?);
    }
    seed_values(setup, &seed).map_err(|problem| anyhow!(problem))
}

/// Gives each seed to the state it belongs to; the answer names those that belong to none.
pub fn attach(engine: &mut Engine, seeds: &[Seed]) -> anyhow::Result<Vec<String>> {
    let mut lost = Vec::new();
    for seed in seeds {
        let found = match engine {
            Engine::Explore(e, states) => states.iter_mut().any(|st| e.vm.add_seed(st, &seed.values)),
            Engine::Concolic(c) => c.add_beginning(&seed.values),
            Engine::PureRandom(_) => {
                bail!("pure-random draws its inputs itself: it takes no seeds and no --input")
            }
        };
        if !found {
            lost.push(seed.name.clone());
        }
    }
    Ok(lost)
}
