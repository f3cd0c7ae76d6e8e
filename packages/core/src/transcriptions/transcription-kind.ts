import type { CallKind } from '../calls/call-kind.ts';
import { type Place, record, recordWithMedia, text } from '../calls/text-places.ts';
import { type RequestText, toVisitor } from '../calls/texts.ts';
import type { AudioFile } from '../providers/audio-contract.ts';
import type { TranscriptionFields } from '../wire/transcription.ts';
import { worstCaseOfTranscription } from './transcription-costs.ts';

/** A checked request with its audio. */
export interface TranscriptionRequest extends TranscriptionFields {
  readonly audio: AudioFile;
}

/** The kind of calls that write down what is said. Filters read what comes back; audio itself they cannot. */
export const transcriptionKind: CallKind<TranscriptionRequest> = {
  name: 'transcription',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf({ provider }) {
    const { options: _, ...preferences } = provider ?? {};
    return { provider: preferences, partition: 'model' };
  },
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf: () => ({
    parameters: [],
    // Every model of the kind reads audio.
    inputModalities: [],
    outputModalities: ['transcription'],
    minPromptTokens: 0,
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf: ({ audio }) => ({ worstCaseNanoUsd: (prices) => worstCaseOfTranscription(prices, audio) }),
  mapTexts,
  storedOf: ({ audio: { format, byteLength: bytes }, ...request }) => ({ ...request, input_audio: { format, bytes } }),
};

function mapTexts(request: TranscriptionRequest, change: (text: RequestText) => string): TranscriptionRequest {
  const visit = toVisitor(change);
  let changed = request;
  for (const [field, place] of Object.entries(PLACES) as [keyof typeof PLACES, Place][]) {
    if (request[field] == null) continue;
    const mapped = place(request[field], visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

/** A provider's own parameters, which may be prompts; its names are checked. */
const options: Place = (provider, visit) => {
  const { options: own } = provider as NonNullable<TranscriptionFields['provider']>;
  const mapped = own == null ? own : recordWithMedia(own, visit);
  return mapped === own ? provider : { ...(provider as object), options: mapped };
};

const PLACES = { language: text, provider: options, user: text, session_id: text, trace: record } as const;
