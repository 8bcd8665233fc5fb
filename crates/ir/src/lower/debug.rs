//! Source files, locations (with the chain of calls they were inlined at), lexical scopes and variable names.
//!
//! Everything is numbered on first use, in program order, so equal inputs give equal numbers. Missing debug
//! information is never an error: such an instruction has location 0.

use crate::llvm::{Meta, Module, Value};
use crate::program::{Location, SourceFile};
use rustc_hash::FxHashMap;

/// Operand positions in LLVM's debug nodes, which the C interface has no names for.
const SCOPE_OF_LEXICAL_BLOCK: usize = 1;
const NAME_OF_SUBPROGRAM: usize = 2;
const LINKAGE_NAME_OF_SUBPROGRAM: usize = 3;
const NAME_OF_VARIABLE: usize = 1;
/// Longest chain of scopes or inlined calls that is followed.
const MAX_CHAIN: usize = 1000;

#[derive(Clone, Copy)]
struct Scope {
    file: u32,
    function: u32,
    name: u32,
}

/// The numbering of files, locations and scope names.
pub(crate) struct DebugInfo<'m> {
    module: &'m Module<'m>,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) locations: Vec<Location>,
    pub(crate) names: Vec<String>,
    file_numbers: FxHashMap<String, u32>,
    file_cache: FxHashMap<Meta<'m>, u32>,
    location_numbers: FxHashMap<Location, u32>,
    location_cache: FxHashMap<Meta<'m>, u32>,
    scope_cache: FxHashMap<Meta<'m>, Scope>,
    name_numbers: FxHashMap<String, u32>,
    /// The scope around each lexical scope; scope 0 is unknown.
    pub(crate) scopes: Vec<u32>,
    scope_numbers: FxHashMap<Meta<'m>, u32>,
    /// Functions by their debug node and by name.
    subprograms: FxHashMap<Meta<'m>, u32>,
    functions: FxHashMap<String, u32>,
}

impl<'m> DebugInfo<'m> {
    pub(crate) fn new(module: &'m Module<'m>) -> Self {
        let mut info = DebugInfo {
            module,
            files: Vec::new(),
            locations: vec![Location { function: u32::MAX, ..Location::default() }],
            names: vec![String::new()],
            file_numbers: FxHashMap::default(),
            file_cache: FxHashMap::default(),
            location_numbers: FxHashMap::default(),
            location_cache: FxHashMap::default(),
            scope_cache: FxHashMap::default(),
            name_numbers: FxHashMap::default(),
            scopes: vec![0],
            scope_numbers: FxHashMap::default(),
            subprograms: FxHashMap::default(),
            functions: FxHashMap::default(),
        };
        info.file_number(String::new());
        info.name_numbers.insert(String::new(), 0);
        info
    }

    /// Makes a function known, so that locations can name it.
    pub(crate) fn register(&mut self, function: Value<'m>, number: u32, name: &str) {
        if let Some(node) = function.subprogram() {
            self.subprograms.entry(node).or_insert(number);
        }
        self.functions.insert(name.to_string(), number);
    }

    fn file_number(&mut self, path: String) -> u32 {
        let next = self.files.len() as u32;
        if let Some(&number) = self.file_numbers.get(&path) {
            return number;
        }
        self.files.push(SourceFile { path: path.clone(), is_library: false });
        self.file_numbers.insert(path, next);
        next
    }

    fn file(&mut self, node: Meta<'m>) -> u32 {
        if let Some(&number) = self.file_cache.get(&node) {
            return number;
        }
        let number = self.file_number(join(node.file_path()));
        self.file_cache.insert(node, number);
        number
    }

    fn name(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        if let Some(&number) = self.name_numbers.get(&name) {
            return number;
        }
        self.names.push(name.clone());
        self.name_numbers.insert(name, next);
        next
    }

    fn scope(&mut self, node: Meta<'m>) -> Scope {
        if let Some(&scope) = self.scope_cache.get(&node) {
            return scope;
        }
        let file = node.scope_file().map_or(0, |f| self.file(f));
        let mut scope = Scope { file, function: u32::MAX, name: 0 };
        let mut at = node;
        for _ in 0..MAX_CHAIN {
            let operands = self.module.metadata_value(at).metadata_operands();
            let operand = |i: usize| operands.get(i).copied().flatten();
            if at.is_subprogram() {
                let text = |i| operand(i).filter(|v| v.is_metadata_string()).map(|v| v.metadata_string());
                let name = text(NAME_OF_SUBPROGRAM).unwrap_or_default();
                let symbol = text(LINKAGE_NAME_OF_SUBPROGRAM).unwrap_or_else(|| name.clone());
                let known = self.subprograms.get(&at).or_else(|| self.functions.get(&symbol));
                scope.function = known.copied().unwrap_or(u32::MAX);
                scope.name = self.name(name);
                break;
            }
            match operand(SCOPE_OF_LEXICAL_BLOCK).and_then(|v| v.as_metadata()) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        self.scope_cache.insert(node, scope);
        scope
    }

    /// The number of the lexical scope an instruction is in (of code that was inlined: in the function it comes from).
    pub(crate) fn lexical_scope(&mut self, instruction: Value<'m>) -> u32 {
        let Some(node) = instruction.debug_location() else { return 0 };
        let mut chain = Vec::new();
        let mut at = node.location().2;
        let mut number = 0;
        while let Some(scope) = at {
            if let Some(&known) = self.scope_numbers.get(&scope) {
                number = known;
                break;
            }
            if chain.len() == MAX_CHAIN {
                break;
            }
            chain.push(scope);
            if scope.is_subprogram() {
                break;
            }
            let operands = self.module.metadata_value(scope).metadata_operands();
            at = operands.get(SCOPE_OF_LEXICAL_BLOCK).copied().flatten().and_then(|v| v.as_metadata());
        }
        for scope in chain.into_iter().rev() {
            self.scopes.push(number);
            number = self.scopes.len() as u32 - 1;
            self.scope_numbers.insert(scope, number);
        }
        number
    }

    fn intern(&mut self, location: Location) -> u32 {
        let next = self.locations.len() as u32;
        let number = *self.location_numbers.entry(location).or_insert(next);
        if number == next {
            self.locations.push(location);
        }
        number
    }

    /// The number of an instruction's location.
    pub(crate) fn location(&mut self, instruction: Value<'m>) -> u32 {
        match instruction.debug_location() {
            Some(node) => self.location_node(node),
            None => 0,
        }
    }

    fn location_node(&mut self, node: Meta<'m>) -> u32 {
        // The chain of inlined calls, innermost first; numbered from the outside in.
        let mut chain = Vec::new();
        let mut at = Some(node);
        let mut outer = 0;
        while let Some(n) = at {
            if let Some(&number) = self.location_cache.get(&n) {
                outer = number;
                break;
            }
            if chain.len() == MAX_CHAIN {
                break;
            }
            chain.push(n);
            at = n.location().3;
        }
        for n in chain.into_iter().rev() {
            let (line, column, scope, _) = n.location();
            let scope = scope.map_or(Scope { file: 0, function: u32::MAX, name: 0 }, |s| self.scope(s));
            outer = self.intern(Location {
                file: scope.file,
                line,
                column,
                inlined_at: outer,
                function: scope.function,
                name: scope.name,
            });
            self.location_cache.insert(n, outer);
        }
        outer
    }

    /// The number of the line a location lies on, without column or inlining; `None` when it has no line.
    pub(crate) fn line_of(&mut self, location: u32) -> Option<u32> {
        let Location { file, line, .. } = self.locations[location as usize];
        let whole = Location { file, line, column: 0, inlined_at: 0, function: u32::MAX, name: 0 };
        (line != 0).then(|| self.intern(whole))
    }

    /// Where a function is defined.
    pub(crate) fn function_location(&mut self, function: Value<'m>) -> u32 {
        let Some(node) = function.subprogram() else { return 0 };
        let scope = self.scope(node);
        let line = node.subprogram_line();
        self.intern(Location {
            file: scope.file,
            line,
            column: 0,
            inlined_at: 0,
            function: scope.function,
            name: scope.name,
        })
    }

    /// For a call of `llvm.dbg.declare` and the like: the variable's storage and its name.
    pub(crate) fn declared_variable(&self, call: Value<'m>) -> Option<(Value<'m>, String)> {
        if !call.is_debug_variable() || call.operand_count() < 2 {
            return None;
        }
        // `llvm.dbg.assign` has the storage as its fifth argument, the others as their first.
        let storage = call.operand(if call.arg_count() >= 6 { 4 } else { 0 });
        if !storage.is_value_as_metadata() {
            return None;
        }
        let value = storage.metadata_operands().first().copied().flatten()?;
        let name = call.operand(1).metadata_operands().get(NAME_OF_VARIABLE).copied().flatten()?;
        Some((value, name.is_metadata_string().then(|| name.metadata_string())?))
    }

    /// `file:line` of a location, for messages.
    pub(crate) fn describe(&self, location: u32) -> String {
        let at = self.locations[location as usize];
        match self.files.get(at.file as usize) {
            Some(file) if at.line != 0 => format!("{}:{}", file.path, at.line),
            _ => String::new(),
        }
    }
}

/// A file's path, with its directory in front when it is relative.
pub(crate) fn join((directory, name): (String, String)) -> String {
    if name.starts_with('/') || directory.is_empty() {
        return name;
    }
    format!("{}/{}", directory.trim_end_matches('/'), name.trim_start_matches("./"))
}
