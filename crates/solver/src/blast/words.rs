//! Words of bits and their arithmetic as circuits: least significant bit first, any width.
//!
//! The meaning of every operator is SMT-LIB's (division by zero, oversized shifts). Constant bits cost nothing
//! because the graph folds them; where that is not enough (multiplication, division by constants) the circuit is
//! chosen by the constant. `translate` says which operator of an expression becomes which function here.

use super::graph::{FALSE, Graph, Lit, Stop, TRUE};

/// A word, least significant bit first.
pub(crate) type Word = Vec<Lit>;

pub(crate) fn constant(width: usize, bit: impl Fn(usize) -> bool) -> Word {
    (0..width).map(|i| Lit::of(bit(i))).collect()
}

pub(crate) fn not(a: &[Lit]) -> Word {
    a.iter().map(|&l| !l).collect()
}

/// `a + b + carry`, and the carry out.
pub(crate) fn add_carry(g: &mut Graph, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Word, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let (s, c) = g.full_add(x, y, carry);
        sum.push(s);
        carry = c;
    }
    (sum, carry)
}

pub(crate) fn add(g: &mut Graph, a: &[Lit], b: &[Lit]) -> Word {
    add_carry(g, a, b, FALSE).0
}

pub(crate) fn sub(g: &mut Graph, a: &[Lit], b: &[Lit]) -> Word {
    add_carry(g, a, &not(b), TRUE).0
}

pub(crate) fn neg(g: &mut Graph, a: &[Lit]) -> Word {
    sub(g, &vec![FALSE; a.len()], a)
}

/// `-a` if `condition`, else `a`.
pub(crate) fn neg_if(g: &mut Graph, condition: Lit, a: &[Lit]) -> Word {
    let flipped: Word = a.iter().map(|&l| g.xor(l, condition)).collect();
    let zero = vec![FALSE; a.len()];
    add_carry(g, &flipped, &zero, condition).0
}

pub(crate) fn mux(g: &mut Graph, c: Lit, t: &[Lit], e: &[Lit]) -> Word {
    t.iter().zip(e).map(|(&t, &e)| g.mux(c, t, e)).collect()
}

pub(crate) fn eq(g: &mut Graph, a: &[Lit], b: &[Lit]) -> Lit {
    let mut all = TRUE;
    for (&x, &y) in a.iter().zip(b) {
        let differ = g.xor(x, y);
        all = g.and(all, !differ);
    }
    all
}

pub(crate) fn is_zero(g: &mut Graph, a: &[Lit]) -> Lit {
    !g.or_all(a.iter().copied())
}

/// `a < b`, or `a <= b` if `or_equal`, unsigned.
pub(crate) fn less(g: &mut Graph, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
    let mut less = Lit::of(or_equal);
    for (&x, &y) in a.iter().zip(b) {
        let differ = g.xor(x, y);
        less = g.mux(differ, y, less);
    }
    less
}

/// `a < b`, or `a <= b` if `or_equal`, two's complement.
pub(crate) fn less_signed(g: &mut Graph, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
    let top = a.len() - 1;
    let low = less(g, &a[..top], &b[..top], or_equal);
    // With different signs the negative one is less.
    let differ = g.xor(a[top], b[top]);
    g.mux(differ, a[top], low)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shift {
    Left,
    Right,
    RightSigned,
}

/// A barrel shifter. An amount of the width or more gives zero, or the sign for a signed shift.
pub(crate) fn shift(g: &mut Graph, kind: Shift, a: &[Lit], amount: &[Lit]) -> Word {
    let width = a.len();
    let fill = if kind == Shift::RightSigned { a[width - 1] } else { FALSE };
    let mut word = a.to_vec();
    let mut stages = 0;
    while stages < amount.len() && stages < 31 && (1usize << stages) < width {
        let step = 1usize << stages;
        let by = amount[stages];
        word = (0..width)
            .map(|i| {
                let from = match kind {
                    Shift::Left => i.checked_sub(step).map_or(FALSE, |j| word[j]),
                    _ => word.get(i + step).copied().unwrap_or(fill),
                };
                g.mux(by, from, word[i])
            })
            .collect();
        stages += 1;
    }
    let oversized = g.or_all(amount[stages..].iter().copied());
    word.iter().map(|&l| g.mux(oversized, fill, l)).collect()
}

fn all_constant(a: &[Lit]) -> bool {
    a.iter().all(|l| l.constant().is_some())
}

/// The low `a.len()` bits of the product.
pub(crate) fn mul(g: &mut Graph, a: &[Lit], b: &[Lit]) -> Result<Word, Stop> {
    let width = a.len();
    // Rows are the bits of the operand with fewer free bits: the fewer rows the smaller the circuit.
    let free = |w: &[Lit]| w.iter().filter(|l| l.constant().is_none()).count();
    let (a, b) = if free(a) < free(b) { (b, a) } else { (a, b) };
    if all_constant(b) {
        return mul_constant(g, a, b);
    }
    let mut sum = vec![FALSE; width];
    for (i, &row) in b.iter().enumerate() {
        if row == FALSE {
            continue;
        }
        g.alive()?;
        let part: Word = a[..width - i].iter().map(|&l| g.and(l, row)).collect();
        let high = add(g, &sum[i..], &part);
        sum.truncate(i);
        sum.extend(high);
    }
    Ok(sum)
}

/// Multiplication by a constant as additions and subtractions of its signed digits: a run of ones costs two rows.
fn mul_constant(g: &mut Graph, a: &[Lit], c: &[Lit]) -> Result<Word, Stop> {
    let width = a.len();
    let mut sum = vec![FALSE; width];
    let mut carry = false;
    for i in 0..width {
        let bit = (c[i] == TRUE) ^ carry;
        let next = c.get(i + 1) == Some(&TRUE);
        // The digit is 0, or +1 or -1 such that the next digit becomes 0.
        let (digit, out) = match (bit, next) {
            (false, _) => (0, carry && c[i] == TRUE),
            (true, true) => (-1, true),
            (true, false) => (1, false),
        };
        carry = out;
        if digit != 0 {
            g.alive()?;
            let (part, carry_in) = match digit {
                1 => (a[..width - i].to_vec(), FALSE),
                _ => (not(&a[..width - i]), TRUE),
            };
            let high = add_carry(g, &sum[i..], &part, carry_in).0;
            sum.truncate(i);
            sum.extend(high);
        }
    }
    Ok(sum)
}

/// Quotient and remainder, unsigned: a restoring divider whose remainder is only as wide as the divisor.
pub(crate) fn divide(g: &mut Graph, a: &[Lit], b: &[Lit]) -> Result<(Word, Word), Stop> {
    let width = a.len();
    let significant = width - b.iter().rev().take_while(|&&l| l == FALSE).count();
    let mut quotient = vec![FALSE; width];
    let mut rest: Word = Vec::new();
    for i in (0..width).rev() {
        g.alive()?;
        rest.insert(0, a[i]);
        // The remainder has fewer bits than the divisor at first: then the divisor's high bits decide.
        let n = rest.len();
        let low: Word = (0..n).map(|k| b.get(k).copied().unwrap_or(FALSE)).collect();
        let (difference, no_borrow) = add_carry(g, &rest, &not(&low), TRUE);
        let high = b.get(n..significant.max(n).min(width)).unwrap_or(&[]);
        let fits = is_zero(g, high);
        let enough = g.and(no_borrow, fits);
        quotient[i] = enough;
        rest = mux(g, enough, &difference, &rest);
        // What is left is less than the divisor (or the divisor is zero, see below).
        rest.truncate(significant);
    }
    rest.resize(width, FALSE);
    if significant < width {
        // A zero divisor leaves the dividend; the narrow remainder has lost its high bits.
        let zero = is_zero(g, &b[..significant]);
        rest = mux(g, zero, a, &rest);
    }
    Ok((quotient, rest))
}

/// Quotient and remainder toward zero, two's complement; the remainder has the dividend's sign.
pub(crate) fn divide_signed(g: &mut Graph, a: &[Lit], b: &[Lit]) -> Result<(Word, Word), Stop> {
    let top = a.len() - 1;
    let (sa, sb) = (a[top], b[top]);
    let (abs_a, abs_b) = (neg_if(g, sa, a), neg_if(g, sb, b));
    let (quotient, rest) = divide(g, &abs_a, &abs_b)?;
    let differ = g.xor(sa, sb);
    Ok((neg_if(g, differ, &quotient), neg_if(g, sa, &rest)))
}

/// Element `index` of `elements`: a tree of multiplexers over the index bits. Past the end the result is zero, or
/// anything when the caller knows that the index is `inside`.
pub(crate) fn select(g: &mut Graph, elements: &[Word], index: &[Lit], inside: bool) -> Result<Word, Stop> {
    let mut bits = 0;
    while bits < index.len() && bits < 40 && (1usize << bits) < elements.len() {
        bits += 1;
    }
    let mut level: Vec<Word> = elements.to_vec();
    for &bit in &index[..bits] {
        g.alive()?;
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [e, o] => mux(g, bit, o, e),
                [e] if inside => e.clone(),
                [e] => e.iter().map(|&l| g.and(l, !bit)).collect(),
                _ => unreachable!("chunks of two"),
            })
            .collect();
    }
    let word = level.swap_remove(0);
    if inside {
        return Ok(word);
    }
    let past = g.or_all(index[bits..].iter().copied());
    Ok(word.iter().map(|&l| g.and(l, !past)).collect())
}
