// Requests as commands and code, to repeat them elsewhere.

/** Returns a text as one word of a shell. */
export const quote = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Headers that change the answer. */
const HEADERS = ["accept", "content-type", "if-match", "if-none-match", "idempotency-key"];

/** Returns the curl command of an HTTP request, with a new token of the same user. */
export function curl({method, path, headers = {}, body, user}, origin) {
  // Only editors write to the catalogues, and only moderators read reports and decisions, and decide.
  const group = method !== "GET" && /^\/(music|people)\//.test(path) ? "?group=editors"
    : method !== "POST" && /^\/(reports|tags\/[^/]+\/decisions?)\b/.test(path) ? "?group=moderators" : "";
  const token = user ? `TOKEN=$(curl -s ${quote(`${origin}/local/token/${encodeURIComponent(user)}${group}`)})\n` : "";
  return token + [
    `curl -i -g -X ${method} ${quote(origin + path)}`,
    ...user ? [`-H "Authorization: Bearer $TOKEN"`] : [],
    ...HEADERS.filter((name) => headers[name] && headers[name] !== "*/*").map((name) => `-H ${quote(`${name}: ${headers[name]}`)}`),
    ...body ? [`--data-binary ${quote(body)}`] : [],
  ].join(" \\\n  ");
}

/** Returns a name like `TransactWriteItems` in lower case, with a separator between its words. */
const split = (name, separator) => name.replace(/\B[A-Z]/g, `${separator}$&`).toLowerCase();

/** Returns the command of the AWS CLI for a request to DynamoDB. */
export const awsCli = ({operation, body}, endpoint) => `export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=eu-west-1
` + [`aws dynamodb ${split(operation, "-")} --endpoint-url ${endpoint}`, ...Object.entries(body).map(([name, value]) =>
  typeof value === "boolean" ? `--${value ? "" : "no-"}${split(name, "-")}`
    : `--${split(name, "-")} ${quote(typeof value === "object" ? JSON.stringify(value) : String(value))}`)].join(" \\\n  ");

/** Returns Rust code that sends a request to DynamoDB with the AWS SDK. */
export function rust({operation, body}) {
  const types = new Set();
  const code = `let answer = client.${split(operation, "_")}()${setters(operation, body, 1, types)}\n    .send()\n    .await?;`;
  if (code.includes("AttributeValue::")) types.add("AttributeValue");
  return [
    code.includes("HashMap::") && "use std::collections::HashMap;",
    code.includes("Blob::") && "use aws_sdk_dynamodb::primitives::Blob;",
    types.size > 0 && `use aws_sdk_dynamodb::types::{${[...types].sort().join(", ")}};`,
    code,
  ].filter(Boolean).join("\n");
}

const indent = (depth) => `\n${"    ".repeat(depth)}`;

/** Returns the calls that set the members of a request or of one of its parts. */
function setters(owner, members, depth, types) {
  return Object.entries(members).flatMap(([name, value]) => {
    const set = (...values) => `${indent(depth)}.${split(name, "_")}(${values.join(", ")})`;
    const each = (write) => Object.entries(value).map(([key, member]) => set(text(key), write(member)));
    const build = (type) => (member) => builder(type, member, depth + 1, types);
    switch (name) {
      case "Key": case "Item": case "ExpressionAttributeValues": case "ExclusiveStartKey": return each(attribute);
      case "ExpressionAttributeNames": return each(text);
      case "Keys": return value.map((key) => set(map(key)));
      case "TransactItems": return value.map((member) => set(build(owner.slice(0, -1))(member)));
      case "RequestItems": return each(owner === "BatchGetItem" ? build("KeysAndAttributes") : (list) => vec(list, build("WriteRequest")));
    }
    if (/^Return|^Select$/.test(name)) {
      const type = name.replace(/Values$/, "Value");
      types.add(type);
      return set(`${type}::${value.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())}`);
    }
    return set(typeof value === "object" ? build(name)(value) : typeof value === "string" ? text(value) : value);
  }).join("");
}

/** Types whose builders cannot fail. */
const INFALLIBLE = ["TransactWriteItem", "TransactGetItem", "WriteRequest"];

function builder(type, members, depth, types) {
  types.add(type);
  return `${type}::builder()${setters(type, members, depth, types)}${indent(depth)}.build()${INFALLIBLE.includes(type) ? "" : "?"}`;
}

const vec = (list, write) => `vec![${list.map(write).join(", ")}]`;
const text = (value) =>
  `"${value.replace(/["\\]/g, "\\$&").replace(/\p{C}/gu, (char) => `\\u{${char.codePointAt(0).toString(16)}}`)}"`;
const owned = (value) => `${text(value)}.to_owned()`;
const map = (members) =>
  `HashMap::from([${Object.entries(members).map(([name, value]) => `(${owned(name)}, ${attribute(value)})`).join(", ")}])`;
const blob = (base64) => `Blob::new([${Array.from(atob(base64), (char) => `${char.charCodeAt(0)}u8`).join(", ")}])`;

function attribute(value) {
  const [type, content] = Object.entries(value)[0];
  const writers = {B: blob, BOOL: String, NULL: String, L: (list) => vec(list, attribute), M: map, BS: (list) => vec(list, blob)};
  const write = writers[type] ?? (Array.isArray(content) ? (list) => vec(list, owned) : owned);
  const variant = type.length > 1 ? type[0] + type.slice(1).toLowerCase() : type;
  return `AttributeValue::${variant}(${write(content)})`;
}
