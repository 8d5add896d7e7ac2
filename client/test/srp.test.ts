import assert from "node:assert/strict";
import {test} from "node:test";

import {srp, timestamp} from "../src/srp.js";
import {verifier} from "./pool.js";

// Made with amazon-cognito-identity-js 6.3.21: its AuthenticationHelper with smallAValue = a, and its getPasswordAuthenticationKey
// as the key of the HMAC. All numbers of the first begin with a bit that is set, and those of the second with zeros.
const vectors = [
  {a: "5a".repeat(32), SALT: "c8".repeat(16), SRP_B: "9d".repeat(384), signature: "t0Ww2pz/8zXX20YwM7hXS2pP/A00xsJOE/12IYv8wuw="},
  {a: "05".repeat(32), SALT: "00" + "07".repeat(15), SRP_B: "03".repeat(383), signature: "qEBSLzaePYwyD4Fke/jV49WoVJ/nJTrAdTXtaE5OmnM="},
];

test("makes the claims that amazon-cognito-identity-js makes", async () => {
  for (const {a, SALT, SRP_B, signature} of vectors) {
    const challenge = {SALT, SRP_B, USERNAME: "dora", USER_ID_FOR_SRP: "dora", SECRET_BLOCK: "c2VjcmV0+w=="};
    const answer = await srp("AbCdEfGhI", BigInt("0x" + a)).claim(challenge, "Härbour-Street-12", new Date("2026-11-06T09:05:03Z"));
    assert.equal(answer.TIMESTAMP, "Fri Nov 6 09:05:03 UTC 2026");
    assert.equal(answer.PASSWORD_CLAIM_SIGNATURE, signature);
  }
});

test("convinces a server that has the verifier alone, and only with the right password", async () => {
  for (let round = 0; round < 8; round++) {
    const server = verifier("AbCdEfGhI", "dora", "Harbour-Street-12");
    const {SRP_A, claim} = srp("AbCdEfGhI");
    assert.ok(server.accepts(SRP_A, await claim(server.challenge, "Harbour-Street-12")));
    assert.ok(!server.accepts(SRP_A, await claim(server.challenge, "harbour-Street-12")));
  }
});

test("refuses a B that reveals the password", async () => {
  const {challenge} = verifier("AbCdEfGhI", "dora", "Harbour-Street-12");
  await assert.rejects(srp("AbCdEfGhI").claim({...challenge, SRP_B: "0"}, "Harbour-Street-12"), /reveal/);
});

test("writes the day of the month without a zero, and the hour with one", () => {
  assert.equal(timestamp(new Date("2026-01-01T00:00:59Z")), "Thu Jan 1 00:00:59 UTC 2026");
  assert.equal(timestamp(new Date("2027-10-31T23:10:00Z")), "Sun Oct 31 23:10:00 UTC 2027");
});
