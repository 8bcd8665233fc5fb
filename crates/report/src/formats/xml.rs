//! XML text: the one place where it is escaped. Characters that XML 1.0 cannot hold at all become U+FFFD.

/// As the contents of an element or an attribute in double quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}' => out.push(c),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out() {
        assert_eq!(escape("a<b>\"&\u{0}\n\u{1b}"), "a&lt;b&gt;&quot;&amp;\u{fffd}&#10;\u{fffd}");
    }
}
