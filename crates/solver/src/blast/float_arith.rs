//! Exact arithmetic on unpacked numbers: sums, products, quotients, roots, and conversions to integers.
//!
//! Results are [`Number`]s with as many bits as it takes for one later rounding to be right, the lowest of them
//! sticky. Infinities and NaN are the caller's affair (`float`).

use super::float_round::{Format, Number, at_least_zero, round, shift_left, shift_right_sticky, signed};
use super::graph::{FALSE, Graph, Lit, Stop, TRUE};
use super::words::{self, Word};
use forkwise_expr::RoundingMode;

/// The sum of two numbers of the same width, each normalised or of the least exponent there is.
pub(super) fn add(g: &mut Graph, a: &Number, b: &Number) -> Result<Number, Stop> {
    g.alive()?;
    // The one of larger magnitude first.
    let below = words::less_signed(g, &a.exponent, &b.exponent, false);
    let level = words::eq(g, &a.exponent, &b.exponent);
    let smaller = words::less(g, &a.significand, &b.significand, false);
    let smaller = g.and(level, smaller);
    let swap = g.or(below, smaller);
    let large = words::mux(g, swap, &b.significand, &a.significand);
    let small = words::mux(g, swap, &a.significand, &b.significand);
    let exponent = words::mux(g, swap, &b.exponent, &a.exponent);
    let other = words::mux(g, swap, &a.exponent, &b.exponent);
    let sign = g.mux(swap, b.sign, a.sign);

    // Three bits below are enough: bits are lost only when the exponents differ by more than three, and then at
    // most one leading bit cancels.
    let widen = |w: &[Lit]| -> Word { [&[FALSE; 3], w, &[FALSE]].concat() };
    let distance = words::sub(g, &exponent, &other);
    let small = shift_right_sticky(g, &widen(&small), &distance);
    let subtract = g.xor(a.sign, b.sign);
    let flipped: Word = small.iter().map(|&l| g.xor(l, subtract)).collect();
    let significand = words::add_carry(g, &widen(&large), &flipped, subtract).0;

    // An exact zero is positive unless both operands are negative.
    let zero = words::is_zero(g, &significand);
    let both = g.and(a.sign, b.sign);
    let sign = g.mux(zero, both, sign);
    let exponent = words::add(g, &exponent, &signed(exponent.len(), -3));
    Ok(Number { sign, exponent, significand, nan: FALSE, infinite: FALSE })
}

/// The sum of any two numbers; they are brought to one width and normalised first.
pub(super) fn add_normalised(g: &mut Graph, a: &Number, b: &Number) -> Result<Number, Stop> {
    let width = a.significand.len().max(b.significand.len());
    let prepare = |g: &mut Graph, n: &Number| {
        let wide = n.widened(g, width - n.significand.len());
        let mut n = wide.normalised(g);
        // A zero must not be taken for the larger one: it gets an exponent below all others.
        let zero = words::is_zero(g, &n.significand);
        let room = n.exponent.len();
        let least = signed(room, -(1i64 << (room - 2)));
        n.exponent = words::mux(g, zero, &least, &n.exponent);
        n
    };
    let (a, b) = (prepare(g, a), prepare(g, b));
    add(g, &a, &b)
}

/// The exact product.
pub(super) fn multiply(g: &mut Graph, a: &Number, b: &Number) -> Result<Number, Stop> {
    let width = a.significand.len() + b.significand.len();
    let widen = |w: &[Lit]| -> Word {
        let mut w = w.to_vec();
        w.resize(width, FALSE);
        w
    };
    let significand = words::mul(g, &widen(&a.significand), &widen(&b.significand))?;
    let exponent = words::add(g, &a.exponent, &b.exponent);
    Ok(Number { sign: g.xor(a.sign, b.sign), exponent, significand, nan: FALSE, infinite: FALSE })
}

/// The quotient to three bits more than the precision, and sticky.
pub(super) fn divide(g: &mut Graph, a: &Number, b: &Number) -> Result<Number, Stop> {
    let (a, b) = (a.normalised(g), b.normalised(g));
    let p = a.significand.len();
    let digits = p + 3;
    // Both are in [1, 2): one digit before the point. The remainder stays below twice the divisor.
    let mut rest = a.significand.clone();
    rest.push(FALSE);
    let mut divisor = b.significand.clone();
    divisor.push(FALSE);
    let mut quotient: Word = Vec::with_capacity(digits);
    for _ in 0..digits {
        g.alive()?;
        let (difference, enough) = words::add_carry(g, &rest, &words::not(&divisor), TRUE);
        quotient.push(enough);
        rest = words::mux(g, enough, &difference, &rest);
        rest.pop();
        rest.insert(0, FALSE);
    }
    let sticky = g.or_all(rest.iter().copied());
    quotient.push(sticky);
    quotient.reverse();
    let exponent = words::sub(g, &a.exponent, &b.exponent);
    let exponent = words::add(g, &exponent, &signed(exponent.len(), -(digits as i64)));
    Ok(Number { sign: g.xor(a.sign, b.sign), exponent, significand: quotient, nan: FALSE, infinite: FALSE })
}

/// The square root to two bits more than the precision, and sticky. The sign is ignored.
pub(super) fn square_root(g: &mut Graph, a: &Number) -> Result<Number, Stop> {
    let a = a.normalised(g);
    let p = a.significand.len();
    // An even exponent: an odd one lends the significand a bit.
    let odd = a.exponent[0];
    let mut wide: Word = vec![FALSE];
    wide.extend_from_slice(&a.significand);
    let mut plain = a.significand.clone();
    plain.push(FALSE);
    let mut radicand = words::mux(g, odd, &wide, &plain);
    let mut exponent = a.exponent.clone();
    exponent[0] = FALSE;
    // Zeros below until the root has its bits: an even number, so that the exponent can be halved.
    let zeros = (p + 4).next_multiple_of(2);
    radicand.splice(0..0, vec![FALSE; zeros]);
    if radicand.len() % 2 == 1 {
        radicand.push(FALSE);
    }
    let steps = radicand.len() / 2;
    let mut root: Word = Vec::with_capacity(steps);
    let mut rest: Word = Vec::new();
    for step in (0..steps).rev() {
        g.alive()?;
        // Two more digits; then try root·4 + 1.
        rest.splice(0..0, [radicand[2 * step], radicand[2 * step + 1]]);
        let mut trial: Word = vec![TRUE, FALSE];
        trial.extend_from_slice(&root);
        let width = trial.len().max(rest.len());
        trial.resize(width, FALSE);
        rest.resize(width, FALSE);
        let (difference, enough) = words::add_carry(g, &rest, &words::not(&trial), TRUE);
        rest = words::mux(g, enough, &difference, &rest);
        // The remainder is at most twice the root.
        rest.truncate(root.len() + 2);
        root.insert(0, enough);
    }
    let sticky = g.or_all(rest.iter().copied());
    root.insert(0, sticky);
    // Half of (exponent - zeros), and one less for the sticky bit.
    let exponent = words::add(g, &exponent, &signed(exponent.len(), -(zeros as i64)));
    let mut half: Word = exponent[1..].to_vec();
    half.push(exponent[exponent.len() - 1]);
    let exponent = words::add(g, &half, &signed(half.len(), -1));
    Ok(Number { sign: FALSE, exponent, significand: root, nan: FALSE, infinite: FALSE })
}

/// The magnitude toward zero as an integer of `width` bits, and whether it does not fit.
fn magnitude(g: &mut Graph, a: &Number, width: usize) -> (Word, Lit) {
    let room = a.exponent.len();
    let p = a.significand.len();
    let negative = a.exponent[room - 1];
    let left = at_least_zero(g, &a.exponent);
    let minus = words::neg(g, &a.exponent);
    let right: Word = minus.iter().map(|&l| g.and(l, negative)).collect();
    let wide_width = width.max(p);
    let mut wide = a.significand.clone();
    wide.resize(wide_width, FALSE);
    let down = words::shift(g, words::Shift::Right, &wide, &right);
    let whole = shift_left(g, &down, &left);
    // Nothing is lost while the highest bit of a full significand stays inside; subnormal numbers are below one.
    let limit = signed(room, wide_width as i64 - p as i64);
    let lost = words::less_signed(g, &limit, &a.exponent, false);
    let high = g.or_all(whole[width..].iter().copied());
    let large = g.or(lost, high);
    (whole[..width].to_vec(), large)
}

/// Toward zero; out of range or NaN: only the sign bit set if `signed`, else all ones.
pub(super) fn to_integer(g: &mut Graph, a: &Number, width: usize, is_signed: bool) -> Word {
    let (whole, large) = magnitude(g, a, width + 1);
    let odd = g.or(a.nan, a.infinite);
    let large = g.or(odd, large);
    let (fits, invalid) = if is_signed {
        // Up to 2^(width-1) - 1, and 2^(width-1) itself if negative.
        let (low, high) = whole.split_at(width - 1);
        let rest = words::is_zero(g, low);
        let least = g.and(a.sign, rest);
        let least = g.and(least, high[0]);
        let small = g.or(!high[0], least);
        (g.and(small, !high[1]), words::constant(width, |i| i == width - 1))
    } else {
        let zero = words::is_zero(g, &whole);
        let small = g.or(!a.sign, zero);
        (g.and(small, !whole[width]), words::constant(width, |_| true))
    };
    let fits = g.and(fits, !large);
    let value = words::neg_if(g, a.sign, &whole[..width]);
    words::mux(g, fits, &value, &invalid)
}

/// To an integer in the same format; a zero keeps the sign. Infinities are the caller's.
pub(super) fn to_integral(
    g: &mut Graph,
    format: Format,
    a: &Number,
    mode: RoundingMode,
) -> Result<Word, Stop> {
    let room = a.exponent.len();
    let p = a.significand.len();
    let fractional = a.exponent[room - 1];
    let minus = words::neg(g, &a.exponent);
    let shift: Word = minus.iter().map(|&l| g.and(l, fractional)).collect();
    // A guard and a sticky bit below, room for a carry above.
    let wide: Word = [&[FALSE; 2], &a.significand[..], &[FALSE]].concat();
    let shifted = shift_right_sticky(g, &wide, &shift);
    let (below, whole) = shifted.split_at(2);
    let (sticky, guard) = (below[0], below[1]);
    let inexact = g.or(sticky, guard);
    let up = match mode {
        RoundingMode::NearestEven => {
            let tie = g.or(sticky, whole[0]);
            g.and(guard, tie)
        }
        RoundingMode::NearestAway => guard,
        RoundingMode::Zero => FALSE,
        RoundingMode::Up => g.and(inexact, !a.sign),
        RoundingMode::Down => g.and(inexact, a.sign),
    };
    let zeros = vec![FALSE; p + 1];
    let whole = words::add_carry(g, whole, &zeros, up).0;
    // Exact from here: the integer is a number of the format. Its exponent is zero, or as it was if there was no
    // fraction.
    let exponent = words::mux(g, fractional, &vec![FALSE; room], &a.exponent);
    round(g, format, &Number { sign: a.sign, exponent, significand: whole, nan: FALSE, infinite: FALSE })
}
