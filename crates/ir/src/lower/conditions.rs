//! What the conditions of branches are made of: integers, pointers, text, local variables, results of calls.
//!
//! The source is gone, so the values behind a condition are followed back through the function, over a bounded number of
//! them. Stack variables are loads at `-O0`; after promotion they are the values that debug information names, the
//! parameters, and phis. Behind a variable only calls and their arguments are looked for: what a variable was computed
//! from is no part of the condition's own expression. Nothing here emits code.

use super::function::Body;
use crate::llvm::{TypeKind, Value};
use crate::program::Condition;
use llvm_sys::LLVMOpcode;
use rustc_hash::FxHashSet;

/// Values looked at for one condition; larger expressions do not occur in the source of C programs.
const MAX_VALUES: usize = 64;

/// Functions of the C library whose `int` is a character.
const CHARACTER_FUNCTIONS: [&str; 15] = [
    "fgetc",
    "fgetc_unlocked",
    "getc",
    "getc_unlocked",
    "getchar",
    "getchar_unlocked",
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "rpl_getopt",
    "rpl_getopt_long",
    "tolower",
    "toupper",
    "ungetc",
    "fputc",
];

/// Does a constant look like one that was written as a character?
fn is_character(value: u64) -> bool {
    matches!(value, 0 | 7..=13 | 27 | 32..=126)
}

/// One value still to be looked at.
struct Item<'m> {
    value: Value<'m>,
    /// Behind a variable: not part of the condition's own expression.
    behind: bool,
}

impl<'m> Body<'_, 'm> {
    /// Of a conditional branch or switch.
    pub(crate) fn condition(&mut self, terminator: Value<'m>) -> Condition {
        let mut found =
            Condition { statement_scope: self.cx.debug.lexical_scope(terminator), ..Condition::default() };
        found.scope = found.statement_scope;
        if terminator.operand_count() == 0 {
            return found;
        }
        let value = terminator.operand(0);
        if value.is_instruction() {
            let scope = self.cx.debug.lexical_scope(value);
            if self.is_inside(scope, found.statement_scope) {
                found.scope = scope;
            }
        }
        if terminator.opcode() == LLVMOpcode::LLVMSwitch {
            found.integer = true;
            // Operands are: value, default target, then a constant and a target for each case.
            let cases = (2..terminator.operand_count()).step_by(2).map(|i| terminator.operand(i));
            found.text = cases.into_iter().any(|case| self.compares_character(value, case));
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![Item { value, behind: false }];
        while let Some(item) = work.pop() {
            if !item.value.is_constant() && seen.len() < MAX_VALUES && seen.insert((item.value, item.behind))
            {
                self.look_at(item, &mut found, &mut work);
            }
        }
        found.calls.sort_unstable();
        found.calls.dedup();
        found
    }

    /// Does scope `inner` lie in `outer`, or is it the same?
    fn is_inside(&self, inner: u32, outer: u32) -> bool {
        let mut at = inner;
        while at != outer && at != 0 {
            at = self.cx.debug.scopes[at as usize];
        }
        at == outer
    }

    fn look_at(&self, item: Item<'m>, found: &mut Condition, work: &mut Vec<Item<'m>>) {
        use LLVMOpcode::*;
        let Item { value, mut behind } = item;
        if !value.is_instruction() {
            found.local |= !behind;
            return;
        }
        let opcode = value.opcode();
        let is_truth = value.ty().kind() == TypeKind::LLVMIntegerTypeKind && value.ty().int_width() == 1;
        if !is_truth && self.variable_names.contains_key(&value) {
            found.local |= !behind;
            behind = true;
        }
        let mut follow = |value: Value<'m>| work.push(Item { value, behind });
        match opcode {
            LLVMICmp => {
                let (a, b) = (value.operand(0), value.operand(1));
                if !behind {
                    match a.ty().scalar().kind() {
                        TypeKind::LLVMPointerTypeKind => found.pointer = true,
                        _ => found.integer = true,
                    }
                    let string = [a, b].into_iter().any(is_string);
                    found.text |= string || self.compares_character(a, b) || self.compares_character(b, a);
                }
                follow(b);
                follow(a);
            }
            // A logical "and" or "or" is a phi of truth values; any other is a variable.
            LLVMPHI if is_truth => value.incoming().for_each(|(value, _)| follow(value)),
            LLVMPHI => found.local |= !behind,
            LLVMTrunc => {
                // `bool` variables are tested so.
                found.integer |= !behind && is_truth;
                follow(value.operand(0));
            }
            LLVMCall | LLVMInvoke => self.look_at_call(value, behind, found, work),
            LLVMAlloca => found.local |= !behind,
            LLVMLoad => {
                let base = base_of(value.operand(0));
                let variable = base.is_global() || (base.is_instruction() && base.opcode() == LLVMAlloca);
                found.pointer |= !behind && !variable && !base.is_constant();
                // What a variable was stored from is not known; a pointer and an index are part of the expression.
                if !behind {
                    follow(value.operand(0));
                } else if base.is_instruction() && matches!(base.opcode(), LLVMCall | LLVMInvoke) {
                    follow(base);
                }
            }
            _ => (0..value.operand_count()).rev().for_each(|i| follow(value.operand(i))),
        }
    }

    fn look_at_call(&self, call: Value<'m>, behind: bool, found: &mut Condition, work: &mut Vec<Item<'m>>) {
        let callee = call.callee();
        let intrinsic = callee.is_function() && callee.intrinsic_id() != 0;
        if let Some(number) = self.cx.function_numbers.get(&callee) {
            found.calls.push(*number);
        }
        for i in (0..call.arg_count()).rev() {
            let value = call.operand(i);
            found.text |= !intrinsic && is_string(value);
            found.local |= !intrinsic && !behind && self.is_local(value);
            work.push(Item { value, behind: behind || !intrinsic });
        }
        if !callee.is_function() {
            found.local |= !behind && self.is_local(callee);
        }
    }

    /// Does an argument mention a local variable?
    fn is_local(&self, argument: Value<'m>) -> bool {
        let mut at = argument;
        for _ in 0..MAX_VALUES {
            if at.is_constant() || at.is_inline_asm() {
                return false;
            }
            if !at.is_instruction() || self.variable_names.contains_key(&at) {
                return true;
            }
            use LLVMOpcode::*;
            at = match at.opcode() {
                LLVMAlloca | LLVMPHI => return true,
                LLVMLoad | LLVMGetElementPtr | LLVMZExt | LLVMSExt | LLVMTrunc | LLVMBitCast | LLVMAdd
                | LLVMSub | LLVMFreeze => {
                    let operands = (0..at.operand_count()).map(|i| at.operand(i));
                    match operands.into_iter().find(|o| !o.is_constant()) {
                        Some(operand) => operand,
                        None => return false,
                    }
                }
                _ => return false,
            };
        }
        false
    }

    /// Is `value` a character that is compared with a constant one?
    fn compares_character(&self, value: Value<'m>, constant: Value<'m>) -> bool {
        let ty = constant.ty();
        if !constant.is_constant_int() || ty.int_width() < 8 || ty.int_width() > 64 {
            return false;
        }
        is_character(constant.zext_value()) && self.is_character_value(value)
    }

    /// Was the value a character before it was promoted?
    fn is_character_value(&self, value: Value<'m>) -> bool {
        let byte = |v: Value<'m>| v.ty().kind() == TypeKind::LLVMIntegerTypeKind && v.ty().int_width() == 8;
        let mut work = vec![value];
        let mut seen = FxHashSet::default();
        use LLVMOpcode::*;
        while let Some(value) = work.pop() {
            if byte(value) && !value.is_constant() {
                return true;
            }
            if !value.is_instruction() || seen.len() >= MAX_VALUES || !seen.insert(value) {
                continue;
            }
            match value.opcode() {
                LLVMZExt | LLVMSExt | LLVMTrunc | LLVMFreeze => work.push(value.operand(0)),
                LLVMPHI => work.extend(value.incoming().map(|(v, _)| v)),
                LLVMSelect => work.extend([value.operand(1), value.operand(2)]),
                LLVMCall => {
                    let callee = value.callee();
                    if callee.is_function() && CHARACTER_FUNCTIONS.contains(&callee.name().as_str()) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

/// The pointer that an address is computed from.
fn base_of(pointer: Value<'_>) -> Value<'_> {
    let mut at = pointer;
    for _ in 0..MAX_VALUES {
        let gep = (at.is_instruction() && at.opcode() == LLVMOpcode::LLVMGetElementPtr)
            || (at.is_constant_expr() && at.const_opcode() == LLVMOpcode::LLVMGetElementPtr);
        if !gep {
            break;
        }
        at = at.operand(0);
    }
    at
}

/// Is this the address of a constant string?
fn is_string(value: Value<'_>) -> bool {
    let base = base_of(value);
    base.is_global_variable()
        && base.is_constant_variable()
        && base.initializer().is_some_and(|init| {
            // An empty string is a zero.
            let ty = base.value_type();
            let bytes = ty.kind() == TypeKind::LLVMArrayTypeKind
                && ty.element().kind() == TypeKind::LLVMIntegerTypeKind
                && ty.element().int_width() == 8;
            init.string_bytes().is_some() || (init.is_null() && bytes)
        })
}
