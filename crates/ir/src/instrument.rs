//! The native side of coverage: a program's bitcode with a counter on each arm of each branch, numbered so that the engine
//! and the native program mean the same arm by the same number. Both sides go through the same steps of loading and call
//! [`number_counters`] at the same point; nothing after it may change a function's control flow. Read `lower::cfg` for
//! what a branch is.

use crate::error::LoadError;
use crate::llvm::{Context, Module, Value};
use crate::load::{self, LoadOptions};
use crate::lower::branch_arms;
use std::path::{Path, PathBuf};

/// String attribute of the input's functions: the number of the function's first counter. It survives linking and
/// renaming.
const COUNTER_MARK: &str = "forkwise-counters";

/// The section of the counters. A C identifier, so the linker defines symbols for its start and its end.
pub const COUNTER_SECTION: &str = "forkwise_counters";

/// A section without contents whose size is the number of counters, which [`COUNTER_SECTION`] rounds up to whole pages.
pub const ARM_SECTION: &str = ".forkwise.arms";

/// The section with a program's own bitcode.
pub const BITCODE_SECTION: &str = ".forkwise.bc";

/// The counters begin on a page and end on one, so that they can be mapped from another process.
const PAGE: u64 = 4096;

/// Arms of all branches of a function.
fn arms_in(function: Value<'_>) -> u32 {
    let terminators = function.blocks().filter_map(|block| block.terminator());
    terminators.filter_map(branch_arms).map(|arms| arms.len() as u32).sum()
}

/// Numbers the arms of all branches, function after function in the module's order, and returns how many there are.
pub(crate) fn number_counters(module: &Module<'_>) -> u32 {
    let mut next = 0;
    for function in module.functions().filter(|function| !function.is_declaration()) {
        module.mark_with(function, COUNTER_MARK, &next.to_string());
        next += arms_in(function);
    }
    next
}

/// The number of a function's first counter, if it has one.
pub(crate) fn first_counter(function: Value<'_>) -> Option<u32> {
    function.mark_text(COUNTER_MARK)?.parse().ok()
}

/// Bitcode of the inputs with a byte for each arm of each branch that is set to 1 when the arm is taken, and with the file
/// `embed` as a section of the object it is translated to. The inputs are taken to be undamaged. `options` must be those
/// the engine will load the program with; counters exist only for programs that are not optimised while loading.
pub fn instrument(
    inputs: &[PathBuf],
    options: &LoadOptions,
    embed: Option<&Path>,
) -> Result<Vec<u8>, LoadError> {
    let _guard = load::enter_llvm();
    let context = Context::new();
    let module = load::read_trusted(&context, inputs, options)?;
    let total = number_counters(&module);
    if total > 0 {
        let size = u64::from(total).next_multiple_of(PAGE);
        let counters = module.add_byte_array("__forkwise_counters", size, COUNTER_SECTION, PAGE as u32);
        for function in module.functions().filter(|function| !function.is_declaration()) {
            let Some(first) = first_counter(function) else { continue };
            module.count_arms(function, counters, first, branch_arms);
        }
        module.append_assembly(&format!(".section {ARM_SECTION},\"\",@nobits\n.zero {total}\n.text\n"));
    }
    if let Some(path) = embed {
        let path = path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        module.append_assembly(&format!(
            ".section {BITCODE_SECTION},\"\",@progbits\n.incbin \"{path}\"\n.text\n"
        ));
    }
    module.verify().map_err(|message| LoadError::Link { what: "the counters".into(), message })?;
    Ok(module.bitcode())
}

/// The bitcode that a program built by `forkwise cc` carries. `None` if the file has none.
pub fn embedded_bitcode(path: &Path) -> Result<Option<Vec<u8>>, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Read { path: path.to_path_buf(), source })?;
    Ok(forkwise_elf::contents(&bytes, BITCODE_SECTION).map(<[u8]>::to_vec))
}
