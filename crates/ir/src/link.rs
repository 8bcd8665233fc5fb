//! Putting a program together: which definition of each symbol counts, which library members are needed, and what
//! can be dropped.
//!
//! Symbols are resolved here, before LLVM links anything: a strong definition beats a weak one wherever it stands,
//! a library member is taken only for a symbol that nothing defines, and every definition that does not count is
//! turned into a declaration. LLVM's linker then never has to choose, which it does wrongly for weak aliases.

use crate::archive::Archive;
use crate::error::LoadError;
use crate::llvm::{Context, Module, TypeKind, Value, intrinsic_base_name};
use crate::lower::{LIBRARY_MARK, join_path, math_function};
use crate::op::FpFormat;
use llvm_sys::LLVMLinkage;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// A module before linking, with what messages call it.
pub(crate) struct Unit<'c> {
    pub module: Module<'c>,
    pub name: String,
}

/// A library that members are taken from.
pub(crate) struct Library {
    archive: Archive,
    /// Member that defines a symbol.
    index: FxHashMap<String, usize>,
    /// Members already linked.
    taken: FxHashSet<usize>,
}

/// How firmly a module defines a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    /// Mentioned weakly: null if nothing defines it.
    WeakReference,
    /// Wanted.
    Reference,
    /// A body that may be used but is not a definition (C99 `inline`).
    Available,
    Weak,
    Common(u64),
    Strong,
}

impl Strength {
    fn defines(self) -> bool {
        self >= Strength::Weak
    }
}

/// The symbols of a module that others can see.
fn symbols<'m>(module: &'m Module<'_>) -> Vec<(String, Value<'m>, Strength)> {
    use LLVMLinkage::*;
    let all = module.functions().chain(module.globals()).chain(module.aliases()).chain(module.ifuncs());
    let mut list = Vec::new();
    for value in all {
        let name = value.name();
        if name.is_empty() || name.starts_with("llvm.") {
            continue;
        }
        let declared = value.is_declaration();
        let strength = match value.linkage() {
            LLVMInternalLinkage | LLVMPrivateLinkage | LLVMAppendingLinkage => continue,
            LLVMExternalWeakLinkage => Strength::WeakReference,
            _ if declared => Strength::Reference,
            LLVMAvailableExternallyLinkage => Strength::Available,
            LLVMLinkOnceAnyLinkage
            | LLVMLinkOnceODRLinkage
            | LLVMLinkOnceODRAutoHideLinkage
            | LLVMWeakAnyLinkage
            | LLVMWeakODRLinkage => Strength::Weak,
            LLVMCommonLinkage => Strength::Common(module.alloc_size(value.value_type())),
            _ => Strength::Strong,
        };
        list.push((name, value, strength));
    }
    list
}

/// Functions of the C library that mathematical intrinsics of this module stand for.
pub(crate) fn math_functions(module: &Module<'_>) -> Vec<String> {
    let mut list = Vec::new();
    for function in module.functions() {
        let id = function.intrinsic_id();
        if id == 0 {
            continue;
        }
        let base = intrinsic_base_name(id);
        let name = base.trim_start_matches("llvm.").trim_start_matches("experimental.constrained.");
        let full = function.name();
        let suffix = full.rsplit('.').find(|s| s.contains('f')).unwrap_or("");
        let format = match suffix.trim_start_matches(|c: char| c == 'v' || c.is_ascii_digit()) {
            "f32" | "f16" | "bf16" => FpFormat::Single,
            "f64" => FpFormat::Double,
            "f80" => FpFormat::X87,
            "f128" => FpFormat::Quad,
            _ => continue,
        };
        list.extend(math_function(name, format));
    }
    list
}

/// Which unit's definition of each symbol counts.
#[derive(Default)]
struct Resolution {
    prevailing: FxHashMap<String, (usize, Strength)>,
    /// Symbols mentioned by someone, in order of appearance.
    wanted: Vec<String>,
}

impl Resolution {
    /// Takes a unit's symbols into account; with `strict`, two strong definitions are an error.
    fn add(&mut self, units: &[Unit<'_>], unit: usize, strict: bool) -> Result<(), LoadError> {
        for (name, _, strength) in symbols(&units[unit].module) {
            if strength == Strength::Reference || strength == Strength::Available {
                self.wanted.push(name.clone());
            }
            let Some((first, known)) = self.prevailing.get_mut(&name) else {
                self.prevailing.insert(name, (unit, strength));
                continue;
            };
            if strict && *known == Strength::Strong && strength == Strength::Strong {
                return Err(LoadError::DuplicateSymbol {
                    symbol: name,
                    first: units[*first].name.clone(),
                    second: units[unit].name.clone(),
                });
            }
            if strength > *known {
                (*first, *known) = (unit, strength);
            }
        }
        self.wanted.extend(math_functions(&units[unit].module));
        Ok(())
    }

    fn is_defined(&self, name: &str) -> bool {
        self.prevailing.get(name).is_some_and(|(_, s)| s.defines())
    }

    /// Turns definitions that do not count into declarations.
    fn demote(&self, units: &[Unit<'_>], keep_external: &FxHashSet<String>) {
        for (i, unit) in units.iter().enumerate() {
            for (name, value, strength) in symbols(&unit.module) {
                let prevails = self.prevailing.get(&name).is_some_and(|(first, _)| *first == i);
                match strength {
                    Strength::Weak | Strength::Common(_) | Strength::Strong if !prevails => {
                        to_declaration(&unit.module, value, &name);
                    }
                    Strength::Available if !prevails || keep_external.contains(&name) => {
                        to_declaration(&unit.module, value, &name);
                    }
                    Strength::Available => value.set_linkage(LLVMLinkage::LLVMWeakODRLinkage),
                    // LLVM would drop these when nothing in the same module uses them.
                    Strength::Weak => match value.linkage() {
                        LLVMLinkage::LLVMWeakAnyLinkage | LLVMLinkage::LLVMWeakODRLinkage => {}
                        _ => value.set_linkage(LLVMLinkage::LLVMWeakODRLinkage),
                    },
                    _ => {}
                }
            }
            for value in unit.module.functions().chain(unit.module.globals()) {
                value.clear_comdat();
            }
        }
    }
}

/// Everyone who used `value` uses a declaration of the same name; the old definition is left for dead-code removal.
fn to_declaration(module: &Module<'_>, value: Value<'_>, name: &str) {
    value.set_name(&format!("{name}.overridden"));
    let ty = value.value_type();
    let declaration = if ty.kind() == TypeKind::LLVMFunctionTypeKind {
        module.add_function(name, ty)
    } else {
        let variable = module.add_global(name, ty);
        if value.is_global_variable() && value.is_thread_local() {
            variable.set_thread_local();
        }
        variable
    };
    let pointing: Vec<Value<'_>> = module.aliases().filter(|a| a.aliasee() == Some(value)).collect();
    value.replace_all_uses(declaration);
    // An alias names the definition beside it, whatever the symbol has become.
    for alias in pointing {
        alias.set_aliasee(value);
    }
    value.set_linkage(LLVMLinkage::LLVMInternalLinkage);
}

/// Links modules pairwise, which keeps the work linear in their size times the logarithm of their number.
fn merge<'c>(mut units: Vec<Unit<'c>>) -> Result<Module<'c>, LoadError> {
    while units.len() > 1 {
        let mut next = Vec::with_capacity(units.len().div_ceil(2));
        let mut rest = units.into_iter();
        while let Some(first) = rest.next() {
            if let Some(second) = rest.next() {
                let what = second.name.clone();
                first.module.link(second.module).map_err(|message| LoadError::Link { what, message })?;
            }
            next.push(first);
        }
        units = next;
    }
    units.pop().map(|u| u.module).ok_or(LoadError::NoInput)
}

/// Links the inputs to one module.
pub(crate) fn link_inputs<'c>(units: Vec<Unit<'c>>) -> Result<Module<'c>, LoadError> {
    let mut resolution = Resolution::default();
    for i in 0..units.len() {
        resolution.add(&units, i, true)?;
    }
    // A body that may be used stays as it is: a library may still define the function.
    if units.len() > 1 {
        for (i, unit) in units.iter().enumerate() {
            for (name, value, strength) in symbols(&unit.module) {
                let first = resolution.prevailing.get(&name).map(|(first, _)| *first);
                if strength >= Strength::Available && first != Some(i) {
                    to_declaration(&unit.module, value, &name);
                }
            }
            for value in unit.module.functions().chain(unit.module.globals()) {
                value.clear_comdat();
            }
        }
    }
    merge(units)
}

/// What is needed to choose library members.
pub(crate) struct Needs<'a> {
    pub roots: &'a [String],
    pub keep_external: &'a FxHashSet<String>,
}

/// Links the members of `libraries` that the program needs.
pub(crate) fn link_libraries<'c>(
    context: &'c Context,
    program: Module<'c>,
    libraries: &mut [Library],
    needs: &Needs<'_>,
    library_files: &mut FxHashSet<String>,
    mut check: impl FnMut(&Module<'c>, &Path) -> Result<(), LoadError>,
) -> Result<Module<'c>, LoadError> {
    let mut units = vec![Unit { module: program, name: "the program".into() }];
    let mut resolution = Resolution::default();
    resolution.add(&units, 0, false)?;
    resolution.wanted.extend(needs.roots.iter().cloned());
    let mut at = 0;
    while at < resolution.wanted.len() {
        let name = resolution.wanted[at].clone();
        at += 1;
        if resolution.is_defined(&name) || needs.keep_external.contains(&name) {
            continue;
        }
        for library in libraries.iter_mut() {
            let Some(&member) = library.index.get(&name) else { continue };
            if !library.taken.insert(member) {
                continue;
            }
            let title =
                format!("{}({})", library.archive.path.display(), library.archive.members[member].name);
            let bytes = library.archive.contents(member)?;
            let module = context
                .parse(&bytes, &title)
                .map_err(|message| LoadError::Malformed { path: title.clone().into(), message })?;
            check(&module, Path::new(&title))?;
            for function in module.functions().filter(|f| !f.is_declaration()) {
                module.mark(function, LIBRARY_MARK);
            }
            library_files.extend(source_files(&module));
            units.push(Unit { module, name: title });
            resolution.add(&units, units.len() - 1, false)?;
            break;
        }
    }
    resolution.demote(&units, needs.keep_external);
    merge(units)
}

/// Paths of the files in which functions of a module are defined.
pub(crate) fn source_files(module: &Module<'_>) -> Vec<String> {
    let nodes = module.functions().filter_map(|f| f.subprogram()).filter_map(|s| s.scope_file());
    nodes.map(|file| join_path(file.file_path())).collect()
}

/// Makes everything but the roots private and removes what is then unreachable.
pub(crate) fn drop_unreachable(module: &Module<'_>, keep: &FxHashSet<String>) -> Result<(), LoadError> {
    for (name, value, strength) in symbols(module) {
        if strength >= Strength::Available && !keep.contains(&name) {
            value.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
    let passes = "globaldce";
    module.run_passes(passes).map_err(|message| LoadError::Passes { passes: passes.into(), message })
}

/// Replaces ifuncs by functions that call the resolver and then what it returned. A resolver has no side effects
/// that matter, so calling it each time is the same as calling it once.
pub(crate) fn replace_ifuncs(module: &Module<'_>) {
    for ifunc in module.ifuncs().collect::<Vec<_>>() {
        let Some(resolver) = ifunc.resolver() else { continue };
        let name = ifunc.name();
        let ty = ifunc.value_type();
        if ty.kind() != TypeKind::LLVMFunctionTypeKind {
            continue;
        }
        ifunc.set_name(&format!("{name}.ifunc"));
        let function = module.add_function(&name, ty);
        ifunc.replace_all_uses(function);
        module.build_trampoline(function, resolver);
        function.set_linkage(ifunc.linkage());
        ifunc.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    }
}

impl Library {
    /// An archive with its symbol index, built by reading all members when it has no table.
    pub(crate) fn open(context: &Context, archive: Archive) -> Result<Library, LoadError> {
        let mut index = FxHashMap::default();
        if archive.symbols.is_empty() {
            for member in 0..archive.members.len() {
                let bytes = archive.contents(member)?;
                if !crate::load::is_bitcode(&bytes) {
                    continue;
                }
                let title = format!("{}({})", archive.path.display(), archive.members[member].name);
                let module = context
                    .parse(&bytes, &title)
                    .map_err(|message| LoadError::Malformed { path: title.clone().into(), message })?;
                for (name, _, strength) in symbols(&module) {
                    if strength.defines() {
                        index.entry(name).or_insert(member);
                    }
                }
            }
        } else {
            for (name, member) in &archive.symbols {
                index.entry(name.clone()).or_insert(*member);
            }
        }
        Ok(Library { archive, index, taken: FxHashSet::default() })
    }
}
