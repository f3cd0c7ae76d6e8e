export { clickhouseFormat, snowflakeFormat } from './destinations/database-formats.ts';
export { datadogFormat, posthogFormat } from './destinations/event-formats.ts';
export { langfuseFormat } from './destinations/langfuse-format.ts';
export { otelCollectorFormat, webhookFormat } from './destinations/otlp-formats.ts';
export { OTLP_SERVICE_FORMATS } from './destinations/otlp-services.ts';
export { s3Format } from './destinations/s3-format.ts';
