import { readTexts } from '../../app/read-texts.ts';

export interface VideoSearch {
  readonly status?: string;
  readonly model?: string;
  /** The id of the job beside the list. */
  readonly open?: string;
  /** `webhooks` shows what became of announcements. */
  readonly view?: string;
}

export const toVideoSearch = (search: Record<string, unknown>): VideoSearch =>
  readTexts(search, ['status', 'model', 'open', 'view']);
