//! The format, its errors, and that nothing is lost.

use super::*;
use proptest::prelude::*;

fn sample() -> TestCase {
    TestCase {
        args: vec![b"prog".to_vec(), b"-x\xff".to_vec()],
        objects: vec![Object::new("a", [0, 0, 0, 0x80]), Object::new("buf \"q\"", *b"hi\n\0%")],
        outcome: Some(Outcome::Bug {
            kind: BugKind::UseAfterFree,
            place: Place { file: "x.c".into(), line: 7, function: "f".into() },
        }),
        stdout: Some(b"out\n".to_vec()),
        stderr: None,
        path: Some(4),
        instructions: Some(99),
        covered_new: true,
        ..TestCase::default()
    }
}

#[test]
fn the_format_is_readable() {
    let expected = r#"{
  "format": "forkwise-test",
  "version": 1,
  "args": ["prog", "-x%ff"],
  "objects": [
    {"name": "a", "size": 4, "bytes": "%00%00%00%80", "int": -2147483648},
    {"name": "buf \"q\"", "size": 5, "bytes": "hi\n%00%25"}
  ],
  "expect": {
    "bug": {"kind": "use-after-free", "file": "x.c", "line": 7, "function": "f"},
    "stdout": "out\n"
  },
  "path": 4,
  "instructions": 99,
  "covered_new": true
}
"#;
    assert_eq!(to_text(&sample()), expected);
    assert_eq!(parse(expected).unwrap(), sample());
}

#[test]
fn the_programs_surroundings_are_readable() {
    let expected = r#"{
  "format": "forkwise-test",
  "version": 2,
  "args": ["grep", "a"],
  "objects": [],
  "stdin": "text\n",
  "files": [
    {"name": "A", "bytes": "%00"},
    {"name": "B", "bytes": ""}
  ],
  "env": [
    {"name": "LC_ALL", "bytes": "C"}
  ]
}
"#;
    let file = |name: &str, bytes: &[u8]| TestFile { name: name.into(), bytes: bytes.to_vec() };
    let test = TestCase {
        args: vec![b"grep".to_vec(), b"a".to_vec()],
        stdin: Some(b"text\n".to_vec()),
        files: vec![file("A", b"\0"), file("B", b"")],
        env: vec![("LC_ALL".into(), b"C".to_vec())],
        ..TestCase::default()
    };
    assert_eq!(to_text(&test), expected);
    assert_eq!(parse(expected).unwrap(), test);
}

#[test]
fn unknown_fields_are_tolerated_and_integers_may_stand_alone() {
    let text = r#"{"format": "forkwise-test", "version": 1, "colour": "red",
        "objects": [{"name": "n", "size": 2, "int": -2, "note": 1}, {"name": "u", "size": 1, "int": 255}]}"#;
    let test = parse(text).unwrap();
    assert_eq!(test.objects, [Object::new("n", [0xfe, 0xff]), Object::new("u", [0xff])]);
}

#[test]
fn errors_name_the_place() {
    let with =
        |objects: &str| format!(r#"{{"format": "forkwise-test", "version": 1, "objects": [{objects}]}}"#);
    for (text, part) in [
        ("".to_string(), "line 1 column 0"),
        ("{".to_string(), "line 1 column 1"),
        ("[]".to_string(), "line 1"),
        (r#"{"version": 1}"#.to_string(), "`format` is missing"),
        (r#"{"format": "x", "version": 1}"#.to_string(), "`format` is \"x\""),
        (r#"{"format": "forkwise-test"}"#.to_string(), "`version` is missing"),
        (r#"{"format": "forkwise-test", "version": 3}"#.to_string(), "`version` is 3"),
        (
            r#"{"format": "forkwise-test", "version": 2, "files": [{"name": "../x", "bytes": ""}]}"#
                .to_string(),
            "files[0].name: \"../x\" is not the name",
        ),
        (
            r#"{"format": "forkwise-test", "version": 2, "env": [{"name": "A=B", "bytes": ""}]}"#.to_string(),
            "env[0].name",
        ),
        (r#"{"format": "forkwise-test", "version": 2, "stdin": "%q"}"#.to_string(), "stdin: `%` at byte 0"),
        (
            r#"{"format": "forkwise-test", "version": 1, "args": [3]}"#.to_string(),
            "expected a string at line 1",
        ),
        (r#"{"format": "forkwise-test", "version": 1, "args": ["%"]}"#.to_string(), "args[0]: `%` at byte 0"),
        (
            r#"{"format": "forkwise-test", "version": 1, "expect": {"exit": 0, "signal": 3}}"#.to_string(),
            "expect: only one",
        ),
        (
            r#"{"format": "forkwise-test", "version": 1, "expect": {"bug": {"kind": "odd"}}}"#.to_string(),
            "expect.bug.kind: \"odd\"",
        ),
        (with(r#"{"name": "a"}"#), "objects[0]: has neither"),
        (with(r#"{"name": "a", "int": 1}"#), "objects[0].size: needed"),
        (with(r#"{"name": "a", "size": 3, "int": 1}"#), "objects[0].int: an integer has"),
        (with(r#"{"name": "a", "size": 1, "int": 256}"#), "objects[0].int: 256 does not fit"),
        (with(r#"{"name": "a", "size": 1, "int": 1.5}"#), "objects[0].int: 1.5 is not"),
        (
            with(r#"{"name": "a", "bytes": ""}, {"name": "b", "size": 2, "bytes": "x"}"#),
            "objects[1].size: is 2",
        ),
        (with(r#"{"name": "a", "bytes": "%01", "int": 2}"#), "objects[0].int: is 2"),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn files_round_trip_and_bad_ones_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(file_name(7));
    assert!(path.ends_with("000007.test.json"));
    write(&path, &sample()).unwrap();
    assert_eq!(read(&path).unwrap(), sample());

    for (bytes, part) in
        [(&b"\xff\xfe"[..], "invalid UTF-8"), (b"KTEST\0\0", "truncated"), (b"{}", "`format` is missing")]
    {
        std::fs::write(&path, bytes).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("000007.test.json") && error.contains(part), "{error}");
    }
    assert!(read(dir.path()).unwrap_err().to_string().contains("directory"));
    assert!(read(&dir.path().join("none")).unwrap_err().to_string().contains("no such file"));
}

fn any_test() -> impl Strategy<Value = TestCase> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    let objects =
        prop::collection::vec((".*", bytes()).prop_map(|(name, bytes)| Object { name, bytes }), 0..5);
    let outcome = prop_oneof![
        Just(None),
        any::<i32>().prop_map(|code| Some(Outcome::Exit(code))),
        any::<i32>().prop_map(|signal| Some(Outcome::Signal(signal))),
        ".*".prop_map(|reason| Some(Outcome::Unfinished(reason))),
        (0..BugKind::ALL.len(), ".*", any::<u32>(), ".*").prop_map(|(kind, file, line, function)| {
            Some(Outcome::Bug { kind: BugKind::ALL[kind], place: Place { file, line, function } })
        }),
    ];
    let rest = (prop::option::of(bytes()), prop::option::of(bytes()), any::<Option<u64>>(), any::<bool>());
    let files = prop::collection::vec(("[a-zA-Z.%\" ]{3}x", bytes()), 0..3)
        .prop_map(|files| files.into_iter().map(|(name, bytes)| TestFile { name, bytes }).collect());
    let env = prop::collection::vec(("[A-Z_a-z %]{1,5}", bytes()), 0..3);
    let around = (prop::option::of(bytes()), files, env);
    (prop::collection::vec(bytes(), 0..4), objects, outcome, rest, around).prop_map(
        |(args, objects, outcome, (stdout, stderr, path, covered_new), (stdin, files, env))| TestCase {
            stdin,
            files,
            env,
            args,
            objects,
            outcome,
            stdout,
            stderr,
            path,
            instructions: path,
            covered_new,
        },
    )
}

proptest! {
    #[test]
    fn every_test_round_trips(test in any_test()) {
        prop_assert_eq!(parse(&to_text(&test)).unwrap(), test);
    }

    #[test]
    fn damaged_text_never_panics(at in 0usize..400, with in any::<char>()) {
        let mut text: Vec<char> = to_text(&sample()).chars().collect();
        let at = at % text.len();
        text[at] = with;
        let _ = parse(&text.iter().collect::<String>());
    }
}
