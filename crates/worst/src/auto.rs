//! Our own method. It keeps one best path and improves it in turns of several kinds, more often by those that paid off:
//! *training* (wishes for smaller sizes, see `train`), *wishes* (which side to take at which place, perhaps after which
//! decisions: a policy found by hill climbing), *flips* (the other side of one decision of the best path, resumed at that
//! very state, the rest by the wishes or by the witness), *changes* of the input itself at concrete speed, and *crossover*
//! with other good paths. Turns share counted work, never time, so everything follows from the seed.

use crate::climb::{Climb, all_sides};
use crate::flip::Flips;
use crate::genes::{Genes, Layout};
use crate::guide::Follow;
use crate::machine::Trail;
use crate::options::{Budget, Part};
use crate::path::{Path, Values};
use crate::policy::{LONGEST, Wishing};
use crate::search::{Search, SearchError};
use crate::train::Training;
use crate::{ese, operators};
use std::time::Duration;

/// Good paths that are kept for crossover, and how many there must be before it begins.
const KEPT: usize = 12;
const FEWEST: usize = 4;
/// Inputs that are tried in one turn: about as long as a path takes symbolically.
const INPUTS: u32 = 40;
/// Paths whose conditions are read for what they tell about inputs.
const READ: u32 = 20;
/// Turns share the work by their credit. It rises to one with a gain, falls by this factor with each turn that gains
/// nothing, and is never less than the least.
const DECAY: f64 = 0.95;
const LEAST: f64 = 0.1;
/// How fast work that lies back is forgotten.
const FORGET: f64 = 0.99;
/// Work that the questions of one path may cost: this much, or this part of all work so far. A program whose questions
/// are hard is not searched by questions.
const PATIENCE: u64 = 100_000_000;
const PATIENCE_PART: u64 = 50;

/// Work without any gain after which the search begins again elsewhere; longer where gains took longer.
const STALE: u64 = 15_000_000_000;

/// Kinds of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Train,
    Wish,
    Flip,
    Change,
    Cross,
}

const TURNS: [(Turn, Part); 5] = [
    (Turn::Change, Part::Changes),
    (Turn::Train, Part::Training),
    (Turn::Wish, Part::Wishes),
    (Turn::Flip, Part::Flips),
    (Turn::Cross, Part::Crossover),
];

/// The same in time, where time is limited anyway: work is an estimate, and a hard question can take seconds.
pub(crate) fn patience_time(budget: &Budget) -> Option<Duration> {
    budget.time.map(|t| (t / 200).clamp(Duration::from_millis(100), Duration::from_secs(2)))
}

struct Auto {
    /// The path that is improved.
    current: Path,
    /// Other good ones, the best first.
    good: Vec<Path>,
    climb: Climb,
    training: Training,
    flips: Flips,
    /// The input that is changed, and its cost.
    input: (u64, Values),
    layout: Layout,
    genes: Genes,
    /// Paths that the layout was read from.
    read: u32,
    wishing: bool,
    credit: [f64; TURNS.len()],
    /// Work of each kind of turn, lately.
    work: [f64; TURNS.len()],
}

/// The search since it began or began again: work at its beginning and at its last gain, and whether it began
/// again somewhere else.
struct Life {
    begin: u64,
    gain: u64,
    fresh: bool,
}

pub(crate) fn run(search: &mut Search<'_>, first: Option<Path>) -> Result<(), SearchError> {
    let without = search.options.without.clone();
    search.machine.ask_always = without.contains(&Part::Witnesses);
    search.machine.without_orders = without.contains(&Part::Order);
    search.machine.patience = PATIENCE;
    search.machine.patience_time = patience_time(&search.options.budget);
    let Some(current) = first.or_else(|| ese::random_paths(search, 1).pop()) else {
        search.complete();
        return Ok(());
    };
    let mut auto = Auto::new(search, current);
    if !without.contains(&Part::Shapes) {
        auto.shapes(search);
    }
    let mut life = Life { begin: search.work(), gain: search.work(), fresh: false };
    let mut heard: Option<(u64, Values)> = None;
    while search.goes_on() {
        search.machine.patience = PATIENCE.max(search.work() / PATIENCE_PART);
        // The kind that has had least of its share.
        let had = |i: &usize| auto.work[*i] / auto.credit[*i];
        let is_used = |i: &usize| !without.contains(&TURNS[*i].1) && auto.can(TURNS[*i].0);
        let used = (0..TURNS.len()).filter(is_used);
        let Some(i) = used.min_by(|a, b| had(a).total_cmp(&had(b))) else {
            search.note("everything that could be tried is switched off".into());
            search.complete();
            break;
        };
        let (before, work) = (auto.current.cost, search.work());
        let mut gained = false;
        match TURNS[i].0 {
            Turn::Train => gained = auto.train(search)?,
            Turn::Wish => auto.wish(search),
            Turn::Flip => auto.flip(search),
            Turn::Change => auto.change(search),
            Turn::Cross => auto.cross(search),
        }
        gained |= auto.current.cost > before;
        auto.credit[i] = match gained {
            true => 1.0,
            false => (auto.credit[i] * DECAY).max(LEAST),
        };
        auto.work.iter_mut().for_each(|w| *w *= FORGET);
        auto.work[i] += 1.0 + (search.work() - work) as f64;
        search.generation();
        if gained {
            life.gain = search.work();
        }
        heard = search.meet().or(heard);
        if search.work() - life.gain > STALE.max(life.gain - life.begin) {
            // Somewhere else, the next time with the best that anybody knows, and so on in turns.
            let fresh = !life.fresh;
            auto.restart(search, if fresh { None } else { heard.take() }, fresh);
            life = Life { begin: search.work(), gain: search.work(), fresh };
        }
        let waiting = auto.flips.states();
        search.machine.tidy(auto.good.iter().chain([&auto.current]), waiting);
    }
    Ok(())
}

impl Auto {
    fn new(search: &mut Search<'_>, current: Path) -> Auto {
        let mut climb = Climb::default();
        // Always the first side, and always the second: many a loop ends by one of them.
        climb.suggest([0, 1].map(|arm| all_sides(Some(&current), arm)).to_vec());
        let mut auto = Auto {
            input: (current.cost, current.values.clone()),
            genes: Genes::of(&current.values),
            layout: Layout::default(),
            read: 0,
            good: Vec::new(),
            climb,
            training: Training::new(search),
            flips: Flips::new(search.options.without.contains(&Part::Learning)),
            current,
            wishing: !search.options.without.contains(&Part::Wishes),
            credit: [1.0; TURNS.len()],
            work: [0.0; TURNS.len()],
        };
        auto.look(search);
        auto
    }

    /// Begins again: anywhere, or with the best input of all searches. The best so far is the search's to remember.
    fn restart(&mut self, search: &mut Search<'_>, heard: Option<(u64, Values)>, fresh: bool) {
        let mut random = search.random.split();
        let own = search.best().map(|b| (b.cost, b.values.clone()));
        let best = own.into_iter().chain(heard).max_by_key(|b| b.0).filter(|_| !fresh);
        let ran = match best {
            Some((_, values)) => {
                let base = Path { values, ..self.current.clone() };
                search.machine.run_from(&base, &mut random, &mut Follow, None)
            }
            None => search.machine.run_fresh(&mut random, &mut Follow, None),
        };
        if let Some(path) = search.took("restarts", ran) {
            *self = Auto::new(search, path);
        }
    }

    /// Is there anything to do in such a turn?
    fn can(&self, turn: Turn) -> bool {
        match turn {
            Turn::Train => self.wishing && !self.training.is_over(),
            _ => true,
        }
    }

    /// What the conditions of the best path tell about its inputs.
    fn look(&mut self, search: &Search<'_>) {
        if self.read < READ {
            self.read += 1;
            self.layout.read(&search.machine.vm.exprs, &self.current);
            self.genes = Genes::by(&self.layout, &self.current);
        } else if !self.genes.fits(&self.current.values) {
            self.genes = Genes::by(&self.layout, &self.current);
        }
    }

    /// Inputs of simple shapes.
    fn shapes(&mut self, search: &mut Search<'_>) {
        let mut found = false;
        for values in self.genes.shapes(&self.current.values) {
            if !search.goes_on() {
                return;
            }
            if let Some(cost) = search.try_input("shapes", &values)
                && cost > self.input.0
            {
                found = true;
                self.input = (cost, values);
            }
        }
        if found {
            self.symbolic_input(search, "shapes");
        }
    }

    fn train(&mut self, search: &mut Search<'_>) -> Result<bool, SearchError> {
        let learnt = self.training.turn(search)?;
        let gained = !learnt.is_empty();
        self.climb.suggest(learnt);
        Ok(gained)
    }
    /// A path was found: is it better, or at least good?
    fn take(&mut self, search: &Search<'_>, path: Path, trail: Option<Trail>) {
        if path.cost > self.current.cost {
            let before = std::mem::replace(&mut self.current, path.clone());
            self.flips.restart(trail);
            self.keep(before);
            if path.cost > self.input.0 {
                self.input = (path.cost, path.values.clone());
            }
            self.climb.offer(&path);
            self.look(search);
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
            self.take(search, path, Some(trail));
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
        let by_wishes = self.wishing && self.flips.by_wishes(&mut search.random);
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
                self.take(search, path, Some(trail));
            } else {
                self.take(search, path, None);
            }
        }
    }

    fn change(&mut self, search: &mut Search<'_>) {
        if !self.genes.fits(&self.input.1) {
            self.genes = Genes::of(&self.input.1);
        }
        let genes = self.genes.clone();
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
            self.symbolic_input(search, "changes");
        }
    }

    /// The path of the changed input, so that the others can work on it.
    fn symbolic_input(&mut self, search: &mut Search<'_>, by: &'static str) {
        let base = Path { values: self.input.1.clone(), ..self.current.clone() };
        let mut trail = Trail::default();
        let mut random = search.random.split();
        let ran = search.machine.run_from(&base, &mut random, &mut Follow, Some(&mut trail));
        if let Some(path) = search.took(by, ran) {
            self.take(search, path, Some(trail));
        }
    }

    fn cross(&mut self, search: &mut Search<'_>) {
        if self.good.len() < FEWEST {
            for path in ese::random_paths(search, 1) {
                self.take(search, path, None);
            }
        }
        let all: Vec<&Path> = std::iter::once(&self.current).chain(&self.good).collect();
        let costs: Vec<u64> = all.iter().map(|p| p.cost).collect();
        let Some((a, b)) = operators::select_pair(&mut search.random, &costs) else { return };
        let (one, two) = (all[a].clone(), all[b].clone());
        for path in ese::cross(search, &one, &two) {
            self.take(search, path, None);
        }
    }
}

const _: () = assert!(LONGEST >= 1, "wishes look back at least one decision");
