import type { Destination, DestinationType } from '@model-gateway/core/wire';

/** Settings of a destination: the fields of the API, but the configuration is text while it is edited. */
export interface DestinationDraft extends Omit<
  Destination,
  'id' | 'type' | 'config' | 'workspace_id' | 'created_at' | 'updated_at'
> {
  readonly config: Readonly<Record<string, string>>;
  /** `Name: value`, one a line. */
  readonly headers: string;
}

/** Types that have a form for records of the audit log. */
export const AUDIT_TYPES: ReadonlySet<DestinationType> = new Set(['webhook', 'otel-collector', 's3', 'grafana']);

/** Types that have a form for metrics. */
export const METRICS_TYPES: ReadonlySet<DestinationType> = new Set(['webhook', 'otel-collector', 'grafana']);

export interface ConfigField {
  readonly name: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly placeholder?: string;
  readonly options?: readonly string[];
}

/** Configuration fields of each type, beside headers (destinations.md, Types). Their labels are in the messages. */
export const CONFIG_FIELDS: Readonly<Record<DestinationType, readonly ConfigField[]>> = {
  webhook: [
    { name: 'url', isRequired: true, placeholder: 'https://collector.example/traces' },
    { name: 'method', options: ['POST', 'PUT'] },
  ],
  'otel-collector': [{ name: 'endpoint', isRequired: true, placeholder: 'https://collector.example:4318' }],
  langfuse: [
    { name: 'publicKey', isRequired: true, placeholder: 'pk-lf-…' },
    { name: 'secretKey', isRequired: true, isSecret: true, placeholder: 'sk-lf-…' },
    { name: 'baseUrl', placeholder: 'https://cloud.langfuse.com' },
  ],
  s3: [
    { name: 'bucketName', isRequired: true },
    { name: 'region', placeholder: 'us-east-1' },
    { name: 'accessKeyId', isRequired: true },
    { name: 'secretAccessKey', isRequired: true, isSecret: true },
    { name: 'endpoint', placeholder: 'https://…' },
    { name: 'prefix', placeholder: 'gateway' },
    { name: 'pathTemplate', placeholder: '{prefix}/{date}' },
    { name: 'sessionToken', isSecret: true },
  ],
  arize: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'spaceKey', isRequired: true, isSecret: true },
    { name: 'modelId', isRequired: true },
    { name: 'baseUrl', placeholder: 'https://otlp.arize.com' },
  ],
  braintrust: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'projectId', isRequired: true },
    { name: 'baseUrl', placeholder: 'https://api.braintrust.dev' },
  ],
  clickhouse: [
    { name: 'host', isRequired: true, placeholder: 'https://clickhouse.example:8443' },
    { name: 'database', isRequired: true },
    { name: 'username', isRequired: true },
    { name: 'password', isRequired: true, isSecret: true },
    { name: 'table', placeholder: 'OPENROUTER_TRACES' },
  ],
  datadog: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'mlApp', isRequired: true },
    { name: 'url', placeholder: 'https://api.us5.datadoghq.com' },
  ],
  grafana: [
    { name: 'instanceId', isRequired: true },
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'baseUrl', placeholder: 'https://otlp-gateway-prod-us-west-0.grafana.net' },
  ],
  langsmith: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'project', placeholder: 'main' },
    { name: 'workspaceId' },
    { name: 'endpoint', placeholder: 'https://api.smith.langchain.com' },
  ],
  newrelic: [
    { name: 'licenseKey', isRequired: true, isSecret: true },
    { name: 'region', options: ['us', 'eu'] },
  ],
  opik: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'workspace', isRequired: true },
    { name: 'projectName', isRequired: true },
  ],
  posthog: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'endpoint', placeholder: 'https://us.i.posthog.com' },
  ],
  sentry: [
    { name: 'otlpEndpoint', isRequired: true, placeholder: 'https://o0.ingest.sentry.io/api/0/integration/otlp' },
    { name: 'dsn', isRequired: true, isSecret: true, placeholder: 'https://key@o0.ingest.sentry.io/0' },
  ],
  snowflake: [
    { name: 'account', isRequired: true, placeholder: 'organization-account' },
    { name: 'token', isRequired: true, isSecret: true },
    { name: 'database', placeholder: 'SNOWFLAKE_LEARNING_DB' },
    { name: 'schema', placeholder: 'PUBLIC' },
    { name: 'table', placeholder: 'OPENROUTER_TRACES' },
    { name: 'warehouse', placeholder: 'COMPUTE_WH' },
  ],
  weave: [
    { name: 'apiKey', isRequired: true, isSecret: true },
    { name: 'entity', isRequired: true },
    { name: 'project', isRequired: true },
    { name: 'baseUrl', placeholder: 'https://trace.wandb.ai' },
  ],
};

/** A destination as it is edited; secrets stand there masked, as they came. */
export function toDestinationDraft({ id: _, type, config, ...rest }: Destination): DestinationDraft {
  const headers = (config['headers'] ?? {}) as Record<string, string>;
  return {
    ...rest,
    config: Object.fromEntries(CONFIG_FIELDS[type].map(({ name }) => [name, toText(config[name])])),
    headers: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  };
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The configuration as it is sent: optional fields that are empty are left out. */
export function toConfig({ config, headers }: Pick<DestinationDraft, 'config' | 'headers'>): Record<string, unknown> {
  return {
    ...Object.fromEntries(Object.entries(config).filter(([, value]) => value !== '')),
    headers: toHeaders(headers),
  };
}

function toHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/**
 * The body of a change: only what differs, null for what goes. A secret that is not changed is not sent: it stands here
 * masked, and the mask may be that of a secret which others have replaced since.
 */
export function toDestinationChange(draft: DestinationDraft, before: DestinationDraft): Record<string, unknown> {
  const { config: _config, headers: _headers, ...fields } = draft;
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof fields]),
  );
  const config = toConfigChange(draft, before);
  return { ...Object.fromEntries(changed), ...(Object.keys(config).length > 0 && { config }) };
}

function toConfigChange(draft: DestinationDraft, before: DestinationDraft): Record<string, unknown> {
  const changed = Object.entries(draft.config).filter(([name, value]) => value !== (before.config[name] ?? ''));
  const headers = toHeaders(draft.headers);
  return {
    ...Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])),
    ...(JSON.stringify(headers) !== JSON.stringify(toHeaders(before.headers)) && { headers }),
  };
}

/** How the gateway begins what it shows instead of a secret. */
const MASK = '********';

/**
 * The body of a change that takes another back; null where that cannot be, because it replaced a secret, which nobody
 * can read again.
 */
export function toDestinationReversal(
  sent: DestinationDraft,
  before: DestinationDraft,
): Record<string, unknown> | null {
  const isLost = Object.entries(sent.config).some(([name, value]) => {
    const old = before.config[name] ?? '';
    return value !== old && old.includes(MASK);
  });
  const areHeadersLost = sent.headers !== before.headers && before.headers !== '';
  return isLost || areHeadersLost ? null : toDestinationChange(before, sent);
}
