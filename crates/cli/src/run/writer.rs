//! Writing tests beside the exploration: creating files takes the kernel longer than finding paths takes the engine, so
//! a thread of its own does it. What is written, and its order, does not depend on the thread; an error comes back with
//! the next test or at the end.

use anyhow::{Context, anyhow};
use forkwise_testcase::{KTest, TestCase, WriteError, atomic_write, json};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Tests that may wait; more make the exploration wait.
const WAITING: usize = 1024;

/// See the module text.
pub struct TestWriter {
    folder: PathBuf,
    sender: Option<SyncSender<(PathBuf, Vec<u8>)>>,
    thread: Option<JoinHandle<Result<(), WriteError>>>,
}

impl TestWriter {
    /// Writes into a folder that exists.
    pub fn start(folder: &Path) -> anyhow::Result<TestWriter> {
        let (sender, jobs) = sync_channel::<(PathBuf, Vec<u8>)>(WAITING);
        let work = move || jobs.into_iter().try_for_each(|(path, bytes)| atomic_write(&path, &bytes));
        let thread = std::thread::Builder::new()
            .name("tests".into())
            .spawn(work)
            .context("cannot start the thread that writes tests")?;
        Ok(TestWriter { folder: folder.to_path_buf(), sender: Some(sender), thread: Some(thread) })
    }

    /// Takes a test, to be written in both formats.
    pub fn write(&mut self, number: u64, test: &TestCase) -> anyhow::Result<()> {
        let ktest = self.folder.join(format!("{number:06}.ktest"));
        let bytes =
            KTest::from(test).to_bytes().with_context(|| format!("cannot write {}", ktest.display()))?;
        let text = json::to_text(test).into_bytes();
        let Some(sender) = &self.sender else { return Err(anyhow!("the tests were finished already")) };
        let sent = sender
            .send((ktest, bytes))
            .and_then(|()| sender.send((self.folder.join(json::file_name(number)), text)));
        match sent {
            Ok(()) => Ok(()),
            // The thread ends before its time only when it could not write; its result says why.
            Err(_) => self.finish().and(Err(anyhow!("the tests could not be written"))),
        }
    }

    /// Waits until everything is written.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.sender = None;
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => Ok(result?),
            Some(Err(_)) => Err(anyhow!("the thread that writes tests failed")),
        }
    }
}

impl Drop for TestWriter {
    fn drop(&mut self) {
        // After an error elsewhere, what was taken is still written; there is nobody left to tell.
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tests_are_there_after_finish() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = TestWriter::start(folder.path()).unwrap();
        for n in 1..=3000 {
            writer.write(n, &TestCase::default()).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6000);
    }

    #[test]
    fn an_error_of_the_thread_comes_back() {
        let mut writer = TestWriter::start(Path::new("/nowhere/at/all")).unwrap();
        let mut result = Ok(());
        for n in 1..=3000 {
            result = writer.write(n, &TestCase::default());
            if result.is_err() {
                break;
            }
        }
        let error = result.and_then(|()| writer.finish()).unwrap_err();
        assert!(format!("{error:#}").contains("/nowhere/at/all"), "{error:#}");
    }
}
