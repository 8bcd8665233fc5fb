//! Amounts of memory on the command line: `400` (megabytes, as KLEE counts them), `400M`, `2G`.

/// Bytes from a text.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "m" | "mb" | "mib" => 1 << 20,
        "k" | "kb" | "kib" => 1 << 10,
        "g" | "gb" | "gib" => 1 << 30,
        other => return Err(format!("'{other}' is no unit of memory: K, M (the default) or G")),
    };
    let number: u64 =
        digits.parse().map_err(|_| format!("'{text}' is no amount of memory, such as 400M or 2G"))?;
    number.checked_mul(unit).ok_or_else(|| format!("'{text}' is more memory than there is"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn megabytes_are_the_default() {
        assert_eq!(parse("400"), Ok(400 << 20));
        assert_eq!(parse("2G"), Ok(2 << 30));
        assert_eq!(parse("64kb"), Ok(64 << 10));
        assert!(parse("much").is_err() && parse("3X").is_err() && parse("99999999999999999G").is_err());
    }
}
