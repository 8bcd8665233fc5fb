//! Tests that a run is given: to follow instead of exploring (`--replay-ktest-…`, `--only-seed`, `--only-replay-seeds`), or
//! to begin with (`--seed-…`). Values belong to inputs by name.

use super::options::Options;
use forkwise_replay::batch::list_tests;
use forkwise_testcase::KTest;
use forkwise_vm::{Config, State, Vm};
use std::path::{Path, PathBuf};

/// The tests of a run.
pub struct Follow {
    /// The tests and where they came from.
    pub tests: Vec<(PathBuf, KTest)>,
    /// Follow them and nothing else.
    pub only: bool,
    /// They are seeds, not tests to replay.
    pub seeds: bool,
}

impl Follow {
    /// Reads what the options name.
    pub fn read(options: &Options) -> anyhow::Result<Follow> {
        let read = |files: &'static str, folders: &'static str| -> anyhow::Result<Vec<(PathBuf, KTest)>> {
            let mut paths: Vec<PathBuf> = options.list(files).into_iter().map(PathBuf::from).collect();
            for folder in options.list(folders) {
                let found = list_tests(Path::new(&folder))?;
                paths.extend(found.into_iter().filter(|p| p.extension().is_some_and(|e| e == "ktest")));
            }
            paths.into_iter().map(|p| Ok((p.clone(), KTest::read(&p)?))).collect()
        };
        let replays = read("replay-ktest-file", "replay-ktest-dir")?;
        if !replays.is_empty() {
            return Ok(Follow { tests: replays, only: true, seeds: false });
        }
        let only = options.flag("only-seed", false) || options.flag("only-replay-seeds", false);
        let tests = read("seed-file", "seed-dir")?;
        Ok(Follow { only: only && !tests.is_empty(), seeds: !tests.is_empty(), tests })
    }

    /// What is said about seeds before the run.
    pub fn announcement(&self) -> Option<String> {
        self.seeds.then(|| format!("using {} seeds", self.tests.len()))
    }

    /// Programs to run, one after the other.
    pub fn rounds(&self) -> usize {
        if self.only { self.tests.len() } else { 1 }
    }

    /// Sets the machine up for a round that follows one test only.
    pub fn prepare(&self, round: usize, config: &mut Config) {
        if self.only
            && let Some((_, test)) = self.tests.get(round)
        {
            config.seed_inputs = values(test);
            config.concrete_inputs = true;
        }
    }

    /// Gives each seed to the state at the program's start that it belongs to, and puts those states first. The answer
    /// names the seeds that belong to none.
    pub fn seed(&self, vm: &mut Vm, states: &mut [Box<State>]) -> Vec<PathBuf> {
        if self.only {
            return Vec::new();
        }
        let mut lost = Vec::new();
        for (path, test) in &self.tests {
            let values = choices(test);
            if !states.iter_mut().any(|st| vm.add_seed(st, &values)) {
                lost.push(path.clone());
            }
        }
        states.sort_by_key(|st| st.seeds.is_empty());
        lost
    }
}

fn values(test: &KTest) -> Vec<(String, Vec<u8>)> {
    test.objects.iter().map(|(n, v)| (String::from_utf8_lossy(n).into_owned(), v.clone())).collect()
}

/// Without what the model only records: KLEE's machine had other times and inode numbers than ours.
fn choices(test: &KTest) -> Vec<(String, Vec<u8>)> {
    let is_of_model = test.objects.iter().any(|o| o.0 == b"model_version");
    let recorded = |name: &str| name.ends_with("-stat") || matches!(name, "stdout" | "model_version");
    values(test).into_iter().filter(|v| !is_of_model || !recorded(&v.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_recorded_is_no_choice() {
        let object = |name: &str| (name.as_bytes().to_vec(), vec![0; 4]);
        let names = ["n_args", "A-data", "A-data-stat", "stdout", "stdout-stat", "model_version", "x"];
        let objects = names.map(object).to_vec();
        let mut test = KTest { version: 3, args: Vec::new(), sym_argvs: 0, sym_argv_len: 0, objects };
        let left: Vec<String> = choices(&test).into_iter().map(|v| v.0).collect();
        assert_eq!(left, ["n_args", "A-data", "x"]);
        // A harness may call its inputs what it likes.
        test.objects.retain(|o| o.0 != b"model_version");
        assert_eq!(choices(&test).len(), 6);
    }
}
