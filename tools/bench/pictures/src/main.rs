//! Measures the processing of pictures beside Pillow and sharp: `cargo run --release --bin
//! measure-pictures`. The subcommand `similarity` measures their vectors.
//!
//! Each program runs in a process of its own on one core, and they take turns. Pillow and sharp are
//! left out where they are not installed; `tools/bench/pictures/peers/install` installs them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use nix::time::ClockId;

mod draw;
mod scenes;
mod similarity;
mod uploads;

use terminal::println;
use uploads::Upload;

/// The number of times that each program is started.
const ROUNDS: usize = 7;
/// The number of times that a program processes the upload in a round. The first time is not
/// counted.
const ITERATIONS: usize = 11;
/// The core that all programs run on.
const CORE: &str = "1";

/// The figures of a program, of one round or of all rounds.
struct Figures {
    wall_ms: f64,
    cpu_ms: f64,
    peak_mb: f64,
}

/// A program that makes both sizes of a picture.
struct Program {
    name: &'static str,
    command: Vec<PathBuf>,
    directory: PathBuf,
}

/// Measures how long the processing of a picture takes, in wall time, CPU time and memory, beside
/// Pillow and sharp, and prints tables. Pillow and sharp are left out if they are not installed;
/// tools/bench/pictures/peers/install installs them.
#[derive(Parser)]
#[command(name = "measure-pictures", version, verbatim_doc_comment)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Mode>,
}

#[derive(Subcommand)]
enum Mode {
    /// Processes a file several times, and prints the figures; the measurement starts it
    Process {
        /// The picture
        file: PathBuf,
        /// The number of times
        iterations: usize,
    },
    /// Measures how well the vector of a picture finds variants of it: a part, more or less light,
    /// another size, a low quality and a mirrored picture
    Similarity {
        /// Draws other scenes for each number
        #[arg(long, default_value_t = 0)]
        seed: u32,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        None => measure(),
        Some(Mode::Process { file, iterations }) => process(&file, iterations),
        Some(Mode::Similarity { seed }) => similarity::measure(seed),
    };
    terminal::exit_code("measure-pictures", outcome)
}

/// Processes a file this many times, and prints the figures as the programs of the peers do.
fn process(file: &Path, iterations: usize) -> Result<()> {
    let upload = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    for _ in 0..iterations {
        let (wall, cpu) = (Instant::now(), cpu_time()?);
        pictures::process(&upload)?;
        println!("{} {}", wall.elapsed().as_micros(), cpu_time()? - cpu);
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("/proc/self/status has no VmHWM")?;
    println!("{}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

/// Returns the CPU time of this process in microseconds.
fn cpu_time() -> Result<i64> {
    let time = ClockId::CLOCK_PROCESS_CPUTIME_ID.now()?;
    Ok(time.tv_sec() * 1_000_000 + time.tv_nsec() / 1000)
}

fn measure() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let programs = programs()?;
    let upload = uploads::of_a_phone(directory.path())?;
    println!("{} of {:.1} MB, medians of {ROUNDS} rounds:\n", upload.name, megabytes(upload.bytes));
    println!("| program | wall, ms | CPU, ms | peak memory, MB | wall ÷ ours | CPU ÷ ours |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut rounds: Vec<Vec<Figures>> = programs.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (program, rounds) in programs.iter().zip(&mut rounds) {
            rounds.push(program.run(&upload, ITERATIONS)?);
        }
    }
    let medians: Vec<_> = rounds.iter().map(|rounds| median_of(rounds)).collect();
    for (program, figures) in programs.iter().zip(&medians) {
        let Figures { wall_ms, cpu_ms, peak_mb } = figures;
        let (wall, cpu) = (wall_ms / medians[0].wall_ms, cpu_ms / medians[0].cpu_ms);
        println!("| {} | {wall_ms:.0} | {cpu_ms:.0} | {peak_mb:.0} | {wall:.2} | {cpu:.2} |", program.name);
    }

    println!("\nThe largest pictures, 64 megapixels, ours alone:\n");
    println!("| picture | upload, MB | wall, s | CPU, s | peak memory, MB |\n|---|---:|---:|---:|---:|");
    for upload in uploads::largest(directory.path())? {
        let Figures { wall_ms, cpu_ms, peak_mb } = programs[0].run(&upload, 1)?;
        let megabytes = megabytes(upload.bytes);
        println!("| {} | {megabytes:.1} | {:.1} | {:.1} | {peak_mb:.0} |", upload.name, wall_ms / 1e3, cpu_ms / 1e3);
    }
    Ok(())
}

/// Returns the programs that are there. Ours is the first.
fn programs() -> Result<Vec<Program>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).context("the project has a root")?;
    let scripts = root.join("tools/bench/pictures/peers");
    let installed = root.join("target/peers/pictures");
    let this = std::env::current_exe()?;
    let mut programs =
        vec![Program { name: "ours", command: vec![this, "process".into()], directory: root.to_owned() }];
    let python = installed.join("venv/bin/python");
    for (name, command, needed) in [
        ("Pillow", vec![python.clone(), scripts.join("pillow.py")], python),
        ("sharp", vec!["node".into(), scripts.join("sharp.mjs")], installed.join("node_modules/sharp")),
    ] {
        if needed.exists() {
            programs.push(Program { name, command, directory: installed.clone() });
        } else {
            println!("{name} is not measured, because {} does not exist.", needed.display());
        }
    }
    Ok(programs)
}

impl Program {
    /// Runs the program on one core, and returns the medians of all iterations but the first, or
    /// the only one.
    fn run(&self, upload: &Upload, iterations: usize) -> Result<Figures> {
        let output = Command::new("taskset")
            .args(["--cpu-list", CORE])
            .args(&self.command)
            .arg(&upload.file)
            .arg(iterations.to_string())
            .current_dir(&self.directory)
            .output()
            .context("taskset cannot be started")?;
        ensure!(output.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&output.stderr));
        let output = String::from_utf8(output.stdout)?;
        let numbers = |line: &str| line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>();
        let lines = output.lines().map(numbers).collect::<Result<Vec<_>, _>>()?;
        let (peak, times) = lines.split_last().context("the program printed nothing")?;
        let times = if iterations > 1 { &times[1..] } else { times };
        Ok(Figures {
            wall_ms: median(times.iter().map(|times| times[0] / 1e3)),
            cpu_ms: median(times.iter().map(|times| times[1] / 1e3)),
            peak_mb: peak[0] / 1024.0,
        })
    }
}

fn median_of(rounds: &[Figures]) -> Figures {
    Figures {
        wall_ms: median(rounds.iter().map(|round| round.wall_ms)),
        cpu_ms: median(rounds.iter().map(|round| round.cpu_ms)),
        peak_mb: median(rounds.iter().map(|round| round.peak_mb)),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "it is for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
