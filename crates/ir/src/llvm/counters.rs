//! Changing a module so that it counts: a block on each arm of a branch, with a store to the arm's counter. Edges and phis
//! are the only things that change; see `crate::instrument` for which arms and which numbers.

use super::{BasicBlock, Module, Value, c_string};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

impl Module<'_> {
    /// A private array of zero bytes in a section of its own.
    pub(crate) fn add_byte_array(&self, name: &str, size: u64, section: &str, align: u32) -> Value<'_> {
        // SAFETY: types and the initializer belong to this context; LLVM copies the section's name.
        unsafe {
            let ty = LLVMArrayType2(LLVMInt8TypeInContext(self.context.raw), size);
            let array = LLVMAddGlobal(self.raw, ty, c_string(name).as_ptr());
            LLVMSetInitializer(array, LLVMConstNull(ty));
            LLVMSetLinkage(array, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            LLVMSetSection(array, c_string(section).as_ptr());
            LLVMSetAlignment(array, align);
            Value::new(array)
        }
    }

    /// Adds to the module's own assembly.
    pub(crate) fn append_assembly(&self, text: &str) {
        // SAFETY: LLVM copies the bytes.
        unsafe { LLVMAppendModuleInlineAsm(self.raw, text.as_ptr().cast(), text.len()) }
    }

    /// Puts a block that stores 1 into its counter on every arm of every branch of a function. `arms` gives the
    /// successors of a terminator that are counted, in the order of the counters, which begin with number `first`.
    pub(crate) fn count_arms<'m>(
        &'m self,
        function: Value<'m>,
        counters: Value<'m>,
        first: u32,
        arms: impl Fn(Value<'m>) -> Option<Vec<u32>>,
    ) {
        let blocks: Vec<BasicBlock<'m>> = function.blocks().collect();
        // By where they come from and lead to: the blocks that now lie between, one for each entry of a phi.
        let mut between: FxHashMap<(BasicBlock<'m>, BasicBlock<'m>), VecDeque<BasicBlock<'m>>> =
            FxHashMap::default();
        let mut next = first;
        for &block in &blocks {
            let Some(terminator) = block.terminator() else { continue };
            let Some(arms) = arms(terminator) else { continue };
            let targets = terminator.successors();
            for arm in arms {
                let target = targets[arm as usize];
                let counted = self.add_counting_block(function, counters, next, target);
                // SAFETY: `arm` is one of the terminator's successors.
                unsafe { LLVMSetSuccessor(terminator.raw(), arm, counted.raw()) };
                between.entry((block, target)).or_default().push_back(counted);
                next += 1;
            }
        }
        for &block in &blocks {
            let phis: Vec<Value<'m>> =
                block.instructions().take_while(|i| i.opcode() == LLVMOpcode::LLVMPHI).collect();
            for phi in phis {
                self.redirect_phi(phi, |from| between.get(&(from, block)));
            }
        }
    }

    fn add_counting_block<'m>(
        &'m self,
        function: Value<'m>,
        counters: Value<'m>,
        number: u32,
        target: BasicBlock<'m>,
    ) -> BasicBlock<'m> {
        // SAFETY: function, array and target belong to this module; the builder is disposed of here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(self.context.raw);
            let block = LLVMAppendBasicBlockInContext(self.context.raw, function.raw(), c"".as_ptr());
            LLVMPositionBuilderAtEnd(builder, block);
            let byte = LLVMInt8TypeInContext(self.context.raw);
            let mut index = [LLVMConstInt(LLVMInt64TypeInContext(self.context.raw), number.into(), 0)];
            let counter = LLVMConstInBoundsGEP2(byte, counters.raw(), index.as_mut_ptr(), 1);
            LLVMBuildStore(builder, LLVMConstInt(byte, 1, 0), counter);
            LLVMBuildBr(builder, target.raw());
            LLVMDisposeBuilder(builder);
            BasicBlock::new(block)
        }
    }

    /// Replaces a phi by one whose entries come from the blocks that were put in between.
    fn redirect_phi<'m, 'b>(
        &'m self,
        phi: Value<'m>,
        between: impl Fn(BasicBlock<'m>) -> Option<&'b VecDeque<BasicBlock<'m>>>,
    ) where
        'm: 'b,
    {
        let mut used: FxHashMap<BasicBlock<'m>, usize> = FxHashMap::default();
        let mut values = Vec::new();
        let mut blocks = Vec::new();
        for (value, from) in phi.incoming() {
            let place = used.entry(from).or_default();
            let block = between(from).and_then(|list| list.get(*place).copied()).unwrap_or(from);
            *place += 1;
            values.push(value.raw());
            blocks.push(block.raw());
        }
        if used.keys().all(|from| between(*from).is_none()) {
            return;
        }
        // SAFETY: the new phi stands where the old one stood, has its type and its values; the old one has no use left
        // when it is erased. The builder is disposed of here.
        unsafe {
            let builder = LLVMCreateBuilderInContext(self.context.raw);
            LLVMPositionBuilderBefore(builder, phi.raw());
            let new = LLVMBuildPhi(builder, phi.ty().raw(), c"".as_ptr());
            LLVMAddIncoming(new, values.as_mut_ptr(), blocks.as_mut_ptr(), values.len() as u32);
            LLVMReplaceAllUsesWith(phi.raw(), new);
            LLVMInstructionEraseFromParent(phi.raw());
            LLVMDisposeBuilder(builder);
        }
    }
}
