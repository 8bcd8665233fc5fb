//! Examples that `--help` ends with, one text for each verb. They are tried by the tests: each must be a command line that is understood.

macro_rules! examples {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => { $($(#[$doc])* pub const $name: &str = $text;)* };
}

examples! {
    /// Of the whole command.
    FORKWISE = "\
Examples:
  forkwise run prog.c                              explore a harness, or any program
  CC=\"forkwise cc\" ./configure && make           build a project, then:
  forkwise run --time 5m src/grep --sym-args 0 2 4 --sym-files 1 8
  forkwise report forkwise-last                    look at what was found

Exit codes: 0 clean, 1 bugs found, 2 usage or internal error, 3 not complete under --strict.";
    RUN = "\
Inputs are declared behind the program: --sym-arg N, --sym-args MIN MAX N, --sym-files NUM N, --sym-stdin N, --sym-env NAME N.
-h shows the usual options, --help all of them.

Examples:
  forkwise run prog.c                                        a harness, or any program
  forkwise run --time 5m src/grep --sym-args 0 2 4 --sym-files 1 8
  forkwise run --mode concolic --search cfds prog.c          one path after the other
  forkwise run --ci prog.c                                   until the first bug, 5 minutes at most";
    REPLAY = "\
Examples:
  forkwise replay forkwise-last                              all tests of a run
  forkwise replay prog forkwise-last/tests/000001.ktest      one test
  forkwise replay --coverage forkwise-last";
    SHOW = "\
Examples:
  forkwise show forkwise-last/tests/000001.ktest
  forkwise show --json forkwise-last/tests/000001.test.json";
    EXPORT = "\
Examples:
  forkwise export forkwise-last --format afl -o queue
  forkwise export forkwise-last --format c -o reproducers";
    EXTRACT = "\
Examples:
  forkwise extract src/grep -o grep.bc";
    IMPORT = "\
Examples:
  forkwise import --args 'grep -E a*b A' --file A=text -o seeds
  forkwise import klee-out-0 -o seeds";
    CMIN = "\
Examples:
  forkwise cmin forkwise-last -o few";
    TMIN = "\
Examples:
  forkwise tmin forkwise-last/bugs/001-abort/test.ktest --prog prog -o small.test.json";
    HARNESS = "\
Examples:
  forkwise harness parse_date date.c                         writes harness_parse_date.c
  forkwise harness -n 16 -I include -o h.c parse_date src/date.c";
    REPORT = "\
Examples:
  forkwise report forkwise-last                              HTML in forkwise-last/report
  forkwise report -o trials out-1 out-2 out-3                several runs in one report
  forkwise report --format lcov -o cov.info forkwise-last";
    DOCTOR = "\
Examples:
  forkwise doctor";
    MANUAL = "\
Examples:
  forkwise manual man /usr/local/share/man/man1
  forkwise manual completions bash > /etc/bash_completion.d/forkwise";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The command lines of ours in the blocks of a page.
    fn commands_of(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let mut inside = false;
        // A command may go on in the next line.
        for line in text.replace("\\\n", " ").lines() {
            match line.strip_prefix("```") {
                Some(kind) => inside = matches!(kind, "sh" | "console"),
                // What stands in brackets is an outline, no command.
                None if !inside || line.contains(['…', '[']) => {}
                None => {
                    let line = line.strip_prefix("$ ").unwrap_or(line);
                    if let Some(rest) = line.strip_prefix("forkwise ") {
                        let ends =
                            [" #", " | ", " && ", " > ", "; "].iter().filter_map(|e| rest.find(e)).min();
                        out.push(rest[..ends.unwrap_or(rest.len())].to_string());
                    }
                }
            }
        }
        out
    }

    #[test]
    fn every_command_in_the_documentation_is_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut pages = vec![root.join("README.md")];
        let docs = std::fs::read_dir(root.join("docs")).unwrap().flatten().map(|e| e.path());
        pages.extend(docs.filter(|p| p.extension().is_some_and(|e| e == "md")));
        let mut tried = 0;
        for page in pages {
            for command in commands_of(&std::fs::read_to_string(&page).unwrap()) {
                tried += 1;
                crate::app::understand(&command)
                    .unwrap_or_else(|e| panic!("{}: {command}: {e}", page.display()));
            }
        }
        assert!(tried > 30, "only {tried} commands were found");
    }

    #[test]
    fn every_example_is_understood() {
        let all = [
            FORKWISE, RUN, REPLAY, SHOW, EXPORT, EXTRACT, IMPORT, CMIN, TMIN, HARNESS, REPORT, DOCTOR, MANUAL,
        ];
        for text in all {
            for line in text.lines().filter_map(|l| l.trim().strip_prefix("forkwise ")) {
                let command =
                    line.split("  ").next().unwrap_or_default().split(" > ").next().unwrap_or_default();
                crate::app::understand(command).unwrap_or_else(|e| panic!("{command}: {e}"));
            }
        }
    }
}
