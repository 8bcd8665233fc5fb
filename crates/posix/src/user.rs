//! The program's memory as the kernel reads and writes it: an address where nothing is, or nothing that may be used so,
//! is EFAULT. Leaving an object that is there, or using one that was freed, is not: it would work natively and is a bug
//! of the program, so it ends the path as a finding. Nothing here changes memory before the whole range is checked.

use forkwise_vm::{Byte, Place, State, Termination, Value, Vm};

/// `Ok(None)` is EFAULT.
type Access<T> = Result<Option<T>, Termination>;

/// Would the kernel find memory at this address? Symbolic addresses are left to the accesses themselves, which
/// consider all their values.
fn is_there(st: &State, ptr: Value, n: u64, write: bool) -> bool {
    let Some(address) = ptr.as_concrete() else { return true };
    if n == 0 {
        return true;
    }
    match st.mem.locate(address) {
        Place::Null | Place::Nothing => false,
        Place::Code => !write,
        Place::Freed => true,
        Place::Live { base } => st.mem.object(base).is_none_or(|o| {
            let off = address.wrapping_sub(base);
            o.permits(off, n, write) || !o.contains(off, n)
        }),
    }
}

/// Bytes of the program.
pub(crate) fn read(vm: &mut Vm, st: &mut State, ptr: Value, n: u64) -> Access<Vec<Byte>> {
    if !is_there(st, ptr, n, false) {
        return Ok(None);
    }
    vm.load_bytes(st, ptr, n).map(Some)
}

/// Bytes for the program. `Some` when they were written.
pub(crate) fn write(vm: &mut Vm, st: &mut State, ptr: Value, bytes: &[Byte]) -> Access<()> {
    if !is_there(st, ptr, bytes.len() as u64, true) {
        return Ok(None);
    }
    vm.store_bytes(st, ptr, bytes).map(Some)
}

/// The same with concrete bytes.
pub(crate) fn write_bytes(vm: &mut Vm, st: &mut State, ptr: Value, bytes: &[u8]) -> Access<()> {
    let bytes: Vec<Byte> = bytes.iter().map(|b| Byte::Concrete(*b)).collect();
    write(vm, st, ptr, &bytes)
}

/// 64-bit words for the program.
pub(crate) fn write_words(vm: &mut Vm, st: &mut State, ptr: Value, words: &[u64]) -> Access<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    write_bytes(vm, st, ptr, &bytes)
}

/// 64-bit words of the program, each made concrete.
pub(crate) fn read_words<const N: usize>(
    vm: &mut Vm,
    st: &mut State,
    ptr: Value,
    what: &str,
) -> Access<[u64; N]> {
    let Some(bytes) = read(vm, st, ptr, 8 * N as u64)? else { return Ok(None) };
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        let v = vm.value_from_bytes(bytes, 64);
        *word = vm.concretize(st, v, 64, what)?;
    }
    Ok(Some(words))
}
