//! Handlers of checks that the compiler put in (`-fsanitize=undefined`): each call is a bug with its own kind. The
//! first argument points to data that starts with the source location (file, line, column).

use super::Builtin;
use crate::call::{Call, Flow};
use crate::fault::{Fault, FaultKind, Termination, UbKind};
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;

const PREFIX: &str = "__ubsan_handle_";

pub(super) fn by_name(name: &str) -> Option<Builtin> {
    name.starts_with(PREFIX).then_some(handle)
}

/// Kind and words for a handler's name (without prefix and `_abort`).
pub(crate) fn describe(handler: &str) -> (UbKind, &'static str) {
    match handler {
        "add_overflow" => (UbKind::IntegerOverflow, "integer overflow on addition"),
        "sub_overflow" => (UbKind::IntegerOverflow, "integer overflow on subtraction"),
        "mul_overflow" => (UbKind::IntegerOverflow, "integer overflow on multiplication"),
        "negate_overflow" => (UbKind::IntegerOverflow, "integer overflow on negation"),
        "divrem_overflow" => (UbKind::DivisionOverflow, "integer division overflow"),
        "shift_out_of_bounds" => (UbKind::ShiftOutOfBounds, "shift out of bounds"),
        "out_of_bounds" => (UbKind::ArrayIndex, "index out of bounds"),
        "pointer_overflow" => (UbKind::PointerOverflow, "pointer arithmetic overflow"),
        "type_mismatch" | "type_mismatch_v1" => {
            (UbKind::NullOrMisaligned, "invalid pointer use (null, misaligned or too small)")
        }
        "alignment_assumption" => (UbKind::Alignment, "alignment assumption failed"),
        "load_invalid_value" => (UbKind::InvalidValue, "load of an invalid value"),
        "float_cast_overflow" => (UbKind::FloatCast, "floating-point value out of range of the integer type"),
        "implicit_conversion" => (UbKind::ImplicitConversion, "implicit conversion changes the value"),
        "invalid_builtin" => (UbKind::InvalidBuiltin, "invalid use of a builtin"),
        "missing_return" => (UbKind::MissingReturn, "end of a function that must return a value"),
        "builtin_unreachable" => (UbKind::UnreachableReached, "reached code that was declared unreachable"),
        "vla_bound_not_positive" => (UbKind::VlaBound, "size of a variable-length array is not positive"),
        "nonnull_return"
        | "nonnull_return_v1"
        | "nonnull_arg"
        | "nullability_return_v1"
        | "nullability_arg" => (UbKind::NonnullViolated, "null where it was declared impossible"),
        "function_type_mismatch" | "function_type_mismatch_v1" => {
            (UbKind::FunctionType, "call through a pointer of another function type")
        }
        _ => (UbKind::Other, "undefined behaviour"),
    }
}

fn handle(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Result<Flow, Termination> {
    let handler = call.name[PREFIX.len()..].trim_end_matches("_abort");
    let (mut kind, text) = describe(handler);
    // Division by zero and division overflow share a handler: the divisor tells them apart.
    let mut text = text.to_string();
    if kind == UbKind::DivisionOverflow {
        let divisor = call.arg(st, 2);
        if vm.eval_value(st, divisor) == 0 {
            let mut f = Fault::new(FaultKind::DivisionByZero, "divide by zero");
            f.place = place(vm, st, call);
            return Err(f.end());
        }
    }
    if kind == UbKind::Other {
        kind = UbKind::Other;
        text = format!("{text} ({handler})");
    }
    let mut f = Fault::new(FaultKind::Undefined(kind), text);
    f.place = place(vm, st, call);
    Err(f.end())
}

fn place(vm: &mut Vm, st: &mut State, call: &Call<'_>) -> Option<(String, u32)> {
    let data = call.arg(st, 0);
    let file = vm.load_value(st, data, 64).ok()?;
    let line_at = vm.sym_add_imm(data, 8);
    let line = vm.load_value(st, line_at, 32).ok()?.as_concrete()?;
    if file == Value::concrete(0) {
        return None;
    }
    Some((vm.c_string(st, file).ok()?, line as u32))
}
