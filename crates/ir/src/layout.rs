//! The 64-bit address space of the program under test, shared by lowering (addresses of globals and functions are
//! constants) and by the virtual machine (which places stack and heap objects into it).
//!
//! Every object has a slot of its own. A small address is `generation (14 bits) | index (24 bits) | offset (24 bits)`;
//! objects of 16 MiB and more live in large slots of 2^40 bytes, marked by bit 62. The index finds the object by a
//! shift; the generation tells a reused index from the object that had it before, so dangling pointers are exact.

/// Bits of the offset in a small slot.
pub const SMALL_OFFSET_BITS: u32 = 24;
/// Bits of the index of a small slot.
pub const SMALL_INDEX_BITS: u32 = 24;
/// Bits of the generation of a small slot.
pub const GENERATION_BITS: u32 = 14;
/// Bits of the offset in a large slot.
pub const LARGE_OFFSET_BITS: u32 = 40;
/// Set in addresses of large slots.
pub const LARGE_FLAG: u64 = 1 << 62;
/// Largest object in a small slot: one page is kept free at the end, so that one-past-the-end pointers and small
/// overflows never reach the next slot.
pub const SMALL_MAX_SIZE: u64 = (1 << SMALL_OFFSET_BITS) - 4096;

/// Index whose slot holds no object: null and small integers read as pointers fall here.
pub const NULL_INDEX: u32 = 0;
/// Index whose slot holds function addresses, `FUNCTION_STRIDE` bytes apart.
pub const FUNCTION_INDEX: u32 = 254;
/// Index whose slot holds addresses of basic blocks (`blockaddress`), `FUNCTION_STRIDE` bytes apart.
pub const BLOCK_INDEX: u32 = 255;
/// First index of a global variable; the virtual machine allocates after the last global. Everything below 4 GiB is
/// left to objects at addresses the program chooses itself.
pub const FIRST_GLOBAL_INDEX: u32 = 256;
/// Distance between the addresses of two functions.
pub const FUNCTION_STRIDE: u64 = 16;

/// First address of a small slot.
pub const fn small_address(index: u32, generation: u32) -> u64 {
    ((generation as u64) << (SMALL_OFFSET_BITS + SMALL_INDEX_BITS)) | ((index as u64) << SMALL_OFFSET_BITS)
}

/// First address of a large slot.
pub const fn large_address(index: u32) -> u64 {
    LARGE_FLAG | ((index as u64) << LARGE_OFFSET_BITS)
}

/// Address of function number `func`.
pub const fn function_address(func: u32) -> u64 {
    small_address(FUNCTION_INDEX, 0) + func as u64 * FUNCTION_STRIDE
}

/// The function number of an address, if the address is exactly a function's (below `count`).
pub fn function_at(address: u64, count: usize) -> Option<u32> {
    let off = address.checked_sub(small_address(FUNCTION_INDEX, 0))?;
    let n = off / FUNCTION_STRIDE;
    (off % FUNCTION_STRIDE == 0 && n < count as u64).then_some(n as u32)
}

/// Address of the target block of edge `edge` (what `blockaddress` constants evaluate to).
pub const fn block_address(edge: u32) -> u64 {
    small_address(BLOCK_INDEX, 0) + edge as u64 * FUNCTION_STRIDE
}

/// The edge number of a block address, if it is one (below `count`).
pub fn block_edge_at(address: u64, count: usize) -> Option<u32> {
    let off = address.checked_sub(small_address(BLOCK_INDEX, 0))?;
    let n = off / FUNCTION_STRIDE;
    (off % FUNCTION_STRIDE == 0 && n < count as u64).then_some(n as u32)
}
