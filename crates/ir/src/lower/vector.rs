//! Parts of aggregates and vectors: extracting, inserting and shuffling.
//!
//! With constant indices these only choose slots and emit nothing; a variable index needs the elements side by
//! side and an operation.

use super::function::{Body, Place};
use crate::llvm::Value;
use crate::op::Op;

impl<'m> Body<'_, 'm> {
    pub(crate) fn extract_value(&mut self, inst: Value<'m>) -> Result<(), String> {
        let source = inst.operand(0);
        let (from, ty) = self.cx.types.part(source.ty(), &inst.indices())?;
        let n = self.cx.types.shape(ty)?.slots;
        let place = self.place(source)?.range(from, n);
        self.places.insert(inst, place);
        Ok(())
    }

    pub(crate) fn insert_value(&mut self, inst: Value<'m>) -> Result<(), String> {
        let (whole, part) = (inst.operand(0), inst.operand(1));
        let (from, ty) = self.cx.types.part(whole.ty(), &inst.indices())?;
        let n = self.cx.types.shape(ty)?.slots;
        self.replace_part(inst, whole, part, from, n)
    }

    /// `inst` is `whole` with the `n` slots from `from` on taken from `part`.
    fn replace_part(
        &mut self,
        inst: Value<'m>,
        whole: Value<'m>,
        part: Value<'m>,
        from: u32,
        n: u32,
    ) -> Result<(), String> {
        let total = self.cx.types.shape(whole.ty())?.slots;
        let mut list = self.place(whole)?.list(total);
        let part = self.place(part)?;
        for i in 0..n {
            list[(from + i) as usize] = part.slot(i);
        }
        self.places.insert(inst, Place::Parts(list.into()));
        Ok(())
    }

    fn element_slots(&mut self, vector: Value<'m>) -> Result<u32, String> {
        Ok(self.cx.types.shape(vector.ty().scalar())?.slots)
    }

    /// A constant index that is in range, if the index is constant; poison if it is out of range.
    fn constant_index(&mut self, index: Value<'m>, lanes: u32) -> Result<Option<Option<u32>>, String> {
        if !index.is_constant() {
            return Ok(None);
        }
        let words = self.cx.constant(index)?;
        let small = words[1..].iter().all(|w| *w == 0) && words[0] < lanes as u64;
        Ok(Some(small.then_some(words[0] as u32)))
    }

    /// The value zero for a poison result.
    fn poison(&mut self, inst: Value<'m>) -> Result<(), String> {
        let n = self.cx.types.shape(inst.ty())?.slots;
        let zeros = self.number_run(&vec![0; n as usize]);
        self.places.insert(inst, Place::Run(zeros));
        Ok(())
    }

    pub(crate) fn extract_element(&mut self, inst: Value<'m>) -> Result<(), String> {
        let (vector, index) = (inst.operand(0), inst.operand(1));
        let lanes = vector.ty().lanes();
        let stride = self.element_slots(vector)?;
        match self.constant_index(index, lanes)? {
            Some(Some(i)) => {
                let place = self.place(vector)?.range(i * stride, stride);
                self.places.insert(inst, place);
                Ok(())
            }
            Some(None) => self.poison(inst),
            None => {
                let place = self.place(vector)?;
                let base = self.run(&place, lanes * stride);
                let idx = self.index_slot(index, false)?;
                let stride = u8::try_from(stride).map_err(|_| "a vector of very wide elements")?;
                let dst = self.define(inst, stride as u32);
                self.emit(Op::ExtractElem { stride, dst, base, idx, n: lanes });
                Ok(())
            }
        }
    }

    pub(crate) fn insert_element(&mut self, inst: Value<'m>) -> Result<(), String> {
        let (vector, part, index) = (inst.operand(0), inst.operand(1), inst.operand(2));
        let lanes = vector.ty().lanes();
        let stride = self.element_slots(vector)?;
        match self.constant_index(index, lanes)? {
            Some(Some(i)) => self.replace_part(inst, vector, part, i * stride, stride),
            Some(None) => self.poison(inst),
            None => {
                let list = self.place(vector)?.list(lanes * stride);
                let place = self.place(part)?;
                let val = self.run(&place, stride);
                let idx = self.index_slot(index, false)?;
                let stride = u8::try_from(stride).map_err(|_| "a vector of very wide elements")?;
                let base = self.gather(&list);
                self.places.insert(inst, Place::Run(base));
                self.emit(Op::InsertElem { stride, base, val, idx, n: lanes });
                Ok(())
            }
        }
    }

    pub(crate) fn shuffle(&mut self, inst: Value<'m>) -> Result<(), String> {
        let (first, second) = (inst.operand(0), inst.operand(1));
        let stride = self.element_slots(first)?;
        let lanes = first.ty().lanes();
        let (a, b) = (self.place(first)?, self.place(second)?);
        let zeros = self.number_run(&vec![0; stride as usize]);
        let mut list = Vec::new();
        for index in inst.shuffle_mask() {
            let source = match u32::try_from(index) {
                Ok(i) if i < lanes => a.range(i * stride, stride),
                Ok(i) if i < 2 * lanes => b.range((i - lanes) * stride, stride),
                _ => Place::Run(zeros),
            };
            list.extend(source.list(stride));
        }
        self.places.insert(inst, Place::Parts(list.into()));
        Ok(())
    }
}
