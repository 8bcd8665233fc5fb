//! `forkwise doctor`: is everything there that a run needs? Each line says what was looked for and what was found;
//! what is missing comes with the command that brings it.

use crate::app::{CLEAN, ERROR};
use crate::console;
use crate::input::{self, Input};
use crate::run::session;
use clap::Args;
use forkwise_replay::{Runner, RunnerOptions};
use forkwise_toolchain::{Clang, NativeOptions, Runtime, Sanitizers, Toolchain};
use std::process::Command;

/// Check that everything needed is installed
#[derive(Args, Debug)]
pub struct DoctorArgs {}

enum Found {
    Yes(String),
    /// Works, but not as well as it could.
    Weak {
        what: String,
        fix: String,
    },
    No {
        what: String,
        fix: String,
    },
}

type Check = fn() -> Found;

fn clang() -> Found {
    match Clang::find() {
        Ok(c) => Found::Yes(format!("clang {} at {}", c.major, c.path.display())),
        Err(e) => Found::No { what: e.to_string(), fix: "apt-get install clang-19 llvm-19 lld-19".into() },
    }
}

fn tools() -> Found {
    let fix = "apt-get install llvm-19 lld-19".to_string();
    let Ok(toolchain) = Toolchain::find() else {
        return Found::No { what: "not looked for, because there is no clang".into(), fix };
    };
    for name in ["llvm-link", "opt", "ld.lld"] {
        if let Err(e) = toolchain.tool(name) {
            return Found::No { what: e.to_string(), fix };
        }
    }
    Found::Yes("llvm-link, opt and ld.lld".into())
}

fn runtime() -> Found {
    match Runtime::find() {
        Ok(r) => match read_library(&r) {
            Ok(what) => Found::Yes(what),
            Err(what) => Found::No { what, fix: "cargo xtask setup".into() },
        },
        Err(e) => Found::No { what: e.to_string(), fix: "cargo xtask setup".into() },
    }
}

/// The library is not only there: a program that needs it can be loaded.
fn read_library(runtime: &Runtime) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let source = folder.path().join("hello.c");
    let text = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";
    std::fs::write(&source, text).map_err(|e| e.to_string())?;
    let loaded = input::load(&Input::new(vec![source])).map_err(|e| format!("{e:#}"))?;
    let size = std::fs::metadata(runtime.libc()).map_or(0, |m| m.len() >> 20);
    let functions = loaded.program.functions.len();
    Ok(format!("{} ({size} MB; a program with {functions} functions loads)", runtime.root().display()))
}

fn replays() -> Found {
    match Runner::new(&RunnerOptions::default()) {
        Ok(runner) => match runner.warning() {
            None => Found::Yes("native programs run isolated".into()),
            Some(why) => Found::Weak {
                what: format!("native programs run, but {why}"),
                fix: "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or run as root"
                    .into(),
            },
        },
        Err(e) => Found::No {
            what: e.to_string(),
            fix: "see the cause above; --no-replay explores without native runs".into(),
        },
    }
}

/// A line of /proc/self/limits: what is allowed now; `None` is everything.
fn limit(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn limits() -> Found {
    const LEAST: u64 = 2 << 30;
    let memory = session::machine_memory().unwrap_or(0);
    let mb = |bytes: u64| bytes >> 20;
    if let Some(most) = limit("Max address space").filter(|m| *m < LEAST) {
        let what =
            format!("this shell allows {} MB of memory to a process; runs want 2 GB or more", mb(most));
        return Found::Weak { what, fix: "ulimit -v unlimited".into() };
    }
    if let Some(most) = limit("Max open files").filter(|n| *n < 256) {
        let what = format!("this shell allows {most} open files; replays beside each other want 256");
        return Found::Weak { what, fix: "ulimit -n 1024".into() };
    }
    if let Some(most) = limit("Max file size").filter(|m| *m < 64 << 20) {
        let what = format!("this shell allows files of {} MB; statistics of long runs are larger", mb(most));
        return Found::Weak { what, fix: "ulimit -f unlimited".into() };
    }
    if memory < LEAST / 4 * 3 {
        return Found::Weak {
            what: format!("a run may use {} MB of this machine; states will be dropped soon", mb(memory)),
            fix: "give the machine 4 GB or more".into(),
        };
    }
    Found::Yes(format!("a run may use {} MB unless --max-memory says otherwise", mb(memory)))
}

fn place() -> Found {
    let probe = std::env::current_dir().and_then(|d| tempfile::Builder::new().tempfile_in(d));
    match probe {
        Ok(_) => Found::Yes("results can be written here".into()),
        Err(e) => Found::Weak {
            what: format!("nothing can be written to the current folder ({e})"),
            fix: "go to a folder of yours, or name one with -o".into(),
        },
    }
}

fn sanitizers() -> Found {
    let missing = |what: String| Found::No { what, fix: "apt-get install libclang-rt-19-dev".into() };
    let built = Toolchain::find().map_err(|e| e.to_string()).and_then(|toolchain| {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let source = folder.path().join("empty.c");
        std::fs::write(&source, "int main(void) { return 0; }\n").map_err(|e| e.to_string())?;
        let options = NativeOptions { sanitizers: Sanitizers::ALL, ..NativeOptions::default() };
        toolchain.build_native(&[source], &folder.path().join("empty"), &options).map_err(|e| e.to_string())
    });
    match built {
        Ok(_) => Found::Yes("a program with AddressSanitizer and UBSan can be built".into()),
        Err(e) => missing(e),
    }
}

fn smt() -> Found {
    let fix = "apt-get install z3".to_string();
    match Command::new("z3").arg("--version").output() {
        Ok(out) if out.status.success() => {
            Found::Yes(String::from_utf8_lossy(&out.stdout).trim().to_string())
        }
        Ok(out) => Found::No { what: format!("z3 --version fails ({})", out.status), fix },
        Err(e) => Found::No {
            what: format!("z3 does not start ({e}); symbolic floating point and hard arithmetic need it"),
            fix,
        },
    }
}

/// `forkwise doctor`.
pub fn main(_: &DoctorArgs) -> anyhow::Result<u8> {
    let checks: [(&str, Check); 8] = [
        ("compiler", clang),
        ("LLVM tools", tools),
        ("C library as bitcode", runtime),
        ("sanitizers", sanitizers),
        ("SMT solver", smt),
        ("native runs", replays),
        ("limits", limits),
        ("folder", place),
    ];
    let mut code = CLEAN;
    let mut text = String::new();
    for (name, check) in checks {
        match check() {
            Found::Yes(what) => text.push_str(&format!("ok       {name}: {what}\n")),
            Found::Weak { what, fix } => {
                text.push_str(&format!("weak     {name}: {what}\n         fix: {fix}\n"))
            }
            Found::No { what, fix } => {
                code = ERROR;
                let what = what.trim_end().replace('\n', "\n         ");
                text.push_str(&format!("MISSING  {name}: {what}\n         fix: {fix}\n"));
            }
        }
    }
    console::out(text)?;
    Ok(code)
}
