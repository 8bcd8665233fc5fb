//! Evolutionary symbolic execution as published: a memetic algorithm whose individuals are paths and whose operators
//! work on path conditions. Selection, crossover, mutation and survival are in `operators`.

use crate::guide::Coin;
use crate::operators::{crossover, mutate, select_pair, survivors};
use crate::path::Path;
use crate::search::{HOPELESS, Search};
use forkwise_expr::Expr;

pub(crate) fn run(search: &mut Search<'_>) {
    let mut population = random_paths(search, search.options.population);
    if population.is_empty() {
        search.complete();
        return;
    }
    while search.goes_on() {
        next_generation(search, &mut population);
        search.generation();
        if search.statistics.generations.is_multiple_of(search.options.local_period.max(1)) {
            local_search(search, &mut population);
        }
        search.machine.tidy(population.iter(), std::iter::empty());
    }
}

/// A population to begin with.
pub(crate) fn random_paths(search: &mut Search<'_>, size: usize) -> Vec<Path> {
    let mut population = Vec::new();
    let mut failed = 0;
    while population.len() < size && failed < HOPELESS && search.goes_on() {
        let mut random = search.random.split();
        let ran = search.machine.run_fresh(&mut random.split(), &mut Coin(&mut random), None);
        match search.took("random", ran) {
            Some(path) => population.push(path),
            None => failed += 1,
        }
    }
    population
}

/// Children join, and the fittest survive.
pub(crate) fn next_generation(search: &mut Search<'_>, population: &mut Vec<Path>) {
    let costs: Vec<u64> = population.iter().map(|p| p.cost).collect();
    let mut children = Vec::new();
    for _ in 0..search.options.population / 2 {
        let Some((a, b)) = select_pair(&mut search.random, &costs) else { break };
        if !search.goes_on() {
            break;
        }
        children.extend(cross(search, &population[a], &population[b]));
    }
    population.extend(children);
    let costs: Vec<u64> = population.iter().map(|p| p.cost).collect();
    let (elite, size) = (search.options.elite, search.options.population);
    let kept = survivors(&mut search.random, &costs, elite, size);
    let mut all: Vec<Option<Path>> = std::mem::take(population).into_iter().map(Some).collect();
    population.extend(kept.into_iter().filter_map(|i| all[i].take()));
}

/// The children of two parents: none, one or two.
pub(crate) fn cross(search: &mut Search<'_>, one: &Path, two: &Path) -> Vec<Path> {
    let (a, b) = crossover(&mut search.random, &one.conditions(), &two.conditions());
    let mut children = Vec::new();
    // What the head comes from satisfies the head, so the solver begins there.
    for (mut conditions, head, tail) in [(a, one, two), (b, two, one)] {
        if search.random.unit() < search.options.mutation {
            mutate(&mut search.random, &mut conditions);
        }
        children.extend(under(search, "crossover", &conditions, head, Some(tail)));
    }
    children
}

/// A random path under conditions.
fn under(
    search: &mut Search<'_>,
    by: &'static str,
    conditions: &[Expr],
    base: &Path,
    other: Option<&Path>,
) -> Option<Path> {
    let mut random = search.random.split();
    let mut salts = random.split();
    let guide = &mut Coin(&mut random);
    let ran = search.machine.run_under(conditions, base, other, &mut salts, guide, None);
    search.took(by, ran)
}

/// Hill climbing from the worst individual: negate one condition at a time.
fn local_search(search: &mut Search<'_>, population: &mut [Path]) {
    let Some(worst) = (0..population.len()).max_by_key(|i| (population[*i].cost, std::cmp::Reverse(*i)))
    else {
        return;
    };
    for _ in 0..search.options.local_attempts {
        let path = &population[worst];
        if path.decisions.is_empty() || !search.goes_on() {
            return;
        }
        let mut conditions = path.conditions();
        let at = search.random.below(conditions.len() as u64) as usize;
        conditions[at] = search.machine.vm.exprs.not(conditions[at]);
        let base = path.clone();
        if let Some(better) = under(search, "local search", &conditions, &base, None)
            && better.cost > population[worst].cost
        {
            population[worst] = better;
        }
    }
}
