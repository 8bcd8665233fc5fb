//! Reading what AddressSanitizer, LeakSanitizer, MemorySanitizer, UndefinedBehaviorSanitizer and the C library's
//! `assert` write to standard error: what was found, and where. Text that looks like no report is passed over;
//! a program may print anything. [`mod@crate::confirm`] compares the findings with a prediction.

use forkwise_testcase::Place;

/// Who reported something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// AddressSanitizer, LeakSanitizer or MemorySanitizer; also the signals they catch.
    Memory,
    /// UndefinedBehaviorSanitizer.
    Undefined,
    /// A failed `assert`.
    Assertion,
}

/// One report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Who reported it.
    pub tool: Tool,
    /// Its kind, by the name in [`forkwise_testcase::kinds::NativeSigns`]; for an assertion `assertion`.
    pub kind: String,
    /// The report's own words.
    pub message: String,
    /// Where, innermost first, as far as the report tells. Interceptors of the sanitizer come first in it.
    pub stack: Vec<Place>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.stack.iter().find(|place| place.line > 0 && !is_runtime(&place.file)) {
            Some(place) => write!(f, "{} at {place}", self.kind),
            None => write!(f, "{}", self.kind),
        }
    }
}

/// Sources of the sanitizers themselves, which are nobody's bug.
pub(crate) fn is_runtime(file: &str) -> bool {
    file.contains("compiler-rt") || file.contains("/sanitizer_common/") || file.contains("libsanitizer")
}

/// All reports in a program's standard error, in order.
pub fn findings(text: &str) -> Vec<Finding> {
    let lines: Vec<&str> = text.lines().collect();
    let mut findings = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some((tool, message)) = memory_header(line) {
            findings.push(Finding {
                tool,
                kind: memory_kind(message).to_string(),
                message: message.to_string(),
                stack: stack(&lines[index + 1..]),
            });
        } else if let Some((place, message)) = line.split_once(": runtime error: ") {
            let mut frames = stack(&lines[index + 1..]);
            // The report's own place is exact; the stack, if any, adds the function.
            let mut own = location(place);
            if let Some(first) = frames.first() {
                own.function.clone_from(&first.function);
                frames.remove(0);
            }
            frames.insert(0, own);
            findings.push(Finding {
                tool: Tool::Undefined,
                kind: undefined_kind(message).to_string(),
                message: message.to_string(),
                stack: frames,
            });
        } else if let Some(place) = assertion(line) {
            let message = line.trim().to_string();
            findings.push(Finding {
                tool: Tool::Assertion,
                kind: "assertion".into(),
                message,
                stack: vec![place],
            });
        }
    }
    findings
}

/// `==12==ERROR: AddressSanitizer: heap-buffer-overflow on address …` → its words.
fn memory_header(line: &str) -> Option<(Tool, &str)> {
    let rest = line.strip_prefix("==")?;
    let (pid, rest) = rest.split_once("==")?;
    if pid.is_empty() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (who, message) = rest.split_once("Sanitizer: ")?;
    match who {
        "ERROR: Address"
        | "ERROR: Leak"
        | "WARNING: Memory"
        | "ERROR: Memory"
        | "ERROR: UndefinedBehavior"
        | "Address" => Some((Tool::Memory, message)),
        _ => None,
    }
}

fn memory_kind(message: &str) -> &str {
    // Reports that do not begin with the name of their kind.
    for (beginning, kind) in [
        ("attempting double-free", "double-free"),
        ("attempting free on address which was not malloc()-ed", "bad-free"),
        ("attempting to call malloc_usable_size", "bad-free"),
        ("detected memory leaks", "detected memory leaks"),
        ("requested allocation size", "allocation-size-too-big"),
        ("calloc parameters overflow", "calloc-overflow"),
        ("allocator is out of memory", "out-of-memory"),
        ("out of memory", "out-of-memory"),
        ("hard rss limit exhausted", "rss-limit-exceeded"),
        ("specified RSS limit exceeded", "rss-limit-exceeded"),
    ] {
        if message.starts_with(beginning) {
            return kind;
        }
    }
    message.split([' ', ':']).next().unwrap_or(message)
}

fn undefined_kind(message: &str) -> &'static str {
    let has = |part: &str| message.contains(part);
    match () {
        () if has("unsigned integer overflow") => "unsigned-integer-overflow",
        () if has("signed integer overflow") => "signed-integer-overflow",
        () if has("negation of") && has("type 'unsigned") => "unsigned-integer-overflow",
        () if has("negation of") || (has("division of") && has("cannot be represented")) => {
            "signed-integer-overflow"
        }
        () if has("division by zero") => "integer-divide-by-zero",
        () if has("shift exponent") => "invalid-shift-exponent",
        () if has("left shift of") => "invalid-shift-base",
        () if has("out of bounds for type") => "out-of-bounds-index",
        () if has("produced null pointer") => "nullptr-after-nonzero-offset",
        () if has("applying zero offset to null pointer") => "nullptr-with-offset",
        () if has("applying non-zero offset") => "nullptr-with-nonzero-offset",
        () if has("pointer index expression") || has("unsigned offset") => "pointer-overflow",
        () if has("null pointer passed as argument") => "invalid-null-argument",
        () if has("null pointer returned from") => "invalid-null-return",
        () if has("null pointer") => "null-pointer-use",
        () if has("misaligned address") => "misaligned-pointer-use",
        () if has("insufficient space for an object") => "insufficient-object-size",
        () if has("byte alignment") => "alignment-assumption",
        () if has("unreachable program point") => "unreachable-call",
        () if has("end of a value-returning function") => "missing-return",
        () if has("variable length array bound") => "non-positive-vla-index",
        () if has("outside the range of representable values") => "float-cast-overflow",
        () if has("not a valid value for type") && has("bool'") => "invalid-bool-load",
        () if has("not a valid value for type") => "invalid-enum-load",
        // Which of the four conversions it was depends on types that are spelled too many ways.
        () if has("implicit conversion from type") => "implicit-signed-integer-truncation-or-sign-change",
        () if has("passing zero to") || has("builtin") => "invalid-builtin-use",
        () if has("through pointer to incorrect function type") => "function-type-mismatch",
        () => "undefined-behavior",
    }
}

/// The first stack in these lines: all its frames up to the line that is none. A few lines of explanation may come
/// before it; another report may not.
fn stack(lines: &[&str]) -> Vec<Place> {
    let mut frames = Vec::new();
    for line in lines {
        match frame(line) {
            Some(place) => frames.push(place),
            None if !frames.is_empty() => break,
            None if line.contains("runtime error: ") || memory_header(line).is_some() => break,
            None => {}
        }
    }
    frames
}

/// `    #0 0x55d in function /path/file.c:3:5`.
fn frame(line: &str) -> Option<Place> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (_, named) = rest.trim_start().split_once(" in ")?;
    let (function, place) = named.split_once(' ').unwrap_or((named, ""));
    let place = place.trim();
    // Without line information the module follows: `(/path/program+0x12) (BuildId: …)`.
    let mut out = if place.starts_with('(') { Place::default() } else { location(place) };
    out.function = function.to_string();
    Some(out)
}

/// `file:line:column` or `file:line`.
fn location(text: &str) -> Place {
    let mut parts = text.rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok());
    let (file, line) = match (first, number(middle), number(last)) {
        (Some(file), Some(line), Some(_)) => (file.to_string(), line),
        (first, _, Some(line)) => {
            let mut file = first.map(|first| format!("{first}:")).unwrap_or_default();
            file.push_str(middle.unwrap_or_default());
            (file, line)
        }
        _ => (text.to_string(), 0),
    };
    Place { file, line, function: String::new() }
}

/// The place in a failed assertion's message, in glibc's words or musl's.
fn assertion(line: &str) -> Option<Place> {
    if let Some((before, rest)) = line.split_once(": Assertion `")
        && rest.contains("' failed.")
    {
        // `program: file.c:3: function: Assertion …`; the program's name is not always there.
        let (before, function) = before.rsplit_once(": ")?;
        let (file, line) = before.rsplit_once(':')?;
        let file = file.rsplit_once(": ").map_or(file, |(_, file)| file);
        // C++ gives a signature instead of a name.
        let function = function.split('(').next().unwrap_or_default().rsplit(' ').next().unwrap_or_default();
        return Some(Place { file: file.into(), line: line.trim().parse().ok()?, function: function.into() });
    }
    // `Assertion failed: x > 3 (file.c: function: 12)`.
    let rest = line.trim_start().strip_prefix("Assertion failed: ")?;
    let inside = rest.trim_end().strip_suffix(')')?.rsplit_once('(')?.1;
    let mut parts = inside.rsplitn(3, ": ");
    let line = parts.next()?.parse().ok()?;
    let function = parts.next()?.to_string();
    Some(Place { file: parts.next()?.to_string(), line, function })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32, function: &str) -> Place {
        Place { file: file.into(), line, function: function.into() }
    }

    #[test]
    fn address_sanitizer() {
        let text = "\
hello
=================================================================
==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000011 at pc 0x1 bp 0x2 sp 0x3
WRITE of size 1 at 0x602000000011 thread T0
    #0 0x4a in __asan_memcpy /build/compiler-rt/lib/asan/asan_interceptors_memintrinsics.cpp:63:3
    #1 0x5b in put /src/dir with space/a.c:12:3
    #2 0x6c in main a.c:20
    #3 0x7d in __libc_start_call_main (/lib/libc.so.6+0x2724) (BuildId: 58)

0x602000000011 is located 0 bytes after 1-byte region
allocated by thread T0 here:
    #0 0x11 in malloc (/p+0x1)
SUMMARY: AddressSanitizer: heap-buffer-overflow a.c:12:3 in put
";
        let found = findings(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].tool, found[0].kind.as_str()), (Tool::Memory, "heap-buffer-overflow"));
        assert_eq!(found[0].stack.len(), 4);
        assert_eq!(found[0].stack[1], place("/src/dir with space/a.c", 12, "put"));
        assert_eq!(found[0].stack[2], place("a.c", 20, "main"));
        assert_eq!(found[0].stack[3], place("", 0, "__libc_start_call_main"));
        assert_eq!(found[0].to_string(), "heap-buffer-overflow at /src/dir with space/a.c:12 in put");
    }

    #[test]
    fn kinds_that_are_sentences() {
        for (line, kind) in [
            ("==1==ERROR: AddressSanitizer: attempting double-free on 0x6 in thread T0:", "double-free"),
            (
                "==1==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x7",
                "bad-free",
            ),
            ("==1==ERROR: LeakSanitizer: detected memory leaks", "detected memory leaks"),
            ("==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x1)", "SEGV"),
            ("==1==ERROR: AddressSanitizer: FPE on unknown address 0x1", "FPE"),
            ("==1==ERROR: AddressSanitizer: negative-size-param: (size=-1)", "negative-size-param"),
            (
                "==1==ERROR: AddressSanitizer: requested allocation size 0xffff exceeds",
                "allocation-size-too-big",
            ),
            ("==1==WARNING: MemorySanitizer: use-of-uninitialized-value", "use-of-uninitialized-value"),
            ("==1==ERROR: UndefinedBehaviorSanitizer: SEGV on unknown address", "SEGV"),
        ] {
            assert_eq!(findings(line)[0].kind, kind, "{line}");
        }
        for line in [
            "AddressSanitizer:DEADLYSIGNAL",
            "SUMMARY: AddressSanitizer: SEGV",
            "==x==ERROR: AddressSanitizer: y",
            "",
        ] {
            assert_eq!(findings(line), [], "{line}");
        }
    }

    #[test]
    fn undefined_behavior_sanitizer() {
        let text = "\
a.c:5:9: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x4 in add /src/a.c:5:9
    #1 0x5 in main /src/a.c:9:3

SUMMARY: UndefinedBehaviorSanitizer: signed-integer-overflow a.c:5:9
b:c.c:7:1: runtime error: division by zero
";
        let found = findings(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].kind, "signed-integer-overflow");
        assert_eq!(found[0].stack, [place("a.c", 5, "add"), place("/src/a.c", 9, "main")]);
        assert_eq!(
            (found[1].kind.as_str(), &found[1].stack[0]),
            ("integer-divide-by-zero", &place("b:c.c", 7, ""))
        );
    }

    #[test]
    fn undefined_kinds() {
        for (message, kind) in [
            ("unsigned integer overflow: 4294967295 + 1 cannot be", "unsigned-integer-overflow"),
            ("negation of -2147483648 cannot be represented in type 'int'", "signed-integer-overflow"),
            ("division of -2147483648 by -1 cannot be represented in type 'int'", "signed-integer-overflow"),
            ("shift exponent 40 is too large for 32-bit type 'int'", "invalid-shift-exponent"),
            ("left shift of negative value -1", "invalid-shift-base"),
            ("index 10 out of bounds for type 'int[4]'", "out-of-bounds-index"),
            ("load of null pointer of type 'int'", "null-pointer-use"),
            ("applying non-zero offset 4 to null pointer", "nullptr-with-nonzero-offset"),
            ("addition of unsigned offset to 0x1 overflowed to 0x0", "pointer-overflow"),
            (
                "null pointer passed as argument 1, which is declared to never be null",
                "invalid-null-argument",
            ),
            (
                "load of misaligned address 0x1 for type 'int', which requires 4 byte alignment",
                "misaligned-pointer-use",
            ),
            ("execution reached an unreachable program point", "unreachable-call"),
            ("load of value 3, which is not a valid value for type 'bool'", "invalid-bool-load"),
            ("1e+20 is outside the range of representable values of type 'int'", "float-cast-overflow"),
            ("something new", "undefined-behavior"),
        ] {
            assert_eq!(undefined_kind(message), kind, "{message}");
        }
    }

    #[test]
    fn assertions_of_two_libraries() {
        let of = |line: &str| assertion(line);
        assert_eq!(of("p: a.c:12: main: Assertion `x > 3' failed."), Some(place("a.c", 12, "main")));
        assert_eq!(of("p: /x/a.c:12: int f(int): Assertion `a: b' failed."), Some(place("/x/a.c", 12, "f")));
        assert_eq!(of("Assertion failed: x > f(3) (a.c: main: 12)"), Some(place("a.c", 12, "main")));
        assert_eq!(of("p: Assertion `x' failed."), None);
        assert_eq!(of("Assertion failed: "), None);
        assert_eq!(of("Assertion failed: )"), None);
    }

    #[test]
    fn hostile_text_is_passed_over() {
        for text in [
            "==",
            "====",
            "==1==",
            "#",
            "#0",
            "#0 0x in",
            ": runtime error: ",
            ":::: runtime error: x",
            "é: Assertion `' failed.",
        ] {
            let _ = findings(text);
        }
        assert_eq!(findings(": runtime error: x")[0].stack[0], Place::default());
    }
}
