import { createHash } from 'node:crypto';

import type {
  AuditRecord,
  BroadcastTrace,
  DestinationConfig,
  DestinationFormat,
  DestinationRequest,
} from '@model-gateway/core';

import { toHeaders, toOtlpJson } from './otlp.ts';

type Config = DestinationConfig<'s3'>;

const DEFAULT_TEMPLATE = '{prefix}/{date}';
const DEFAULT_REGION = 'us-east-1';
const PLACEHOLDERS = ['prefix', 'date', 'year', 'month', 'day', 'apiKeyName'] as const;
const TEST_NAME = 'model-gateway-connection-test.json';

/** Amazon S3 and compatible servers: an object for each call, OTLP in JSON, written with one signed request. */
export const s3Format: DestinationFormat<'s3'> = {
  type: 's3',
  toRequests: (traces, config) =>
    Promise.all(traces.map(async (trace) => sign(toKey(trace, config), await toOtlpJson([trace]), config))),
  toAuditRequests: (records, config) =>
    Promise.all(records.map((record) => sign(toAuditKey(record, config), `${JSON.stringify(record)}\n`, config))),
  async toTestRequest(config) {
    return sign(joinKey(config.prefix ?? '', TEST_NAME), '{}', config);
  },
  findConfigProblem({ pathTemplate = '' }) {
    const names = [...pathTemplate.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
    const unknown = names.find((name) => !PLACEHOLDERS.some((known) => known === name));
    if (unknown === undefined) return undefined;
    const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
    return { field: 'pathTemplate', problem: `{${unknown}} is not known; these are: ${known}` };
  },
};

/** Built from values of a generation that never change, so that writing it twice makes one object. */
function toKey(trace: BroadcastTrace, { prefix = '', pathTemplate = DEFAULT_TEMPLATE }: Config): string {
  const date = new Date(trace.startedAt).toISOString().slice(0, 10);
  const [year = '', month = '', day = ''] = date.split('-');
  const values = { prefix, date, year, month, day, apiKeyName: trace.identity?.apiKeyName ?? 'unknown' };
  const directory = PLACEHOLDERS.reduce((path, name) => path.replaceAll(`{${name}}`, () => values[name]), pathTemplate);
  // The span distinguishes calls of one trace that begin in the same millisecond.
  const isAlone = trace.traceId.startsWith(trace.spanId);
  return joinKey(directory, `${trace.traceId}-${trace.startedAt}${isAlone ? '' : `-${trace.spanId}`}.json`);
}

/** In the order of the chain, a folder for each day: `gateway/audit/2026-03-01/000000000042.json`. */
function toAuditKey({ at, sequence }: AuditRecord, { prefix = '' }: Config): string {
  return joinKey(`${prefix}/audit/${at.slice(0, 10)}`, `${String(sequence).padStart(12, '0')}.json`);
}

function joinKey(directory: string, name: string): string {
  return [...directory.split('/'), name].filter((part) => part !== '' && part !== '.' && part !== '..').join('/');
}

async function sign(key: string, body: string, config: Config): Promise<DestinationRequest> {
  const { AwsV4Signer } = await import('aws4fetch');
  const signer = new AwsV4Signer({
    method: 'PUT',
    url: toObjectUrl(key, config),
    headers: toHeaders(config.headers, {
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
    }),
    body,
    accessKeyId: config.accessKeyId,
    secretAccessKey: config.secretAccessKey,
    ...(config.sessionToken !== undefined && { sessionToken: config.sessionToken }),
    service: 's3',
    region: config.region ?? DEFAULT_REGION,
  });
  const { url, headers } = await signer.sign();
  return { method: 'PUT', url: url.href, headers: Object.fromEntries(headers), body };
}

/** Servers other than Amazon's expect the bucket in the path, as do buckets whose name is no valid host label. */
function toObjectUrl(key: string, { endpoint, bucketName, region = DEFAULT_REGION }: Config): string {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const bucket = encodeURIComponent(bucketName);
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, '')}/${bucket}/${path}`;
  return /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucketName)
    ? `https://${bucketName}.s3.${region}.amazonaws.com/${path}`
    : `https://s3.${region}.amazonaws.com/${bucket}/${path}`;
}
