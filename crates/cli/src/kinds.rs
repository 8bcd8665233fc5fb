//! From how the machine says a path ended to the one table of kinds. The only place where the two meet; a new kind of
//! fault does not compile until it has its line here.

use forkwise_explore::Trouble;
use forkwise_testcase::BugKind;
use forkwise_vm::{FaultKind, UbKind};

/// The kind of a fault.
pub fn of_fault(kind: FaultKind) -> BugKind {
    match kind {
        FaultKind::OutOfBoundsRead => BugKind::OutOfBoundsRead,
        FaultKind::OutOfBoundsWrite => BugKind::OutOfBoundsWrite,
        FaultKind::UseAfterFree => BugKind::UseAfterFree,
        FaultKind::DoubleFree => BugKind::DoubleFree,
        FaultKind::InvalidFree => BugKind::InvalidFree,
        FaultKind::NullDereference => BugKind::NullDereference,
        FaultKind::WriteToConstant => BugKind::WriteToConstant,
        FaultKind::DivisionByZero => BugKind::DivisionByZero,
        FaultKind::OversizedShift => BugKind::OversizedShift,
        FaultKind::Undefined(kind) => of_check(kind),
        FaultKind::AssertionFailure => BugKind::AssertionFailure,
        FaultKind::Abort => BugKind::Abort,
        FaultKind::Unreachable => BugKind::Unreachable,
        FaultKind::StackExhaustion => BugKind::StackExhaustion,
        FaultKind::MemoryExhaustion => BugKind::MemoryExhaustion,
        FaultKind::InstructionLimit => BugKind::InstructionLimit,
        FaultKind::Leak => BugKind::Leak,
        FaultKind::UserError => BugKind::UserError,
        FaultKind::BadCall => BugKind::BadCall,
        FaultKind::BadJump => BugKind::InvalidLongjmp,
    }
}

fn of_check(kind: UbKind) -> BugKind {
    match kind {
        UbKind::IntegerOverflow => BugKind::IntegerOverflow,
        UbKind::DivisionOverflow => BugKind::DivisionOverflow,
        UbKind::ShiftOutOfBounds => BugKind::InvalidShift,
        UbKind::ArrayIndex => BugKind::IndexOutOfBounds,
        UbKind::PointerOverflow => BugKind::PointerOverflow,
        UbKind::NullOrMisaligned => BugKind::NullOrMisaligned,
        UbKind::InvalidValue => BugKind::InvalidLoad,
        UbKind::FloatCast => BugKind::FloatCastOverflow,
        UbKind::ImplicitConversion => BugKind::ImplicitConversion,
        UbKind::InvalidBuiltin => BugKind::InvalidBuiltin,
        UbKind::MissingReturn => BugKind::MissingReturn,
        UbKind::UnreachableReached => BugKind::UnreachableCall,
        UbKind::VlaBound => BugKind::NonPositiveArrayLength,
        UbKind::NonnullViolated => BugKind::NonnullViolation,
        UbKind::FunctionType => BugKind::FunctionTypeMismatch,
        UbKind::Alignment => BugKind::MisalignedPointer,
        UbKind::Other => BugKind::UndefinedBehavior,
    }
}

/// The kind of a bad end.
pub fn of_trouble(trouble: Trouble) -> BugKind {
    match trouble {
        Trouble::Fault(kind) => of_fault(kind),
        Trouble::ImpossibleAssumption => BugKind::HarnessError,
        Trouble::Unsupported => BugKind::Unsupported,
        Trouble::Values => BugKind::ModelLimit,
        Trouble::Solver => BugKind::SolverFailure,
        Trouble::Internal => BugKind::InternalError,
    }
}
