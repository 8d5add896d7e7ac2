// Changes of an item: values as text, and the conditional writes.

/** The types of DynamoDB, with their names. */
export const TYPES = {
  S: "string", N: "number", BOOL: "true or false", NULL: "null", L: "list", M: "map", SS: "set of strings", NS: "set of numbers",
  B: "binary, in Base64", BS: "set of binaries",
};

/** Returns a value as the text of a field. Lists, maps and sets are DynamoDB JSON, so that what is in them keeps its type. */
export function textOf(value) {
  const [type, content] = Object.entries(value)[0];
  return type === "NULL" ? "null" : typeof content === "object" ? JSON.stringify(content, null, 1) : String(content);
}

/** Returns the value of a type that a text has, or throws an error that says what the text has to be. */
export function valueOf(type, text) {
  const trimmed = text.trim();
  const refuse = (what) => { throw new Error(`must be ${what}`); };
  const parse = (check, what) => {
    let content;
    try { content = JSON.parse(text); } catch { refuse(what); }
    return check(content) ? {[type]: content} : refuse(what);
  };
  switch (type) {
    case "S": return {S: text};
    case "N": return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) ? {N: trimmed} : refuse("a number, such as 12 or -0.5");
    case "BOOL": return {BOOL: trimmed === "true"};
    case "NULL": return {NULL: true};
    case "B": return /^([\w+/]{4})*([\w+/]{2}==|[\w+/]{3}=)?$/.test(trimmed) ? {B: trimmed} : refuse("bytes in Base64, such as AQID");
    case "L": return parse(Array.isArray, `a list in DynamoDB JSON, such as [{"S": "a"}]`);
    case "M": return parse((content) => content?.constructor === Object, `a map in DynamoDB JSON, such as {"a": {"N": "1"}}`);
    default: return parse((content) => Array.isArray(content) && content.length > 0 && content.every((member) => typeof member === "string"),
      `a list of texts, such as ["1", "2"]`);
  }
}

/** Returns the members of a write of an item that fails if the item is not what was read: if any of its attributes differs. */
function conditional(table, keys, item) {
  const names = {}, values = {};
  const conditions = Object.entries(item).map(([name, value], index) => {
    names[`#${index}`] = name;
    values[`:${index}`] = value;
    return `#${index} = :${index}`;
  });
  return {
    TableName: table, Key: Object.fromEntries(keys.map((name) => [name, item[name]])),
    ConditionExpression: conditions.join(" AND "), ExpressionAttributeNames: names, ExpressionAttributeValues: values,
  };
}

/** Returns the DeleteItem of an item as it was read. */
export const deleteOf = conditional;

/**
 * Returns the UpdateItem of an item as it was read. `changed` has the attributes to write, with their values, and those to
 * remove, without one. An attribute that is added must not be there meanwhile.
 */
export function updateOf(table, keys, item, changed) {
  const request = conditional(table, keys, item);
  const names = Object.keys(item);
  const set = [], remove = [];
  for (const [name, value] of Object.entries(changed)) {
    let index = names.indexOf(name);
    if (index < 0) {
      index = names.push(name) - 1;
      request.ExpressionAttributeNames[`#${index}`] = name;
      request.ConditionExpression += ` AND attribute_not_exists(#${index})`;
    }
    if (value) {
      request.ExpressionAttributeValues[`:new${index}`] = value;
      set.push(`#${index} = :new${index}`);
    } else {
      remove.push(`#${index}`);
    }
  }
  const clauses = {SET: set, REMOVE: remove};
  const expression = Object.entries(clauses).filter(([, parts]) => parts.length > 0).map(([clause, parts]) => `${clause} ${parts.join(", ")}`);
  return {...request, UpdateExpression: expression.join(" ")};
}
