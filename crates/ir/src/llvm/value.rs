//! Values, types, blocks and metadata as small copyable handles.
//!
//! LLVM casts without checking: every accessor names the kind of value it may be called on, and callers look at
//! `opcode`, `kind` or an `is_…` first. Handles are compared by identity.

use super::Borrow;
pub(crate) use llvm_sys::LLVMTypeKind as TypeKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMAttributeFunctionIndex, LLVMIntPredicate, LLVMLinkage, LLVMOpcode};
use std::ffi::c_char;
use std::marker::PhantomData;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) struct $name<'m>($raw, Borrow<'m>);

        #[allow(dead_code)]
        impl<'m> $name<'m> {
            /// # Safety
            /// The pointer is live for `'m` and not null.
            pub(crate) unsafe fn new(raw: $raw) -> Self {
                debug_assert!(!raw.is_null());
                $name(raw, PhantomData)
            }

            /// # Safety
            /// The pointer is null or live for `'m`.
            pub(crate) unsafe fn optional(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some($name(raw, PhantomData))
            }

            pub(crate) fn raw(self) -> $raw {
                self.0
            }
        }
    };
}

handle!(
    /// Anything LLVM calls a value: constants, instructions, functions, globals, metadata operands.
    Value, LLVMValueRef
);
handle!(
    /// A type.
    Type, LLVMTypeRef
);
handle!(
    /// A basic block.
    BasicBlock, LLVMBasicBlockRef
);
handle!(
    /// A metadata node.
    Meta, LLVMMetadataRef
);

/// # Safety
/// `data` points to `len` bytes, or is null with `len` 0.
unsafe fn text(data: *const c_char, len: usize) -> String {
    if data.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: by the contract above.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(data as *const u8, len) }).into_owned()
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: a lookup in LLVM's static table.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr() as *const c_char, name.len()) }
}

/// Defines accessors that return whether LLVM's `LLVMIsA…` recognises the value.
macro_rules! is_a {
    ($($name:ident $check:ident;)*) => {
        $(pub(crate) fn $name(self) -> bool {
            // SAFETY: a dynamic type test on a live value.
            unsafe { !$check(self.0).is_null() }
        })*
    };
}

impl<'m> Value<'m> {
    is_a! {
        is_function LLVMIsAFunction;
        is_global_variable LLVMIsAGlobalVariable;
        is_alias LLVMIsAGlobalAlias;
        is_global LLVMIsAGlobalValue;
        is_instruction LLVMIsAInstruction;
        is_inline_asm LLVMIsAInlineAsm;
        is_constant_int LLVMIsAConstantInt;
        is_constant_fp LLVMIsAConstantFP;
        is_constant_expr LLVMIsAConstantExpr;
        is_block_address LLVMIsABlockAddress;
        is_debug_intrinsic LLVMIsADbgInfoIntrinsic;
        is_debug_variable LLVMIsADbgVariableIntrinsic;
        is_metadata_string LLVMIsAMDString;
        is_value_as_metadata LLVMIsAValueAsMetadata;
    }

    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: every value has a type.
        unsafe { Type::new(LLVMTypeOf(self.0)) }
    }

    pub(crate) fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the name is copied while the value lives.
        unsafe {
            let data = LLVMGetValueName2(self.0, &mut len);
            text(data, len)
        }
    }

    pub(crate) fn set_name(self, name: &str) {
        // SAFETY: LLVM copies the bytes.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr() as *const c_char, name.len()) }
    }

    /// As LLVM prints it.
    pub(crate) fn print(self) -> String {
        // SAFETY: the string is ours.
        unsafe { super::take_message(LLVMPrintValueToString(self.0)) }
    }

    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: a live value.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// `undef` or `poison`.
    pub(crate) fn is_undef(self) -> bool {
        // SAFETY: a live value.
        unsafe { LLVMIsUndef(self.0) != 0 }
    }

    /// A constant whose bits are all zero.
    pub(crate) fn is_null(self) -> bool {
        // SAFETY: a live value.
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    pub(crate) fn replace_all_uses(self, by: Value<'m>) {
        // SAFETY: callers pass a value of the same type (all globals are pointers).
        unsafe { LLVMReplaceAllUsesWith(self.0, by.0) }
    }

    /// The users, one entry per use.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the use list is not changed while it is walked.
        unsafe {
            let first = LLVMGetFirstUse(self.0);
            let uses = std::iter::successors((!first.is_null()).then_some(first), |u| {
                let next = LLVMGetNextUse(*u);
                (!next.is_null()).then_some(next)
            });
            uses.map(|u| Value::new(LLVMGetUser(u)))
        }
    }

    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: callers ask users (instructions and constants) only.
        unsafe { LLVMGetNumOperands(self.0).max(0) as u32 }
    }

    /// Operand `i` of a user; `i` is below `operand_count`.
    pub(crate) fn operand(self, i: u32) -> Value<'m> {
        debug_assert!(i < self.operand_count());
        // SAFETY: in range.
        unsafe { Value::new(LLVMGetOperand(self.0, i)) }
    }

    // ---- instructions

    /// Of an instruction.
    pub(crate) fn opcode(self) -> LLVMOpcode {
        // SAFETY: callers ask instructions only.
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Of a constant expression.
    pub(crate) fn const_opcode(self) -> LLVMOpcode {
        // SAFETY: callers ask constant expressions only.
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// The block of an instruction.
    pub(crate) fn parent(self) -> BasicBlock<'m> {
        // SAFETY: instructions of a module always have a block.
        unsafe { BasicBlock::new(LLVMGetInstructionParent(self.0)) }
    }

    /// Of an `icmp`.
    pub(crate) fn int_predicate(self) -> LLVMIntPredicate {
        // SAFETY: callers ask `icmp` only.
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// LLVM's number of an `fcmp` predicate.
    pub(crate) fn real_predicate(self) -> u8 {
        // SAFETY: callers ask `fcmp` only.
        unsafe { LLVMGetFCmpPredicate(self.0) as u8 }
    }

    /// The type an `alloca` makes room for.
    pub(crate) fn allocated_type(self) -> Type<'m> {
        // SAFETY: callers ask `alloca` only.
        unsafe { Type::new(LLVMGetAllocatedType(self.0)) }
    }

    /// Of a global variable, alloca, load, store or atomic; 0 if unspecified.
    pub(crate) fn alignment(self) -> u64 {
        // SAFETY: callers ask those only.
        unsafe { LLVMGetAlignment(self.0) as u64 }
    }

    /// Of a GEP (instruction or constant expression).
    pub(crate) fn gep_source_type(self) -> Type<'m> {
        // SAFETY: callers ask GEPs only.
        unsafe { Type::new(LLVMGetGEPSourceElementType(self.0)) }
    }

    /// Constant indices of `extractvalue` and `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        // SAFETY: callers ask those only; the array lives with the instruction and is copied.
        unsafe {
            let n = LLVMGetNumIndices(self.0) as usize;
            if n == 0 { Vec::new() } else { std::slice::from_raw_parts(LLVMGetIndices(self.0), n).to_vec() }
        }
    }

    /// Mask of a `shufflevector`; negative elements are poison.
    pub(crate) fn shuffle_mask(self) -> Vec<i32> {
        // SAFETY: callers ask `shufflevector` (instruction or constant expression) only.
        unsafe { (0..LLVMGetNumMaskElements(self.0)).map(|i| LLVMGetMaskValue(self.0, i)).collect() }
    }

    pub(crate) fn rmw_operation(self) -> LLVMAtomicRMWBinOp {
        // SAFETY: callers ask `atomicrmw` only.
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Incoming values and blocks of a phi.
    pub(crate) fn incoming(self) -> impl Iterator<Item = (Value<'m>, BasicBlock<'m>)> {
        // SAFETY: callers ask phis only; the index is in range.
        let n = unsafe { LLVMCountIncoming(self.0) };
        (0..n).map(move |i| unsafe {
            (Value::new(LLVMGetIncomingValue(self.0, i)), BasicBlock::new(LLVMGetIncomingBlock(self.0, i)))
        })
    }

    /// Of a terminator.
    pub(crate) fn successors(self) -> Vec<BasicBlock<'m>> {
        // SAFETY: callers ask terminators only.
        unsafe {
            (0..LLVMGetNumSuccessors(self.0)).map(|i| BasicBlock::new(LLVMGetSuccessor(self.0, i))).collect()
        }
    }

    /// Is this `br` conditional?
    pub(crate) fn is_conditional(self) -> bool {
        // SAFETY: callers ask `br` only.
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    // ---- calls

    /// Must the callee take the place of the caller's frame?
    pub(crate) fn is_must_tail(self) -> bool {
        // SAFETY: the value is a live instruction of the module; other kinds than calls are sorted out first.
        unsafe {
            !LLVMIsACallInst(self.0).is_null()
                && LLVMGetTailCallKind(self.0) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
        }
    }

    pub(crate) fn callee(self) -> Value<'m> {
        // SAFETY: callers ask call-like instructions only.
        unsafe { Value::new(LLVMGetCalledValue(self.0)) }
    }

    pub(crate) fn called_type(self) -> Type<'m> {
        // SAFETY: callers ask call-like instructions only.
        unsafe { Type::new(LLVMGetCalledFunctionType(self.0)) }
    }

    /// Arguments of a call.
    pub(crate) fn arg_count(self) -> u32 {
        // SAFETY: callers ask call-like instructions only.
        unsafe { LLVMGetNumArgOperands(self.0) }
    }

    /// The type attribute `name` (such as `byval`) of argument `i` of a call.
    pub(crate) fn call_type_attribute(self, i: u32, name: &str) -> Option<Type<'m>> {
        // SAFETY: callers ask call-like instructions; type attributes hold a type.
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, i + 1, attribute_kind(name));
            if attribute.is_null() { None } else { Type::optional(LLVMGetTypeAttributeValue(attribute)) }
        }
    }

    /// The integer attribute `name` (such as `align`) of argument `i` of a call.
    pub(crate) fn call_int_attribute(self, i: u32, name: &str) -> Option<u64> {
        // SAFETY: callers ask call-like instructions.
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, i + 1, attribute_kind(name));
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    /// Does the call itself carry the function attribute `name`?
    pub(crate) fn call_has_attribute(self, name: &str) -> bool {
        // SAFETY: callers ask call-like instructions.
        unsafe {
            !LLVMGetCallSiteEnumAttribute(self.0, LLVMAttributeFunctionIndex, attribute_kind(name)).is_null()
        }
    }

    pub(crate) fn asm_text(self) -> String {
        let mut len = 0;
        // SAFETY: callers ask inline assembly only; copied while it lives.
        unsafe {
            let data = LLVMGetInlineAsmAsmString(self.0, &mut len);
            text(data, len)
        }
    }

    pub(crate) fn asm_constraints(self) -> String {
        let mut len = 0;
        // SAFETY: callers ask inline assembly only; copied while it lives.
        unsafe {
            let data = LLVMGetInlineAsmConstraintString(self.0, &mut len);
            text(data, len)
        }
    }

    // ---- functions and other globals

    /// The type of what a global holds (a function's type, a variable's type).
    pub(crate) fn value_type(self) -> Type<'m> {
        // SAFETY: callers ask globals only.
        unsafe { Type::new(LLVMGlobalGetValueType(self.0)) }
    }

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: callers ask globals only.
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        // SAFETY: callers ask globals only.
        unsafe { LLVMGetLinkage(self.0) }
    }

    pub(crate) fn set_linkage(self, linkage: LLVMLinkage) {
        // SAFETY: callers ask globals only.
        unsafe { LLVMSetLinkage(self.0, linkage) }
    }

    /// Symbols are resolved here, so groups of them mean nothing any more.
    pub(crate) fn clear_comdat(self) {
        // SAFETY: callers ask functions and variables only.
        unsafe { llvm_sys::comdat::LLVMSetComdat(self.0, std::ptr::null_mut()) }
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: callers ask variables only.
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub(crate) fn set_thread_local(self) {
        // SAFETY: callers ask variables only.
        unsafe { LLVMSetThreadLocal(self.0, 1) }
    }

    /// Number of an intrinsic function; 0 for others.
    pub(crate) fn intrinsic_id(self) -> u32 {
        // SAFETY: callers ask functions only.
        unsafe { LLVMGetIntrinsicID(self.0) }
    }

    pub(crate) fn params(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: callers ask functions only; the index is in range.
        unsafe { (0..LLVMCountParams(self.0)).map(move |i| Value::new(LLVMGetParam(self.0, i))) }
    }

    pub(crate) fn blocks(self) -> impl Iterator<Item = BasicBlock<'m>> {
        // SAFETY: callers ask functions only.
        unsafe {
            let next = |b: &BasicBlock<'m>| BasicBlock::optional(LLVMGetNextBasicBlock(b.0));
            std::iter::successors(BasicBlock::optional(LLVMGetFirstBasicBlock(self.0)), next)
        }
    }

    /// Does a function carry the enum attribute `name`?
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        // SAFETY: callers ask functions only.
        unsafe {
            !LLVMGetEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute_kind(name)).is_null()
        }
    }

    pub(crate) fn remove_attribute(self, name: &str) {
        // SAFETY: callers ask functions only.
        unsafe { LLVMRemoveEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute_kind(name)) }
    }

    /// The type attribute `name` of parameter `i` of a function.
    pub(crate) fn param_type_attribute(self, i: u32, name: &str) -> Option<Type<'m>> {
        // SAFETY: callers ask functions; type attributes hold a type.
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, i + 1, attribute_kind(name));
            if attribute.is_null() { None } else { Type::optional(LLVMGetTypeAttributeValue(attribute)) }
        }
    }

    /// The integer attribute `name` of parameter `i` of a function.
    pub(crate) fn param_int_attribute(self, i: u32, name: &str) -> Option<u64> {
        // SAFETY: callers ask functions only.
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, i + 1, attribute_kind(name));
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    /// Does a function carry the string attribute `key`?
    pub(crate) fn is_marked(self, key: &str) -> bool {
        let (data, len) = (key.as_ptr() as *const c_char, key.len() as u32);
        // SAFETY: callers ask functions only.
        unsafe { !LLVMGetStringAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, data, len).is_null() }
    }

    /// What a function's string attribute says; `None` if it has none.
    pub(crate) fn mark_text(self, key: &str) -> Option<String> {
        let (data, len) = (key.as_ptr() as *const c_char, key.len() as u32);
        // SAFETY: callers ask functions only; the text lives with the attribute and is copied.
        unsafe {
            let attribute = LLVMGetStringAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, data, len);
            if attribute.is_null() {
                return None;
            }
            let mut len = 0;
            let data = LLVMGetStringAttributeValue(attribute, &mut len);
            Some(text(data, len as usize))
        }
    }

    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: callers ask variables only.
        unsafe { Value::optional(LLVMGetInitializer(self.0)) }
    }

    /// May a variable never be written?
    pub(crate) fn is_constant_variable(self) -> bool {
        // SAFETY: callers ask variables only.
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub(crate) fn aliasee(self) -> Option<Value<'m>> {
        // SAFETY: callers ask aliases only.
        unsafe { Value::optional(LLVMAliasGetAliasee(self.0)) }
    }

    pub(crate) fn set_aliasee(self, aliasee: Value<'m>) {
        // SAFETY: callers ask aliases only and pass a global of the same module.
        unsafe { LLVMAliasSetAliasee(self.0, aliasee.0) }
    }

    pub(crate) fn resolver(self) -> Option<Value<'m>> {
        // SAFETY: callers ask ifuncs only.
        unsafe { Value::optional(LLVMGetGlobalIFuncResolver(self.0)) }
    }

    // ---- constants

    /// Of an integer constant of at most 64 bits.
    pub(crate) fn zext_value(self) -> u64 {
        // SAFETY: callers ask integer constants of at most 64 bits only.
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// The bytes of a constant array of `i8`.
    pub(crate) fn string_bytes(self) -> Option<&'m [u8]> {
        let mut len = 0;
        // SAFETY: the test comes first; the bytes live in the context, which outlives the module.
        unsafe {
            if LLVMIsAConstantDataSequential(self.0).is_null() || LLVMIsConstantString(self.0) == 0 {
                return None;
            }
            let data = LLVMGetAsString(self.0, &mut len);
            Some(if len == 0 { &[] } else { std::slice::from_raw_parts(data as *const u8, len) })
        }
    }

    /// Element `i` of an aggregate or vector constant.
    pub(crate) fn element(self, i: u32) -> Option<Value<'m>> {
        // SAFETY: LLVM answers null when there is no such element.
        unsafe { Value::optional(LLVMGetAggregateElement(self.0, i)) }
    }

    pub(crate) fn block_address_block(self) -> Option<BasicBlock<'m>> {
        // SAFETY: callers ask block addresses only.
        unsafe { BasicBlock::optional(LLVMGetBlockAddressBasicBlock(self.0)) }
    }

    // ---- metadata

    /// Location of an instruction.
    pub(crate) fn debug_location(self) -> Option<Meta<'m>> {
        // SAFETY: callers ask instructions only.
        unsafe { Meta::optional(LLVMInstructionGetDebugLoc(self.0)) }
    }

    /// Debug information of a function.
    pub(crate) fn subprogram(self) -> Option<Meta<'m>> {
        // SAFETY: callers ask functions only.
        unsafe { Meta::optional(LLVMGetSubprogram(self.0)) }
    }

    /// Operands of a metadata node seen as a value; of a value seen as metadata, that value.
    pub(crate) fn metadata_operands(self) -> Vec<Option<Value<'m>>> {
        // SAFETY: callers pass metadata values that are nodes or wrapped values; the vector has the right length.
        unsafe {
            let n = LLVMGetMDNodeNumOperands(self.0) as usize;
            let mut list = vec![std::ptr::null_mut(); n];
            if n > 0 {
                LLVMGetMDNodeOperands(self.0, list.as_mut_ptr());
            }
            list.into_iter().map(|v| Value::optional(v)).collect()
        }
    }

    pub(crate) fn metadata_string(self) -> String {
        let mut len = 0;
        // SAFETY: null is returned for other kinds; copied while it lives.
        unsafe {
            let data = LLVMGetMDString(self.0, &mut len);
            text(data, len as usize)
        }
    }
}

impl<'m> Type<'m> {
    pub(crate) fn kind(self) -> TypeKind {
        // SAFETY: a live type.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub(crate) fn is_sized(self) -> bool {
        // SAFETY: a live type.
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    pub(crate) fn print(self) -> String {
        // SAFETY: the string is ours.
        unsafe { super::take_message(LLVMPrintTypeToString(self.0)) }
    }

    /// Of an integer type.
    pub(crate) fn int_width(self) -> u32 {
        // SAFETY: callers ask integer types only.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Of an array or vector type.
    pub(crate) fn element(self) -> Type<'m> {
        // SAFETY: callers ask arrays and vectors only.
        unsafe { Type::new(LLVMGetElementType(self.0)) }
    }

    /// Elements of an array or (fixed) vector type.
    pub(crate) fn length(self) -> u64 {
        // SAFETY: the kind is looked at first.
        unsafe {
            if self.kind() == TypeKind::LLVMArrayTypeKind {
                LLVMGetArrayLength2(self.0)
            } else {
                LLVMGetVectorSize(self.0) as u64
            }
        }
    }

    /// Of a struct type.
    pub(crate) fn field_count(self) -> u32 {
        // SAFETY: callers ask struct types only.
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// Of a struct type; `i` is below `field_count`.
    pub(crate) fn field(self, i: u32) -> Type<'m> {
        // SAFETY: in range.
        unsafe { Type::new(LLVMStructGetTypeAtIndex(self.0, i)) }
    }

    /// Of a function type.
    pub(crate) fn return_type(self) -> Type<'m> {
        // SAFETY: callers ask function types only.
        unsafe { Type::new(LLVMGetReturnType(self.0)) }
    }

    /// Of a function type.
    pub(crate) fn param_types(self) -> Vec<Type<'m>> {
        // SAFETY: callers ask function types only; the vector has the right length.
        unsafe {
            let n = LLVMCountParamTypes(self.0) as usize;
            let mut list = vec![std::ptr::null_mut(); n];
            LLVMGetParamTypes(self.0, list.as_mut_ptr());
            list.into_iter().map(|t| Type::new(t)).collect()
        }
    }

    /// Of a function type.
    pub(crate) fn is_variadic(self) -> bool {
        // SAFETY: callers ask function types only.
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    pub(crate) fn is_vector(self) -> bool {
        self.kind() == TypeKind::LLVMVectorTypeKind
    }

    /// The element type of a vector, the type itself otherwise.
    pub(crate) fn scalar(self) -> Type<'m> {
        if self.is_vector() { self.element() } else { self }
    }

    /// Number of lanes of a vector, 1 otherwise.
    pub(crate) fn lanes(self) -> u32 {
        if self.is_vector() { self.length() as u32 } else { 1 }
    }
}

impl<'m> BasicBlock<'m> {
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: a live block that is not changed while it is walked.
        unsafe {
            let next = |v: &Value<'m>| Value::optional(LLVMGetNextInstruction(v.0));
            std::iter::successors(Value::optional(LLVMGetFirstInstruction(self.0)), next)
        }
    }

    pub(crate) fn terminator(self) -> Option<Value<'m>> {
        // SAFETY: a live block.
        unsafe { Value::optional(LLVMGetBasicBlockTerminator(self.0)) }
    }
}

impl<'m> Meta<'m> {
    /// Line, column, scope and the location it was inlined at, of a `DILocation`.
    pub(crate) fn location(self) -> (u32, u32, Option<Meta<'m>>, Option<Meta<'m>>) {
        // SAFETY: callers ask locations only.
        unsafe {
            (
                LLVMDILocationGetLine(self.0),
                LLVMDILocationGetColumn(self.0),
                Meta::optional(LLVMDILocationGetScope(self.0)),
                Meta::optional(LLVMDILocationGetInlinedAt(self.0)),
            )
        }
    }

    /// The file of a scope.
    pub(crate) fn scope_file(self) -> Option<Meta<'m>> {
        // SAFETY: callers ask scopes only.
        unsafe { Meta::optional(LLVMDIScopeGetFile(self.0)) }
    }

    /// Directory and name of a `DIFile`.
    pub(crate) fn file_path(self) -> (String, String) {
        let mut len = 0;
        // SAFETY: callers ask files only; copied while they live.
        unsafe {
            let directory = LLVMDIFileGetDirectory(self.0, &mut len);
            let directory = text(directory, len as usize);
            let name = LLVMDIFileGetFilename(self.0, &mut len);
            (directory, text(name, len as usize))
        }
    }

    pub(crate) fn is_subprogram(self) -> bool {
        // SAFETY: live metadata.
        unsafe { matches!(LLVMGetMetadataKind(self.0), LLVMMetadataKind::LLVMDISubprogramMetadataKind) }
    }

    /// Line of a subprogram.
    pub(crate) fn subprogram_line(self) -> u32 {
        // SAFETY: callers ask subprograms only.
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }
}

impl<'m> Value<'m> {
    /// The metadata behind a metadata operand.
    pub(crate) fn as_metadata(self) -> Option<Meta<'m>> {
        // SAFETY: for a metadata value LLVM unwraps the node it holds.
        unsafe { Meta::optional(LLVMValueAsMetadata(self.0)) }
    }
}

/// A name LLVM keeps for an intrinsic number, such as `llvm.memcpy`.
pub(crate) fn intrinsic_base_name(id: u32) -> String {
    let mut len = 0;
    // SAFETY: a lookup in a static table; numbers come from `intrinsic_id`.
    unsafe {
        let data = LLVMIntrinsicGetName(id, &mut len);
        text(data, len)
    }
}
