import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { parser } from '@prometheus-io/lezer-promql';
import parsePrometheusText from 'parse-prometheus-text-format';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';

import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { askTimes } from './support/ask.ts';
import { openClusterConfig, openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { medianOf } from './support/median-of.ts';
import { startOwnPostgres, startOwnRedis } from './support/own-servers.ts';
import { type Served, serveWell, untilReady } from './support/run-command.ts';

const TOKEN = 'scrape-token-0123456789';
const CALL = { key: TEST_KEY, model: 'test/text', isStreamed: true };
/** As a proxy passes on a scrape of another machine. */
const FROM_ELSEWHERE = { 'x-forwarded-for': '192.0.2.7' };
const WAITING = { interval: 200 };
const monitoring = fileURLToPath(new URL('../../examples/monitoring/', import.meta.url));
/** `promtool` of Prometheus, where this machine has it. */
const promtool = process.env['PROMTOOL'] ?? 'promtool';
const hasPromtool = spawnSync(promtool, ['--version']).status === 0;

interface Scrape {
  readonly text: string;
  /** Values by name and labels, as they stand there. */
  readonly samples: ReadonlyMap<string, number>;
  readonly ms: number;
}

async function scrape(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Scrape> {
  const beganAt = performance.now();
  // A new connection, which any of the workers may get.
  const response = await fetch(`${url}/metrics`, { headers: { connection: 'close', ...headers } });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = lines.map((line): [string, number] => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), Number(line.slice(at + 1))];
  });
  // Each sample once, or a scraper refuses all of them.
  expect(new Set(samples.map(([name]) => name)).size).toBe(samples.length);
  return { text, samples: new Map(samples), ms: performance.now() - beganAt };
}

/** Checks the text with a parser that others have written, and with Prometheus's own where it is there. */
function checkExposition({ text, samples }: Scrape): void {
  const families = parsePrometheusText(text);
  expect(families.length).toBeGreaterThan(40);
  expect(families.filter(({ type }) => type === 'UNTYPED')).toEqual([]);
  const parsed = families.flatMap(({ name, metrics }) =>
    metrics.flatMap(({ value }) => (value === undefined ? [] : [{ name, value: Number(value) }])),
  );
  expect(parsed.length).toBeGreaterThan(50);
  for (const { value } of parsed) expect(Number.isNaN(value)).toBe(false);
  expect([...samples.values()].some(Number.isNaN)).toBe(false);
  if (!hasPromtool) return;
  const { stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
  // The names of gauges that prom-client itself has.
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_active_'))).toEqual([]);
}

const completed = ({ samples }: Scrape): number =>
  samples.get('model_gateway_generations_total{outcome="completed"}') ?? 0;

test.skipIf(missingEngines)(
  'any of two workers tells the sum of both, and no counter goes down when one of them is killed',
  async () => {
    const { config } = await openClusterConfig();
    const gateway = await serveWell(config, { args: ['--workers', '2'] });
    await untilReady(gateway);
    await askTimes(20, gateway.url, CALL);
    for (let time = 0; time < 6; time += 1) expect(completed(await scrape(gateway.url))).toBe(20);
    const before = await scrape(gateway.url);
    checkExposition(before);
    expect(before.samples.get('model_gateway_workers')).toBe(2);
    expect(before.samples.get('model_gateway_ready')).toBe(1);
    expect(before.samples.get('model_gateway_store_up{type="postgres"}')).toBe(1);
    expect(before.samples.get('process_resident_memory_bytes')).toBeGreaterThan(200 * 1024 ** 2);

    const [first = 0] = gateway.workers();
    process.kill(first, 'SIGKILL');
    await expect
      .poll(async () => (await scrape(gateway.url)).samples.get('model_gateway_worker_ends_total'), WAITING)
      .toBe(1);
    await expect.poll(async () => (await scrape(gateway.url)).samples.get('model_gateway_workers'), WAITING).toBe(2);
    const after = await scrape(gateway.url);
    for (const name of risingOf(before.text)) {
      expect(after.samples.get(name), name).toBeGreaterThanOrEqual(before.samples.get(name) ?? 0);
    }
    await askTimes(10, gateway.url, CALL);
    expect(completed(await scrape(gateway.url))).toBe(30);
  },
);

/** The names, with their labels, of all counters and of all parts of histograms. */
function risingOf(text: string): readonly string[] {
  let isRising = false;
  return text.split('\n').flatMap((line) => {
    const type = /^# TYPE \S+ (\S+)$/.exec(line)?.[1];
    if (type !== undefined) isRising = type === 'counter' || type === 'histogram';
    return type !== undefined || line.startsWith('#') || line === '' || !isRising ? [] : [line.replace(/ \S+$/, '')];
  });
}

test.skipIf(missingEngines)(
  'a scrape needs no database: with its token it is admitted and told at once which engine is away',
  async () => {
    const [upstream, postgres, redis] = await Promise.all([openUpstream(), startOwnPostgres(), startOwnRedis()]);
    const more = {
      metrics: { token: 'env:METRICS_TOKEN' },
      server: { host: '127.0.0.1', trustedProxies: ['127.0.0.1'] },
    };
    const config = toClusterConfig(upstream, { database: postgres.url, redis: redis.url }, more);
    const gateway = await serveWell(config, { env: { METRICS_TOKEN: TOKEN } });
    await untilReady(gateway);
    await askTimes(5, gateway.url, CALL);
    const token = { ...FROM_ELSEWHERE, authorization: `Bearer ${TOKEN}` };
    expect(await statusOf(gateway, FROM_ELSEWHERE)).toBe(401);
    expect(await statusOf(gateway, { ...token, authorization: `Bearer ${TEST_KEY}` })).toBe(403);
    expect(await statusOf(gateway, { ...token, authorization: `Bearer ${TEST_MANAGEMENT_KEY}` })).toBe(200);
    await expect.poll(async () => (await ageOf(gateway)) ?? -1, WAITING).toBeGreaterThan(0);
    const countWaiting = async (): Promise<number | undefined> =>
      (await scrape(gateway.url, token)).samples.get('model_gateway_waiting_records');
    await expect.poll(countWaiting, WAITING).toBe(0);

    await postgres.server.kill();
    await redis.kill();
    await expect
      .poll(
        async () => (await scrape(gateway.url, token)).samples.get('model_gateway_store_up{type="postgres"}'),
        WAITING,
      )
      .toBe(0);
    await expect
      .poll(
        async () => (await scrape(gateway.url, token)).samples.get('model_gateway_shared_up{type="redis"}'),
        WAITING,
      )
      .toBe(0);
    await askTimes(5, gateway.url, CALL);
    const away = await scrape(gateway.url, token);
    checkExposition(away);
    // A question to an engine that is away would have been given up after three seconds.
    const scrapes = [away, await scrape(gateway.url, token), await scrape(gateway.url, token)];
    expect(medianOf(scrapes.map(({ ms }) => ms))).toBeLessThan(2000);
    expect(completed(away)).toBe(10);
    expect(away.samples.get('model_gateway_waiting_records')).toBe(5);
    expect(away.samples.get('model_gateway_journal_bytes')).toBeGreaterThan(0);
    expect(await ageOf(gateway)).toBeUndefined();
    await postgres.server.start();
    await expect.poll(countWaiting, WAITING).toBe(0);
  },
);

async function statusOf({ url }: Served, headers: Readonly<Record<string, string>>): Promise<number> {
  return (await fetch(`${url}/metrics`, { headers })).status;
}

async function ageOf({ url }: Served): Promise<number | undefined> {
  return (await scrape(url)).samples.get('model_gateway_store_transaction_age{scope="tables"}');
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

/** Metrics and labels that Prometheus adds itself. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['instance', 'job', 'le'] };

test.skipIf(missingEngines)('every metric and label of the alerts and the dashboard is in a scrape', async () => {
  const { config } = await openClusterConfig();
  const gateway = await serveWell(config, { args: ['--workers', '2'] });
  await untilReady(gateway);
  await askTimes(3, gateway.url, CALL);
  await gateway.call('GET', '/api/v1/nowhere', undefined, 'sk-wrong');
  await expect.poll(async () => (await ageOf(gateway)) ?? -1, WAITING).toBeGreaterThan(0);
  const labels = labelsOf((await scrape(gateway.url)).samples.keys());

  const alerts = readFileSync(`${monitoring}alerts.yaml`, 'utf8');
  const { groups } = parseYaml(alerts) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules.map(({ alert, expr }) => ({ place: alert, expr })));
  const dashboard = JSON.parse(readFileSync(`${monitoring}dashboard.json`, 'utf8')) as Dashboard;
  const panels = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ place: title, expr })));
  expect([rules.length, panels.length]).toEqual([15, 30]);
  const unknown = [...rules, ...panels].flatMap(({ place, expr }) =>
    findUnknown(expr.replaceAll('$__rate_interval', '5m'), labels).map((what) => `${place}: ${what}`),
  );
  expect(unknown).toEqual([]);
  if (hasPromtool) execFileSync(promtool, ['check', 'rules', `${monitoring}alerts.yaml`]);
});

/** The labels of each metric. */
function labelsOf(samples: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const sample of samples) {
    const [, name = '', inside = ''] = /^([^{]+)(?:\{(.*)\})?$/.exec(sample) ?? [];
    const labels = found.get(name) ?? new Set(OF_PROMETHEUS.labels);
    for (const [, label = ''] of inside.matchAll(/(\w+)="/g)) labels.add(label);
    found.set(name, labels);
  }
  for (const name of OF_PROMETHEUS.metrics) found.set(name, new Set(OF_PROMETHEUS.labels));
  return found;
}

/** What an expression of PromQL names that is not there. */
function findUnknown(expr: string, labels: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const unknown: string[] = [];
  const known = new Set<string>();
  const wanted = new Set<string>();
  let metric = '';
  parser.parse(expr).iterate({
    enter({ type, from, to }) {
      const text = expr.slice(from, to);
      if (type.isError) unknown.push(`no PromQL at ${from}: ${expr}`);
      if (type.name === 'Identifier') {
        metric = text;
        if (!labels.has(text)) unknown.push(text);
        for (const label of labels.get(text) ?? []) known.add(label);
      }
      if (type.name === 'UnquotedLabelMatcher') {
        const label = /^\w+/.exec(text)?.[0] ?? '';
        if (labels.get(metric)?.has(label) !== true) unknown.push(`${metric}{${label}}`);
      }
      if (type.name === 'GroupingLabels') for (const [label] of text.matchAll(/\w+/g)) wanted.add(label);
    },
  });
  // Labels by which sums are grouped belong to one of the metrics.
  for (const label of wanted) if (!known.has(label)) unknown.push(`by (${label})`);
  return unknown;
}
