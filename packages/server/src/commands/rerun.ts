import { type Parsed, readFlags, readInteger, toHelp, UsageError } from '../process/flags.ts';
import { GATEWAY_FLAGS, GATEWAY_HELP, readGatewayFlags } from '../process/gateway-flags.ts';
import type { RerunOptions } from '../reruns/run-rerun.ts';

const HELP = `Usage: model-gateway rerun --model ID --max-cost USD [flags]

Runs past calls again against other models at the running gateway, and prints how they compare.

  --model ID         the model to run them against; repeat for more than one. ID@PROVIDER lets only that provider serve it,
                     @preset/SLUG or ID@preset/SLUG puts a preset over the requests
  --provider SLUG    the only provider that may serve any of them; an @ then belongs to the name of a model
  --system TEXT      replaces the system prompt of each request
  --append-system TEXT  is added at the end of it
  --parameters JSON  put over the members of each request: '{"temperature":0}'
  --max-cost USD     what all its calls may cost together; the rerun pauses before it
  --where TEXT       which calls, as in the filter of the list: 'model:x latency>=2s'
  --last SPAN        calls of the last N minutes, hours or days: 30m, 12h, 7d (7d)
  --limit N          at most so many, the newest (100)
  --id ID            these calls instead; repeat for more than one
  --requests FILE    or the requests of this file, one a line of JSON
  --fixtures FOLDER  or the requests of the cases in this folder of fixtures
  --judge NAME       json_equal, schema_valid, same_tool_calls, length, or model:ID; repeat for more than one
  --rubric TEXT      what the model of a judge is to compare by
  --run-as-key HASH  the API key that pays, and whose budgets, guardrails and rate limits hold
  --concurrency N    calls at once, 1 to 32 (4)
  --name NAME        shown in lists
  --estimate         show what it would cost, and run nothing
${GATEWAY_HELP}
The rerun goes on at the gateway when this command is stopped.
`;

const FLAGS = {
  ...GATEWAY_FLAGS,
  model: { type: 'string', multiple: true },
  provider: { type: 'string' },
  'max-cost': { type: 'string' },
  where: { type: 'string' },
  last: { type: 'string' },
  limit: { type: 'string' },
  id: { type: 'string', multiple: true },
  requests: { type: 'string' },
  fixtures: { type: 'string' },
  system: { type: 'string' },
  'append-system': { type: 'string' },
  parameters: { type: 'string' },
  'run-as-key': { type: 'string' },
  judge: { type: 'string', multiple: true },
  rubric: { type: 'string' },
  concurrency: { type: 'string' },
  name: { type: 'string' },
  estimate: { type: 'boolean' },
} as const;

const DEFAULT_SPAN = '7d';
const DEFAULT_RUBRIC = 'Which response answers the request better: is correct, complete, and does what was asked?';

/** Reads the arguments after `rerun`. Throws `UsageError`. */
export function parseRerun(args: readonly string[]): Parsed<'rerun', RerunOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { model: models = [], 'max-cost': maxCost, judge: judges = [], estimate = false } = values;
  if (models.length === 0) throw new UsageError(`Missing --model.\n\n${HELP}`);
  if (maxCost === undefined && !estimate) throw new UsageError(`Missing --max-cost.\n\n${HELP}`);
  const { rubric = DEFAULT_RUBRIC } = values;
  return {
    type: 'rerun',
    options: {
      targets: readTargets(models, values),
      maxCostUsd: maxCost === undefined ? undefined : readCost(maxCost),
      set: readSet(values),
      judges: judges.map((judge) => readJudge(judge, rubric)),
      concurrency: readInteger('--concurrency', values.concurrency ?? '4', 1, 32),
      name: values.name,
      runAsKey: values['run-as-key'],
      onlyEstimates: estimate,
      ...readGatewayFlags(values),
    },
  };
}

type Values = Readonly<Partial<Record<Exclude<keyof typeof FLAGS, 'model' | 'judge' | 'id' | 'estimate'>, string>>>;

function readTargets(models: readonly string[], values: Values): RerunOptions['targets'] {
  const { provider, system, 'append-system': appended } = values;
  if (system !== undefined && appended !== undefined) {
    throw new UsageError('--system and --append-system exclude each other.');
  }
  const change = {
    ...(system !== undefined && { system: { replace: system } }),
    ...(appended !== undefined && { system: { append: appended } }),
    ...(values.parameters !== undefined && { parameters: readParameters(values.parameters) }),
  };
  return models.map((text) => {
    const [, other = '', preset] = /^(.*)@preset\/([^/]+)$/.exec(text) ?? [];
    const fromOne = provider === undefined ? {} : { provider };
    if (preset !== undefined) return { ...(other !== '' && { model: other }), preset, ...fromOne, ...change };
    if (provider !== undefined) return { model: text, ...fromOne, ...change };
    // Ids of models may have an @ of their own, before a slash.
    const [, model = text, own] = /^(.+)@([a-z0-9][\w.-]*)$/i.exec(text) ?? [];
    return { model, ...(own !== undefined && { provider: own }), ...change };
  });
}

function readParameters(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`--parameters must be an object of JSON, e.g. '{"temperature":0}', not "${text}".`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function readSet(values: Values & { readonly id?: readonly string[] | undefined }): RerunOptions['set'] {
  const { where, last, limit, id: ids, requests: file, fixtures: fixturesDir } = values;
  const isFiltered = where !== undefined || last !== undefined || limit !== undefined;
  if ([isFiltered, ids !== undefined, file !== undefined, fixturesDir !== undefined].filter(Boolean).length > 1) {
    throw new UsageError(
      '--id, --requests, --fixtures and --where with --last and --limit exclude each other: take one set.',
    );
  }
  if (ids !== undefined) return { ids };
  if (file !== undefined) return { file };
  if (fixturesDir !== undefined) return { fixturesDir };
  return { where, lastMs: readSpan(last ?? DEFAULT_SPAN), limit: readInteger('--limit', limit ?? '100', 1, 5000) };
}

function readCost(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new UsageError(`--max-cost must be an amount in USD above 0, e.g. 2 or 0.50, not "${text}".`);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds. */
function readSpan(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  if (unitMs === undefined) throw new UsageError(`--last must be a time such as 30m, 12h or 7d, not "${text}".`);
  return Number(count) * unitMs;
}

const PLAIN_JUDGES = ['json_equal', 'schema_valid', 'same_tool_calls', 'length'];

function readJudge(text: string, rubric: string): RerunOptions['judges'][number] {
  if (text.startsWith('model:') && text.length > 'model:'.length) {
    return { type: 'model', model: text.slice('model:'.length), rubric };
  }
  if (PLAIN_JUDGES.includes(text)) return { type: text };
  throw new UsageError(`--judge must be ${PLAIN_JUDGES.join(', ')} or model:ID, not "${text}".`);
}
