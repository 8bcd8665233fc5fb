//! The manager as its users meet it: sharing, depth, collection, memoised evaluation, and the normal forms that C
//! programs depend on.

mod support;

use forkwise_expr::{Assignment, Bits, Evaluator, Expr, Exprs, FpOp, Kind, Op, SymbolId};
use support::Rng;

fn sym(ex: &mut Exprs, i: u32) -> Expr {
    ex.symbol(SymbolId(i))
}

fn word(ex: &mut Exprs, first: u32) -> Expr {
    let bytes: Vec<Expr> = (0..4).map(|i| sym(ex, first + i)).collect();
    load(ex, &bytes)
}

/// Little-endian, as memory does it.
fn load(ex: &mut Exprs, bytes: &[Expr]) -> Expr {
    let mut value = bytes[0];
    for &b in &bytes[1..] {
        value = ex.concat(b, value);
    }
    value
}

fn store(ex: &mut Exprs, value: Expr) -> Vec<Expr> {
    (0..ex.width(value) / 8).map(|i| ex.extract(value, 8 * i, 8)).collect()
}

#[test]
fn equal_expressions_are_one() {
    let mut ex = Exprs::new();
    let (a, b) = (word(&mut ex, 0), word(&mut ex, 4));
    let (p, q) = (ex.bin(Op::Add, a, b), ex.bin(Op::Add, b, a));
    assert_eq!(p, q);
    let made = ex.len();
    let again = ex.bin(Op::Add, a, b);
    assert_eq!((again, ex.len()), (p, made));
    assert_eq!(size_of::<Option<Expr>>(), 4);
}

#[test]
fn values_survive_memory() {
    let mut ex = Exprs::new();
    let s = sym(&mut ex, 9);
    let (a, b) = (word(&mut ex, 0), word(&mut ex, 4));
    let wide = ex.zext(s, 32);
    let signed = ex.sext(s, 32);
    let five = ex.constant(32, 5);
    let mask = ex.constant(32, 0x5a5a_5a5a);
    let is_less = ex.bin(Op::Ult, a, b);
    let pair = (ex.constant(32, 1000), ex.constant(32, 0xdead_beef));
    let terms = [
        a,
        wide,
        signed,
        ex.bin(Op::Add, a, b),
        ex.bin(Op::Add, wide, five),
        ex.bin(Op::Sub, wide, a),
        ex.bin(Op::Mul, signed, five),
        ex.bin(Op::Mul, a, b),
        ex.bin(Op::Xor, a, mask),
        ex.bin(Op::Or, a, mask),
        ex.bin(Op::Xor, a, b),
        ex.not(a),
        ex.neg(wide),
        ex.bin(Op::UDiv, a, five),
        ex.ite(is_less, a, b),
        ex.ite(is_less, pair.0, pair.1),
        ex.zext(is_less, 32),
        ex.sext(is_less, 32),
    ];
    for t in terms {
        let bytes = store(&mut ex, t);
        assert_eq!(load(&mut ex, &bytes), t, "{}", ex.display(t));
        // The other way of putting them together.
        let high = ex.concat(bytes[3], bytes[2]);
        let high = ex.concat(high, bytes[1]);
        assert_eq!(ex.concat(high, bytes[0]), t, "{}", ex.display(t));
    }
}

#[test]
fn byte_assembly_by_shifts() {
    let mut ex = Exprs::new();
    let bytes: Vec<Expr> = (0..4).map(|i| sym(&mut ex, i)).collect();
    let direct = load(&mut ex, &bytes);
    for op in [Op::Or, Op::Add, Op::Xor] {
        let mut value = ex.constant(32, 0);
        for (i, &b) in bytes.iter().enumerate() {
            let wide = ex.zext(b, 32);
            let by = ex.constant(32, 8 * i as u64);
            let shifted = ex.bin(Op::Shl, wide, by);
            value = ex.bin(op, value, shifted);
        }
        assert_eq!(value, direct, "{op:?} gives {}", ex.display(value));
    }
}

#[test]
fn conditions_of_c_programs() {
    let mut ex = Exprs::new();
    let s = sym(&mut ex, 0);
    let int = ex.sext(s, 32);
    let char_code = ex.zext(s, 32);
    let (zero, nine) = (ex.constant(32, u64::from(b'0')), ex.constant(32, 9));
    // if (!(c == 'x')) through int, and back to a condition
    let x = ex.constant(32, u64::from(b'x'));
    let is_x = ex.eq(int, x);
    let as_int = ex.zext(is_x, 32);
    let none = ex.constant(32, 0);
    let negated = ex.eq(as_int, none);
    assert_eq!(negated, ex.not(is_x));
    let byte_x = ex.constant(8, u64::from(b'x'));
    assert_eq!(is_x, ex.eq(s, byte_x));
    // (unsigned char) c - '0' <= 9, signed
    let digit = ex.bin(Op::Sub, char_code, zero);
    let small = ex.bin(Op::Sle, digit, nine);
    let bound = ex.constant(8, u64::from(b'9') + 1);
    assert_eq!(small, ex.bin(Op::Ult, s, bound));
    // if (c & 0x80)
    let bit = ex.constant(32, 0x80);
    let masked = ex.bin(Op::And, char_code, bit);
    let clear = ex.eq(masked, none);
    let top = ex.extract(s, 7, 1);
    assert_eq!(clear, ex.not(top));
}

#[test]
fn pointer_arithmetic_cancels() {
    let mut ex = Exprs::new();
    let i = word(&mut ex, 0);
    let i = ex.sext(i, 64);
    let base = ex.constant(64, 0x7000_0000_0000);
    let size = ex.constant(64, 8);
    let scaled = ex.bin(Op::Mul, i, size);
    let p = ex.bin(Op::Add, base, scaled);
    let offset = ex.bin(Op::Sub, p, base);
    assert_eq!(offset, scaled);
    let next = ex.bin(Op::Add, p, size);
    let difference = ex.bin(Op::Sub, next, p);
    assert_eq!(ex.const_u64(difference), Some(8));
}

#[test]
fn deep_expressions_do_not_overflow() {
    const DEPTH: u32 = 100_000;
    let mut ex = Exprs::new();
    let mut chains: Vec<Expr> = (0..6).map(|_| word(&mut ex, 0)).collect();
    let mut wide = word(&mut ex, 0);
    let one = sym(&mut ex, 30);
    for i in 0..DEPTH {
        let s = sym(&mut ex, i % 29);
        let s = ex.zext(s, 32);
        chains[0] = ex.bin(Op::Mul, chains[0], s);
        chains[1] = ex.bin(Op::Add, chains[1], s);
        let k = ex.constant(32, 0x5bd1_e995);
        let mixed = ex.bin(Op::Mul, chains[2], k);
        chains[2] = ex.bin(Op::Xor, mixed, s);
        let c = ex.bin(Op::Ult, s, chains[3]);
        chains[3] = ex.ite(c, s, chains[3]);
        chains[4] = ex.bin(Op::UDiv, chains[4], s);
        let double = ex.fp(FpOp::Add, 32, &[chains[5], s]);
        chains[5] = ex.bin(Op::Or, double, s);
        if i < 2000 {
            wide = ex.concat(one, wide);
        }
    }
    let mut evaluator = Evaluator::default();
    let bytes = Rng(1).bytes(31);
    for e in chains {
        let set = ex.support(e);
        assert_eq!(set.len(), 29);
        assert!(set.windows(2).all(|w| w[0] < w[1]));
        let value = evaluator.eval_u64(&ex, e, Assignment { id: 1, bytes: &bytes });
        let (lo, hi) = ex.range(e);
        assert!(lo <= value && value <= hi);
        ex.known_bits(e);
        assert!(ex.display(e).len() < 1 << 20);
        // Rules that go down stay bounded.
        let low = ex.extract(e, 0, 8);
        let zero = ex.constant(8, 0);
        ex.eq(low, zero);
    }
    assert_eq!(ex.support(wide).len(), 5);
    let value = evaluator.eval(&ex, wide, Assignment { id: 1, bytes: &bytes });
    assert_eq!(value.width(), 32 + 8 * 2000);
    let top = ex.extract(wide, 32 + 8 * 1999, 8);
    assert_eq!(top, one);
}

#[test]
fn support_is_shared_and_sorted() {
    let mut ex = Exprs::new();
    let (a, b) = (word(&mut ex, 4), word(&mut ex, 2));
    let sum = ex.bin(Op::Add, a, b);
    let product = ex.bin(Op::Mul, sum, a);
    let (x, y) = (ex.support(sum), ex.support(product));
    assert!(std::rc::Rc::ptr_eq(&x, &y));
    assert_eq!(x.iter().map(|s| s.0).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    let constant = ex.constant(32, 7);
    assert!(ex.support(constant).is_empty());
    let elements = [a, b, constant];
    let t = ex.make_table(&elements);
    let index = sym(&mut ex, 40);
    let element = ex.lookup(t, index);
    assert_eq!(ex.support(element).iter().map(|s| s.0).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 40]);
}

#[test]
fn evaluation_remembers_per_assignment() {
    let mut ex = Exprs::new();
    let (a, b) = (word(&mut ex, 0), word(&mut ex, 4));
    let product = ex.bin(Op::Mul, a, b);
    let mut evaluator = Evaluator::default();
    let (first, second) = ([1, 0, 0, 0, 3, 0, 0, 0], [2, 0, 0, 0, 5, 0, 0, 0]);
    for _ in 0..2 {
        assert_eq!(evaluator.eval_u64(&ex, product, Assignment { id: 1, bytes: &first }), 3);
        assert_eq!(evaluator.eval_u64(&ex, product, Assignment { id: 2, bytes: &second }), 10);
        // No identity: never remembered.
        assert_eq!(evaluator.eval_u64(&ex, product, Assignment { id: 0, bytes: &first }), 3);
        assert_eq!(evaluator.eval_u64(&ex, product, Assignment { id: 0, bytes: &second }), 10);
    }
    // Under a known identity the bytes are not looked at again.
    let same = ex.bin(Op::Add, product, a);
    assert_eq!(evaluator.eval_u64(&ex, same, Assignment { id: 2, bytes: &second }), 12);
    assert_eq!(evaluator.eval_u64(&ex, same, Assignment { id: 2, bytes: &[] }), 12);
    // Another manager's handles are not taken for this one's.
    let mut other = Exprs::new();
    let (c, d) = (word(&mut other, 4), word(&mut other, 0));
    let sum = other.bin(Op::Add, c, d);
    assert_eq!(evaluator.eval_u64(&other, sum, Assignment { id: 2, bytes: &second }), 7);
    // Symbols without a byte are zero.
    assert_eq!(evaluator.eval(&other, sum, Assignment { id: 0, bytes: &[4] }), Bits::from_u64(32, 4));
}

#[test]
fn collection_frees_and_reuses() {
    let mut ex = Exprs::new();
    let (a, b) = (word(&mut ex, 0), word(&mut ex, 4));
    let kept = ex.bin(Op::Mul, a, b);
    let table: Vec<Expr> = (0..7).map(|i| ex.constant(32, i * i)).collect();
    let t = ex.make_table(&table);
    let index = sym(&mut ex, 9);
    let element = ex.lookup(t, index);
    let big = Bits::from_limbs(128, &[1, 2]);
    let wide = ex.zext(kept, 128);
    let big_expr = ex.constant_bits(&big);
    let wide_sum = ex.bin(Op::Add, wide, big_expr);
    let text = (ex.display(kept), ex.display(element), ex.display(wide_sum));
    let mut evaluator = Evaluator::default();
    let bytes = Rng(4).bytes(16);
    let at = Assignment { id: 5, bytes: &bytes };
    let values =
        (evaluator.eval(&ex, kept, at), evaluator.eval(&ex, element, at), evaluator.eval(&ex, wide_sum, at));
    let before = ex.live();
    let mut garbage = Vec::new();
    for i in 0..1000u64 {
        let k = ex.constant(32, 77_000 + i);
        let e = ex.bin(Op::Mul, kept, k);
        evaluator.eval_u64(&ex, e, at);
        garbage.push(e);
        let elements: Vec<Expr> = (0..5).map(|j| ex.constant(32, i * 7919 * j * j % 1009)).collect();
        let t = ex.make_table(&elements);
        ex.lookup(t, index);
        ex.support(e);
        let w = ex.constant_bits(&Bits::from_limbs(128, &[i, 99]));
        ex.bin(Op::Mul, wide_sum, w);
    }
    let (memory, generation) = (ex.live(), ex.generation());
    let freed = ex.collect([kept, element, wide_sum].into_iter());
    assert!(freed >= 4000, "{freed}");
    assert_eq!(ex.live() + freed, memory);
    assert!(ex.live() <= before);
    assert_ne!(ex.generation(), generation);
    // What stays means the same, and is found again by content.
    assert_eq!((ex.display(kept), ex.display(element), ex.display(wide_sum)), text);
    assert_eq!(ex.bin(Op::Mul, a, b), kept);
    let t = ex.make_table(&table);
    assert_eq!(ex.lookup(t, index), element);
    assert_eq!(ex.constant_bits(&big), big_expr);
    assert_eq!(ex.support(kept).len(), 8);
    // Freed places are taken again, and old values are not.
    let slots = ex.len() - freed;
    let mut taken = false;
    for i in 0..1000u64 {
        let k = ex.constant(32, 99_000 + i);
        let e = ex.bin(Op::URem, kept, k);
        taken |= garbage.contains(&e);
        let fresh = Evaluator::default().eval(&ex, e, at);
        assert_eq!(evaluator.eval(&ex, e, at), fresh);
    }
    assert!(taken);
    assert!(slots > 0);
    let again =
        (evaluator.eval(&ex, kept, at), evaluator.eval(&ex, element, at), evaluator.eval(&ex, wide_sum, at));
    assert_eq!(again, values);
    // Nothing to free: nothing changes.
    let roots: Vec<Expr> = (0..1000u64).map(|i| ex.constant(32, 99_000 + i)).collect();
    let all: Vec<Expr> =
        roots.iter().map(|&k| ex.bin(Op::URem, kept, k)).chain([element, wide_sum]).collect();
    ex.collect(all.iter().copied());
    let generation = ex.generation();
    assert_eq!(ex.collect(all.iter().copied()), 0);
    assert_eq!(ex.generation(), generation);
}

#[test]
fn lookups_shrink_to_the_range_of_the_index() {
    let mut ex = Exprs::new();
    let elements: Vec<Expr> = (0..256u64).map(|i| ex.constant(32, i * 37 % 251)).collect();
    let t = ex.make_table(&elements);
    let s = sym(&mut ex, 0);
    let low = ex.extract(s, 0, 3);
    let index = ex.zext(low, 64);
    let ten = ex.constant(64, 10);
    let index = ex.bin(Op::Add, index, ten);
    let e = ex.lookup(t, index);
    let Kind::Lookup(t, i) = ex.kind(e) else { panic!("{}", ex.display(e)) };
    assert_eq!((ex.table(t), i), (&elements[10..18], low));
    // A class of characters by table is a comparison of the character.
    let is_digit: Vec<Expr> =
        (0..256u64).map(|i| ex.constant(16, if (48..58).contains(&i) { 0x800 } else { 0x200 })).collect();
    let t = ex.make_table(&is_digit);
    let class = ex.lookup(t, s);
    let mask = ex.constant(16, 0x800);
    let masked = ex.bin(Op::And, class, mask);
    let none = ex.constant(16, 0);
    let not_digit = ex.eq(masked, none);
    let digit = ex.not(not_digit);
    let (nine, zero) = (ex.constant(8, 57), ex.constant(8, 48));
    let (above, below) = (ex.bin(Op::Ule, zero, s), ex.bin(Op::Ule, s, nine));
    assert_eq!(digit, ex.and(above, below));
}

#[test]
fn display_is_smt_like_and_bounded() {
    let mut ex = Exprs::new();
    let (a, b) = (sym(&mut ex, 0), sym(&mut ex, 1));
    let sum = ex.bin(Op::Mul, a, b);
    let k = ex.constant(8, 0x2a);
    let c = ex.bin(Op::Ult, sum, k);
    assert_eq!(ex.display(c), "(bvult (bvmul s0 s1) #x2a)");
    let wide = ex.sext(a, 12);
    assert_eq!(ex.display(wide), "((_ sign_extend 4) s0)");
    let mut big = sum;
    for i in 0..60 {
        let s = sym(&mut ex, i);
        big = ex.bin(Op::Mul, big, s);
        let other = ex.bin(Op::UDiv, big, s);
        big = ex.bin(Op::URem, big, other);
    }
    let text = ex.display(big);
    assert!(text.contains('…') && text.len() < 1 << 20, "{} characters", text.len());
}

#[test]
fn memory_is_accounted() {
    let mut ex = Exprs::new();
    let start = ex.memory_bytes();
    let mut x = word(&mut ex, 0);
    for i in 0..10_000 {
        let k = ex.constant(32, i * 2 + 3);
        let product = ex.bin(Op::Mul, x, k);
        x = ex.bin(Op::Xor, product, x);
    }
    let per_node = (ex.memory_bytes() - start) / ex.live();
    assert!((40..200).contains(&per_node), "{per_node} bytes a node");
}
