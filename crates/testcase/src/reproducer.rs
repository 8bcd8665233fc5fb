//! A test as one C file: the input values and small replacements of what harnesses call, to be compiled together
//! with the harness and nothing else. The file must stand alone (no forkwise header, no library), because it is
//! what people attach to a bug report. The C part is `reproducer_runtime.c`.

use std::fmt::Write as _;

use crate::case::{Outcome, TestCase};
use crate::escape::escape;
use crate::shell;

/// The C file for a test. `title` is one line about it, such as the bug's title and place.
pub fn to_c(test: &TestCase, title: &str) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "/* {}", comment(title));
    let _ = writeln!(out, " *\n * Compile it with the harness and run it:");
    let _ = writeln!(out, " *   clang -g -fsanitize=address,undefined harness.c reproducer.c -o reproduce");
    let run = TestCase { args: [&[b"./reproduce".to_vec()], test.arguments()].concat(), ..test.clone() };
    for line in shell::commands(&run) {
        let _ = writeln!(out, " *   {}", comment(&line));
    }
    match &test.outcome {
        Some(Outcome::Exit(code)) => drop(writeln!(out, " *\n * Expected: exit status {code}.")),
        Some(Outcome::Signal(signal)) => drop(writeln!(out, " *\n * Expected: ended by signal {signal}.")),
        Some(Outcome::Bug { kind, place }) => {
            let expected = format!("{} at {place}", kind.title().to_lowercase());
            let _ = writeln!(out, " *\n * Expected: {}.", comment(&expected));
        }
        Some(Outcome::Unfinished(_)) | None => {}
    }
    out.push_str(" */\n#include <stddef.h>\n\n");

    for (index, object) in test.objects.iter().enumerate() {
        let note = object.as_signed().map(|value| format!(" = {value}")).unwrap_or_default();
        let _ = writeln!(out, "/* {}{note} */", comment(&object.name));
        let _ = writeln!(out, "static const unsigned char input_{index}[] = {{");
        for row in object.bytes.chunks(16) {
            let bytes: Vec<String> = row.iter().map(|byte| format!("0x{byte:02x}")).collect();
            let _ = writeln!(out, "  {},", bytes.join(", "));
        }
        if object.bytes.is_empty() {
            out.push_str("  0, /* C has no empty arrays; the size below is 0. */\n");
        }
        out.push_str("};\n");
    }
    out.push_str(
        "\nstatic const struct {\n  const char *name;\n  size_t size;\n  const unsigned char *bytes;\n} inputs[] = {\n",
    );
    for (index, object) in test.objects.iter().enumerate() {
        let _ = writeln!(out, "  {{ {}, {}, input_{index} }},", c_string(&object.name), object.bytes.len());
    }
    let _ =
        writeln!(out, "  {{ 0, 0, 0 }}\n}};\nstatic const size_t input_count = {};\n", test.objects.len());
    out.push_str(include_str!("reproducer_runtime.c"));
    out
}

/// Text that cannot end the comment it stands in.
fn comment(text: &str) -> String {
    escape(text.as_bytes()).replace("*/", "*%2f").replace("/*", "%2f*").replace(['\n', '\t'], " ")
}

fn c_string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            // "??" would begin a trigraph.
            b' '..=b'~' if byte != b'?' => out.push(char::from(byte)),
            // Octal ends after three digits, hexadecimal would swallow a digit that follows.
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Object, Place};
    use crate::kinds::BugKind;
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn hostile_names_stay_inside_comments_and_strings() {
        let mut test = TestCase::new(
            vec![b"p".to_vec(), b"*/ x".to_vec(), b"it's\n".to_vec()],
            vec![Object::new("*/ \"\\ ??/\n", *b"\0\xff"), Object::new("e", [])],
        );
        test.outcome = Some(Outcome::Bug {
            kind: BugKind::Abort,
            place: Place { file: "a*/b.c".into(), line: 1, function: "f".into() },
        });
        let text = to_c(&test, "title */ int evil;");
        let head = &text[..text.find("#include").unwrap()];
        assert_eq!(head.matches("*/").count(), 1, "{head}");
        assert!(head.contains(r"./reproduce '*%2f x' $'it\'s\012'"), "{head}");
        assert!(text.contains(r#""*/ \"\\ \077\077/\012""#), "{text}");
    }

    fn compile_and_run(dir: &Path, harness: &str, test: &TestCase, compiler: &str) -> (Option<i32>, String) {
        std::fs::write(dir.join("h.c"), harness).unwrap();
        std::fs::write(dir.join("r.c"), to_c(test, "a test")).unwrap();
        let built = Command::new(compiler)
            .args(["-Wall", "-Werror", "-O1", "h.c", "r.c", "-o", "repro"])
            .current_dir(dir)
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let run = Command::new(dir.join("repro")).output().unwrap();
        (
            run.status.code(),
            String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr),
        )
    }

    #[test]
    fn reproducers_compile_and_hand_out_the_inputs() {
        let dir = tempfile::tempdir().unwrap();
        let harness = r#"
            #include <stdio.h>
            #include <stddef.h>
            void klee_make_symbolic(void *, size_t, const char *);
            void forkwise_symbolic(void *, size_t, const char *);
            unsigned short __VERIFIER_nondet_ushort(void);
            int main(void) {
              int a; char text[4];
              klee_make_symbolic(&a, sizeof a, "a");
              forkwise_symbolic(text, sizeof text, "text");
              printf("%d %s %u\n", a, text, __VERIFIER_nondet_ushort());
              return 7;
            }"#;
        let mut test = TestCase::new(
            vec![],
            vec![
                Object::new("a", (-5i32).to_le_bytes()),
                Object::new("text", *b"hi\0\0"),
                Object::new("u", [1, 1]),
            ],
        );
        for compiler in ["clang-19", "gcc"] {
            assert_eq!(
                compile_and_run(dir.path(), harness, &test, compiler),
                (Some(7), "-5 hi 257\n".into())
            );
        }
        test.objects.pop();
        let (code, output) = compile_and_run(dir.path(), harness, &test, "gcc");
        assert_eq!(code, Some(3));
        assert!(output.contains("more inputs than the test has"), "{output}");
    }

    #[test]
    fn fuzz_targets_get_a_main() {
        let dir = tempfile::tempdir().unwrap();
        let harness = r#"
            #include <stdio.h>
            #include <stdint.h>
            int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { printf("%.*s\n", (int)n, d); return 0; }"#;
        let test = TestCase::new(
            vec![],
            vec![Object::new("data", *b"abcd"), Object::new("size", 3u64.to_le_bytes())],
        );
        assert_eq!(compile_and_run(dir.path(), harness, &test, "clang-19"), (Some(0), "abc\n".into()));
    }
}
