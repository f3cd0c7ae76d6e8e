import type { z } from 'zod';

import type { CallKind } from '../calls/call-kind.ts';
import { createModelCall, type ModelCall } from '../calls/model-call.ts';
import { parseWith } from '../foundation/parse.ts';
import type { AudioFile } from '../providers/audio-contract.ts';
import type { TranscriptionRequest } from '../transcriptions/transcription-kind.ts';
import type { CallKindName } from '../wire/call-kinds.ts';
import type { TranscriptionFields } from '../wire/transcription.ts';

type Origin = Pick<Parameters<typeof createModelCall>[0], 'principal' | 'region' | 'headers'>;

/** Makes a call of a body, which is never sent. Throws `invalid_request` that names the field. */
type ReadAsked = (body: unknown, origin: Origin) => ModelCall<unknown>;

const asked =
  <Request>(kind: CallKind<Request>, schema: z.ZodType<Request, unknown>): ReadAsked =>
  (body, origin) =>
    createModelCall({ ...origin, id: '', kind, request: parseWith(schema, body) });

const NO_AUDIO: AudioFile = { format: 'wav', filename: '', mediaType: 'audio/wav', byteLength: 0, open: () => [] };

/** Where a call goes does not depend on its audio, which an administrator need not send. */
const withoutAudio = (fields: TranscriptionFields): TranscriptionRequest => ({ ...fields, audio: NO_AUDIO });

/** How requests of each kind but chats are read to explain where they would go. */
export const EXPLAINED: { readonly [Name in Exclude<CallKindName, 'chat'>]: () => Promise<ReadAsked> } = {
  video: async () => {
    const [{ videoKind }, wire] = await Promise.all([import('../videos/video-kind.ts'), import('../wire/videos.ts')]);
    return asked(videoKind, wire.videoRequestSchema);
  },
  embeddings: async () => {
    const [kinds, wire] = await Promise.all([import('../embeddings/embeddings.ts'), import('../wire/embeddings.ts')]);
    return asked(kinds.embeddingsKind, wire.embeddingsRequestSchema);
  },
  rerank: async () => {
    const [{ rerankKind }, wire] = await Promise.all([import('../rerank/rerank.ts'), import('../wire/rerank.ts')]);
    return asked(rerankKind, wire.rerankRequestSchema);
  },
  speech: async () => {
    const [{ speechKind }, wire] = await Promise.all([import('../speech/speech.ts'), import('../wire/speech.ts')]);
    return asked(speechKind, wire.speechRequestSchema);
  },
  transcription: async () => {
    const [kinds, wire] = await Promise.all([
      import('../transcriptions/transcription-kind.ts'),
      import('../wire/transcription.ts'),
    ]);
    return asked(kinds.transcriptionKind, wire.transcriptionFieldsSchema.transform(withoutAudio));
  },
  image: async () => {
    const [{ imageKind }, wire] = await Promise.all([import('../images/image-kind.ts'), import('../wire/images.ts')]);
    return asked(imageKind, wire.imageRequestSchema);
  },
  moderation: async () => {
    const [kinds, wire] = await Promise.all([
      import('../moderations/moderations.ts'),
      import('../wire/moderations.ts'),
    ]);
    return asked(kinds.moderationKind, wire.moderationRequestSchema);
  },
};
