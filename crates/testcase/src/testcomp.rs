//! Tests in the XML format of Test-Comp: one `metadata.xml` and one file a test with an `<input>` for each call of
//! a `__VERIFIER_nondet_*` function. An export; values are written as C literals of the type that the object's
//! name tells.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::case::{Object, Outcome, TestCase};

/// What `metadata.xml` says about a test suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The property the tests are for, as Test-Comp writes it.
    pub specification: String,
    /// The program under test.
    pub program_file: String,
    /// SHA-256 of that file, in hexadecimal.
    pub program_hash: String,
    /// Where execution starts, most often `main`.
    pub entry_function: String,
    /// `64bit` or `32bit`.
    pub architecture: String,
    /// When the suite was made.
    pub creation_time: SystemTime,
}

/// The text of `metadata.xml`.
pub fn metadata_xml(metadata: &Metadata) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
         \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n",
    );
    let producer = concat!("forkwise ", env!("CARGO_PKG_VERSION"));
    for (name, value) in [
        ("sourcecodelang", "C"),
        ("producer", producer),
        ("specification", &metadata.specification),
        ("programfile", &metadata.program_file),
        ("programhash", &metadata.program_hash),
        ("entryfunction", &metadata.entry_function),
        ("architecture", &metadata.architecture),
        ("creationtime", &iso_8601(metadata.creation_time)),
    ] {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  <{name}>{}</{name}>", xml(value));
    }
    out.push_str("</test-metadata>\n");
    out
}

/// The text of one test's file.
pub fn testcase_xml(test: &TestCase) -> String {
    let covers_error = matches!(test.outcome, Some(Outcome::Bug { .. }));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase{}>\n",
        if covers_error { " coversError=\"true\"" } else { "" }
    );
    for object in &test.objects {
        let kind = value_type(object);
        let attribute = match kind {
            Some((_, c_type)) => format!(" variable=\"{}\" type=\"{c_type}\"", xml(&object.name)),
            None => format!(" variable=\"{}\"", xml(&object.name)),
        };
        for value in values(object, kind) {
            let _ = writeln!(out, "  <input{attribute}>{value}</input>");
        }
    }
    out.push_str("</testcase>\n");
    out
}

/// The name of the test's file in a suite.
pub fn file_name(number: u64) -> String {
    format!("test{number:06}.xml")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Signed,
    Unsigned,
    Float,
}

/// How to read an object that a nondet function made, by the function's name; and the type in C.
fn value_type(object: &Object) -> Option<(Reading, &'static str)> {
    let name = object.name.strip_prefix("__VERIFIER_nondet_").unwrap_or(&object.name);
    let word: &str = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let (reading, c_type, size) = match word {
        "bool" | "_Bool" => (Reading::Unsigned, "bool", 1),
        "char" => (Reading::Signed, "char", 1),
        "schar" | "int8" => (Reading::Signed, "signed char", 1),
        "uchar" | "unsigned_char" | "u8" | "uint8" => (Reading::Unsigned, "unsigned char", 1),
        "short" | "int16" => (Reading::Signed, "short", 2),
        "ushort" | "u16" | "uint16" => (Reading::Unsigned, "unsigned short", 2),
        "int" | "int32" => (Reading::Signed, "int", 4),
        "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32" => (Reading::Unsigned, "unsigned int", 4),
        "long" | "int64" | "loff_t" => (Reading::Signed, "long", 8),
        "longlong" => (Reading::Signed, "long long", 8),
        "ulong" | "size_t" | "uint64" | "sector_t" | "pthread_t" => (Reading::Unsigned, "unsigned long", 8),
        "ulonglong" => (Reading::Unsigned, "unsigned long long", 8),
        "float" => (Reading::Float, "float", 4),
        "double" => (Reading::Float, "double", 8),
        _ => return None,
    };
    (object.bytes.len() == size).then_some((reading, c_type))
}

/// The literals of an object: one for a scalar, one a byte for anything else, as `__VERIFIER_nondet_uchar` in a
/// loop would have made it.
fn values(object: &Object, kind: Option<(Reading, &str)>) -> Vec<String> {
    let float = |value: f64| match value {
        v if v.is_nan() => "nan".into(),
        v if v.is_infinite() => if v > 0.0 { "inf" } else { "-inf" }.into(),
        v => format!("{v:?}"),
    };
    let scalar = match kind.map(|(reading, _)| reading) {
        Some(Reading::Float) => match *object.bytes.as_slice() {
            [a, b, c, d] => Some(float(f64::from(f32::from_le_bytes([a, b, c, d])))),
            [a, b, c, d, e, f, g, h] => Some(float(f64::from_le_bytes([a, b, c, d, e, f, g, h]))),
            _ => None,
        },
        Some(Reading::Unsigned) => object.as_unsigned().map(|value| value.to_string()),
        Some(Reading::Signed) | None => object.as_signed().map(|value| value.to_string()),
    };
    match scalar {
        Some(value) => vec![value],
        None => object.bytes.iter().map(u8::to_string).collect(),
    }
}

fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 has no way to write other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn iso_8601(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counting in 400-year cycles that begin on 1 March puts the leap day at a year's end.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Place;
    use crate::kinds::BugKind;

    #[test]
    fn values_are_literals_of_their_type() {
        let mut test = TestCase::new(
            vec![],
            vec![
                Object::new("__VERIFIER_nondet_int", [0xff; 4]),
                Object::new("__VERIFIER_nondet_uint", [0xff; 4]),
                Object::new("__VERIFIER_nondet_double", 1.5f64.to_le_bytes()),
                Object::new("__VERIFIER_nondet_float", f32::NAN.to_le_bytes()),
                Object::new("<buf>", [1, 2, 3]),
            ],
        );
        let text = testcase_xml(&test);
        for line in [
            "<input variable=\"__VERIFIER_nondet_int\" type=\"int\">-1</input>",
            "type=\"unsigned int\">4294967295</input>",
            "type=\"double\">1.5</input>",
            "type=\"float\">nan</input>",
            "<input variable=\"&lt;buf&gt;\">2</input>",
        ] {
            assert!(text.contains(line), "{line} not in {text}");
        }
        assert_eq!(text.matches("<input").count(), 7);
        assert!(text.contains("<testcase>\n") && text.ends_with("</testcase>\n"));
        test.outcome = Some(Outcome::Bug { kind: BugKind::Abort, place: Place::default() });
        assert!(testcase_xml(&test).contains("<testcase coversError=\"true\">"));
        assert_eq!(file_name(12), "test000012.xml");
    }

    #[test]
    fn metadata_is_complete() {
        let text = metadata_xml(&Metadata {
            specification: "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )".into(),
            program_file: "a&b.c".into(),
            program_hash: "00".into(),
            entry_function: "main".into(),
            architecture: "64bit".into(),
            creation_time: UNIX_EPOCH + Duration::from_secs(951_782_399),
        });
        assert!(text.contains("<programfile>a&amp;b.c</programfile>"));
        assert!(text.contains("<creationtime>2000-02-28T23:59:59Z</creationtime>"));
    }

    #[test]
    fn dates_cross_leap_days() {
        let at = |seconds| iso_8601(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
    }
}
