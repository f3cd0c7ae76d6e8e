import fc from 'fast-check';

/** Values of JSON that are not what a field holds, some of which cannot be converted to a text or a number. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    'x',
    '429',
    '__proto__',
    'constructor',
    [],
    {},
    [null],
    [[]],
  ),
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>({ toString: 0 }, [{ toString: 0 }], { length: 2 }, [429]),
  },
  fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text)),
);

/** A value put somewhere into a list of JSON values. */
export interface Change {
  /** Which of the values, and which of the objects and lists in it; both go round where there are fewer. */
  readonly event: number;
  readonly place: number;
  /** Added to the object in that place, where it is one; otherwise what is there is replaced. */
  readonly field: string | undefined;
  readonly value: unknown;
}

/** One to three changes; those that add a field take one of these. */
export const changesWith = (fields: readonly string[]): fc.Arbitrary<readonly Change[]> =>
  fc.array(
    fc.record<Change>({
      event: fc.nat(50),
      place: fc.nat(500),
      field: fc.option(fc.constantFrom(...fields), { nil: undefined }),
      value: hostileValues,
    }),
    { minLength: 1, maxLength: 3 },
  );

/** Every object and list in a value, itself first. */
function containersOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(containersOf)];
}

/** Copies of the values, with the changes made. */
export function change(events: readonly object[], made: readonly Change[]): object[] {
  const changed = structuredClone(events) as object[];
  for (const { event, place, field, value } of made) {
    const containers = containersOf(changed[event % changed.length]);
    const container = containers[place % containers.length];
    if (container === undefined) continue;
    const names = Object.keys(container);
    const name = field ?? names[Math.floor(place / containers.length) % names.length];
    if (name !== undefined) container[name] = structuredClone(value);
  }
  return changed;
}
