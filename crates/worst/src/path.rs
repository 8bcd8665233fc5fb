//! One feasible path: what it decided, what it cost, and an input that takes it. Plain data; conditions are handles into
//! the machine that ran the path and mean nothing to another one.

use forkwise_expr::Expr;
use forkwise_vm::Input;
use std::rc::Rc;

/// Values of inputs by name; the k-th input of a name takes the k-th value.
pub type Values = Vec<(String, Vec<u8>)>;

/// A place where a program decides: the same number for the same place of the source, whatever the size of the input that
/// the program was compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(pub u64);

/// One decision of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where.
    pub site: Site,
    /// The arm it took: for a branch 0 where its condition holds and 1 where it does not.
    pub arm: u32,
    /// The condition under which it is taken.
    pub condition: Expr,
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its decisions in order.
    pub decisions: Vec<Decision>,
    /// What it costs.
    pub cost: u64,
    /// An input that takes it.
    pub values: Values,
    /// The inputs it asked for.
    pub inputs: Rc<Vec<Input>>,
    /// The beginning of the program that it started from.
    pub root: usize,
}

impl Path {
    /// Its conditions in order: the path condition as a list of clauses.
    pub fn conditions(&self) -> Vec<Expr> {
        self.decisions.iter().map(|d| d.condition).collect()
    }

    /// The assignment of its values to symbols.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.put(&mut bytes, &[]);
        bytes
    }

    /// Puts the values of all inputs but those in `except` into an assignment.
    pub(crate) fn put(&self, bytes: &mut Vec<u8>, except: &[Input]) {
        for (input, (_, values)) in self.inputs.iter().zip(&self.values) {
            if except.contains(input) {
                continue;
            }
            let (first, end) = (input.first as usize, input.first as usize + values.len());
            bytes.resize(bytes.len().max(end), 0);
            bytes[first..end].copy_from_slice(values);
        }
    }
}
