// What a request to DynamoDB names and finds, the same for all operations.

import {pick, same} from "./values.js";

/**
 * Returns the items that a request names, and `rest`, the items of the answer that it does not name. Each named item
 * has its action, table, key, the members that concern it, the item to `put`, the one that was `found`, and why DynamoDB
 * rejected it.
 */
export function named({operation, body, answer}, keysOf) {
  const {SearchResults = [], Items = SearchResults.map(({Item}) => Item), Item, Attributes, Responses = [], CancellationReasons} = answer ?? {};
  const returned = Item ?? Attributes;
  const one = (action, table, members, found, reason) =>
    ({action, table, members, put: members.Item, found, reason, key: members.Key ?? pick(members.Item ?? {}, keysOf(table))});
  if (body.TransactItems) {
    return {rest: [], list: body.TransactItems.flatMap(Object.entries).map(([action, members], index) =>
      one(action, members.TableName, members, (Responses[index] ?? CancellationReasons?.[index])?.Item, CancellationReasons?.[index].Code.replace("None", "")))};
  }
  if (body.RequestItems) {
    return {rest: [], list: Object.entries(body.RequestItems).flatMap(([table, {Keys, ...members}]) => Keys
      ? Keys.map((Key) => one("Get", table, {...members, Key}, Responses[table]?.find((item) => same(item, Key, Object.keys(Key)))))
      : Object.values(members).flatMap(Object.entries).map(([action, members]) => one(action.replace("Request", ""), table, members)))};
  }
  const isNamed = Boolean(body.Key ?? body.Item);
  return {list: isNamed ? [one(operation.replace("Item", ""), body.TableName, body, returned)] : [], rest: isNamed ? [] : Items};
}

/** Returns the tables of a request. */
export const tablesOf = ({body}) => body.TableName ? [body.TableName]
  : [...new Set(body.RequestItems ? Object.keys(body.RequestItems) : body.TransactItems?.flatMap(Object.values).map(({TableName}) => TableName))];

/** Returns whether a condition was the reason that a write failed. On AWS, such a write consumes units too. */
export const failedCondition = ({__type = "", CancellationReasons = []} = {}) =>
  __type.endsWith("#ConditionalCheckFailedException") || CancellationReasons.some(({Code}) => Code === "ConditionalCheckFailed");

/** Returns the parameters of a request, or of what it asks of one item, other than names, keys, items and values. */
export const parameters = (members) => Object.entries(members).filter(([name, value]) =>
  (name !== "ConsistentRead" || value) && !/^(SearchVector|TableName|IndexName|ClientRequestToken|Key|Item|RequestItems|TransactItems|ExpressionAttribute(Names|Values))$/.test(name));

const CONDITION = "One request: DynamoDB checks the condition in the write itself, so nothing has to be read before.";

/** Says why an operation does its work in one request. */
export const WHY = {
  GetItem: "One request: the whole primary key is known, so DynamoDB goes to the item without a search.",
  BatchGetItem: "One request for items in any partitions, because all primary keys are known.",
  Query: "One request: what it reads lies side by side in one partition, in the order of the sort key.",
  SearchVectors: "One request: a vector is a list of numbers that say what a picture looks like, and the index finds the vectors at the smallest distance, nearest first. It reads no partition by a key, consumes bytes instead of read units, and is approximate on AWS. The engine of this stack compares all vectors.",
  PutItem: CONDITION,
  UpdateItem: CONDITION,
  DeleteItem: CONDITION,
  BatchWriteItem: "One request for up to 25 writes. Each of them succeeds or fails by itself.",
  TransactWriteItems: "One request writes all of these items or none. In return, it takes two write units per kB instead of one.",
  TransactGetItems: "One request reads all items as of one moment. In return, it takes twice the units of consistent reads.",
};
