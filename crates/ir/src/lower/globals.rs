//! Addresses and initial bytes of global variables, and the lists of constructors and destructors.
//!
//! Every variable gets a slot of the address space of its own, in the module's order. Thread-local variables are
//! plain ones (there is one thread). A variable that nothing defines is zero-filled and reported.

use super::Lowering;
use crate::error::LoadError;
use crate::layout;
use crate::llvm::{TypeKind, Value};
use crate::program::Global;
use llvm_sys::LLVMLinkage;

/// Bounds of constructor tables that a linker script would define. The engine runs constructors itself, so each
/// table is empty: start and end are one address.
const TABLE_BOUNDS: [&str; 6] = [
    "__preinit_array_start",
    "__preinit_array_end",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
];
/// Deepest nesting of aggregates in an initializer.
const MAX_DEPTH: u32 = 500;

impl<'m> Lowering<'m> {
    /// Gives every variable its address. Initializers come later, when all addresses are known.
    pub(crate) fn place_globals(&mut self) -> Result<(), LoadError> {
        let too_many = || LoadError::TooLarge { what: "too many global variables".into() };
        let mut next = layout::FIRST_GLOBAL_INDEX;
        let mut next_large = 0;
        let mut table = None;
        for variable in self.module.globals() {
            let name = variable.name();
            if name.starts_with("llvm.") && variable.linkage() == LLVMLinkage::LLVMAppendingLinkage {
                continue;
            }
            let undefined = variable.initializer().is_none();
            if undefined && variable.linkage() == LLVMLinkage::LLVMExternalWeakLinkage {
                self.addresses.insert(variable, 0);
                continue;
            }
            let is_table = undefined && TABLE_BOUNDS.contains(&name.as_str());
            if let (true, Some(address)) = (is_table, table) {
                self.addresses.insert(variable, address);
                continue;
            }
            let ty = variable.value_type();
            let size = if is_table { 0 } else { self.module.alloc_size(ty) };
            let address = if size > layout::SMALL_MAX_SIZE {
                let slots = size.div_ceil(1 << layout::LARGE_OFFSET_BITS).max(1) as u32;
                let address = layout::large_address(next_large);
                next_large += slots;
                if next_large >= 1 << 22 {
                    return Err(too_many());
                }
                address
            } else {
                let address = layout::small_address(next, 0);
                next += 1;
                if next >= 1 << layout::SMALL_INDEX_BITS {
                    return Err(too_many());
                }
                address
            };
            if is_table {
                table = Some(address);
            } else if undefined && !self.keep_external.contains(&name) {
                self.program.undefined_globals.push(name.clone());
            }
            self.addresses.insert(variable, address);
            let align = variable.alignment().max(self.module.alignment(ty));
            let constant = variable.is_constant_variable() && !undefined;
            self.program.globals.push(Global { name, address, size, init: Vec::new(), constant, align });
            self.placed.push(variable);
        }
        self.program.first_free_index = next;
        self.program.first_free_large = next_large;
        Ok(())
    }

    /// A writable object that masked memory operations use for lanes that are switched off.
    pub(crate) fn scratch_address(&mut self) -> u64 {
        if let Some(address) = self.scratch {
            return address;
        }
        let address = layout::small_address(self.program.first_free_index, 0);
        self.program.first_free_index += 1;
        self.program.globals.push(Global {
            name: "forkwise.masked".into(),
            address,
            size: 64,
            init: Vec::new(),
            constant: false,
            align: 64,
        });
        self.scratch = Some(address);
        address
    }

    /// Fills in the initial bytes of every variable.
    pub(crate) fn initialize_globals(&mut self) {
        for i in 0..self.placed.len() {
            let variable = self.placed[i];
            let Some(initializer) = variable.initializer() else { continue };
            let mut bytes = Vec::new();
            if let Err(what) = self.write_constant(initializer, 0, &mut bytes, 0) {
                let name = &self.program.globals[i].name;
                self.program
                    .warnings
                    .push(format!("part of the initial value of `{name}` reads as zero: {what}"));
            }
            let used = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
            bytes.truncate(used);
            bytes.shrink_to_fit();
            self.program.globals[i].init = bytes;
        }
    }

    fn write_constant(
        &mut self,
        value: Value<'m>,
        at: u64,
        bytes: &mut Vec<u8>,
        depth: u32,
    ) -> Result<(), String> {
        if value.is_undef() || (value.is_constant() && !value.is_global() && value.is_null()) {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err("it is nested too deeply".into());
        }
        if let Some(text) = value.string_bytes() {
            put(bytes, at, text);
            return Ok(());
        }
        let ty = value.ty();
        // Tables of numbers are the bulk of all initial bytes.
        if value.is_constant_int() && ty.kind() == TypeKind::LLVMIntegerTypeKind && ty.int_width() <= 64 {
            put(bytes, at, &value.zext_value().to_le_bytes()[..ty.int_width().div_ceil(8) as usize]);
            return Ok(());
        }
        let element = |i: u64| {
            let element = u32::try_from(i).ok().and_then(|i| value.element(i));
            element.ok_or_else(|| "an element that cannot be read".to_string())
        };
        match ty.kind() {
            TypeKind::LLVMStructTypeKind if !value.is_constant_expr() => {
                for i in 0..ty.field_count() {
                    let offset = self.module.field_offset(ty, i);
                    self.write_constant(element(i as u64)?, at + offset, bytes, depth + 1)?;
                }
            }
            TypeKind::LLVMArrayTypeKind if !value.is_constant_expr() => {
                let stride = self.module.alloc_size(ty.element());
                for i in 0..ty.length() {
                    self.write_constant(element(i)?, at + i * stride, bytes, depth + 1)?;
                }
            }
            _ => {
                let shape = self.types.shape(ty)?;
                let words = self.constant(value)?;
                for piece in &shape.pieces {
                    let mut data = vec![0u8; (piece.bits as usize).div_ceil(8)];
                    let mut done = 0;
                    let last = (piece.leaf + piece.leaves) as usize;
                    for leaf in piece.leaf as usize..last {
                        let (width, start) = (shape.leaves[leaf], shape.starts[leaf]);
                        for bit in 0..width {
                            if words[(start + bit / 64) as usize] >> (bit % 64) & 1 != 0 {
                                data[done / 8] |= 1 << (done % 8);
                            }
                            done += 1;
                        }
                    }
                    put(bytes, at + piece.offset, &data);
                }
            }
        }
        Ok(())
    }

    /// Reads `llvm.global_ctors` and `llvm.global_dtors`.
    pub(crate) fn collect_constructors(&mut self) {
        self.program.constructors = self.table("llvm.global_ctors");
        // Destructors run in the opposite order of constructors.
        let mut destructors = self.table("llvm.global_dtors");
        destructors.reverse();
        self.program.destructors = destructors;
    }

    fn table(&mut self, name: &str) -> Vec<u32> {
        let Some(list) = self.module.globals().find(|g| g.name() == name).and_then(|g| g.initializer())
        else {
            return Vec::new();
        };
        if list.ty().kind() != TypeKind::LLVMArrayTypeKind {
            return Vec::new();
        }
        let mut entries = Vec::new();
        for i in 0..list.ty().length() {
            let Some(entry) = list.element(i as u32) else { continue };
            let (Some(priority), Some(function)) = (entry.element(0), entry.element(1)) else { continue };
            let priority = if priority.is_constant_int() { priority.zext_value() } else { 65535 };
            let address = self.constant(function).ok().and_then(|words| words.first().copied()).unwrap_or(0);
            if let Some(number) = layout::function_at(address, self.program.functions.len()) {
                entries.push((priority, number));
            }
        }
        entries.sort_by_key(|(priority, _)| *priority);
        entries.into_iter().map(|(_, number)| number).collect()
    }
}

fn put(bytes: &mut Vec<u8>, at: u64, data: &[u8]) {
    // Zeros beyond the end need not be stored.
    if data.iter().all(|b| *b == 0) && at as usize >= bytes.len() {
        return;
    }
    let end = at as usize + data.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[at as usize..end].copy_from_slice(data);
}
