//! Inputs as lists of numbers, for whoever changes them without knowing the program. An input whose size is a multiple of
//! four is taken as integers of four bytes, any other as bytes.

use crate::path::Values;
use forkwise_explore::Random;

/// Numbers of an input, each with where it is.
#[derive(Clone, Debug)]
pub(crate) struct Genes {
    places: Vec<(usize, usize, usize)>,
}

impl Genes {
    /// The numbers of inputs of this shape.
    pub fn of(values: &Values) -> Genes {
        let mut places = Vec::new();
        for (i, (_, bytes)) in values.iter().enumerate() {
            let width = if bytes.len() >= 4 && bytes.len().is_multiple_of(4) { 4 } else { 1 };
            places.extend((0..bytes.len() / width).map(|k| (i, k * width, width)));
        }
        Genes { places }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn get(&self, values: &Values, gene: usize) -> i32 {
        let (i, at, width) = self.places[gene];
        let bytes = &values[i].1[at..at + width];
        match width {
            4 => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            _ => i32::from(bytes[0]),
        }
    }

    pub fn set(&self, values: &mut Values, gene: usize, value: i32) {
        let (i, at, width) = self.places[gene];
        values[i].1[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    pub fn swap(&self, values: &mut Values, a: usize, b: usize) {
        let (x, y) = (self.get(values, a), self.get(values, b));
        self.set(values, a, y);
        self.set(values, b, x);
    }

    fn some(&self, random: &mut Random) -> usize {
        random.below(self.places.len() as u64) as usize
    }

    /// Two places in order, often near each other.
    fn stretch(&self, random: &mut Random) -> (usize, usize) {
        let a = self.some(random);
        let b = match random.below(2) {
            0 => self.some(random),
            _ => (a + 1 + random.below(8) as usize).min(self.len() - 1),
        };
        (a.min(b), a.max(b))
    }

    /// A change of one kind: a number replaced, moved by a little, made equal or next to another, two exchanged, one taken
    /// out and put in elsewhere, a stretch reversed, rotated or repeated.
    pub fn change(&self, random: &mut Random, values: &mut Values) {
        if self.places.is_empty() {
            return;
        }
        match random.below(10) {
            0 => self.set(values, self.some(random), number(random)),
            1 => {
                let a = self.some(random);
                let by = random.below(4) as i32 + 1;
                let by = if random.below(2) == 0 { by } else { -by };
                self.set(values, a, self.get(values, a).wrapping_add(by));
            }
            2 => {
                let value = self.get(values, self.some(random));
                self.set(values, self.some(random), value);
            }
            3 => {
                let value = self.get(values, self.some(random));
                let by = if random.below(2) == 0 { 1 } else { -1 };
                self.set(values, self.some(random), value.wrapping_add(by));
            }
            4 | 5 => self.swap(values, self.some(random), self.some(random)),
            6 => {
                let (a, b) = self.stretch(random);
                let up = random.below(2) == 0;
                for k in 0..b - a {
                    match up {
                        true => self.swap(values, a + k, a + k + 1),
                        false => self.swap(values, b - k, b - k - 1),
                    }
                }
            }
            7 => {
                let (a, b) = self.stretch(random);
                (0..(b - a).div_ceil(2)).for_each(|k| self.swap(values, a + k, b - k));
            }
            8 => {
                let (a, b) = self.stretch(random);
                let to = self.some(random);
                let copied: Vec<i32> = (a..=b).map(|g| self.get(values, g)).collect();
                for (k, value) in copied.into_iter().enumerate().take(self.len() - to) {
                    self.set(values, to + k, value);
                }
            }
            _ => {
                let (a, b) = self.stretch(random);
                let value = self.get(values, a);
                (a..=b).for_each(|g| self.set(values, g, value));
            }
        }
    }
}

/// A number as people choose them: mostly small.
pub(crate) fn number(random: &mut Random) -> i32 {
    match random.below(8) {
        0 => random.next_u64() as i32,
        1 => [0, 1, -1, i32::MAX, i32::MIN][random.below(5) as usize],
        2 | 3 => random.below(257) as i32,
        _ => random.below(4097) as i32 - 2048,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written() {
        let mut values: Values =
            vec![("a".into(), vec![1, 0, 0, 0, 255, 255, 255, 255]), ("b".into(), vec![7])];
        let genes = Genes::of(&values);
        assert_eq!(genes.len(), 3);
        assert_eq!([genes.get(&values, 0), genes.get(&values, 1), genes.get(&values, 2)], [1, -1, 7]);
        genes.swap(&mut values, 0, 1);
        assert_eq!([genes.get(&values, 0), genes.get(&values, 1)], [-1, 1]);
    }

    #[test]
    fn changes_keep_the_shape() {
        let mut random = Random::new(1);
        let mut values: Values = vec![("a".into(), vec![0; 40]), ("b".into(), vec![0; 3])];
        let genes = Genes::of(&values);
        (0..2000).for_each(|_| genes.change(&mut random, &mut values));
        assert_eq!((values[0].1.len(), values[1].1.len()), (40, 3));
        let mut nothing: Values = Vec::new();
        Genes::of(&nothing).change(&mut random, &mut nothing);
    }
}
