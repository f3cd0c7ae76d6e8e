export { langfuseFormat } from './destinations/langfuse-format.ts';
export { otelCollectorFormat, webhookFormat } from './destinations/otlp-formats.ts';
export { s3Format } from './destinations/s3-format.ts';
