//! Seeds: inputs that somebody knows already. A state carries those that satisfy its path condition; wherever a
//! condition splits a path, each seed goes to its side, and a side that has one needs no solver. So the paths of all
//! seeds are followed, their common parts once, and what they leave behind are ordinary siblings.

use crate::machine::Vm;
use crate::state::{Input, State, Witness};
use forkwise_expr::Expr;
use std::rc::Rc;

/// One seed on one path.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Values of inputs by name; the k-th input of a name takes the k-th value of that name.
    values: Rc<[(String, Vec<u8>)]>,
    /// The same as an assignment, as far as the path has asked for inputs.
    witness: Rc<Witness>,
}

impl Vm {
    /// Gives a state a seed, if it satisfies the state's path condition.
    pub fn add_seed(&mut self, st: &mut State, values: &[(String, Vec<u8>)]) -> bool {
        let mut seed = Seed { values: values.into(), witness: st.witness.clone() };
        for (i, input) in st.inputs.iter().enumerate() {
            let earlier = st.inputs[..i].iter().filter(|other| other.name == input.name).count();
            if !self.give(&mut seed, input, earlier) {
                return false;
            }
        }
        let holds = |vm: &mut Vm, c: Expr| vm.eval.eval_u64(&vm.exprs, c, seed.witness.assignment()) == 1;
        let conditions: Vec<Expr> = st.condition.iter().collect();
        if !conditions.into_iter().all(|c| holds(self, c)) {
            return false;
        }
        st.seeds.push(seed);
        self.follow_seed(st);
        true
    }

    /// A new input of the path: the seeds have values for it.
    pub(crate) fn seed_input(&mut self, st: &mut State, input: &Input, earlier: usize) {
        let mut seeds = std::mem::take(&mut st.seeds);
        seeds.retain_mut(|seed| self.give(seed, input, earlier));
        st.seeds = seeds;
        self.follow_seed(st);
    }

    /// The value that a seed has for an input; `false` if its length is wrong and must not be.
    fn give(&mut self, seed: &mut Seed, input: &Input, earlier: usize) -> bool {
        let Some((_, values)) = seed.values.iter().filter(|v| v.0 == input.name).nth(earlier) else {
            return true;
        };
        let (given, wanted) = (values.len(), input.size as usize);
        if given < wanted && !self.config.extend_seeds || given > wanted && !self.config.cut_seeds {
            self.note(format!(
                "a seed is given up: it has {given} bytes for {}, which is {wanted} bytes long",
                input.name
            ));
            return false;
        }
        let (first, size) = (input.first as usize, input.size as usize);
        let mut bytes = seed.witness.bytes.clone();
        bytes.resize(bytes.len().max(first + size), 0);
        bytes[first..first + size].fill(0);
        let n = values.len().min(size);
        bytes[first..first + n].copy_from_slice(&values[..n]);
        seed.witness = self.new_witness(bytes);
        true
    }

    /// The seeds of `st` for which a condition holds.
    pub(crate) fn seeds_where(&mut self, st: &State, cond: Expr) -> Vec<Seed> {
        let holds = |s: &&Seed| self.eval.eval_u64(&self.exprs, cond, s.witness.assignment()) == 1;
        st.seeds.iter().filter(holds).cloned().collect()
    }

    /// A seed's assignment under which a condition holds.
    pub(crate) fn seed_witness(&mut self, st: &State, cond: Expr) -> Option<Rc<Witness>> {
        if st.seeds.is_empty() {
            return None;
        }
        self.seeds_where(st, cond).first().map(|s| s.witness.clone())
    }

    /// The path condition of `st` has grown by `cond`, which its witness satisfies.
    pub(crate) fn keep_seeds(&mut self, st: &mut State, cond: Expr) {
        if !st.seeds.is_empty() {
            st.seeds = self.seeds_where(st, cond);
            self.follow_seed(st);
        }
    }

    /// A state with seeds runs along the first of them.
    fn follow_seed(&mut self, st: &mut State) {
        if let Some(seed) = st.seeds.first() {
            st.witness = seed.witness.clone();
        }
    }
}
