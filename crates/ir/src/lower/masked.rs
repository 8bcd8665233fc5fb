//! Masked loads and stores, lane by lane without branches.
//!
//! A lane that is switched off accesses a scratch object instead of the program's memory: its address is selected
//! by the mask, so nothing outside the enabled lanes is ever touched.

use super::function::{Body, Place};
use super::fuse::Address;
use crate::llvm::{Type, Value};
use crate::op::{Op, Slot};

/// Largest element a masked access may have: the scratch object holds it.
const MAX_BITS: u32 = 512;

impl<'m> Body<'_, 'm> {
    pub(crate) fn masked(&mut self, inst: Value<'m>, name: &str) -> Result<(), String> {
        match name {
            "masked.load" => self.masked_load(inst, inst.operand(0), inst.operand(2), inst.operand(3), false),
            "masked.gather" => {
                self.masked_load(inst, inst.operand(0), inst.operand(2), inst.operand(3), false)
            }
            "masked.expandload" => {
                self.masked_load(inst, inst.operand(0), inst.operand(1), inst.operand(2), true)
            }
            "masked.compressstore" => {
                self.masked_store(inst.operand(0), inst.operand(1), inst.operand(2), true)
            }
            _ => self.masked_store(inst.operand(0), inst.operand(1), inst.operand(3), false),
        }
    }

    /// Addresses of all lanes, scratch where the mask is off. In compressed form lanes follow each other without
    /// gaps.
    fn lane_addresses(
        &mut self,
        pointer: Value<'m>,
        mask: &Place,
        vector: Type<'m>,
        compressed: bool,
    ) -> Result<Vec<Slot>, String> {
        let element = vector.scalar();
        let bits = self.cx.types.scalar_bits(element).ok_or("an element of an odd type")?;
        if bits % 8 != 0 || bits > MAX_BITS {
            return Err("a masked access to elements of an odd width".into());
        }
        let bytes = bits / 8;
        let scratch = self.cx.scratch_address();
        let scratch = self.number(scratch);
        let base = self.place(pointer)?;
        let mut running = base.slot(0);
        let mut list = Vec::new();
        for lane in 0..vector.lanes() {
            let c = mask.slot(lane);
            let own = if pointer.ty().is_vector() {
                base.slot(lane)
            } else if compressed {
                running
            } else if lane == 0 {
                base.slot(0)
            } else {
                let a = base.slot(0);
                self.emit_new(|dst| Op::AddImm { dst, a, imm: (lane * bytes) as i32 })
            };
            if compressed {
                let next = self.emit_new(|dst| Op::AddImm { dst, a: own, imm: bytes as i32 });
                running = self.emit_new(|dst| Op::Select { w: 64, dst, c, a: next, b: own });
            }
            list.push(self.emit_new(|dst| Op::Select { w: 64, dst, c, a: own, b: scratch }));
        }
        Ok(list)
    }

    fn masked_load(
        &mut self,
        inst: Value<'m>,
        pointer: Value<'m>,
        mask: Value<'m>,
        otherwise: Value<'m>,
        compressed: bool,
    ) -> Result<(), String> {
        let mask = self.place(mask)?;
        let otherwise = self.place(otherwise)?;
        let addresses = self.lane_addresses(pointer, &mask, inst.ty(), compressed)?;
        let shape = self.cx.types.shape(inst.ty().scalar())?;
        let widths = shape.slot_widths();
        let dst = self.define(inst, shape.slots * inst.ty().lanes());
        for (lane, address) in addresses.into_iter().enumerate() {
            let lane = lane as u32;
            let loaded = self.new_group(shape.slots);
            self.load_shape(&shape, loaded, Address::plain(address))?;
            for (i, &w) in widths.iter().enumerate() {
                let i = i as u32;
                let at = lane * shape.slots + i;
                let (c, b) = (mask.slot(lane), otherwise.slot(at));
                self.emit(Op::Select { w, dst: dst + at, c, a: loaded + i, b });
            }
        }
        Ok(())
    }

    fn masked_store(
        &mut self,
        value: Value<'m>,
        pointer: Value<'m>,
        mask: Value<'m>,
        compressed: bool,
    ) -> Result<(), String> {
        let mask = self.place(mask)?;
        let place = self.place(value)?;
        let addresses = self.lane_addresses(pointer, &mask, value.ty(), compressed)?;
        let shape = self.cx.types.shape(value.ty().scalar())?;
        for (lane, address) in addresses.into_iter().enumerate() {
            let part = place.range(lane as u32 * shape.slots, shape.slots);
            self.store_shape(&shape, &part, Address::plain(address))?;
        }
        Ok(())
    }
}
