import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import type { Rerun, RerunEstimate, RerunTargetReport } from '@model-gateway/core/wire';

import type { GatewayFlags } from '../process/gateway-flags.ts';
import { askOwner, describeReply, type Owner } from '../process/owner-file.ts';
import { describeFileError, StartError } from '../process/start-error.ts';
import { findGateway } from '../terminal/find-gateway.ts';
import { toSeconds, toTable, toUsd } from '../terminal/table.ts';

/** Which calls. */
type RerunOptionsSet =
  /** Conditions as in the filter of the list of generations. */
  | { readonly where: string | undefined; readonly lastMs: number; readonly limit: number }
  | { readonly ids: readonly string[] }
  /** Its requests, one a line of JSON. */
  | { readonly file: string }
  /** The cases of a folder of fixtures. */
  | { readonly fixturesDir: string };

/** What `rerun` is asked to do. */
export interface RerunOptions extends GatewayFlags {
  readonly targets: readonly {
    /** Absent for the one of the preset. */
    readonly model?: string;
    /** Slug of a preset of the workspace that pays. */
    readonly preset?: string;
    readonly provider?: string | undefined;
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly system?: { readonly replace: string } | { readonly append: string };
  }[];
  /** Undefined only where it is estimated alone. */
  readonly maxCostUsd: number | undefined;
  readonly set: RerunOptionsSet;
  /** As the API takes them. */
  readonly judges: readonly { readonly type: string; readonly model?: string; readonly rubric?: string }[];
  readonly concurrency: number;
  readonly name: string | undefined;
  /** Hash of the API key that pays. */
  readonly runAsKey: string | undefined;
  readonly onlyEstimates: boolean;
}

/** Where a command writes, and what it waits by. */
export interface RerunHost {
  readonly env: NodeJS.ProcessEnv;
  /** Lines of the result. */
  readonly write: (text: string) => void;
  /** Text of how far it is, which the next one replaces; absent where nobody looks on. */
  readonly showProgress?: ((text: string) => void) | undefined;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly now: () => number;
}

/** Runs past calls again at the running gateway, and prints how they compare. Sets exit code 1 where they did not end. */
export async function rerun(options: RerunOptions): Promise<void> {
  const { stderr, stdout, env } = process;
  const isDone = await rerunAt(options, {
    env,
    write: (text) => void stdout.write(text),
    showProgress: stderr.isTTY ? (text) => void stderr.write(`\r\u001B[K${text}`) : undefined,
    wait: delay,
    now: Date.now,
  });
  if (!isDone) process.exitCode = 1;
}

const POLL_MS = 1000;

/** As `rerun`, with its surroundings as arguments. Resolves with whether all has been run. */
export async function rerunAt(options: RerunOptions, host: RerunHost): Promise<boolean> {
  const gateway = await findGateway(options, host.env);
  const { targets, judges, runAsKey } = options;
  const plan = { set: await toSet(options.set, host), targets, judges, run_as_key: runAsKey };
  host.write(describeEstimate(await ask<RerunEstimate>(gateway, 'POST', '/estimate', plan)));
  if (options.onlyEstimates) return true;
  const { concurrency, name, maxCostUsd } = options;
  const body = { ...plan, concurrency, max_cost_usd: maxCostUsd, name };
  const { id } = await ask<Rerun>(gateway, 'POST', '', body);
  host.write(`Rerun ${id} has begun.\n`);
  for (;;) {
    const report = await follow(gateway, id);
    if (report.state !== 'running') {
      host.showProgress?.('');
      host.write(toResult(report));
      return report.state === 'done';
    }
    host.showProgress?.(toProgress(report));
    await host.wait(POLL_MS);
  }
}

type Report = Rerun & { readonly results: readonly RerunTargetReport[] };

async function ask<Data>(gateway: Owner, method: string, path: string, body?: object): Promise<Data> {
  const reply = await askOwner(gateway, method, `/admin/v1/reruns${path}`, body);
  if (reply !== undefined && reply.status < 300) return (reply.body as { data: Data }).data;
  throw new StartError(`The gateway at ${gateway.url} did not run the calls again: ${describeReply(reply)}.`);
}

async function follow(gateway: Owner, id: string): Promise<Report> {
  const reply = await askOwner(gateway, 'GET', `/admin/v1/reruns/${id}`);
  if (reply?.status === 200) return (reply.body as { data: Report }).data;
  const reason = describeReply(reply);
  const message = `The gateway at ${gateway.url} does not show the rerun any more: ${reason}. The rerun ${id} continues when the gateway is back.`;
  throw new StartError(message);
}

async function toSet(set: RerunOptionsSet, { now }: RerunHost): Promise<object> {
  if ('ids' in set) return { generation_ids: set.ids };
  if ('file' in set) return { ndjson: readRequests(set.file) };
  if ('fixturesDir' in set) return { fixture_cases: await readCases(set.fixturesDir) };
  const { where, lastMs, limit } = set;
  return { filter: { from: new Date(now() - lastMs).toISOString(), ...(where !== undefined && { where }) }, limit };
}

function readRequests(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new StartError(`The requests of ${file} cannot be read: ${describeFileError(cause)}.`, { cause });
  }
}

/** Each case with its first response. */
async function readCases(dir: string): Promise<object[]> {
  const { FixtureError, loadFixtures, responseTextOf, toFixturePath } = await import('@model-gateway/fixtures');
  try {
    return loadFixtures(dir).map((fixture) => ({
      path: toFixturePath(fixture),
      request: fixture.request,
      response: responseTextOf(fixture),
    }));
  } catch (cause) {
    if (cause instanceof FixtureError)
      throw new StartError(`The fixtures cannot be read: ${cause.message}.`, { cause });
    throw cause;
  }
}

function describeEstimate({ items, without_request: without, typical_usd, worst_usd }: RerunEstimate): string {
  const missing = without === 0 ? '' : ` (${without} without a stored request)`;
  return `${items} calls${missing}; about ${toUsd(typical_usd)}, at worst ${toUsd(worst_usd)}, without judges.\n`;
}

const toProgress = ({ counts, spent_usd }: Rerun): string =>
  `${counts.done + counts.failed} of ${counts.total} run, ${counts.failed} failed, ${toUsd(spent_usd)} spent`;

const HEAD = ['model', 'done', 'errors', 'win', 'tie', 'loss', 'cost', 'before', 'p50', 'p95'];

function toResult(report: Report): string {
  const rows = report.results.map(({ model, preset, done, errors, outcomes, figures, original_figures: before }) => [
    preset === null ? model : `${model}@preset/${preset}`,
    String(done),
    String(errors),
    ...(['win', 'tie', 'loss'] as const).map((verdict) => toShare(outcomes[verdict])),
    toUsd(figures.cost_usd),
    toUsd(before.cost_usd),
    toSeconds(figures.latency_p50_ms),
    toSeconds(figures.latency_p95_ms),
  ]);
  const reasons = report.results.flatMap(({ error_reasons: found }) =>
    found.map(({ reason, count }) => `${count} times: ${reason}`),
  );
  const judges = report.judge_cost_usd === 0 ? '' : `, ${toUsd(report.judge_cost_usd)} of it for judges`;
  const lines = [
    ...reasons,
    `${report.id} is ${report.state}${report.reason === null ? '' : `: ${report.reason}`}. ${toUsd(report.spent_usd)} spent${judges}.`,
  ];
  return toTable(HEAD, rows) + lines.map((line) => `${line}\n`).join('');
}

/** With its 95 % interval. */
function toShare({ count, share, low, high }: RerunTargetReport['outcomes']['win']): string {
  if (share === null || low === null || high === null) return '-';
  const [from, to] = [low, high].map((part) => Math.round(part * 100));
  return `${count} (${from}-${to} %)`;
}
