//! The name that was probably meant.

/// Longer words are never a slip of the fingers; this also bounds the work on text that nobody checked.
const LONGEST: usize = 64;

/// The known name that is closest to `word`: at most a third of its letters differ. The first of several.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if letters.is_empty() || letters.len() > LONGEST {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = distance(&letters, &name.chars().collect::<Vec<_>>());
        let close = distance * 3 <= letters.len().max(name.chars().count());
        if close && best.is_none_or(|b| distance < b.0) {
            best = Some((distance, name));
        }
    }
    best.map(|b| b.1)
}

/// Letters to insert, remove or replace.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["distance-low", "distance-high", "objects-low"];
        assert_eq!(nearest("distance-hihg", known), Some("distance-high"));
        assert_eq!(nearest("distance_low", known), Some("distance-low"));
        assert_eq!(nearest("object-low", known), Some("objects-low"));
        assert_eq!(nearest("temperature", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), known), None);
    }
}
