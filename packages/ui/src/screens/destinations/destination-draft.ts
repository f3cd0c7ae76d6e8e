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

export interface ConfigField {
  readonly name: string;
  readonly label: string;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly options?: readonly string[];
}

/** Configuration fields of each type, beside headers (destinations.md, Types). */
export const DESTINATION_TYPES: Readonly<
  Record<DestinationType, { readonly label: string; readonly note: string; readonly fields: readonly ConfigField[] }>
> = {
  webhook: {
    label: 'Webhook',
    note: 'OTLP as JSON, up to 50 calls per request',
    fields: [
      { name: 'url', label: 'Address', isRequired: true, placeholder: 'https://collector.example/traces' },
      { name: 'method', label: 'Method', options: ['POST', 'PUT'] },
    ],
  },
  'otel-collector': {
    label: 'OTel collector',
    note: 'OTLP as JSON over HTTP',
    fields: [
      {
        name: 'endpoint',
        label: 'Endpoint',
        isRequired: true,
        placeholder: 'https://collector.example:4318',
        hint: '/v1/traces if no path is given',
      },
    ],
  },
  langfuse: {
    label: 'Langfuse',
    note: 'One trace and one generation per call',
    fields: [
      { name: 'publicKey', label: 'Public key', isRequired: true, placeholder: 'pk-lf-…' },
      { name: 'secretKey', label: 'Secret key', isRequired: true, isSecret: true, placeholder: 'sk-lf-…' },
      { name: 'baseUrl', label: 'Address', placeholder: 'https://cloud.langfuse.com' },
    ],
  },
  s3: {
    label: 'S3 and compatible stores',
    note: 'One object per call',
    fields: [
      { name: 'bucketName', label: 'Bucket', isRequired: true },
      { name: 'region', label: 'Region', placeholder: 'us-east-1' },
      { name: 'accessKeyId', label: 'Access key id', isRequired: true },
      { name: 'secretAccessKey', label: 'Secret access key', isRequired: true, isSecret: true },
      { name: 'endpoint', label: 'Endpoint', hint: 'For MinIO, R2 and others', placeholder: 'https://…' },
      { name: 'prefix', label: 'Prefix', placeholder: 'gateway' },
      { name: 'pathTemplate', label: 'Path template', placeholder: '{prefix}/{date}' },
      { name: 'sessionToken', label: 'Session token', isSecret: true },
    ],
  },
};

/** A destination as it is edited; secrets stand there masked, as they came. */
export function toDestinationDraft({ id: _, type, config, ...rest }: Destination): DestinationDraft {
  const headers = (config['headers'] ?? {}) as Record<string, string>;
  return {
    ...rest,
    config: Object.fromEntries(DESTINATION_TYPES[type].fields.map(({ name }) => [name, toText(config[name])])),
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

/** The body of a change: what differs, and the configuration as a whole where anything in it does. */
export function toDestinationChange(draft: DestinationDraft, before: DestinationDraft): Record<string, unknown> {
  const { config: _config, headers: _headers, ...fields } = draft;
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof fields]),
  );
  const isConfigured = JSON.stringify(toConfig(draft)) === JSON.stringify(toConfig(before));
  return { ...Object.fromEntries(changed), ...(!isConfigured && { config: toConfig(draft) }) };
}

/** How the gateway begins what it shows instead of a secret. */
const MASK = '********';

/**
 * The body of a change that takes another back; null where that cannot be, because it replaced a secret, which nobody
 * can read again, or filled in a field, which no change can empty.
 */
export function toDestinationReversal(
  sent: DestinationDraft,
  before: DestinationDraft,
): Record<string, unknown> | null {
  const isLost = Object.entries(sent.config).some(([name, value]) => {
    const old = before.config[name] ?? '';
    return value !== old && (old === '' || old.includes(MASK));
  });
  const areHeadersLost = sent.headers !== before.headers && before.headers !== '';
  return isLost || areHeadersLost ? null : toDestinationChange(before, sent);
}
