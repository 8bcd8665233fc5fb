//! Seeds: what a program was once started with, as values of the symbolic inputs that a [`Setup`] declares, under the
//! names that `start` gives them. Arguments are matched in order; what does not fit is an error that names it, because a
//! seed that silently becomes another input is worse than none.

use crate::setup::{Argument, Setup, VariableValue};

/// What a program was started with. Plain data, so that every format of tests can give it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedInput {
    /// The arguments after the program's name.
    pub args: Vec<Vec<u8>>,
    /// Files of the working directory: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Standard input.
    pub stdin: Option<Vec<u8>>,
    /// Environment variables beside the standard ones.
    pub env: Vec<(String, Vec<u8>)>,
    /// Cut what is longer than declared instead of refusing it.
    pub cut: bool,
}

/// The values of the inputs, in the order in which a program's start makes them. Symbolic files and standard input have
/// a fixed length: shorter ones are filled up, with newlines if they are text.
pub fn seed_values(setup: &Setup, seed: &SeedInput) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut values = argument_values(setup, seed)?;
    variable_values(setup, seed, &mut values)?;
    file_values(setup, seed, &mut values)?;
    match (&seed.stdin, setup.sym_stdin) {
        (Some(bytes), Some(size)) => {
            values.push(("stdin".into(), fill(bytes, size, seed.cut, "standard input")?))
        }
        (Some(bytes), None) if !bytes.is_empty() && setup.stdin.as_ref() != Some(bytes) => {
            return Err(format!(
                "the seed has {} bytes of standard input, but none is declared: add --sym-stdin {0}",
                bytes.len()
            ));
        }
        _ => {}
    }
    Ok(values)
}

/// An argument of the seed for messages.
fn shown(index: usize, arg: &[u8]) -> String {
    format!("argument {} of the seed (\"{}\")", index + 1, arg.escape_ascii())
}

fn argument_values(setup: &Setup, seed: &SeedInput) -> Result<Vec<(String, Vec<u8>)>, String> {
    if let Some((index, arg)) = seed.args.iter().enumerate().find(|(_, arg)| arg.contains(&0)) {
        return Err(format!("{} contains a zero byte", shown(index, arg)));
    }
    let mut matching = Matching {
        declared: &setup.args,
        seed,
        failed: vec![vec![false; seed.args.len() + 1]; setup.args.len() + 1],
        furthest: (0, String::new()),
        counts: Vec::new(),
    };
    if !matching.run(0, 0) {
        return Err(matching.furthest.1);
    }
    let counts = matching.counts;
    let mut values = Vec::new();
    let mut args = seed.args.iter();
    let mut number = 0;
    for (declared, count) in setup.args.iter().zip(counts) {
        let size = match declared {
            Argument::Concrete(_) => {
                args.next();
                continue;
            }
            Argument::Symbolic(size) => *size,
            Argument::Range { size, .. } => {
                values.push(("n_args".to_string(), (count as u32).to_le_bytes().to_vec()));
                *size
            }
        };
        for arg in args.by_ref().take(count) {
            values.push((crate::start::argument_name(number), string(arg, size)));
            number += 1;
        }
    }
    Ok(values)
}

/// The bytes of a symbolic string: one more than its length, the rest zero.
fn string(text: &[u8], size: u32) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.iter().copied().take(size as usize).collect();
    bytes.resize(size as usize + 1, 0);
    bytes
}

/// Which declared entry takes how many of the seed's arguments.
struct Matching<'a> {
    declared: &'a [Argument],
    seed: &'a SeedInput,
    /// From this entry and this argument on nothing fits.
    failed: Vec<Vec<bool>>,
    /// The last argument that was looked at before nothing fitted, and why.
    furthest: (usize, String),
    counts: Vec<usize>,
}

impl Matching<'_> {
    /// Matches the entries from `entry` on with the arguments from `at` on; ranges take as many as they can.
    fn run(&mut self, entry: usize, at: usize) -> bool {
        if self.failed[entry][at] {
            return false;
        }
        let Some(declared) = self.declared.get(entry) else {
            if at == self.seed.args.len() {
                return true;
            }
            let problem = format!("{} is one more than declared", shown(at, &self.seed.args[at]));
            return self.fail(entry, at, problem);
        };
        let (min, max) = match declared {
            Argument::Concrete(_) | Argument::Symbolic(_) => (1, 1),
            Argument::Range { min, max, .. } => (*min as usize, *max as usize),
        };
        let mut fitting = 0;
        let mut misfit = String::new();
        while fitting < max {
            match self.misfit(declared, at + fitting) {
                None => fitting += 1,
                Some(problem) => {
                    misfit = problem;
                    break;
                }
            }
        }
        if fitting < max {
            self.note(at + fitting, misfit);
        }
        for count in (min..=fitting).rev() {
            self.counts.push(count);
            if self.run(entry + 1, at + count) {
                return true;
            }
            self.counts.pop();
        }
        self.failed[entry][at] = true;
        false
    }

    /// Why an entry does not take this argument.
    fn misfit(&self, declared: &Argument, at: usize) -> Option<String> {
        let Some(arg) = self.seed.args.get(at) else {
            return Some(format!("the seed has {} arguments; more are declared", self.seed.args.len()));
        };
        match declared {
            Argument::Concrete(wanted) if wanted != arg => {
                Some(format!("{} is not \"{}\", as declared", shown(at, arg), wanted.escape_ascii()))
            }
            Argument::Symbolic(size) | Argument::Range { size, .. }
                if arg.len() > *size as usize && !self.seed.cut =>
            {
                Some(format!("{} has {} bytes; {size} are declared", shown(at, arg), arg.len()))
            }
            _ => None,
        }
    }

    fn note(&mut self, at: usize, problem: String) {
        if self.furthest.1.is_empty() || at > self.furthest.0 {
            self.furthest = (at, problem);
        }
    }

    fn fail(&mut self, entry: usize, at: usize, problem: String) -> bool {
        self.note(at, problem);
        self.failed[entry][at] = true;
        false
    }
}

fn variable_values(
    setup: &Setup,
    seed: &SeedInput,
    values: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), String> {
    for (name, value) in &seed.env {
        match setup.env.iter().find(|variable| variable.name == *name).map(|variable| &variable.value) {
            Some(VariableValue::Symbolic(size)) if value.len() > *size as usize && !seed.cut => {
                return Err(format!(
                    "the seed's variable {name} has {} bytes; {size} are declared",
                    value.len()
                ));
            }
            Some(VariableValue::Symbolic(_)) => {}
            Some(VariableValue::Concrete(declared)) if declared == value => {}
            Some(VariableValue::Concrete(_)) => {
                return Err(format!("the seed's variable {name} has another value than declared"));
            }
            None => {
                return Err(format!(
                    "the seed's variable {name} is not declared: add --sym-env {name} {}",
                    value.len()
                ));
            }
        }
    }
    for variable in &setup.env {
        if let VariableValue::Symbolic(size) = variable.value
            && let Some((name, value)) = seed.env.iter().find(|(name, _)| *name == variable.name)
        {
            values.push((crate::start::variable_name(name), string(value, size)));
        }
    }
    Ok(())
}

fn file_values(setup: &Setup, seed: &SeedInput, values: &mut Vec<(String, Vec<u8>)>) -> Result<(), String> {
    let (count, size) = setup.sym_files.unwrap_or((0, 0));
    let names: Vec<String> = (0..count).map(crate::start::file_name).collect();
    for (name, bytes) in &seed.files {
        let concrete = setup.files.iter().any(|(known, content)| known == name && content == bytes);
        if !names.contains(name) && !concrete {
            return Err(format!(
                "the seed's file {name} is not declared: symbolic files are A, B, … (--sym-files NUM N)"
            ));
        }
    }
    for name in names {
        if let Some((_, bytes)) = seed.files.iter().find(|(known, _)| *known == name) {
            let what = format!("the seed's file {name}");
            values.push((format!("{name}-data"), fill(bytes, size, seed.cut, &what)?));
        }
    }
    Ok(())
}

/// The bytes with a fixed length.
fn fill(bytes: &[u8], size: u32, cut: bool, what: &str) -> Result<Vec<u8>, String> {
    if bytes.len() > size as usize && !cut {
        return Err(format!("{what} has {} bytes; {size} are declared", bytes.len()));
    }
    let mut out: Vec<u8> = bytes.iter().copied().take(size as usize).collect();
    // Zeros would make a text a binary file to most tools; empty lines do little.
    let filler = if out.contains(&0) { 0 } else { b'\n' };
    out.resize(size as usize, filler);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn setup(line: &str) -> Setup {
        Setup::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    fn seed(line: &str) -> SeedInput {
        let args = line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
        SeedInput { args, ..SeedInput::default() }
    }

    fn names(values: &[(String, Vec<u8>)]) -> Vec<&str> {
        values.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn arguments_are_matched_in_order() {
        let declared = setup("--sym-args 0 1 10 --sym-args 0 2 2 --sym-files 1 8 --sym-stdin 8");
        let given = SeedInput {
            files: vec![("A".into(), b"xaab\n".to_vec())],
            stdin: Some(b"in\0".to_vec()),
            ..seed("-E a* A")
        };
        let values = seed_values(&declared, &given).unwrap();
        assert_eq!(names(&values), ["n_args", "arg00", "n_args", "arg01", "arg02", "A-data", "stdin"]);
        assert_eq!(values[0].1, [1, 0, 0, 0]);
        assert_eq!(values[1].1, b"-E\0\0\0\0\0\0\0\0\0");
        assert_eq!(values[2].1, [2, 0, 0, 0]);
        assert_eq!(values[4].1, b"A\0\0");
        assert_eq!(values[5].1, b"xaab\n\n\n\n");
        assert_eq!(values[6].1, b"in\0\0\0\0\0\0");
        assert_eq!(names(&seed_values(&declared, &seed("")).unwrap()), ["n_args", "n_args"]);
    }

    #[test]
    fn ranges_leave_what_others_need() {
        // The first range could take both, but the concrete word must be left.
        let values = seed_values(&setup("--sym-args 0 3 4 -v --sym-arg 2"), &seed("-x -v 12")).unwrap();
        assert_eq!(names(&values), ["n_args", "arg00", "arg01"]);
        assert_eq!((values[0].1[0], &values[2].1[..]), (1, &b"12\0"[..]));
        let many = setup("--sym-args 0 9 1 --sym-args 0 9 1 --sym-args 0 9 1 --sym-args 0 9 1 x");
        assert!(seed_values(&many, &seed(&"a ".repeat(36))).is_err());
    }

    #[test]
    fn misfits_are_named() {
        for (declared, line, part) in [
            ("--sym-arg 3", "long", "argument 1 of the seed (\"long\") has 4 bytes; 3 are declared"),
            ("--sym-arg 3", "a b", "argument 2 of the seed (\"b\") is one more than declared"),
            ("--sym-arg 3", "", "the seed has 0 arguments; more are declared"),
            ("-v --sym-arg 3", "-w a", "argument 1 of the seed (\"-w\") is not \"-v\""),
            ("--sym-args 2 3 3", "a", "the seed has 1 arguments; more are declared"),
        ] {
            let error = seed_values(&setup(declared), &seed(line)).unwrap_err();
            assert!(error.contains(part), "{declared}: {error}");
        }
        let with = |change: &dyn Fn(&mut SeedInput)| {
            let mut given = seed("");
            change(&mut given);
            seed_values(&setup("--sym-files 1 4 --sym-env LANG 2"), &given)
        };
        let error = with(&|s| s.stdin = Some(b"abc".to_vec())).unwrap_err();
        assert!(error.contains("add --sym-stdin 3"), "{error}");
        let error = with(&|s| s.files.push(("B".into(), vec![]))).unwrap_err();
        assert!(error.contains("file B is not declared"), "{error}");
        let error = with(&|s| s.files.push(("A".into(), vec![1; 5]))).unwrap_err();
        assert!(error.contains("file A has 5 bytes; 4 are declared"), "{error}");
        let error = with(&|s| s.env.push(("TERM".into(), b"x".to_vec()))).unwrap_err();
        assert!(error.contains("add --sym-env TERM 1"), "{error}");
        let values = with(&|s| s.env.push(("LANG".into(), b"C".to_vec()))).unwrap();
        assert_eq!(values, [("env-LANG".to_string(), b"C\0\0".to_vec())]);
    }

    #[test]
    fn cutting_is_a_choice() {
        let given = SeedInput { files: vec![("A".into(), b"abcdef".to_vec())], cut: true, ..seed("longer") };
        let values = seed_values(&setup("--sym-arg 3 --sym-files 1 4"), &given).unwrap();
        assert_eq!(values[0].1, b"lon\0");
        assert_eq!(values[1].1, b"abcd");
    }
}
