//! The baselines that learn from small inputs: all paths of sizes 1, 2, 3, … for half the budget; the worst path of the
//! largest size that was finished becomes a policy; then the wanted size is explored under it. `wise` looks at the place
//! of a decision only, `spf-wca` at the decisions before it, too.

use crate::dfs::{Walk, under_policy};
use crate::machine::NoPath;
use crate::path::Path;
use crate::policy::Policy;
use crate::search::{Search, SearchError};
use forkwise_explore::Random;

/// Paths of all small sizes together, for budgets that count paths.
fn training_paths(search: &Search<'_>) -> u64 {
    search.options.budget.paths.map_or(u64::MAX, |n| n / 2)
}

pub(crate) fn run(search: &mut Search<'_>, history: usize) -> Result<(), SearchError> {
    let worst = train(search)?;
    let policy = worst.as_ref().map(|path| Policy::of_path(path, history));
    match &policy {
        Some(policy) => {
            under_policy(search, Some(policy));
        }
        None => {
            search.note("no small size could be explored completely; there is no policy".into());
            under_policy(search, None);
        }
    }
    Ok(())
}

/// The worst path of the largest size that was explored completely.
fn train(search: &mut Search<'_>) -> Result<Option<Path>, SearchError> {
    let clock = search.options.clock;
    let deadline = search.options.budget.time.map(|t| clock.now() + t.saturating_sub(search.elapsed()) / 2);
    let most = training_paths(search);
    let mut worst = None;
    let mut paths = 0;
    let (mut trained, mut random) = (0, Random::new(search.options.seed));
    for size in 1..search.size {
        let Some(sizes) = search.sizes.as_mut() else {
            search.note("the program has no size that could be made smaller; there is no policy".into());
            break;
        };
        let mut machine = sizes.machine(size).map_err(|why| SearchError::Size(size, why))?;
        machine.set_deadline(clock, deadline);
        let mut walk = Walk::new(None);
        let mut here: Option<Path> = None;
        let finished = loop {
            if machine.is_over() || paths >= most {
                break false;
            }
            match walk.next(&mut machine, &mut random) {
                None => break true,
                Some(Ok(path)) => {
                    if here.as_ref().is_none_or(|h| path.cost > h.cost) {
                        here = Some(path);
                    }
                }
                Some(Err(NoPath::Interrupted | NoPath::Endless(_))) => break false,
                Some(Err(_)) => {}
            }
            paths += 1;
        };
        if !finished {
            break;
        }
        if here.is_some() {
            (worst, trained) = (here, size);
        }
    }
    search.statistics.paths += paths;
    search.note(format!("trained on all paths of sizes up to {trained}"));
    Ok(worst)
}
