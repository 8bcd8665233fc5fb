//! The execution tree: every symbolic decision that some path has met, once for each sequence of decisions before it,
//! and what is known of its arms. Paths through it share their beginnings, whichever run found them first. It never
//! runs or solves anything.

use forkwise_vm::{State, TreePlace, Vm};
use rustc_hash::FxHashMap;

/// Number of a decision in the tree.
pub type NodeId = u32;

/// A place in the tree: a decision and one of its arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The decision.
    pub node: NodeId,
    /// Its arm.
    pub arm: u32,
}

/// How a state that waits at an arm can be had.
pub struct Open {
    /// The run that passed by, and how many siblings it had left behind before this one.
    pub run: u32,
    /// See `run`.
    pub ordinal: u64,
    /// Its place in the execution tree that is told afterwards.
    pub place: TreePlace,
    /// The state itself, while there is room for it.
    pub snapshot: Option<Box<State>>,
}

/// What is known of an arm.
pub enum Status {
    /// A path went this way.
    Taken,
    /// Nobody has tried.
    Open(Open),
    /// It was tried, and no input goes this way.
    Infeasible,
    /// It was tried, and the solver gave no answer.
    Unknown,
}

/// One way out of a decision.
pub struct Arm {
    /// What tells it from the other arms of its decision.
    key: u64,
    /// The edge it takes; `None` where the program decides without branching, such as on the value of a pointer.
    pub edge: Option<u32>,
    /// What is known of it.
    pub status: Status,
}

impl Arm {
    /// Can it be tried?
    pub fn is_open(&self) -> bool {
        matches!(self.status, Status::Open(_))
    }
}

/// A decision after one sequence of decisions.
pub struct Node {
    /// The decision before it.
    pub parent: Option<Step>,
    /// How many decisions are before it.
    pub depth: u32,
    /// Its arms; the one that the first path took comes first.
    pub arms: Vec<Arm>,
    /// A number for the decisions before it.
    prefix: u64,
}

/// See the module text.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Decisions by the sequence before them.
    by_prefix: FxHashMap<u64, NodeId>,
    open: usize,
    kept: usize,
}

/// The place a path has come to.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    parent: Option<Step>,
    prefix: u64,
}

impl Cursor {
    /// Before the first decision.
    pub fn root() -> Cursor {
        Cursor { parent: None, prefix: 0x51ed_270b_7a14_9d3f }
    }
}

/// Constraints that tell one arm without an edge from another.
const LATEST: usize = 8;

/// An arm as a path meets it.
pub struct Met {
    /// See [`Arm`].
    pub key: u64,
    /// See [`Arm`].
    pub edge: Option<u32>,
}

impl Met {
    /// The way a state goes that has just been forked or has forked another. Cases of a switch with one target are one arm.
    pub fn of(vm: &Vm, st: &State) -> Met {
        match st.pending_edge {
            Some(edge) => {
                let e = &vm.program.edges[edge as usize];
                Met { key: u64::from(e.block) << 32 | u64::from(e.pc), edge: Some(edge) }
            }
            None => {
                let newest = st.condition.newest_first().take(LATEST);
                let key = newest.fold(st.condition.len() as u64, |h, c| {
                    (h.rotate_left(5) ^ vm.exprs.fingerprint(c)).wrapping_mul(0x517c_c1b7_2722_0a95)
                });
                Met { key: key | 1 << 63, edge: None }
            }
        }
    }

    /// The way of a path that ends at the decision.
    pub fn end() -> Met {
        Met { key: u64::MAX, edge: None }
    }

    /// The `n`-th of several beginnings.
    pub fn beginning(n: usize) -> Met {
        Met { key: n as u64, edge: None }
    }
}

impl Tree {
    /// A path at `cursor` meets a decision: it takes `taken` and leaves `others` behind. What is known already stays.
    pub fn meet(
        &mut self,
        cursor: &mut Cursor,
        taken: Met,
        others: impl ExactSizeIterator<Item = (Met, Open)>,
    ) -> Step {
        let node = match self.by_prefix.get(&cursor.prefix) {
            Some(node) => *node,
            None => {
                let node = self.nodes.len() as NodeId;
                let depth = cursor.parent.map_or(0, |p| self.nodes[p.node as usize].depth + 1);
                self.nodes.push(Node {
                    parent: cursor.parent,
                    depth,
                    arms: Vec::with_capacity(1 + others.len()),
                    prefix: cursor.prefix,
                });
                self.by_prefix.insert(cursor.prefix, node);
                node
            }
        };
        let arms = &mut self.nodes[node as usize].arms;
        let arm = match arms.iter().position(|a| a.key == taken.key) {
            Some(at) => {
                if let Status::Open(open) = std::mem::replace(&mut arms[at].status, Status::Taken) {
                    self.open -= 1;
                    self.kept -= usize::from(open.snapshot.is_some());
                }
                at
            }
            None => {
                arms.push(Arm { key: taken.key, edge: taken.edge, status: Status::Taken });
                arms.len() - 1
            }
        };
        let several = others.len() > 1;
        let mut seen = Vec::new();
        for (mut met, open) in others {
            // Conditions that differ deep inside only have one key; their order tells them apart.
            while met.key == taken.key || seen.contains(&met.key) {
                met.key = met.key.wrapping_add(1);
            }
            if several {
                seen.push(met.key);
            }
            if !arms.iter().any(|a| a.key == met.key) {
                self.open += 1;
                self.kept += usize::from(open.snapshot.is_some());
                arms.push(Arm { key: met.key, edge: met.edge, status: Status::Open(open) });
            }
        }
        let step = Step { node, arm: arm as u32 };
        *cursor = self.after(step);
        step
    }

    /// The place behind an arm.
    pub fn after(&self, step: Step) -> Cursor {
        let node = &self.nodes[step.node as usize];
        let key = node.arms[step.arm as usize].key;
        let prefix = (node.prefix.rotate_left(5) ^ key).wrapping_mul(0x517c_c1b7_2722_0a95) ^ key >> 29;
        Cursor { parent: Some(step), prefix }
    }

    /// A decision.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    /// The arm of a step.
    pub fn arm(&self, step: Step) -> &Arm {
        &self.nodes[step.node as usize].arms[step.arm as usize]
    }

    /// The edge that a step takes.
    pub fn edge(&self, step: Step) -> Option<u32> {
        self.arm(step).edge
    }

    /// An arm was tried. Returns how its state can be had, if it was open.
    pub fn settle(&mut self, step: Step, status: Status) -> Option<Open> {
        let arm = &mut self.nodes[step.node as usize].arms[step.arm as usize];
        match std::mem::replace(&mut arm.status, status) {
            Status::Open(open) => {
                self.open -= 1;
                self.kept -= usize::from(open.snapshot.is_some());
                Some(open)
            }
            _ => None,
        }
    }

    /// Gives up the snapshot of an arm, if it has one.
    pub fn evict(&mut self, step: Step) -> Option<Box<State>> {
        let state = match &mut self.nodes[step.node as usize].arms[step.arm as usize].status {
            Status::Open(open) => open.snapshot.take(),
            _ => None,
        };
        self.kept -= usize::from(state.is_some());
        state
    }

    /// Number of snapshots.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Arms that nobody has tried.
    pub fn open(&self) -> usize {
        self.open
    }

    /// Number of decisions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there no decision?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The states that wait, in the order of their decisions.
    pub fn snapshots(&self) -> impl Iterator<Item = &State> {
        let arms = self.nodes.iter().flat_map(|n| &n.arms);
        arms.filter_map(|a| match &a.status {
            Status::Open(open) => open.snapshot.as_deref(),
            _ => None,
        })
    }

    /// Arms beside the one a path took that can be tried.
    pub fn alternatives(&self, step: Step) -> impl DoubleEndedIterator<Item = Step> + use<'_> {
        let arms = self.nodes[step.node as usize].arms.iter().enumerate();
        arms.filter(move |(i, a)| *i as u32 != step.arm && a.is_open())
            .map(move |(i, _)| Step { node: step.node, arm: i as u32 })
    }

    /// The path to a step, itself included.
    pub fn path_to(&self, step: Step) -> Vec<Step> {
        let mut out = vec![step];
        let mut at = self.nodes[step.node as usize].parent;
        while let Some(step) = at {
            out.push(step);
            at = self.nodes[step.node as usize].parent;
        }
        out.reverse();
        out
    }
}
