//! What a parametric search sees of a state: 13 statistics, and for each of them two features, "in the lowest tenth of the
//! live states" and "in the highest tenth". The tables here are the only place that knows their order, names and
//! meanings; names are the keys of weight files. Read `ranking` for how the tenths are kept.

use super::View;
use crate::distance::block_of;
use crate::forest::Slot;

/// Number of statistics.
pub const STATISTICS: usize = 13;
/// Number of features: two for each statistic.
pub const FEATURES: usize = 2 * STATISTICS;

/// A number that is kept for every live state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateStatistic {
    /// Its name, as in the header of a CSV file.
    pub name: &'static str,
    /// What it counts.
    pub meaning: &'static str,
}

/// A property that a live state has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateFeature {
    /// Its name: the key in weight files.
    pub name: &'static str,
    /// When it holds.
    pub meaning: &'static str,
}

macro_rules! tables {
    ($($name:literal: $meaning:literal,)*) => {
        /// The statistics, in their order.
        pub const STATE_STATISTICS: [StateStatistic; STATISTICS] =
            [$(StateStatistic { name: $name, meaning: $meaning }),*];
        /// The features, in their order: number 2k is "lowest" of statistic k, number 2k + 1 is "highest" (from 0).
        pub const STATE_FEATURES: [StateFeature; FEATURES] = flat([$([
            StateFeature {
                name: concat!($name, "-low"),
                meaning: concat!("in the lowest tenth of the live states by: ", $meaning),
            },
            StateFeature {
                name: concat!($name, "-high"),
                meaning: concat!("in the highest tenth of the live states by: ", $meaning),
            },
        ]),*]);
    };
}

tables! {
    "instructions": "instructions executed on the path",
    "since-new": "instructions since the path last covered new code (since its beginning if it never did)",
    "call-path": "instructions executed in the current call path, over all states",
    "distance": "shortest way to uncovered code, in instructions",
    "objects": "global and heap objects in memory",
    "inputs": "symbolic variables defined so far",
    "concrete-registers": "registers holding concrete values, in all frames",
    "symbolic-registers": "registers holding symbolic expressions, in all frames",
    "solving": "work of the solver for the path",
    "branches": "branches taken, concrete and symbolic",
    "constraints": "constraints of the path condition",
    "loop-depth": "loops around the current instruction in its function",
    "call-loop-depth": "loops around the call of the current function in its caller (0 in main)",
}

const fn flat(pairs: [[StateFeature; 2]; STATISTICS]) -> [StateFeature; FEATURES] {
    let mut out = [pairs[0][0]; FEATURES];
    let mut i = 0;
    while i < FEATURES {
        out[i] = pairs[i / 2][i % 2];
        i += 1;
    }
    out
}

/// The place of the distance among the statistics: the one that changes while a state rests and is looked at again.
pub(crate) const DISTANCE: usize = 3;

/// The statistics of a live state, as [`STATE_STATISTICS`] names them. Registers are those of the last
/// `State::count_registers`.
pub fn statistics(view: View<'_>, slot: Slot) -> [u64; STATISTICS] {
    let st = view.forest.state(slot);
    let loops = |block: Option<u32>| {
        let block = block.and_then(|b| view.program.blocks.get(b as usize));
        block.map_or(0, |b| u64::from(b.loop_depth))
    };
    let call = match st.frame.serial == st.main_serial {
        true => None,
        false => st.caller().and_then(|f| view.program.position(f.func, f.pc)).map(|p| p.0),
    };
    [
        st.instructions,
        st.instructions.saturating_sub(st.last_new.unwrap_or(0)),
        view.counts.of_call_path(st.frame.call_path),
        distance(view, slot),
        u64::from(st.mem.lasting_objects),
        st.inputs.len() as u64,
        st.registers.concrete,
        st.registers.symbolic,
        st.solver_work,
        st.branches,
        st.condition.len() as u64,
        loops(block_of(view.program, st)),
        loops(call),
    ]
}

/// The statistic number [`DISTANCE`] alone.
pub(crate) fn distance(view: View<'_>, slot: Slot) -> u64 {
    u64::from(view.distances.of_state(view.program, view.forest.state(slot)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_in_order() {
        assert_eq!(STATE_FEATURES[0].name, "instructions-low");
        assert_eq!(STATE_FEATURES[7].name, "distance-high");
        assert_eq!(STATE_FEATURES[25].name, "call-loop-depth-high");
        assert_eq!(STATE_STATISTICS[DISTANCE].name, "distance");
        let names: BTreeSet<&str> = STATE_FEATURES.iter().map(|f| f.name).collect();
        assert_eq!(names.len(), FEATURES);
        assert!(STATE_FEATURES.iter().all(|f| f.meaning.len() > 40));
    }
}
