//! A thin, typed layer over LLVM's C interface: the only place of this crate with `unsafe`.
//!
//! Values, types and blocks borrow from their module, so none can outlive it; nothing from here may appear in a
//! public signature. Read `value` for the accessors, then `crate::link` for how modules are put together.

mod counters;
mod value;

pub(crate) use value::{BasicBlock, Meta, Type, TypeKind, Value, intrinsic_base_name};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, analysis, ir_reader, linker, target};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;

unsafe extern "C" {
    // Present in libLLVM 19 but missing from llvm-sys.
    fn LLVMSetIsNewDbgInfoFormat(module: LLVMModuleRef, use_new_format: i32);
}

/// Takes over a message allocated by LLVM.
///
/// # Safety
/// `message` is null or a string that LLVM allocated for the caller.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: not null, NUL-terminated and ours by the contract above.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// An LLVM context that collects its diagnostics instead of printing them.
pub(crate) struct Context {
    raw: LLVMContextRef,
    // Boxed so that its address, known to LLVM, never changes.
    diagnostics: Box<RefCell<Vec<String>>>,
}

extern "C" fn collect_diagnostic(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic and the pointer registered in `Context::new`, which outlives it.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            let text = take_message(LLVMGetDiagInfoDescription(info));
            let sink = &*(sink as *const RefCell<Vec<String>>);
            if let Ok(mut list) = sink.try_borrow_mut() {
                list.push(text);
            }
        }
    }
}

impl Context {
    pub(crate) fn new() -> Context {
        let diagnostics: Box<RefCell<Vec<String>>> = Box::default();
        // SAFETY: a fresh context; the handler's argument lives as long as the context does (see `Drop`).
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let sink = &*diagnostics as *const RefCell<Vec<String>> as *mut c_void;
            LLVMContextSetDiagnosticHandler(raw, Some(collect_diagnostic), sink);
            raw
        };
        Context { raw, diagnostics }
    }

    /// The errors LLVM reported since the last call, joined.
    pub(crate) fn take_errors(&self) -> String {
        self.diagnostics.borrow_mut().drain(..).collect::<Vec<_>>().join("; ")
    }

    /// Reads bitcode or assembly; the error is LLVM's own text.
    pub(crate) fn parse(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, String> {
        let name = c_string(name);
        let mut module = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer copies `bytes`; LLVMParseIRInContext consumes it in every case.
        let (failed, text) = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr() as *const c_char,
                bytes.len(),
                name.as_ptr(),
            );
            let failed = ir_reader::LLVMParseIRInContext(self.raw, buffer, &mut module, &mut message);
            (failed != 0, take_message(message))
        };
        let reported = self.take_errors();
        if failed || module.is_null() {
            let text =
                [text.trim(), reported.trim()].iter().filter(|t| !t.is_empty()).copied().collect::<Vec<_>>();
            let text = if text.is_empty() { "LLVM gave no reason".to_string() } else { text.join("; ") };
            return Err(text);
        }
        Ok(Module { raw: module, context: self })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// A module, owned.
pub(crate) struct Module<'c> {
    raw: LLVMModuleRef,
    context: &'c Context,
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: owned, and every value borrows from it.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl<'c> Module<'c> {
    /// Checks LLVM's own invariants; the error is the verifier's text.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: a live module; the message is ours.
        unsafe {
            let action = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = analysis::LLVMVerifyModule(self.raw, action, &mut message) != 0;
            let text = take_message(message);
            self.context.take_errors();
            if broken { Err(text.trim().to_string()) } else { Ok(()) }
        }
    }

    /// Moves everything of `other` into this module.
    pub(crate) fn link(&self, other: Module<'c>) -> Result<(), String> {
        let source = other.raw;
        std::mem::forget(other);
        // SAFETY: both modules are of the same context; the linker takes the source over in every case.
        let failed = unsafe { linker::LLVMLinkModules2(self.raw, source) } != 0;
        let errors = self.context.take_errors();
        if failed {
            Err(if errors.is_empty() { "LLVM gave no reason".into() } else { errors })
        } else {
            Ok(())
        }
    }

    /// Runs a textual pass pipeline.
    pub(crate) fn run_passes(&self, passes: &str) -> Result<(), String> {
        use llvm_sys::error::*;
        use llvm_sys::transforms::pass_builder::*;
        let text = c_string(passes);
        // SAFETY: a live module; the options and the error are disposed of here.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, text.as_ptr(), ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            let reported = self.context.take_errors();
            if !error.is_null() {
                let message = LLVMGetErrorMessage(error);
                let text = CStr::from_ptr(message).to_string_lossy().into_owned();
                LLVMDisposeErrorMessage(message);
                return Err(text);
            }
            if reported.is_empty() { Ok(()) } else { Err(reported) }
        }
    }

    /// Turns debug records into calls of `llvm.dbg.*`, which the C interface can read.
    pub(crate) fn use_debug_intrinsics(&self) {
        // SAFETY: a live module.
        unsafe { LLVMSetIsNewDbgInfoFormat(self.raw, 0) }
    }

    /// The module as LLVM assembly.
    pub(crate) fn print(&self) -> String {
        // SAFETY: a live module; the string is ours.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// The module as bitcode.
    pub(crate) fn bitcode(&self) -> Vec<u8> {
        // SAFETY: a live module; the buffer is ours, is copied and then freed.
        unsafe {
            let buffer = llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    pub(crate) fn triple(&self) -> String {
        // SAFETY: the string lives as long as the module and is copied.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw)).to_string_lossy().into_owned() }
    }

    pub(crate) fn set_triple(&self, triple: &str) {
        // SAFETY: LLVM copies the string.
        unsafe { LLVMSetTarget(self.raw, c_string(triple).as_ptr()) }
    }

    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: the string lives as long as the module and is copied.
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.raw)).to_string_lossy().into_owned() }
    }

    pub(crate) fn set_data_layout(&self, layout: &str) {
        // SAFETY: LLVM copies the string; callers pass a constant that is well-formed.
        unsafe { LLVMSetDataLayout(self.raw, c_string(layout).as_ptr()) }
    }

    fn target_data(&self) -> target::LLVMTargetDataRef {
        // SAFETY: a live module owns its data layout.
        unsafe { target::LLVMGetModuleDataLayout(self.raw) }
    }

    /// Little-endian with 64-bit pointers?
    pub(crate) fn is_little_endian_64(&self) -> bool {
        // SAFETY: the module's own data layout.
        unsafe {
            target::LLVMByteOrder(self.target_data()) == target::LLVMByteOrdering::LLVMLittleEndian
                && target::LLVMPointerSize(self.target_data()) == 8
        }
    }

    /// Bytes from one array element to the next.
    pub(crate) fn alloc_size(&self, ty: Type<'_>) -> u64 {
        // SAFETY: `ty` belongs to the module's context; unsized types are excluded first.
        if ty.is_sized() { unsafe { target::LLVMABISizeOfType(self.target_data(), ty.raw()) } } else { 0 }
    }

    /// ABI alignment in bytes.
    pub(crate) fn alignment(&self, ty: Type<'_>) -> u64 {
        // SAFETY: as in `alloc_size`.
        if ty.is_sized() {
            unsafe { target::LLVMABIAlignmentOfType(self.target_data(), ty.raw()) as u64 }
        } else {
            1
        }
    }

    /// Offset of a struct's field.
    pub(crate) fn field_offset(&self, ty: Type<'_>, field: u32) -> u64 {
        // SAFETY: callers pass a sized struct and a field it has.
        unsafe { target::LLVMOffsetOfElement(self.target_data(), ty.raw(), field) }
    }

    pub(crate) fn functions<'m>(&'m self) -> impl Iterator<Item = Value<'m>> + use<'m> {
        // SAFETY: a live module; the list is not changed while it is walked (callers collect before changing).
        unsafe {
            let next = |v: &Value<'m>| Value::optional(LLVMGetNextFunction(v.raw()));
            std::iter::successors(Value::optional(LLVMGetFirstFunction(self.raw)), next)
        }
    }

    pub(crate) fn globals<'m>(&'m self) -> impl Iterator<Item = Value<'m>> + use<'m> {
        // SAFETY: as in `functions`.
        unsafe {
            let next = |v: &Value<'m>| Value::optional(LLVMGetNextGlobal(v.raw()));
            std::iter::successors(Value::optional(LLVMGetFirstGlobal(self.raw)), next)
        }
    }

    pub(crate) fn aliases<'m>(&'m self) -> impl Iterator<Item = Value<'m>> + use<'m> {
        // SAFETY: as in `functions`.
        unsafe {
            let next = |v: &Value<'m>| Value::optional(LLVMGetNextGlobalAlias(v.raw()));
            std::iter::successors(Value::optional(LLVMGetFirstGlobalAlias(self.raw)), next)
        }
    }

    pub(crate) fn ifuncs<'m>(&'m self) -> impl Iterator<Item = Value<'m>> + use<'m> {
        // SAFETY: as in `functions`.
        unsafe {
            let next = |v: &Value<'m>| Value::optional(LLVMGetNextGlobalIFunc(v.raw()));
            std::iter::successors(Value::optional(LLVMGetFirstGlobalIFunc(self.raw)), next)
        }
    }

    pub(crate) fn function(&self, name: &str) -> Option<Value<'_>> {
        // SAFETY: LLVM copies nothing and only looks the name up.
        unsafe { Value::optional(LLVMGetNamedFunction(self.raw, c_string(name).as_ptr())) }
    }

    /// A new function declaration; LLVM renames it when the name is taken.
    pub(crate) fn add_function<'m>(&'m self, name: &str, ty: Type<'m>) -> Value<'m> {
        // SAFETY: `ty` is a function type of this context.
        unsafe { Value::new(LLVMAddFunction(self.raw, c_string(name).as_ptr(), ty.raw())) }
    }

    /// A new global variable without initializer.
    pub(crate) fn add_global<'m>(&'m self, name: &str, ty: Type<'m>) -> Value<'m> {
        // SAFETY: `ty` is a type of this context.
        unsafe { Value::new(LLVMAddGlobal(self.raw, ty.raw(), c_string(name).as_ptr())) }
    }

    /// Gives `function` (a declaration) the body: call `resolver`, call what it returns with the same arguments,
    /// return the result.
    pub(crate) fn build_trampoline<'m>(&'m self, function: Value<'m>, resolver: Value<'m>) {
        let ty = function.value_type();
        // SAFETY: `function` is a declaration of this module with type `ty`; the builder is disposed of here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(self.context.raw);
            let block = LLVMAppendBasicBlockInContext(self.context.raw, function.raw(), c"entry".as_ptr());
            LLVMPositionBuilderAtEnd(builder, block);
            let pointer = LLVMPointerTypeInContext(self.context.raw, 0);
            let resolver_type = LLVMFunctionType(pointer, ptr::null_mut(), 0, 0);
            let none = c"".as_ptr();
            let target = LLVMBuildCall2(builder, resolver_type, resolver.raw(), ptr::null_mut(), 0, none);
            let mut args: Vec<LLVMValueRef> = function.params().map(|p| p.raw()).collect();
            let result =
                LLVMBuildCall2(builder, ty.raw(), target, args.as_mut_ptr(), args.len() as u32, none);
            if ty.return_type().kind() == TypeKind::LLVMVoidTypeKind {
                LLVMBuildRetVoid(builder);
            } else {
                LLVMBuildRet(builder, result);
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// The words of an integer or floating-point constant of `bits` bits, least significant first. LLVM's builder
    /// folds a bit cast, shifts and truncations, which is exact for every width and format.
    pub(crate) fn constant_words(&self, constant: Value<'_>, bits: u32) -> Option<Vec<u64>> {
        // SAFETY: operands are constants of this context, so the builder folds and never inserts.
        unsafe {
            let builder = LLVMCreateBuilderInContext(self.context.raw);
            let none = c"".as_ptr();
            let int = LLVMIntTypeInContext(self.context.raw, bits);
            let word = LLVMIntTypeInContext(self.context.raw, 64);
            let mut value = constant.raw();
            if Value::new(value).ty().kind() != TypeKind::LLVMIntegerTypeKind {
                value = LLVMConstBitCast(value, int);
            }
            let mut words = Vec::new();
            for i in 0..bits.div_ceil(64) {
                let part = if bits <= 64 {
                    value
                } else {
                    let amount = LLVMConstInt(int, i as u64 * 64, 0);
                    let shifted = LLVMBuildLShr(builder, value, amount, none);
                    LLVMBuildTrunc(builder, shifted, word, none)
                };
                if LLVMIsAConstantInt(part).is_null() {
                    words.clear();
                    break;
                }
                words.push(LLVMConstIntGetZExtValue(part));
            }
            LLVMDisposeBuilder(builder);
            (!words.is_empty()).then_some(words)
        }
    }

    /// Metadata as an operand that can be looked into.
    pub(crate) fn metadata_value<'m>(&'m self, meta: Meta<'m>) -> Value<'m> {
        // SAFETY: both belong to this context.
        unsafe { Value::new(LLVMMetadataAsValue(self.context.raw, meta.raw())) }
    }

    /// Marks a function with a string attribute.
    pub(crate) fn mark(&self, function: Value<'_>, key: &str) {
        self.mark_with(function, key, "");
    }

    /// Marks a function with a string attribute that says something.
    pub(crate) fn mark_with(&self, function: Value<'_>, key: &str, text: &str) {
        let len = key.len() as u32;
        // SAFETY: LLVM copies the strings; `function` is a function of this module.
        unsafe {
            let attribute = LLVMCreateStringAttribute(
                self.context.raw,
                key.as_ptr() as *const c_char,
                len,
                text.as_ptr() as *const c_char,
                text.len() as u32,
            );
            LLVMAddAttributeAtIndex(function.raw(), llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }
}

/// Ties LLVM pointers to the module they came from.
pub(crate) type Borrow<'m> = PhantomData<&'m ()>;
