//! `forkwise harness`: writes a harness for a function: its parameters become inputs, pointers point to inputs. The compiler reads the
//! prototype; what cannot be guessed is said in comments, for people to change. The harness is C that compiles, or none is written.

use crate::app::CLEAN;
use crate::console;
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use forkwise_testcase::atomic_write;
use forkwise_toolchain::Toolchain;
use serde::Deserialize;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Write a harness that makes a function's parameters symbolic
#[derive(Args, Debug)]
pub struct HarnessArgs {
    /// The function
    #[arg(value_name = "FUNC")]
    function: String,
    /// The source file that defines it
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Elements behind a pointer, and bytes of a string with its end
    #[arg(short = 'n', long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=65536))]
    elements: u32,
    /// Where to write it [default: harness_FUNC.c]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Define a macro: NAME or NAME=VALUE
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    define: Vec<String>,
    /// Add a folder with headers
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
}

/// A declaration, as far as it is looked at.
#[derive(Debug, Deserialize)]
struct Node {
    kind: Option<String>,
    name: Option<String>,
    #[serde(rename = "type")]
    ty: Option<Type>,
    #[serde(default)]
    variadic: bool,
    #[serde(default)]
    inner: Vec<Node>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Type {
    #[serde(rename = "qualType", default)]
    written: String,
    #[serde(rename = "desugaredQualType")]
    meant: Option<String>,
}

/// A parameter.
#[derive(Debug)]
struct Parameter {
    name: String,
    ty: Type,
}

/// `forkwise harness`.
pub fn main(args: &HarnessArgs) -> anyhow::Result<u8> {
    if args.function.is_empty() || !args.function.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        bail!("{:?} is not the name of a C function", args.function);
    }
    if !args.file.is_file() {
        bail!("there is no file {}", args.file.display());
    }
    let output = args.output.clone().unwrap_or_else(|| format!("harness_{}.c", args.function).into());
    if output.exists() {
        bail!("{} exists already; name another file with -o, or remove it", output.display());
    }
    let toolchain = Toolchain::find()?;
    let (parameters, variadic) = prototype(args, &toolchain)?;
    let included = include_name(&args.file, &output)?;
    // Types that are only declared cannot be filled: a pointer to a structure is, if the compiler agrees.
    let mut filled = vec![false; parameters.len()];
    let write = |filled: &[bool]| harness(args, &parameters, variadic, &included, filled);
    if let Err(why) = compiles(args, &toolchain, &write(&filled), &output) {
        bail!("no harness could be written for {}: the compiler says\n{}", args.function, why.trim_end());
    }
    for i in 0..parameters.len() {
        if matches!(shape(&parameters[i].ty), Shape::Structure(_)) {
            filled[i] = true;
            filled[i] = compiles(args, &toolchain, &write(&filled), &output).is_ok();
        }
    }
    atomic_write(&output, write(&filled).as_bytes())?;
    let name = output.display();
    console::out(format!("{name}: explore it with `forkwise run {name}`\n"))?;
    Ok(CLEAN)
}

fn flags(args: &HarnessArgs, toolchain: &Toolchain) -> anyhow::Result<Vec<OsString>> {
    let mut out: Vec<OsString> = args.define.iter().map(|d| format!("-D{d}").into()).collect();
    let ours = toolchain.runtime()?.api_include();
    for folder in args.include.iter().chain(std::iter::once(&ours)) {
        out.push("-I".into());
        out.push(folder.into());
    }
    Ok(out)
}

/// The parameters, and whether more may follow.
fn prototype(args: &HarnessArgs, toolchain: &Toolchain) -> anyhow::Result<(Vec<Parameter>, bool)> {
    let mut command = Command::new(&toolchain.clang().path);
    command.args(["-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-Xclang"]);
    command.arg(format!("-ast-dump-filter={}", args.function));
    command.args(flags(args, toolchain)?).arg(&args.file);
    let said = command.output().context("cannot start clang")?;
    if !said.status.success() {
        bail!(
            "{} does not compile; -I and -D may be missing:\n{}",
            args.file.display(),
            String::from_utf8_lossy(&said.stderr).trim_end()
        );
    }
    // The filter takes every name that contains the word.
    let nodes = serde_json::Deserializer::from_slice(&said.stdout).into_iter::<Node>();
    let functions: Vec<Node> = nodes
        .filter_map(Result::ok)
        .filter(|n| n.kind.as_deref() == Some("FunctionDecl") && n.name.as_deref() == Some(&args.function))
        .collect();
    let has_body = |n: &&Node| n.inner.iter().any(|i| i.kind.as_deref() == Some("CompoundStmt"));
    let Some(function) = functions.iter().find(has_body).or(functions.first()) else {
        bail!("{} has no function {}", args.file.display(), args.function);
    };
    let parameters = function.inner.iter().filter(|i| i.kind.as_deref() == Some("ParmVarDecl"));
    let parameters = parameters
        .enumerate()
        .map(|(i, p)| Parameter {
            name: p.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("p{}", i + 1)),
            ty: p.ty.clone().unwrap_or_default(),
        })
        .collect();
    Ok((parameters, function.variadic))
}

/// The source as the harness includes it: relative where the harness lies above it.
fn include_name(file: &Path, output: &Path) -> anyhow::Result<String> {
    let full = |p: &Path| p.canonicalize().with_context(|| format!("cannot read {}", p.display()));
    let file = full(file)?;
    let folder = output.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = full(folder)?;
    let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
    if name.contains(['"', '\n', '\\']) {
        bail!("{} cannot be included from C: rename it", file.display());
    }
    Ok(name)
}

fn compiles(args: &HarnessArgs, toolchain: &Toolchain, text: &str, output: &Path) -> Result<(), String> {
    let folder = output.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Beside where it will be, so that what it includes is found.
    let file = tempfile::Builder::new().prefix(".harness-").suffix(".c").tempfile_in(folder);
    let file = file.map_err(|e| format!("cannot write to {}: {e}", folder.display()))?;
    std::fs::write(file.path(), text).map_err(|e| e.to_string())?;
    let mut command = Command::new(&toolchain.clang().path);
    let flags = flags(args, toolchain).map_err(|e| format!("{e:#}"))?;
    command.args(["-fsyntax-only", "-w"]).args(flags).arg(file.path());
    let said = command.output().map_err(|e| e.to_string())?;
    if said.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&said.stderr).into_owned()) }
}

/// What a type is to a harness.
#[derive(Debug, PartialEq, Eq)]
enum Shape {
    Bool,
    /// A number, an enumeration, a structure by value.
    Value,
    /// A pointer to characters.
    Text,
    /// A pointer to anything else that can be filled; the type of an element.
    Array(String),
    /// A pointer to a structure.
    Structure(String),
    /// A pointer to a pointer or to a function, or something of the system.
    Opaque,
}

fn shape(ty: &Type) -> Shape {
    let meant = ty.meant.as_deref().unwrap_or(&ty.written).trim();
    if matches!(meant, "_Bool" | "bool") {
        return Shape::Bool;
    }
    if meant.contains('(') {
        return Shape::Opaque;
    }
    let Some(pointee) = meant.strip_suffix("const").unwrap_or(meant).trim_end().strip_suffix('*') else {
        return Shape::Value;
    };
    let words: Vec<&str> =
        pointee.split_whitespace().filter(|w| !matches!(*w, "const" | "volatile" | "restrict")).collect();
    let pointee = words.join(" ");
    let written = ty.written.trim_end_matches(['*', ' ']).replace("const ", "");
    match pointee.as_str() {
        "char" | "signed char" | "unsigned char" => Shape::Text,
        "void" => Shape::Array("unsigned char".into()),
        p if p.contains(['*', '(', '[']) => Shape::Opaque,
        "FILE" | "struct _IO_FILE" => Shape::Opaque,
        p if p.starts_with("struct ") || p.starts_with("union ") => Shape::Structure(written),
        "int" | "unsigned int" | "short" | "unsigned short" | "long" | "unsigned long" | "long long"
        | "unsigned long long" | "float" | "double" | "_Bool" => Shape::Array(pointee),
        _ => Shape::Structure(written),
    }
}

/// Is this the length of the pointer before it?
fn is_length(p: &Parameter) -> bool {
    let meant = p.ty.meant.as_deref().unwrap_or(&p.ty.written);
    let integer = !meant.contains('*') && ["int", "long", "short", "char"].iter().any(|t| meant.contains(t));
    let name = p.name.to_ascii_lowercase();
    integer
        && (matches!(name.as_str(), "n" | "cb")
            || ["len", "size", "count", "num", "sz"].iter().any(|w| name.contains(w)))
}

fn harness(
    args: &HarnessArgs,
    parameters: &[Parameter],
    variadic: bool,
    included: &str,
    filled: &[bool],
) -> String {
    let mut out = String::new();
    let n = args.elements;
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "/* A harness for {}, written by `forkwise harness`; change it as you like.",
        args.function
    );
    let _ = writeln!(
        out,
        " *     forkwise run {}",
        args.output.as_deref().map_or(format!("harness_{}.c", args.function), |o| o.display().to_string())
    );
    let _ = writeln!(out, " */");
    let _ = writeln!(
        out,
        "#include <forkwise.h>\n\n/* A main that is there already must not be ours. */\n#define main original_main\n#include \"{included}\"\n#undef main\n"
    );
    let _ = writeln!(out, "int main(void)\n{{");
    let mut calls = Vec::new();
    let mut before_is_pointer = false;
    for (p, fill) in parameters.iter().zip(filled) {
        let name = format!("in_{}", p.name);
        let label = &p.name;
        let mut is_pointer = false;
        match shape(&p.ty) {
            Shape::Bool => {
                let _ = writeln!(
                    out,
                    "\tunsigned char {name};\n\tforkwise_symbolic(&{name}, sizeof {name}, \"{label}\");\n\tforkwise_assume({name} <= 1);"
                );
                calls.push(name);
            }
            Shape::Value => {
                let written = p.ty.written.replace("const ", "");
                let _ = writeln!(
                    out,
                    "\t{written} {name};\n\tforkwise_symbolic(&{name}, sizeof {name}, \"{label}\");"
                );
                if before_is_pointer && is_length(p) {
                    let _ = writeln!(
                        out,
                        "\tforkwise_assume((unsigned long long){name} <= {n}); /* the length of what is before it */"
                    );
                }
                calls.push(name);
            }
            Shape::Text => {
                is_pointer = true;
                let _ = writeln!(
                    out,
                    "\tchar {name}[{n}];\n\tforkwise_symbolic({name}, sizeof {name}, \"{label}\");"
                );
                let _ = writeln!(
                    out,
                    "\tforkwise_assume({name}[{}] == 0); /* a string ends; leave this out for plain bytes */",
                    n - 1
                );
                calls.push(format!("(void *){name}"));
            }
            Shape::Array(element) => {
                is_pointer = true;
                let _ = writeln!(
                    out,
                    "\t{element} {name}[{n}];\n\tforkwise_symbolic({name}, sizeof {name}, \"{label}\");"
                );
                calls.push(format!("(void *){name}"));
            }
            Shape::Structure(element) if *fill => {
                is_pointer = true;
                let _ = writeln!(
                    out,
                    "\t{element} {name}[1]; /* pointers in it are symbolic, too: set those that are followed */"
                );
                let _ = writeln!(out, "\tforkwise_symbolic({name}, sizeof {name}, \"{label}\");");
                calls.push(format!("(void *){name}"));
            }
            Shape::Structure(_) | Shape::Opaque => {
                let _ = writeln!(
                    out,
                    "\t/* {label} ({}) cannot be guessed: give it a value. */\n\tvoid *{name} = 0;",
                    p.ty.written.replace("*/", "* /")
                );
                calls.push(name);
            }
        }
        before_is_pointer = is_pointer || before_is_pointer && is_length(p);
    }
    if variadic {
        let _ = writeln!(out, "\t/* More arguments may follow; add those that matter. */");
    }
    let _ = writeln!(out, "\t{}({});\n\treturn 0;\n}}", args.function, calls.join(", "));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(written: &str, meant: Option<&str>) -> Shape {
        shape(&Type { written: written.into(), meant: meant.map(String::from) })
    }

    #[test]
    fn types_have_shapes() {
        assert_eq!(of("const char *", None), Shape::Text);
        assert_eq!(of("uint8_t *", Some("unsigned char *")), Shape::Text);
        assert_eq!(of("size_t", Some("unsigned long")), Shape::Value);
        assert_eq!(of("pair", None), Shape::Value);
        assert_eq!(of("void *", None), Shape::Array("unsigned char".into()));
        assert_eq!(of("const int *", None), Shape::Array("int".into()));
        assert_eq!(of("struct q *", None), Shape::Structure("struct q".into()));
        assert_eq!(of("const pair *", None), Shape::Structure("pair".into()));
        assert_eq!(of("char **", None), Shape::Opaque);
        assert_eq!(of("int (*)(int)", None), Shape::Opaque);
        assert_eq!(of("bool", Some("_Bool")), Shape::Bool);
    }
}
