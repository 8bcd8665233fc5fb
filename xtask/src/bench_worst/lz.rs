//! The hand-made worst input of `lz_compress`: a local search over short alphabets with the cost of the program, counted
//! here. Deterministic; the best known, not a proved optimum.

/// The limits of `bench/worst/lz_compress.c`.
const SHORTEST: usize = 4;
const LONGEST: usize = 18;

/// Bytes that the input is made of; more do not make it worse.
const ALPHABET: u64 = 3;

/// Work for the search, in compared bytes.
const BUDGET: u64 = 60_000_000;

/// The input.
pub fn worst(count: usize) -> Vec<u8> {
    // Occurrences of three bytes everywhere, and one of four now and then, to begin with.
    let mut input: Vec<u8> = (0..count).map(|i| u8::from(i % 4 == 3)).collect();
    let mut best = cost(&input);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let tries = if count == 0 { 0 } else { (BUDGET / (count * count) as u64).clamp(100, 30_000) };
    for _ in 0..tries {
        let mut changed = input.clone();
        // Mostly one byte, sometimes a few in a row.
        let (at, length) = (next(count as u64) as usize, 1 + next(4).saturating_sub(1) as usize);
        for byte in changed.iter_mut().skip(at).take(length) {
            *byte = next(ALPHABET) as u8;
        }
        let cost = cost(&changed);
        if cost >= best {
            best = cost;
            input = changed;
        }
    }
    input
}

/// About what the program executes, in instructions.
fn cost(input: &[u8]) -> u64 {
    let (mut cost, mut i) = (0, 0);
    while i < input.len() {
        let mut length = 0;
        for start in 0..i {
            let same =
                input[start..].iter().zip(&input[i..]).take(LONGEST).take_while(|(a, b)| a == b).count();
            // A step that finds the end of the input or the longest length compares less.
            let stop = if i + same < input.len() && same < LONGEST { 19 } else { 9 };
            cost += 13 + 21 * same as u64 + stop;
            if same > length {
                length = same;
                cost += 1;
            }
        }
        let is_used = length >= SHORTEST;
        cost += if is_used { 40 } else { 25 };
        i += if is_used { length } else { 1 };
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_beats_what_one_would_try() {
        let found = cost(&worst(40));
        let distinct: Vec<u8> = (0..40).collect();
        assert!(found > cost(&distinct) && found > cost(&[0; 40]));
        assert_eq!(worst(40), worst(40));
    }
}
