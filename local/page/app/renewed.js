// A list whose first page was read again.

/** Returns what names a reaction or a comment. */
const nameOf = ({id, username, reactionType}) => id ?? `${username} ${reactionType}`;

/**
 * Returns a list, whose entries are in the field `name`, with its first page as it is now. Entries behind that page stay,
 * and so does the cursor behind them. A page without any of the old entries takes the place of all.
 */
export function renewed(old, page, name) {
  const names = new Set(page[name].map(nameOf));
  const last = old[name].findLastIndex((entry) => names.has(nameOf(entry)));
  if (last < 0) return page;
  const rest = page.nextCursor === null ? [] : old[name].slice(last + 1);
  return {...page, [name]: [...page[name], ...rest], nextCursor: page.nextCursor && old.nextCursor};
}
