//! Mathematical functions that are single IEEE operations: exact on concrete values, one operator on symbolic ones
//! (the C library would take them apart bit by bit).

use super::Builtin;
use crate::call::{Call, Flow};
use crate::fault::Termination;
use crate::machine::Vm;
use crate::state::State;
use forkwise_ir::{FpFormat, Intrinsic};

/// Function name without its format suffix → operation.
const TABLE: &[(&str, Intrinsic)] = &[
    ("fabs", Intrinsic::Fabs),
    ("copysign", Intrinsic::Copysign),
    ("sqrt", Intrinsic::Sqrt),
    ("fma", Intrinsic::Fma),
    ("floor", Intrinsic::Floor),
    ("ceil", Intrinsic::Ceil),
    ("trunc", Intrinsic::FpTrunc),
    ("round", Intrinsic::Round),
    ("rint", Intrinsic::Rint),
    ("nearbyint", Intrinsic::Rint),
    ("fmin", Intrinsic::MinNum),
    ("fmax", Intrinsic::MaxNum),
];

pub(super) const NAMES: &[&str] = &[
    "fabs",
    "fabsf",
    "fabsl",
    "copysign",
    "copysignf",
    "copysignl",
    "sqrt",
    "sqrtf",
    "sqrtl",
    "fma",
    "fmaf",
    "floor",
    "floorf",
    "floorl",
    "ceil",
    "ceilf",
    "ceill",
    "trunc",
    "truncf",
    "truncl",
    "round",
    "roundf",
    "roundl",
    "rint",
    "rintf",
    "rintl",
    "nearbyint",
    "nearbyintf",
    "nearbyintl",
    "fmin",
    "fminf",
    "fminl",
    "fmax",
    "fmaxf",
    "fmaxl",
];

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    operation(name).map(|_| call_operation as Builtin)
}

fn operation(name: &str) -> Option<(Intrinsic, FpFormat)> {
    for (base, id) in TABLE {
        let fmt = match name.strip_prefix(base) {
            Some("") => FpFormat::Double,
            Some("f") => FpFormat::Single,
            Some("l") => FpFormat::X87,
            _ => continue,
        };
        return Some((*id, fmt));
    }
    None
}

fn call_operation(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    match operation(call.name) {
        Some((id, fmt)) => vm.intrinsic_at(st, id, fmt as u32, call.dst, call.site),
        None => Err(Termination::Internal(format!("'{}' is not in the table", call.name))),
    }
}
