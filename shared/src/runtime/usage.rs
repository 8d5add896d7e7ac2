//! The requests of an invocation to DynamoDB and their capacity units, for its line in the log.
//!
//! An interceptor of the client asks DynamoDB for the [consumed
//! capacity](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html#DDB-Query-request-ReturnConsumedCapacity)
//! of each request, which costs nothing but some 60 bytes of the answer, and adds it up for the
//! invocation.

use std::cell::Cell;
use std::future::Future;

use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextMut,
    BeforeTransmitInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::{BatchGetItemInput, BatchGetItemOutput};
use aws_sdk_dynamodb::operation::batch_write_item::{BatchWriteItemInput, BatchWriteItemOutput};
use aws_sdk_dynamodb::operation::delete_item::{DeleteItemInput, DeleteItemOutput};
use aws_sdk_dynamodb::operation::get_item::{GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::query::{QueryInput, QueryOutput};
use aws_sdk_dynamodb::operation::search_vectors::{SearchVectorsInput, SearchVectorsOutput};
use aws_sdk_dynamodb::operation::transact_get_items::{TransactGetItemsInput, TransactGetItemsOutput};
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsInput, TransactWriteItemsOutput};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity, VectorCapacity};
use serde::Serialize;

/// The requests of an invocation to DynamoDB so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    /// The number of requests, with those that the SDK repeated.
    pub requests: u32,
    /// The read units of the requests that succeeded.
    pub read_units: f64,
    /// The write units of the requests that succeeded.
    pub write_units: f64,
    /// The bytes of the vectors that searches have examined and returned, for which [AWS
    /// charges](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearchMonitoring.html)
    /// instead of read units. Left out without a search.
    #[serde(skip_serializing_if = "is_zero")]
    pub search_bytes: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

tokio::task_local! {
    /// The usage of the invocation that this task handles. Functions send their requests without
    /// other tasks.
    static USAGE: Cell<Usage>;
}

/// Returns the output of `invocation`, and what it has requested from DynamoDB.
pub(super) async fn measure<F: Future>(invocation: F) -> (F::Output, Usage) {
    // Boxed, because the compiler limits how deeply futures are nested.
    let invocation = Box::pin(invocation);
    USAGE
        .scope(Cell::default(), async {
            let output = invocation.await;
            (output, USAGE.with(Cell::get))
        })
        .await
}

/// Adds to the usage of the invocation. Requests outside of an invocation are not counted.
fn add(requests: u32, read_units: f64, write_units: f64) {
    let _ = USAGE.try_with(|usage| {
        let before = usage.get();
        usage.set(Usage {
            requests: before.requests + requests,
            read_units: before.read_units + read_units,
            write_units: before.write_units + write_units,
            ..before
        });
    });
}

/// Adds the bytes of a search to the usage of the invocation.
fn add_search(bytes: f64) {
    let _ = USAGE.try_with(|usage| {
        let before = usage.get();
        usage.set(Usage { search_bytes: before.search_bytes + bytes, ..before });
    });
}

/// Sets `ReturnConsumedCapacity` in an input that has one of the types.
macro_rules! ask_for_units {
    ($input:ident; $($operation:ty),*) => {
        $(if let Some(input) = $input.downcast_mut::<$operation>() {
            input.return_consumed_capacity = Some(ReturnConsumedCapacity::Total);
        })*
    };
}

/// Returns the units in an output that has one of the types, or 0.
macro_rules! units_of {
    ($output:ident; $($operation:ty),*) => {{
        let mut units = 0.0;
        $(if let Some(output) = $output.downcast_ref::<$operation>() {
            units = output.consumed_capacity().into_iter().filter_map(ConsumedCapacity::capacity_units).sum();
        })*
        units
    }};
}

/// Measures the requests of a client.
#[derive(Debug)]
pub(super) struct MeasureUsage;

impl Intercept for MeasureUsage {
    fn name(&self) -> &'static str {
        "usage of DynamoDB"
    }

    fn modify_before_serialization(
        &self,
        context: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let input = context.input_mut();
        ask_for_units!(input; GetItemInput, QueryInput, BatchGetItemInput, TransactGetItemsInput, SearchVectorsInput);
        ask_for_units!(input; PutItemInput, UpdateItemInput, DeleteItemInput, BatchWriteItemInput, TransactWriteItemsInput);
        Ok(())
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        add(1, 0.0, 0.0);
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Ok(output) = context.output_or_error() else { return Ok(()) };
        let read = units_of!(output; GetItemOutput, QueryOutput, BatchGetItemOutput, TransactGetItemsOutput);
        let written = units_of!(output; PutItemOutput, UpdateItemOutput, DeleteItemOutput, BatchWriteItemOutput, TransactWriteItemsOutput);
        add(0, read, written);
        if let Some(output) = output.downcast_ref::<SearchVectorsOutput>() {
            add_search(output.consumed_capacity().and_then(VectorCapacity::vector_search_request_bytes).unwrap_or(0.0));
        }
        Ok(())
    }
}
