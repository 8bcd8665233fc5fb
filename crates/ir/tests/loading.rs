//! Loading: malformed files are errors and never more, linking follows the rules of archives.

mod common;

use common::{clang, compile};
use forkwise_ir::{LoadError, LoadOptions, Program, load, load_with_assembly, print_assembly};
use std::path::{Path, PathBuf};
use std::process::Command;

fn options(roots: &[&str]) -> LoadOptions {
    LoadOptions { roots: roots.iter().map(|r| r.to_string()).collect(), ..LoadOptions::default() }
}

fn error(path: &Path) -> LoadError {
    load(&[path.to_path_buf()], &LoadOptions::default()).expect_err("must not load")
}

fn archive(dir: &Path, name: &str, members: &[(&str, &str)], flags: &str) -> PathBuf {
    let path = dir.join(name);
    let files: Vec<PathBuf> = members.iter().map(|(n, text)| compile(dir, n, text, &["-O1"])).collect();
    let out = Command::new("llvm-ar-19").arg(flags).arg(&path).args(&files).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    path
}

fn has_code(program: &Program, name: &str) -> bool {
    program.functions.iter().any(|f| f.name == name && !f.code.is_empty())
}

#[test]
fn missing_empty_and_foreign_files_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    assert!(matches!(load(&[], &LoadOptions::default()), Err(LoadError::NoInput)));
    assert!(matches!(error(&dir.path().join("nothing.bc")), LoadError::Read { .. }));
    assert!(matches!(error(dir.path()), LoadError::Read { .. }));
    assert!(matches!(error(&file("empty.bc", b"")), LoadError::NotBitcode { .. }));
    assert!(matches!(error(&file("a.out", b"\x7fELF\x02\x01\x01\0\0\0")), LoadError::NotBitcode { .. }));
    assert!(matches!(error(&file("zeros", &[0; 100])), LoadError::NotBitcode { .. }));
    assert!(matches!(error(&file("lib.a", b"!<arch>\n")), LoadError::NotBitcode { .. }));
    assert!(matches!(error(&file("magic.bc", b"BC\xC0\xDE")), LoadError::Malformed { .. }));
    let text = error(&file("text.ll", b"define i32 @f( { nonsense"));
    assert!(matches!(text, LoadError::Malformed { .. }));
    assert!(text.to_string().contains("text.ll"), "{text}");
    let invalid = b"define i32 @f() {\n %x = add i32 %y, 1\n %y = add i32 1, 1\n ret i32 %x\n}\n";
    let text = error(&file("order.ll", invalid)).to_string();
    assert!(text.contains("dominate"), "{text}");
}

#[test]
fn other_machines_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (i, header) in [
        "target triple = \"aarch64-unknown-linux-gnu\"",
        "target triple = \"i386-pc-linux-gnu\"",
        "target triple = \"x86_64-pc-linux-gnux32\"",
        "target datalayout = \"E-p:64:64\"",
        "target datalayout = \"e-p:32:32\"",
    ]
    .iter()
    .enumerate()
    {
        let path = dir.path().join(format!("{i}.ll"));
        std::fs::write(&path, format!("{header}\ndefine void @f() {{\n ret void\n}}\n")).unwrap();
        assert!(matches!(error(&path), LoadError::WrongTarget { .. }), "{header}");
    }
    let path = dir.path().join("none.ll");
    std::fs::write(&path, "define void @f() {\n ret void\n}\n").unwrap();
    assert!(has_code(&load(&[path], &LoadOptions::default()).unwrap(), "f"));
}

#[test]
fn truncated_and_corrupted_bitcode_never_kills_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let source = include_str!("programs/calls.c");
    let good = std::fs::read(compile(dir.path(), "calls", source, &["-O1"])).unwrap();
    let path = dir.path().join("bad.bc");
    let try_bytes = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let _ = load(std::slice::from_ref(&path), &LoadOptions::default());
    };
    for cut in (0..good.len()).step_by(good.len() / 40) {
        try_bytes(&good[..cut]);
    }
    // A fixed sequence: xorshift, so that a failure can be repeated.
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as usize
    };
    for _ in 0..150 {
        let mut bytes = good.clone();
        for _ in 0..1 + random() % 4 {
            let at = 4 + random() % (bytes.len() - 4);
            bytes[at] ^= 1 << (random() % 8);
        }
        try_bytes(&bytes);
    }
    for _ in 0..20 {
        let mut bytes = b"BC\xC0\xDE".to_vec();
        bytes.extend((0..500).map(|_| random() as u8));
        try_bytes(&bytes);
    }
}

#[test]
fn inputs_are_linked_and_duplicates_named() {
    let dir = tempfile::tempdir().unwrap();
    let a = compile(
        dir.path(),
        "a",
        "int b(void); int shared; int main(void) { return b() + shared; }",
        &["-O1"],
    );
    let b = compile(
        dir.path(),
        "b",
        "extern int shared; int b(void) { return ++shared; } int unused(void) { return 1; }",
        &["-O1"],
    );
    let program = load(&[a.clone(), b.clone()], &options(&["main"])).unwrap();
    assert!(has_code(&program, "main") && has_code(&program, "b"));
    assert!(!has_code(&program, "unused"), "unreachable functions are dropped");
    assert!(program.undefined_globals.is_empty());
    let c = compile(dir.path(), "c", "int b(void) { return 5; }", &["-O1"]);
    match load(&[a, b, c], &options(&["main"])) {
        Err(LoadError::DuplicateSymbol { symbol, first, second }) => {
            assert_eq!(symbol, "b");
            assert!(first.contains("b-O1") && second.contains("c-O1"), "{first} {second}");
        }
        other => panic!("{:?}", other.map(|p| p.name)),
    }
}

#[test]
fn library_members_are_linked_by_need() {
    let dir = tempfile::tempdir().unwrap();
    let main = compile(dir.path(), "main", "int one(void); int main(void) { return one(); }", &["-O1"]);
    let members = [
        ("m1", "int two(void); int one(void) { return two() + 1; }"),
        ("m2", "int provided(void); int two(void) { return provided(); }"),
        ("m3", "int three(void) { return 3; }"),
        ("m4", "int provided(void) { return 9; }"),
    ];
    for flags in ["rcs", "rcS", "rcsT"] {
        let lib = archive(dir.path(), &format!("lib{flags}.a"), &members, flags);
        let mut options = options(&["main"]);
        options.libraries = vec![lib];
        options.keep_external = vec!["provided".into()];
        let program = load(std::slice::from_ref(&main), &options).unwrap();
        assert!(has_code(&program, "two") && !has_code(&program, "three") && !has_code(&program, "provided"));
        let function = |name: &str| &program.functions[program.function(name).unwrap() as usize];
        assert!(function("one").is_library && !function("main").is_library);
        let library_files: Vec<&str> = program
            .files
            .iter()
            .filter(|f| f.is_library)
            .map(|f| f.path.rsplit('/').next().unwrap())
            .collect();
        assert!(library_files.contains(&"m1.c") && !library_files.contains(&"main.c"), "{library_files:?}");
    }
    // A root that only the library has is taken from it.
    let mut options = options(&["main", "three"]);
    options.libraries = vec![archive(dir.path(), "again.a", &members, "rcs")];
    assert!(has_code(&load(&[main], &options).unwrap(), "three"));
}

/// What musl does: a member that only needs a hook has a weak do-nothing alias, another member defines the hook.
#[test]
fn weak_aliases_give_way_to_strong_definitions_wherever_they_stand() {
    let dir = tempfile::tempdir().unwrap();
    let hook = "static int dummy(void) { return 1; } int hook(void) __attribute__((weak, alias(\"dummy\")));
                int uses_hook(void) { return hook(); }";
    let real = "int hook(void) { return 2; } int wants(void) { return 0; }";
    let weak_fn = "__attribute__((weak)) int f(void) { return 1; } int call_f(void) { return f(); }
                   extern int alias_f(void) __attribute__((alias(\"f\")));";
    let strong_fn = "int f(void) { return 2; } int pull(void) { return 0; }";
    let main = "int uses_hook(void), wants(void), call_f(void), pull(void), alias_f(void);
                int main(void) { return uses_hook() * 100 + call_f() * 10 + alias_f() + WANTS; }";
    let members = [("h", hook), ("r", real), ("w", weak_fn), ("s", strong_fn)];
    let mut swapped = members;
    swapped.reverse();
    for (i, list) in [members, swapped].iter().enumerate() {
        let lib = archive(dir.path(), &format!("l{i}.a"), list, "rcs");
        for (wants, expected) in [("0", 111), ("wants()", 211), ("(wants() + pull())", 221), ("pull()", 121)]
        {
            let source = main.replace("WANTS", wants);
            let bc = compile(dir.path(), &format!("main{i}"), &source, &["-O1"]);
            let mut options = options(&["main"]);
            options.libraries = vec![lib.clone()];
            let program = load(&[bc], &options).unwrap();
            assert!(program.unsupported.is_empty());
            let (_, status) = common::run_interp(&program);
            assert_eq!(status, expected, "wants {wants}, order {i}");
        }
    }
}

#[test]
fn damaged_archives_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let main = compile(dir.path(), "main", "int one(void); int main(void) { return one(); }", &["-O1"]);
    let good =
        std::fs::read(archive(dir.path(), "l.a", &[("m", "int one(void) { return 1; }")], "rcs")).unwrap();
    let path = dir.path().join("bad.a");
    let mut options = options(&["main"]);
    options.libraries = vec![path.clone()];
    for cut in [0, 4, 8, 30, 68, 75, 100, good.len() / 2] {
        std::fs::write(&path, &good[..cut]).unwrap();
        let result = load(std::slice::from_ref(&main), &options);
        // An archive cut after its magic is empty, which is allowed.
        assert!(result.is_err() || cut == 8, "cut at {cut}");
    }
    for at in 8..good.len().min(400) {
        let mut bytes = good.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, &bytes).unwrap();
        let _ = load(std::slice::from_ref(&main), &options);
    }
}

#[test]
fn assembly_text_and_program_come_together() {
    let dir = tempfile::tempdir().unwrap();
    let bc =
        compile(dir.path(), "a", "int f(int x) { return x + 1; } int main(void) { return f(1); }", &["-O0"]);
    let options = LoadOptions { mem2reg: true, ..options(&["main"]) };
    let text = print_assembly(std::slice::from_ref(&bc), &options).unwrap();
    assert!(
        text.contains("define")
            && text.contains("@main")
            && !text.contains("alloca i32, align 4\n  store i32 %")
    );
    let (program, again) = load_with_assembly(std::slice::from_ref(&bc), &options).unwrap();
    assert_eq!(text, again);
    assert!(has_code(&program, "f"));
    // Assembly can be loaded again.
    let ll = dir.path().join("a.ll");
    std::fs::write(&ll, &text).unwrap();
    let reloaded = load(&[ll], &options).unwrap();
    assert_eq!(reloaded.blocks.len(), program.blocks.len());
}

#[test]
fn function_aliases_redirect_calls() {
    let dir = tempfile::tempdir().unwrap();
    let source =
        "int real(void) { return 1; } int fake(void) { return 2; } int main(void) { return real(); }";
    let bc = compile(dir.path(), "a", source, &["-O0"]);
    let options = LoadOptions { aliases: vec![("real".into(), "fake".into())], ..options(&["main"]) };
    let program = load(&[bc], &options).unwrap();
    assert_eq!(common::run_interp(&program).1, 2);
}

#[test]
fn optimisation_is_applied_to_unoptimised_code() {
    let dir = tempfile::tempdir().unwrap();
    let source =
        "static int f(int x) { int y = x * 2; return y + 1; } int main(int c, char **v) { return f(c); }";
    let bc = compile(dir.path(), "a", source, &["-O0"]);
    let size = |options: LoadOptions| -> usize {
        load(std::slice::from_ref(&bc), &options).unwrap().functions.iter().map(|f| f.code.len()).sum()
    };
    let plain = size(options(&["main"]));
    let promoted = size(LoadOptions { mem2reg: true, ..options(&["main"]) });
    let optimised = size(LoadOptions { optimize: Some(2), ..options(&["main"]) });
    assert!(promoted < plain && optimised < promoted, "{plain} {promoted} {optimised}");
}

#[test]
fn loading_twice_gives_the_same_program() {
    let dir = tempfile::tempdir().unwrap();
    clang(&["--version"]);
    let bc = compile(dir.path(), "v", include_str!("programs/vectors.c"), &["-O2"]);
    let dump = || {
        let program = load(std::slice::from_ref(&bc), &options(&["main"])).unwrap();
        let code: String = (0..program.functions.len() as u32).map(|f| program.dump(f)).collect();
        format!("{code}{:?}{:?}", program.globals, program.locations)
    };
    assert_eq!(dump(), dump());
}

#[test]
fn a_replacement_takes_the_place_of_the_inputs_function_of_the_same_type() {
    let dir = tempfile::tempdir().unwrap();
    let library = archive(dir.path(), "lib.a", &[("ours", "int ours(int x) { return x + 2; }\n")], "rcs");
    let options = LoadOptions {
        libraries: vec![library],
        replacements: vec![("theirs".into(), "ours".into())],
        ..options(&["main"])
    };
    let load_text = |name: &str, text: &str| {
        let path = compile(dir.path(), name, text, &["-O0"]);
        load(&[path], &options).unwrap()
    };
    let same = "int theirs(int x) { return x + 1; }\nint main(void) { return theirs(1); }\n";
    let program = load_text("same", same);
    assert!(has_code(&program, "ours") && !has_code(&program, "theirs"));
    let other = "int theirs(char *x) { return *x; }\nint main(void) { return theirs(\"\"); }\n";
    assert!(has_code(&load_text("other", other), "theirs"));
    // What the inputs only declare is not theirs, and nothing is linked for it.
    let none = "int main(void) { return 0; }\n";
    assert!(!has_code(&load_text("none", none), "ours"));
}
