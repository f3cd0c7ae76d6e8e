import { toUsd } from '../../catalog/nano-usd.ts';
import { parseSessionCursor, toGenerationFilter, toSessionCursor } from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import type { SessionSum } from '../../stores/store.ts';
import { type SessionRow, sessionListQuerySchema, sessionListSchema } from '../../wire/generation-list.ts';
import type { GenerationParts } from './generation-parts.ts';
import { toSearchedFrom } from './searched-from.ts';

/** `GET /admin/v1/generations/sessions`: calls that a client has marked as belonging together, the latest first. */
export const listGenerationSessions = operation<GenerationParts>()({
  query: sessionListQuerySchema,
  response: sessionListSchema,
  async run({ parts, query: { limit, cursor, ...filters } }) {
    const isNarrowed = Object.values(filters).some((value) => value !== undefined);
    const { sessions, next, searchedFromMs } = await parts.store.generations.sessions({
      limit,
      after: parseSessionCursor(cursor),
      ...(isNarrowed && { filter: toGenerationFilter(filters, parts) }),
    });
    return {
      data: await Promise.all(sessions.map((sum) => toRow(sum, parts))),
      next_cursor: toSessionCursor(next),
      key_names: await parts.findKeyNames(new Set(sessions.flatMap(({ principalIds }) => principalIds))),
      ...toSearchedFrom(searchedFromMs),
    };
  },
});

async function toRow(sum: SessionSum, { store }: Pick<GenerationParts, 'store'>): Promise<SessionRow> {
  const { requests, matching, failed, cancelled, interrupted } = sum;
  return {
    session_id: sum.sessionId,
    first_generation_id: sum.firstId,
    first_prompt: (await store.generations.getPreview(sum.firstId)) ?? null,
    started_at: toIso(sum.firstAtMs),
    last_call_at: toIso(sum.lastAtMs),
    ended_at: toIso(sum.endMs),
    requests,
    matching,
    failed,
    cancelled,
    interrupted,
    cost: toUsd(sum.costNanoUsd),
    cost_known: sum.isCostKnown,
    models: [...sum.models],
    key_hashes: [...sum.principalIds],
  };
}

const toIso = (ms: number): string => new Date(ms).toISOString();
