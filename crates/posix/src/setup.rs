//! What a program is started with: its arguments, environment, files and standard input, each concrete or symbolic.
//! Only a description; `start` makes states from it and `Linux` serves it. One value, shared by all paths.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Symbolic arguments have names of two digits.
const MOST_ARGUMENTS: u32 = 100;
/// Names of symbolic files are letters.
const MOST_FILES: u32 = 26;
/// Symbolic inputs longer than this are a mistake.
const LONGEST: u32 = 1 << 20;

/// One entry of the command line, as the user wrote it after the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// As it is.
    Concrete(Vec<u8>),
    /// One symbolic argument of at most this many bytes (`--sym-arg N`).
    Symbolic(u32),
    /// From `min` to `max` symbolic arguments of at most `size` bytes (`--sym-args MIN MAX N`).
    Range {
        /// Fewest.
        min: u32,
        /// Most.
        max: u32,
        /// Longest, in bytes.
        size: u32,
    },
}

/// An environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: VariableValue,
}

/// The value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableValue {
    /// As it is.
    Concrete(Vec<u8>),
    /// Symbolic, at most this many bytes (`--sym-env NAME N`).
    Symbolic(u32),
}

/// A file or folder of the host that the program may read (`--mount HOST:GUEST[:ro]`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where it is on the host.
    pub host: PathBuf,
    /// Where the program sees it: an absolute path.
    pub guest: String,
    /// Changing it fails (EROFS); otherwise a path changes a copy of its own.
    pub read_only: bool,
}

impl Mount {
    /// `HOST:GUEST` or `HOST:GUEST:ro`. `Err` says what is wrong.
    pub fn parse(text: &str) -> Result<Mount, String> {
        let (rest, read_only) = match text.strip_suffix(":ro") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (host, guest) = rest.rsplit_once(':').ok_or("a mount is HOST:GUEST or HOST:GUEST:ro")?;
        let parts: Vec<&str> = guest.split('/').filter(|p| !p.is_empty()).collect();
        if !guest.starts_with('/') || parts.is_empty() || parts.iter().any(|p| *p == "." || *p == "..") {
            return Err(format!("'{guest}' is not an absolute path below / without . and .."));
        }
        let host = PathBuf::from(host);
        if let Err(e) = host.symlink_metadata() {
            return Err(format!("cannot mount {}: {e}", host.display()));
        }
        Ok(Mount { host, guest: format!("/{}", parts.join("/")), read_only })
    }
}

/// See the module text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// `argv[0]`.
    pub program: Vec<u8>,
    /// The arguments after it.
    pub args: Vec<Argument>,
    /// The environment.
    pub env: Vec<Variable>,
    /// Symbolic files `A`, `B`, … in the working directory: how many and how long (`--sym-files NUM N`).
    pub sym_files: Option<(u32, u32)>,
    /// Length of symbolic standard input (`--sym-stdin N`); without it standard input is empty.
    pub sym_stdin: Option<u32>,
    /// Concrete standard input, for replaying a test in the engine; `sym_stdin` must be `None`.
    pub stdin: Option<Vec<u8>>,
    /// Concrete files of the working directory: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// `--sym-stdout`: what is written to standard output becomes part of the test.
    pub sym_stdout: bool,
    /// `--max-fail N`: up to so many system calls of a path fail although they need not.
    pub max_fail: u32,
    /// Host files the program may read.
    pub mounts: Vec<Mount>,
    /// Tests also hold what KLEE's model records of files (`A-data-stat`, `model_version`, …), as `.ktest` files do.
    pub klee_objects: bool,
    /// Prefer printable characters in tests (`--readable-posix-inputs`).
    pub readable: bool,
}

impl Setup {
    /// The words that a user wrote after the program: `--sym-arg N`, `--sym-args MIN MAX N`, `--sym-files NUM N`,
    /// `--sym-stdin N`, `--sym-env NAME N`, `--sym-stdout`, `--save-all-writes`, `--max-fail N` and `--fd-fail`, with
    /// one dash or two. Everything else is an argument as it is. `Err` says which option is wrong and how.
    pub fn parse(words: &[OsString]) -> Result<Setup, String> {
        let mut setup = Setup::default();
        let mut words = words.iter().map(|w| w.as_bytes());
        while let Some(word) = words.next() {
            let name = word.strip_prefix(b"--").or_else(|| word.strip_prefix(b"-")).unwrap_or(b"");
            let mut values = Values { words: &mut words };
            match name {
                b"sym-arg" => setup.args.push(Argument::Symbolic(values.number("--sym-arg N", LONGEST)?)),
                b"sym-args" => {
                    let form = "--sym-args MIN MAX N";
                    let min = values.number(form, MOST_ARGUMENTS)?;
                    let max = values.number(form, MOST_ARGUMENTS)?;
                    let size = values.number(form, LONGEST)?;
                    if min > max || max == 0 {
                        return Err(format!(
                            "{form}: from {min} to {max} arguments is no range; MAX must be at least 1 and MIN"
                        ));
                    }
                    setup.args.push(Argument::Range { min, max, size });
                }
                b"sym-files" => {
                    let form = "--sym-files NUM N";
                    let files = (values.number(form, MOST_FILES)?, values.number(form, LONGEST)?);
                    setup.sym_files = (files.0 > 0).then_some(files);
                }
                b"sym-stdin" => {
                    setup.sym_stdin = Some(values.number("--sym-stdin N", LONGEST)?).filter(|n| *n > 0);
                }
                b"sym-env" => {
                    let form = "--sym-env NAME N";
                    let name = String::from_utf8(values.word(form)?.to_vec())
                        .ok()
                        .filter(|n| !n.is_empty() && !n.contains('='))
                        .ok_or_else(|| format!("{form}: NAME must be the name of an environment variable"))?;
                    let value = VariableValue::Symbolic(values.number(form, LONGEST)?);
                    setup.env.retain(|v| v.name != name);
                    setup.env.push(Variable { name, value });
                }
                b"sym-stdout" => setup.sym_stdout = true,
                // Writing to a symbolic file always makes it longer, as it does on Linux.
                b"save-all-writes" => {}
                b"fd-fail" => setup.max_fail = 1,
                b"max-fail" => setup.max_fail = values.number("--max-fail N", u32::MAX)?,
                _ => setup.args.push(Argument::Concrete(word.to_vec())),
            }
        }
        let most: u32 = setup
            .args
            .iter()
            .map(|a| match a {
                Argument::Concrete(_) => 0,
                Argument::Symbolic(_) => 1,
                Argument::Range { max, .. } => *max,
            })
            .sum();
        if most > MOST_ARGUMENTS {
            return Err(format!(
                "up to {most} symbolic arguments are asked for; {MOST_ARGUMENTS} are possible"
            ));
        }
        Ok(setup)
    }

    /// Is anything of it symbolic?
    pub fn is_symbolic(&self) -> bool {
        self.args.iter().any(|a| !matches!(a, Argument::Concrete(_)))
            || self.env.iter().any(|v| matches!(v.value, VariableValue::Symbolic(_)))
            || self.sym_files.is_some()
            || self.sym_stdin.is_some()
            || self.max_fail > 0
    }
}

/// The words after an option.
struct Values<'a, W> {
    words: &'a mut W,
}

impl<'w, W: Iterator<Item = &'w [u8]>> Values<'_, W> {
    fn word(&mut self, form: &str) -> Result<&'w [u8], String> {
        self.words.next().ok_or_else(|| format!("{form}: a value is missing"))
    }

    fn number(&mut self, form: &str, most: u32) -> Result<u32, String> {
        let word = self.word(form)?;
        let number = std::str::from_utf8(word).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
        let number: Option<u32> = number.and_then(|t| t.parse().ok());
        match number {
            Some(n) if n <= most => Ok(n),
            Some(n) => Err(format!("{form}: {n} is too large; the most is {most}")),
            None => Err(format!("{form}: '{}' is not a number", String::from_utf8_lossy(word))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Setup, String> {
        Setup::parse(&text.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn options_take_one_dash_or_two() {
        let got = parse(
            "-sym-arg 3 -- x --sym-args 0 2 4 --sym-files 1 8 -sym-stdin 5 --sym-env HOME 2 --sym-stdout -fd-fail",
        )
        .unwrap();
        let range = Argument::Range { min: 0, max: 2, size: 4 };
        let dashes = Argument::Concrete(b"--".to_vec());
        assert_eq!(got.args, [Argument::Symbolic(3), dashes, Argument::Concrete(b"x".to_vec()), range]);
        assert_eq!((got.sym_files, got.sym_stdin, got.max_fail), (Some((1, 8)), Some(5), 1));
        assert_eq!(got.env, [Variable { name: "HOME".into(), value: VariableValue::Symbolic(2) }]);
        assert!(got.sym_stdout && got.is_symbolic());
        assert!(!parse("--sym-argx 3").unwrap().is_symbolic());
    }

    #[test]
    fn mounts_name_host_and_guest() {
        let got = Mount::parse("/tmp:/data//in/:ro").unwrap();
        assert_eq!((got.host, &*got.guest, got.read_only), (PathBuf::from("/tmp"), "/data/in", true));
        for text in ["/tmp", "/tmp:data", "/tmp:/", "/tmp:/a/../b", "/no/such/file:/a"] {
            assert!(Mount::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn mistakes_name_the_option() {
        for (text, part) in [
            ("--sym-arg", "--sym-arg N: a value is missing"),
            ("--sym-arg x", "--sym-arg N: 'x' is not a number"),
            ("--sym-arg -1", "--sym-arg N: '-1' is not a number"),
            ("--sym-args 2 1 3", "--sym-args MIN MAX N: from 2 to 1"),
            ("--sym-args 0 0 3", "is no range"),
            ("--sym-files 27 3", "--sym-files NUM N: 27 is too large; the most is 26"),
            ("--sym-env =x 3", "NAME must be the name"),
            ("--sym-args 0 60 1 --sym-args 0 60 1", "up to 120 symbolic arguments"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
