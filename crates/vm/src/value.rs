//! What a slot holds: a concrete word, or the handle of an expression.

use forkwise_expr::Expr;

/// One slot of a frame. When `sym` is set the value is symbolic and `bits` means nothing (it is zero).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Value {
    /// The concrete value, zero-extended.
    pub bits: u64,
    /// The expression, if symbolic; its width is the width of the slot's type.
    pub sym: Option<Expr>,
}

impl Value {
    /// A concrete value.
    #[inline(always)]
    pub const fn concrete(bits: u64) -> Value {
        Value { bits, sym: None }
    }

    /// A symbolic value.
    #[inline(always)]
    pub const fn symbolic(e: Expr) -> Value {
        Value { bits: 0, sym: Some(e) }
    }

    /// The concrete value, if it is one.
    #[inline(always)]
    pub fn as_concrete(self) -> Option<u64> {
        match self.sym {
            None => Some(self.bits),
            Some(_) => None,
        }
    }
}

/// The low `w` bits set, for `w` from 1 to 64.
#[inline(always)]
pub const fn mask(w: u8) -> u64 {
    u64::MAX >> ((64 - w as u32) & 63)
}

/// Sign-extends the low `w` bits.
#[inline(always)]
pub const fn sext(v: u64, w: u8) -> i64 {
    let s = (64 - w as u32) & 63;
    ((v << s) as i64) >> s
}

const _: () = assert!(size_of::<Value>() == 16);
