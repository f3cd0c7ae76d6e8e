type Members = Readonly<Record<string, unknown>>;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const isGroup = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that have other values than before, which are all that a request sends: others may have set the rest. */
export function toChanged<Values extends object>(after: Values, before: Values): Partial<Values> {
  const old = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(value, old.get(name))),
  ) as Partial<Values>;
}

/** The fields of a change as they were: what takes it back, and nothing that others changed beside it. */
export function toReversal<Values extends object>(change: Partial<Values>, before: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(before).filter(([name]) => name in change)) as Partial<Values>;
}

/** What is saved, but for what was typed since `from`: that stays as it is `now`. Groups are looked at field by field. */
export function withTyped<Values>(saved: Values, from: Values, now: Values): Values {
  return mergeTyped(saved, from, now) as Values;
}

function mergeTyped(saved: unknown, from: unknown, now: unknown): unknown {
  if (isSame(from, now)) return saved;
  if (!isGroup(saved) || !isGroup(from) || !isGroup(now)) return now;
  const names = new Set([...Object.keys(saved), ...Object.keys(now)]);
  const merged = [...names].map((name) => [name, mergeTyped(saved[name], from[name], now[name])] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}
