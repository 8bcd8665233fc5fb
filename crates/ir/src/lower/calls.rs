//! Calls: direct, through pointers, to inline assembly. Intrinsics are in `intrinsics`.
//!
//! A call whose types do not match its callee's goes through the pointer form, where the virtual machine compares
//! the two; the direct form promises that they match.

use super::function::{Body, Place};
use super::operands::NO_SLOT;
use super::types::slots_of;
use crate::layout;
use crate::llvm::{TypeKind, Value};
use crate::op::{Intrinsic, Op, Slot};
use crate::program::{ArgType, CallSite};

impl<'m> Body<'_, 'm> {
    pub(crate) fn call(&mut self, inst: Value<'m>) -> Result<(), String> {
        let callee = inst.callee();
        if callee.is_inline_asm() {
            return self.inline_asm(inst, callee);
        }
        if callee.is_function() && (callee.intrinsic_id() != 0 || callee.name().starts_with("llvm.")) {
            return self.intrinsic_call(inst, callee);
        }
        let site = self.call_site(inst)?;
        let target = if callee.is_constant() {
            let address = self.cx.constant(callee)?.first().copied().unwrap_or(0);
            layout::function_at(address, self.cx.program.functions.len())
        } else {
            None
        };
        if let Some(func) = target {
            let before = self.offset - 1;
            let block = (self.cfg.first_block + self.block) as usize;
            self.cx.program.blocks[block].calls.push((func, before));
            let function = &self.cx.program.functions[func as usize];
            if matches(
                &site,
                &function.params,
                &function.ret,
                function.variadic,
                inst.called_type().is_variadic(),
            ) {
                let dst = self.result(inst, site.ret_slots);
                self.emit_call(func, dst, site);
                return Ok(());
            }
        }
        let ptr = self.slot(callee)?;
        let dst = self.result(inst, site.ret_slots);
        let site = self.add_site(site);
        self.emit(Op::CallPointer { ptr, dst, site });
        Ok(())
    }

    /// The slot of a call's result.
    pub(crate) fn result(&mut self, inst: Value<'m>, n: u32) -> Slot {
        if n == 0 {
            self.places.insert(inst, Place::Run(0));
            NO_SLOT
        } else {
            self.define(inst, n)
        }
    }

    /// A direct call of a function by number.
    pub(crate) fn emit_call(&mut self, func: u32, dst: Slot, site: CallSite) {
        let site = self.add_site(site);
        let has_body = self.cx.has_body.get(func as usize).copied().unwrap_or(false);
        self.emit(if has_body { Op::Call { func, dst, site } } else { Op::CallExternal { func, dst, site } });
    }

    fn call_site(&mut self, inst: Value<'m>) -> Result<CallSite, String> {
        let mut site = CallSite::default();
        for i in 0..inst.arg_count() {
            let arg = inst.operand(i);
            if arg.ty().kind() == TypeKind::LLVMMetadataTypeKind {
                continue;
            }
            let place = self.place(arg)?;
            if let Some(pointee) = inst.call_type_attribute(i, "byval") {
                let align = inst.call_int_attribute(i, "align");
                site.args.push(self.cx.byval(pointee, align));
                site.slots.push(place.slot(0));
                continue;
            }
            let ty = self.cx.types.arg_type(arg.ty())?.unwrap_or(ArgType::Aggregate(Vec::new()));
            site.slots.extend(place.list(ty.slots()));
            site.args.push(ty);
        }
        site.ret = self.cx.types.arg_type(inst.ty())?;
        site.ret_slots = site.ret.as_ref().map_or(0, ArgType::slots);
        site.must_tail = inst.is_must_tail();
        Ok(site)
    }

    /// Emits an intrinsic on operands given by first slot and type.
    pub(crate) fn intrinsic(
        &mut self,
        id: Intrinsic,
        w: u32,
        dst: Slot,
        operands: &[(Slot, ArgType)],
        ret: Option<ArgType>,
    ) {
        let site = site_of(operands, ret);
        let site = self.add_site(site);
        self.emit(Op::Intrinsic { id, w, dst, site });
    }

    fn inline_asm(&mut self, inst: Value<'m>, asm: Value<'m>) -> Result<(), String> {
        let text = asm.asm_text();
        let empty = text.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#'));
        if empty {
            return self.empty_asm(inst, &asm.asm_constraints());
        }
        let site = self.call_site(inst)?;
        let dst = self.result(inst, site.ret_slots);
        let site = self.add_site(site);
        let text = self.cx.asm_number(text);
        self.emit(Op::InlineAsm { text, dst, site });
        Ok(())
    }

    /// Assembly without instructions, used as a barrier: each output is the input tied to it.
    fn empty_asm(&mut self, inst: Value<'m>, constraints: &str) -> Result<(), String> {
        let shape = self.cx.types.shape(inst.ty())?;
        let parts: Vec<&str> =
            constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')).collect();
        let n_outputs = parts.iter().filter(|c| c.starts_with('=')).count();
        // Arguments: indirect outputs, then inputs, in the order of the constraints.
        let mut next_arg = 0;
        let mut tied: Vec<Option<u32>> = vec![None; n_outputs];
        let mut direct = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            if part.starts_with('!') {
                continue;
            }
            if part.starts_with('=') {
                if part.contains('*') {
                    next_arg += 1;
                } else {
                    direct.push(i);
                }
                continue;
            }
            if let Ok(output) = part.trim_start_matches('%').parse::<usize>()
                && output < n_outputs
                && next_arg < inst.arg_count()
            {
                tied[output] = Some(next_arg);
            }
            next_arg += 1;
        }
        let zero = self.number(0);
        let mut list = vec![zero; shape.slots as usize];
        let is_struct = inst.ty().kind() == TypeKind::LLVMStructTypeKind;
        for (field, output) in direct.into_iter().enumerate() {
            let Some(arg) = tied.get(output).copied().flatten() else { continue };
            let (start, ty) =
                if is_struct { self.cx.types.part(inst.ty(), &[field as u32])? } else { (0, inst.ty()) };
            let source = inst.operand(arg);
            let (from, to) = (self.cx.types.shape(source.ty())?, self.cx.types.shape(ty)?);
            let place = self.place(source)?;
            if from.leaves == to.leaves {
                for i in 0..to.slots {
                    list[(start + i) as usize] = place.slot(i);
                }
            } else if let (Some(f), Some(t)) = (from.scalar(), to.scalar())
                && slots_of(f) == 1
                && slots_of(t) == 1
            {
                list[start as usize] = self.resize(place.slot(0), f, t, false);
            }
        }
        self.places.insert(inst, Place::Parts(list.into()));
        Ok(())
    }
}

/// A call site over operands given by first slot and type.
pub(crate) fn site_of(operands: &[(Slot, ArgType)], ret: Option<ArgType>) -> CallSite {
    let slots = operands.iter().flat_map(|(first, ty)| (0..ty.slots()).map(move |i| first + i)).collect();
    let args = operands.iter().map(|(_, ty)| ty.clone()).collect();
    CallSite { slots, args, ret_slots: ret.as_ref().map_or(0, ArgType::slots), ret, must_tail: false }
}

/// Does a call agree with a function's signature?
fn matches(
    site: &CallSite,
    params: &[ArgType],
    ret: &Option<ArgType>,
    variadic: bool,
    variadic_call: bool,
) -> bool {
    site.ret == *ret
        && variadic == variadic_call
        && if variadic { site.args.starts_with(params) } else { site.args == params }
}
