//! Our own method. It keeps one best path and improves it in turns of five kinds, more often by those that paid off:
//! *wishes* (which side to take at which place, perhaps after which decisions: a policy found by hill climbing, first on a
//! smaller size), *flips* (the other side of one decision of the best path, resumed at that very state, the rest by the
//! wishes or by the witness), *changes* of the input itself at concrete speed, and *crossover* with other good paths.
//! What is learnt about flips (which places pay off) outlives the path. Everything follows from the seed.

use crate::climb::{Climb, all_sides};
use crate::flip::Flips;
use crate::genes::Genes;
use crate::guide::Follow;
use crate::machine::Trail;
use crate::path::{Path, Values};
use crate::policy::{LONGEST, Wishes, Wishing};
use crate::search::{Search, SearchError};
use crate::{ese, operators};

/// Paths of a smaller size that wishes are learnt from.
const TRAINING: u64 = 200;
/// Sizes below this are not worth training on.
const SMALLEST: u64 = 4;
/// Random paths to begin with.
const FIRST: usize = 8;
/// Good paths that are kept for crossover.
const KEPT: usize = 12;
/// Inputs that are tried in one turn: about as long as a path takes symbolically.
const INPUTS: u32 = 40;
/// Turns share the work by their credit. It rises to one with a gain, falls by this factor with each turn that gains
/// nothing, and is never less than the least.
const DECAY: f64 = 0.95;
const LEAST: f64 = 0.1;
/// How fast work that lies back is forgotten.
const FORGET: f64 = 0.99;

/// Kinds of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Wish,
    Flip,
    Change,
    Cross,
}

const TURNS: [Turn; 4] = [Turn::Wish, Turn::Flip, Turn::Change, Turn::Cross];

struct Auto {
    /// The path that is improved.
    current: Path,
    /// Other good ones, the best first.
    good: Vec<Path>,
    climb: Climb,
    flips: Flips,
    /// The input that is changed, and its cost.
    input: (u64, Values),
    credit: [f64; TURNS.len()],
    /// Work of each kind of turn, lately.
    work: [f64; TURNS.len()],
}

pub(crate) fn run(search: &mut Search<'_>) -> Result<(), SearchError> {
    let learnt = train(search)?;
    let Some(mut auto) = begin(search, learnt) else {
        search.complete();
        return Ok(());
    };
    while search.goes_on() {
        // The kind that has had least of its share.
        let had = |i: &usize| auto.work[*i] / auto.credit[*i];
        let Some(i) = (0..TURNS.len()).min_by(|a, b| had(a).total_cmp(&had(b))) else { break };
        let (before, work) = (auto.current.cost, search.machine.work());
        match TURNS[i] {
            Turn::Wish => auto.wish(search),
            Turn::Flip => auto.flip(search),
            Turn::Change => auto.change(search),
            Turn::Cross => auto.cross(search),
        }
        auto.credit[i] = match auto.current.cost > before {
            true => 1.0,
            false => (auto.credit[i] * DECAY).max(LEAST),
        };
        auto.work.iter_mut().for_each(|w| *w *= FORGET);
        auto.work[i] += 1.0 + (search.machine.work() - work) as f64;
        search.generation();
        let waiting = auto.flips.states();
        search.machine.tidy(auto.good.iter().chain([&auto.current]), waiting);
    }
    Ok(())
}

/// Wishes from smaller sizes: hill climbing at an eighth and a quarter of the size.
fn train(search: &mut Search<'_>) -> Result<Vec<Wishes>, SearchError> {
    let mut learnt: Vec<Wishes> = Vec::new();
    let sizes: Vec<u64> = [search.size / 8, search.size / 4].into_iter().filter(|s| *s >= SMALLEST).collect();
    for size in sizes {
        let Some(sizes) = search.sizes.as_mut() else { break };
        let mut machine = sizes.machine(size).map_err(|why| SearchError::Size(size, why))?;
        let share = search.options.budget.time.map(|t| std::time::Instant::now() + t / 20);
        machine.set_deadline(share);
        let mut climb = Climb::new(learnt.clone());
        let mut paths = 0;
        let mut random = search.random.split();
        let most = search.options.budget.paths.map_or(TRAINING, |n| TRAINING.min(n / 8));
        while paths < most && !machine.is_over() && search.goes_on() {
            let wishes = climb.propose(&mut random);
            let mut guide = Wishing::new(&wishes, &[]);
            let ran = match climb.base() {
                Some(base) => machine.run_from(base, &mut random, &mut guide, None),
                None => machine.run_fresh(&mut random, &mut guide, None),
            };
            let met = guide.met;
            climb.learn(&wishes, met, ran.ok());
            paths += 1;
        }
        search.statistics.paths += paths;
        learnt = climb.best();
    }
    Ok(learnt)
}

fn begin(search: &mut Search<'_>, learnt: Vec<Wishes>) -> Option<Auto> {
    let mut good = ese::random_paths(search, FIRST);
    let mut climb = Climb::new(learnt);
    // Always the first side, and always the second: many a loop ends by one of them.
    for wishes in [None, Some(0), Some(1)] {
        if !search.goes_on() {
            break;
        }
        let wishes = match wishes {
            None => climb.propose(&mut search.random),
            Some(arm) => all_sides(good.first(), arm),
        };
        let mut random = search.random.split();
        let mut guide = Wishing::new(&wishes, &[]);
        let ran = search.machine.run_fresh(&mut random, &mut guide, None);
        let met = guide.met;
        let path = search.took("wishes", ran);
        good.extend(path.clone());
        climb.learn(&wishes, met, path);
    }
    good.sort_by_key(|p| std::cmp::Reverse(p.cost));
    let current = good.first()?.clone();
    let input = (current.cost, current.values.clone());
    Some(Auto {
        current,
        good,
        climb,
        flips: Flips::default(),
        input,
        credit: [1.0; TURNS.len()],
        work: [0.0; TURNS.len()],
    })
}

impl Auto {
    /// A path was found: is it better, or at least good?
    fn take(&mut self, path: Path, trail: Option<Trail>) {
        if path.cost > self.current.cost {
            let before = std::mem::replace(&mut self.current, path.clone());
            self.flips.restart(trail);
            self.keep(before);
            if path.cost > self.input.0 {
                self.input = (path.cost, path.values.clone());
            }
            self.climb.offer(&path);
        } else if self.good.last().is_none_or(|worst| self.good.len() < KEPT || path.cost > worst.cost) {
            self.keep(path);
        }
    }

    fn keep(&mut self, path: Path) {
        let at = self.good.partition_point(|p| p.cost >= path.cost);
        // One of each cost: crossover of equals is a waste.
        if at > 0 && self.good[at - 1].cost == path.cost {
            return;
        }
        self.good.insert(at, path);
        self.good.truncate(KEPT);
    }

    fn wish(&mut self, search: &mut Search<'_>) {
        let wishes = self.climb.propose(&mut search.random);
        let mut guide = Wishing::new(&wishes, &[]);
        let mut random = search.random.split();
        let mut trail = Trail::default();
        let base = self.climb.base().unwrap_or(&self.current).clone();
        let ran = search.machine.run_from(&base, &mut random, &mut guide, Some(&mut trail));
        let met = guide.met;
        let path = search.took("wishes", ran);
        self.climb.learn(&wishes, met, path.clone());
        if let Some(path) = path {
            self.take(path, Some(trail));
        }
    }

    fn flip(&mut self, search: &mut Search<'_>) {
        if self.flips.needs_states() {
            // The path is run again, along its own input, for the states beside it.
            let mut trail = Trail::default();
            let mut random = search.random.split();
            let current = self.current.clone();
            let ran = search.machine.run_from(&current, &mut random, &mut Follow, Some(&mut trail));
            if search.took("flips", ran).is_none() {
                return;
            }
            self.flips.fill(trail);
        }
        let Some(flip) = self.flips.pick(&mut search.random) else { return };
        let (site, arm, at) = (flip.site, flip.arm, flip.at);
        let before = self.flips.decisions().to_vec();
        let mut trail = Trail::default();
        let by_wishes = self.flips.by_wishes(&mut search.random);
        let ran = match by_wishes {
            true => {
                let wishes = self.climb.current().clone();
                let mut guide = Wishing::new(&wishes, &before[..at]);
                search.machine.run_left(&before, flip, &mut guide, Some(&mut trail))
            }
            false => search.machine.run_left(&before, flip, &mut Follow, Some(&mut trail)),
        };
        let path = search.took(if by_wishes { "flips by wishes" } else { "flips" }, ran);
        let gained = path.as_ref().is_some_and(|p| p.cost > self.current.cost);
        self.flips.learn(site, arm, by_wishes, gained);
        if let Some(path) = path {
            if gained {
                // States before the flip stay good; those behind it are new.
                self.flips.carry_over(&mut trail, at);
                self.take(path, Some(trail));
            } else {
                self.take(path, None);
            }
        }
    }

    fn change(&mut self, search: &mut Search<'_>) {
        let genes = Genes::of(&self.input.1);
        let mut found = false;
        for _ in 0..INPUTS {
            if !search.goes_on() {
                return;
            }
            let mut values = self.input.1.clone();
            for _ in 0..1 + search.random.below(3) {
                genes.change(&mut search.random, &mut values);
            }
            if values == self.input.1 {
                continue;
            }
            if let Some(cost) = search.try_input("changes", &values)
                && cost >= self.input.0
            {
                found |= cost > self.current.cost;
                self.input = (cost, values);
            }
        }
        if found {
            self.symbolic_input(search);
        }
    }

    /// The path of the changed input, so that the others can work on it.
    fn symbolic_input(&mut self, search: &mut Search<'_>) {
        let base = Path { values: self.input.1.clone(), ..self.current.clone() };
        let mut trail = Trail::default();
        let mut random = search.random.split();
        let ran = search.machine.run_from(&base, &mut random, &mut Follow, Some(&mut trail));
        if let Some(path) = search.took("changes", ran) {
            self.take(path, Some(trail));
        }
    }

    fn cross(&mut self, search: &mut Search<'_>) {
        let all: Vec<&Path> = std::iter::once(&self.current).chain(&self.good).collect();
        let costs: Vec<u64> = all.iter().map(|p| p.cost).collect();
        let Some((a, b)) = operators::select_pair(&mut search.random, &costs) else { return };
        let (one, two) = (all[a].clone(), all[b].clone());
        for path in ese::cross(search, &one, &two) {
            self.take(path, None);
        }
    }
}

const _: () = assert!(LONGEST >= 1, "wishes look back at least one decision");
