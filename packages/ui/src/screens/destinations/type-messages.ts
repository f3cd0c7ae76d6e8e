import type { DestinationType } from '@model-gateway/core/wire';

/** The texts of a field of its form. */
export interface FieldTexts {
  readonly label: string;
  readonly hint?: string;
}

/** The texts of a type of destinations. */
export interface TypeTexts {
  readonly label: string;
  readonly note: string;
  /** By the name of the field. */
  readonly fields: Readonly<Record<string, FieldTexts>>;
}

/** Names of destinations and of their fields. */
export const typesEn: Readonly<Record<DestinationType, TypeTexts>> = {
  webhook: {
    label: 'Webhook',
    note: 'OTLP as JSON, up to 50 generations per delivery',
    fields: { url: { label: 'Address' }, method: { label: 'Method' } },
  },
  'otel-collector': {
    label: 'OTel collector',
    note: 'OTLP as JSON over HTTP',
    fields: { endpoint: { label: 'Endpoint', hint: '/v1/traces if no path is given' } },
  },
  langfuse: {
    label: 'Langfuse',
    note: 'One trace and one generation per request',
    fields: {
      publicKey: { label: 'Public key' },
      secretKey: { label: 'Secret key' },
      baseUrl: { label: 'Address' },
    },
  },
  s3: {
    label: 'S3 and compatible stores',
    note: 'One object per request',
    fields: {
      bucketName: { label: 'Bucket' },
      region: { label: 'Region' },
      accessKeyId: { label: 'Access key ID' },
      secretAccessKey: { label: 'Secret access key' },
      endpoint: { label: 'Endpoint', hint: 'For MinIO, R2 and others' },
      prefix: { label: 'Prefix' },
      pathTemplate: { label: 'Path template' },
      sessionToken: { label: 'Session token' },
    },
  },
  arize: {
    label: 'Arize AX',
    note: 'OTLP over HTTP',
    fields: {
      apiKey: { label: 'API key' },
      spaceKey: { label: 'Space ID' },
      modelId: { label: 'Project' },
      baseUrl: { label: 'Address' },
    },
  },
  braintrust: {
    label: 'Braintrust',
    note: 'OTLP over HTTP',
    fields: {
      apiKey: { label: 'API key' },
      projectId: { label: 'Project ID', hint: 'Not its name' },
      baseUrl: { label: 'Address' },
    },
  },
  clickhouse: {
    label: 'ClickHouse',
    note: 'One row per request',
    fields: {
      host: { label: 'Address' },
      database: { label: 'Database' },
      username: { label: 'User' },
      password: { label: 'Password' },
      table: { label: 'Table', hint: 'It must exist' },
    },
  },
  datadog: {
    label: 'Datadog',
    note: 'One LLM Observability span per request',
    fields: {
      apiKey: { label: 'API key' },
      mlApp: { label: 'Application' },
      url: { label: 'Address', hint: 'That of your site' },
    },
  },
  grafana: {
    label: 'Grafana Cloud',
    note: 'OTLP over HTTP',
    fields: {
      instanceId: { label: 'Instance ID' },
      apiKey: { label: 'Token' },
      baseUrl: { label: 'Address', hint: 'That of your zone' },
    },
  },
  langsmith: {
    label: 'LangSmith',
    note: 'OTLP over HTTP',
    fields: {
      apiKey: { label: 'API key' },
      project: { label: 'Project' },
      workspaceId: { label: 'Workspace ID', hint: 'For keys of an organization' },
      endpoint: { label: 'Address' },
    },
  },
  newrelic: {
    label: 'New Relic',
    note: 'OTLP over HTTP',
    fields: {
      licenseKey: { label: 'License key' },
      region: { label: 'Region' },
    },
  },
  opik: {
    label: 'Opik',
    note: 'OTLP over HTTP',
    fields: {
      apiKey: { label: 'API key' },
      workspace: { label: 'Workspace' },
      projectName: { label: 'Project' },
    },
  },
  posthog: {
    label: 'PostHog',
    note: 'One event per request',
    fields: {
      apiKey: { label: 'Project key' },
      endpoint: { label: 'Address' },
    },
  },
  sentry: {
    label: 'Sentry',
    note: 'OTLP over HTTP',
    fields: {
      otlpEndpoint: { label: 'OTLP endpoint' },
      dsn: { label: 'DSN' },
    },
  },
  snowflake: {
    label: 'Snowflake',
    note: 'One row per request',
    fields: {
      account: { label: 'Account' },
      token: { label: 'Programmatic access token' },
      database: { label: 'Database' },
      schema: { label: 'Schema' },
      table: { label: 'Table', hint: 'It must exist' },
      warehouse: { label: 'Warehouse' },
    },
  },
  weave: {
    label: 'W&B Weave',
    note: 'OTLP over HTTP',
    fields: {
      apiKey: { label: 'API key' },
      entity: { label: 'Team or user' },
      project: { label: 'Project' },
      baseUrl: { label: 'Address' },
    },
  },
};

export const typesDe: typeof typesEn = {
  webhook: {
    label: 'Webhook',
    note: 'OTLP als JSON, bis zu 50 Generierungen je Lieferung',
    fields: { url: { label: 'Adresse' }, method: { label: 'Methode' } },
  },
  'otel-collector': {
    label: 'OTel-Collector',
    note: 'OTLP als JSON über HTTP',
    fields: { endpoint: { label: 'Endpunkt', hint: '/v1/traces, wenn kein Pfad angegeben ist' } },
  },
  langfuse: {
    label: 'Langfuse',
    note: 'Ein Trace und eine Generierung je Anfrage',
    fields: {
      publicKey: { label: 'Öffentlicher Schlüssel' },
      secretKey: { label: 'Geheimer Schlüssel' },
      baseUrl: { label: 'Adresse' },
    },
  },
  s3: {
    label: 'S3 und kompatible Speicher',
    note: 'Ein Objekt je Anfrage',
    fields: {
      bucketName: { label: 'Bucket' },
      region: { label: 'Region' },
      accessKeyId: { label: 'Access-Key-ID' },
      secretAccessKey: { label: 'Secret Access Key' },
      endpoint: { label: 'Endpunkt', hint: 'Für MinIO, R2 und andere' },
      prefix: { label: 'Präfix' },
      pathTemplate: { label: 'Pfadvorlage' },
      sessionToken: { label: 'Sitzungstoken' },
    },
  },
  arize: {
    label: 'Arize AX',
    note: 'OTLP über HTTP',
    fields: {
      apiKey: { label: 'API-Schlüssel' },
      spaceKey: { label: 'Space-ID' },
      modelId: { label: 'Projekt' },
      baseUrl: { label: 'Adresse' },
    },
  },
  braintrust: {
    label: 'Braintrust',
    note: 'OTLP über HTTP',
    fields: {
      apiKey: { label: 'API-Schlüssel' },
      projectId: { label: 'Projekt-ID', hint: 'Nicht der Name' },
      baseUrl: { label: 'Adresse' },
    },
  },
  clickhouse: {
    label: 'ClickHouse',
    note: 'Eine Zeile je Anfrage',
    fields: {
      host: { label: 'Adresse' },
      database: { label: 'Datenbank' },
      username: { label: 'Benutzer' },
      password: { label: 'Passwort' },
      table: { label: 'Tabelle', hint: 'Sie muss bestehen' },
    },
  },
  datadog: {
    label: 'Datadog',
    note: 'Ein Span der LLM Observability je Anfrage',
    fields: {
      apiKey: { label: 'API-Schlüssel' },
      mlApp: { label: 'Anwendung' },
      url: { label: 'Adresse', hint: 'Die der eigenen Site' },
    },
  },
  grafana: {
    label: 'Grafana Cloud',
    note: 'OTLP über HTTP',
    fields: {
      instanceId: { label: 'Instanz-ID' },
      apiKey: { label: 'Token' },
      baseUrl: { label: 'Adresse', hint: 'Die der eigenen Zone' },
    },
  },
  langsmith: {
    label: 'LangSmith',
    note: 'OTLP über HTTP',
    fields: {
      apiKey: { label: 'API-Schlüssel' },
      project: { label: 'Projekt' },
      workspaceId: { label: 'Workspace-ID', hint: 'Für Schlüssel einer Organisation' },
      endpoint: { label: 'Adresse' },
    },
  },
  newrelic: {
    label: 'New Relic',
    note: 'OTLP über HTTP',
    fields: {
      licenseKey: { label: 'Lizenzschlüssel' },
      region: { label: 'Region' },
    },
  },
  opik: {
    label: 'Opik',
    note: 'OTLP über HTTP',
    fields: {
      apiKey: { label: 'API-Schlüssel' },
      workspace: { label: 'Workspace' },
      projectName: { label: 'Projekt' },
    },
  },
  posthog: {
    label: 'PostHog',
    note: 'Ein Ereignis je Anfrage',
    fields: {
      apiKey: { label: 'Projektschlüssel' },
      endpoint: { label: 'Adresse' },
    },
  },
  sentry: {
    label: 'Sentry',
    note: 'OTLP über HTTP',
    fields: {
      otlpEndpoint: { label: 'OTLP-Endpunkt' },
      dsn: { label: 'DSN' },
    },
  },
  snowflake: {
    label: 'Snowflake',
    note: 'Eine Zeile je Anfrage',
    fields: {
      account: { label: 'Konto' },
      token: { label: 'Programmatic Access Token' },
      database: { label: 'Datenbank' },
      schema: { label: 'Schema' },
      table: { label: 'Tabelle', hint: 'Sie muss bestehen' },
      warehouse: { label: 'Warehouse' },
    },
  },
  weave: {
    label: 'W&B Weave',
    note: 'OTLP über HTTP',
    fields: {
      apiKey: { label: 'API-Schlüssel' },
      entity: { label: 'Team oder Benutzer' },
      project: { label: 'Projekt' },
      baseUrl: { label: 'Adresse' },
    },
  },
};
