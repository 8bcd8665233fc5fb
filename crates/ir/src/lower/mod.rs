//! Lowering: one linked LLVM module becomes one `Program`.
//!
//! Functions, variables, blocks and edges are numbered first, so that every constant is a number; then each
//! function is lowered alone (`function`), instruction by instruction (`inst`, `memory`, `vector`, `calls`,
//! `intrinsics`), over virtual slots that `slots` packs into a small frame. Valid IR never panics here: what is not
//! supported becomes `Op::Unsupported`.

mod calls;
mod cfg;
mod coalesce;
mod conditions;
mod constants;
mod debug;
mod function;
mod fuse;
mod globals;
mod inst;
mod intrinsics;
mod libm;
mod masked;
mod memory;
mod operands;
mod phi;
mod slots;
mod types;
mod vector;

use crate::error::LoadError;
use crate::llvm::{BasicBlock, Module, Value};
use crate::program::{ArgType, Function, Program};
use debug::DebugInfo;
use rustc_hash::{FxHashMap, FxHashSet};
use types::Types;

pub(crate) use cfg::branch_arms;
pub(crate) use debug::join as join_path;
pub(crate) use libm::function_name as math_function;

/// String attribute of functions that came from a library (see `crate::link`).
pub(crate) const LIBRARY_MARK: &str = "forkwise-library";

/// What lowering needs to know beside the module.
#[derive(Default)]
pub(crate) struct LowerOptions {
    /// Names the engine provides: a weak reference to one of them is not null.
    pub keep_external: FxHashSet<String>,
    /// Paths of source files known to be the library's or the user's.
    pub library_files: FxHashSet<String>,
    /// Paths of the user's files.
    pub user_files: FxHashSet<String>,
    /// A file whose path contains one of these is a library's.
    pub library_path_markers: Vec<String>,
    /// Counters of the native program's coverage.
    pub counters: u32,
    /// What happened before that the user should know.
    pub warnings: Vec<String>,
}

/// State of lowering a whole module.
pub(crate) struct Lowering<'m> {
    module: &'m Module<'m>,
    types: Types<'m>,
    debug: DebugInfo<'m>,
    program: Program,
    function_numbers: FxHashMap<Value<'m>, u32>,
    function_names: FxHashMap<String, u32>,
    addresses: FxHashMap<Value<'m>, u64>,
    /// Variables in the order of `program.globals`.
    placed: Vec<Value<'m>>,
    /// For each block that can be jumped to, the edge its address is made of.
    block_edges: FxHashMap<BasicBlock<'m>, u32>,
    orphan_edges: Vec<u32>,
    keep_external: FxHashSet<String>,
    asm_numbers: FxHashMap<String, u32>,
    scratch: Option<u64>,
    /// Which functions have code.
    has_body: Vec<bool>,
}

/// Lowers a verified, linked module.
pub(crate) fn lower(module: &Module<'_>, name: String, options: LowerOptions) -> Result<Program, LoadError> {
    let mut lowering = Lowering {
        module,
        types: Types::new(module),
        debug: DebugInfo::new(module),
        program: Program {
            name,
            counters: options.counters,
            warnings: options.warnings,
            ..Program::default()
        },
        function_numbers: FxHashMap::default(),
        function_names: FxHashMap::default(),
        addresses: FxHashMap::default(),
        placed: Vec::new(),
        block_edges: FxHashMap::default(),
        orphan_edges: Vec::new(),
        keep_external: options.keep_external,
        asm_numbers: FxHashMap::default(),
        scratch: None,
        has_body: Vec::new(),
    };
    lowering.place_globals()?;
    let functions = lowering.number_functions()?;
    let mut graphs = Vec::new();
    for &(function, number) in &functions {
        if !function.is_declaration() {
            graphs.push((function, number, lowering.build_cfg(function, number)));
        }
    }
    if lowering.program.edges.len() >= 1 << 20 {
        return Err(LoadError::TooLarge { what: "more than a million control-flow edges".into() });
    }
    lowering.initialize_globals();
    lowering.collect_constructors();
    for (function, number, graph) in graphs {
        function::lower_function(&mut lowering, function, number, graph);
    }
    let mut program = lowering.program;
    program.locations = lowering.debug.locations;
    program.files = lowering.debug.files;
    program.names = lowering.debug.names;
    program.scopes = lowering.debug.scopes;
    classify_files(&mut program, &options.library_files, &options.user_files, &options.library_path_markers);
    Ok(program)
}

impl<'m> Lowering<'m> {
    /// Gives functions their numbers and signatures.
    fn number_functions(&mut self) -> Result<Vec<(Value<'m>, u32)>, LoadError> {
        let mut list = Vec::new();
        for function in self.module.functions() {
            let name = function.name();
            if function.intrinsic_id() != 0 || name.starts_with("llvm.") {
                continue;
            }
            let number = self.program.functions.len() as u32;
            self.function_numbers.insert(function, number);
            self.function_names.insert(name.clone(), number);
            self.debug.register(function, number, &name);
            let lowered = self.signature(function, name);
            self.program.functions.push(lowered);
            self.has_body.push(!function.is_declaration());
            list.push((function, number));
        }
        // Function addresses share one small slot.
        let limit = crate::layout::SMALL_MAX_SIZE / crate::layout::FUNCTION_STRIDE;
        if list.len() as u64 >= limit {
            return Err(LoadError::TooLarge { what: "too many functions".into() });
        }
        Ok(list)
    }

    fn signature(&mut self, function: Value<'m>, name: String) -> Function {
        let ty = function.value_type();
        let mut lowered = Function {
            returns_twice: function.has_attribute("returns_twice"),
            noreturn: function.has_attribute("noreturn"),
            is_library: function.is_marked(LIBRARY_MARK),
            variadic: ty.is_variadic(),
            name,
            ..Function::default()
        };
        for (i, param) in ty.param_types().into_iter().enumerate() {
            let i = i as u32;
            if let Some(pointee) = function.param_type_attribute(i, "byval") {
                let align = function.param_int_attribute(i, "align");
                lowered.params.push(self.byval(pointee, align));
                lowered.param_slots += 1;
                continue;
            }
            // A parameter of an unsupported type makes the body unsupported; the signature only needs a place.
            let shape_slots = self.types.shape(param).map_or(0, |s| s.slots);
            let arg = self.types.arg_type(param).ok().flatten();
            lowered.params.push(arg.unwrap_or(ArgType::Aggregate(Vec::new())));
            lowered.param_slots += shape_slots;
        }
        let result = ty.return_type();
        lowered.ret_slots = self.types.shape(result).map_or(0, |s| s.slots);
        lowered.ret = self.types.arg_type(result).ok().flatten();
        lowered
    }

    fn byval(&self, pointee: crate::llvm::Type<'m>, align: Option<u64>) -> ArgType {
        let align = align.filter(|a| *a > 0).unwrap_or_else(|| self.module.alignment(pointee));
        // The ABI passes such arguments on the stack, in multiples of eight bytes.
        ArgType::ByVal { size: self.module.alloc_size(pointee), align: align.clamp(8, 1 << 20) as u32 }
    }

    /// The number of a function by name, declared if the program does not have it.
    fn named_function(&mut self, name: &str, params: Vec<ArgType>, ret: Option<ArgType>) -> u32 {
        if let Some(&number) = self.function_names.get(name) {
            return number;
        }
        let number = self.program.functions.len() as u32;
        self.program.functions.push(Function {
            name: name.to_string(),
            param_slots: params.iter().map(ArgType::slots).sum(),
            ret_slots: ret.as_ref().map_or(0, ArgType::slots),
            params,
            ret,
            ..Function::default()
        });
        self.function_names.insert(name.to_string(), number);
        number
    }

    fn asm_number(&mut self, text: String) -> u32 {
        let next = self.program.asm.len() as u32;
        if let Some(&number) = self.asm_numbers.get(&text) {
            return number;
        }
        self.program.asm.push(text.clone());
        self.asm_numbers.insert(text, next);
        next
    }

    fn unsupported(&mut self, what: String) -> u32 {
        self.program.unsupported.push(what);
        self.program.unsupported.len() as u32 - 1
    }
}

/// Decides which files are a library's: by marker, by the module that defined functions in them, and otherwise by
/// the functions whose code they hold.
fn classify_files(
    program: &mut Program,
    library: &FxHashSet<String>,
    user: &FxHashSet<String>,
    markers: &[String],
) {
    let mut by_user = vec![false; program.files.len()];
    let mut by_library = vec![false; program.files.len()];
    for function in &program.functions {
        for &loc in &function.locs {
            let file = program.locations[loc as usize].file as usize;
            if function.is_library {
                by_library[file] = true;
            } else {
                by_user[file] = true;
            }
        }
    }
    for (i, file) in program.files.iter_mut().enumerate() {
        let marked = markers.iter().any(|m| !m.is_empty() && file.path.contains(m.as_str()));
        file.is_library = marked
            || (!user.contains(&file.path)
                && (library.contains(&file.path) || (by_library[i] && !by_user[i])));
    }
    // A prelinked program has no marks on its functions; their files tell.
    if !markers.is_empty() {
        for function in &mut program.functions {
            let file = program.locations[function.location as usize].file as usize;
            if function.location != 0 && program.files.get(file).is_some_and(|f| f.is_library) {
                function.is_library = true;
            }
        }
    }
}
