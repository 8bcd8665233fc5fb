//! KLEE's messages: to standard error, and to `messages.txt` and `warnings.txt` once there is an output folder.

use crate::console;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// See the module text.
pub struct Log {
    messages: Option<File>,
    warnings: Option<File>,
    warnings_only_to_file: bool,
    once: BTreeSet<String>,
}

impl Log {
    /// To standard error only, at first.
    pub fn new(warnings_only_to_file: bool) -> Log {
        Log { messages: None, warnings: None, warnings_only_to_file, once: BTreeSet::new() }
    }

    /// From now on to files, too.
    pub fn open(&mut self, folder: &Path) -> anyhow::Result<()> {
        let create = |name: &str| {
            let path = folder.join(name);
            File::create(&path).with_context(|| format!("cannot create {}", path.display()))
        };
        self.messages = Some(create("messages.txt")?);
        self.warnings = Some(create("warnings.txt")?);
        Ok(())
    }

    // A message that cannot be kept in a file is still seen on standard error; the run is worth more than it.
    fn keep(file: &mut Option<File>, line: &str) {
        if let Some(file) = file {
            let _ = file.write_all(line.as_bytes());
        }
    }

    /// `KLEE: text`.
    pub fn message(&mut self, text: &str) {
        let line = format!("KLEE: {text}\n");
        console::err(&line);
        Log::keep(&mut self.messages, &line);
    }

    /// `KLEE: WARNING: text`.
    pub fn warning(&mut self, text: &str) {
        let line = format!("KLEE: WARNING: {text}\n");
        if !self.warnings_only_to_file || self.warnings.is_none() {
            console::err(&line);
        }
        Log::keep(&mut self.warnings, &line);
    }

    /// A warning that is given once.
    pub fn warning_once(&mut self, text: &str) {
        if self.once.insert(text.to_string()) {
            self.warning(text);
        }
    }

    /// A line of the program's own (klee_warning, klee_print_expr).
    pub fn program(&mut self, text: &str) {
        match text.strip_prefix("WARNING: ") {
            Some(warning) => self.warning(warning),
            None => {
                console::err_line(text);
                Log::keep(&mut self.messages, &format!("{text}\n"));
            }
        }
    }
}
