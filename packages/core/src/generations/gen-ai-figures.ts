import { kindOfRecord } from '../calls/call-kind.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Generation } from '../wire/generation.ts';
import { statusOfGeneration } from '../wire/statuses.ts';

/** A figure with its attributes, as OpenTelemetry has it. */
export interface ReportedPoint {
  readonly attributes: Readonly<Record<string, string>>;
  /** A number, or how often something was within which bounds: a count for each bound and one for what is beyond. */
  readonly value:
    | number
    | { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number };
}

/** Figures of one name since the beginning of what is reported. */
export interface ReportedMetric {
  readonly name: string;
  readonly description: string;
  /** As UCUM writes it: `s`, `{token}`. Empty for plain numbers. */
  readonly unit: string;
  readonly kind: 'sum' | 'gauge' | 'histogram';
  readonly points: readonly ReportedPoint[];
}

/** The metrics of OpenTelemetry's conventions for calls to models, counted from when somebody wants them. */
export interface GenAiFigures {
  note(record: GenerationRecord): void;
  /** Begins to count, unless it has begun. */
  begin(): void;
  read(): readonly ReportedMetric[];
}

/** Bounds that the conventions advise (semantic conventions for generative AI, 1.45). */
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const FIRST_TOKEN = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const METRICS = {
  'gen_ai.client.token.usage': { description: 'Tokens used by calls to models', unit: '{token}', bounds: TOKENS },
  'gen_ai.client.operation.duration': { description: 'Time of calls to models', unit: 's', bounds: SECONDS },
  'gen_ai.server.time_to_first_token': {
    description: 'Time to the first token of streamed calls',
    unit: 's',
    bounds: FIRST_TOKEN,
  },
} as const;
type MetricName = keyof typeof METRICS;

/** Series of one metric that are told apart; what comes after them has no model any more. */
const MAX_SERIES = 1000;
const OTHER_MODELS = 'other';

interface Series {
  readonly attributes: Readonly<Record<string, string>>;
  readonly counts: number[];
  sum: number;
}

export function createGenAiFigures(): GenAiFigures {
  let isCounting = false;
  const series: Readonly<Record<MetricName, Map<string, Series>>> = {
    'gen_ai.client.token.usage': new Map(),
    'gen_ai.client.operation.duration': new Map(),
    'gen_ai.server.time_to_first_token': new Map(),
  };
  const add = (name: MetricName, attributes: Series['attributes'], value: number): void => {
    const known = series[name];
    const all = known.size < MAX_SERIES || known.has(keyOf(attributes)) ? attributes : withoutModel(attributes);
    const key = keyOf(all);
    const { bounds } = METRICS[name];
    let found = known.get(key);
    if (found === undefined) {
      known.set(key, (found = { attributes: all, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }));
    }
    const place = bounds.findIndex((bound) => value <= bound);
    const at = place === -1 ? bounds.length : place;
    found.counts[at] = (found.counts[at] ?? 0) + 1;
    found.sum += value;
  };
  return {
    begin() {
      isCounting = true;
    },
    note({ generation }) {
      if (!isCounting) return;
      const attributes = toAttributes(generation);
      const error = toErrorType(generation);
      if (generation.generation_time !== null) {
        const all = error === undefined ? attributes : { ...attributes, 'error.type': error };
        add('gen_ai.client.operation.duration', all, generation.generation_time / 1000);
      }
      if (generation.streamed === true && generation.latency !== null) {
        add('gen_ai.server.time_to_first_token', attributes, generation.latency / 1000);
      }
      // A repeated completion has used nothing.
      if (generation.response_cache_source_id !== null) return;
      for (const [type, tokens] of [
        ['input', generation.tokens_prompt],
        ['output', generation.tokens_completion],
      ] as const) {
        if (tokens !== null) add('gen_ai.client.token.usage', { ...attributes, 'gen_ai.token.type': type }, tokens);
      }
    },
    read: () =>
      Object.entries(METRICS).map(([name, { description, unit, bounds }]) => ({
        name,
        description,
        unit,
        kind: 'histogram',
        points: [...series[name as MetricName].values()].map(({ attributes, counts, sum }) => ({
          attributes,
          value: { bounds, counts: [...counts], sum },
        })),
      })),
  };
}

const keyOf = (attributes: Series['attributes']): string => JSON.stringify(attributes);

const withoutModel = (attributes: Series['attributes']): Series['attributes'] => ({
  ...attributes,
  'gen_ai.request.model': OTHER_MODELS,
});

function toAttributes(generation: Generation): Series['attributes'] {
  const kind = kindOfRecord(generation);
  const provider = generation.provider_name?.toLowerCase();
  return {
    'gen_ai.operation.name': kind === 'video' ? 'generate_content' : kind,
    ...(provider !== undefined && { 'gen_ai.provider.name': provider }),
    'gen_ai.request.model': generation.model,
  };
}

/** One of the gateway's own names of errors: there are few. */
function toErrorType(generation: Generation): string | undefined {
  const status = statusOfGeneration(generation);
  if (status === 'ok') return undefined;
  if (status !== 'failed') return status;
  const failed = generation.provider_responses?.findLast(({ error }) => error !== undefined);
  return failed?.error?.error_type ?? 'error';
}
