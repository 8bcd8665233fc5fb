//! Searches side by side: each on a thread of its own with a machine of its own, because machines are not shared. They
//! meet by counted work (`forkwise_worst::Meeting`), so the answer follows from the seed and their number.

use super::options::WorstArgs;
use super::target::{Smaller, Target};
use crate::live::Progress;
use anyhow::{Context, anyhow};
use forkwise_worst::{Answer, Member, SearchError, Sizes};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// As much stack as the main thread usually has, and more: expressions are walked by recursion.
const STACK: usize = 64 << 20;

/// Runs `first` on this thread and a search for each of `others` beside it; their answers together.
pub fn beside(
    args: &WorstArgs,
    size: u64,
    interrupt: &Arc<AtomicBool>,
    others: Vec<Member>,
    first: impl FnOnce() -> Result<Answer, SearchError>,
) -> anyhow::Result<Answer> {
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for member in others {
            let builder = thread::Builder::new().name(format!("worst-{}", member.number())).stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, move || one(args, size, interrupt, member));
            threads.push(spawned.context("no thread could be started; --jobs 1 needs none")?);
        }
        let mut answer = first()?;
        for thread in threads {
            let other =
                thread.join().map_err(|_| anyhow!("a search on another thread failed; --jobs 1 may not"))?;
            answer = answer.together(other?);
        }
        Ok(answer)
    })
}

fn one(args: &WorstArgs, size: u64, interrupt: &Arc<AtomicBool>, member: Member) -> anyhow::Result<Answer> {
    let mut quiet = Progress::new(true);
    let mut target = Target::new(args, Arc::clone(interrupt));
    let mut machine = target.at(size, &mut quiet)?.machine;
    let mut smaller = Smaller { target: &mut target, progress: &mut quiet };
    let sizes: Option<&mut dyn Sizes> = if size > 0 { Some(&mut smaller) } else { None };
    Ok(forkwise_worst::find(&mut machine, sizes, size, &args.search(), Some(member), &mut |_| {})?)
}
