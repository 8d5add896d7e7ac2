// Times of the API as text.

const LONG = new Intl.DateTimeFormat(undefined, {dateStyle: "long", timeStyle: "short"});
const SHORT = new Intl.DateTimeFormat(undefined, {dateStyle: "medium"});

const MINUTE = 60_000;
/** The units of a time that has passed: the name, its length, and the length from which on the next unit counts. */
const UNITS = [["min", MINUTE, 60 * MINUTE], ["h", 60 * MINUTE, 1440 * MINUTE], ["d", 1440 * MINUTE, 7 * 1440 * MINUTE]];

/** Returns the day of a time. */
export const day = (time) => SHORT.format(new Date(time));

/** Returns a time with its day and its minute. */
export const whole = (time) => LONG.format(new Date(time));

/** Returns the time some days from now, as the API takes it. */
export const after = (days, now = Date.now()) => new Date(now + days * 1440 * MINUTE).toISOString();

/** Returns how long ago a time was, as "2 min ago", or its day after a week. */
export function ago(time, now = Date.now()) {
  const passed = now - new Date(time);
  if (passed >= -MINUTE && passed < MINUTE) return "just now";
  const unit = passed > 0 && UNITS.find(([, , end]) => passed < end);
  return unit ? `${Math.floor(passed / unit[1])} ${unit[0]} ago` : day(time);
}
