import type { FindKeyNames } from '../../auth/keys.ts';
import { listHitDays, sumHits } from '../../guardrails/hits.ts';
import { operation } from '../../http/operation.ts';
import type { GuardrailHitsRow } from '../../stores/rows.ts';
import { refuseField } from '../../wire/fields.ts';
import { type GuardrailHitList, guardrailHitListSchema, guardrailHitsQuerySchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const HOURS_UP_TO_MS = 3 * DAY_MS;
const MAX_BUCKETS = 800;
const MAX_REFUSALS = 50;

/** `GET /admin/v1/guardrails/hits`: how often guardrails acted, in hours or days of UTC. */
export const listGuardrailHits = operation<GuardrailParts>()({
  query: guardrailHitsQuerySchema,
  response: guardrailHitListSchema,
  async run({ parts, query: { guardrail, by, from, to = parts.platform.now() } }): Promise<GuardrailHitList> {
    const begin = from ?? to - DAY_MS;
    if (begin >= to) throw refuseField('from', 'must be before to');
    const bucketMs = (by ?? (to - begin <= HOURS_UP_TO_MS ? 'hour' : 'day')) === 'hour' ? HOUR_MS : DAY_MS;
    const startMs = Math.floor(begin / bucketMs) * bucketMs;
    const buckets = Math.ceil((to - startMs) / bucketMs);
    if (buckets > MAX_BUCKETS) throw refuseField('from', `must leave at most ${MAX_BUCKETS} hours or days until to`);
    await parts.guardrailHits.save();
    const endMs = startMs + buckets * bucketMs;
    const chosen = await listHitDays(parts.store.guardrailHits, {
      from: toDay(startMs),
      to: toDay(endMs - 1),
      guardrailId: guardrail,
    });
    return {
      data: sumHits(chosen, { startMs, bucketMs, buckets, guardrailId: guardrail }),
      from: new Date(startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      bucket_ms: bucketMs,
      ...(guardrail !== undefined && { refusals: await listRefusals(chosen, { startMs, endMs }, parts.findKeyNames) }),
    };
  },
});

const toDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

async function listRefusals(
  rows: readonly GuardrailHitsRow[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  findKeyNames: FindKeyNames,
): Promise<NonNullable<GuardrailHitList['refusals']>> {
  const refusals = rows
    .flatMap((row) => row.refusals)
    .filter(({ at }) => at >= startMs && at < endMs)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_REFUSALS);
  const ids = refusals.flatMap(({ principalId }) => (principalId === null ? [] : [principalId]));
  const names = await findKeyNames(new Set(ids));
  return refusals.map(({ at, effect, rule, principalId, model }) => ({
    at: new Date(at).toISOString(),
    effect,
    rule,
    key_hash: principalId,
    key_name: names[principalId ?? ''] ?? null,
    model,
  }));
}
