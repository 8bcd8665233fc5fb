//! What an expression node is: the operators and the view of a node that visitors get. Nothing here constructs an
//! expression: that is `build`; how nodes are stored is `store`; what operators mean is `semantics`.

use std::num::NonZeroU32;

/// The number of bits of an expression; at least 1.
pub type Width = u32;

/// One symbolic input byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(pub u32);

/// An interned table (see [`Kind::Lookup`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TableId(pub u32);

/// A handle to an interned expression. `Option<Expr>` is four bytes too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Expr(pub(crate) NonZeroU32);

impl Expr {
    /// A dense index, for side tables.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The handle with this dense index.
    pub(crate) fn from_index(index: usize) -> Expr {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Expr(number.expect("more than 2^32 - 2 expressions"))
    }
}

/// Operators with one or two operands of the obvious widths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    /// Comparisons have width 1.
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    /// First operand becomes the high part.
    Concat,
}

impl Op {
    /// Every operator, in the order of their codes.
    pub const ALL: [Op; 21] = [
        Op::Not,
        Op::Neg,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::UDiv,
        Op::SDiv,
        Op::URem,
        Op::SRem,
        Op::Shl,
        Op::LShr,
        Op::AShr,
        Op::Eq,
        Op::Ult,
        Op::Ule,
        Op::Slt,
        Op::Sle,
        Op::Concat,
    ];

    /// Has one operand only.
    pub const fn is_unary(self) -> bool {
        matches!(self, Op::Not | Op::Neg)
    }

    /// The result has width 1.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle)
    }

    /// The operands may be exchanged.
    pub const fn is_commutative(self) -> bool {
        matches!(self, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq)
    }

    /// The width of the result for operands of one width (not for [`Op::Concat`]).
    pub const fn result_width(self, operand: Width) -> Width {
        if self.is_comparison() { 1 } else { operand }
    }
}

/// How a floating-point result is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RoundingMode {
    /// To nearest, ties to even (the default of C).
    NearestEven,
    /// To nearest, ties away from zero (`round`).
    NearestAway,
    /// Toward zero (`trunc`, conversions to integer).
    Zero,
    /// Toward +infinity (`ceil`).
    Up,
    /// Toward -infinity (`floor`).
    Down,
}

/// IEEE operations on bit-vectors of width 16, 32 or 64 read as half, float or double. Negation, absolute value
/// and copysign are plain bit operations and have no operator here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FpOp {
    /// Addition, to nearest even. NaN results follow x86 SSE: a quieted NaN operand (the first if both), else
    /// the default NaN (sign set, quiet bit set).
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Division.
    Div,
    /// `fmod`.
    Rem,
    /// Square root (one operand).
    Sqrt,
    /// Fused multiply-add (three operands).
    Fma,
    /// Round to integral, in the mode (one operand).
    RoundToIntegral(RoundingMode),
    /// Ordered equal; width 1.
    Eq,
    /// Ordered less than; width 1.
    Lt,
    /// Ordered less or equal; width 1.
    Le,
    /// Is NaN (one operand); width 1.
    IsNan,
    /// Convert to the float format of the node's width (one operand of another float width).
    ToFloat,
    /// Convert to a signed integer of the node's width, toward zero; out of range or NaN: the x86 "indefinite"
    /// value (only the sign bit set).
    ToSigned,
    /// Convert to an unsigned integer of the node's width, toward zero; out of range or NaN: all ones.
    ToUnsigned,
    /// Convert from a signed integer to the float format of the node's width, to nearest even.
    FromSigned,
    /// Convert from an unsigned integer.
    FromUnsigned,
}

impl FpOp {
    /// Every operation, in the order of their codes.
    pub(crate) const ALL: [FpOp; 21] = [
        FpOp::Add,
        FpOp::Sub,
        FpOp::Mul,
        FpOp::Div,
        FpOp::Rem,
        FpOp::Sqrt,
        FpOp::Fma,
        FpOp::RoundToIntegral(RoundingMode::NearestEven),
        FpOp::RoundToIntegral(RoundingMode::NearestAway),
        FpOp::RoundToIntegral(RoundingMode::Zero),
        FpOp::RoundToIntegral(RoundingMode::Up),
        FpOp::RoundToIntegral(RoundingMode::Down),
        FpOp::Eq,
        FpOp::Lt,
        FpOp::Le,
        FpOp::IsNan,
        FpOp::ToFloat,
        FpOp::ToSigned,
        FpOp::ToUnsigned,
        FpOp::FromSigned,
        FpOp::FromUnsigned,
    ];

    /// The index in [`FpOp::ALL`].
    pub(crate) const fn code(self) -> u8 {
        match self {
            FpOp::Add => 0,
            FpOp::Sub => 1,
            FpOp::Mul => 2,
            FpOp::Div => 3,
            FpOp::Rem => 4,
            FpOp::Sqrt => 5,
            FpOp::Fma => 6,
            FpOp::RoundToIntegral(RoundingMode::NearestEven) => 7,
            FpOp::RoundToIntegral(RoundingMode::NearestAway) => 8,
            FpOp::RoundToIntegral(RoundingMode::Zero) => 9,
            FpOp::RoundToIntegral(RoundingMode::Up) => 10,
            FpOp::RoundToIntegral(RoundingMode::Down) => 11,
            FpOp::Eq => 12,
            FpOp::Lt => 13,
            FpOp::Le => 14,
            FpOp::IsNan => 15,
            FpOp::ToFloat => 16,
            FpOp::ToSigned => 17,
            FpOp::ToUnsigned => 18,
            FpOp::FromSigned => 19,
            FpOp::FromUnsigned => 20,
        }
    }

    /// How many operands the operation takes.
    pub const fn arity(self) -> usize {
        match self {
            FpOp::Fma => 3,
            FpOp::Add | FpOp::Sub | FpOp::Mul | FpOp::Div | FpOp::Rem | FpOp::Eq | FpOp::Lt | FpOp::Le => 2,
            _ => 1,
        }
    }

    /// The result has width 1.
    pub const fn is_predicate(self) -> bool {
        matches!(self, FpOp::Eq | FpOp::Lt | FpOp::Le | FpOp::IsNan)
    }
}

/// A node, as seen by visitors (`Exprs::kind`). Everything is by handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A constant; its value is `Exprs::bits` (or `Exprs::const_u64` when at most 64 bits wide).
    Const,
    /// An input byte, width 8.
    Symbol(SymbolId),
    /// A unary operator.
    Un(Op, Expr),
    /// A binary operator.
    Bin(Op, Expr, Expr),
    /// If-then-else; the condition has width 1.
    Ite(Expr, Expr, Expr),
    /// `width` bits of the operand starting at bit `lo`.
    Extract(Expr, u32),
    /// Zero extension.
    ZExt(Expr),
    /// Sign extension.
    SExt(Expr),
    /// Element `index` of a table (`Exprs::table`). An index past the end reads as zero (the builder's caller has
    /// constrained it before). All elements have the node's width.
    Lookup(TableId, Expr),
    /// A floating-point operation with one to three operands.
    Fp(FpOp, Expr, Option<Expr>, Option<Expr>),
}
