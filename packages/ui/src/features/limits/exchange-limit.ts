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

/** Where the limit of a change stands among these, or is to stand. */
function findPlace<Limit>(
  stored: readonly Limit[],
  { before, at }: LimitChange<Limit>,
  isSame: (one: Limit, other: Limit) => boolean,
): number {
  const place = before === undefined ? -1 : stored.findIndex((one) => isSame(one, before));
  return place < 0 ? Math.min(at, stored.length) : place;
}

interface LimitList<Limit> {
  readonly load: () => Promise<readonly Limit[]>;
  readonly put: (limits: readonly Limit[]) => Promise<void>;
  readonly isSame: (one: Limit, other: Limit) => boolean;
}

/** The last change of a list. It never rejects. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Makes a change in the list that is stored when its turn has come: of two that load it at once, the second would bring
 * back what the first took away. Resolves with the change at the place where it was made. Throws what the list throws.
 */
export function changeStored<Limit>(
  { load, put, isSame }: LimitList<Limit>,
  change: LimitChange<Limit>,
): Promise<LimitChange<Limit>> {
  const done = last.then(async () => {
    const stored = await load();
    await put(exchangeLimit(stored, change, isSame));
    return { ...change, at: findPlace(stored, change, isSame) };
  });
  last = done.catch(() => undefined);
  return done;
}

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
