//! A panic while a path runs is our bug, and only that path's end. This turns one into a text with its place, and
//! keeps the default hook's output off the user's terminal meanwhile.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// `Some` while panics of this thread are caught: what the last one said, and where.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; a panic becomes an error text.
pub fn catching<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = format!("{} at {}", said(info.payload()), place(info));
            let caught = CAUGHT.with(|c| match &mut *c.borrow_mut() {
                Some(slot) => {
                    *slot = text;
                    true
                }
                None => false,
            });
            if !caught {
                usual(info);
            }
        }));
    });
    CAUGHT.with(|c| *c.borrow_mut() = Some(String::new()));
    // The machine is left as the panic found it. What `run` changes outside of the state (interned expressions,
    // caches, coverage) only ever grows, so other paths can go on; the broken state itself is thrown away.
    let result = catch_unwind(AssertUnwindSafe(work));
    let text = CAUGHT.with(|c| c.borrow_mut().take());
    result.map_err(|payload| match text {
        Some(t) if !t.is_empty() => t,
        _ => said(&*payload).to_string(),
    })
}

fn said(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}

fn place(info: &std::panic::PanicHookInfo<'_>) -> String {
    info.location().map_or_else(|| "an unknown place".into(), |l| format!("{}:{}", l.file(), l.line()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_text_with_its_place() {
        assert_eq!(catching(|| 3), Ok(3));
        let text = catching(|| -> u32 { panic!("lost my {}", "keys") }).unwrap_err();
        assert!(text.starts_with("lost my keys at ") && text.contains("catch.rs:"), "{text}");
        assert_eq!(catching(|| 4), Ok(4));
    }
}
