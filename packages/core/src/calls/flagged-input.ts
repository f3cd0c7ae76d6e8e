import { GatewayError } from '../foundation/errors.ts';
import { cutMiddle } from './cut-middle.ts';

const MAX_SHOWN = 100;

/** A text as a refusal by moderation shows it (wire.md 4.2): without its middle where it is long. */
export const cutFlagged = (text: string): string => cutMiddle(text, MAX_SHOWN, '...');

export interface FlaggedCall {
  /** The model, as callers know it. */
  readonly model: string;
  /** Returns the input, of which upstream may name a part itself. */
  readonly textOf: () => string;
}

/** Adds what upstream cannot know to a refusal by its moderation; any other error stays as it is. */
export function withFlaggedInput(error: GatewayError, { model, textOf }: FlaggedCall): GatewayError {
  if (error.code !== 'moderation_flagged') return error;
  const { flagged_input: told } = error.metadata ?? {};
  return new GatewayError(error.code, error.message, {
    cause: error.cause,
    upstreamStatus: error.upstreamStatus,
    metadata: {
      ...error.metadata,
      flagged_input: cutFlagged(typeof told === 'string' ? told : textOf()),
      model_slug: model,
    },
  });
}
