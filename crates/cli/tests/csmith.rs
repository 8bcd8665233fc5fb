//! Random programs from csmith print a checksum of everything they computed: the engine, with nothing symbolic, and the
//! native program must print the same. Seeds are fixed; a program that runs for more than a second natively is replaced
//! by the next seed. 25 programs, or 200 with `FORKWISE_LONG=1`; levels and csmith's options take turns.

mod support;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use forkwise_testcase::Outcome;
use support::{forkwise, long, native, run, runtime, scratch, tests_in};

/// A native run must end within this to be worth interpreting.
const NATIVE_LIMIT: Duration = Duration::from_secs(1);
const ENGINE_LIMIT: Duration = Duration::from_secs(120);

/// What csmith is asked for besides small programs, by turns.
const FLAVOURS: [&[&str]; 5] = [
    &["--no-bitfields", "--no-packed-struct"],
    &["--bitfields", "--packed-struct"],
    &["--float"],
    &["--unions", "--volatiles", "--volatile-pointers"],
    &["--float", "--bitfields", "--inline-function"],
];

const SMALL: [&str; 9] = [
    "--no-argc",
    "--max-funcs",
    "4",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "6",
    "--max-array-len-per-dim",
    "6",
];

enum Verdict {
    /// Both printed this.
    Same,
    /// Too slow or not compilable natively; another seed will do.
    Unsuitable,
    /// They differ.
    Wrong(String),
}

fn compare(seed: u64) -> Verdict {
    let folder = scratch();
    let here = folder.path();
    let source = here.join("program.c");
    let flavour = FLAVOURS[seed as usize % FLAVOURS.len()];
    let level = seed % 3;
    let mut csmith = Command::new("csmith");
    csmith.current_dir(here).args(SMALL).args(flavour).args(["--seed", &seed.to_string(), "-o"]).arg(&source);
    let made = run(&mut csmith, Duration::from_secs(30));
    if made.code() != Some(0) {
        return Verdict::Unsuitable;
    }
    let flag = format!("-O{level}");
    let compile = |arguments: &[&str], out: &Path| {
        let mut clang = Command::new(native::clang());
        clang.args(["-w", "-g", &flag, "-I/usr/include/csmith"]).args(arguments);
        clang.arg(&source).arg("-o").arg(out);
        run(&mut clang, Duration::from_secs(120))
    };
    let program = here.join("program");
    if compile(&["-lm"], &program).code() != Some(0) {
        return Verdict::Unsuitable;
    }
    let native = run(&mut Command::new(&program), NATIVE_LIMIT);
    if native.code() != Some(0) {
        return Verdict::Unsuitable;
    }
    let module = here.join("program.bc");
    let include = runtime().join("include").display().to_string();
    // The engine's C library has its own headers; what csmith needs from the machine is csmith's.
    let mut clang = Command::new(native::clang());
    clang.args(["--target=x86_64-unknown-linux-musl", "-nostdlibinc", "-isystem", &include]);
    clang.args(["-w", "-g", &flag, "-c", "-emit-llvm", "-idirafter", "/usr/include/csmith"]);
    clang.arg(&source).arg("-o").arg(&module);
    let compiled = run(&mut clang, Duration::from_secs(120));
    if compiled.code() != Some(0) {
        return Verdict::Wrong(format!("seed {seed}: no bitcode: {}", compiled.err()));
    }
    let arguments =
        ["run", "--json", "--concrete", "--no-replay", "--max-path-instructions", "4000000000", "-o", "out"];
    let mut command = forkwise(here, arguments);
    command.arg(&module);
    let done = run(&mut command, ENGINE_LIMIT);
    let told = format!("csmith {} {} --seed {seed}, {flag}", SMALL.join(" "), flavour.join(" "));
    if done.code() != Some(0) {
        let said = format!("{}\n{}", done.out(), done.err());
        return Verdict::Wrong(format!("{told}: exit {:?} after {:?}\n{said}", done.status, done.took));
    }
    let tests = tests_in(&here.join("out"));
    let [(_, test)] = tests.as_slice() else {
        return Verdict::Wrong(format!("{told}: {} tests instead of one", tests.len()));
    };
    if test.outcome != Some(Outcome::Exit(0)) || test.stdout.as_deref() != Some(&native.stdout) {
        let engine = String::from_utf8_lossy(test.stdout.as_deref().unwrap_or_default()).into_owned();
        return Verdict::Wrong(format!(
            "{told}: natively {:?}, engine {:?} {engine:?}",
            native.out(),
            test.outcome
        ));
    }
    Verdict::Same
}

/// Seeds from `first` on in steps of `step`, until `count` programs were compared.
fn compare_many(first: u64, step: u64, count: usize) {
    let mut wrong = Vec::new();
    let (mut compared, mut seed, mut skipped) = (0, first, 0);
    while compared < count {
        match compare(seed) {
            Verdict::Same => compared += 1,
            Verdict::Unsuitable => skipped += 1,
            Verdict::Wrong(what) => {
                compared += 1;
                wrong.push(what);
            }
        }
        seed += step;
        assert!(skipped < 3 * count + 20, "csmith gives no usable programs: is it installed?");
    }
    println!("{compared} programs compared, {skipped} skipped");
    assert!(wrong.is_empty(), "{} of {compared} programs differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn checksums_agree_on_even_seeds() {
    compare_many(1000, 2, if long() { 100 } else { 13 });
}

#[test]
fn checksums_agree_on_odd_seeds() {
    compare_many(1001, 2, if long() { 100 } else { 12 });
}
