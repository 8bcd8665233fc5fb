//! Weight files as people and programs write them, good and bad.

use super::*;
use proptest::prelude::*;

const NAMES: [&str; 3] = ["distance-low", "distance-high", "objects-low"];

fn parse(text: &str) -> Result<Weights, (Option<usize>, String)> {
    Weights::parse(text, Family::States, &NAMES)
        .map_err(|(span, problem)| (span.map(|s| line_of(text, s.start)), problem.to_string()))
}

fn fails(text: &str, line: Option<usize>, parts: &[&str]) {
    let (at, message) = parse(text).expect_err(text);
    assert_eq!(at, line, "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn names_are_the_key_and_the_order_is_the_tables() {
    let text = "format = 1\nmode = \"explore\"\nprogram = \"grep\"\n[weights]\nobjects-low = 1\n\
                distance-high = -0.5\ndistance-low = 2.5e-1\n[training]\ntrials = 7\nby = {k = [1, 2]}\n";
    let w = parse(text).expect("a good file");
    assert_eq!(w.values, [0.25, -0.5, 1.0]);
    assert_eq!((w.program.as_deref(), w.mode), (Some("grep"), Some(Mode::Explore)));
    assert_eq!(w.training.as_ref().and_then(|t| t["trials"].as_integer()), Some(7));
    let again = parse(&w.to_toml(&NAMES).expect("it can be written")).expect("and read");
    assert_eq!(again, w);
}

#[test]
fn a_plain_list_is_in_the_tables_order() {
    let w = parse("format = 1\nweights = [1, 2.0, -3]\n").expect("a good file");
    assert_eq!((w.values, w.mode, w.program), (vec![1.0, 2.0, -3.0], None, None));
}

#[test]
fn entries_that_are_wrong_are_named() {
    let list = "weights = [1, 2, 3]\n";
    fails(list, None, &["no 'format'", "format = 1"]);
    fails("format = 1\n", None, &["no 'weights'", "[weights]"]);
    fails(&format!("format = 2\n{list}"), Some(1), &["format 2", "format 1"]);
    fails(&format!("format = \"1\"\n{list}"), Some(1), &["'format' is a text, not a whole number"]);
    fails("format = 1\nweigths = [1]\n", Some(2), &["'weigths'", "did you mean 'weights'"]);
    fails("format = 1\nzebra = 1\n", Some(2), &["'zebra'", "there are format"]);
    fails("format = 1\nweights = 3\n", Some(2), &["'weights' is a whole number", "table"]);
    fails(&format!("format = 1\nprogram = 3\n{list}"), Some(2), &["'program'"]);
    fails(&format!("format = 1\ntraining = 3\n{list}"), Some(2), &["'training'"]);
    fails(&format!("format = 1\nmode = \"bfs\"\n{list}"), Some(2), &["'bfs'", "explore", "concolic"]);
    let concolic = format!("format = 1\nmode = \"concolic\"\n{list}");
    fails(&concolic, Some(2), &["for --mode concolic, not for --mode explore", "run with --mode concolic"]);
}

#[test]
fn features_that_are_wrong_are_named() {
    let head = "format = 1\n[weights]\n";
    fails(
        &format!("{head}distance-low = 1\ndistance-hihg = 1\nobjects-low = 1\n"),
        Some(4),
        &["no feature 'distance-hihg' in mode explore", "did you mean 'distance-high'"],
    );
    fails(
        &format!("{head}temperature = 1\n"),
        Some(3),
        &["'temperature'", "forkwise features --mode explore"],
    );
    fails(
        &format!("{head}distance-high = 1\n"),
        Some(2),
        &["2 of the 3", "distance-low, objects-low", "add them"],
    );
    for bad in ["nan", "inf", "-inf", "1e999", "1e200"] {
        fails(&format!("{head}distance-high = {bad}\n"), Some(3), &["'distance-high' is ", "finite"]);
    }
    fails(&format!("{head}distance-high = \"1\"\n"), Some(3), &["'distance-high' is a text, not a number"]);
    fails(&format!("{head}distance-high = 0x10\n"), Some(3), &["another base"]);
    fails("format = 1\nweights = [1, 2]\n", Some(2), &["lists 2 numbers", "3 features"]);
    fails(
        "format = 1\nweights = [\n1,\nnan,\n3]\n",
        Some(4),
        &["distance-high (number 2 of the list)", "nan"],
    );
}

#[test]
fn families_are_told_apart() {
    let learned =
        "format = 1\nfamily = \"frontier\"\nmode = \"explore\"\n[weights]\nwalks = 0.5\ncase = -1\n";
    let names = ["walks", "case"];
    let w = Weights::parse(learned, Family::Frontier, &names).expect("a good file");
    assert_eq!((w.family, w.mode, &w.values[..]), (Family::Frontier, Some(Mode::Explore), &[0.5, -1.0][..]));
    let text = w.to_toml(&names).expect("it can be written");
    assert!(text.contains("family = \"frontier\""), "{text}");
    assert_eq!(Weights::parse(&text, Family::Frontier, &names).expect("and read"), w);

    fails(learned, Some(2), &["of the family frontier, not of the family states"]);
    fails(
        &learned.replace("frontier", "front"),
        Some(2),
        &["no family 'front'", "\"states\"", "\"frontier\""],
    );
    fails(&learned.replace("\"frontier\"", "7"), Some(2), &["'family' is a whole number, not a text"]);
    fails(&learned.replace("explore", "concolic"), Some(3), &["for --mode concolic"]);
    fails(&learned.replace("frontier", "branches"), Some(2), &["for --mode concolic"]);
    let wrong = |text: &str| Weights::parse(text, Family::Frontier, &names).expect_err(text).1.to_string();
    assert!(wrong(&learned.replace("family = \"frontier\"\n", "")).contains("add family = \"frontier\""));
    assert!(
        wrong(&learned.replace("case", "cases")).contains("'cases' in family frontier; did you mean 'case'?")
    );
    assert!(wrong(&learned.replace("case = -1\n", "")).contains("1 of the 2 features of family frontier"));
    assert!(wrong(&learned.replace("-1", "nan")).contains("'case' is nan"));
    // Files from before there were families name none, and are written as they were.
    let old = parse("format = 1\nmode = \"explore\"\nweights = [1, 2, 3]\n").expect("a good file");
    assert_eq!(old.family, Family::States);
    assert!(!old.to_toml(&NAMES).expect("it can be written").contains("family"));
    let named = parse("format = 1\nfamily = \"states\"\nweights = [1, 2, 3]\n").expect("a good file");
    assert_eq!(named.values, old.values);
}

#[test]
fn what_is_no_toml_is_said_so() {
    fails("<html>", Some(1), &["not TOML"]);
    fails("format = 1\nformat = 1\n", Some(2), &["not TOML", "duplicate"]);
    fails("format = 1\n[weights]\ndistance-low = 1\ndistance-low = 2\n", Some(4), &["not TOML", "duplicate"]);
    fails(&format!("a = {}1", "[".repeat(100_000)), Some(1), &["not TOML"]);
    fails("", None, &["no 'format'"]);
}

#[test]
fn files_are_bounded_and_errors_name_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let read = |name: &str| Weights::read(&at(name), Family::States, &NAMES).map_err(|e| e.to_string());
    assert!(read("none").expect_err("no file").contains("none: cannot be read"));
    std::fs::write(at("big"), vec![b' '; MAX_BYTES as usize + 1]).expect("written");
    assert!(read("big").expect_err("too large").contains("larger than 1048576 bytes"));
    std::fs::write(at("bytes"), [0xff, 0xfe]).expect("written");
    assert!(read("bytes").expect_err("no text").contains("no text"));
    std::fs::write(at("bad"), "format = 1\n[weights]\nx = 1\n").expect("written");
    assert!(read("bad").expect_err("unknown").contains("bad:3: there is no feature 'x'"));
    assert!(Weights::read(folder.path(), Family::States, &NAMES).is_err(), "a folder");
    let zeros = Weights::read(Path::new("/dev/zero"), Family::States, &NAMES);
    assert!(zeros.is_err_and(|e| matches!(e.problem, Problem::TooLarge { .. })));
}

#[test]
fn writing_refuses_what_reading_would_refuse() {
    let w = Weights {
        program: None,
        mode: None,
        family: Family::States,
        values: vec![1.0, f64::NAN, 0.0],
        training: None,
    };
    assert!(w.to_toml(&NAMES).is_err_and(|e| e.to_string().contains("'distance-high' is NaN")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read(
        values in proptest::collection::vec(-1e100..1e100f64, 3),
        program in proptest::option::of(".{0,20}"),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("w.toml");
        let w = Weights { program, mode: Some(Mode::Explore), family: Family::States, values, training: None };
        w.write(&path, &NAMES).expect("written");
        prop_assert_eq!(Weights::read(&path, Family::States, &NAMES).expect("read"), w);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-z0-9=\\[\\]{}\",.\n -]{0,200}") {
        let _ = Weights::parse(&text, Family::Branches, &NAMES);
    }

    #[test]
    fn no_damage_makes_it_panic(cut in 0usize..120, byte in any::<char>()) {
        let text = "format = 1\nmode = \"explore\"\n[weights]\ndistance-low = 1\ndistance-high = 2\nobjects-low = 3\n";
        let mut letters: Vec<char> = text.chars().collect();
        let at = cut % letters.len();
        letters[at] = byte;
        let _ = Weights::parse(&letters.iter().collect::<String>(), Family::States, &NAMES);
    }
}
