import { z } from 'zod';

const METHODS = ['S256', 'plain'] as const;
const method = z.enum(METHODS, { error: `must be ${METHODS.join(' or ')}` });

/** As RFC 7636 has verifiers and challenges. */
const proof = z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, 'must be 43 to 128 letters, digits, or any of . _ ~ -');

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why an app cannot be called back at an address; undefined where it can. */
function findCallbackProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be an address, e.g. "https://app.example/callback"';
  const isLocal = url.protocol === 'http:' && LOCAL_HOSTS.has(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) return 'must begin with https://, or with http:// and localhost';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment';
  return undefined;
}

const callbackUrl = z
  .string()
  .max(2048)
  .superRefine((text, { addIssue }) => {
    const message = findCallbackProblem(text);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });

/** The body of `POST /auth/keys/code`. Closed: an ignored field might have been a limit. */
export const createAuthCodeRequestSchema = z
  .strictObject({
    /** Where the app waits for the code. Ours: may be left out where the user hands the code over. */
    callback_url: callbackUrl.optional(),
    code_challenge: proof.optional(),
    /** Default: `plain`, as in RFC 7636. */
    code_challenge_method: method.optional(),
    /** Name of the key. Default: the host of the app. */
    key_label: z.string().trim().min(1).max(100).optional(),
    /** USD. */
    limit: z.number().min(0).nullish(),
    usage_limit_type: z.enum(['daily', 'weekly', 'monthly']).optional(),
    expires_at: z.iso.datetime({ error: 'must be an ISO 8601 time in UTC' }).nullish(),
    workspace_id: z.string().optional(),
    /** Taken from clients that send them; nothing is done with them. */
    spawn_agent: z.string().max(200).optional(),
    spawn_cloud: z.string().max(200).optional(),
  })
  .superRefine((body, { addIssue }) => {
    const refuse = (path: string, message: string): void => addIssue({ code: 'custom', path: [path], message });
    const { callback_url: callback, code_challenge: challenge, code_challenge_method: asked } = body;
    if (challenge === undefined && callback === undefined)
      refuse('code_challenge', 'is needed where there is no callback_url');
    if (challenge === undefined && asked !== undefined) refuse('code_challenge', 'is needed with a method');
    if (challenge !== undefined && asked === 'S256' && challenge.length !== 43)
      refuse('code_challenge', 'must be the SHA-256 of the verifier in base64url, 43 characters');
    if (body.usage_limit_type !== undefined && body.limit == null)
      refuse('usage_limit_type', 'is for keys with a limit alone');
  });

export const authCodeResponseSchema = z.object({
  data: z.object({
    /** The code. */
    id: z.string(),
    /** The same for each host that is called back. */
    app_id: z.int(),
    created_at: z.string(),
  }),
});

/** The body of `POST /auth/keys`. Closed. */
export const exchangeAuthCodeRequestSchema = z.strictObject({
  code: z.string().min(1).max(200),
  code_verifier: z.string().max(128).nullish(),
  code_challenge_method: method.nullish(),
});

/** Not below `data`: clients of the public API read it so. */
export const exchangedKeySchema = z.object({ key: z.string(), user_id: z.string().nullable() });
