//! A child process spoken to line by line, with a limit on every answer.
//!
//! A thread writes and a thread reads, so that neither a full pipe nor a silent child can block the caller. The
//! child is killed and reaped when the handle is dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Reply {
    /// Not in time.
    Silent,
    /// The process ended; how.
    Ended(String),
}

/// A running SMT-LIB program.
pub(super) struct Process {
    child: Child,
    input: Sender<String>,
    output: Receiver<String>,
    /// Number of the last question; its echo marks the end of the answer.
    question: u64,
    /// Is it set up for queries in scopes? The speaker's note; false at the start.
    pub incremental: bool,
}

/// An answer longer than this is not one, nor is a line longer than that.
const MAX_ANSWER: usize = 64 << 20;
const MAX_LINE: u64 = 1 << 20;
/// Time to answer the first, empty question: a program that does not speak SMT-LIB is found here.
const START: Duration = Duration::from_secs(5);

impl Process {
    pub fn start(command: &[String]) -> std::io::Result<Process> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            // Ctrl-C at a terminal is for us; the child ends when we do.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both ends were asked to be pipes");
        };
        let (input, to_write) = channel::<String>();
        // Bounded, so that a child that talks endlessly waits instead of filling our memory.
        let (lines, output) = sync_channel::<String>(1024);
        // Both threads end when the child does (its pipes break) or when this handle is dropped.
        let writer = std::thread::Builder::new().name("smt-writer".into()).spawn(move || {
            while let Ok(text) = to_write.recv() {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let reader = std::thread::Builder::new().name("smt-reader".into()).spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut bytes = Vec::new();
            loop {
                bytes.clear();
                match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
                    Ok(n) if n > 0 => {}
                    _ => break,
                }
                if lines.send(String::from_utf8_lossy(&bytes).into_owned()).is_err() {
                    break;
                }
            }
        });
        let mut process = Process { child, input, output, question: 0, incremental: false };
        // On failure the process is dropped here, which kills the child.
        writer?;
        reader?;
        match process.ask("", Some(START)) {
            Ok(_) => Ok(process),
            Err(Reply::Silent) => Err(std::io::Error::other("it does not answer")),
            Err(Reply::Ended(how)) => Err(std::io::Error::other(how)),
        }
    }

    /// Sends text that has no answer.
    pub fn tell(&mut self, text: &str) {
        // A broken pipe shows at the next question.
        let _ = self.input.send(text.to_string());
    }

    /// Sends text and collects what comes back, up to the echo that follows it.
    pub fn ask(&mut self, text: &str, patience: Option<Duration>) -> Result<String, Reply> {
        self.question += 1;
        let mark = format!("forkwise-{}", self.question);
        self.tell(&format!("{text}(echo \"{mark}\")\n"));
        let end = patience.and_then(|p| Instant::now().checked_add(p));
        let mut answer = String::new();
        loop {
            let line = match end {
                None => self.output.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(end) => self.output.recv_timeout(end.saturating_duration_since(Instant::now())),
            };
            match line {
                Ok(line) if line.trim().trim_matches('"') == mark => return Ok(answer),
                Ok(line) => answer.push_str(&line),
                Err(RecvTimeoutError::Timeout) => return Err(Reply::Silent),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(&answer)),
            }
            if answer.len() > MAX_ANSWER {
                return Err(Reply::Ended("endless output".into()));
            }
        }
    }

    fn ended(&mut self, answer: &str) -> Reply {
        let status = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "output closed".to_string(),
        };
        match answer.trim().lines().next() {
            Some(line) => {
                Reply::Ended(format!("{status}, after `{}`", line.chars().take(160).collect::<String>()))
            }
            None => Reply::Ended(status),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Already dead is fine; reaping keeps no zombie.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
