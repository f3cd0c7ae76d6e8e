import type {
  FixtureCaseDetail,
  FixtureCaseRow,
  FixtureCasesQuery,
  FixtureMissDetail,
  FixtureMissRow,
  FixtureState,
  SavedFixture,
} from './schemas/fixture-library.ts';
import type { Generation, GenerationContent } from './schemas/generation.ts';
import type { Awaitable } from './stores/store.ts';

/** A generation as it is stored: what a case is made of. */
export interface StoredGeneration {
  readonly generation: Generation;
  readonly content: GenerationContent;
}

/**
 * What the host's fixtures are and take, for management. The core knows nothing of them; rows are shaped as they go
 * over the wire.
 */
export interface FixtureLibrary {
  describe(): FixtureState;
  /** Cases by path, with how many the query leaves in all. */
  listCases(query: FixtureCasesQuery): { readonly rows: readonly FixtureCaseRow[]; readonly total: number };
  findCase(path: string): FixtureCaseDetail | undefined;
  /** The latest requests that no case answered, newest first; a bounded number. */
  listMisses(): readonly FixtureMissRow[];
  findMiss(id: string): FixtureMissDetail | undefined;
  /**
   * Makes a case that answers a miss as its nearest case would. Throws `not_found` for a miss that is not known any
   * more, `conflict` where it cannot be done.
   */
  acceptMiss(id: string): Awaitable<SavedFixture>;
  /** Makes a case of a chat completion. It holds no secret of the configuration. */
  save(stored: StoredGeneration): Awaitable<SavedFixture>;
}
