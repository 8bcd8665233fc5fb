//! Rising numbers in few bytes: differences of neighbours, seven bits a byte.

/// Packs rising numbers.
pub fn pack(numbers: &[u32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbers.len());
    let mut last = 0;
    for n in numbers {
        let mut rest = n.wrapping_sub(last);
        last = *n;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
    out
}

/// The numbers again; `None`: these are not packed numbers.
pub fn unpack(bytes: &[u8]) -> Option<Vec<u32>> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut last, mut rest, mut shift) = (0u32, 0u64, 0);
    for byte in bytes {
        rest |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            last = last.checked_add(u32::try_from(rest).ok()?)?;
            out.push(last);
            (rest, shift) = (0, 0);
        } else if shift > 28 {
            return None;
        }
    }
    (shift == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for list in [vec![], vec![0], vec![1, 2, 3, 500, 70_000, u32::MAX], (0..1000).collect()] {
            assert_eq!(unpack(&pack(&list)), Some(list));
        }
        assert_eq!(pack(&(1..=1000).collect::<Vec<_>>()).len(), 1000);
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in
            [&[0x80][..], &[0xff; 6], &[0xff, 0xff, 0xff, 0xff, 0x7f], &[0xff, 0xff, 0xff, 0xff, 0x0f, 1]]
        {
            assert_eq!(unpack(bytes), None, "{bytes:?}");
        }
    }
}
