//! Stacks, variadic lists, object sizes, traps.

use super::*;
use crate::memory::Origin;
use crate::{FaultKind, UbKind};
use forkwise_ir::{FpFormat, Intrinsic};

fn call(
    b: &mut Bench,
    id: Intrinsic,
    w: u32,
    args: &[(ArgType, u64)],
    ret: Option<ArgType>,
) -> Result<u64, Termination> {
    b.reset();
    let args: Vec<(ArgType, Slot)> =
        args.iter().map(|(t, v)| (t.clone(), b.put(&Bits::from_u64(64, *v), false))).collect();
    let dst = b.reserve(2);
    let n = ret.as_ref().map_or(0, |t| t.slots());
    b.vm.intrinsic_at(&mut b.st, id, w, dst, &site(&args, ret, n))?;
    Ok(b.st.frame.regs[dst as usize].bits)
}

fn fault(r: Result<u64, Termination>) -> FaultKind {
    match r {
        Err(Termination::Fault(f)) => f.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_restored_stack_ends_later_objects() {
    let mut b = Bench::new();
    let one = b.st.mem.allocate(8, Origin::Stack { func: 0, var: 0 }, 0).unwrap();
    b.st.frame.allocas.push(one);
    let token = call(&mut b, Intrinsic::StackSave, 64, &[], Some(ArgType::Ptr)).unwrap();
    let two = b.st.mem.allocate(8, Origin::Stack { func: 0, var: 0 }, 0).unwrap();
    b.st.frame.allocas.push(two);
    call(&mut b, Intrinsic::StackRestore, 64, &[(ArgType::Ptr, token)], None).unwrap();
    assert!(b.st.mem.object(one).is_some());
    assert!(b.st.mem.object(two).is_none());
    assert_eq!(b.st.frame.allocas, [one]);
}

#[test]
fn variadic_lists_start_copy_and_advance() {
    let mut b = Bench::new();
    let area = b.st.mem.allocate(48, Origin::Engine, 0).unwrap();
    let o = b.st.mem.object_mut(area).unwrap();
    o.write(0, &11u64.to_le_bytes());
    o.write(16, &0x1234_5678_9abc_def0_1122_3344_5566_7788u128.to_le_bytes());
    o.write(32, &22u64.to_le_bytes());
    b.st.frame.varargs = Some(area);
    let list = b.st.mem.allocate(24, Origin::Heap, 0).unwrap();
    let copy = b.st.mem.allocate(24, Origin::Heap, 0).unwrap();
    let ptr = |p: u64| [(ArgType::Ptr, p)];
    call(&mut b, Intrinsic::VaStart, 64, &ptr(list), None).unwrap();
    assert_eq!(b.st.mem.load_fast(list, 4), Some(48));
    assert_eq!(b.st.mem.load_fast(list + 4, 4), Some(176));
    assert_eq!(b.st.mem.load_fast(list + 8, 8), Some(area));
    call(&mut b, Intrinsic::VaCopy, 64, &[(ArgType::Ptr, copy), (ArgType::Ptr, list)], None).unwrap();
    let next = |b: &mut Bench, list: u64, w: u32| {
        call(b, Intrinsic::VaArg, w, &ptr(list), Some(ArgType::Int(w))).unwrap()
    };
    assert_eq!(next(&mut b, list, 32), 11);
    assert_eq!(next(&mut b, list, 128), 0x1122_3344_5566_7788);
    assert_eq!(next(&mut b, list, 64), 22);
    assert_eq!(next(&mut b, copy, 64), 11);
    call(&mut b, Intrinsic::VaEnd, 64, &ptr(list), None).unwrap();
}

#[test]
fn object_sizes_are_what_is_left_of_the_object() {
    let mut b = Bench::new();
    let a = b.st.mem.allocate(10, Origin::Heap, 0).unwrap();
    let size = |b: &mut Bench, p: u64, min: u64, null_unknown: u64| {
        let flag = |v| (ArgType::Int(1), v);
        let args = [(ArgType::Ptr, p), flag(min), flag(null_unknown), flag(0)];
        call(b, Intrinsic::ObjectSize, 64, &args, Some(ArgType::Int(64))).unwrap()
    };
    assert_eq!(size(&mut b, a + 3, 0, 0), 7);
    assert_eq!(size(&mut b, a + 30, 0, 0), 0);
    assert_eq!(size(&mut b, 0, 0, 0), 0);
    assert_eq!(size(&mut b, 0, 0, 1), u64::MAX);
    assert_eq!(size(&mut b, 0x1234_5678_0000, 1, 0), 0);
}

#[test]
fn traps_say_which_check_failed() {
    let mut b = Bench::new();
    let mut trap = |n: u64| fault(call(&mut b, Intrinsic::UbsanTrap, 8, &[(ArgType::Int(8), n)], None));
    // The numbers that clang 19 emits.
    for (n, kind) in [
        (0, UbKind::IntegerOverflow),
        (1, UbKind::UnreachableReached),
        (3, UbKind::DivisionOverflow),
        (5, UbKind::FloatCast),
        (6, UbKind::FunctionType),
        (7, UbKind::ImplicitConversion),
        (8, UbKind::InvalidBuiltin),
        (10, UbKind::InvalidValue),
        (12, UbKind::IntegerOverflow),
        (13, UbKind::IntegerOverflow),
        (16, UbKind::NonnullViolated),
        (17, UbKind::NonnullViolated),
        (18, UbKind::ArrayIndex),
        (19, UbKind::PointerOverflow),
        (20, UbKind::ShiftOutOfBounds),
        (21, UbKind::IntegerOverflow),
        (22, UbKind::NullOrMisaligned),
        (23, UbKind::Alignment),
        (24, UbKind::VlaBound),
        (99, UbKind::Other),
    ] {
        assert_eq!(trap(n), FaultKind::Undefined(kind), "{n}");
    }
    assert_eq!(fault(call(&mut b, Intrinsic::Trap, 0, &[], None)), FaultKind::Abort);
}

#[test]
fn questions_about_the_machine_have_fixed_answers() {
    let mut b = Bench::new();
    b.st.instructions = 77;
    let ask = |b: &mut Bench, id| call(b, id, 64, &[(ArgType::Int(32), 0)], Some(ArgType::Int(64))).unwrap();
    assert_eq!(ask(&mut b, Intrinsic::ReadCycleCounter), 77);
    assert_eq!(ask(&mut b, Intrinsic::GetRounding), 1);
    assert_eq!(ask(&mut b, Intrinsic::ReturnAddress), 0);
    let var = b.st.mem.allocate(8, Origin::Stack { func: 0, var: 0 }, 0).unwrap();
    b.st.frame.allocas.push(var);
    assert_eq!(ask(&mut b, Intrinsic::FrameAddress), var);
    let args = [(ArgType::Ptr, 0x1237), (ArgType::Int(64), !0xf)];
    assert_eq!(call(&mut b, Intrinsic::PtrMask, 64, &args, Some(ArgType::Ptr)).unwrap(), 0x1230);
}

#[test]
fn wrong_declarations_are_the_programs_fault() {
    let mut b = Bench::new();
    let mut call = |id: Intrinsic, fmt: FpFormat, s: CallSite| {
        let r = b.vm.intrinsic_at(&mut b.st, id, fmt as u32, 0, &s);
        assert!(matches!(r, Err(Termination::Fault(f)) if f.kind == FaultKind::BadCall));
    };
    call(Intrinsic::Memset, FpFormat::Double, site(&[(ArgType::Ptr, 1)], None, 0));
    call(Intrinsic::Fabs, FpFormat::Double, site(&[], Some(ArgType::Int(32)), 1));
    // fabsl declared as a function of double: the second slot does not exist.
    let double = ArgType::Float(FpFormat::Double);
    call(Intrinsic::Fabs, FpFormat::X87, site(&[(double.clone(), SLOTS - 1)], Some(double), 1));
}
