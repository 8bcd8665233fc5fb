//! The only source of randomness of an exploration: xoshiro256** (Blackman and Vigna), seeded by SplitMix64.
//!
//! The algorithm is fixed and written out here, because "same seed, same tests" must survive dependency updates.

/// A deterministic generator.
#[derive(Clone, Debug)]
pub struct Random {
    s: [u64; 4],
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        let mut x = seed;
        let mut next = || {
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Random { s: [next(), next(), next(), next()] }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let result = self.s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = self.s[1] << 17;
        self.s[2] ^= self.s[0];
        self.s[3] ^= self.s[1];
        self.s[1] ^= self.s[2];
        self.s[0] ^= self.s[3];
        self.s[2] ^= t;
        self.s[3] = self.s[3].rotate_left(45);
        result
    }

    /// Uniform in `0..n`; `n` must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n != 0, "an empty range has no elements");
        // Multiplication instead of remainder; the loop removes the last trace of bias.
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            let low = wide as u64;
            if low >= n || low >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An independent generator, for a part that must not disturb the others.
    pub fn split(&mut self) -> Random {
        Random::new(self.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut r = Random::new(1);
        let first: Vec<u64> = (0..3).map(|_| r.next_u64()).collect();
        let mut again = Random::new(1);
        assert_eq!(first, (0..3).map(|_| again.next_u64()).collect::<Vec<_>>());
        // xoshiro256** from the state 1, 2, 3, 4: the reference implementation's first outputs.
        let mut reference = Random { s: [1, 2, 3, 4] };
        assert_eq!(
            [reference.next_u64(), reference.next_u64(), reference.next_u64()],
            [11520, 0, 1509978240]
        );
    }

    #[test]
    fn below_is_in_range_and_covers_it() {
        let mut r = Random::new(7);
        let mut seen = [0u32; 5];
        for _ in 0..5000 {
            seen[r.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n > 800), "{seen:?}");
    }

    #[test]
    fn unit_is_half_open() {
        let mut r = Random::new(3);
        assert!((0..1000).map(|_| r.unit()).all(|x| (0.0..1.0).contains(&x)));
    }
}
