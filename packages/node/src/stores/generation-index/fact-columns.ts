import type { AttemptFacts, GenerationFacts } from '@model-gateway/core';

import type { FoundFacts } from './generation-entry.ts';

/** The cells of a row. All are numbers; texts are places in a list that holds each once, and NaN is null. */
const STATE = 0;
const CREATED_AT = 1;
const MODEL = 2;
const PROVIDER = 3;
const SESSION = 4;
const STATUS = 5;
const APP = 6;
const IS_PRICED = 7;
const TOKENS_IN = 8;
const TOKENS_OUT = 9;
const FIRST_TOKEN = 10;
const DURATION = 11;
const SPEED = 12;
const ENDPOINT = 13;
const ATTEMPT_LATENCY = 14;
const ATTEMPTS = 15;
const LATENCY = 16;
const IS_STREAMED = 17;
const FINISH = 18;
const AGENT = 19;
const USER = 20;
const CELLS = 21;

/** The values of `STATE`. A new row is empty. */
const EMPTY = 0;
/** With one attempt, whose provider and model are those of the generation, and which got its response. */
const USUAL = 1;
/** With none, or others. */
const LISTED = 2;

const STATUSES: readonly GenerationFacts['status'][] = ['ok', 'failed', 'cancelled', 'interrupted'];
const GROWTH = 1.5;

/** The values of a row that stand beside its facts already. */
export type KnownFacts = Pick<GenerationFacts, 'principalId' | 'userId' | 'costNanoUsd'>;

/** The facts of a segment's generations. */
export interface FactColumns {
  /** Undefined when they were not written, or were forgotten. */
  read(row: number, known: KnownFacts): GenerationFacts | undefined;
  /** Likewise. */
  readAttempts(row: number): readonly AttemptFacts[] | undefined;
  has(row: number): boolean;
  /** `rows` is how many the segment has. */
  write(row: number, found: FoundFacts, rows: number): void;
  forget(row: number): void;
}

/**
 * Creates empty columns, of 168 bytes a row outside of the heap: charts read the facts of all generations, and as objects
 * these would take three times that.
 */
export function createFactColumns(): FactColumns {
  let cells = new Float64Array(0);
  const texts = createTextList();
  /** Of the rows that fell back, or failed. */
  const listed = new Map<number, readonly AttemptFacts[]>();
  const errors = new Map<number, readonly string[]>();

  const has = (row: number): boolean => (cells[row * CELLS + STATE] ?? EMPTY) !== EMPTY;

  return {
    has,
    read(row, known) {
      if (!has(row)) return undefined;
      const at = row * CELLS;
      const cell = (column: number): number => cells[at + column] as number;
      const numberAt = (column: number): number | null => toNullable(cell(column));
      const model = texts.read(cell(MODEL)) ?? '';
      const providerName = texts.read(cell(PROVIDER));
      return {
        createdAtMs: cell(CREATED_AT),
        model,
        providerName,
        sessionId: texts.read(cell(SESSION)),
        status: STATUSES[cell(STATUS)] ?? 'ok',
        principalId: known.principalId,
        userId: known.userId,
        app: texts.read(cell(APP)),
        costNanoUsd: known.costNanoUsd,
        isCostKnown: cell(IS_PRICED) === 1,
        promptTokens: numberAt(TOKENS_IN),
        completionTokens: numberAt(TOKENS_OUT),
        firstTokenMs: numberAt(FIRST_TOKEN),
        durationMs: numberAt(DURATION),
        tokensPerSecond: numberAt(SPEED),
        attempts: cell(ATTEMPTS),
        latencyMs: numberAt(LATENCY),
        isStreamed: cell(IS_STREAMED) === 1,
        finishReason: texts.read(cell(FINISH)),
        userAgent: texts.read(cell(AGENT)),
        externalUser: texts.read(cell(USER)),
        errors: cell(STATE) === USUAL ? NO_ERRORS : (errors.get(row) ?? NO_ERRORS),
      };
    },
    readAttempts(row) {
      if (!has(row)) return undefined;
      const at = row * CELLS;
      if (cells[at + STATE] !== USUAL) return listed.get(row) ?? NONE;
      return [
        {
          providerName: texts.read(cells[at + PROVIDER] as number),
          endpointId: texts.read(cells[at + ENDPOINT] as number),
          model: texts.read(cells[at + MODEL] as number) ?? '',
          status: 200,
          latencyMs: toNullable(cells[at + ATTEMPT_LATENCY] as number),
          errorCode: null,
          errorType: null,
        },
      ];
    },
    write(row, { facts, attempts }, rows) {
      if ((row + 1) * CELLS > cells.length) {
        // Of a segment that is written to no more there is room for all rows, and none left over.
        const room = cells.length === 0 ? rows : Math.max(rows, Math.ceil(row * GROWTH));
        const larger = new Float64Array(room * CELLS);
        larger.set(cells);
        cells = larger;
      }
      const at = row * CELLS;
      const [first] = attempts;
      const isUsual = attempts.length === 1 && first !== undefined && isUsualAttempt(first, facts);
      cells[at + STATE] = isUsual ? USUAL : LISTED;
      cells[at + ATTEMPTS] = facts.attempts;
      cells[at + CREATED_AT] = facts.createdAtMs;
      cells[at + MODEL] = texts.place(facts.model);
      cells[at + PROVIDER] = texts.place(facts.providerName);
      cells[at + SESSION] = texts.place(facts.sessionId);
      cells[at + STATUS] = STATUSES.indexOf(facts.status);
      cells[at + APP] = texts.place(facts.app);
      cells[at + IS_PRICED] = facts.isCostKnown ? 1 : 0;
      cells[at + TOKENS_IN] = facts.promptTokens ?? Number.NaN;
      cells[at + TOKENS_OUT] = facts.completionTokens ?? Number.NaN;
      cells[at + FIRST_TOKEN] = facts.firstTokenMs ?? Number.NaN;
      cells[at + DURATION] = facts.durationMs ?? Number.NaN;
      cells[at + SPEED] = facts.tokensPerSecond ?? Number.NaN;
      cells[at + ENDPOINT] = isUsual ? texts.place(first.endpointId) : 0;
      cells[at + ATTEMPT_LATENCY] = isUsual ? (first.latencyMs ?? Number.NaN) : Number.NaN;
      cells[at + LATENCY] = facts.latencyMs ?? Number.NaN;
      cells[at + IS_STREAMED] = facts.isStreamed ? 1 : 0;
      cells[at + FINISH] = texts.place(facts.finishReason);
      cells[at + AGENT] = texts.place(facts.userAgent);
      cells[at + USER] = texts.place(facts.externalUser);
      if (facts.errors.length === 0) errors.delete(row);
      else errors.set(row, facts.errors);
      if (first === undefined || isUsual) listed.delete(row);
      else listed.set(row, attempts);
    },
    forget(row) {
      if (has(row)) cells[row * CELLS + STATE] = EMPTY;
      listed.delete(row);
      errors.delete(row);
    },
  };
}

const NONE: readonly AttemptFacts[] = [];
const NO_ERRORS: readonly string[] = [];

const toNullable = (value: number): number | null => (Number.isNaN(value) ? null : value);

function isUsualAttempt(attempt: AttemptFacts, { model, providerName }: GenerationFacts): boolean {
  return (
    attempt.status === 200 &&
    attempt.errorCode === null &&
    attempt.errorType === null &&
    attempt.model === model &&
    attempt.providerName === providerName
  );
}

/** Texts by their place; null has the first. */
function createTextList() {
  const list: (string | null)[] = [null];
  const places = new Map<string, number>();
  return {
    read: (place: number): string | null => list[place] ?? null,
    place(text: string | null): number {
      if (text === null) return 0;
      const known = places.get(text);
      if (known !== undefined) return known;
      const place = list.push(text) - 1;
      places.set(text, place);
      return place;
    },
  };
}
