//! The signs that bitcode was compiled against glibc's headers: symbols that those headers put into programs. Much of
//! that works with musl, whose tables and structures are the same; what does not is refused before anything runs.

/// Internals of glibc's streams, which inlined code of its headers goes with. musl has functions of the same names.
const STREAMS: &[&str] = &["__uflow", "__overflow", "__underflow", "__wuflow", "__woverflow", "__wunderflow"];

/// Functions of structures that glibc lays out otherwise.
const OTHER_LAYOUT: &[&str] = &["regcomp", "regexec", "re_search", "re_match", "re_compile_pattern"];

/// Would linking this symbol with musl give a program that goes wrong? The triple is that of the bitcode; ours ends in
/// `musl`.
pub fn is_foreign(triple: &str, symbol: &str) -> bool {
    STREAMS.contains(&symbol) || (triple.ends_with("-gnu") && OTHER_LAYOUT.contains(&symbol))
}

/// Is this, which musl does not have, one of glibc's internals?
pub fn is_internal(symbol: &str) -> bool {
    const NAMES: &[&str] =
        &["__libc_single_threaded", "gnu_get_libc_version", "gnu_dev_major", "gnu_dev_minor"];
    NAMES.contains(&symbol)
        || symbol.starts_with("_IO_")
        || symbol.starts_with("__isoc")
        || symbol.starts_with("__ctype_")
        || symbol.starts_with("__libc_")
        || (symbol.starts_with("__") && symbol.ends_with("_chk"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_other_layouts_are_foreign() {
        assert!(is_foreign("x86_64-pc-linux-gnu", "__uflow"));
        assert!(is_foreign("x86_64-pc-linux-gnu", "regexec"));
        assert!(!is_foreign("x86_64-unknown-linux-musl", "regexec"));
        assert!(!is_foreign("x86_64-pc-linux-gnu", "__isoc99_sscanf"));
        assert!(is_internal("__fgetws_chk") && is_internal("_IO_2_1_stdout_") && !is_internal("missing"));
    }
}
