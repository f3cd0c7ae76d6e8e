import { isRecord, type Unchecked } from '../foundation/parse.ts';

/** Members of `provider` that say to whom a request may be sent at all, each with its stricter value. */
const STRICT: readonly (readonly [name: string, strict: unknown])[] = [
  ['data_collection', 'deny'],
  ['zdr', true],
  ['enforce_distillable_text', true],
];

/**
 * The data policy that several `provider` members of requests state together, the stricter where they differ: it belongs to
 * what a request says, so it holds wherever that is sent. Empty where none states any. All formats have the same member.
 */
export function joinDataPolicies(...preferences: readonly unknown[]): Unchecked {
  const policies = preferences.filter(isRecord);
  const stated = STRICT.flatMap(([name, strict]): [string, unknown][] => {
    const values = policies.flatMap((policy): unknown[] => (policy[name] == null ? [] : [policy[name]]));
    if (values.length === 0) return [];
    return [[name, values.includes(strict) ? strict : values[0]]];
  });
  return Object.fromEntries(stated);
}
