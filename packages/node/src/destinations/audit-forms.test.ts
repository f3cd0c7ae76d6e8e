import type { AuditRecord, DestinationFormat } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { otelCollectorFormat, webhookFormat } from './otlp-formats.ts';
import { OTLP_SERVICE_FORMATS } from './otlp-services.ts';
import { s3Format } from './s3-format.ts';

const RECORD: AuditRecord = {
  id: 'aud-1',
  at: '2026-03-01T10:00:00.123Z',
  action: 'key.create',
  actor: { kind: 'key', id: 'a1', name: 'admin', member: null, key: 'a1' },
  from: { address: '203.0.113.7', user_agent: null },
  target: { kind: 'key', id: 'k1', name: 'Night', workspace: 'default' },
  before: null,
  after: { name: 'Night' },
  outcome: 'done',
  reason: null,
  count: 1,
  sequence: 42,
  previous_hash: '0'.repeat(64),
  hash: 'f'.repeat(64),
};
const REFUSED: AuditRecord = { ...RECORD, sequence: 43, outcome: 'refused', reason: 'forbidden' };

const requestsOf = (format: DestinationFormat, config: object) =>
  format.toAuditRequests?.([RECORD, REFUSED], config as never);

test('a record is a log record of OTLP, with the whole record as its body', async () => {
  const [request, ...others] = (await requestsOf(webhookFormat, { url: 'https://a/in', method: 'PUT' })) ?? [];
  expect(others).toEqual([]);
  expect(request).toMatchObject({ method: 'PUT', url: 'https://a/in' });
  const { resourceLogs } = JSON.parse(String(request?.body));
  expect(resourceLogs[0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'model-gateway' } },
  ]);
  const [first, second] = resourceLogs[0].scopeLogs[0].logRecords;
  expect(first).toMatchObject({
    timeUnixNano: '1772359200123000000',
    severityNumber: 9,
    eventName: 'gateway.audit.key.create',
  });
  expect(JSON.parse(first.body.stringValue)).toEqual(RECORD);
  expect(first.attributes).toContainEqual({ key: 'gateway.audit.sequence', value: { intValue: '42' } });
  expect(first.attributes.map(({ key }: { key: string }) => key)).not.toContain('user_agent.original');
  expect(second.severityText).toBe('WARN');
});

test.each([
  ['https://c:4318', 'https://c:4318/v1/logs'],
  ['https://c/otlp/v1/traces', 'https://c/otlp/v1/logs'],
  ['https://c/all', 'https://c/all'],
])('a collector at %s gets logs at %s', async (endpoint, url) => {
  expect(await requestsOf(otelCollectorFormat, { endpoint })).toMatchObject([{ method: 'POST', url }]);
});

test('Grafana Cloud gets logs at its gateway, with its credentials', async () => {
  const grafana = OTLP_SERVICE_FORMATS.find(({ type }) => type === 'grafana');
  if (grafana === undefined) throw new Error('gone');
  const config = { apiKey: 'k', instanceId: '7', baseUrl: 'https://g.example' };
  expect(await requestsOf(grafana, config)).toMatchObject([
    {
      url: 'https://g.example/otlp/v1/logs',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('7:k')}` },
    },
  ]);
});

test('S3 gets an object for each record, in the order of the chain and by the same name when it is sent again', async () => {
  const config = {
    bucketName: 'logs',
    accessKeyId: 'a',
    secretAccessKey: 's',
    endpoint: 'https://s3.example',
    prefix: 'gw',
  };
  const requests = (await requestsOf(s3Format, config)) ?? [];
  expect(requests.map(({ url }) => url)).toEqual([
    'https://s3.example/logs/gw/audit/2026-03-01/000000000042.json',
    'https://s3.example/logs/gw/audit/2026-03-01/000000000043.json',
  ]);
  expect(JSON.parse(String(requests[0]?.body))).toEqual(RECORD);
});

test('records that a collector refuses within a success are told', () => {
  const body = '{"partialSuccess":{"rejectedLogRecords":"2"}}';
  expect(otelCollectorFormat.readResponse?.(body)).toEqual({ result: 'HTTP 200, 2 records rejected', isFinal: true });
});
