import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import type { Runtime } from '../runtime.ts';

type PublicContext = Pick<RequestContext, 'request' | 'runtime'>;

/** `GET /health`: the process answers. `degraded` means that generations could not be recorded of late. */
export async function getHealth({ runtime: { counters } }: PublicContext): Promise<GatewayResponse> {
  return toJsonResponse(200, { status: counters.recordFailures === 0 ? 'ok' : 'degraded' });
}

/** `GET /ready`: new calls are taken. While the gateway closes, the answer to everything is 503 already. */
export async function getReady(): Promise<GatewayResponse> {
  return toJsonResponse(200, { status: 'ready' });
}

/** `GET /metrics` in the Prometheus text format. Callers on this machine need no key. */
export async function getMetrics({ request, runtime }: PublicContext): Promise<GatewayResponse> {
  if (!isLoopback(request.remoteAddress)) {
    const principal = await runtime.authenticate(request);
    if (principal.kind !== 'management') throw new GatewayError('permission_denied', 'Metrics need a management key');
  }
  return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body: toMetricsText(runtime) };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

function toMetricsText({ counters, openCalls }: Runtime): string {
  const streams = openCalls.filter(({ isStream }) => isStream).length;
  return [
    ...metric('model_gateway_requests_total', 'counter', 'HTTP requests taken', [['', counters.requests]]),
    ...metric('model_gateway_generations_total', 'counter', 'Calls to models that ended', [
      ['{outcome="completed"}', counters.completed],
      ['{outcome="failed"}', counters.failed],
      ['{outcome="cancelled"}', counters.cancelled],
    ]),
    ...metric('model_gateway_record_failures_total', 'counter', 'Generations that could not be recorded', [
      ['', counters.recordFailures],
    ]),
    ...metric('model_gateway_open_calls', 'gauge', 'Calls to models under way', [['', openCalls.length]]),
    ...metric('model_gateway_open_streams', 'gauge', 'Streamed calls under way', [['', streams]]),
    '',
  ].join('\n');
}

function metric(name: string, type: string, help: string, values: readonly (readonly [string, number])[]): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(([labels, value]) => `${name}${labels} ${value}`),
  ];
}
