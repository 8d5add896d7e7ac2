import assert from "node:assert/strict";
import {test} from "node:test";
import {after, ago, day} from "./time.js";

const AT = "2024-05-30T15:42:38";
const at = (seconds) => ago(AT, Date.UTC(2024, 4, 30, 15, 42, 38) + 1000 * seconds);

test("a time of this week is told by how long ago it was, and an older one by its day", () => {
  const expected = [
    [0, "just now"], [59, "just now"], [60, "1 min ago"], [179, "2 min ago"], [3599, "59 min ago"], [3600, "1 h ago"],
    [86_399, "23 h ago"], [86_400, "1 d ago"], [7 * 86_400 - 1, "6 d ago"], [7 * 86_400, day(AT)],
  ];
  for (const [seconds, text] of expected) assert.equal(at(seconds), text);
});

test("a clock that is behind by some seconds tells no day", () => {
  assert.equal(at(-5), "just now");
  assert.equal(at(-61), day(AT));
});

test("a time after some days is in UTC, with milliseconds", () => {
  assert.equal(after("7", Date.UTC(2026, 11, 28, 9, 30)), "2027-01-04T09:30:00.000Z");
});
