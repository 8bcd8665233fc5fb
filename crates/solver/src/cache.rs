//! Answers of earlier queries: the same query again, and refutations that are part of a new query.
//!
//! Keys are expression handles: the cache must be emptied before handles are reused. Memory is bounded by two
//! generations: when the young one is full it becomes the old one, and what the old one still holds then is
//! forgotten unless it was used; no clock and no hash order decides what stays.

use crate::models::Model;
use forkwise_expr::Expr;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// A decided query.
#[derive(Clone)]
pub(crate) enum Cached {
    Sat(Model),
    Unsat,
}

/// A map bounded by the weight of what was put into the young generation.
struct Generations<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    weight: usize,
    limit: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> Generations<K, V> {
    fn new(limit: usize) -> Self {
        Generations { young: FxHashMap::default(), old: FxHashMap::default(), weight: 0, limit }
    }

    fn get(&mut self, key: &K, weight: impl Fn(&V) -> usize) -> Option<&V> {
        if !self.young.contains_key(key) {
            let value = self.old.remove(key)?;
            let weight = weight(&value);
            self.insert(key.clone(), value, weight);
        }
        self.young.get(key)
    }

    fn insert(&mut self, key: K, value: V, weight: usize) {
        if self.weight >= self.limit {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
        self.young.insert(key, value);
    }

    /// The value of a key, to be changed.
    fn entry(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        if !self.young.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_default();
            self.insert(key.clone(), value, 1);
        }
        self.young.get_mut(&key).expect("just inserted")
    }

    fn clear(&mut self) {
        *self = Generations::new(self.limit);
    }
}

/// The sorted constraints of a query's groups and its condition.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    condition: Expr,
    constraints: Rc<[Expr]>,
}

/// Exact answers and refutations.
pub(crate) struct Cache {
    exact: Generations<Key, Cached>,
    /// By member: sets of constraints that cannot hold together.
    cores: Generations<Expr, Vec<Rc<[Expr]>>>,
}

/// Bytes of queries and their models in one generation, roughly.
const MAX_EXACT: usize = 16 << 20;
/// Conditions with refutations in one generation.
const MAX_CORES: usize = 1 << 14;
/// Refutations kept for one condition; the newest displaces the oldest.
const CORES_EACH: usize = 8;
/// A larger refutation seldom recurs and costs more to look for.
const CORE_SIZE: usize = 8;
/// A key with more constraints than this costs more than it saves.
const KEY_SIZE: usize = 256;

/// Bytes of an entry, roughly.
fn weight(constraints: &[Expr], answer: &Cached) -> usize {
    let model = match answer {
        Cached::Sat(model) => size_of_val(&model[..]),
        Cached::Unsat => 0,
    };
    100 + size_of_val(constraints) + model
}

impl Default for Cache {
    fn default() -> Cache {
        Cache { exact: Generations::new(MAX_EXACT), cores: Generations::new(MAX_CORES) }
    }
}

impl Cache {
    pub fn forget(&mut self) {
        self.exact.clear();
        self.cores.clear();
    }

    /// The answer to this query, or to a part of it that is refuted. `constraints` are sorted and satisfiable.
    pub fn find(&mut self, constraints: &[Expr], condition: Expr) -> Option<Cached> {
        if constraints.len() <= KEY_SIZE {
            let key = Key { condition, constraints: constraints.into() };
            if let Some(answer) = self.exact.get(&key, |answer| weight(constraints, answer)) {
                return Some(answer.clone());
            }
        }
        // The constraints alone are satisfiable, so a refutation inside the query contains the condition.
        let cores = self.cores.get(&condition, |_| 1)?;
        cores
            .iter()
            .any(|core| core.iter().all(|c| *c == condition || constraints.binary_search(c).is_ok()))
            .then_some(Cached::Unsat)
    }

    pub fn insert(&mut self, constraints: &[Expr], condition: Expr, answer: Cached) {
        if constraints.len() <= KEY_SIZE {
            let weight = weight(constraints, &answer);
            self.exact.insert(Key { condition, constraints: constraints.into() }, answer, weight);
        }
    }

    /// These constraints and the condition cannot hold together.
    pub fn insert_core(&mut self, constraints: &[Expr], condition: Expr) {
        if constraints.len() >= CORE_SIZE {
            return;
        }
        let core: Rc<[Expr]> = constraints.iter().copied().chain([condition]).collect();
        for &member in core.iter() {
            let list = self.cores.entry(member);
            if list.contains(&core) {
                continue;
            }
            if list.len() == CORES_EACH {
                list.remove(0);
            }
            list.push(Rc::clone(&core));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_expr::{Exprs, SymbolId};

    fn conditions(ex: &mut Exprs, n: u64) -> Vec<Expr> {
        let s = ex.symbol(SymbolId(0));
        (0..n)
            .map(|i| {
                let k = ex.constant(8, i);
                ex.eq(s, k)
            })
            .collect()
    }

    #[test]
    fn a_refutation_is_found_in_a_larger_query_by_any_member() {
        let c = conditions(&mut Exprs::new(), 6);
        let mut cache = Cache::default();
        cache.insert_core(&[c[0], c[1]], c[2]);
        assert!(matches!(cache.find(&[c[0], c[1], c[4]], c[2]), Some(Cached::Unsat)));
        assert!(matches!(cache.find(&[c[1], c[2], c[5]], c[0]), Some(Cached::Unsat)));
        assert!(cache.find(&[c[1], c[4]], c[2]).is_none());
        cache.forget();
        assert!(cache.find(&[c[0], c[1], c[4]], c[2]).is_none());
    }

    #[test]
    fn generations_keep_what_is_used() {
        let mut map: Generations<u32, u32> = Generations::new(4);
        map.insert(1000, 7, 1);
        for i in 0..100 {
            map.insert(i, i, 1);
            assert_eq!(map.get(&1000, |_| 1), Some(&7));
            assert!(map.young.len() + map.old.len() <= 8);
        }
        assert_eq!(map.get(&0, |_| 1), None);
    }
}
