//! Named rewrite rules. Each rule is one function with its `match → result`, a counter, and a test that shows it
//! firing and checks it against the plain meaning. A rule may look only at the operands' structure and facts, and
//! must make the term smaller or move it towards the normal form below; the manager bounds how deep and how long
//! rules may call each other, so no chain of rules can run away.
//!
//! The normal form: constants on the right of commutative operators, other operands by handle; `x - c` is
//! `x + (-c)`; comparisons with a constant are `=`, `<` only; constant shifts and masks are extracts, concatenations
//! and extensions; concatenations nest to the right; a zero on top is a zero extension; conditions of `ite` are not
//! negated; floating point over exact integers is integer arithmetic.

mod arith;
mod bitwise;
mod compare;
mod compare_order;
mod concat;
mod division;
mod extract;
mod fp;
mod ite;
mod lookup;
mod shift;

use crate::bits::Bits;
use crate::build::Exprs;
use crate::node::{Expr, FpOp, Op, TableId, Width};
use crate::store::Tag;

/// Tries rules in order; the first that applies is counted and ends the caller with its result.
macro_rules! first {
    ($ex:ident; $($rule:ident => $f:ident($($arg:expr),*)),* $(,)?) => {
        $(if let Some(result) = $f($ex, $($arg),*) {
            $ex.rules.count($crate::rules::Rule::$rule);
            return Some(result);
        })*
    };
}
pub(crate) use first;

macro_rules! rule_table {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// Every rewrite rule.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Rule {
            $($variant),*
        }

        impl Rule {
            const NAMES: &'static [&'static str] = &[$($name),*];
        }
    };
}

rule_table! {
    // The manager itself.
    FoldConstants = "fold-constants",
    KnownValue = "known-value",
    // Addition, subtraction, multiplication.
    AddZero = "add-zero",
    AddConstants = "add-constants",
    AddConstSub = "add-const-sub",
    AddNotConst = "add-not-const",
    AddHoist = "add-hoist",
    AddSubHoist = "add-sub-hoist",
    AddNeg = "add-neg",
    AddCancelSub = "add-cancel-sub",
    AddSelf = "add-self",
    AddMultiples = "add-multiples",
    AddComplement = "add-complement",
    AddDisjoint = "add-disjoint",
    AddOneBit = "add-one-bit",
    SubConst = "sub-const",
    SubSelf = "sub-self",
    SubFromZero = "sub-from-zero",
    SubFromOnes = "sub-from-ones",
    SubNeg = "sub-neg",
    SubCancel = "sub-cancel",
    SubCommon = "sub-common",
    SubHoistLeft = "sub-hoist-left",
    SubHoistRight = "sub-hoist-right",
    SubSubConst = "sub-sub-const",
    SubConstSub = "sub-const-sub",
    SubNot = "sub-not",
    SubOneBit = "sub-one-bit",
    NegNeg = "neg-neg",
    NegSub = "neg-sub",
    NegAddConst = "neg-add-const",
    NegNot = "neg-not",
    NegMulConst = "neg-mul-const",
    NegOneBit = "neg-one-bit",
    MulZero = "mul-zero",
    MulOne = "mul-one",
    MulMinusOne = "mul-minus-one",
    MulConstants = "mul-constants",
    MulDistribute = "mul-distribute",
    MulPower = "mul-power",
    MulNegConst = "mul-neg-const",
    MulBool = "mul-bool",
    MulHoist = "mul-hoist",
    MulOneBit = "mul-one-bit",
    // Division.
    UDivZero = "udiv-zero",
    UDivOne = "udiv-one",
    UDivPower = "udiv-power",
    UDivConstants = "udiv-constants",
    UDivNarrow = "udiv-narrow",
    URemZero = "urem-zero",
    URemPower = "urem-power",
    URemSmall = "urem-small",
    URemNarrow = "urem-narrow",
    SDivZero = "sdiv-zero",
    SDivOne = "sdiv-one",
    SDivMinusOne = "sdiv-minus-one",
    SDivNonNegative = "sdiv-non-negative",
    SDivPower = "sdiv-power",
    SDivNarrow = "sdiv-narrow",
    SRemZero = "srem-zero",
    SRemOne = "srem-one",
    SRemNonNegative = "srem-non-negative",
    SRemNegativeDivisor = "srem-negative-divisor",
    SRemPower = "srem-power",
    SRemNarrow = "srem-narrow",
    DivOneBit = "div-one-bit",
    RemOneBit = "rem-one-bit",
    // Bitwise operators.
    AndZero = "and-zero",
    AndOnes = "and-ones",
    AndConstants = "and-constants",
    AndOrConst = "and-or-const",
    AndCovered = "and-covered",
    AndMask = "and-mask",
    AndSelf = "and-self",
    AndComplement = "and-complement",
    AndAbsorb = "and-absorb",
    AndSignMask = "and-sign-mask",
    AndEqualities = "and-equalities",
    OrZero = "or-zero",
    OrOnes = "or-ones",
    OrConstants = "or-constants",
    OrCovered = "or-covered",
    OrSelf = "or-self",
    OrComplement = "or-complement",
    OrAbsorb = "or-absorb",
    OrSignMask = "or-sign-mask",
    XorZero = "xor-zero",
    XorOnes = "xor-ones",
    XorConstants = "xor-constants",
    XorSelf = "xor-self",
    XorNot = "xor-not",
    XorHoist = "xor-hoist",
    XorCancel = "xor-cancel",
    BitwiseSplit = "bitwise-split",
    NotNot = "not-not",
    NotNeg = "not-neg",
    NotXorConst = "not-xor-const",
    NotCompare = "not-compare",
    // Shifts.
    ShiftZero = "shift-zero",
    ShiftOfZero = "shift-of-zero",
    ShiftTooFar = "shift-too-far",
    ShlAddConst = "shl-add-const",
    ShlConst = "shl-const",
    LShrConst = "lshr-const",
    AShrConst = "ashr-const",
    AShrNonNegative = "ashr-non-negative",
    // Equality.
    EqSelf = "eq-self",
    EqBool = "eq-bool",
    EqZExt = "eq-zext",
    EqSExt = "eq-sext",
    EqConcat = "eq-concat",
    EqAddConst = "eq-add-const",
    EqSubConst = "eq-sub-const",
    EqSubZero = "eq-sub-zero",
    EqXorConst = "eq-xor-const",
    EqXorZero = "eq-xor-zero",
    EqNotConst = "eq-not-const",
    EqNegConst = "eq-neg-const",
    EqOrZero = "eq-or-zero",
    EqAndOnes = "eq-and-ones",
    EqMulOdd = "eq-mul-odd",
    EqUDiv = "eq-udiv",
    EqIteBranch = "eq-ite-branch",
    EqNotNot = "eq-not-not",
    EqNegNeg = "eq-neg-neg",
    EqNotBool = "eq-not-bool",
    EqAddCommon = "eq-add-common",
    EqExtended = "eq-extended",
    EqSplit = "eq-split",
    // Order.
    OrderSelf = "order-self",
    OrderOneBit = "order-one-bit",
    UleConst = "ule-const",
    UltExtreme = "ult-extreme",
    UltZExtConst = "ult-zext-const",
    UltSExtConst = "ult-sext-const",
    UltExtended = "ult-extended",
    UltConcatConst = "ult-concat-const",
    UltCommonHigh = "ult-common-high",
    UltAddConst = "ult-add-const",
    UltUDiv = "ult-udiv",
    SleConst = "sle-const",
    SltExtreme = "slt-extreme",
    SltRange = "slt-range",
    SltNonNegative = "slt-non-negative",
    SltSExtConst = "slt-sext-const",
    SltExtended = "slt-extended",
    SltConcatZero = "slt-concat-zero",
    SltAddConst = "slt-add-const",
    // If-then-else.
    IteSame = "ite-same",
    IteConstCondition = "ite-const-condition",
    IteNotCondition = "ite-not-condition",
    IteBool = "ite-bool",
    IteToExtension = "ite-to-extension",
    IteNested = "ite-nested",
    IteMerge = "ite-merge",
    IteEqual = "ite-equal",
    IteHoistZExt = "ite-hoist-zext",
    IteHoistSExt = "ite-hoist-sext",
    IteHoistConcat = "ite-hoist-concat",
    IteConstants = "ite-constants",
    // Extraction and extension.
    ExtractAll = "extract-all",
    ExtractExtract = "extract-extract",
    ExtractConcat = "extract-concat",
    ExtractZExt = "extract-zext",
    ExtractSExt = "extract-sext",
    ExtractIte = "extract-ite",
    ExtractBitwise = "extract-bitwise",
    ExtractNot = "extract-not",
    ExtractArith = "extract-arith",
    ZExtZExt = "zext-zext",
    ZExtIte = "zext-ite",
    ZExtExtract = "zext-extract",
    ZExtArith = "zext-arith",
    SExtSExt = "sext-sext",
    SExtZExt = "sext-zext",
    SExtNonNegative = "sext-non-negative",
    SExtIte = "sext-ite",
    SExtArith = "sext-arith",
    // Concatenation.
    ConcatZeroHigh = "concat-zero-high",
    ConcatZExtHigh = "concat-zext-high",
    ConcatSExtHigh = "concat-sext-high",
    ConcatAssoc = "concat-assoc",
    ConcatAdjacent = "concat-adjacent",
    ConcatConstants = "concat-constants",
    ConcatSign = "concat-sign",
    ConcatIte = "concat-ite",
    ConcatBitwise = "concat-bitwise",
    ConcatNot = "concat-not",
    // Lookup.
    LookupConst = "lookup-const",
    LookupZExtIndex = "lookup-zext-index",
    LookupTrim = "lookup-trim",
    LookupUniform = "lookup-uniform",
    LookupAffine = "lookup-affine",
    LookupRuns = "lookup-runs",
    LookupPair = "lookup-pair",
    LookupMap = "lookup-map",
    // Floating point.
    FpSelfCompare = "fp-self-compare",
    FpCompareNan = "fp-compare-nan",
    FpCompareWidened = "fp-compare-widened",
    FpCompareWidenedConst = "fp-compare-widened-const",
    FpCompareInts = "fp-compare-ints",
    FpCompareIntConst = "fp-compare-int-const",
    FpIsNanInt = "fp-is-nan-int",
    FpIsNanConverted = "fp-is-nan-converted",
    FpToSame = "fp-to-same",
    FpWidenTwice = "fp-widen-twice",
    FpRoundTrip = "fp-round-trip",
    FpFromIntDirect = "fp-from-int-direct",
    FpFromExtended = "fp-from-extended",
    FpFromNonNegative = "fp-from-non-negative",
    FpToIntOfInt = "fp-to-int-of-int",
    FpRoundIntegral = "fp-round-integral",
}

/// How often each rule fired.
pub(crate) struct Counters(Vec<u64>);

impl Default for Counters {
    fn default() -> Counters {
        Counters(vec![0; Rule::NAMES.len()])
    }
}

impl Counters {
    #[inline]
    pub fn count(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }
}

impl Exprs {
    /// The name of every rewrite rule with how often it fired, in a fixed order.
    pub fn rule_counts(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Rule::NAMES.iter().copied().zip(self.rules.0.iter().copied())
    }

    /// Does a constant of more than 64 bits have the property?
    fn wide_is(&self, e: Expr, property: impl Fn(&Bits) -> bool) -> bool {
        let n = self.store.node(e);
        n.tag == Tag::WIDE && property(self.store.wide_value(n.a))
    }

    /// Is it the constant zero?
    pub(crate) fn is_zero(&self, e: Expr) -> bool {
        match self.const_u64(e) {
            Some(v) => v == 0,
            None => self.wide_is(e, |b| b.is_zero()),
        }
    }

    /// Is it the constant one?
    pub(crate) fn is_one(&self, e: Expr) -> bool {
        match self.const_u64(e) {
            Some(v) => v == 1,
            None => self.wide_is(e, |b| b.bit_length() == 1),
        }
    }

    /// Is it the constant with all bits set?
    pub(crate) fn is_ones(&self, e: Expr) -> bool {
        match self.const_u64(e) {
            Some(v) => v == crate::semantics::mask(self.width(e)),
            None => self.wide_is(e, |b| (0..b.width()).all(|i| b.bit(i))),
        }
    }

    /// The exponent if it is a constant power of two.
    pub(crate) fn power_of_two(&self, e: Expr) -> Option<u32> {
        match self.const_u64(e) {
            Some(v) => v.is_power_of_two().then(|| v.trailing_zeros()),
            None => {
                let b = self.bits(e)?;
                let ones: u32 = b.limbs().iter().map(|l| l.count_ones()).sum();
                (ones == 1).then(|| b.bit_length() - 1)
            }
        }
    }

    pub(crate) fn zero(&mut self, width: Width) -> Expr {
        self.constant(width, 0)
    }

    pub(crate) fn ones(&mut self, width: Width) -> Expr {
        let zero = self.constant(width, 0);
        self.not(zero)
    }
}

/// A unary operator on something that is not a constant.
pub(crate) fn unary(ex: &mut Exprs, op: Op, a: Expr) -> Option<Expr> {
    first!(ex; IteConstants => unary_of_ite(op, a));
    match op {
        Op::Not => bitwise::not(ex, a),
        _ => arith::neg(ex, a),
    }
}

fn unary_of_ite(ex: &mut Exprs, op: Op, a: Expr) -> Option<Expr> {
    ite::unary_of_constants(ex, op, a)
}

fn binary_of_ite(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    ite::binary_of_constants(ex, op, a, b)
}

/// A binary operator, not both operands constant; operands of commutative operators are in order.
pub(crate) fn binary(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    if op != Op::Concat {
        first!(ex; IteConstants => binary_of_ite(op, a, b));
    }
    match op {
        Op::And => bitwise::and(ex, a, b),
        Op::Or => bitwise::or(ex, a, b),
        Op::Xor => bitwise::xor(ex, a, b),
        Op::Add => arith::add(ex, a, b),
        Op::Sub => arith::sub(ex, a, b),
        Op::Mul => arith::mul(ex, a, b),
        Op::UDiv => division::udiv(ex, a, b),
        Op::SDiv => division::sdiv(ex, a, b),
        Op::URem => division::urem(ex, a, b),
        Op::SRem => division::srem(ex, a, b),
        Op::Shl | Op::LShr | Op::AShr => shift::shift(ex, op, a, b),
        Op::Eq => compare::eq(ex, a, b),
        Op::Ult | Op::Ule => compare_order::unsigned(ex, op, a, b),
        Op::Slt | Op::Sle => compare_order::signed(ex, op, a, b),
        Op::Concat => concat::concat(ex, a, b),
        Op::Not | Op::Neg => None,
    }
}

/// An if-then-else.
pub(crate) fn ite(ex: &mut Exprs, c: Expr, t: Expr, f: Expr) -> Option<Expr> {
    ite::ite(ex, c, t, f)
}

/// An extraction from something that is not a constant.
pub(crate) fn extract(ex: &mut Exprs, a: Expr, lo: u32, width: Width) -> Option<Expr> {
    extract::extract(ex, a, lo, width)
}

/// A proper zero extension of something that is not a constant.
pub(crate) fn zext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    extract::zext(ex, a, width)
}

/// A proper sign extension of something that is not a constant.
pub(crate) fn sext(ex: &mut Exprs, a: Expr, width: Width) -> Option<Expr> {
    extract::sext(ex, a, width)
}

/// A table lookup.
pub(crate) fn lookup(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    lookup::lookup(ex, t, index)
}

/// A floating-point operation, not all operands constant.
pub(crate) fn fp(ex: &mut Exprs, op: FpOp, width: Width, args: &[Expr]) -> Option<Expr> {
    fp::fp(ex, op, width, args)
}
