import { z } from 'zod';

import { type ConfiguredKeys, toKeyPrincipal } from '../auth/authenticate.ts';
import { CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import type { Format } from '../chat/format.ts';
import { withPresetApart } from '../chat/presets/use-preset.ts';
import { CACHE_RESPONSE_HEADERS } from '../chat/stages/response-cache.ts';
import { GatewayError } from '../foundation/errors.ts';
import { isRecord } from '../foundation/parse.ts';
import { findReadableGeneration } from '../generations/list-generations.ts';
import { findStoredRequest } from '../generations/whole-request.ts';
import { operation } from '../http/operation.ts';
import type { Principal } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import { resendRequestSchema } from '../wire/stored-request.ts';
import { findChatFormat } from './inner-chat.ts';

export interface ResendParts extends ChatParts {
  readonly store: Pick<Store, 'generations' | 'keys' | 'prompts' | 'presets'>;
  readonly configuredKeys: ConfiguredKeys;
}

/**
 * `POST /admin/v1/generations/{id}/resend`: sends the stored request of a chat again, in the format it came in, as a new
 * call of the same key. Guardrails, budgets and routing are those of today.
 */
export const resendGeneration = operation<ResendParts>()({
  params: ['id'],
  body: resendRequestSchema,
  response: {
    mediaTypes: {
      'application/json': z.looseObject({}),
      'text/event-stream': z.looseObject({}),
      'application/x-ndjson': z.looseObject({}),
    },
  },
  responseHeaders: { ...CALL_RESPONSE_HEADERS, ...CACHE_RESPONSE_HEADERS },
  errors: ['conflict'],
  async run({ body: { key_hash: keyHash, ...changes }, ...context }) {
    const { parts, principal, request } = context;
    const { id } = context.params;
    const record = await findReadableGeneration(id, context);
    const stored = await findStoredRequest(record.generation.id, parts.store.generations);
    const format = findFormat(id, stored.format);
    const caller = await findCaller(keyHash ?? record.principalId, keyHash === undefined, parts);
    const told = { requestId: request.id, id, by: principal.name, key: caller.name };
    parts.logger.info('a stored request is sent again', told);
    const body = isRecord(stored.body) && changes.model !== undefined ? withPresetApart(stored.body) : stored.body;
    const json = isRecord(body) ? { ...body, ...changes } : body;
    return completeChat(format, {
      ...context,
      principal: caller,
      request: { ...request, headers: stored.headers, json },
    });
  },
});

function findFormat(id: string, name: string): Format {
  const format = findChatFormat(name);
  if (format !== undefined) return format;
  throw new GatewayError('invalid_request', `Generation ${id} is not a chat, and only chats can be sent again`);
}

/** The principal of an API key that may call now. */
async function findCaller(
  hash: string,
  isOfCall: boolean,
  { store, configuredKeys, platform }: ResendParts,
): Promise<Principal> {
  const advice = 'name another API key in `key_hash`';
  const key = await store.keys.get(hash);
  const found = key === undefined ? (await configuredKeys()).get(hash) : toKeyPrincipal(key);
  if (found === undefined) {
    if (isOfCall) throw new GatewayError('conflict', `The key of this call no longer exists; ${advice}`);
    throw new GatewayError('not_found', `There is no key with the hash ${hash.slice(0, 64)}`);
  }
  if (found.kind !== 'api') throw new GatewayError('conflict', `“${found.name}” is a management key; ${advice}`);
  if (key?.disabled === true) throw new GatewayError('conflict', `The key “${key.name}” is disabled; ${advice}`);
  if (key !== undefined && key.expiresAt !== null && Date.parse(key.expiresAt) <= platform.now()) {
    throw new GatewayError('conflict', `The key “${key.name}” has expired; ${advice}`);
  }
  return key === undefined ? { kind: 'api', id: hash, name: found.name } : toKeyPrincipal(key);
}
