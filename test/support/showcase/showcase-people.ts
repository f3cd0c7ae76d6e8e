import { createHash } from 'node:crypto';

/** Keys, and members to whom they belong, of the gateway that is shown in the pictures of the docs. */
export const KEYS = {
  support: 'sk-gw-v1-showcase-support-0123456789abcdef0123456789',
  website: 'sk-gw-v1-showcase-website-0123456789abcdef0123456789',
  coding: 'sk-gw-v1-showcase-coding-0123456789abcdef0123456789',
} as const;

export type KeyName = keyof typeof KEYS;

export const MANAGEMENT_KEY = 'sk-gw-v1-showcase-management-0123456789abcdef01234';

/** What a store knows a key by. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
