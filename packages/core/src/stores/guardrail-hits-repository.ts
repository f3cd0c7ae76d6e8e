import type { Awaitable } from '../foundation/async/awaitable.ts';
import type { GuardrailHitsRow } from './guardrail-hits-row.ts';
import type { Repository } from './repository.ts';

/** What guardrails did. The narrower question is absent where one process is alone, and asks it of the whole list. */
export interface GuardrailHitsRepository extends Repository<GuardrailHitsRow> {
  /** Oldest first. */
  listDays?(query: GuardrailDaysQuery): Awaitable<readonly GuardrailHitsRow[]>;
}

/** Days as rows have them, both ends included. */
export interface GuardrailDaysQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Default: all. */
  readonly guardrailId?: string | undefined;
}
