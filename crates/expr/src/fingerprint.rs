//! A number that tells expressions apart by their shape and leaves, not by their handle: it survives garbage collection,
//! so that a search can remember for a whole run what it has seen. Equal expressions have equal numbers; the parts of
//! large ones that lie deep do not count.

use crate::build::Exprs;
use crate::node::{Expr, Kind};

/// Operators between the top and what still counts.
const DEPTH: u32 = 5;

fn mix(h: u64, v: u64) -> u64 {
    (h.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95)
}

impl Exprs {
    /// See the module text.
    pub fn fingerprint(&self, e: Expr) -> u64 {
        self.shape(e, DEPTH)
    }

    fn shape(&self, e: Expr, depth: u32) -> u64 {
        let h = u64::from(self.width(e));
        let of = |h: u64, e: Expr| mix(h, if depth == 0 { 0 } else { self.shape(e, depth - 1) });
        match self.kind(e) {
            Kind::Const => mix(mix(h, 1), self.const_u64(e).unwrap_or(0)),
            Kind::Symbol(s) => mix(mix(h, 2), u64::from(s.0)),
            Kind::Un(op, a) => of(mix(mix(h, 3), op as u64), a),
            Kind::Bin(op, a, b) => of(of(mix(mix(h, 4), op as u64), a), b),
            Kind::Ite(c, a, b) => of(of(of(mix(h, 5), c), a), b),
            Kind::Extract(a, low) => of(mix(mix(h, 6), u64::from(low)), a),
            Kind::ZExt(a) => of(mix(h, 7), a),
            Kind::SExt(a) => of(mix(h, 8), a),
            Kind::Lookup(_, index) => of(mix(h, 9), index),
            Kind::Fp(_, a, b, c) => [b, c].into_iter().flatten().fold(of(mix(h, 10), a), of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Op, SymbolId};

    #[test]
    fn leaves_and_operators_count() {
        let mut ex = Exprs::new();
        let (a, b) = (ex.symbol(SymbolId(0)), ex.symbol(SymbolId(1)));
        let (x, y) = (ex.constant(8, 120), ex.constant(8, 121));
        let all = [ex.eq(a, x), ex.eq(a, y), ex.eq(b, x), ex.bin(Op::Ult, a, x), ex.eq(a, b)];
        for (i, e) in all.iter().enumerate() {
            for f in &all[..i] {
                assert_ne!(ex.fingerprint(*e), ex.fingerprint(*f));
            }
        }
        let mut other = Exprs::new();
        let (b, a) = (other.symbol(SymbolId(1)), other.symbol(SymbolId(0)));
        let x = other.constant(8, 120);
        let (ax, bx) = (other.eq(a, x), other.eq(b, x));
        assert_eq!(
            (ex.fingerprint(all[0]), ex.fingerprint(all[2])),
            (other.fingerprint(ax), other.fingerprint(bx))
        );
    }
}
