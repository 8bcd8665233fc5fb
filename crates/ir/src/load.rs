//! Loading: files to modules, modules to one program.
//!
//! Every file is checked before LLVM sees it, and LLVM's diagnostics become errors: nothing is printed here and
//! malformed input never aborts the process. Read `link` for how libraries are linked by need, `lower` for what
//! happens then.

use crate::archive::{Archive, is_archive};
use crate::error::LoadError;
use crate::instrument::{BITCODE_SECTION, number_counters};
use crate::link::{self, Library, Needs, Unit};
use crate::llvm::{Context, Module};
use crate::lower::{LowerOptions, lower};
use crate::probe::{self, Noise};
use crate::program::Program;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const DATA_LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// How a program is loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Archives of bitcode members (or single bitcode files), searched in order for what the inputs leave undefined.
    /// Unlike the inputs they are not tried in a child process first: they are taken to be undamaged.
    pub libraries: Vec<PathBuf>,
    /// Promote stack variables of the inputs to values; branches stay as they are in the source.
    pub mem2reg: bool,
    /// Optimise the inputs at this level (1 to 3).
    pub optimize: Option<u8>,
    /// Functions to keep although nothing calls them, such as `main`. They are also taken from libraries. When this
    /// is empty, everything the inputs define is kept.
    pub roots: Vec<String>,
    /// Uses of the first function go to the second.
    pub aliases: Vec<(String, String)>,
    /// Where the inputs define the first function, its uses go to the second, which is taken from a library.
    pub replacements: Vec<(String, String)>,
    /// Names never taken from libraries: the engine provides them.
    pub keep_external: Vec<String>,
    /// Source files whose path contains one of these texts count as library code.
    pub library_path_markers: Vec<String>,
    /// What inputs may not use without defining it, by the triple of their target (a function, because triples have
    /// many spellings) and the symbol: signs of another C library than the one that is linked.
    pub is_foreign: Option<fn(&str, &str) -> bool>,
}

/// Held while LLVM works: a file is first tried in a forked child, which must not inherit locks that another thread
/// holds inside LLVM.
static IN_LLVM: Mutex<()> = Mutex::new(());

pub(crate) fn enter_llvm() -> MutexGuard<'static, ()> {
    IN_LLVM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Loads, links and lowers.
pub fn load(inputs: &[PathBuf], options: &LoadOptions) -> Result<Program, LoadError> {
    let _guard = enter_llvm();
    let context = Context::new();
    let (module, lower_options) = build(&context, inputs, options)?;
    lower(&module, program_name(inputs), lower_options)
}

/// Loads and links, and returns the linked module as LLVM assembly (KLEE's `assembly.ll`).
pub fn print_assembly(inputs: &[PathBuf], options: &LoadOptions) -> Result<String, LoadError> {
    let _guard = enter_llvm();
    let context = Context::new();
    Ok(build(&context, inputs, options)?.0.print())
}

/// Both at once, at the cost of one.
pub fn load_with_assembly(inputs: &[PathBuf], options: &LoadOptions) -> Result<(Program, String), LoadError> {
    let _guard = enter_llvm();
    let context = Context::new();
    let (module, lower_options) = build(&context, inputs, options)?;
    let text = module.print();
    Ok((lower(&module, program_name(inputs), lower_options)?, text))
}

/// A program together with the linked module it was lowered from.
#[derive(Debug)]
pub struct WithModule {
    /// The program.
    pub program: Program,
    /// The module as LLVM assembly.
    pub assembly: String,
    /// The module as bitcode.
    pub bitcode: Vec<u8>,
}

/// Loads and links once; gives the program and the module in both of its forms.
pub fn load_with_module(inputs: &[PathBuf], options: &LoadOptions) -> Result<WithModule, LoadError> {
    let _guard = enter_llvm();
    let context = Context::new();
    let (module, lower_options) = build(&context, inputs, options)?;
    let (assembly, bitcode) = (module.print(), module.bitcode());
    Ok(WithModule { program: lower(&module, program_name(inputs), lower_options)?, assembly, bitcode })
}

fn program_name(inputs: &[PathBuf]) -> String {
    inputs.first().map(|p| p.display().to_string()).unwrap_or_default()
}

/// Is this bitcode, plain or in a wrapper?
pub(crate) fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B])
}

/// Reads a file that should be bitcode or assembly.
fn read_input(path: &Path) -> Result<Vec<u8>, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Read { path: path.to_path_buf(), source })?;
    let not = |what: &str| Err(LoadError::NotBitcode { path: path.to_path_buf(), what: what.into() });
    if is_bitcode(&bytes) {
        return Ok(bytes);
    }
    if bytes.is_empty() {
        return not("it is empty");
    }
    if forkwise_elf::is_elf(&bytes) {
        return match forkwise_elf::contents(&bytes, BITCODE_SECTION) {
            Some(bitcode) if is_bitcode(bitcode) => Ok(bitcode.to_vec()),
            Some(_) => not("what it carries as its bitcode is none"),
            None => not("it is a native program without its bitcode; rebuild it with `forkwise cc`"),
        };
    }
    if is_archive(&bytes) {
        return not("it is an archive; name it as a library");
    }
    if bytes.contains(&0)
        || std::str::from_utf8(&bytes[..bytes.len().min(4096)]).is_err_and(|e| e.error_len().is_some())
    {
        return not("it is a binary file of another kind");
    }
    Ok(bytes)
}

/// Parses and checks one input.
fn parse_input<'c>(context: &'c Context, path: &Path, bytes: &[u8]) -> Result<Module<'c>, LoadError> {
    let name = path.display().to_string();
    let malformed = |message: String| {
        // LLVM names the file, as the error does.
        let message = message.strip_prefix(&format!("{name}: error: ")).unwrap_or(&message).to_string();
        LoadError::Malformed { path: path.to_path_buf(), message }
    };
    let module = context.parse(bytes, &name).map_err(malformed)?;
    check_target(&module, path)?;
    module.verify().map_err(malformed)?;
    Ok(module)
}

/// Refuses modules for other machines; one without a target gets ours.
fn check_target(module: &Module<'_>, path: &Path) -> Result<(), LoadError> {
    let triple = module.triple();
    let wrong = |target: String| Err(LoadError::WrongTarget { path: path.to_path_buf(), target });
    if triple.is_empty() {
        module.set_triple(TRIPLE);
    } else if !(triple.starts_with("x86_64-") || triple.starts_with("amd64-")) || triple.ends_with("x32") {
        return wrong(triple);
    }
    if module.data_layout().is_empty() {
        module.set_data_layout(DATA_LAYOUT);
    } else if !module.is_little_endian_64() {
        return wrong(format!("data layout {}", module.data_layout()));
    }
    Ok(())
}

/// Fails when a module uses what only another C library has as its headers describe it.
fn refuse_foreign(
    module: &Module<'_>,
    path: &Path,
    is_foreign: fn(&str, &str) -> bool,
) -> Result<(), LoadError> {
    let triple = module.triple();
    let declared = module.functions().chain(module.globals()).filter(|value| value.is_declaration());
    match declared.map(|value| value.name()).find(|name| is_foreign(&triple, name)) {
        Some(symbol) => Err(LoadError::ForeignLibrary { path: path.to_path_buf(), symbol }),
        None => Ok(()),
    }
}

fn build<'c>(
    context: &'c Context,
    inputs: &[PathBuf],
    options: &LoadOptions,
) -> Result<(Module<'c>, LowerOptions), LoadError> {
    let mut files = Vec::new();
    for path in inputs {
        files.push((path.clone(), read_input(path)?));
    }
    let noise = probe::survive(&files)?;
    let mut units = Vec::new();
    let mut user_files = FxHashSet::default();
    for (path, bytes) in &files {
        let module = match noise {
            Noise::Silent => parse_input(context, path, bytes)?,
            Noise::Printed => probe::without_stderr(|| parse_input(context, path, bytes))?,
        };
        if let Some(is_foreign) = options.is_foreign {
            refuse_foreign(&module, path, is_foreign)?;
        }
        user_files.extend(link::source_files(&module));
        units.push(Unit { module, name: path.display().to_string() });
    }
    let module = link::link_inputs(units)?;
    prepare_inputs(&module, options)?;
    // Other passes than these may change the branches, and the native program knows only the unchanged ones.
    let counters = if optimizes(options).is_some() { 0 } else { number_counters(&module) };

    let mut libraries = Vec::new();
    for path in &options.libraries {
        libraries.push(open_library(context, path)?);
    }
    let keep_external: FxHashSet<String> = options.keep_external.iter().cloned().collect();
    let mut library_files = FxHashSet::default();
    let mut roots = options.roots.clone();
    roots.extend(options.aliases.iter().map(|(_, to)| to.clone()));
    let replaced = |from: &str| module.function(from).is_some_and(|function| !function.is_declaration());
    let replacements: Vec<&(String, String)> =
        options.replacements.iter().filter(|(from, _)| replaced(from)).collect();
    roots.extend(replacements.iter().map(|(_, to)| to.clone()));
    let mut keep: FxHashSet<String> = roots.iter().cloned().collect();
    // A program that redirects calls by name may name any function.
    if options.roots.is_empty() || module.function("klee_alias_function").is_some() {
        keep.extend(module.functions().filter(|f| !f.is_declaration()).map(|f| f.name()));
    }
    let needs = Needs { roots: &roots, keep_external: &keep_external };
    let module =
        link::link_libraries(context, module, &mut libraries, &needs, &mut library_files, check_target)?;
    for (from, to) in &options.aliases {
        if let (Some(from), Some(to)) = (module.function(from), module.function(to))
            && from != to
        {
            from.replace_all_uses(to);
        }
    }
    for (from, to) in replacements {
        // A function of that name that takes something else is another function.
        if let (Some(from), Some(to)) = (module.function(from), module.function(to))
            && from.value_type() == to.value_type()
        {
            from.replace_all_uses(to);
        }
    }
    link::replace_ifuncs(&module);
    keep.extend(link::math_functions(&module));
    link::drop_unreachable(&module, &keep)?;
    module.use_debug_intrinsics();
    let what = || program_name(inputs);
    module.verify().map_err(|message| LoadError::Link { what: what(), message })?;
    let lower_options = LowerOptions {
        keep_external,
        library_files,
        user_files,
        library_path_markers: options.library_path_markers.clone(),
        counters,
        warnings: match noise {
            Noise::Silent => Vec::new(),
            Noise::Printed => {
                vec![format!("debug information of {} is broken and left out", program_name(inputs))]
            }
        },
    };
    Ok((module, lower_options))
}

/// Reads, links and prepares inputs that this process or one it started has just written, as [`build`] does, libraries
/// left out.
pub(crate) fn read_trusted<'c>(
    context: &'c Context,
    inputs: &[PathBuf],
    options: &LoadOptions,
) -> Result<Module<'c>, LoadError> {
    let mut units = Vec::new();
    for path in inputs {
        let module = parse_input(context, path, &read_input(path)?)?;
        units.push(Unit { module, name: path.display().to_string() });
    }
    let module = link::link_inputs(units)?;
    prepare_inputs(&module, options)?;
    Ok(module)
}

/// The level at which the inputs are optimised, if they are.
fn optimizes(options: &LoadOptions) -> Option<u8> {
    options.optimize.filter(|level| *level > 0)
}

/// Passes over the user's code, before libraries are linked: what a pass introduces is still found in them.
fn prepare_inputs(module: &Module<'_>, options: &LoadOptions) -> Result<(), LoadError> {
    let optimize = optimizes(options);
    if optimize.is_none() && !options.mem2reg {
        return Ok(());
    }
    for function in module.functions().filter(|f| f.has_attribute("optnone")) {
        function.remove_attribute("optnone");
        if optimize.is_some() {
            // clang adds it to every function at -O0, where it cannot be told from the user's own.
            function.remove_attribute("noinline");
        }
    }
    let passes = match optimize {
        Some(level) => format!("default<O{}>", level.min(3)),
        None => "function(mem2reg)".to_string(),
    };
    module.run_passes(&passes).map_err(|message| LoadError::Passes { passes, message })
}

fn open_library(context: &Context, path: &Path) -> Result<Library, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Read { path: path.to_path_buf(), source })?;
    let archive = if is_archive(&bytes) {
        Archive::parse(path, bytes)?
    } else if is_bitcode(&bytes) {
        Archive::single(path, bytes)
    } else {
        let what = "a library is an archive of bitcode or a bitcode file".to_string();
        return Err(LoadError::NotBitcode { path: path.to_path_buf(), what });
    };
    Library::open(context, archive)
}
