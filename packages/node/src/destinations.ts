export { langfuseFormat } from './destinations/langfuse-format.ts';
export { otelCollectorFormat } from './destinations/otel-collector-format.ts';
export { s3Format } from './destinations/s3-format.ts';
export { webhookFormat } from './destinations/webhook-format.ts';
