//! The reads that see an older state, or half of a transaction.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::Value;

use super::Execution;
use crate::network::{HeldRequest, ProcessId};
use crate::store::{Reply, View};

impl Execution<'_> {
    pub(super) fn lag(&mut self, body: &Value) -> Option<View> {
        let index = index_of(body);
        let lag = self.lagging.get_mut(&index)?;
        let writes = lag.writes;
        lag.reads -= 1;
        if lag.reads == 0 {
            self.lagging.remove(&index);
        }
        Some(View { writes, half: vec![] })
    }

    /// Returns the replies to a read that differ from that on the current state, each with the
    /// number of writes that it sees.
    pub(super) fn stale_replies(&mut self, id: ProcessId, position: usize) -> Result<Vec<(usize, Reply)>> {
        let held = &self.processes[id].held[position];
        let HeldRequest { operation, body, .. } = &held.request;
        let (operation, body, sent) = (operation.clone(), body.clone(), held.sent);
        let store = &mut self.system.store;
        let now = store.now();
        let is_read = matches!(operation.as_str(), "GetItem" | "Query" | "BatchGetItem" | "SearchVectors");
        let tables = body["RequestItems"].as_object().into_iter().flatten();
        let is_consistent =
            body["ConsistentRead"] == true || tables.clone().any(|(_, keys)| keys["ConsistentRead"] == true);
        if !is_read || self.lagging.contains_key(&index_of(&body)) {
            return Ok(vec![]);
        }
        let mut views: Vec<View> = vec![];
        if !is_consistent {
            views.extend((0..now).rev().map(|writes| View { writes, half: vec![] }));
        }
        // The last write was made while this read was under way, so the read may see a part of a
        // transaction.
        if operation != "GetItem" && body["IndexName"].is_null() && now > sent && store.write(now - 1).len() > 1 {
            let changes = store.write(now - 1).len();
            for one in 0..changes {
                views.push(View { writes: now - 1, half: vec![one] });
                views.push(View { writes: now - 1, half: (0..changes).filter(|&other| other != one).collect() });
            }
        }
        let mut seen = BTreeSet::new();
        seen.insert(store.serve_past(&operation, &body, &View { writes: now, half: vec![] })?);
        let mut replies = vec![];
        for view in views {
            let reply = store.serve_past(&operation, &body, &view)?;
            if seen.insert(reply.clone()) {
                replies.push((view.writes, reply));
            }
        }
        Ok(replies)
    }
}

/// Returns the table and the index that a request reads.
pub(super) fn index_of(body: &Value) -> (String, String) {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    (text("TableName"), text("IndexName"))
}
