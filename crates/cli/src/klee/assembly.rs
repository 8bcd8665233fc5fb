//! Lines of `assembly.ll`: the first instruction of a function with a given source position. Built from the text, and
//! only when the first error needs it.

use std::collections::BTreeMap;

/// See the module text.
#[derive(Debug, Default)]
pub struct Assembly {
    /// Line of each definition.
    functions: BTreeMap<String, u32>,
    /// Line of the first instruction of a function with a source position.
    instructions: BTreeMap<(String, u32, u32), u32>,
}

impl Assembly {
    /// Reads the module's text.
    pub fn new(text: &str) -> Assembly {
        let mut places: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for line in text.lines().filter(|l| l.starts_with('!') && l.contains("!DILocation(")) {
            let number = |key: &str| -> u32 {
                let rest = line.split_once(key).map_or("", |(_, r)| r);
                let digits: &str = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
                digits.parse().unwrap_or(0)
            };
            let id = line.split(' ').next().unwrap_or_default();
            places.insert(id, (number("line: "), number("column: ")));
        }
        let mut out = Assembly::default();
        let mut function: Option<String> = None;
        for (number, line) in text.lines().enumerate().map(|(i, l)| (i as u32 + 1, l)) {
            if line.starts_with("define ") {
                let name = defined_name(line);
                out.functions.insert(name.clone(), number);
                function = Some(name);
            } else if line == "}" {
                function = None;
            } else if let (Some(name), Some((_, id))) = (&function, line.rsplit_once("!dbg ")) {
                let id = id.split(',').next().unwrap_or_default().trim();
                if let Some((l, c)) = places.get(id) {
                    out.instructions.entry((name.clone(), *l, *c)).or_insert(number);
                }
            }
        }
        out
    }

    /// The line of a place; the function's when the place is not found, 0 when the function is not.
    pub fn line(&self, function: &str, line: u32, column: u32) -> u32 {
        self.instructions
            .get(&(function.to_string(), line, column))
            .or_else(|| self.functions.get(function))
            .copied()
            .unwrap_or(0)
    }
}

/// `name` in `define … @name(…`.
fn defined_name(line: &str) -> String {
    let rest = line.split_once('@').map_or("", |(_, r)| r);
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default().to_string(),
        None => rest.split('(').next().unwrap_or_default().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_found_by_their_source_position() {
        let text = "\n\ndefine i32 @main() !dbg !3 {\nentry:\n  %a = add i32 1, 2, !dbg !7\n  ret i32 %a, !dbg !8\n}\n\
                    !7 = !DILocation(line: 4, column: 9, scope: !3)\n!8 = distinct !DILocation(line: 5, column: 2, scope: !3)\n";
        let a = Assembly::new(text);
        assert_eq!(a.line("main", 4, 9), 5);
        assert_eq!(a.line("main", 5, 2), 6);
        assert_eq!(a.line("main", 99, 1), 3);
        assert_eq!(a.line("other", 1, 1), 0);
    }
}
