import { createRandomId } from '../foundation/platform.ts';

/** The content of a stored file. */
export interface StoredFileContent {
  readonly bytes: number;
  /** Yields the bytes. Leaving early closes it. */
  read(): AsyncIterable<Uint8Array>;
}

/** What a content is called in the storage. */
export interface SavedFileContent {
  readonly name: string;
  readonly bytes: number;
}

/**
 * Stores the contents of files under names of its own. It knows nothing of the files that refer to them: what none
 * refers to any more is swept.
 */
export interface FileStorage {
  /**
   * Stores a content while it comes in, and resolves when it would survive a crash of this process. Equal contents may
   * get the same name. Rejects, with nothing stored, with what the pieces reject with, or when the storage fails.
   */
  save(pieces: AsyncIterable<Uint8Array>): Promise<SavedFileContent>;
  /** Undefined when there is none of this name. */
  find(name: string): Promise<StoredFileContent | undefined>;
  /**
   * Removes the contents that are in no use and were last saved before this time, in milliseconds since the epoch. One
   * that is saved again meanwhile stays. `findUsed` gives the names in use; it is asked after the old contents are known.
   */
  sweep(findUsed: () => Promise<ReadonlySet<string>>, savedBeforeMs: number): Promise<void>;
}

interface MemoryFileStorageOptions {
  readonly randomBytes: (length: number) => Uint8Array;
  readonly now: () => number;
}

/** Creates a storage in the memory of the process: for tests, demos and hosts where nothing is to be kept. */
export function createMemoryFileStorage({ randomBytes, now }: MemoryFileStorageOptions): FileStorage {
  const stored = new Map<string, { readonly pieces: readonly Uint8Array[]; readonly bytes: number; savedAt: number }>();
  return {
    async save(pieces) {
      const kept: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of pieces) {
        // The host may use the memory of a piece again.
        kept.push(piece.slice());
        bytes += piece.byteLength;
      }
      const name = createRandomId({ randomBytes });
      stored.set(name, { pieces: kept, bytes, savedAt: now() });
      return { name, bytes };
    },
    async find(name) {
      const found = stored.get(name);
      if (found === undefined) return undefined;
      return {
        bytes: found.bytes,
        async *read() {
          yield* found.pieces;
        },
      };
    },
    async sweep(findUsed, savedBeforeMs) {
      const old = [...stored].filter(([, { savedAt }]) => savedAt < savedBeforeMs);
      if (old.length === 0) return;
      const used = await findUsed();
      for (const [name] of old) if (!used.has(name)) stored.delete(name);
    },
  };
}
