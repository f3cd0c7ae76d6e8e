/** A change of one limit among all that are stored: one that is added has none before, and one that goes none after. */
export interface LimitChange<Limit> {
  readonly before: Limit | undefined;
  readonly after: Limit | undefined;
  /** Where it stands, or is to stand. */
  readonly at: number;
}

export const toReversal = <Limit>({ before, after, at }: LimitChange<Limit>): LimitChange<Limit> => ({
  before: after,
  after: before,
  at,
});

/** Makes a change in limits that may be others than those that it began with: what concerns none of them stays. */
export function exchangeLimit<Limit>(
  stored: readonly Limit[],
  { before, after, at }: LimitChange<Limit>,
  isSame: (one: Limit, other: Limit) => boolean,
): readonly Limit[] {
  const place = before === undefined ? -1 : stored.findIndex((one) => isSame(one, before));
  const added = after === undefined ? [] : [after];
  return place < 0 ? stored.toSpliced(at, 0, ...added) : stored.toSpliced(place, 1, ...added);
}
