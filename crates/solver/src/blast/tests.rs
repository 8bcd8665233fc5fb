//! The circuit's constructors against truth tables, and encoder and SAT solver together against enumeration.

use super::*;
use crate::common::Random;
use graph::Gate;

const INPUTS: u32 = 6;

/// The truth table of a literal over six inputs: bit i is its value under assignment i.
fn table(tables: &[u64], lit: Lit) -> u64 {
    let t = tables[lit.node() as usize];
    if lit.negated() { !t } else { t }
}

fn input_table(n: u32) -> u64 {
    (0..64).filter(|i| i >> n & 1 == 1).fold(0, |t, i| t | 1 << i)
}

/// Brings `tables` up to date with the graph.
fn extend(g: &Graph, tables: &mut Vec<u64>) {
    for node in tables.len()..g.len() {
        let of = |l: Lit| table(tables, l);
        let t = match g.gate(node as u32) {
            Gate::Constant => 0,
            Gate::Input(n) => input_table(n),
            Gate::And(a, b) => of(a) & of(b),
            Gate::Xor(a, b) => of(a) ^ of(b),
            Gate::Mux(c, t, e) => of(c) & of(t) | !of(c) & of(e),
        };
        tables.push(t);
    }
}

/// A random circuit; every step checks what the constructor returned.
fn random_circuit(g: &mut Graph, r: &mut Random, steps: usize) -> (Vec<Lit>, Vec<u64>) {
    let mut tables = Vec::new();
    let mut lits: Vec<Lit> = (0..INPUTS).map(|n| g.input(n)).collect();
    lits.push(TRUE);
    extend(g, &mut tables);
    for _ in 0..steps {
        // Mostly recent ones, so that rules that look two levels deep apply.
        let mut pick = || {
            let recent = lits.len().saturating_sub(6);
            let at =
                if r.below(2) == 0 { recent + r.below(lits.len() - recent) } else { r.below(lits.len()) };
            lits[at].flip(r.below(2) == 0)
        };
        let (a, b, c) = (pick(), pick(), pick());
        let (ta, tb, tc) = (table(&tables, a), table(&tables, b), table(&tables, c));
        let (made, expected) = match r.below(4) {
            0 => (g.and(a, b), ta & tb),
            1 => (g.xor(a, b), ta ^ tb),
            2 => (g.mux(a, b, c), ta & tb | !ta & tc),
            _ => {
                let (sum, carry) = g.full_add(a, b, c);
                extend(g, &mut tables);
                assert_eq!(table(&tables, sum), ta ^ tb ^ tc);
                (carry, ta & tb | ta & tc | tb & tc)
            }
        };
        extend(g, &mut tables);
        assert_eq!(table(&tables, made), expected, "{a:?} {b:?} {c:?} in {:?}", g.gate(made.node()));
        lits.push(made);
    }
    (lits, tables)
}

#[test]
fn constructors_compute_what_they_say() {
    for seed in 0..2000 {
        random_circuit(&mut Graph::default(), &mut Random::new(seed), 40);
    }
}

/// Many queries on one incremental instance, each over the cone of a few literals.
#[test]
fn cones_are_decided_as_by_enumeration() {
    for seed in 0..300 {
        let mut r = Random::new(seed);
        let mut g = Graph::default();
        let (lits, tables) = random_circuit(&mut g, &mut r, 60);
        let mut encoder = Encoder::default();
        let mut sat = Cdcl::default();
        for _ in 0..25 {
            let chosen: Vec<Lit> =
                (0..1 + r.below(5)).map(|_| lits[r.below(lits.len())].flip(r.below(2) == 0)).collect();
            let expected = chosen.iter().fold(u64::MAX, |t, &l| t & table(&tables, l));
            let assumptions: Vec<SatLit> =
                chosen.iter().map(|&l| encoder.literal(&mut g, &mut sat, l).unwrap()).collect();
            let hint = r.next();
            let (scope, inputs, phase) = encoder.scope(&assumptions, |n| hint >> n & 1 == 1);
            let limits = Limits { deadline: Deadline::NONE, conflicts: u64::MAX };
            match sat.solve(&assumptions, &Guide { scope, inputs, phase }, limits) {
                Verdict::Sat => {
                    // Inputs outside the scope cannot matter.
                    let mut model = 0;
                    for (var, symbol, bit) in encoder.inputs() {
                        assert_eq!(symbol, SymbolId(0));
                        model |= u32::from(sat.value(var)) << bit;
                    }
                    assert!(expected >> model & 1 == 1, "seed {seed}: {model:b} of {expected:b}");
                }
                Verdict::Unsat => {
                    assert_eq!(expected, 0, "seed {seed}");
                    let core = chosen
                        .iter()
                        .zip(&assumptions)
                        .filter(|&(_, &a)| sat.failed(a))
                        .fold(u64::MAX, |t, (&l, _)| t & table(&tables, l));
                    assert_eq!(core, 0, "seed {seed}: the core");
                }
                Verdict::Unknown => panic!("no limit was set"),
            }
        }
    }
}
