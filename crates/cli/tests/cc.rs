//! `forkwise cc` on small projects of the kinds that exist: libraries, several programs, odd names, libtool, cmake,
//! configure's questions, compiles that fail. Programs must run natively and carry the bitcode that the engine runs.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use support::Finished;

const LIMIT: Duration = Duration::from_secs(60);

/// A folder with these files.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = support::scratch();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn cc(folder: &Path, args: &[&str]) -> Finished {
    support::run(&mut support::forkwise(folder, ["cc"].iter().chain(args)), LIMIT)
}

/// A build that must succeed and say nothing.
fn build(folder: &Path, args: &[&str]) {
    let done = cc(folder, args);
    assert_eq!((done.code(), &*done.out(), &*done.err()), (Some(0), "", ""), "{args:?}");
}

fn native(program: impl AsRef<Path>, args: &[&str]) -> (Option<i32>, String) {
    let done = support::run(Command::new(program.as_ref()).args(args), LIMIT);
    (done.code(), done.out())
}

/// The engine runs the program to its end and sees its branches.
fn engine_runs(folder: &Path, program: &str) {
    let done = support::run(&mut support::forkwise(folder, ["run", "--json", program]), LIMIT);
    assert_eq!(done.code(), Some(0), "{}{}", done.out(), done.err());
    let total = done.json().unwrap()["coverage"]["branches_total"].as_u64();
    assert!(total.is_some_and(|total| total > 0), "{}", done.out());
}

fn installed(program: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(program).is_file());
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

const SHOUT: &str = r#"
    #include <ctype.h>
    #include "shout.h"
    void shout(char *text) { for (; *text; text++) *text = toupper(*text); }
"#;
const MAIN: &str = r#"
    #include <math.h>
    #include <stdio.h>
    #include <string.h>
    #include "shout.h"
    int main(int argc, char **argv)
    {
        char text[64] = "nobody";
        if (argc > 1)
            strncpy(text, argv[1], sizeof text - 1);
        shout(text);
        printf("%s %.3f\n", text, sqrt(argc));
        return argc;
    }
"#;

fn shouting() -> tempfile::TempDir {
    project(&[
        ("a lib/shout.c", SHOUT),
        ("a lib/shout.h", "void shout(char *text);\n"),
        ("src dir/main.c", MAIN),
        (
            "src dir/other.c",
            "#include \"shout.h\"\nint main(void) { char x[] = \"a\"; shout(x); return *x; }\n",
        ),
        // Same member, nothing else: must not be linked.
        ("a lib/unused.c", "int nothing(void); int unused(void) { return nothing(); }\n"),
    ])
}

#[test]
fn static_libraries_and_several_programs_in_a_tree() {
    let folder = shouting();
    let here = folder.path();
    build(here, &["-O2", "-Wall", "-c", "a lib/shout.c", "-o", "a lib/shout.o"]);
    build(here, &["-c", "a lib/unused.c", "-o", "a lib/unused.o"]);
    let members = ["a lib/shout.o", "a lib/unused.o"];
    // The host's ar writes no symbol table for bitcode; ours does.
    for (library, ar) in [("host", Command::new("ar")), ("ours", support::forkwise(here, ["ar"]))] {
        let mut ar = ar;
        let path = format!("a lib/lib{library}.a");
        let done = support::run(ar.current_dir(here).arg("cr").arg(&path).args(members), LIMIT);
        assert_eq!(done.code(), Some(0), "{}", done.err());
        let flag = format!("-l{library}");
        build(here, &["-Ia lib", "src dir/main.c", "-La lib", &flag, "-lm", "-o", "one program"]);
        build(here, &["-I", "a lib", "-o", "other", "src dir/other.c", &path, "-pthread", "-static"]);
        assert_eq!(native(here.join("one program"), &["hello"]), (Some(2), "HELLO 1.414\n".into()));
        assert_eq!(native(here.join("other"), &[]).0, Some(65));
    }
    engine_runs(here, "one program");
    let done = support::run(&mut support::forkwise(here, ["extract", "other", "-o", "o.bc"]), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    engine_runs(here, "o.bc");
}

#[test]
fn response_files_groups_and_words_for_the_linker() {
    let folder = shouting();
    let here = folder.path();
    build(here, &["-c", "a lib/shout.c", "-o", "shout.o"]);
    let ar = support::run(&mut support::forkwise(here, ["ar", "crs", "libshout.a", "shout.o"]), LIMIT);
    assert_eq!(ar.code(), Some(0));
    fs::write(here.join("flags"), "-I 'a lib' \"src dir/main.c\"\n-Wl,--start-group libshout.a").unwrap();
    build(
        here,
        &[
            "@flags",
            "-Wl,--end-group",
            "-Wl,-rpath,/nowhere",
            "-rdynamic",
            "-Xlinker",
            "-z",
            "-Xlinker",
            "now",
        ],
    );
    assert_eq!(native(here.join("a.out"), &[]), (Some(1), "NOBODY 1.000\n".into()));
    // Dependencies are named after the program, as clang does it.
    build(here, &["-Ia lib", "-MMD", "src dir/main.c", "shout.o", "-o", "named"]);
    let rule = fs::read_to_string(here.join("named.d")).unwrap();
    assert!(rule.starts_with("named: src\\ dir/main.c a\\ lib/shout.h"), "{rule}");
    // Objects joined by -r stay bitcode.
    build(here, &["-Ia lib", "-c", "src dir/main.c", "-o", "main.o"]);
    build(here, &["-r", "-nostdlib", "main.o", "shout.o", "-o", "both.o"]);
    build(here, &["both.o", "-o", "joined"]);
    engine_runs(here, "joined");
}

/// What clang says to the same words with our headers and flags.
fn clang(folder: &Path, args: &[&str]) -> Finished {
    let mut clang = Command::new("clang-19");
    clang.current_dir(folder).arg("--target=x86_64-unknown-linux-musl").args(args);
    clang.arg("-nostdlibinc").arg("-isystem").arg(support::runtime().join("include"));
    support::run(clang.args(["-O1", "-g"]), LIMIT)
}

#[test]
fn failing_compiles_say_what_clang_says() {
    let folder = project(&[
        ("syntax.c", "int main(void) { return 1 }\n"),
        ("warns.c", "int f(void) { int unused; return 0; }\n"),
        ("missing.c", "#include <nowhere.h>\n"),
        ("two errors.c", "int f(void) { return x; }\nint g(void) { return y; }\n"),
    ]);
    for args in [
        &["-c", "syntax.c"][..],
        &["-c", "-Wall", "-Werror", "warns.c"],
        &["-c", "-Wall", "warns.c"],
        &["-c", "missing.c"],
        &["-c", "two errors.c", "-o", "x.o"],
        &["-c", "absent.c"],
        &["-c", "--no-such-option", "warns.c"],
        &["-c", "-x", "nolanguage", "warns.c"],
        &["-c", "warns.c", "syntax.c", "-o", "one.o"],
        &["-fsyntax-only", "syntax.c"],
        &["-E", "missing.c"],
        &[],
    ] {
        let (ours, theirs) = (cc(folder.path(), args), clang(folder.path(), args));
        assert_eq!((ours.code(), ours.err()), (theirs.code(), theirs.err()), "{args:?}");
        assert_eq!(ours.out(), theirs.out(), "{args:?}");
    }
    // In one command with the link: every source is compiled, nothing is linked.
    let both = cc(folder.path(), &["syntax.c", "two errors.c", "-o", "program"]);
    assert_eq!(both.code(), Some(1));
    assert!(both.err().contains("syntax.c:1:") && both.err().contains("two errors.c:2:"), "{}", both.err());
    assert!(!folder.path().join("program").exists());
}

#[test]
fn failing_links_name_the_symbol_and_the_line() {
    let folder = project(&[("a.c", "int absent(void);\nint main(void)\n{ return absent(); }\n")]);
    let done = cc(folder.path(), &["a.c", "-o", "a"]);
    assert_eq!(done.code(), Some(1));
    assert!(
        done.err().contains("undefined symbol: absent") && done.err().contains("a.c:3"),
        "{}",
        done.err()
    );
    assert!(done.err().contains("linker command failed with exit code 1"), "{}", done.err());
    let done = cc(folder.path(), &["a.c", "-lnowhere"]);
    assert!(done.err().contains("unable to find library -lnowhere"), "{}", done.err());
    assert!(!folder.path().join("a").exists() && !folder.path().join("a.out").exists());
}

/// What configure scripts ask.
#[test]
fn configure_gets_its_answers() {
    let folder = project(&[(
        "configure",
        r#"
        set -e
        try() { printf '%s\n' "$2" > conftest.c; $CC $1 conftest.c -o conftest $3 2>conftest.err; }
        try "" 'int main(void){return 0;}'; test ! -s conftest.err; ./conftest
        try -O2 '#include <stdio.h>
            int main(void){FILE *f = fopen("conftest.out", "w"); return !f || ferror(f) || fclose(f);}'
        ./conftest; test -f conftest.out
        try "" 'char strlcpy(); int main(void){return strlcpy();}' && echo has strlcpy
        if try "" 'char no_such_function(); int main(void){return no_such_function();}'; then exit 1; fi
        if try "" 'char sin(); int main(void){return sin();}' -lnolib; then exit 1; fi
        try "" 'char sin(); int main(void){return sin();}' -lm
        try "" '#include <pthread.h>
            int main(void){pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; return pthread_mutex_lock(&m);}' -pthread
        echo 'int x = 4;' | $CC -E - | grep -q 'int x = 4'
        $CC -dumpmachine
        $CC --version | grep -q clang
        $CC -v > /dev/null 2>&1
        $CC -S -o conftest.s conftest.c; grep -q main conftest.s
        $CC -M conftest.c | grep -q 'conftest.o:'
        echo 'int main(void){return 7;}' | $CC -x c -o conftest -; ./conftest || test $? = 7
        $CC -o /dev/null conftest.c
        "#,
    )]);
    let mut shell = Command::new("sh");
    shell.arg("configure").current_dir(folder.path());
    shell.env("CC", format!("{} cc", support::binary().display()));
    let done = support::run(&mut shell, LIMIT);
    assert_eq!((done.code(), &*done.err()), (Some(0), ""), "{}", done.out());
    assert_eq!(done.out(), "has strlcpy\nx86_64-unknown-linux-musl\n");
}

#[test]
fn native_objects_are_linked_and_noted() {
    let seven = ".globl seven\nseven: mov $7, %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n";
    let folder =
        project(&[("seven.s", seven), ("main.c", "int seven(void); int main(void) { return seven(); }\n")]);
    let done = cc(folder.path(), &["main.c", "seven.s", "-o", "program"]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(done.err().contains("seven.s holds native code"), "{}", done.err());
    assert_eq!(native(folder.path().join("program"), &[]).0, Some(7));
}

#[test]
fn shared_libraries_become_archives() {
    let folder = shouting();
    let here = folder.path();
    let done =
        cc(here, &["-shared", "-fPIC", "-Wl,-soname,libshout.so.1", "a lib/shout.c", "-o", "libshout.so"]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(done.err().contains("libshout.so is written as a static archive"), "{}", done.err());
    build(here, &["-Ia lib", "src dir/main.c", "-L.", "-lshout", "-o", "by name"]);
    build(here, &["-Ia lib", "src dir/main.c", "./libshout.so", "-o", "by path"]);
    for program in ["by name", "by path"] {
        assert_eq!(native(here.join(program), &["x"]).1, "X 1.414\n");
    }
}

#[test]
fn libtool_builds_what_the_engine_runs() {
    if !installed("libtool") {
        return;
    }
    let folder = shouting();
    let here = folder.path();
    fs::rename(here.join("a lib"), here.join("lib")).unwrap();
    fs::rename(here.join("src dir"), here.join("src")).unwrap();
    let libtool = |args: &str| {
        let compiler = format!("{} cc", support::binary().display());
        let mut command = Command::new("libtool");
        command.args(["--silent", "--tag=CC"]).current_dir(here);
        command.args(args.replace("$CC", &compiler).split_whitespace());
        let done = support::run(&mut command, LIMIT);
        assert_eq!(done.code(), Some(0), "{args}\n{}{}", done.out(), done.err());
    };
    libtool("--mode=compile $CC -g -O2 -c lib/shout.c -o shout.lo");
    libtool("--mode=link $CC -g -O2 -static -o libshout.la shout.lo");
    libtool("--mode=compile $CC -Ilib -c src/main.c -o main.lo");
    libtool("--mode=link $CC -static -o program main.lo libshout.la -lm");
    assert_eq!(native(here.join("program"), &["x"]).1, "X 1.414\n");
    engine_runs(here, "program");
    // The linker that a configure script finds makes libtool build without shared libraries.
    let ld = cc(here, &["-print-prog-name=ld"]);
    let help = support::run(Command::new(ld.out().trim()).arg("--help"), LIMIT);
    assert_eq!(help.code(), Some(0));
    assert!(!help.out().contains("supported targets"), "{}", help.out());
}

#[test]
fn cmake_builds_what_the_engine_runs() {
    if !installed("cmake") || !installed("make") {
        return;
    }
    let folder = shouting();
    let here = folder.path();
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(shouting C)\nadd_library(shout SHARED \"a lib/shout.c\")\n\
                 add_executable(program \"src dir/main.c\")\ntarget_include_directories(program PRIVATE \"a lib\")\n\
                 target_link_libraries(program shout m)\n";
    fs::write(here.join("CMakeLists.txt"), lists).unwrap();
    // cmake wants a compiler that is one word.
    let compiler = here.join("forkwise-cc");
    symlink(support::binary(), &compiler).unwrap();
    let run = |args: &[&str]| {
        let done =
            support::run(Command::new("cmake").args(args).current_dir(here).env("CC", &compiler), LIMIT);
        assert_eq!(done.code(), Some(0), "{args:?}\n{}{}", done.out(), done.err());
    };
    run(&["-S", ".", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"]);
    run(&["--build", "out"]);
    assert_eq!(native(here.join("out/program"), &["x"]).1, "X 1.414\n");
    engine_runs(here, "out/program");
}

#[test]
fn programs_without_bitcode_are_refused() {
    let folder = project(&[("a.c", "int main(void) { return 0; }\n")]);
    let here = folder.path();
    let built = support::run(Command::new("gcc").args(["a.c", "-o", "plain"]).current_dir(here), LIMIT);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    for verb in ["run", "extract"] {
        let done = support::run(&mut support::forkwise(here, [verb, "plain"]), LIMIT);
        assert_eq!(done.code(), Some(2));
        assert!(done.err().contains("plain") && done.err().contains("forkwise cc"), "{}", done.err());
    }
    // What is cut off is refused, too, and never brings the loader down.
    build(here, &["a.c", "-o", "whole"]);
    let bytes = fs::read(here.join("whole")).unwrap();
    for length in [4, 63, 64, 5000, bytes.len() / 2] {
        fs::write(here.join("cut"), &bytes[..length]).unwrap();
        let done = support::run(&mut support::forkwise(here, ["run", "cut"]), LIMIT);
        assert_eq!(done.code(), Some(2), "{length}: {}", done.err());
    }
}

#[test]
fn print_shows_the_commands_and_runs_nothing() {
    let folder = project(&[("a b.c", "int main(void) { return 0; }\n")]);
    let done = cc(folder.path(), &["--print", "a b.c", "-o", "x"]);
    let out = done.out();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((done.code(), lines.len()), (Some(0), 5), "{out}");
    assert!(lines[0].contains("clang") && lines[0].ends_with("'a b.c'"), "{out}");
    assert!(lines[1].contains("--lto-emit-llvm") && lines[2].starts_with("# branch counters"), "{out}");
    assert!(lines[4].contains("libc.a") && lines[4].ends_with("-o x"), "{out}");
    assert!(!folder.path().join("x").exists());
}

#[test]
fn flags_from_the_environment_come_last() {
    let folder = project(&[(
        "a.c",
        "#ifdef __OPTIMIZE__\nint main(void) { return 1; }\n#else\nint main(void) { return 2; }\n#endif\n",
    )]);
    for (flags, expected) in [("", 1), ("-O0", 2)] {
        let mut command = support::forkwise(folder.path(), ["cc", "-O0", "a.c", "-o", "a"]);
        let done = support::run(command.env("FORKWISE_CFLAGS", flags), LIMIT);
        assert_eq!(done.code(), Some(0), "{}", done.err());
        assert_eq!(native(folder.path().join("a"), &[]).0, Some(expected));
    }
}

#[test]
fn cxx_without_a_standard_library_works_and_says_so_otherwise() {
    let text = "extern \"C\" int puts(const char *);\nstruct A { int n; A(int n) : n(n) {} virtual int f() { return n; } };\n\
                static A a(3);\nint main() { puts(\"c++\"); return a.f(); }\n";
    let folder = project(&[("a.cc", text), ("std.cc", "#include <vector>\nint main() {}\n")]);
    let cxx = |args: &[&str]| {
        support::run(&mut support::forkwise(folder.path(), ["c++"].iter().chain(args)), LIMIT)
    };
    let done = cxx(&["-fno-rtti", "-fno-exceptions", "a.cc", "-o", "a"]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(native(folder.path().join("a"), &[]), (Some(3), "c++\n".into()));
    let done = cxx(&["std.cc", "-o", "std"]);
    assert_eq!(done.code(), Some(1));
    assert!(done.err().contains("no C++ standard library"), "{}", done.err());
}

#[test]
fn gcov_builds_count_however_the_program_ends() {
    let text = "#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv)\n{\n  if (argc == 2)\n    abort();\n\
                if (argc == 3)\n    _exit(4);\n  return *(volatile int *)0;\n}\n";
    let folder = project(&[("a.c", text)]);
    let here = folder.path();
    build(here, &["--gcov", "-O2", "-c", "a.c"]);
    build(here, &["--gcov", "a.o", "-o", "a"]);
    let program = here.join("a");
    let run = |args: &[&str]| support::run(Command::new(&program).args(args).current_dir(here), LIMIT).code();
    assert_eq!((run(&["1"]), run(&["1", "2"]), run(&[])), (None, Some(4), None));
    let gcov = support::run(Command::new("gcov").args(["-t", "a.c"]).current_dir(here), LIMIT);
    for line in ["abort", "_exit", "volatile"] {
        let count =
            gcov.out().lines().find(|text| text.contains(line)).map(|text| text.trim_start().to_owned());
        assert!(count.as_ref().is_some_and(|text| text.starts_with("1:")), "{count:?}");
    }
}

/// Paths to programs may be relative to another folder than the one the wrapper's files are in.
#[test]
fn the_compiler_can_be_called_through_a_link() {
    let folder = project(&[("a.c", "int main(void) { return 3; }\n")]);
    let link: PathBuf = folder.path().join("forkwise-cc");
    symlink(support::binary(), &link).unwrap();
    let done = support::run(Command::new(&link).args(["a.c", "-o", "a"]).current_dir(folder.path()), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(native(folder.path().join("a"), &[]).0, Some(3));
}
