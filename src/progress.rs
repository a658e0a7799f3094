//! A bar on standard error: only on a terminal, and only for work over a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use replay::run::Progress;

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar, hidden at first.
pub(crate) struct Bar {
    begun: Instant,
    bar: ProgressBar,
    shown: bool,
}

impl Bar {
    /// A bar of which nothing is seen yet.
    pub(crate) fn new() -> Self {
        Self { begun: Instant::now(), bar: ProgressBar::hidden(), shown: false }
    }

    /// Takes the bar off the terminal.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn step(&mut self, done: u64, total: u64, doing: &str) {
        if !self.shown && self.begun.elapsed() >= PATIENCE {
            // indicatif draws on standard error, and on nothing that is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} frames  {msg}") {
                self.bar.set_style(style);
            }
            self.bar.enable_steady_tick(Duration::from_millis(200));
            self.shown = true;
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.set_message(doing.to_owned());
    }
}
