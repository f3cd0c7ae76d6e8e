import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { receiveCall } from '../calls/model-call.ts';
import { amendRequest, type HookedRequest } from '../calls/request-hook.ts';
import type { FileLibrary } from '../files/file-library.ts';
import { findNamedFile } from '../files/resolve-files.ts';
import { parseWith } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import { runSpeech, speechKind } from '../speech/speech.ts';
import { type OpenStoredAudio, readAudio } from '../transcriptions/audio-files.ts';
import { runStreamedTranscription } from '../transcriptions/streamed-transcription.ts';
import { transcriptionKind } from '../transcriptions/transcription-kind.ts';
import { runTranscription } from '../transcriptions/transcription.ts';
import { speechRequestSchema } from '../wire/speech.ts';
import {
  transcriptionEventSchema,
  transcriptionFieldsSchema,
  transcriptionRequestSchema,
  transcriptionResponseSchema,
  type TranscriptionFields,
} from '../wire/transcription.ts';
import type { WholeKindParts } from './whole-call.ts';

/** `POST /audio/speech`: the bytes as they come; errors before the first one are JSON. */
export const createSpeech = operation<WholeKindParts>()({
  headers: CALL_HEADERS,
  body: speechRequestSchema,
  response: { mediaTypes: { 'audio/*': null } },
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run({ body, ...context }) {
    const hooked: HookedRequest = { kind: 'speech', request: body };
    const request = await amendRequest(hooked, (value) => parseWith(speechRequestSchema, value), context);
    return runSpeech(receiveCall(speechKind, request, context), context);
  },
});

interface TranscriptionParts extends WholeKindParts {
  /** Null where no files are stored. */
  readonly files: FileLibrary | null;
}

/** `POST /audio/transcriptions`, as JSON or as a form with a file; the response is JSON, text or events. */
export const createTranscription = operation<TranscriptionParts>()({
  headers: CALL_HEADERS,
  body: { readByRun: transcriptionRequestSchema },
  response: {
    mediaTypes: {
      'application/json': transcriptionResponseSchema,
      'text/event-stream': transcriptionEventSchema,
      'text/plain': null,
      'text/vtt': null,
    },
  },
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run(context) {
    const { request: sent, parts, principal } = context;
    const { workspaceId = DEFAULT_WORKSPACE_ID } = principal;
    const openStored: OpenStoredAudio = (id, path) => findNamedFile(parts.files, id, workspaceId, path);
    const { fields, audio } = await readAudio(sent, openStored);
    const check = (value: unknown): TranscriptionFields => parseWith(transcriptionFieldsSchema, value);
    const hooked: HookedRequest = { kind: 'transcription', request: check(fields) };
    const request = await amendRequest(hooked, check, context);
    const call = receiveCall(transcriptionKind, { ...request, audio }, context);
    return request.stream === true ? runStreamedTranscription(call, context) : runTranscription(call, context);
  },
});
