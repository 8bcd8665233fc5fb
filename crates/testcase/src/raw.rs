//! Tests as the bare inputs that fuzzers keep: one file with the bytes that the program reads, nothing else. Which
//! input of the program the bytes are has to be said ([`RawInput`]); names, sizes and predictions do not survive, so
//! results are never stored this way. [`crate::import`] reads folders of such files.

use std::str::FromStr;

use crate::case::{Object, TestCase, TestFile, check_file_name};
use crate::model;

/// Which input of a program the bytes of a fuzzer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawInput {
    /// Standard input.
    Stdin,
    /// The file with this name in the working directory.
    File(String),
    /// The arguments, each ended by a zero byte, as AFL++'s `argv_fuzz` takes them.
    Args,
    /// What a `LLVMFuzzerTestOneInput` gets.
    Data,
}

impl FromStr for RawInput {
    type Err = String;

    fn from_str(text: &str) -> Result<RawInput, String> {
        match text {
            "stdin" => Ok(RawInput::Stdin),
            "args" => Ok(RawInput::Args),
            "data" => Ok(RawInput::Data),
            _ => match text.strip_prefix("file:") {
                Some(name) => check_file_name(name).map(|()| RawInput::File(name.to_string())),
                None => Err(format!("\"{text}\" is no input: stdin, file:NAME, args or data")),
            },
        }
    }
}

/// An argument that `argv_fuzz` takes for the empty one, which zero bytes cannot express.
const EMPTY_ARGUMENT: &[u8] = b"\x02";

/// What the bytes of a test would be if nobody says: those of a harness, else standard input, else the first file, else
/// the arguments.
pub fn usual_input(test: &TestCase) -> RawInput {
    if model::has_harness_inputs(test) {
        RawInput::Data
    } else if test.stdin.is_some() {
        RawInput::Stdin
    } else if let Some(file) = test.files.first() {
        RawInput::File(file.name.clone())
    } else if !test.arguments().is_empty() {
        RawInput::Args
    } else {
        RawInput::Stdin
    }
}

/// The bytes of this input. An input that the test does not have is empty.
pub fn to_bytes(test: &TestCase, input: &RawInput) -> Vec<u8> {
    match input {
        RawInput::Stdin => test.stdin.clone().unwrap_or_default(),
        RawInput::File(name) => test.file(name).map(|file| file.bytes.clone()).unwrap_or_default(),
        RawInput::Args => {
            let mut bytes = Vec::new();
            for arg in test.arguments() {
                bytes.extend(if arg.is_empty() { EMPTY_ARGUMENT } else { arg });
                bytes.push(0);
            }
            bytes.push(0);
            bytes
        }
        RawInput::Data => data(test),
    }
}

/// All objects' values one after the other: what a libFuzzer or AFL target would have to be fed.
///
/// A harness with `LLVMFuzzerTestOneInput` has the objects `data` and `size`; there the input is `data`, cut to
/// that size.
fn data(test: &TestCase) -> Vec<u8> {
    if let (Some(data), Some(size)) = (test.object("data"), test.object("size").and_then(|o| o.as_unsigned()))
        && test.objects.len() == 2
    {
        let length = usize::try_from(size).unwrap_or(usize::MAX).min(data.bytes.len());
        return data.bytes[..length].to_vec();
    }
    test.objects.iter().flat_map(|object| object.bytes.iter().copied()).collect()
}

/// The test that gives the bytes to this input of a program, which has these arguments otherwise. As for AFL, the word
/// `@@` stands for the file's name.
pub fn from_bytes(bytes: Vec<u8>, input: &RawInput, args: &[Vec<u8>]) -> TestCase {
    let mut test = TestCase::new(args.to_vec(), Vec::new());
    match input {
        RawInput::Stdin => test.stdin = Some(bytes),
        RawInput::File(name) => {
            for arg in test.args.iter_mut().filter(|arg| *arg == b"@@") {
                *arg = name.clone().into_bytes();
            }
            test.files.push(TestFile { name: name.clone(), bytes });
        }
        RawInput::Args => {
            if test.args.is_empty() {
                test.args.push(b"program".to_vec());
            }
            test.args.extend(arguments(&bytes));
        }
        RawInput::Data => {
            let size = bytes.len() as u64;
            test.objects = vec![Object::new("data", bytes), Object::new("size", size.to_le_bytes())];
        }
    }
    test
}

/// The arguments that `argv_fuzz` makes of these bytes: up to the first empty one.
fn arguments(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split(|byte| *byte == 0)
        .take_while(|arg| !arg.is_empty())
        .map(|arg| if arg == EMPTY_ARGUMENT { Vec::new() } else { arg.to_vec() })
        .collect()
}

/// The file name AFL gives to the entry with this number in its queue.
pub fn afl_file_name(number: u64) -> String {
    format!("id:{number:06},src:forkwise")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(test: &TestCase) -> Vec<u8> {
        to_bytes(test, &usual_input(test))
    }

    #[test]
    fn objects_follow_each_other() {
        let test = TestCase::new(vec![], vec![Object::new("a", *b"12"), Object::new("b", *b"3")]);
        assert_eq!(bytes(&test), b"123");
        assert_eq!(bytes(&TestCase::default()), b"");
    }

    #[test]
    fn a_fuzz_target_gets_its_data_cut_to_size() {
        let of = |size: u64| {
            TestCase::new(
                vec![],
                vec![Object::new("data", *b"abcd"), Object::new("size", size.to_le_bytes())],
            )
        };
        assert_eq!(bytes(&of(2)), b"ab");
        assert_eq!(bytes(&of(u64::MAX)), b"abcd");
        assert_eq!(afl_file_name(3), "id:000003,src:forkwise");
    }

    #[test]
    fn inputs_of_programs() {
        let args = [b"p".to_vec(), b"-x".to_vec(), b"@@".to_vec()];
        let file = from_bytes(b"z".to_vec(), &RawInput::File("A".into()), &args);
        assert_eq!(file.args, [&b"p"[..], b"-x", b"A"]);
        assert_eq!(bytes(&file), b"z");
        let line = from_bytes(b"-n\0\x02\0a b\0\0rest".to_vec(), &RawInput::Args, &args[..1]);
        assert_eq!(line.args, [&b"p"[..], b"-n", b"", b"a b"]);
        assert_eq!(bytes(&line), b"-n\0\x02\0a b\0\0");
        assert_eq!("file:A".parse(), Ok(RawInput::File("A".into())));
        assert!("file:../A".parse::<RawInput>().is_err() && "x".parse::<RawInput>().is_err());
    }

    proptest! {
        #[test]
        fn bytes_come_back(content in prop::collection::vec(any::<u8>(), 0..50)) {
            for input in [RawInput::Stdin, RawInput::File("A".into()), RawInput::Data] {
                let test = from_bytes(content.clone(), &input, &[b"p".to_vec()]);
                prop_assert_eq!(usual_input(&test), input.clone());
                prop_assert_eq!(to_bytes(&test, &input), content.clone());
            }
        }

        #[test]
        fn arguments_come_back(args in prop::collection::vec(prop::collection::vec(3u8..=255, 0..9), 0..5)) {
            let test = TestCase::new([vec![b"p".to_vec()], args].concat(), vec![]);
            let back = from_bytes(to_bytes(&test, &RawInput::Args), &RawInput::Args, &test.args[..1]);
            prop_assert_eq!(back, test);
        }
    }
}
