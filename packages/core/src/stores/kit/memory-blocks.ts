import { type PutBlock, referencesIn } from './content-form.ts';

/**
 * Blocks of contents in memory (docs/decisions/0061). A process that stops has lost their contents as well, so that they
 * are counted: one is let go with the last content, or block, that refers to it.
 */
export interface MemoryBlocks {
  /** Takes a block in, unless it is there. It stays once `hold` has been called for what refers to it. */
  readonly put: PutBlock;
  /** Counts the references of a packed content that is kept. */
  hold(json: string): void;
  /** Takes back what `hold` has counted. */
  letGo(json: string): void;
  /** Throws for a reference that is in no content that is held. */
  read(reference: string): string;
  /** How many there are. */
  readonly size: number;
}

interface Block {
  readonly reference: string;
  readonly json: string;
  holders: number;
}

export function createMemoryBlocks(): MemoryBlocks {
  const byText = new Map<string, Block>();
  const byReference = new Map<string, Block>();
  let last = 0;

  const find = (reference: string): Block => {
    const block = byReference.get(reference);
    if (block === undefined) throw new Error(`There is no block ${reference}`);
    return block;
  };
  const letGo = (json: string): void => {
    for (const reference of referencesIn(json)) {
      const block = find(reference);
      block.holders -= 1;
      if (block.holders > 0) continue;
      byText.delete(block.json);
      byReference.delete(reference);
      letGo(block.json);
    }
  };
  return {
    put(json) {
      const known = byText.get(json);
      if (known !== undefined) return known.reference;
      last += 1;
      const block = { reference: last.toString(36), json, holders: 0 };
      byText.set(json, block);
      byReference.set(block.reference, block);
      // What it refers to was put before it.
      for (const reference of referencesIn(json)) find(reference).holders += 1;
      return block.reference;
    },
    hold(json) {
      for (const reference of referencesIn(json)) find(reference).holders += 1;
    },
    letGo,
    read: (reference) => find(reference).json,
    get size() {
      return byReference.size;
    },
  };
}
