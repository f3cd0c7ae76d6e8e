import { type Parsed, readFlags, readInteger, toHelp, UsageError } from '../process/flags.ts';
import { GATEWAY_FLAGS, GATEWAY_HELP, readGatewayFlags } from '../process/gateway-flags.ts';
import type { RerunOptions } from '../reruns/run-rerun.ts';

const HELP = `Usage: model-gateway rerun --model ID --max-cost USD [flags]

Runs past calls again against other models at the running gateway, and prints how they compare.

  --model ID         the model to run them against; several for several
  --provider SLUG    the only provider that may serve them
  --max-cost USD     what all its calls may cost together; the rerun pauses before it
  --where TEXT       which calls, as in the filter of the list: 'model:x latency>=2s'
  --last SPAN        those of the last so many minutes, hours or days: 30m, 12h, 7d (7d)
  --limit N          at most so many, the newest (100)
  --judge NAME       json_equal, schema_valid, same_tool_calls, length, or model:ID; several for several
  --rubric TEXT      what the model of a judge is to compare by
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
  const { model: models = [], provider, 'max-cost': maxCost, judge: judges = [], estimate = false } = values;
  if (models.length === 0) throw new UsageError(`Missing --model.\n\n${HELP}`);
  if (maxCost === undefined && !estimate) throw new UsageError(`Missing --max-cost.\n\n${HELP}`);
  const { rubric = DEFAULT_RUBRIC } = values;
  return {
    type: 'rerun',
    options: {
      targets: models.map((model) => ({ model, ...(provider !== undefined && { provider }) })),
      maxCostUsd: maxCost === undefined ? undefined : readCost(maxCost),
      where: values.where,
      lastMs: readSpan(values.last ?? DEFAULT_SPAN),
      limit: readInteger('--limit', values.limit ?? '100', 1, 5000),
      judges: judges.map((judge) => readJudge(judge, rubric)),
      concurrency: readInteger('--concurrency', values.concurrency ?? '4', 1, 32),
      name: values.name,
      onlyEstimates: estimate,
      ...readGatewayFlags(values),
    },
  };
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
