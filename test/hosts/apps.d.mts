import type { Gateway } from '@model-gateway/core';

export declare const APPS: Readonly<
  Record<string, (gateway: Gateway) => Promise<{ readonly url: string; close(): Promise<void> }>>
>;
