import { z } from 'zod';

/** The response of `GET /admin/v1/sign-in`: the ways to sign in beside one-time links and keys. */
export const signInWaysSchema = z.object({
  data: z.object({
    /** Null where there is no provider of identity. */
    oidc: z.object({ label: z.string() }).nullable(),
    /** Whom the trusted proxy of this request names; null where there is none, or it names nobody. */
    proxy: z.object({ user: z.string() }).nullable(),
  }),
});
export type SignInWays = z.infer<typeof signInWaysSchema>['data'];

/** The query of `GET /admin/v1/sign-in/oidc`. */
export const beginSignInQuerySchema = z.object({
  /** Path of the page to come back to. Default: the UI. */
  return_to: z.string().max(2000).optional(),
});

/** Why a sign-in by a provider did not succeed: `#sign-in-error=…` in the address of the page. */
export const SIGN_IN_PROBLEMS = [
  /** Begun in another browser, more than ten minutes ago, or finished already. */
  'expired',
  /** The user or the provider has refused. */
  'denied',
  /** The provider cannot be reached. */
  'away',
  /** What came back is not what the provider has to give; the log says more. */
  'invalid',
  'too_many',
  'inactive',
  'domain',
  'groups',
  'directory',
  'invalid_user',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

/** The form of `POST /admin/v1/sign-in/oidc/back-channel-logout`. */
export const backChannelLogoutSchema = z.object({ logout_token: z.string() });
