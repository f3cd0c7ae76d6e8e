import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Transport } from '../foundation/transport.ts';
import type { Principal } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import type { MemberDirectory } from './member-principal.ts';

/** An issuer whose JWTs are taken in place of API keys. */
export interface TokenIssuer {
  /** The claim `iss`, and, without `jwksUrl`, the address at which discovery begins. */
  readonly issuer: string;
  /** One of these has to be in the claim `aud`. */
  readonly audience: string | readonly string[];
  /** Where the public keys are. Default: what `/.well-known/openid-configuration` of the issuer says. */
  readonly jwksUrl?: string | undefined;
  /** Asymmetric ones. Default: RS256, PS256, ES256, EdDSA. */
  readonly algorithms?: readonly TokenAlgorithm[] | undefined;
  /** How far the issuer's clock may be off. Default 30. */
  readonly clockToleranceSeconds?: number | undefined;
  /** Names of claims, or paths into them: `realm.team`. What is not named, or not in a token, has its default. */
  readonly claims?: TokenClaims | undefined;
  /** Id or slug. Default: the default workspace. */
  readonly workspace?: string | undefined;
  /** USD for each subject. Default: none. */
  readonly limitUsd?: number | undefined;
  readonly limitReset?: Principal['limitReset'];
  /** Slugs of models. Default: all. */
  readonly allowedModels?: readonly string[] | undefined;
  /** Id or name of a guardrail. Default: none but those of the member and the workspace. */
  readonly guardrail?: string | undefined;
}

export const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

export interface TokenClaims {
  /** Id, `userName` or e-mail address of a member, who has to be active. */
  readonly member?: string | undefined;
  /** Id or slug. */
  readonly workspace?: string | undefined;
  readonly limitUsd?: string | undefined;
  /** `daily`, `weekly` or `monthly`. */
  readonly limitReset?: string | undefined;
  /** A list of slugs of models, or a text with spaces or commas between them; an empty list allows none. */
  readonly allowedModels?: string | undefined;
  /** Id or name of a guardrail, which holds as one that is assigned to an API key does. */
  readonly guardrail?: string | undefined;
  /** The `external_user` of calls that name none. */
  readonly externalUser?: string | undefined;
  /** Shown to people. Default: the claim `sub`. */
  readonly name?: string | undefined;
}

export interface TokenOptions {
  readonly issuers: readonly TokenIssuer[];
  /** For the addresses of issuers. Default: the runtime's own `fetch`. */
  readonly transport?: Transport | undefined;
}

export interface TokenParts {
  readonly platform: Platform;
  readonly logger: Logger | undefined;
  readonly store: Pick<Store, 'guardrails' | 'workspaces'>;
  readonly members: MemberDirectory;
}

/** What a token says, after all about it has been checked. */
export interface VerifiedToken {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The refusal of a token that nobody known here has signed: whoever sends it may be trying. */
export class UnprovenToken extends GatewayError {
  constructor(problem: string) {
    super('authentication', problem);
  }
}
