//! Tests from elsewhere: KLEE's folders, AFL's queues, libFuzzer's corpora, folders of our own, single files of each.
//! What a file is shows in its first bytes or its name unless the caller says; nothing is written. `forkwise import` and
//! the seeds of a run read through here.

use std::path::{Path, PathBuf};

use crate::case::TestCase;
use crate::json::{self, TestFileError, read_file};
use crate::ktest::KTest;
use crate::raw::{self, RawInput};

/// What files hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// What they look like.
    #[default]
    Auto,
    /// KLEE's `.ktest` files.
    Ktest,
    /// Entries of an AFL queue.
    Afl,
    /// Entries of a libFuzzer corpus.
    LibFuzzer,
    /// The bytes of one input.
    Raw,
    /// Arguments, each ended by a zero byte.
    Args,
}

/// How files are read.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// What they hold.
    pub format: Format,
    /// Which input bare bytes are; what is usual for the format if `None`.
    pub input: Option<RawInput>,
    /// The program's command line for formats that have none.
    pub args: Vec<Vec<u8>>,
}

/// A test and the file it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The file.
    pub path: PathBuf,
    /// The test.
    pub test: TestCase,
}

/// Reads a file, or all tests of a folder in the order of their names.
pub fn import(path: &Path, options: &ImportOptions) -> Result<Vec<Imported>, TestFileError> {
    let fail = |problem: String| TestFileError { path: path.to_path_buf(), problem };
    let data = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => fail("no such file or folder".into()),
        _ => fail(error.to_string()),
    })?;
    if !data.is_dir() {
        return Ok(vec![read(path, options)?]);
    }
    let files = list(path, options.format).map_err(|error| fail(error.to_string()))?;
    if files.is_empty() {
        return Err(fail("there are no tests in this folder".into()));
    }
    files.iter().map(|file| read(file, options)).collect()
}

/// Reads one file.
fn read(path: &Path, options: &ImportOptions) -> Result<Imported, TestFileError> {
    let imported = |test| Imported { path: path.to_path_buf(), test };
    let fail = |problem: &str| TestFileError { path: path.to_path_buf(), problem: problem.into() };
    let bytes = read_file(path)?;
    let format = match options.format {
        Format::Auto if KTest::is_ktest(&bytes) => Format::Ktest,
        Format::Auto if is_own(path) => return json::read(path).map(imported),
        Format::Auto if is_afl_name(path) => Format::Afl,
        Format::Auto => Format::Raw,
        other => other,
    };
    if format == Format::Ktest {
        if !KTest::is_ktest(&bytes) {
            return Err(fail("not a .ktest file: it begins neither with KTEST nor with BOUT"));
        }
        return json::read(path).map(imported);
    }
    let usual = match format {
        Format::LibFuzzer => RawInput::Data,
        Format::Args => RawInput::Args,
        // As AFL does: a file where the command line asks for one.
        _ if options.args.iter().any(|arg| arg == b"@@") => RawInput::File("A".into()),
        _ => RawInput::Stdin,
    };
    let input = options.input.as_ref().unwrap_or(&usual);
    Ok(imported(raw::from_bytes(bytes, input, &options.args)))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_own(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with(".test.json") || name == "test.json"
}

fn is_afl_name(path: &Path) -> bool {
    name_of(path).starts_with("id:")
}

/// The files in a folder that are tests: of the folder's `tests`, of an AFL output's queues, crashes and hangs, or its
/// own. Of a test in both of our formats, one.
fn list(folder: &Path, format: Format) -> std::io::Result<Vec<PathBuf>> {
    if folder.join("tests").is_dir() && matches!(format, Format::Auto | Format::Ktest) {
        return list(&folder.join("tests"), format);
    }
    if matches!(format, Format::Auto | Format::Afl) {
        // `afl-fuzz -o OUT` makes OUT/NAME/queue, one NAME for each fuzzer; older ones OUT/queue.
        let mut roots = vec![folder.to_path_buf()];
        roots.extend(entries(folder)?.into_iter().filter(|path| path.is_dir()));
        let mut files = Vec::new();
        for root in roots.iter().filter(|root| root.join("queue").is_dir()) {
            for part in ["queue", "crashes", "hangs"] {
                if root.join(part).is_dir() {
                    files.extend(entries(&root.join(part))?.into_iter().filter(|path| is_afl_name(path)));
                }
            }
        }
        if !files.is_empty() {
            return Ok(files);
        }
    }
    let files: Vec<PathBuf> = entries(folder)?.into_iter().filter(|path| path.is_file()).collect();
    let is_ktest = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "ktest");
    let wanted: Vec<PathBuf> = match format {
        Format::Ktest => files.into_iter().filter(is_ktest).collect(),
        Format::Afl => files.into_iter().filter(|path| is_afl_name(path)).collect(),
        Format::Auto if files.iter().any(|path| is_own(path) || is_ktest(path)) => {
            let has_json = |path: &PathBuf| files.contains(&path.with_extension("test.json"));
            files.iter().filter(|path| is_own(path) || (is_ktest(path) && !has_json(path))).cloned().collect()
        }
        Format::Auto if files.iter().any(|path| is_afl_name(path)) => {
            files.into_iter().filter(|path| is_afl_name(path)).collect()
        }
        _ => files,
    };
    Ok(wanted)
}

/// The entries of a folder, sorted, without hidden ones.
fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !name_of(&path).starts_with('.') {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Object;
    use std::fs;

    fn options(format: Format, line: &str) -> ImportOptions {
        ImportOptions { format, input: None, args: crate::shell::split(line).unwrap() }
    }

    #[test]
    fn folders_of_others_are_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["afl/main/queue/.state", "afl/main/crashes", "fuzz", "klee"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("afl/main/queue/id:000001,op:x"), "b").unwrap();
        fs::write(at("afl/main/queue/id:000000,orig:a"), "a").unwrap();
        fs::write(at("afl/main/crashes/id:000000,sig:11"), "c").unwrap();
        fs::write(at("afl/main/crashes/README.txt"), "not a test").unwrap();
        let afl = import(&at("afl"), &options(Format::Auto, "grep -f @@")).unwrap();
        let files: Vec<_> = afl.iter().map(|one| one.test.file("A").unwrap().bytes.clone()).collect();
        assert_eq!(files, [b"a", b"b", b"c"]);
        assert_eq!(afl[0].test.args, [&b"grep"[..], b"-f", b"A"]);
        let afl = import(&at("afl"), &options(Format::Auto, "cat")).unwrap();
        assert_eq!(afl[2].test.stdin.as_deref(), Some(&b"c"[..]));

        fs::write(at("fuzz/0a1b"), "xyz").unwrap();
        let fuzz = import(&at("fuzz"), &options(Format::LibFuzzer, "")).unwrap();
        assert_eq!(
            fuzz[0].test.objects,
            [Object::new("data", *b"xyz"), Object::new("size", 3u64.to_le_bytes())]
        );

        let test = TestCase::new(vec![b"p".to_vec()], vec![Object::new("x", *b"1")]);
        KTest::from(&test).write(&at("klee/test000001.ktest")).unwrap();
        fs::write(at("klee/info"), "text").unwrap();
        assert_eq!(import(&at("klee"), &ImportOptions::default()).unwrap()[0].test, test);
        json::write(&at("klee/test000001.test.json"), &test).unwrap();
        let both = import(&at("klee"), &ImportOptions::default()).unwrap();
        assert_eq!((both.len(), is_own(&both[0].path)), (1, true));
        let args = import(&at("fuzz/0a1b"), &options(Format::Args, "p")).unwrap();
        assert_eq!(args[0].test.args, [&b"p"[..], b"xyz"]);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let dir = tempfile::tempdir().unwrap();
        for (path, format, part) in [
            (dir.path().join("none"), Format::Auto, "no such file"),
            (dir.path().to_path_buf(), Format::Ktest, "no tests in this folder"),
            (PathBuf::from("/etc/passwd"), Format::Ktest, "not a .ktest file"),
        ] {
            let error = import(&path, &options(format, "")).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(path.to_str().unwrap()), "{error}");
        }
    }
}
