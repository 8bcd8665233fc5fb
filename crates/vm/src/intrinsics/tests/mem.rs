//! Copying and filling.

use super::*;
use crate::FaultKind;
use crate::memory::{Byte, Origin};
use forkwise_ir::Intrinsic;

impl Bench {
    fn object(&mut self, bytes: &[u8]) -> u64 {
        let a = self.st.mem.allocate(bytes.len() as u64, Origin::Heap, 0).unwrap();
        self.st.mem.object_mut(a).unwrap().write(0, bytes);
        a
    }

    fn bytes(&mut self, address: u64, n: u64) -> Vec<u8> {
        let o = self.st.mem.object(address).unwrap();
        let bytes: Vec<Byte> = (0..n).map(|i| o.byte(address - o.base + i)).collect();
        bytes
            .into_iter()
            .map(|b| match b {
                Byte::Concrete(b) => b,
                Byte::Symbolic(e) => self.vm.eval(&self.st, e) as u8,
            })
            .collect()
    }

    fn make_symbolic(&mut self, address: u64, v: u8) {
        let e = self.symbol(v as u64, 8);
        let o = self.st.mem.object_mut(address).unwrap();
        let off = address - o.base;
        o.set_byte(off, Byte::Symbolic(e.sym.unwrap()));
    }

    fn copy(&mut self, dst: u64, src: u64, n: u64) -> Result<(), Termination> {
        self.vm.copy_memory(&mut self.st, Value::concrete(dst), Value::concrete(src), n)
    }
}

fn kind(r: Result<(), Termination>) -> FaultKind {
    match r {
        Err(Termination::Fault(f)) => f.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn copies_of_every_length_and_overlap() {
    let data: Vec<u8> = (0..200).map(|i| i as u8 + 1).collect();
    for n in [1u64, 7, 63, 64, 65, 120] {
        for (from, to) in [(0u64, 40u64), (40, 0), (5, 5), (0, 1), (1, 0)] {
            let mut b = Bench::new();
            let a = b.object(&data);
            b.make_symbolic(a + from + n / 2, 0xee);
            let mut expected = data.clone();
            expected[(from + n / 2) as usize] = 0xee;
            expected.copy_within(from as usize..(from + n) as usize, to as usize);
            b.copy(a + to, a + from, n).unwrap();
            assert_eq!(b.bytes(a, 200), expected, "{n} bytes from {from} to {to}");
        }
    }
}

#[test]
fn copies_between_objects_keep_symbolic_bytes_and_clear_old_ones() {
    let mut b = Bench::new();
    let (src, dst) = (b.object(&[1; 100]), b.object(&[2; 100]));
    b.make_symbolic(src + 10, 0xaa);
    b.make_symbolic(dst + 20, 0xbb);
    b.copy(dst + 5, src + 5, 90).unwrap();
    let o = b.st.mem.object(dst).unwrap();
    assert!(matches!(o.byte(10), Byte::Symbolic(_)));
    assert_eq!(o.byte(20), Byte::Concrete(1));
    assert_eq!((o.byte(4), o.byte(95)), (Byte::Concrete(2), Byte::Concrete(2)));
    assert_eq!(b.bytes(dst + 10, 1), [0xaa]);
}

#[test]
fn large_sparse_objects_stay_sparse() {
    let mut b = Bench::new();
    let size = 1u64 << 26;
    let src = b.st.mem.allocate(size, Origin::Heap, 0).unwrap();
    let dst = b.st.mem.allocate(size, Origin::Heap, 0).unwrap();
    b.st.mem.object_mut(src).unwrap().write(5_000_000, &[1, 2, 3]);
    b.st.mem.object_mut(dst).unwrap().write(9_000_000, &[9]);
    b.copy(dst, src, size).unwrap();
    assert_eq!(b.bytes(dst + 5_000_000, 4), [1, 2, 3, 0]);
    assert_eq!(b.bytes(dst + 9_000_000, 1), [0]);
    assert!(b.st.mem.object(dst).unwrap().memory_bytes() < 1 << 20);
    // Unaligned, within one object.
    b.copy(src + 6_000_001, src + 4_999_999, 8192).unwrap();
    assert_eq!(b.bytes(src + 6_000_001, 6), [0, 1, 2, 3, 0, 0]);
}

#[test]
fn faults_are_exact() {
    let mut b = Bench::new();
    let (src, dst) = (b.object(&[1; 16]), b.object(&[2; 8]));
    assert_eq!(kind(b.copy(dst, src, 17)), FaultKind::OutOfBoundsRead);
    assert_eq!(kind(b.copy(dst, src, 9)), FaultKind::OutOfBoundsWrite);
    assert_eq!(kind(b.copy(dst, 0, 1)), FaultKind::NullDereference);
    assert_eq!(kind(b.copy(dst, src, u64::MAX)), FaultKind::OutOfBoundsRead);
    b.st.mem.free(src);
    assert_eq!(kind(b.copy(dst, src, 1)), FaultKind::UseAfterFree);
    // Nothing was written, and nothing is touched by a length of zero.
    assert_eq!(b.bytes(dst, 8), [2; 8]);
    b.copy(0, src, 0).unwrap();
    b.vm.fill_memory(&mut b.st, Value::concrete(0), Value::concrete(1), 0).unwrap();
    let r = b.vm.fill_memory(&mut b.st, Value::concrete(dst + 1), Value::concrete(1), 8);
    assert_eq!(kind(r), FaultKind::OutOfBoundsWrite);
    b.st.mem.object_mut(dst).unwrap().readonly = true;
    let r = b.vm.fill_memory(&mut b.st, Value::concrete(dst), Value::concrete(1), 8);
    assert_eq!(kind(r), FaultKind::WriteToConstant);
}

#[test]
fn fills_with_concrete_and_symbolic_bytes() {
    let mut b = Bench::new();
    let a = b.object(&[1; 40_000]);
    b.make_symbolic(a + 3, 7);
    b.vm.fill_memory(&mut b.st, Value::concrete(a + 2), Value::concrete(0x1ff), 30_000).unwrap();
    assert_eq!(b.bytes(a, 5), [1, 1, 0xff, 0xff, 0xff]);
    assert_eq!(b.bytes(a + 30_001, 3), [0xff, 1, 1]);
    let v = b.symbol(0x1234, 32);
    b.vm.fill_memory(&mut b.st, Value::concrete(a), v, 3).unwrap();
    assert_eq!(b.bytes(a, 5), [0x34, 0x34, 0x34, 0xff, 0xff]);
}

#[test]
fn a_symbolic_destination_makes_choices() {
    let mut b = Bench::new();
    let (src, dst) = (b.object(&[1, 2, 3]), b.object(&[9; 8]));
    let i = b.symbol(2, 8);
    let i = b.vm.sym_zext(i.sym.unwrap(), 64);
    let p = b.vm.sym_add_imm(i, dst);
    b.vm.copy_memory(&mut b.st, p, Value::concrete(src), 3).unwrap();
    assert_eq!(b.bytes(dst, 8), [9, 9, 1, 2, 3, 9, 9, 9]);
    // Offsets from 6 on are outside.
    let ended: Vec<_> = b.vm.ended.drain(..).map(|e| kind(Err(e.termination))).collect();
    assert_eq!(ended, [FaultKind::OutOfBoundsWrite]);
    b.vm.copy_memory(&mut b.st, Value::concrete(src), p, 2).unwrap();
    assert_eq!(b.bytes(src, 3), [1, 2, 3]);
}

#[test]
fn a_symbolic_length_forks() {
    let mut b = Bench::new();
    let (src, dst) = (b.object(&[5; 4]), b.object(&[9; 4]));
    let n = b.symbol(3, 8);
    let limit = b.vm.exprs.constant(8, 4);
    let small = b.vm.exprs.bin(forkwise_expr::Op::Ult, n.sym.unwrap(), limit);
    assert!(b.vm.require(&mut b.st, small).unwrap());
    let n = b.vm.sym_zext(n.sym.unwrap(), 64);
    let slots = [b.reserve(1), b.reserve(1), b.reserve(1)];
    for (s, v) in slots.iter().zip([Value::concrete(dst), Value::concrete(src), n]) {
        b.st.frame.regs[*s as usize] = v;
    }
    let s =
        site(&[(ArgType::Ptr, slots[0]), (ArgType::Ptr, slots[1]), (ArgType::Int(64), slots[2])], None, 0);
    b.vm.intrinsic_at(&mut b.st, Intrinsic::Memcpy, 64, 0, &s).unwrap();
    assert_eq!(b.bytes(dst, 4), [5, 5, 5, 9]);
    assert_eq!(b.vm.forks.len(), 1, "the other lengths go on as a sibling");
}
