//! The baseline without path conditions: a genetic algorithm on inputs, run at concrete speed. It stands in for search-based
//! test generators: numbers are replaced or moved by a little, parents exchange what follows a random cut.

use crate::genes::{Genes, number};
use crate::operators::{select_pair, survivors};
use crate::path::Values;
use crate::search::{HOPELESS, Search};
use forkwise_explore::Random;

pub(crate) fn run(search: &mut Search<'_>) {
    let Some(shape) = search.best().map(|b| b.values.clone()) else {
        search.note("the first random input failed; there is no shape to draw inputs from".into());
        search.complete();
        return;
    };
    let genes = Genes::of(&shape);
    if genes.len() == 0 {
        search.complete();
        return;
    }
    let mut population: Vec<(u64, Values)> = Vec::new();
    let mut failed = 0;
    while population.len() < search.options.population && failed < HOPELESS && search.goes_on() {
        let mut values = shape.clone();
        (0..genes.len()).for_each(|g| genes.set(&mut values, g, number(&mut search.random)));
        match search.try_input("random input", &values) {
            Some(cost) => population.push((cost, values)),
            None => failed += 1,
        }
    }
    while search.goes_on() {
        let costs: Vec<u64> = population.iter().map(|p| p.0).collect();
        let mut children = Vec::new();
        for _ in 0..search.options.population / 2 {
            let Some((a, b)) = select_pair(&mut search.random, &costs) else {
                search.complete();
                break;
            };
            let (mut one, mut two) = (population[a].1.clone(), population[b].1.clone());
            let cut = search.random.below(genes.len() as u64) as usize;
            for g in cut..genes.len() {
                let (x, y) = (genes.get(&one, g), genes.get(&two, g));
                genes.set(&mut one, g, y);
                genes.set(&mut two, g, x);
            }
            for mut child in [one, two] {
                if !search.goes_on() {
                    break;
                }
                mutate(&genes, &mut search.random, &mut child);
                if let Some(cost) = search.try_input("inputs", &child) {
                    children.push((cost, child));
                }
            }
        }
        population.extend(children);
        let costs: Vec<u64> = population.iter().map(|p| p.0).collect();
        let (elite, size) = (search.options.elite, search.options.population);
        let kept = survivors(&mut search.random, &costs, elite, size);
        let mut all: Vec<Option<(u64, Values)>> =
            std::mem::take(&mut population).into_iter().map(Some).collect();
        population.extend(kept.into_iter().filter_map(|i| all[i].take()));
        search.generation();
    }
}

/// Each number changes with such a probability that one does on average.
fn mutate(genes: &Genes, random: &mut Random, values: &mut Values) {
    for g in 0..genes.len() {
        if random.below(genes.len() as u64) != 0 {
            continue;
        }
        let value = match random.below(2) {
            0 => number(random),
            _ => genes.get(values, g).wrapping_add(random.below(41) as i64 - 20),
        };
        genes.set(values, g, value);
    }
}
