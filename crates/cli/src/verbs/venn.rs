//! `forkwise venn`: how much two or three campaigns, or results of `run`, have in common. Branches are compared by number, which
//! needs the same program and the same way of counting: native numbers and the engine's are not mixed.

use crate::app::CLEAN;
use crate::console;
use crate::run::arms::Arms;
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use forkwise_campaign::Store;
use forkwise_tune::venn::regions;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Show how what campaigns or runs covered overlaps.
#[derive(Args, Clone, Debug)]
pub struct VennArgs {
    /// Folders of campaigns (`tune`, `learn`), or of results of `run`: two or three
    #[arg(value_name = "DIR", required = true, num_args = 2..=3, value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What a folder covered: the program it is about, if that is known, how it counted, and the branches.
struct Covered {
    program: Option<String>,
    how: &'static str,
    branches: BTreeSet<u32>,
}

/// The verb.
pub fn main(args: &VennArgs) -> anyhow::Result<u8> {
    let all = args.folders.iter().map(|f| read(f)).collect::<anyhow::Result<Vec<Covered>>>()?;
    for (folder, one) in args.folders.iter().zip(&all).skip(1) {
        if one.how != all[0].how {
            bail!(
                "{} counts {}, {} counts {}: their branches have other numbers",
                args.folders[0].display(),
                all[0].how,
                folder.display(),
                one.how
            );
        }
        if let (Some(a), Some(b)) = (&all[0].program, &one.program)
            && a != b
        {
            bail!("{} and {} are about different programs", args.folders[0].display(), folder.display());
        }
    }
    let sets: Vec<BTreeSet<u32>> = all.into_iter().map(|c| c.branches).collect();
    let regions = regions(&sets);
    let name = |i: usize| args.folders[i].display().to_string();
    if args.json {
        let regions: Vec<_> = regions
            .iter()
            .map(|r| json!({"only": r.sets.iter().map(|i| name(*i)).collect::<Vec<_>>(), "branches": r.size}))
            .collect();
        let sets: Vec<_> =
            sets.iter().enumerate().map(|(i, s)| json!({"folder": name(i), "branches": s.len()})).collect();
        console::out(format!("{}\n", json!({"sets": sets, "regions": regions})))?;
        return Ok(CLEAN);
    }
    let mut text = String::new();
    for (i, set) in sets.iter().enumerate() {
        let _ = writeln!(text, "{:7}  {}", set.len(), name(i));
    }
    for region in regions {
        let names: Vec<String> = region.sets.iter().map(|i| name(*i)).collect();
        let what = match names.len() {
            1 => "only",
            n if n == sets.len() => "all: ",
            _ => "both",
        };
        let _ = writeln!(text, "{:7}  {what} {}", region.size, names.join(" and "));
    }
    console::out(text)?;
    Ok(CLEAN)
}

fn read(folder: &Path) -> anyhow::Result<Covered> {
    if folder.join("campaign.sqlite").exists() {
        let store = Store::open(folder)?;
        let native = store.setting("tune.counts")?.as_deref() == Some("native");
        return Ok(Covered {
            program: store.setting("program")?,
            how: if native { "native branches" } else { "the engine's branches" },
            branches: store.union().clone(),
        });
    }
    let path = folder.join("coverage.json");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} is neither a campaign nor a result of run", folder.display()))?;
    let arms: Arms =
        serde_json::from_str(&text).with_context(|| format!("{} cannot be read", path.display()))?;
    let branches = arms.taken().map(|(number, _)| number).collect();
    Ok(Covered { program: None, how: "the engine's branches", branches })
}
