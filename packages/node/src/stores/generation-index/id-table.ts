const FIRST_SLOTS = 32;

export interface IdTable {
  /** Adds the id of a row. It must not be there yet. */
  add(id: string, row: number): void;
  /** The row of an id; -1 for an unknown id. */
  find(id: string): number;
}

/**
 * Creates a table of hashes and row numbers; `hasId` says whether a row has an id. A map would keep every id as an
 * object, which the garbage collector moves and marks and which slows look-ups of new ids (docs/decisions/0022).
 */
export function createIdTable(hasId: (row: number, id: string) => boolean): IdTable {
  /** Pairs of a hash and a row number plus one; zeros in an empty slot. */
  let slots = new Int32Array(2 * FIRST_SLOTS);
  let used = 0;

  const put = (hash: number, rowFromOne: number): void => {
    const mask = slots.length / 2 - 1;
    let slot = hash & mask;
    while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = rowFromOne;
  };
  const grow = (): void => {
    const old = slots;
    slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 2) if (old[at + 1] !== 0) put(old[at] as number, old[at + 1] as number);
  };

  return {
    add(id, row) {
      used += 1;
      // Above half full, collisions make look-ups slow.
      if (used * 4 > slots.length) grow();
      put(hashOf(id), row + 1);
    },
    find(id) {
      const hash = hashOf(id);
      const mask = slots.length / 2 - 1;
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const rowFromOne = slots[2 * slot + 1] as number;
        if (rowFromOne === 0) return -1;
        if (slots[2 * slot] === hash && hasId(rowFromOne - 1, id)) return rowFromOne - 1;
      }
    },
  };
}

/** FNV-1a over code units. Ids are random, and no caller chooses them. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash;
}
