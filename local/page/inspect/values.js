// Values, keys and figures as text.

/** Returns a value of DynamoDB JSON as people write it: "text", 12, true, ["a", 1], {name: "x"}, {"in", "a set"}. */
export function show(value) {
  const [type, content] = Object.entries(value)[0];
  switch (type) {
    case "S": return JSON.stringify(content);
    case "NULL": return "null";
    case "L": return `[${content.map(show).join(", ")}]`;
    case "M": return `{${Object.entries(content).map(([name, member]) => `${name}: ${show(member)}`).join(", ")}}`;
    case "SS": case "NS": case "BS": return `{${content.map((member) => show({[type[0]]: member})).join(", ")}}`;
    default: return String(content);
  }
}

/** Returns a key value without quotes. */
export const plain = (value) => String(Object.values(value)[0]);

/** Returns these attributes of an item, without those that it lacks. */
export const pick = (item, names) => Object.fromEntries(names.filter((name) => item[name]).map((name) => [name, item[name]]));

/** Returns whether two items have the same value in each of these attributes. */
export const same = (one, other, names) => names.every((name) => one[name] && other[name] && plain(one[name]) === plain(other[name]));

/** Returns a number with its unit: "1 item", "0.5 read units". */
export const count = (number, unit) => `${Number(number.toFixed(2)).toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`;

export const ms = (time) => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;

export const bytes = (size) => size < 1000 ? count(size, "byte") : `${(size / (size < 1e6 ? 1e3 : 1e6)).toFixed(1)} ${size < 1e6 ? "kB" : "MB"}`;

export const units = ({read, write}) => [read && count(read, "read unit"), write && count(write, "write unit")].filter(Boolean).join(", ") || "no units";

/** Returns an expression with the names and values that its placeholders stand for. */
export const resolve = (expression, {ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {}}) =>
  expression.replace(/[#:]\w+/g, (token) => names[token] ?? (values[token] ? show(values[token]) : token));
