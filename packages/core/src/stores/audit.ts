import type { AuditEntry, AuditRecord } from '../wire/audit.ts';

export type { AuditEntry, AuditRecord } from '../wire/audit.ts';

/** Which records are looked for; what is absent does not matter. */
export interface AuditFilter {
  /** An action, or the first part of one. */
  readonly action?: string | undefined;
  /** The id of an actor, or of the key behind a session, or a part of a name, as `target`. */
  readonly actor?: string | undefined;
  readonly target?: string | undefined;
  readonly workspace?: string | undefined;
  readonly outcome?: AuditRecord['outcome'] | undefined;
  /** Any text of the record. */
  readonly text?: string | undefined;
  /** Milliseconds since the epoch, both ends included. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface AuditQuery {
  readonly filter: AuditFilter;
  readonly limit: number;
  /** Only records before this place in the chain. */
  readonly before?: number | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** The `before` of the next page; null where there is none. */
  readonly next: number | null;
}

/** A record as it is stored, unchecked. */
export interface StoredAuditRecord {
  /** JSON; whatever is there instead, if it was damaged. */
  readonly text: string;
  /** Where it is, for people: a file with a line, or a table with a row. */
  readonly place: string;
  /** Whether it was damaged on its way to the disk or there, as a checksum shows. */
  readonly isDamaged: boolean;
}

/**
 * The log of changes: it only grows, and each record has the hash of the one before. Several processes at a store append
 * to one chain.
 */
export interface AuditRepository {
  /** Puts the entries at the end of the chain, all of them or none. They survive a crash of the machine once it resolves. */
  append(entries: readonly AuditEntry[]): Promise<readonly AuditRecord[]>;
  /**
   * Takes over records of another store's chain as they are, in order: the next ones after its own end, or any where it
   * has none. Rejects others, and then takes none. Where it is absent, the log of this store cannot be moved here.
   */
  adopt?(records: readonly AuditRecord[]): Promise<void>;
  page(query: AuditQuery): Promise<AuditPage>;
  /** All that is stored, oldest first. */
  read(): AsyncIterable<StoredAuditRecord>;
  /**
   * Drops what is older, as far as the store can drop it, never the newest record. A record of that is appended first, with
   * which what is left can be checked. Resolves with the number of dropped records.
   */
  dropBefore(timeMs: number): Promise<number>;
  /** How long it is kept. Absent where nothing is dropped for its age. */
  readonly retention?: {
    /** The days that the host has given. */
    readonly configuredDays: number;
    /** Drops at once what the stored settings no longer keep. */
    apply(): Promise<void>;
  };
}
