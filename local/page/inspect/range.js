// What a Query reads: its key condition, evaluated on the items of one partition.

import {same} from "./values.js";

const CONDITION = /begins_with\s*\(\s*([#\w]+)\s*,\s*(:\w+)|([#\w]+)\s*(<=|>=|[<>=]|between)\s*(:\w+)(?:\s+and\s+(:\w+))?/gi;

/** Returns the conditions of a KeyConditionExpression, which AND connects. */
const conditions = ({KeyConditionExpression, ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values}) =>
  [...KeyConditionExpression.matchAll(CONDITION)].map(([, prefixed, prefix, name = prefixed, operator = "begins_with", low = prefix, high]) =>
    ({attribute: names[name] ?? name, operator: operator.toLowerCase(), low: values[low], high: values[high]}));

/** Returns the bytes by which DynamoDB orders a string or a binary value. */
const keyBytes = (value) =>
  value.B === undefined ? new TextEncoder().encode(value.S) : Uint8Array.from(atob(value.B), (char) => char.charCodeAt(0));

/** Compares two key values as DynamoDB does: numbers by value, strings by their UTF-8 bytes, binaries by their bytes. */
export function compare(one, other) {
  if (one.N !== undefined) return one.N - other.N;
  const [left, right] = [keyBytes(one), keyBytes(other)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length - right.length : left[at] - (right[at] ?? -1);
}

function meets(item, {attribute, operator, low, high}) {
  const value = item[attribute];
  if (!value) return false;
  if (operator === "begins_with") return keyBytes(low).every((byte, index) => byte === keyBytes(value)[index]);
  const order = compare(value, low);
  return {
    "=": order === 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0,
    between: order >= 0 && compare(value, high ?? low) <= 0,
  }[operator];
}

/**
 * Returns for each item of a partition, in key order, whether the Query read it: from its ExclusiveStartKey to the
 * LastEvaluatedKey of its answer. `sort` is the first attribute of the sort key, `primary` is the key of the table.
 */
export function read({body, answer}, items, sort, primary) {
  const all = conditions(body);
  const direction = body.ScanIndexForward === false ? -1 : 1;
  const place = (key) => {
    const found = items.findIndex((item) => same(item, key, primary));
    // The item with this key may be gone by now.
    return found < 0 ? items.filter((item) => compare(item[sort], key[sort]) <= 0).length - 0.5 : found;
  };
  const start = body.ExclusiveStartKey ? place(body.ExclusiveStartKey) : -Infinity * direction;
  const end = answer?.LastEvaluatedKey ? place(answer.LastEvaluatedKey) : Infinity * direction;
  return items.map((item, index) =>
    all.every((condition) => meets(item, condition)) && (index - start) * direction > 0 && (end - index) * direction >= 0);
}

/**
 * Returns the bounds of what a Query can read: each with its value, whether it is the upper one, and the index of the
 * item before which it lies.
 */
export const bounds = (body, items, sort) =>
  conditions(body).filter(({attribute}) => attribute === sort).flatMap(({operator, low, high}) => {
    const bound = (value, upper, after) =>
      ({value, upper, before: items.filter((item) => compare(item[sort], value) < (after ? 1 : 0)).length});
    return high ? [bound(low, false, false), bound(high, true, true)] : [bound(low, operator[0] === "<", operator === "<=" || operator === ">")];
  });
