import type { GenerationContent, MediaInput } from '../wire/generation.ts';
import type { GenerationLogging } from './observer.ts';

/** Maximum length of the base64 of everything that one call has made. */
const MAX_CHARACTERS = 3 * 1024 * 1024;

/** Never so much that the prompt would not be stored because of it. */
const mostCharacters = ({ inputOutput, maxContentBytes }: GenerationLogging): number =>
  inputOutput ? Math.min(MAX_CHARACTERS, Math.floor(maxContentBytes / 2)) : 0;

interface Made {
  readonly mediaType: string;
  readonly base64: string;
}

/** Media that a call has made, as its content has them; none of them where they are too large together. */
export function toMadeMedia(
  type: MediaInput['type'],
  made: readonly Made[],
  logging: GenerationLogging,
): Pick<GenerationContent['output'], 'media'> {
  const characters = made.reduce((sum, { base64 }) => sum + base64.length, 0);
  if (made.length === 0 || characters > mostCharacters(logging)) return {};
  return {
    media: made.map(({ mediaType, base64 }) => ({ type, frame: null, url: `data:${mediaType};base64,${base64}` })),
  };
}

/** Pieces that go to the caller, and a copy of them for the record. */
export interface CopiedPieces {
  readonly rest: AsyncIterator<Uint8Array>;
  /** All pieces so far in base64; undefined once they are too large to be stored. */
  readonly toBase64: () => string | undefined;
}

/** Copies what is handed on, as long as it may be stored. */
export function copyPieces(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  logging: GenerationLogging,
): CopiedPieces {
  let left = Math.floor((mostCharacters(logging) * 3) / 4) - first.byteLength;
  let pieces: Uint8Array[] | undefined = left < 0 ? undefined : [first];
  if (pieces === undefined) return { rest, toBase64: () => undefined };
  return {
    rest: {
      async next() {
        const step = await rest.next();
        if (step.done === true || pieces === undefined) return step;
        left -= step.value.byteLength;
        if (left < 0) pieces = undefined;
        else pieces.push(step.value.slice());
        return step;
      },
      return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
    },
    toBase64: () => (pieces === undefined ? undefined : joinBase64(pieces)),
  };
}

/** Maximum number of arguments of one call of `fromCharCode`: they lie on the stack. */
const STEP_BYTES = 8192;

function joinBase64(pieces: readonly Uint8Array[]): string {
  let binary = '';
  for (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += STEP_BYTES) {
      binary += String.fromCharCode(...piece.subarray(at, at + STEP_BYTES));
    }
  }
  return btoa(binary);
}
