//! The one table of ways a path can go wrong: name, KLEE's file suffix and message, report title, SARIF rule,
//! whose mistake it is, and how a native run shows it. Nothing else in the project may spell these out again;
//! the engine's own fault type maps onto [`BugKind`] one to one. See `forkwise-replay::confirm` for the user of
//! [`NativeSigns`].

/// Whose mistake a path's bad end is. The three are different outcomes everywhere: in exit codes, in reports,
/// in statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Blame {
    /// The program (or its harness) is wrong.
    Program,
    /// The program may be fine; we do not support what it does.
    Unsupported,
    /// We are wrong, or ran out of means.
    Engine,
}

/// How a native run of the same input can show a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeSigns {
    /// Kinds in an AddressSanitizer, LeakSanitizer or MemorySanitizer report.
    pub sanitizer: &'static [&'static str],
    /// Kinds of UndefinedBehaviorSanitizer reports, as its summary line names them.
    pub ubsan: &'static [&'static str],
    /// Signals that end a build without sanitizers.
    pub signals: &'static [i32],
    /// Texts on standard error, any of which shows the bug.
    pub texts: &'static [&'static str],
    /// Whether running into the time limit shows it.
    pub timeout: bool,
}

const NOTHING: NativeSigns =
    NativeSigns { sanitizer: &[], ubsan: &[], signals: &[], texts: &[], timeout: false };

// Linux on x86-64; the numbers are part of the kernel's interface.
const SIGILL: i32 = 4;
const SIGTRAP: i32 = 5;
const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGKILL: i32 = 9;
const SIGSEGV: i32 = 11;

/// A stray access may be caught by redzones, or hit an unmapped page; which of them depends on where the
/// allocator put the neighbours, so every memory kind accepts the same family of reports.
const OUT_OF_BOUNDS: &[&str] = &[
    "heap-buffer-overflow",
    "stack-buffer-overflow",
    "stack-buffer-underflow",
    "global-buffer-overflow",
    "dynamic-stack-buffer-overflow",
    "container-overflow",
    "negative-size-param",
    "unknown-crash",
    "use-after-poison",
    "SEGV",
    "BUS",
];
const ACCESS_SIGNALS: &[i32] = &[SIGSEGV, SIGBUS];

macro_rules! bug_kinds {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            $id:literal, $klee:literal, $message:literal, $title:literal, $blame:ident, $signs:expr $(,)?
        }
    )*) => {
        /// A way in which a path goes wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum BugKind { $( $(#[$doc])* $name, )* }

        impl BugKind {
            /// All kinds, in the table's order.
            pub const ALL: &'static [BugKind] = &[ $( BugKind::$name, )* ];

            /// The stable name used in files, reports and on the command line, for example `use-after-free`.
            pub const fn id(self) -> &'static str {
                match self { $( BugKind::$name => $id, )* }
            }

            /// What follows `testNNNNNN.` in the name of KLEE's file for this end: `ptr.err`, `early`, ….
            pub const fn klee_suffix(self) -> &'static str {
                match self { $( BugKind::$name => $klee, )* }
            }

            /// KLEE's message, without details (for an assertion the failed condition follows it).
            pub const fn klee_message(self) -> &'static str {
                match self { $( BugKind::$name => $message, )* }
            }

            /// A short title for people.
            pub const fn title(self) -> &'static str {
                match self { $( BugKind::$name => $title, )* }
            }

            /// Whose mistake it is.
            pub const fn blame(self) -> Blame {
                match self { $( BugKind::$name => Blame::$blame, )* }
            }

            /// How a native run shows it.
            pub const fn native_signs(self) -> NativeSigns {
                match self { $( BugKind::$name => $signs, )* }
            }

            /// The SARIF rule's name (its id is [`BugKind::id`]).
            pub const fn sarif_name(self) -> &'static str {
                match self { $( BugKind::$name => stringify!($name), )* }
            }
        }
    };
}

const fn access(sanitizer: &'static [&'static str], ubsan: &'static [&'static str]) -> NativeSigns {
    NativeSigns { sanitizer, ubsan, signals: ACCESS_SIGNALS, ..NOTHING }
}

const fn undefined(ubsan: &'static [&'static str]) -> NativeSigns {
    NativeSigns { ubsan, ..NOTHING }
}

bug_kinds! {
    // Memory.
    /// A read outside of every live object.
    OutOfBoundsRead {
        "out-of-bounds-read", "ptr.err", "memory error: out of bound pointer", "Out-of-bounds read", Program,
        NativeSigns {
            texts: &["klee_check_memory_access: "],
            ..access(OUT_OF_BOUNDS, &["out-of-bounds-index", "insufficient-object-size", "pointer-overflow"])
        },
    }
    /// A write outside of every live object.
    OutOfBoundsWrite {
        "out-of-bounds-write", "ptr.err", "memory error: out of bound pointer",
        "Out-of-bounds write", Program,
        NativeSigns {
            texts: &["klee_check_memory_access: "],
            ..access(OUT_OF_BOUNDS, &["out-of-bounds-index", "insufficient-object-size", "pointer-overflow"])
        },
    }
    /// An access to a heap object after it was freed.
    UseAfterFree {
        "use-after-free", "ptr.err", "memory error: use after free", "Use after free", Program,
        access(
            &[
                "heap-use-after-free",
                "heap-buffer-overflow",
                "stack-use-after-return",
                "stack-use-after-scope",
                "SEGV",
                "BUS",
            ],
            &[],
        ),
    }
    /// An access to a local variable whose function has returned or whose scope has ended.
    UseAfterReturn {
        "use-after-return", "ptr.err", "memory error: use after return",
        "Use of a dead local variable", Program,
        access(
            &[
                "stack-use-after-return",
                "stack-use-after-scope",
                "stack-buffer-overflow",
                "stack-buffer-underflow",
                "SEGV",
                "BUS",
            ],
            &[],
        ),
    }
    /// A heap object freed twice.
    DoubleFree {
        "double-free", "ptr.err", "memory error: invalid pointer: free", "Double free", Program,
        NativeSigns {
            sanitizer: &["double-free", "bad-free"],
            signals: &[SIGABRT, SIGSEGV],
            texts: &["double free or corruption", "free(): double free detected"],
            ..NOTHING
        },
    }
    /// A pointer freed that no allocation returned.
    InvalidFree {
        "invalid-free", "ptr.err", "memory error: invalid pointer: free", "Invalid free", Program,
        NativeSigns {
            sanitizer: &["bad-free", "double-free", "SEGV", "BUS", "alloc-dealloc-mismatch"],
            signals: &[SIGABRT, SIGSEGV],
            texts: &["free(): invalid pointer", "free(): invalid size", "munmap_chunk(): invalid pointer"],
            ..NOTHING
        },
    }
    /// A local variable passed to `free`.
    FreeOfStack {
        "free-of-stack", "free.err", "free of alloca", "Free of a local variable", Program,
        NativeSigns {
            sanitizer: &["bad-free", "SEGV"],
            signals: &[SIGABRT, SIGSEGV],
            texts: &["free(): invalid pointer", "free(): invalid size", "munmap_chunk(): invalid pointer"],
            ..NOTHING
        },
    }
    /// A global variable passed to `free`.
    FreeOfGlobal {
        "free-of-global", "free.err", "free of global", "Free of a global variable", Program,
        NativeSigns {
            sanitizer: &["bad-free", "SEGV"],
            signals: &[SIGABRT, SIGSEGV],
            texts: &["free(): invalid pointer", "free(): invalid size", "munmap_chunk(): invalid pointer"],
            ..NOTHING
        },
    }
    /// An access through a null pointer, or near it.
    NullDereference {
        "null-dereference", "ptr.err", "memory error: null page access", "Null pointer dereference", Program,
        access(
            &["SEGV", "BUS"],
            &["null-pointer-use", "nullptr-with-nonzero-offset", "nullptr-after-nonzero-offset", "invalid-null-argument"],
        ),
    }
    /// A write to constant memory: a string literal, a `const` global, code.
    WriteToConstant {
        "write-to-constant", "read_only.err", "memory error: object read only",
        "Write to constant memory", Program,
        access(&["SEGV", "BUS"], &[]),
    }
    /// An allocated object that is unreachable at the end and was never freed.
    Leak {
        "leak", "leak.err", "memory error: memory leak", "Memory leak", Program,
        NativeSigns { sanitizer: &["detected memory leaks"], ..NOTHING },
    }
    /// A branch, an address or an output that depends on a value never initialised.
    UndefinedValue {
        "undefined-value", "undef.err", "use of an undefined value", "Use of an undefined value", Program,
        NativeSigns { sanitizer: &["use-of-uninitialized-value"], ..NOTHING },
    }

    // Arithmetic.
    /// An integer division or remainder by zero.
    DivisionByZero {
        "division-by-zero", "div.err", "divide by zero", "Division by zero", Program,
        NativeSigns { sanitizer: &["FPE"], ubsan: &["integer-divide-by-zero"], signals: &[SIGFPE], ..NOTHING },
    }
    /// The smallest signed integer divided by minus one.
    DivisionOverflow {
        "division-overflow", "overflow.err", "integer division overflow", "Overflow in a division", Program,
        NativeSigns { sanitizer: &["FPE"], ubsan: &["signed-integer-overflow"], signals: &[SIGFPE], ..NOTHING },
    }
    /// A shift by at least the width of the type.
    OversizedShift {
        "oversized-shift", "overshift.err", "overshift error", "Oversized shift", Program,
        undefined(&["invalid-shift-exponent", "invalid-shift-base"]),
    }

    // UBSan's checks, when compiled in.
    /// A signed addition, subtraction, multiplication or negation that overflows.
    IntegerOverflow {
        "integer-overflow", "overflow.err", "signed-integer-overflow", "Signed integer overflow", Program,
        undefined(&["signed-integer-overflow"]),
    }
    /// An unsigned operation that wraps around (defined in C, checked on request).
    UnsignedOverflow {
        "unsigned-overflow", "overflow.err", "unsigned-integer-overflow",
        "Unsigned integer overflow", Program,
        undefined(&["unsigned-integer-overflow"]),
    }
    /// A shift with a bad amount or a bad left operand.
    InvalidShift {
        "invalid-shift", "overflow.err", "shift out of bounds", "Invalid shift", Program,
        undefined(&["invalid-shift-exponent", "invalid-shift-base"]),
    }
    /// A floating-point division by zero.
    FloatDivisionByZero {
        "float-division-by-zero", "div.err", "float-divide-by-zero",
        "Floating-point division by zero", Program,
        undefined(&["float-divide-by-zero", "integer-divide-by-zero"]),
    }
    /// A floating-point value that does not fit the type it is converted to.
    FloatCastOverflow {
        "float-cast-overflow", "overflow.err", "float-cast-overflow",
        "Overflow in a conversion from floating point", Program,
        undefined(&["float-cast-overflow"]),
    }
    /// An index outside of the array's declared bounds.
    IndexOutOfBounds {
        "index-out-of-bounds", "ptr.err", "out-of-bounds-index", "Array index out of bounds", Program,
        access(OUT_OF_BOUNDS, &["out-of-bounds-index", "local-out-of-bounds"]),
    }
    /// Pointer arithmetic that wraps around, or starts from or reaches null.
    PointerOverflow {
        "pointer-overflow", "ptr.err", "pointer-overflow", "Overflow in pointer arithmetic", Program,
        undefined(&[
            "pointer-overflow",
            "nullptr-with-offset",
            "nullptr-with-nonzero-offset",
            "nullptr-after-nonzero-offset",
        ]),
    }
    /// A null pointer where an object is needed, seen before the access.
    NullPointerUse {
        "null-pointer-use", "ptr.err", "null-pointer-use", "Use of a null pointer", Program,
        access(&["SEGV", "BUS"], &["null-pointer-use"]),
    }
    /// A pointer that is null or less aligned than its type needs, when the check does not tell which.
    NullOrMisaligned {
        "null-or-misaligned", "ptr.err", "null-pointer-use", "Null or misaligned pointer", Program,
        access(&["SEGV", "BUS"], &["null-pointer-use", "misaligned-pointer-use", "insufficient-object-size"]),
    }
    /// A pointer less aligned than its type needs.
    MisalignedPointer {
        "misaligned-pointer", "ptr.err", "misaligned-pointer-use", "Misaligned pointer", Program,
        undefined(&["misaligned-pointer-use", "alignment-assumption"]),
    }
    /// An object smaller than what is accessed through the pointer.
    InsufficientObjectSize {
        "insufficient-object-size", "ptr.err", "insufficient-object-size",
        "Object too small for its type", Program,
        access(OUT_OF_BOUNDS, &["insufficient-object-size"]),
    }
    /// A variable length array whose length is not positive.
    NonPositiveArrayLength {
        "non-positive-array-length", "ptr.err", "non-positive-vla-index",
        "Variable length array without length", Program,
        undefined(&["non-positive-vla-index"]),
    }
    /// A `bool` or `enum` object that holds no value of its type.
    InvalidLoad {
        "invalid-load", "invalid_load.err", "load invalid value", "Load of an invalid value", Program,
        undefined(&["invalid-bool-load", "invalid-enum-load"]),
    }
    /// An implicit conversion that loses bits.
    ImplicitTruncation {
        "implicit-truncation", "implicit_truncation.err", "implicit-signed-integer-truncation",
        "Implicit conversion loses bits", Program,
        undefined(&[
            "implicit-signed-integer-truncation",
            "implicit-unsigned-integer-truncation",
            "implicit-signed-integer-truncation-or-sign-change",
        ]),
    }
    /// An implicit conversion that changes the sign.
    ImplicitConversion {
        "implicit-conversion", "implicit_conversion.err", "implicit-integer-sign-change",
        "Implicit conversion changes the sign", Program,
        undefined(&[
            "implicit-integer-sign-change",
            "implicit-signed-integer-truncation-or-sign-change",
            "implicit-signed-integer-truncation",
            "implicit-unsigned-integer-truncation",
        ]),
    }
    /// A compiler builtin called with an argument it does not allow.
    InvalidBuiltin {
        "invalid-builtin", "invalid_builtin_use.err", "invalid-builtin-use",
        "Invalid use of a builtin", Program,
        undefined(&["invalid-builtin-use"]),
    }
    /// Null passed to or returned from where it is declared impossible.
    NonnullViolation {
        "nonnull-violation", "nullable_attribute.err", "invalid-null-argument",
        "Null where the declaration forbids it", Program,
        access(&["SEGV"], &["invalid-null-argument", "invalid-null-return"]),
    }
    /// A function that must return a value ended without one.
    MissingReturn {
        "missing-return", "missing_return.err", "missing-return", "Missing return value", Program,
        NativeSigns { ubsan: &["missing-return"], signals: &[SIGILL, SIGTRAP, SIGSEGV], ..NOTHING },
    }
    /// `__builtin_unreachable` reached, seen by UBSan.
    UnreachableCall {
        "unreachable-call", "unreachable_call.err", "unreachable-call", "Unreachable code reached", Program,
        NativeSigns { ubsan: &["unreachable-call"], signals: &[SIGILL, SIGTRAP, SIGSEGV], ..NOTHING },
    }
    /// A function called through a pointer of another type.
    FunctionTypeMismatch {
        "function-type-mismatch", "function_type_mismatch.err", "function-type-mismatch",
        "Call through a pointer of another type", Program,
        undefined(&["function-type-mismatch"]),
    }
    /// Any other check that the compiler put in.
    UndefinedBehavior {
        "undefined-behavior", "exec.err", "undefined-behavior", "Undefined behavior", Program,
        undefined(&["undefined-behavior", "dynamic-type-mismatch", "cfi-bad-type"]),
    }

    // Control.
    /// A failed `assert`.
    AssertionFailure {
        "assertion-failure", "assert.err", "ASSERTION FAIL: ", "Assertion failure", Program,
        NativeSigns { texts: &["Assertion `", "Assertion failed: ", " was reached"], ..NOTHING },
    }
    /// A call to `abort`.
    Abort {
        "abort", "abort.err", "abort failure", "Abort", Program,
        NativeSigns {
            sanitizer: &["ABRT", "ILL", "TRAP"],
            signals: &[SIGABRT, SIGILL, SIGTRAP],
            ..NOTHING
        },
    }
    /// A trap instruction.
    Trap {
        "trap", "abort.err", "abort failure", "Trap", Program,
        NativeSigns { sanitizer: &["ILL", "TRAP"], signals: &[SIGILL, SIGTRAP, SIGABRT], ..NOTHING },
    }
    /// An `unreachable` instruction reached.
    Unreachable {
        "unreachable", "exec.err", "reached \"unreachable\" instruction", "Unreachable code reached", Program,
        NativeSigns {
            sanitizer: &["ILL", "TRAP", "SEGV"],
            ubsan: &["unreachable-call", "missing-return"],
            signals: &[SIGILL, SIGTRAP, SIGSEGV],
            ..NOTHING
        },
    }
    /// A call through a pointer that is no function, or that takes other arguments.
    BadCall {
        "bad-call", "exec.err", "invalid function pointer", "Call through a bad function pointer", Program,
        NativeSigns {
            sanitizer: &["SEGV", "BUS", "ILL"],
            ubsan: &["function-type-mismatch", "null-pointer-use"],
            signals: &[SIGSEGV, SIGBUS, SIGILL],
            ..NOTHING
        },
    }
    /// A `longjmp` to a function that has returned.
    InvalidLongjmp {
        "invalid-longjmp", "ptr.err", "longjmp into a dead frame",
        "Jump into a function that has returned", Program,
        NativeSigns {
            sanitizer: &["SEGV", "BUS", "stack-use-after-return", "stack-buffer-underflow"],
            signals: &[SIGSEGV, SIGABRT, SIGBUS],
            texts: &["longjmp causes uninitialized stack frame"],
            ..NOTHING
        },
    }
    /// A vector element that does not exist.
    BadVectorAccess {
        "bad-vector-access", "bad_vector_access.err", "Out of bounds write when inserting element",
        "Vector index out of range", Program,
        NOTHING,
    }
    /// The stack is used up, most often by recursion without end.
    StackExhaustion {
        "stack-exhaustion", "early", "Maximum stack size reached.", "Stack exhaustion", Program,
        NativeSigns { sanitizer: &["stack-overflow", "SEGV"], signals: ACCESS_SIGNALS, ..NOTHING },
    }
    /// The program asks for more memory than it may have.
    MemoryExhaustion {
        "memory-exhaustion", "early", "Memory limit exceeded.", "Memory exhaustion", Program,
        NativeSigns {
            sanitizer: &["out-of-memory", "allocation-size-too-big", "calloc-overflow", "rss-limit-exceeded"],
            signals: &[SIGKILL, SIGSEGV, SIGABRT],
            texts: &["out of memory", "Cannot allocate memory"],
            ..NOTHING
        },
    }
    /// The path ran for more instructions than it may: a hang.
    InstructionLimit {
        "instruction-limit", "early", "Instruction limit of the path reached.", "Hang", Program,
        NativeSigns { timeout: true, ..NOTHING },
    }
    /// The program itself reports an error (`klee_report_error`).
    UserError {
        "user-error", "report_error.err", "error reported by the program",
        "Error reported by the program", Program,
        NativeSigns { signals: &[SIGABRT], ..NOTHING },
    }
    /// The harness calls the engine wrongly: an assumption that cannot hold, a bad size.
    HarnessError {
        "harness-error", "user.err", "invalid klee_assume call (provably false)",
        "Error in the harness", Program,
        NOTHING,
    }

    // Not supported.
    /// An instruction, intrinsic or operation that the engine does not have.
    Unsupported {
        "unsupported", "exec.err", "unsupported operation", "Not supported", Unsupported, NOTHING,
    }
    /// A call to a function without a body and without a model.
    ExternalCall {
        "external-call", "external.err", "failed external call",
        "Call to an unknown function", Unsupported, NOTHING,
    }
    /// A limit of the model, such as too many sizes of a symbolic allocation.
    ModelLimit {
        "model-limit", "model.err", "limit of the model reached", "Limit of the model", Unsupported, NOTHING,
    }

    // Our fault.
    /// The solver gave no answer in its time.
    SolverFailure {
        "solver-failure", "solver.err", "Query timed out (bailing out)",
        "Solver gave no answer", Engine, NOTHING,
    }
    /// A broken invariant of the engine.
    InternalError {
        "internal-error", "exec.err", "internal error", "Internal error", Engine, NOTHING,
    }
}

impl BugKind {
    /// The kind with this [`BugKind::id`].
    pub fn from_id(id: &str) -> Option<BugKind> {
        BugKind::ALL.iter().copied().find(|kind| kind.id() == id)
    }

    /// KLEE's name of the error type: the suffix without `.err`, as `--exit-on-error-type` takes it.
    pub fn klee_kind(self) -> &'static str {
        let suffix = self.klee_suffix();
        suffix.strip_suffix(".err").unwrap_or(suffix)
    }

    /// Whether some native run could show this kind at all.
    pub fn is_confirmable(self) -> bool {
        self.native_signs() != NOTHING
    }

    /// Whether a build without sanitizers may run on as if nothing had happened.
    pub fn needs_sanitizer(self) -> bool {
        let signs = self.native_signs();
        signs.signals.is_empty() && signs.texts.is_empty() && !signs.timeout
    }
}

impl std::fmt::Display for BugKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_kebab_case_and_resolve() {
        let mut seen = BTreeSet::new();
        for kind in BugKind::ALL {
            let id = kind.id();
            assert!(seen.insert(id), "{id} twice");
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{id}");
            assert_eq!(BugKind::from_id(id), Some(*kind));
        }
        assert_eq!(BugKind::from_id("no-such-kind"), None);
    }

    #[test]
    fn klee_names_are_klees() {
        assert_eq!(BugKind::OutOfBoundsRead.klee_kind(), "ptr");
        assert_eq!(BugKind::AssertionFailure.klee_suffix(), "assert.err");
        assert_eq!(BugKind::StackExhaustion.klee_suffix(), "early");
        assert_eq!(BugKind::WriteToConstant.klee_kind(), "read_only");
        assert_eq!(BugKind::DivisionByZero.klee_message(), "divide by zero");
        for kind in BugKind::ALL {
            assert!(kind.klee_suffix() == "early" || kind.klee_suffix().ends_with(".err"), "{kind}");
        }
    }

    #[test]
    fn only_the_programs_mistakes_are_confirmable() {
        for kind in BugKind::ALL {
            assert!(kind.blame() == Blame::Program || !kind.is_confirmable(), "{kind}");
        }
        assert!(BugKind::IntegerOverflow.needs_sanitizer());
        assert!(!BugKind::Abort.needs_sanitizer());
    }
}
