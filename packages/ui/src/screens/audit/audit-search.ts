import { readTexts } from '../../app/read-texts.ts';

/** The filters of the audit log, as its address has them. */
export interface AuditSearch {
  /** Any text of a record. */
  readonly q?: string;
  /** The kind of what was changed: the part of an action before its dot. */
  readonly kind?: string;
  readonly outcome?: string;
  /** Days back from now. */
  readonly days?: string;
  /** The id of the record beside the list. */
  readonly open?: string;
}

export const toAuditSearch = (search: Record<string, unknown>): AuditSearch =>
  readTexts(search, ['q', 'kind', 'outcome', 'days', 'open']);
