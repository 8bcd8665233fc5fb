//! Numbers in parts, and rounding to nearest even: the way into and out of a floating-point format.
//!
//! A [`Number`] is `significand · 2^exponent` with the significand an integer of any width whose lowest bit may be
//! sticky (it stands for everything below). [`round`] is the only place that rounds to a format, so that subnormal
//! results, overflow and ties are right once for all operations.

use super::graph::{FALSE, Graph, Lit, Stop};
use super::words::{self, Shift, Word};

/// A binary interchange format.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub exponent_bits: usize,
    /// Bits of the significand, the hidden one included.
    pub precision: usize,
}

impl Format {
    pub fn of(width: usize) -> Format {
        let (exponent_bits, precision) = match width {
            16 => (5, 11),
            32 => (8, 24),
            64 => (11, 53),
            128 => (15, 113),
            _ => unreachable!("no floating-point format of {width} bits is built here"),
        };
        Format { exponent_bits, precision }
    }

    pub fn width(self) -> usize {
        self.exponent_bits + self.precision
    }

    pub fn bias(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    pub fn quiet_bit(self) -> usize {
        self.precision - 2
    }

    pub fn default_nan(self) -> Word {
        words::constant(self.width(), |i| i >= self.quiet_bit())
    }

    pub fn infinity(self, sign: Lit) -> Word {
        let mut word = words::constant(self.width(), |i| i >= self.precision - 1);
        word[self.width() - 1] = sign;
        word
    }

    pub fn is_nan(self, g: &mut Graph, a: &[Lit]) -> Lit {
        let (fraction, rest) = a.split_at(self.precision - 1);
        let ones = g.and_all(rest[..self.exponent_bits].iter().copied());
        let payload = g.or_all(fraction.iter().copied());
        g.and(ones, payload)
    }

    /// Bits for exponents of numbers with significands of this many bits, such that nothing done here overflows.
    pub fn exponent_room(self, significand: usize) -> usize {
        self.exponent_bits + 5 + significand.ilog2() as usize
    }
}

/// A number in parts, or NaN or an infinity (then exponent and significand mean nothing).
#[derive(Clone)]
pub(super) struct Number {
    pub sign: Lit,
    /// Two's complement; the weight of the significand's lowest bit.
    pub exponent: Word,
    pub significand: Word,
    pub nan: Lit,
    pub infinite: Lit,
}

/// A constant in two's complement.
pub(super) fn signed(width: usize, value: i64) -> Word {
    words::constant(width, |i| value >> i.min(63) & 1 == 1)
}

impl Number {
    pub fn unpack(g: &mut Graph, format: Format, bits: &[Lit]) -> Number {
        let stored = format.precision - 1;
        let (fraction, rest) = bits.split_at(stored);
        let field = &rest[..format.exponent_bits];
        let ones = g.and_all(field.iter().copied());
        let normal = g.or_all(field.iter().copied());
        let payload = g.or_all(fraction.iter().copied());
        // A subnormal number has the least exponent and no hidden bit.
        let room = format.exponent_room(2 * format.precision);
        let mut exponent = field.to_vec();
        exponent[0] = g.or(exponent[0], !normal);
        exponent.resize(room, FALSE);
        let exponent = words::add(g, &exponent, &signed(room, -format.bias() - stored as i64));
        let mut significand = fraction.to_vec();
        significand.push(normal);
        Number {
            sign: bits[bits.len() - 1],
            exponent,
            significand,
            nan: g.and(ones, payload),
            infinite: g.and(ones, !payload),
        }
    }

    pub fn negated(&self) -> Number {
        Number { sign: !self.sign, ..self.clone() }
    }

    pub fn is_zero(&self, g: &mut Graph) -> Lit {
        words::is_zero(g, &self.significand)
    }

    /// The same number with the highest bit of the significand set (unless it is zero).
    pub fn normalised(&self, g: &mut Graph) -> Number {
        let (significand, shifted) = shift_out_zeros(g, &self.significand);
        let mut by = shifted;
        by.resize(self.exponent.len(), FALSE);
        let exponent = words::sub(g, &self.exponent, &by);
        Number { exponent, significand, ..self.clone() }
    }

    /// The same number with `bits` more bits below.
    pub fn widened(&self, g: &mut Graph, bits: usize) -> Number {
        let mut significand = vec![FALSE; bits];
        significand.extend_from_slice(&self.significand);
        let by = signed(self.exponent.len(), -(bits as i64));
        Number { exponent: words::add(g, &self.exponent, &by), significand, ..self.clone() }
    }
}

/// Shifts left until the highest bit is set; by how much.
fn shift_out_zeros(g: &mut Graph, a: &[Lit]) -> (Word, Word) {
    let width = a.len();
    let stages = width.ilog2() as usize + 1;
    let mut word = a.to_vec();
    let mut by = vec![FALSE; stages];
    for stage in (0..stages).rev() {
        let step = 1 << stage;
        if step >= width {
            continue;
        }
        let zeros = words::is_zero(g, &word[width - step..]);
        by[stage] = zeros;
        word = (0..width)
            .map(|i| {
                let from = if i >= step { word[i - step] } else { FALSE };
                g.mux(zeros, from, word[i])
            })
            .collect();
    }
    (word, by)
}

/// Shifts right; the lowest bit of the result also stands for everything that was shifted out.
pub(super) fn shift_right_sticky(g: &mut Graph, a: &[Lit], amount: &[Lit]) -> Word {
    let width = a.len();
    let mut word = a.to_vec();
    let mut lost = FALSE;
    let mut stages = 0;
    while stages < amount.len() && (1usize << stages) < width {
        let step = 1 << stages;
        let by = amount[stages];
        let out = g.or_all(word[..step].iter().copied());
        let out = g.and(out, by);
        lost = g.or(lost, out);
        word = (0..width)
            .map(|i| {
                let from = word.get(i + step).copied().unwrap_or(FALSE);
                g.mux(by, from, word[i])
            })
            .collect();
        stages += 1;
    }
    let oversized = g.or_all(amount[stages..].iter().copied());
    let any = g.or_all(word.iter().copied());
    let any = g.and(any, oversized);
    lost = g.or(lost, any);
    word.iter_mut().for_each(|l| *l = g.and(*l, !oversized));
    word[0] = g.or(word[0], lost);
    word
}

/// `a` if it is not negative, else zero.
pub(super) fn at_least_zero(g: &mut Graph, a: &[Lit]) -> Word {
    let negative = a[a.len() - 1];
    a.iter().map(|&l| g.and(l, !negative)).collect()
}

/// The nearest number of the format, ties to even; the infinity of its sign when too large.
pub(super) fn round(g: &mut Graph, format: Format, number: &Number) -> Result<Word, Stop> {
    g.alive()?;
    let p = format.precision;
    // At least a guard and a sticky bit below the precision.
    let missing = (p + 2).saturating_sub(number.significand.len());
    let wide = if missing > 0 { number.widened(g, missing) } else { number.clone() };
    let n = wide.normalised(g);
    let width = n.significand.len();
    let room = n.exponent.len();
    let nonzero = n.significand[width - 1];

    // The exponent field if the number is normal; not positive if it is subnormal.
    let field = words::add(g, &n.exponent, &signed(room, width as i64 - 1 + format.bias()));
    let under = words::sub(g, &signed(room, 1), &field);
    let shift = at_least_zero(g, &under);
    let subnormal = g.or_all(shift.iter().copied());
    let significand = shift_right_sticky(g, &n.significand, &shift);

    let kept = &significand[width - p..];
    let guard = significand[width - p - 1];
    let sticky = g.or_all(significand[..width - p - 1].iter().copied());
    let above = g.or(sticky, kept[0]);
    let up = g.and(guard, above);

    // Field and fraction as one integer: a carry out of the fraction is the next exponent, as it should be.
    let mut packed: Word = kept[..p - 1].to_vec();
    packed.extend(field[..format.exponent_bits].iter().map(|&l| g.and(l, !subnormal)));
    let zeros = vec![FALSE; packed.len()];
    let mut packed = words::add_carry(g, &packed, &zeros, up).0;

    let limit = (1i64 << format.exponent_bits) - 1;
    let overflow = words::less_signed(g, &signed(room, limit), &field, true);
    let overflow = g.and(overflow, nonzero);
    let infinity = format.infinity(FALSE);
    packed = words::mux(g, overflow, &infinity[..packed.len()], &packed);
    packed.iter_mut().for_each(|l| *l = g.and(*l, nonzero));
    packed.push(number.sign);
    Ok(packed)
}

/// `a << amount` with zeros from below; for amounts known to fit.
pub(super) fn shift_left(g: &mut Graph, a: &[Lit], amount: &[Lit]) -> Word {
    words::shift(g, Shift::Left, a, amount)
}
