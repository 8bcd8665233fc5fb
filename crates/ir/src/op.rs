//! The bytecode: LLVM instructions lowered to operations over numbered slots.
//!
//! A slot holds 64 bits. Values of at most 64 bits (integers, pointers, half/bfloat/float/double bits) take one
//! slot, zero-extended. Wider integers take `ceil(w/64)` consecutive slots, least significant first, zero-extended;
//! x86_fp80 takes two (64-bit significand, then 16 bits of sign and exponent), fp128 two. Vectors and aggregates
//! are the concatenation of their elements' slots, so extracting, inserting and shuffling are copies.
//! The first slots of a frame hold the function's constants, then come its parameters, then everything else.
//!
//! `undef` and `poison` read as zero. Flags such as `nsw` are ignored: arithmetic wraps.

/// Index of a slot in a frame.
pub type Slot = u32;

/// A floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum FpFormat {
    Half,
    BFloat,
    Single,
    Double,
    X87,
    Quad,
}

impl FpFormat {
    /// Bits of the value (80 for x87).
    pub fn bits(self) -> u32 {
        match self {
            FpFormat::Half | FpFormat::BFloat => 16,
            FpFormat::Single => 32,
            FpFormat::Double => 64,
            FpFormat::X87 => 80,
            FpFormat::Quad => 128,
        }
    }
    /// Slots a value takes.
    pub fn slots(self) -> u32 {
        self.bits().div_ceil(64)
    }
}

/// Integer operators on more than 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// Integer comparisons after canonicalisation (greater-than forms have their operands swapped).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum IntPred {
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
}

/// Binary floating-point operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum FpBin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// LLVM's floating-point predicates as a bit set: 1 equal, 2 greater, 4 less, 8 unordered (true when the relation
/// that holds is in the set); the numbering of `fcmp` itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FpPred(pub u8);

/// One operation; 20 bytes. `w` is a width in bits from 1 to 64. See the module text for how values lie in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Op {
    /// dst = src (also: zext, bitcast, ptrtoint, freeze, … of one slot).
    Copy { dst: Slot, src: Slot },
    /// `n` slots; the ranges do not overlap.
    CopyN { dst: Slot, src: Slot, n: u32 },

    // ---- integers of at most 64 bits
    /// Wrapping addition.
    Add { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Wrapping subtraction.
    Sub { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Wrapping multiplication.
    Mul { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Division and remainder check for zero (and signed overflow).
    UDiv { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Signed division.
    SDiv { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Unsigned remainder.
    URem { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Signed remainder.
    SRem { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Bitwise and.
    And { dst: Slot, a: Slot, b: Slot },
    /// Bitwise or.
    Or { dst: Slot, a: Slot, b: Slot },
    /// Bitwise exclusive or.
    Xor { dst: Slot, a: Slot, b: Slot },
    /// Shift left.
    Shl { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Logical shift right.
    LShr { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Arithmetic shift right.
    AShr { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Comparisons give 0 or 1.
    Eq { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Not equal.
    Ne { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Unsigned less.
    Ult { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Unsigned less or equal.
    Ule { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Signed less.
    Slt { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Signed less or equal.
    Sle { w: u8, dst: Slot, a: Slot, b: Slot },
    /// dst = c ? a : b for one slot of `w` bits (multi-slot selects become several).
    Select { w: u8, dst: Slot, c: Slot, a: Slot, b: Slot },
    /// The low `w` bits.
    Trunc { w: u8, from: u8, dst: Slot, a: Slot },
    /// Zero extension from `from` bits; the concrete value does not change, a symbolic one does.
    ZExt { from: u8, to: u8, dst: Slot, a: Slot },
    /// Sign extension.
    SExt { from: u8, to: u8, dst: Slot, a: Slot },

    // ---- integers of more than 64 bits (results and operands in several slots)
    /// Any operator of [`IntOp`], `w` > 64.
    WideBin { op: IntOp, w: u32, dst: Slot, a: Slot, b: Slot },
    /// Comparison, `w` > 64; one slot.
    WideCmp { pred: IntPred, w: u32, dst: Slot, a: Slot, b: Slot },
    /// trunc / zext / sext where either side is over 64 bits.
    WideCast { signed: bool, from: u32, to: u32, dst: Slot, a: Slot },

    // ---- floating point
    /// Arithmetic.
    FpBin { op: FpBin, fmt: FpFormat, dst: Slot, a: Slot, b: Slot },
    /// Negation (flips the sign bit).
    FpNeg { fmt: FpFormat, dst: Slot, a: Slot },
    /// Comparison.
    FpCmp { pred: FpPred, fmt: FpFormat, dst: Slot, a: Slot, b: Slot },
    /// fpext, fptrunc.
    FpConv { from: FpFormat, to: FpFormat, dst: Slot, a: Slot },
    /// fptosi, fptoui to `w` bits (any width).
    FpToInt { signed: bool, fmt: FpFormat, w: u32, dst: Slot, a: Slot },
    /// sitofp, uitofp from `w` bits (any width).
    IntToFp { signed: bool, fmt: FpFormat, w: u32, dst: Slot, a: Slot },

    // ---- reshaping
    /// Reinterprets the bits of a value as another type's slots; `shape` indexes `Function::bitcasts`.
    Bitcast { shape: u32, dst: Slot, a: Slot },
    /// dst = element `idx` (64-bit slot) of `n` elements of `stride` slots each starting at slot `base`; an index
    /// out of range gives zero (poison).
    ExtractElem { stride: u8, dst: Slot, base: Slot, idx: Slot, n: u32 },
    /// Element `idx` of the vector in `base` becomes the `stride` slots at `val`, in place.
    InsertElem { stride: u8, base: Slot, val: Slot, idx: Slot, n: u32 },

    // ---- addresses and memory
    /// dst = a + imm, 64 bits.
    AddImm { dst: Slot, a: Slot, imm: i32 },
    /// dst = base + idx * scale, 64 bits, wrapping.
    Lea { dst: Slot, base: Slot, idx: Slot, scale: i32 },
    /// dst = `w` bits (1..=64, stored in ceil(w/8) bytes) at ptr + off.
    Load { w: u8, dst: Slot, ptr: Slot, off: i32 },
    /// Stores `w` bits at ptr + off.
    Store { w: u8, val: Slot, ptr: Slot, off: i32 },
    /// dst = `w` (8, 16, 32 or 64) bits at base + idx * scale + off.
    LoadX { w: u8, scale: u16, dst: Slot, base: Slot, idx: Slot, off: i32 },
    /// Stores `w` (8, 16, 32 or 64) bits at base + idx * scale + off.
    StoreX { w: u8, scale: u16, val: Slot, base: Slot, idx: Slot, off: i32 },
    /// More than 64 bits into several slots (`w` = 80 for x87: ten bytes).
    LoadWide { w: u32, dst: Slot, ptr: Slot, off: i32 },
    /// More than 64 bits.
    StoreWide { w: u32, val: Slot, ptr: Slot, off: i32 },
    /// A stack object of `size` (a slot) bytes, living until the function returns; `var` indexes
    /// `Function::variables` (its source name).
    Alloca { align_log2: u8, dst: Slot, size: Slot, var: u32 },

    // ---- control
    /// Follow an edge.
    Jump { edge: u32 },
    /// Continue at another operation of this function (after the copies of an edge); counts nothing.
    Goto { pc: u32 },
    /// Edge `edge` if c, else `edge + 1`.
    Br { c: Slot, edge: u32 },
    /// Compare and branch: edge `edge` if a = b, else `edge + 1`.
    BrEq { w: u8, a: Slot, b: Slot, edge: u32 },
    /// Not equal.
    BrNe { w: u8, a: Slot, b: Slot, edge: u32 },
    /// Unsigned less.
    BrUlt { w: u8, a: Slot, b: Slot, edge: u32 },
    /// Unsigned less or equal.
    BrUle { w: u8, a: Slot, b: Slot, edge: u32 },
    /// Signed less.
    BrSlt { w: u8, a: Slot, b: Slot, edge: u32 },
    /// Signed less or equal.
    BrSle { w: u8, a: Slot, b: Slot, edge: u32 },
    /// `table` indexes `Function::switches`.
    Switch { w: u8, a: Slot, table: u32 },
    /// `a` holds a block address (layout::block_address of an edge in the list); `table` indexes
    /// `Function::indirect_targets`.
    IndirectBr { a: Slot, table: u32 },
    /// Return `n` slots starting at `src`.
    Ret { src: Slot, n: u32 },
    /// Reached `unreachable`.
    Unreachable,

    // ---- calls; `site` indexes `Function::sites`; results go to dst.. (site.ret_slots of them)
    /// A function with a body.
    Call { func: u32, dst: Slot, site: u32 },
    /// A function without a body (`Program::functions[func].code` is empty): the engine provides it by name.
    CallExternal { func: u32, dst: Slot, site: u32 },
    /// Through a pointer.
    CallPointer { ptr: Slot, dst: Slot, site: u32 },
    /// An LLVM intrinsic. `w` is the integer width or, for floating-point ones, the `FpFormat` as a number.
    Intrinsic { id: Intrinsic, w: u32, dst: Slot, site: u32 },
    /// Inline assembly; `text` indexes `Program::asm`. Empty text returns its first argument(s) or nothing.
    InlineAsm { text: u32, dst: Slot, site: u32 },
    /// Not supported; `what` indexes `Program::unsupported`. Ends the path with that text.
    Unsupported { what: u32 },
}

/// LLVM intrinsics that reach the virtual machine. Lowering removes debug, lifetime, assume, expect, annotation,
/// invariant, donothing, var.annotation, experimental.noalias.scope.decl and the like (as no-ops or copies), and
/// unrolls vector forms into one operation per element (reductions become chains of scalar operations).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
#[repr(u16)]
pub enum Intrinsic {
    /// (dst, src, len: 64-bit slot)
    Memcpy,
    Memmove,
    /// (dst, byte, len)
    Memset,
    /// Results: value then the overflow bit, in two slots (values of at most 64 bits) or after the wide value.
    SAddOverflow,
    UAddOverflow,
    SSubOverflow,
    USubOverflow,
    SMulOverflow,
    UMulOverflow,
    SAddSat,
    UAddSat,
    SSubSat,
    USubSat,
    SShlSat,
    UShlSat,
    SMin,
    SMax,
    UMin,
    UMax,
    Abs,
    Ctpop,
    Ctlz,
    Cttz,
    Bswap,
    Bitreverse,
    Fshl,
    Fshr,
    SCmp,
    UCmp,
    // floating point, by format in `w`
    Fabs,
    Copysign,
    Sqrt,
    Fma,
    Floor,
    Ceil,
    FpTrunc,
    Round,
    RoundEven,
    Rint,
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    Ldexp,
    /// (value, test: constant) → i1; `llvm.is.fpclass`.
    IsFpClass,
    /// Rounds to an integer of the site's return width in the current mode (lrint, llrint), or away (lround).
    Lrint,
    Lround,
    /// Saturating conversions: `w` is the integer width, the first argument's format is in the site's `args`.
    FpToSiSat,
    FpToUiSat,
    StackSave,
    StackRestore,
    VaStart,
    VaEnd,
    VaCopy,
    /// (pointer, min: constant, null-is-unknown, dynamic)
    ObjectSize,
    Trap,
    DebugTrap,
    /// `ubsantrap(kind)`.
    UbsanTrap,
    ReturnAddress,
    FrameAddress,
    /// (level) current rounding mode query.
    GetRounding,
    ReadCycleCounter,
    /// llvm.eh.sjlj / setjmp are functions by name, not intrinsics; this is `llvm.clear_cache` and friends: no-op.
    Nop,
    /// The `va_arg` instruction (clang lowers it itself on x86-64): (list) → one value of `w` bits.
    VaArg,
    /// (mask …): llvm.masked.load/store and the like are unrolled; not here.
    PtrMask,
}

impl Op {
    /// Does control never fall through to the next operation?
    pub fn is_terminator(&self) -> bool {
        use Op::*;
        matches!(
            self,
            Jump { .. }
                | Goto { .. }
                | Br { .. }
                | BrEq { .. }
                | BrNe { .. }
                | BrUlt { .. }
                | BrUle { .. }
                | BrSlt { .. }
                | BrSle { .. }
                | Switch { .. }
                | IndirectBr { .. }
                | Ret { .. }
                | Unreachable
                | Unsupported { .. }
        )
    }
}

const _: () = assert!(size_of::<Op>() == 20);
