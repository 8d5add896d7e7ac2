import assert from "node:assert/strict";
import {test} from "node:test";
import {awsCli, curl, quote, rust} from "./copy.js";

test("quotes a text as one word of a shell", () => {
  assert.equal(quote("a/b=c"), "a/b=c");
  assert.equal(quote("it's $HOME"), `'it'\\''s $HOME'`);
  assert.equal(quote(""), "''");
});

test("repeats a request with a new token of the same user", () => {
  const request = {method: "PATCH", path: "/users/ada?x=1&y=2", user: "ada", body: `{"name": "O'Hara"}`,
                   headers: {"content-type": "application/json", host: "localhost"}};
  assert.equal(curl(request, "http://localhost:3000"), `TOKEN=$(curl -s http://localhost:3000/local/token/ada)
curl -i -g -X PATCH 'http://localhost:3000/users/ada?x=1&y=2' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  --data-binary '{"name": "O'\\''Hara"}'`);
});

test("repeats a request of nobody without a token, for the same kind of answer", () => {
  const request = {method: "GET", path: "/s/Zm9yLW9ubHktdGVzdGluZw", headers: {accept: "application/json"}};
  assert.equal(curl(request, "http://localhost:3000"), `curl -i -g -X GET http://localhost:3000/s/Zm9yLW9ubHktdGVzdGluZw \\
  -H 'accept: application/json'`);
  assert.doesNotMatch(curl({...request, headers: {accept: "*/*"}}, "http://localhost"), /accept/);
});

test("asks for the token of a moderator where only moderators read and decide", () => {
  for (const [method, path, isTheirs] of [
    ["PUT", "/reports/ada", true], ["GET", "/reports?state=open", true], ["POST", "/reports", false],
    ["PUT", "/tags/caf%C3%A9/decision", true], ["GET", "/tags/lisboa/decisions?limit=5", true],
    ["GET", "/tags/decisions/photos", false], ["PUT", "/tags/lisboa/followers/ada", false],
  ]) {
    const copied = curl({method, path, headers: {}, user: "ada"}, "http://localhost");
    assert.equal(/token\/ada\?group=moderators/.test(copied), isTheirs, copied);
  }
});

test("asks for the token of an editor where only editors write", () => {
  const request = {method: "PUT", path: "/people/1", user: "ada"};
  assert.match(curl(request, "http://localhost"), /token\/ada\?group=editors/);
  assert.doesNotMatch(curl({...request, method: "GET"}, "http://localhost"), /editors/);
});

const QUERY = {
  TableName: "quick-photos", KeyConditionExpression: "PK = :u", ExpressionAttributeNames: {"#a": "b"},
  ExpressionAttributeValues: {":u": {S: `say "hi" \\`}}, ScanIndexForward: false, Limit: 2,
};

test("writes the options of the AWS CLI", () => {
  assert.equal(awsCli({operation: "Query", body: QUERY}, "http://127.0.0.1:8000").split(" \\\n  ").slice(1).join("\n"),
    `--table-name quick-photos
--key-condition-expression 'PK = :u'
--expression-attribute-names '{"#a":"b"}'
--expression-attribute-values '{":u":{"S":"say \\"hi\\" \\\\"}}'
--no-scan-index-forward
--limit 2`);
});

test("writes Rust for the AWS SDK", () => {
  assert.equal(rust({operation: "Query", body: QUERY}), `use aws_sdk_dynamodb::types::{AttributeValue};
let answer = client.query()
    .table_name("quick-photos")
    .key_condition_expression("PK = :u")
    .expression_attribute_names("#a", "b")
    .expression_attribute_values(":u", AttributeValue::S("say \\"hi\\" \\\\".to_owned()))
    .scan_index_forward(false)
    .limit(2)
    .send()
    .await?;`);
  const transaction = rust({operation: "TransactWriteItems", body: {TransactItems: [{Delete: {
    TableName: "t", Key: {k: {B: "AQI="}}, ReturnValuesOnConditionCheckFailure: "ALL_OLD"}}]}});
  assert.match(transaction, /\.delete\(Delete::builder\(\)/);
  assert.match(transaction, /AttributeValue::B\(Blob::new\(\[1u8, 2u8\]\)\)/);
  assert.match(rust({operation: "PutItem", body: {ReturnValues: "ALL_OLD"}}), /\.return_values\(ReturnValue::AllOld\)/);
  assert.match(transaction, /ReturnValuesOnConditionCheckFailure::AllOld/);
});
