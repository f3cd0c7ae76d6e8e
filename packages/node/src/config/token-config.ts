import { httpUrlSchema, TOKEN_ALGORITHMS } from '@model-gateway/core';
import { z } from 'zod';

const claim = (what: string) =>
  z.string().min(1).max(200).optional().describe(`Name of the claim, or path to it with dots: ${what}`);

/** An issuer whose JWTs are taken in the place of API keys, as the config file has it. */
export const tokenIssuerSchema = z.strictObject({
  issuer: httpUrlSchema.describe('The claim iss, letter by letter; discovery begins there unless jwksUrl is set'),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .describe('One of these has to be in the claim aud'),
  jwksUrl: httpUrlSchema.optional().describe('Where the public keys are; not set: what discovery says'),
  algorithms: z
    .array(z.enum(TOKEN_ALGORITHMS))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('Ways to sign that are taken'),
  clockToleranceSeconds: z.int().min(0).max(600).default(30).describe("How far the issuer's clock may be off"),
  claims: z
    .strictObject({
      member: claim('the id, userName or e-mail address of a member, who has to be active'),
      workspace: claim('the id or slug of the workspace'),
      limitUsd: claim('the limit in dollars'),
      limitReset: claim('daily, weekly or monthly'),
      externalUser: claim('the external_user of calls that name none'),
      name: claim('the name to show; not set: sub'),
    })
    .prefault({}),
  workspace: z.string().min(1).optional().describe('Id or slug, where the token says none'),
  limitUsd: z.number().min(0).optional().describe('Limit of each subject in dollars, where the token says none'),
  limitReset: z
    .enum(['daily', 'weekly', 'monthly'])
    .optional()
    .describe('When limits begin anew, where the token says nothing; not set: never'),
});
