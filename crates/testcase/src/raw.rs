//! Tests as the bare inputs that fuzzers keep: one file holding the program's input, nothing else. Names, sizes
//! and predictions do not survive, so this is an export; it must not be used to store results.

use crate::case::TestCase;

/// All objects' values one after the other: what a libFuzzer or AFL target would have to be fed.
///
/// A harness with `LLVMFuzzerTestOneInput` has the objects `data` and `size`; there the input is `data`, cut to
/// that size.
pub fn to_bytes(test: &TestCase) -> Vec<u8> {
    if let (Some(data), Some(size)) = (test.object("data"), test.object("size").and_then(|o| o.as_unsigned()))
        && test.objects.len() == 2
    {
        let length = usize::try_from(size).unwrap_or(usize::MAX).min(data.bytes.len());
        return data.bytes[..length].to_vec();
    }
    test.objects.iter().flat_map(|object| object.bytes.iter().copied()).collect()
}

/// The file name AFL gives to the entry with this number in its queue.
pub fn afl_file_name(number: u64) -> String {
    format!("id:{number:06},src:forkwise")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Object;

    #[test]
    fn objects_follow_each_other() {
        let test = TestCase::new(vec![], vec![Object::new("a", *b"12"), Object::new("b", *b"3")]);
        assert_eq!(to_bytes(&test), b"123");
        assert_eq!(to_bytes(&TestCase::default()), b"");
    }

    #[test]
    fn a_fuzz_target_gets_its_data_cut_to_size() {
        let of = |size: u64| {
            TestCase::new(
                vec![],
                vec![Object::new("data", *b"abcd"), Object::new("size", size.to_le_bytes())],
            )
        };
        assert_eq!(to_bytes(&of(2)), b"ab");
        assert_eq!(to_bytes(&of(u64::MAX)), b"abcd");
        assert_eq!(afl_file_name(3), "id:000003,src:forkwise");
    }
}
