//! From what the user names to a program that can be run: C sources are compiled, bitcode is read, the C library is
//! linked by need, the entry point is found. Nothing is written anywhere but in a temporary folder.

use crate::glibc;
use anyhow::{Context, bail};
use forkwise_ir::{LoadOptions, Program};
use forkwise_toolchain::{Bitcode, CompileOptions, Runtime, Toolchain};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The function of a libFuzzer target.
pub const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";
const FUZZ_DRIVER: &str = include_str!("fuzz_driver.c");
/// The start of a program in the C library, which calls the entry.
const PROGRAM_START: &str = "__libc_start_main";
/// Functions of gnulib that search memory by words, reading beyond what they search, and ours that do not.
const BYTEWISE: [(&str, &str); 2] =
    [("rawmemchr", "__forkwise_rawmemchr"), ("memchr2", "__forkwise_memchr2")];

/// What to load.
#[derive(Clone, Debug)]
pub struct Input {
    /// Sources and bitcode files; the first gives the program its name.
    pub files: Vec<PathBuf>,
    /// How sources are compiled.
    pub compile: CompileOptions,
    /// Link the C library.
    pub libc: bool,
    /// The function to begin with; `main`, or a libFuzzer target, when not given.
    pub entry: Option<String>,
    /// Largest input of a libFuzzer target.
    pub fuzz_size: u32,
    /// Optimise bitcode inputs, too, at this level.
    pub optimize: Option<u8>,
    /// Uses of the first function go to the second.
    pub aliases: Vec<(String, String)>,
    /// Further archives or bitcode files, linked by need before the C library.
    pub libraries: Vec<PathBuf>,
    /// Also return the linked module as text.
    pub assembly: bool,
    /// Also return the linked module as bitcode.
    pub bitcode: bool,
}

impl Input {
    /// Files with the usual options.
    pub fn new(files: Vec<PathBuf>) -> Input {
        Input {
            files,
            compile: CompileOptions::default(),
            libc: true,
            entry: None,
            fuzz_size: 16,
            optimize: None,
            aliases: Vec::new(),
            libraries: Vec::new(),
            assembly: false,
            bitcode: false,
        }
    }
}

/// A program, ready to run.
pub struct Loaded {
    /// The program.
    pub program: Rc<Program>,
    /// The function to begin with.
    pub entry: String,
    /// It is a libFuzzer target, started by our driver.
    pub is_fuzz_target: bool,
    /// What the compiler said although it succeeded.
    pub warnings: String,
    /// The linked module as text, if asked for.
    pub assembly: Option<String>,
    /// The linked module as bitcode, if asked for.
    pub bitcode: Option<Vec<u8>>,
    /// How long it took.
    pub took: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Source,
    Ir,
}

fn kind(path: &Path) -> anyhow::Result<Kind> {
    let data = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if data.is_dir() {
        bail!("{} is a folder, not a program; name a .c, .bc or .ll file", path.display());
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "i") => Ok(Kind::Source),
        Some("bc" | "ll") => Ok(Kind::Ir),
        // A program carries its bitcode if `forkwise cc` built it; the loader says so if it does not.
        _ if is_elf(path) => Ok(Kind::Ir),
        _ => bail!(
            "{} is not C source (.c, .i), LLVM bitcode (.bc), LLVM assembly (.ll) or a program built with \
             forkwise cc",
            path.display()
        ),
    }
}

/// Is this a native file, which carries its bitcode if it was built with `forkwise cc`?
pub fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Compiles, links and lowers.
pub fn load(input: &Input) -> anyhow::Result<Loaded> {
    let start = Instant::now();
    let kinds = input.files.iter().map(|f| kind(f)).collect::<anyhow::Result<Vec<Kind>>>()?;
    let mut compiled: Option<Bitcode> = None;
    let mut toolchain: Option<Toolchain> = None;
    if kinds.contains(&Kind::Source) {
        let found = Toolchain::find()?;
        compiled = Some(found.compile_c(&input.files, &input.compile)?);
        toolchain = Some(found);
    }
    let files = match &compiled {
        Some(bitcode) => vec![bitcode.path().to_path_buf()],
        None => input.files.clone(),
    };
    let entry = input.entry.clone().unwrap_or_else(|| "main".into());
    let mut options = LoadOptions {
        libraries: input.libraries.clone(),
        mem2reg: true,
        optimize: input.optimize,
        roots: vec![entry.clone(), PROGRAM_START.into(), FUZZ_TARGET.into()],
        aliases: input.aliases.clone(),
        replacements: BYTEWISE.map(|(from, to)| (from.into(), to.into())).to_vec(),
        keep_external: forkwise_vm::native_names().iter().map(|n| n.to_string()).collect(),
        library_path_markers: Vec::new(),
        is_foreign: input.libc.then_some(glibc::is_foreign),
    };
    if input.libc {
        options.libraries.push(Runtime::find()?.libc());
    }
    type Read = (Program, Option<String>, Option<Vec<u8>>);
    let read = |options: &LoadOptions| -> anyhow::Result<Read> {
        if input.bitcode {
            let all = forkwise_ir::load_with_module(&files, options)?;
            Ok((all.program, input.assembly.then_some(all.assembly), Some(all.bitcode)))
        } else if input.assembly {
            let (program, text) = forkwise_ir::load_with_assembly(&files, options)?;
            Ok((program, Some(text), None))
        } else {
            Ok((forkwise_ir::load(&files, options)?, None, None))
        }
    };
    let (mut program, mut assembly, mut bitcode) = read(&options)?;
    let mut is_fuzz_target = false;
    if !has_body(&program, &entry) {
        let driven = input.entry.is_none() && has_body(&program, FUZZ_TARGET);
        if !driven {
            bail!(
                "{} has no function '{entry}': name another one with --entry, or write a main or \
                 {FUZZ_TARGET}",
                input.files[0].display()
            );
        }
        let found = match toolchain {
            Some(found) => found,
            None => Toolchain::find()?,
        };
        let driver = fuzz_driver(&found, input.fuzz_size)?;
        options.libraries.insert(0, driver.path().to_path_buf());
        (program, assembly, bitcode) = read(&options)?;
        is_fuzz_target = true;
    }
    if input.libc {
        refuse_foreign(&program, input)?;
    }
    program.name = input.files[0].display().to_string();
    Ok(Loaded {
        program: Rc::new(program),
        entry,
        is_fuzz_target,
        warnings: compiled.as_ref().map(|b| b.warnings().to_string()).unwrap_or_default(),
        assembly,
        bitcode,
        took: start.elapsed(),
    })
}

/// What the C library lacks may be a part of another one: told here, at once, and not where a path needs it.
fn refuse_foreign(program: &Program, input: &Input) -> anyhow::Result<()> {
    let missing = program.functions.iter().filter(|f| f.code.is_empty()).map(|f| &f.name);
    let missing = missing.chain(&program.undefined_globals);
    let ours = forkwise_vm::native_names();
    match missing.filter(|name| !ours.contains(&name.as_str())).find(|name| glibc::is_internal(name)) {
        Some(symbol) => bail!(
            "{} was compiled against glibc's headers (it uses `{symbol}`); rebuild it with `forkwise cc`",
            input.files[0].display()
        ),
        None => Ok(()),
    }
}

fn has_body(program: &Program, name: &str) -> bool {
    program.function(name).is_some_and(|f| !program.functions[f as usize].code.is_empty())
}

fn fuzz_driver(toolchain: &Toolchain, size: u32) -> anyhow::Result<Bitcode> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let source = folder.path().join("fuzz_driver.c");
    std::fs::write(&source, FUZZ_DRIVER).with_context(|| format!("cannot write {}", source.display()))?;
    let options =
        CompileOptions { defines: vec![format!("FUZZ_SIZE={}", size.max(1))], ..CompileOptions::default() };
    Ok(toolchain.compile_c(&[source], &options)?)
}
