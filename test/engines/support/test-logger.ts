import type { Logger } from '@model-gateway/core';

/** A log that a test reads, a line a message with its fields. */
export function createTestLogger(): { readonly logger: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  return { logger: { info: write('info'), warn: write('warn'), error: write('error') }, lines };
}
