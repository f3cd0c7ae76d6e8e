import { readFileSync } from 'node:fs';

import type { RecordedSession } from './recorded-session.ts';

/** The programs of which there is a session of 40 requests. */
export const RECORDED_PROGRAMS = ['claude', 'codex'] as const;

/** Reads a session that `test/agents/sessions.test.ts` has recorded. */
export const readSession = (program: (typeof RECORDED_PROGRAMS)[number]): RecordedSession =>
  JSON.parse(readFileSync(new URL(`${program}.json`, import.meta.url), 'utf8')) as RecordedSession;
