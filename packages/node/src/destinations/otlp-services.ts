import type { DestinationConfig, DestinationFormat, DestinationRequest } from '@model-gateway/core';

import { toOtlpLogs } from './otlp-logs.ts';
import { toOtlpMetrics } from './otlp-metrics.ts';
import { OF_TEST, toHeaders, toOtlpBinary } from './otlp.ts';

/** Where a service takes OTLP, and what it wants to be told. */
interface Place {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the resource, for services that are told the project there. */
  readonly resource?: Readonly<Record<string, string>>;
}

type ServiceType = 'arize' | 'braintrust' | 'grafana' | 'langsmith' | 'newrelic' | 'opik' | 'sentry' | 'weave';

/** Services that take OTLP over HTTP, each by its own documentation as of 2026-11. */
const PLACES: { readonly [Type in ServiceType]: (config: DestinationConfig<Type>) => Place } = {
  arize: ({ apiKey, spaceKey, modelId, baseUrl }) => ({
    url: join(baseUrl, '/v1/traces'),
    headers: { 'arize-api-key': apiKey, 'arize-space-id': spaceKey },
    resource: { 'openinference.project.name': modelId, model_id: modelId },
  }),
  braintrust: ({ apiKey, projectId, baseUrl }) => ({
    url: join(baseUrl, '/otel/v1/traces'),
    headers: { authorization: `Bearer ${apiKey}`, 'x-bt-parent': `project_id:${projectId}` },
  }),
  grafana: ({ apiKey, instanceId, baseUrl }) => ({
    url: join(baseUrl, '/otlp/v1/traces'),
    headers: { authorization: `Basic ${Buffer.from(`${instanceId}:${apiKey}`).toString('base64')}` },
  }),
  langsmith: ({ apiKey, endpoint, project, workspaceId }) => ({
    url: join(endpoint, '/otel/v1/traces'),
    headers: {
      'x-api-key': apiKey,
      'langsmith-project': project,
      ...(workspaceId !== undefined && { 'x-tenant-id': workspaceId }),
    },
  }),
  newrelic: ({ licenseKey, region }) => ({
    url: `https://otlp.${region === 'eu' ? 'eu01.' : ''}nr-data.net/v1/traces`,
    headers: { 'api-key': licenseKey },
  }),
  opik: ({ apiKey, workspace, projectName }) => ({
    url: 'https://www.comet.com/opik/api/v1/private/otel/v1/traces',
    headers: { authorization: apiKey, 'comet-workspace': workspace, projectname: projectName },
  }),
  // The key of a DSN is its user name.
  sentry: ({ dsn, otlpEndpoint }) => ({
    url: join(otlpEndpoint, '/v1/traces'),
    headers: { 'x-sentry-auth': `sentry sentry_key=${new URL(dsn).username}` },
  }),
  weave: ({ apiKey, entity, project, baseUrl }) => ({
    url: join(baseUrl, '/otel/v1/traces'),
    headers: { 'wandb-api-key': apiKey },
    resource: { 'wandb.entity': entity, 'wandb.project': project },
  }),
};

/** An address with a path, unless it has it. */
function join(base: string, path: string): string {
  const plain = base.replace(/\/+$/, '');
  return plain.endsWith(path) ? plain : `${plain}${path}`;
}

/** All of them take the binary form; the JSON form only some. */
const BINARY = { 'content-type': 'application/x-protobuf' };

function toFormat<Type extends ServiceType>(type: Type): DestinationFormat<Type> {
  const toPlace = PLACES[type];
  const toRequest = (
    config: DestinationConfig<Type>,
    { url, headers }: Place,
    body: Uint8Array,
    further: Readonly<Record<string, string>> = {},
  ): DestinationRequest => {
    const own = { ...BINARY, ...headers, ...further };
    return { method: 'POST', url, headers: toHeaders(config.headers, own), body };
  };
  return {
    type,
    async toRequests(traces, config) {
      const place = toPlace(config);
      return [toRequest(config, place, await toOtlpBinary(traces, place.resource))];
    },
    // A request without spans has no bytes.
    async toTestRequest(config) {
      return toRequest(config, toPlace(config), new Uint8Array(), OF_TEST);
    },
    testStatuses: [400],
    readResponse: readRejected,
  };
}

const FIELD_ONE_AS_NUMBER = 8;

/**
 * A response of 200 may name refused spans, which must not be sent again: by name in JSON; in the binary form as the
 * first field of a message that is the first field of the response, after a length of one byte or two.
 */
function readRejected(body: string): ReturnType<NonNullable<DestinationFormat['readResponse']>> {
  const [first, length = 0, one, two] = Array.from(body.slice(0, 4), (char) => char.codePointAt(0));
  const isBinary = first === 10 && (length < 128 ? one : two) === FIELD_ONE_AS_NUMBER;
  const isRejected = isBinary || /"rejectedSpans"\s*:\s*"?[1-9]/.test(body);
  return isRejected ? { result: 'HTTP 200, spans rejected', isFinal: true } : undefined;
}

const sentryFormat: DestinationFormat<'sentry'> = {
  ...toFormat('sentry'),
  findConfigProblem({ dsn }) {
    if (new URL(dsn).username !== '') return undefined;
    return { field: 'dsn', problem: 'must have its public key: https://KEY@HOST/PROJECT' };
  },
};

/** Grafana Cloud takes logs and metrics at the same gateway, in either form. */
const grafanaFormat: DestinationFormat<'grafana'> = {
  ...toFormat('grafana'),
  async toAuditRequests(records, config) {
    const { headers } = PLACES.grafana(config);
    const url = join(config.baseUrl, '/otlp/v1/logs');
    return [{ method: 'POST', url, headers: toHeaders(config.headers, headers), body: toOtlpLogs(records) }];
  },
  toMetricsRequest(report, config) {
    const { headers } = PLACES.grafana(config);
    const url = join(config.baseUrl, '/otlp/v1/metrics');
    return { method: 'POST', url, headers: toHeaders(config.headers, headers), body: toOtlpMetrics(report) };
  },
};

/** Arize, Braintrust, Grafana Cloud, LangSmith, New Relic, Opik, Sentry and Weave, by OTLP. */
export const OTLP_SERVICE_FORMATS: readonly DestinationFormat[] = [
  toFormat('arize'),
  toFormat('braintrust'),
  grafanaFormat,
  toFormat('langsmith'),
  toFormat('newrelic'),
  toFormat('opik'),
  sentryFormat,
  toFormat('weave'),
] as readonly DestinationFormat[];
