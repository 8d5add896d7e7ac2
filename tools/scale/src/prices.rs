//! The prices of AWS, from prices.toml.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// The file of the prices, which is part of the program.
const FILE: &str = include_str!("../prices.toml");

/// The prices by their names.
#[derive(Deserialize)]
pub(crate) struct Prices {
    price: BTreeMap<String, Price>,
    plan: Plan,
}

/// The price of something that AWS counts.
#[derive(Deserialize)]
struct Price {
    service: String,
    /// The number of units that `tiers` give the price of.
    per: f64,
    /// Up to how many units of a month a price holds, and the price in dollars.
    tiers: Vec<(f64, f64)>,
    /// The page and the day with which the price was compared.
    compared: Option<String>,
}

/// The commitment and the flat rates that a service sells besides units.
#[derive(Deserialize)]
struct Plan {
    service: String,
    /// The prices of the units that a commitment or a level has.
    units: [String; 2],
    /// The share of the prices of the units with a commitment for a year.
    committed: f64,
    /// The dollars of a month, and the numbers of units that they include.
    levels: Vec<(f64, f64, f64)>,
}

/// Numbers of units by the names of their prices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage(BTreeMap<&'static str, f64>);

impl Usage {
    /// Adds units of one price.
    pub(crate) fn add(&mut self, price: &'static str, units: f64) {
        *self.0.entry(price).or_default() += units;
    }

    /// Adds what another usage has, `times` times.
    pub(crate) fn add_times(&mut self, other: &Self, times: f64) {
        for (price, units) in &other.0 {
            self.add(price, units * times);
        }
    }

    /// Removes the units of one price.
    pub(crate) fn remove(&mut self, price: &str) {
        self.0.remove(price);
    }

    /// Returns the usage of one price alone.
    pub(crate) fn only(&self, price: &'static str) -> Self {
        Self([(price, self.get(price))].into())
    }

    /// Returns the units of one price.
    pub(crate) fn get(&self, price: &str) -> f64 {
        self.0.get(price).copied().unwrap_or_default()
    }
}

impl Prices {
    /// Reads prices.toml.
    pub(crate) fn read() -> Result<Self> {
        toml::from_str(FILE).context("prices.toml cannot be read")
    }

    fn price(&self, name: &str) -> Result<&Price> {
        self.price.get(name).with_context(|| format!("prices.toml has no price {name}"))
    }

    /// Returns the name of a service as tables show it. A dagger says that one of its prices was
    /// compared with no page.
    pub(crate) fn label(&self, service: &str) -> String {
        let of_service = |price: &&Price| price.service == service && price.compared.is_none();
        let mark = if self.price.values().any(|price| of_service(&price)) { " †" } else { "" };
        format!("{service}{mark}")
    }

    /// Returns the dollars of a usage at the price of the first units that are not free of charge.
    pub(crate) fn marginal(&self, usage: &Usage) -> Result<f64> {
        let mut dollars = 0.0;
        for (name, units) in &usage.0 {
            let price = self.price(name)?;
            let first = price.tiers.iter().find(|(_, dollars)| *dollars > 0.0).map_or(0.0, |(_, dollars)| *dollars);
            dollars += units / price.per * first;
        }
        Ok(dollars)
    }

    /// Returns the dollars of the usage of a month by service, with the tiers. A service with a
    /// plan costs what is the least: its units with a commitment, or a level that includes them.
    pub(crate) fn of_month(&self, usage: &Usage) -> Result<BTreeMap<String, f64>> {
        let mut services = BTreeMap::new();
        for (name, units) in &usage.0 {
            let price = self.price(name)?;
            *services.entry(price.service.clone()).or_default() += price.of_month(*units);
        }
        let plan = &self.plan;
        if let Some(dollars) = services.get_mut(&plan.service) {
            for name in &plan.units {
                *dollars -= (1.0 - plan.committed) * self.price(name)?.of_month(usage.get(name));
            }
            *dollars = plan.of_month(usage).map_or(*dollars, |flat| flat.min(*dollars));
        }
        Ok(services)
    }
}

impl Price {
    fn of_month(&self, units: f64) -> f64 {
        let (mut below, mut dollars) = (0.0, 0.0);
        for (up_to, price) in &self.tiers {
            dollars += (units.min(*up_to) - below).max(0.0) / self.per * price;
            below = *up_to;
        }
        dollars
    }
}

impl Plan {
    /// Returns the dollars of the cheapest level that includes the usage of a month, if there is
    /// one.
    fn of_month(&self, usage: &Usage) -> Option<f64> {
        let [first, second] = self.units.each_ref().map(|price| usage.get(price));
        let fits = |level: &&(f64, f64, f64)| first <= level.1 && second <= level.2;
        self.levels.iter().filter(fits).map(|level| level.0).min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn usage(price: &'static str, units: f64) -> Usage {
        let mut usage = Usage::default();
        usage.add(price, units);
        usage
    }

    fn of_month(price: &'static str, units: f64) -> f64 {
        Prices::read().unwrap().of_month(&usage(price, units)).unwrap().values().sum()
    }

    #[test]
    fn each_tier_has_its_price() {
        assert!((of_month("api_requests", 1e6) - 1.0).abs() < 1e-9);
        assert!((of_month("api_requests", 4e8) - 390.0).abs() < 1e-9);
        assert!(of_month("dynamodb_storage", 20.0).abs() < 1e-9);
        assert!((of_month("dynamodb_storage", 125.0) - 25.0).abs() < 1e-9);
    }

    #[test]
    fn the_marginal_price_is_that_of_the_first_units_that_cost_something() {
        let prices = Prices::read().unwrap();
        assert!((prices.marginal(&usage("traces", 1e6)).unwrap() - 5.0).abs() < 1e-9);
        assert!((prices.marginal(&usage("api_requests", 4e8)).unwrap() - 400.0).abs() < 1e-9);
    }

    #[test]
    fn a_service_with_a_plan_costs_what_is_the_least() {
        let pictures = |requests: f64, gb: f64| {
            let mut pictures = usage("edge_requests", requests);
            pictures.add("edge_transfer", gb);
            Prices::read().unwrap().of_month(&pictures).unwrap()["CloudFront"]
        };
        assert!(pictures(5e6, 500.0).abs() < 1e-9, "all of it is free without a plan");
        assert!((pictures(1e9, 1e5) - 2_250.0).abs() < 1e-9);
        assert!((pictures(4e8, 6e4) - 1_450.0).abs() < 1e-9, "the bytes need the next level");
        assert!((pictures(2e7, 1e3) - 0.7 * 10.0).abs() < 1e-9, "the plan with so many requests costs more");
        let units = 6_990.0 + 9_216.0 * 0.085 + 40_960.0 * 0.08 + 48_800.0 * 0.06;
        assert!((pictures(7e9, 1e5) - 0.7 * units).abs() < 1e-6, "no plan has so many requests");
    }

    #[test]
    fn an_unknown_price_is_an_error() {
        assert!(Prices::read().unwrap().marginal(&usage("diamonds", 1.0)).is_err());
    }
}
