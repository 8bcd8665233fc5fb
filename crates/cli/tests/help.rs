//! What `-h` says for every verb, word by word. After a wanted change: `INSTA_UPDATE=always cargo test -p forkwise --test help`, and look at the
//! difference. `run -h` fits a screen; the generated page of all options is up to date.

mod support;

use std::fs;
use std::time::Duration;
use support::{forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(30);

fn say(words: &[&str]) -> String {
    let folder = scratch();
    let done = run(forkwise(folder.path(), words).env("COLUMNS", "100"), LIMIT);
    assert_eq!(done.code(), Some(0), "{words:?}: {}", done.err());
    done.out()
}

/// Verbs that the help lists.
fn verbs() -> Vec<String> {
    let all = say(&["-h"]);
    let list =
        all.split("Commands:\n").nth(1).expect("there are verbs").split("\n\n").next().unwrap_or_default();
    let names = list.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names.filter_map(|l| l.split_whitespace().next()).map(String::from).collect()
}

#[test]
fn help_is_as_it_was() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        insta::assert_snapshot!("forkwise", say(&["-h"]));
        // What others' command lines say is theirs.
        let foreign =
            ["cc", "c++", "ar", "ranlib", "nm", "klee", "ktest-tool", "klee-stats", "klee-replay", "help"];
        for verb in verbs().iter().filter(|v| !foreign.contains(&v.as_str())) {
            insta::assert_snapshot!(format!("forkwise-{verb}"), say(&[verb, "-h"]));
        }
    });
}

#[test]
fn the_help_of_run_fits_a_screen() {
    let short = say(&["run", "-h"]);
    assert!(short.lines().count() <= 60, "{} lines:\n{short}", short.lines().count());
    assert!(short.lines().all(|l| l.chars().count() <= 110), "{short}");
    assert!(short.contains("Examples:") && short.contains("--time"));
    let long = say(&["run", "--help"]);
    assert!(long.contains("--max-path-instructions") && !short.contains("--max-path-instructions"));
}

#[test]
fn the_page_of_all_options_is_up_to_date() {
    let page = workspace().join("docs/options.md");
    let text = say(&["manual", "markdown"]);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|v| v == "always") {
        fs::write(&page, &text).expect("the page can be written");
    }
    let kept = fs::read_to_string(&page).unwrap_or_default();
    assert!(kept == text, "run `forkwise manual markdown > docs/options.md`");
}

#[test]
fn man_pages_and_completions_are_made() {
    let folder = scratch();
    let done = run(&mut forkwise(folder.path(), ["manual", "man", "man1"]), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let page = fs::read_to_string(folder.path().join("man1/forkwise-run.1")).expect("there is a page");
    assert!(page.contains(".TH FORKWISE\\-RUN") || page.contains(".TH FORKWISE-RUN"), "{}", &page[..200]);
    assert!(page.contains("solver\\-timeout"));
    assert!(folder.path().join("man1/forkwise.1").is_file());
    for shell in ["bash", "zsh", "fish"] {
        assert!(say(&["manual", "completions", shell]).contains("forkwise"), "{shell}");
    }
}
