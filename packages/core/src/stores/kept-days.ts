import type { StoredSettings } from '../wire/settings.ts';

/** How long a store keeps what it records, in whole days. With `Infinity` nothing is dropped for its age. */
export interface KeptDays {
  readonly days: number;
  /** How long what was said is kept; at most as long as the records. */
  readonly contentDays: number;
}

/**
 * How long is kept by the stored settings, which come before the days that the host has given. A host that drops nothing
 * is obeyed: commands open stores like this, to leave all as it is.
 */
export function toKeptDays({ retention }: Pick<StoredSettings, 'retention'>, configuredDays: number): KeptDays {
  if (!Number.isFinite(configuredDays)) return { days: configuredDays, contentDays: configuredDays };
  const days = retention?.days ?? configuredDays;
  return { days, contentDays: Math.min(retention?.content_days ?? days, days) };
}

/** The same of the audit log. */
export function toAuditDays({ retention }: Pick<StoredSettings, 'retention'>, configuredDays: number): number {
  return Number.isFinite(configuredDays) ? (retention?.audit_days ?? configuredDays) : configuredDays;
}

/** What limits would delete now. */
export interface RetentionLosses {
  readonly generations: number;
  /** Contents, also those that go with their generations. */
  readonly contents: number;
  readonly contentBytes: number;
}

/** How a store is told to keep less, or more. */
export interface RetentionChanges {
  /** The days that the host has given. */
  readonly configuredDays: number;
  /** Counts what these limits would delete now, with what is over already. */
  preview(kept: KeptDays): Promise<RetentionLosses>;
  /** Deletes at once what the stored settings no longer keep. */
  apply(): Promise<void>;
}
