//! Paths on which the program looks behind the end of an argument. A symbolic argument is an object of its greatest length,
//! so such a read is inside of it and finds symbolic bytes; natively the next string is there. Only asked about when a
//! test is made: keeping such bytes fixed would tie all bytes of an argument together in every query.

use crate::setup::Setup;
use crate::start::{Environment, argument_name, environment_strings};
use forkwise_expr::{Assignment, SymbolId};
use forkwise_vm::{State, Vm};

/// The first argument (as in `argv`) behind whose end the path depends on what is in memory, if the native program,
/// started as `native` says, finds something else there and so cannot follow the path.
pub fn read_beyond_argument(vm: &mut Vm, st: &State, setup: &Setup, native: &Environment) -> Option<usize> {
    let mut bytes = st.witness.bytes.clone();
    // As the kernel puts them: one string after another.
    let mut strings = native.args.clone();
    strings.extend(environment_strings(setup, native));
    let mut behind: Vec<(usize, Vec<SymbolId>)> = Vec::new();
    for (number, &position) in (0..).zip(&native.symbolic_args) {
        let name = argument_name(number);
        let Some(input) = st.inputs.iter().find(|i| i.name == name) else { continue };
        let from = native.args.get(position).map_or(0, Vec::len) as u32 + 1;
        let symbols: Vec<SymbolId> = (from..input.size).map(|i| SymbolId(input.first + i)).collect();
        let mut there = strings[position + 1..].iter().flat_map(|s| s.iter().copied().chain([0]));
        for symbol in &symbols {
            let at = symbol.0 as usize;
            if bytes.len() <= at {
                bytes.resize(at + 1, 0);
            }
            bytes[at] = there.next().unwrap_or(0);
        }
        behind.push((position, symbols));
    }
    behind.into_iter().find_map(|(position, symbols)| {
        let follows = st
            .condition
            .constraints_for(&symbols)
            .into_iter()
            .all(|c| vm.eval.eval_u64(&vm.exprs, c, Assignment { id: 0, bytes: &bytes }) == 1);
        (!follows).then_some(position)
    })
}
