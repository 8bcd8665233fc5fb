//! KLEE's POSIX model in tests: a `.ktest` file names only objects (`arg00`, `n_args`, `A-data`, `stdin`, …) and
//! words like `--sym-args 0 2 4`; here they become the arguments, files and standard input that they stand for, and
//! back. The objects are kept as they are, so nothing of a test is lost. Nothing outside of this file knows the names.

use crate::case::{Object, TestCase, TestFile, check_file_name};

/// The object that every test of the model ends with.
pub const MODEL_VERSION: &str = "model_version";
/// What follows a file's name in the name of the object that holds its contents.
const DATA: &str = "-data";
/// What comes before a variable's name in the name of the object that holds its value.
const ENV: &str = "env-";

/// Takes a test's objects in order, as the program would ask for them.
struct Objects<'a> {
    test: &'a TestCase,
    next: usize,
}

impl<'a> Objects<'a> {
    fn take(&mut self, wanted: &str) -> Result<&'a [u8], String> {
        let rest = &self.test.objects[self.next..];
        match rest.iter().position(|object| object.name.starts_with(wanted)) {
            Some(index) => {
                self.next += index + 1;
                Ok(&rest[index].bytes)
            }
            None => Err(format!("ran out of appropriate inputs: the test has no further object {wanted}")),
        }
    }
}

fn option(word: &[u8]) -> &[u8] {
    word.strip_prefix(b"--").or_else(|| word.strip_prefix(b"-")).unwrap_or(b"")
}

/// Whether the test's arguments hold words of the model in place of values.
pub fn has_words(test: &TestCase) -> bool {
    let known = |word: &Vec<u8>| {
        matches!(
            option(word),
            b"sym-arg" | b"sym-args" | b"sym-files" | b"sym-stdin" | b"sym-stdout" | b"max-fail" | b"fd-fail"
        )
    };
    test.arguments().iter().any(known)
}

/// Whether an object with this name is the model's, and not one that a harness asks for.
pub fn is_model_object(name: &str) -> bool {
    name == MODEL_VERSION
        || name.starts_with("n_args")
        || is_argument_name(name)
        || ["stdin", "stdout"].iter().any(|stream| {
            name.strip_prefix(stream)
                .is_some_and(|rest| matches!(rest, "" | "-data" | "-stat" | "-data-stat"))
        })
        || [DATA, "-data-stat", "-stat"].iter().any(|end| name.ends_with(end))
        || name.starts_with(ENV)
        || matches!(
            name,
            "read_fail" | "write_fail" | "close_fail" | "ftruncate_fail" | "getcwd_fail" | "syscall_fail"
        )
}

/// Whether the test is of a program with arguments, files and standard input of its own: its objects with names of the
/// model are then the model's.
pub fn is_of_model(test: &TestCase) -> bool {
    if test.object(MODEL_VERSION).is_some() || has_words(test) {
        return true;
    }
    if test.stdin.is_some() || !test.files.is_empty() || !test.env.is_empty() {
        return true;
    }
    // Symbolic arguments alone: a harness may give such a name to anything, but not that value.
    let is_argument = |object: &Object| {
        let value = c_string(&object.bytes);
        object.name == "n_args" || is_argument_name(&object.name) && test.arguments().contains(&value)
    };
    !test.objects.is_empty() && test.objects.iter().all(is_argument)
}

fn is_argument_name(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix("arg").is_some_and(digits)
}

/// Whether the program asks for inputs by name: whether some object is a harness's.
pub fn has_harness_inputs(test: &TestCase) -> bool {
    let of_model = is_of_model(test);
    test.objects.iter().any(|object| !of_model || !is_model_object(&object.name))
}

/// The test with its words replaced by the values that its objects hold for them: arguments, files, standard input.
/// A test without such words keeps its arguments; its objects still tell files, standard input and variables.
pub fn expand(test: TestCase) -> Result<TestCase, String> {
    let words = has_words(&test);
    if !words && test.object(MODEL_VERSION).is_none() {
        // Nothing of the model; harnesses that read standard input call it by its name.
        let stdin = test.stdin.clone().or_else(|| test.object("stdin").map(|object| object.bytes.clone()));
        return Ok(TestCase { stdin, ..test });
    }
    let mut out = if words { replace_words(&test)? } else { test.clone() };
    if out.stdin.is_none() {
        out.stdin = data(&test, "stdin");
    }
    for object in &test.objects {
        if let Some(name) = object.name.strip_suffix(DATA)
            && !matches!(name, "stdin" | "stdout" | "stderr")
            && check_file_name(name).is_ok()
            && out.file(name).is_none()
        {
            out.files.push(TestFile { name: name.into(), bytes: object.bytes.clone() });
        }
        if let Some(name) = object.name.strip_prefix(ENV)
            && !name.is_empty()
            && !name.contains(['=', '\0'])
            && !out.env.iter().any(|(known, _)| known == name)
        {
            out.env.push((name.into(), c_string(&object.bytes)));
        }
    }
    Ok(out)
}

/// Replaces `--sym-arg`, `--sym-args`, `--sym-files` and `--sym-stdin` among the test's arguments.
fn replace_words(test: &TestCase) -> Result<TestCase, String> {
    let mut out = test.clone();
    out.args.truncate(1);
    let mut objects = Objects { test, next: 0 };
    let mut words = test.arguments().iter();
    while let Some(word) = words.next() {
        let mut number = |option: &str| -> Result<usize, String> {
            let text = words.next().map(|word| String::from_utf8_lossy(word).into_owned());
            text.and_then(|text| text.parse().ok())
                .ok_or_else(|| format!("--{option} expects an integer argument"))
        };
        match option(word) {
            b"sym-arg" => {
                number("sym-arg")?;
                out.args.push(c_string(objects.take("arg")?));
            }
            b"sym-args" => {
                let (least, most, _) = (number("sym-args")?, number("sym-args")?, number("sym-args")?);
                let count =
                    objects.take("n_args")?.iter().rev().fold(0usize, |n, byte| n << 8 | usize::from(*byte));
                if !(least..=most).contains(&count) {
                    return Err(format!("the test has {count} arguments, not {least} to {most}"));
                }
                for _ in 0..count {
                    out.args.push(c_string(objects.take("arg")?));
                }
            }
            b"sym-files" => {
                let (count, _) = (number("sym-files")?, number("sym-files")?);
                for letter in (b'A'..=b'Z').take(count) {
                    let name = char::from(letter).to_string();
                    let bytes = data(test, &name).ok_or_else(|| format!("the test has no file {name}"))?;
                    if out.file(&name).is_none() {
                        out.files.push(TestFile { name, bytes });
                    }
                }
            }
            b"sym-stdin" => {
                number("sym-stdin")?;
                out.stdin = Some(data(test, "stdin").ok_or("the test has no standard input")?);
            }
            b"max-fail" => {
                number("max-fail")?;
            }
            b"sym-stdout" | b"save-all-writes" | b"fd-fail" => {}
            _ => out.args.push(word.clone()),
        }
    }
    Ok(out)
}

/// The objects of the test's `.ktest` file: its own, and those that say what its files, standard input and variables
/// are where no object does yet.
pub fn objects(test: &TestCase) -> Vec<Object> {
    let mut objects = test.objects.clone();
    let known = |name: &str| test.object(name).is_some();
    for file in &test.files {
        let names = [file.name.clone(), format!("{}{DATA}", file.name), format!("{}_data", file.name)];
        if !names.iter().any(|name| known(name)) {
            objects.push(Object::new(format!("{}{DATA}", file.name), file.bytes.clone()));
        }
    }
    if let Some(stdin) = &test.stdin
        && !known("stdin")
        && !known("stdin-data")
    {
        objects.push(Object::new("stdin", stdin.clone()));
    }
    for (name, value) in &test.env {
        let name = format!("{ENV}{name}");
        if !known(&name) {
            objects.push(Object::new(name, value.clone()));
        }
    }
    if is_of_model(test) && !known(MODEL_VERSION) {
        // Readers know by it that the other names are the model's.
        objects.push(Object::new(MODEL_VERSION, 1u32.to_le_bytes()));
    }
    objects
}

/// The contents of a symbolic file under any of the names that KLEE's versions gave it.
fn data(test: &TestCase, name: &str) -> Option<Vec<u8>> {
    [name.to_string(), format!("{name}{DATA}"), format!("{name}_data")]
        .iter()
        .find_map(|name| test.object(name))
        .map(|object| object.bytes.clone())
}

/// A C string in a buffer.
fn c_string(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().take_while(|byte| *byte != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ktest::KTest;

    fn test(args: &[&str], objects: &[(&str, &[u8])]) -> TestCase {
        let args = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
        TestCase::new(args, objects.iter().map(|(name, bytes)| Object::new(*name, *bytes)).collect())
    }

    #[test]
    fn the_posix_model_is_undone() {
        let line = "p.bc -sym-arg 3 -v --sym-args 0 2 2 --sym-files 1 4 --sym-stdin 2 --sym-stdout";
        let words: Vec<&str> = line.split(' ').collect();
        let test = test(
            &words,
            &[
                ("arg00", b"ab\0\0"),
                ("n_args", &[1, 0, 0, 0]),
                ("arg01", b"\xffx\0"),
                ("A-data", b"file"),
                ("A-data-stat", &[0; 144]),
                ("stdin", b"in"),
                ("model_version", &[1, 0, 0, 0]),
            ],
        );
        assert!(!has_harness_inputs(&test));
        let got = expand(test.clone()).unwrap();
        assert_eq!(got.args, [&b"p.bc"[..], b"ab", b"-v", b"\xffx"]);
        assert_eq!(got.files, [TestFile { name: "A".into(), bytes: b"file".to_vec() }]);
        assert_eq!(got.stdin.as_deref(), Some(&b"in"[..]));
        assert_eq!(got.objects, test.objects);
    }

    #[test]
    fn misfits_are_errors() {
        for (args, objects, part) in [
            (&["p", "--sym-arg"][..], &[][..], "expects an integer"),
            (&["p", "--sym-arg", "x"], &[], "expects an integer"),
            (&["p", "--sym-arg", "1"], &[], "ran out of appropriate inputs"),
            (&["p", "--sym-args", "0", "1", "1"], &[("n_args", &[9, 0, 0, 0][..])], "has 9 arguments"),
            (&["p", "--sym-files", "1", "1"], &[], "no file A"),
            (&["p", "--sym-stdin", "1"], &[], "no standard input"),
        ] {
            let error = expand(test(args, objects)).unwrap_err();
            assert!(error.contains(part), "{args:?}: {error}");
        }
    }

    #[test]
    fn files_input_and_variables_survive_a_ktest_file() {
        let full = TestCase {
            args: vec![b"p".to_vec(), b"A".to_vec()],
            stdin: Some(b"in".to_vec()),
            files: vec![TestFile { name: "notes.txt".into(), bytes: b"\0\xff".to_vec() }],
            env: vec![("LANG".into(), b"C".to_vec())],
            ..TestCase::default()
        };
        let back = expand(TestCase::try_from(KTest::from(&full)).unwrap()).unwrap();
        assert_eq!(TestCase { objects: vec![], ..back.clone() }, full);
        assert!(!has_harness_inputs(&back));
        // As the engine writes it: the objects are there, only the last one is not.
        let mut engine = TestCase { objects: back.objects.clone(), ..full.clone() };
        assert_eq!(engine.objects.pop().map(|o| o.name).as_deref(), Some(MODEL_VERSION));
        assert!(!has_harness_inputs(&engine));
        assert_eq!(expand(TestCase::try_from(KTest::from(&engine)).unwrap()).unwrap(), back);
        // A second trip adds nothing.
        assert_eq!(expand(TestCase::try_from(KTest::from(&back)).unwrap()).unwrap(), back);
    }

    #[test]
    fn symbolic_arguments_alone_are_the_models() {
        let line = test(&["p", "-x"], &[("n_args", &[1, 0, 0, 0]), ("arg00", b"-x\0\0")]);
        assert!(!has_harness_inputs(&line));
        assert!(!has_harness_inputs(&expand(TestCase::try_from(KTest::from(&line)).unwrap()).unwrap()));
        assert!(has_harness_inputs(&test(&["p"], &[("arg0", &[7, 0, 0, 0])])));
    }

    #[test]
    fn harnesses_are_left_alone() {
        let harness = test(&["p", "--version"], &[("x-data", b"1"), ("n_args", b"2")]);
        assert!(has_harness_inputs(&harness));
        assert_eq!(expand(harness.clone()).unwrap(), harness);
        assert_eq!(expand(test(&["p"], &[("stdin", b"abc")])).unwrap().stdin.as_deref(), Some(&b"abc"[..]));
        let hostile =
            test(&["p"], &[("../x-data", b"1"), ("-data", b""), ("env-=", b""), ("model_version", b"")]);
        let got = expand(hostile).unwrap();
        assert!(got.files.is_empty() && got.env.is_empty());
    }
}
