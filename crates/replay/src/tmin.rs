//! The smallest input that still does a certain thing: arguments, files and variables are left out, the rest is
//! shortened by chunks, and what remains becomes `A`s and `0`s. Asks the caller whether a smaller test still does it;
//! runs nothing itself. Every accepted test is smaller than the one before, so it ends by itself, or at a deadline.

use std::time::Instant;

use forkwise_testcase::{TestCase, model};

/// Bytes that need no explanation, the better one first.
const PLAIN: [u8; 2] = *b"A0";

/// One part of a test's input that can be shortened or simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Argument(usize),
    Stdin,
    File(usize),
    Variable(usize),
    /// Its size is the program's choice; its bytes may become zero.
    Object(usize),
}

impl Part {
    fn bytes(self, test: &mut TestCase) -> Option<&mut Vec<u8>> {
        match self {
            Part::Argument(index) => test.args.get_mut(index),
            Part::Stdin => test.stdin.as_mut(),
            Part::File(index) => test.files.get_mut(index).map(|file| &mut file.bytes),
            Part::Variable(index) => test.env.get_mut(index).map(|(_, value)| value),
            Part::Object(index) => test.objects.get_mut(index).map(|object| &mut object.bytes),
        }
    }

    fn all(test: &TestCase) -> Vec<Part> {
        let mut parts: Vec<Part> = (1..test.args.len()).map(Part::Argument).collect();
        parts.extend(test.stdin.as_ref().map(|_| Part::Stdin));
        parts.extend((0..test.files.len()).map(Part::File));
        parts.extend((0..test.env.len()).map(Part::Variable));
        parts.extend((0..test.objects.len()).map(Part::Object));
        parts
    }
}

/// How large a test's inputs are, in bytes and parts.
pub fn size(test: &TestCase) -> usize {
    let bytes = |parts: &mut dyn Iterator<Item = usize>| parts.map(|length| length + 1).sum::<usize>();
    let is_own = |name: &str| !model::is_of_model(test) || !model::is_model_object(name);
    bytes(&mut test.arguments().iter().map(Vec::len))
        + bytes(&mut test.stdin.iter().map(Vec::len))
        + bytes(&mut test.files.iter().map(|file| file.bytes.len()))
        + bytes(&mut test.env.iter().map(|(name, value)| name.len() + value.len()))
        + bytes(&mut test.objects.iter().filter(|o| is_own(&o.name)).map(|o| o.bytes.len()))
}

/// The smallest test found for which `is_same` says yes. It is asked about candidates only, never about the original;
/// an error of it ends the search and is returned.
pub fn minimize<E>(
    test: &TestCase,
    deadline: Instant,
    is_same: &mut dyn FnMut(&TestCase) -> Result<bool, E>,
) -> Result<TestCase, E> {
    let mut best = test.clone();
    // Predictions are about the original; how it ends, if that is a bug, is what stays.
    best.stdout = None;
    best.stderr = None;
    best.path = None;
    best.instructions = None;
    best.covered_new = false;
    if model::is_of_model(&best) {
        // They only repeat what arguments, files and standard input say.
        best.objects.retain(|object| !model::is_model_object(&object.name));
    }
    let mut search = Search { best, deadline, is_same };
    while search.round()? && !search.is_late() {}
    Ok(search.best)
}

struct Search<'a, E> {
    best: TestCase,
    deadline: Instant,
    is_same: &'a mut dyn FnMut(&TestCase) -> Result<bool, E>,
}

impl<E> Search<'_, E> {
    fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Takes the candidate if it still does what it should.
    fn attempt(&mut self, candidate: TestCase) -> Result<bool, E> {
        if self.is_late() || candidate == self.best || !(self.is_same)(&candidate)? {
            return Ok(false);
        }
        self.best = candidate;
        Ok(true)
    }

    /// Tries everything once; whether anything became smaller.
    fn round(&mut self) -> Result<bool, E> {
        let mut progress = self.leave_out()?;
        for part in Part::all(&self.best) {
            if !matches!(part, Part::Object(_)) {
                progress |= self.shorten(part)?;
            }
        }
        for part in Part::all(&self.best) {
            progress |= self.simplify(part)?;
        }
        Ok(progress)
    }

    /// Whole arguments, files, variables and standard input. From the end: what is left keeps its number.
    fn leave_out(&mut self) -> Result<bool, E> {
        let mut progress = false;
        for part in Part::all(&self.best).into_iter().rev() {
            let mut candidate = self.best.clone();
            match part {
                Part::Argument(index) => drop(candidate.args.remove(index)),
                Part::Stdin => candidate.stdin = None,
                Part::File(index) => drop(candidate.files.remove(index)),
                Part::Variable(index) => drop(candidate.env.remove(index)),
                Part::Object(_) => continue,
            }
            progress |= self.attempt(candidate)?;
        }
        Ok(progress)
    }

    /// Cuts out chunks, halves first, single bytes last.
    fn shorten(&mut self, part: Part) -> Result<bool, E> {
        let mut progress = false;
        let length = |test: &mut TestCase| part.bytes(test).map_or(0, |bytes| bytes.len());
        let mut chunk = length(&mut self.best);
        while chunk > 0 && !self.is_late() {
            // From the end, where what is there matters least to a parser.
            let mut end = length(&mut self.best);
            while end > 0 {
                let begin = end.saturating_sub(chunk);
                let mut candidate = self.best.clone();
                if let Some(bytes) = part.bytes(&mut candidate) {
                    bytes.drain(begin..end);
                }
                progress |= self.attempt(candidate)?;
                end = begin;
            }
            chunk /= 2;
        }
        Ok(progress)
    }

    /// Makes bytes plain: all of them, then one by one.
    fn simplify(&mut self, part: Part) -> Result<bool, E> {
        let plain: &[u8] = if matches!(part, Part::Object(_)) { &[0] } else { &PLAIN };
        let rank = |byte: u8| plain.iter().position(|p| *p == byte).unwrap_or(plain.len());
        let mut progress = false;
        let original = part.bytes(&mut self.best).cloned().unwrap_or_default();
        if original.iter().any(|byte| rank(*byte) > 0) {
            let mut candidate = self.best.clone();
            if let Some(bytes) = part.bytes(&mut candidate) {
                bytes.fill(plain[0]);
            }
            if self.attempt(candidate)? {
                return Ok(true);
            }
        }
        for (index, byte) in original.iter().enumerate() {
            for simpler in &plain[..rank(*byte)] {
                let mut candidate = self.best.clone();
                if let Some(slot) = part.bytes(&mut candidate).and_then(|bytes| bytes.get_mut(index)) {
                    *slot = *simpler;
                }
                if self.attempt(candidate)? {
                    progress = true;
                    break;
                }
            }
        }
        Ok(progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_testcase::{Object, TestFile};
    use std::convert::Infallible;
    use std::time::Duration;

    fn smallest(test: &TestCase, is_same: impl Fn(&TestCase) -> bool) -> TestCase {
        let deadline = Instant::now() + Duration::from_secs(60);
        let result: Result<TestCase, Infallible> = minimize(test, deadline, &mut |t| Ok(is_same(t)));
        result.unwrap()
    }

    #[test]
    fn only_what_matters_is_left() {
        let test = TestCase {
            args: ["p", "-v", "-e", "xxfooxx", "B"].iter().map(|arg| arg.as_bytes().to_vec()).collect(),
            stdin: Some(b"much text".to_vec()),
            files: vec![
                TestFile { name: "A".into(), bytes: b"1".to_vec() },
                TestFile { name: "B".into(), bytes: b"line\nbad line\n".to_vec() },
            ],
            env: vec![("LANG".into(), b"C".to_vec())],
            objects: vec![Object::new("stdin", *b"much text"), Object::new("model_version", [1, 0, 0, 0])],
            ..TestCase::default()
        };
        let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        let got = smallest(&test, |t| {
            t.arguments().iter().any(|arg| has(arg, b"foo"))
                && t.file("B").is_some_and(|f| f.bytes.len() >= 3)
        });
        assert_eq!(got.args, [b"p".to_vec(), b"foo".to_vec()]);
        assert_eq!(got.files, [TestFile { name: "B".into(), bytes: b"AAA".to_vec() }]);
        assert!(got.stdin.is_none() && got.env.is_empty() && got.objects.is_empty());
        assert!(size(&got) < size(&test));
    }

    #[test]
    fn nothing_smaller_keeps_the_original() {
        let test = TestCase { stdin: Some(b"xyz".to_vec()), ..TestCase::new(vec![b"p".to_vec()], vec![]) };
        assert_eq!(smallest(&test, |_| false), test);
        let late: Result<TestCase, Infallible> = minimize(&test, Instant::now(), &mut |_| Ok(true));
        assert_eq!(late.unwrap(), test);
        let failed: Result<TestCase, &str> =
            minimize(&test, Instant::now() + Duration::from_secs(9), &mut |_| Err("cannot run"));
        assert_eq!(failed, Err("cannot run"));
    }

    #[test]
    fn harness_inputs_keep_their_size() {
        let test = TestCase::new(vec![b"p".to_vec()], vec![Object::new("x", [7, 8, 9, 10])]);
        let got = smallest(&test, |t| t.objects[0].bytes.len() == 4 && t.objects[0].bytes[2] == 9);
        assert_eq!(got.objects, [Object::new("x", [0, 0, 9, 0])]);
    }
}
