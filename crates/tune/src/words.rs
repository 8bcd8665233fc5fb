//! A vector as words of a command line. Options that declare symbolic inputs go behind the program, in the order that
//! KLEE's POSIX model wants; all others go before it.

use crate::space::{Space, Value, Vector};

/// Words before and behind the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Options of the engine.
    pub before: Vec<String>,
    /// Arguments of the program.
    pub behind: Vec<String>,
}

/// The option's name without dashes and without what a key has after a blank.
pub fn stem(key: &str) -> &str {
    key.trim_start_matches('-').split_whitespace().next().unwrap_or_default()
}

/// Where among the program's arguments an option goes; `None`: it is one of the engine.
fn rank(stem: &str) -> Option<usize> {
    match stem {
        "sym-arg" | "sym-args" => Some(0),
        "sym-files" => Some(1),
        "sym-stdin" => Some(2),
        "sym-stdout" => Some(3),
        "max-fail" => Some(4),
        _ => None,
    }
}

/// Is it an option of a program under KLEE's POSIX model, and not of the engine?
pub fn declares_input(key: &str) -> bool {
    rank(stem(key)).is_some()
}

/// The words of these settings: an empty text leaves an option out, as `off` does for `-sym-stdout`.
pub fn words<'a>(settings: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Words {
    let mut out = Words::default();
    let mut behind: [Vec<String>; 5] = Default::default();
    for (key, value) in settings {
        if value.as_deref() == Some("") {
            continue;
        }
        let name = stem(key);
        let Some(place) = rank(name) else {
            out.before.push(match value {
                None => key.to_string(),
                Some(value) => format!("{key}={value}"),
            });
            continue;
        };
        if name == "sym-stdout" && value.as_deref() == Some("off") {
            continue;
        }
        behind[place].extend(key.split_whitespace().map(str::to_string));
        if let (Some(value), true) = (value, name != "sym-stdout") {
            behind[place].extend(value.split_whitespace().map(str::to_string));
        }
    }
    out.behind = behind.into_iter().flatten().collect();
    out
}

/// The settings of a vector, and of the defaults that it does not override.
pub fn settings<'a>(
    space: &'a Space,
    vector: &'a Vector,
    defaults: &'a [(String, Value)],
) -> Vec<(&'a str, &'a Value)> {
    let tuned = |key: &str| space.find(key).is_some_and(|i| !vector.values(i).is_empty());
    let mut out: Vec<(&str, &Value)> =
        defaults.iter().filter(|(key, _)| !tuned(key)).map(|(key, value)| (key.as_str(), value)).collect();
    for (i, parameter) in space.parameters.iter().enumerate() {
        out.extend(vector.values(i).iter().map(|v| (parameter.name.as_str(), v)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    #[test]
    fn inputs_go_behind_the_program() {
        let space = Space {
            parameters: vec![
                Parameter::new("-sym-stdin", [8], 1),
                Parameter::new("-search", ["dfs"], 1),
                Parameter::new("-sym-files 1", [4], 1),
                Parameter::new("-sym-arg", [1, 2], 3),
                Parameter::new("-sym-stdout", ["on", "off"], 1),
                Parameter::new("-seed-file", Vec::<String>::new(), 1),
            ],
        };
        let v = |texts: &[&str]| texts.iter().map(|t| Some(t.to_string())).collect::<Vec<Value>>();
        let defaults = [
            ("-watchdog".to_string(), None),
            ("-search".to_string(), Some("bfs".to_string())),
            ("-seed-file".to_string(), Some(String::new())),
        ];
        let mut vector = Vector(vec![v(&["8"]), v(&["dfs"]), v(&["4"]), v(&["2", "1"]), v(&["on"]), vec![]]);
        let got = words(settings(&space, &vector, &defaults));
        assert_eq!(got.before, ["-watchdog", "-search=dfs"]);
        let text = got.behind.join(" ");
        assert_eq!(text, "-sym-arg 2 -sym-arg 1 -sym-files 1 4 -sym-stdin 8 -sym-stdout");
        vector.0[4] = v(&["off"]);
        assert!(!words(settings(&space, &vector, &defaults)).behind.contains(&"-sym-stdout".to_string()));
        let bare = [("-sym-args 0 2".to_string(), Some("2".to_string())), ("-sym-stdout".to_string(), None)];
        let got = words(settings(&Space::default(), &Vector::default(), &bare));
        assert_eq!(got.behind.join(" "), "-sym-args 0 2 2 -sym-stdout");
        assert!(declares_input("--sym-files 1") && !declares_input("--search"));
    }
}
