import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { BENCH_MANAGEMENT_KEY } from '../load/bench-request.ts';
import type { LoadJob } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { type Figure, formatMicroseconds, formatTimes, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Stage, startGatewayTarget, type Target } from '../targets/start-targets.ts';
import { BURST, WHOLE_TEXT } from '../targets/upstream-script.ts';
import { runRound } from './compare-load.ts';

const BUILTINS = ['email', 'phone', 'ssn', 'credit-card', 'ip-address', 'iban', 'secrets', 'regex-prompt-injection'];
const GUARDRAILS = 10;
const FILTERS = 30;
const DESTINATIONS = 3;

/**
 * Measures the cost of guardrails and destinations: a gateway with ten guardrails (the caller's guardrail has thirty
 * filters) and three destinations that receive every call is compared with a gateway without any, by turns.
 */
export async function measureGuarded(stage: Stage, plan: Plan): Promise<Figure[]> {
  const sink = await startSink();
  const [plain, guarded] = await Promise.all([startGatewayTarget(stage), startGatewayTarget(stage)]);
  try {
    await setUp(guarded.port, sink.port);
    const job: Omit<LoadJob, 'port'> = {
      script: BURST.name,
      stream: false,
      connections: 32,
      rampMs: 0,
      minBytes: WHOLE_TEXT.length,
      durationMs: plan.load.warmUpMs,
    };
    const run = async (target: Target, durationMs: number) =>
      (await runRound(stage, target, { ...job, durationMs })).cpuUs;
    await run(plain, plan.load.warmUpMs);
    await run(guarded, plan.load.warmUpMs);
    const rounds: { plain: number; guarded: number }[] = [];
    for (let i = 0; i < plan.load.rounds; i += 1) {
      const round = { plain: await run(plain, plan.load.roundMs), guarded: await run(guarded, plan.load.roundMs) };
      rounds.push(round);
      plan.progress(`CPU ${formatMicroseconds(round.guarded)} / ${formatMicroseconds(round.plain)} without`);
    }
    plan.progress(`the destinations were sent ${sink.requests()} requests`);
    if (sink.requests() === 0) throw new Error('The destinations were sent nothing');
    const subject = `${GUARDRAILS} guardrails, ${FILTERS} filters, ${DESTINATIONS} destinations: CPU a request, against none`;
    return [
      toFigure(subject, {
        gateway: formatMicroseconds(median(rounds.map((round) => round.guarded))),
        proxy: formatMicroseconds(median(rounds.map((round) => round.plain))),
        value: median(rounds.map((round) => round.guarded / round.plain)),
        format: formatTimes,
      }),
    ];
  } finally {
    await Promise.all([plain.stop(), guarded.stop()]);
    sink.stop();
  }
}

async function setUp(port: number, sinkPort: number): Promise<void> {
  const call = async (method: string, path: string, body?: object): Promise<{ data: unknown }> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${BENCH_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as { data: unknown };
  };
  const { data } = await call('GET', '/workspaces');
  const [workspace] = data as { default_guardrail_id: string }[];
  await call('PATCH', `/guardrails/${workspace?.default_guardrail_id}`, {
    content_filter_builtins: BUILTINS.map((slug) => ({ slug, action: 'redact' })),
    content_filters: Array.from({ length: FILTERS - BUILTINS.length }, (_, index) => ({
      pattern: `\\b(?:project|codename)[ -]?${index}[a-z]+\\d{2,}\\b`,
      action: 'redact',
      label: `project ${index}`,
    })),
  });
  for (let i = 1; i < GUARDRAILS; i += 1) await call('POST', '/guardrails', { name: `guardrail ${i}` });
  for (let i = 0; i < DESTINATIONS; i += 1) {
    const config = { url: `http://127.0.0.1:${sinkPort}/${i}` };
    await call('POST', '/observability/destinations', { type: 'webhook', name: `destination ${i}`, config });
  }
}

/** Starts a server for what destinations are sent, and counts its requests. */
async function startSink(): Promise<{ readonly port: number; requests(): number; stop(): void }> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests: () => count,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
