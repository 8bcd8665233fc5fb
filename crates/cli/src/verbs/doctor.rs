//! `forkwise doctor`: is everything there that a run needs? Each line says what was looked for and what was found;
//! what is missing comes with the command that brings it.

use crate::app::{CLEAN, ERROR};
use crate::console;
use clap::Args;
use forkwise_toolchain::{Clang, NativeOptions, Runtime, Sanitizers, Toolchain};
use std::process::Command;

/// Check that everything needed is installed
#[derive(Args, Debug)]
pub struct DoctorArgs {}

enum Found {
    Yes(String),
    No { what: String, fix: String },
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
        Ok(r) => Found::Yes(r.root().display().to_string()),
        Err(e) => Found::No { what: e.to_string(), fix: "cargo xtask setup".into() },
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
    let checks: [(&str, Check); 5] = [
        ("compiler", clang),
        ("LLVM tools", tools),
        ("C library as bitcode", runtime),
        ("sanitizers", sanitizers),
        ("SMT solver", smt),
    ];
    let mut code = CLEAN;
    let mut text = String::new();
    for (name, check) in checks {
        match check() {
            Found::Yes(what) => text.push_str(&format!("ok       {name}: {what}\n")),
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
