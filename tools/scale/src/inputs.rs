//! The inputs of the prices, the rates and the simulation.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::assumptions::Assumptions;
use crate::batches::{self, Batches};
use crate::durations::{self, Durations};
use crate::prices::Prices;
use crate::recording::Recording;

/// The recordings of all functions, the measurements, the prices and the assumptions.
pub(crate) struct Inputs<'a> {
    pub(crate) functions: &'a [Recording],
    pub(crate) durations: Durations,
    pub(crate) batches: Batches,
    pub(crate) prices: Prices,
    pub(crate) assumptions: Assumptions,
}

impl<'a> Inputs<'a> {
    /// Reads the files below the root of the repository, and those that are part of the program.
    pub(crate) fn read(root: &Path, functions: &'a [Recording]) -> Result<Self> {
        Ok(Self {
            functions,
            durations: Durations::read(&root.join(durations::FILE))?,
            batches: Batches::read(&root.join(batches::FILE))?,
            prices: Prices::read()?,
            assumptions: Assumptions::read()?,
        })
    }

    /// Returns the recording of a function.
    pub(crate) fn function(&self, name: &str) -> Result<&'a Recording> {
        let recording = self.functions.iter().find(|recording| recording.function.name == name);
        recording.with_context(|| format!("template.yaml has no function {name}"))
    }

    /// Returns the value of an assumption.
    pub(crate) fn value(&self, name: &str) -> f64 {
        self.assumptions.value(name)
    }
}
