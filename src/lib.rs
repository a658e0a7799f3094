//! Replays recorded frames of Sekiro and Elden Ring on Vulkan with stand-in shaders, compares what comes out with what
//! the game's own run recorded, and checks every documented claim about how the games draw.
//!
//! The program is a pipeline of values, and [`run`] shows all of it in order:
//!
//! | step | from | to | module |
//! |---|---|---|---|
//! | open | a folder | a capture set, its frames and dumps | [`capture`] |
//! | plan | a frame without its dumps | what must happen, resolved | [`plan`] |
//! | execute | a plan | buffers, vertex outputs, images | [`execute`] |
//! | diff | recorded, replayed, rules | comparisons | [`diff`] |
//! | check | frames, plans, comparisons | findings on claims | [`check`] |
//! | report | all of it | text, JSON, CSV | [`report`] |
//!
//! [`abi`] is the vocabulary both sides of a draw agree on, [`shader`] the stand-ins, [`finding`] what comes out of
//! comparing. [`synth`] writes capture sets with known truth.
//!
//! Game files stand apart from frames: [`formats`] reads models and grass, [`pose`] places what they hold, [`inspect`]
//! shows one file and [`survey`] checks what is documented over any number of them.

pub mod abi;
pub mod capture;
pub mod card;
pub mod check;
pub mod cli;
pub mod cli_formats;
pub mod commands;
pub mod diff;
pub mod execute;
pub mod finding;
pub mod formats;
pub mod inspect;
pub mod plan;
pub mod pose;
pub mod report;
pub mod run;
pub mod shader;
pub mod survey;
pub mod synth;
