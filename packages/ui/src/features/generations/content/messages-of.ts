import type { GenerationContent } from '../../../api/types.ts';

/** The messages of a stored prompt; one of the user where it was a plain text. */
export const messagesOf = ({ input }: Pick<GenerationContent, 'input'>): readonly unknown[] =>
  input.messages ?? [{ role: 'user', content: input.prompt ?? '' }];
