import { GatewayError } from '../../foundation/errors.ts';
import type { Exposition, MetricFamily, MetricSample } from '../../foundation/host.ts';
import { publicOperation } from '../../http/operation.ts';
import { firstValue, type GatewayRequest, isLoopbackAddress } from '../../http/request.ts';
import { readMetricFamilies } from './metric-families.ts';
import type { SystemParts } from './system-parts.ts';

/**
 * `GET /metrics` in the Prometheus text format. Callers on this machine need no key; others the token of the options,
 * which is checked without the store, or a management key.
 */
export const getMetrics = publicOperation<SystemParts>()({
  response: { mediaTypes: { 'text/plain': null } },
  async run({ request, parts }) {
    if (!isLoopbackAddress(request.remoteAddress) && !(await hasToken(request, parts))) {
      await refuseOthers(request, parts);
    }
    const { contentType, body } = await (parts.metrics?.expose?.() ?? exposeAlone(parts));
    return { status: 200, headers: { 'content-type': contentType }, body };
  },
});

/** Compares digests, so that the time tells nothing of the token. */
async function hasToken({ headers }: GatewayRequest, { metrics, platform }: SystemParts): Promise<boolean> {
  const given = /^Bearer +(\S+) *$/i.exec(firstValue(headers['authorization']) ?? '')?.[1];
  if (metrics?.token === undefined || given === undefined) return false;
  const [expected, found] = await Promise.all([platform.sha256(metrics.token), platform.sha256(given)]);
  return expected === found;
}

async function refuseOthers(request: GatewayRequest, { authenticate }: SystemParts): Promise<void> {
  // A scraper has no session of the host, but may have a management key.
  const principal = (await request.authenticate?.()) ?? (await authenticate({ ...request, authenticate: undefined }));
  if (principal.kind === 'management') return;
  throw new GatewayError('permission_denied', 'Metrics need a management key, or the token of metrics.token');
}

/** For hosts without a registry of their own: the core has no other dependency for it. */
async function exposeAlone(parts: SystemParts): Promise<Exposition> {
  const families = await readMetricFamilies(parts);
  return { contentType: 'text/plain; version=0.0.4; charset=utf-8', body: families.map(toText).join('') };
}

const toText = ({ name, help, type, samples }: MetricFamily): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(toLine).join('')}`;

function toLine({ name, labels, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
