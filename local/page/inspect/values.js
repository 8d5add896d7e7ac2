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

/** Returns the value of an attribute as a cell of a table shows it. The head of the column has the type. */
export const cell = (value) => value ? value.S ?? show(value) : "";

/** Returns the bytes of an item, as DynamoDB counts them. */
export const sizeOf = (item) => Object.entries(item).reduce((sum, [name, value]) => sum + utf8(name) + sizeOfValue(value), 0);

const utf8 = (text) => new TextEncoder().encode(text).length;

function sizeOfValue(value) {
  const [type, content] = Object.entries(value)[0];
  switch (type) {
    case "S": return utf8(content);
    case "N": return (content.replaceAll(/[-.]/g, "").replaceAll(/^0+|0+$/g, "").length + 1 >> 1) + 1;
    case "B": return atob(content).length;
    case "L": return content.reduce((sum, member) => sum + sizeOfValue(member) + 1, 3);
    case "M": return sizeOf(content) + Object.keys(content).length + 3;
    case "SS": case "NS": case "BS": return content.reduce((sum, member) => sum + sizeOfValue({[type[0]]: member}), 0);
    default: return 1;
  }
}

/** Returns a value without its types, as JSON has it. */
export function json(value) {
  const [type, content] = Object.entries(value)[0];
  switch (type) {
    case "NULL": return null;
    case "N": return Number(content);
    case "L": return content.map(json);
    case "M": return jsonOf(content);
    case "NS": return content.map(Number);
    default: return content;
  }
}

/** Returns an item as JSON has it. */
export const jsonOf = (item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, json(value)]));

/** Returns these attributes of an item, without those that it lacks. */
export const pick = (item, names) => Object.fromEntries(names.filter((name) => item[name]).map((name) => [name, item[name]]));

/** Returns whether two items have the same value in each of these attributes. */
export const same = (one, other, names) => names.every((name) => one[name] && other[name] && plain(one[name]) === plain(other[name]));

/** Returns a number with its unit, which no line break separates: "1 item", "0.5 read units". */
export const count = (number, unit) => `${Number(number.toFixed(2)).toLocaleString("en")} ${unit}${number === 1 ? "" : "s"}`.replaceAll(" ", "\u00a0");

export const ms = (time) => time < 10_000 ? `${time < 10 ? time.toFixed(1) : Math.round(time)}\u00a0ms` : `${Math.round(time / 1000)}\u00a0s`;

export const bytes = (size) => size < 1000 ? count(size, "byte") : `${(size / (size < 1e6 ? 1e3 : 1e6)).toFixed(1)}\u00a0${size < 1e6 ? "kB" : "MB"}`;

/** Returns what requests consumed. `searched` are the bytes of searches of vectors, and `live` the messages to live screens. */
export const units = ({read, write, searched, live}) =>
  [read && count(read, "read unit"), write && count(write, "write unit"), searched && `${bytes(searched)} searched`, live && count(live, "live message")].filter(Boolean).join(", ") || "no units";

/** The names of attributes that say what an item is. */
const SAYS_WHAT = /name|title|status|state|kind|type/i;

/**
 * Returns the columns of items: the keys, then the other attributes, those that most items have
 * first and, of those, the ones that say what an item is. `types` are the types of their values.
 */
export function columns(items, keys) {
  const all = new Map(keys.map((name) => [name, {name, types: new Set(), number: Infinity}]));
  for (const [name, value] of items.flatMap(Object.entries)) {
    if (!all.has(name)) all.set(name, {name, types: new Set(), number: 0});
    const column = all.get(name);
    column.types.add(Object.keys(value)[0]);
    column.number += 1;
  }
  const list = [...all.values()].map(({name, types, number}) => ({name, types: [...types], number}));
  return [...list.slice(0, keys.length), ...list.slice(keys.length).sort((one, other) =>
    other.number - one.number || SAYS_WHAT.test(other.name) - SAYS_WHAT.test(one.name) || one.name.localeCompare(other.name))];
}

/** Returns an expression with the names and values that its placeholders stand for. */
export const resolve = (expression, {ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {}}) =>
  expression.replace(/[#:]\w+/g, (token) => names[token] ?? (values[token] ? show(values[token]) : token));
