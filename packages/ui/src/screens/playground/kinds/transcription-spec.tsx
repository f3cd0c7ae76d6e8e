import { useRef } from 'react';

import { SoundPlayer } from '../../../features/kinds/sound-player.tsx';
import { type Segment, Transcript } from '../../../features/kinds/transcript.tsx';
import { LabelledInput } from '../../../parts/controls/labelled.tsx';
import { readDataUrl } from '../../../parts/read-data-url.ts';
import type { FieldsProps, KindSpec } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';
import { sendJson } from './send-json.ts';
import { SoundField } from './sound-field.tsx';

interface TranscriptionDraft {
  readonly file: File | null;
  readonly language: string;
}

interface Transcribed {
  readonly text: string;
  readonly segments?: readonly Segment[];
}

const toFields = ({ language }: TranscriptionDraft) => ({
  ...(language.trim() !== '' && { language: language.trim() }),
  response_format: 'verbose_json',
});

/** The format of a sound as the API names it: the ending of its name, else its type. */
export function toSoundFormat({ name, type }: Pick<File, 'name' | 'type'>): string {
  const ending = /\.([a-z0-9]{2,5})$/i.exec(name)?.[1]?.toLowerCase();
  return ending ?? /^audio\/([\w-]+)/.exec(type)?.[1] ?? 'wav';
}

/** Transcription: a sound, as text with times. */
export const transcriptionSpec: KindSpec<TranscriptionDraft, Transcribed> = {
  kind: 'transcription',
  path: '/audio/transcriptions',
  firstDraft: () => ({ file: null, language: '' }),
  findProblem: ({ file }) => (file === null ? benchKindMessages().transcription.needsFile : undefined),
  toBody: toFields,
  async send(model, draft, call) {
    if (draft.file === null) throw new Error(benchKindMessages().transcription.needsFile);
    const data = (await readDataUrl(draft.file)).replace(/^[^,]*,/, '');
    const body = { model, ...toFields(draft), input_audio: { data, format: toSoundFormat(draft.file) } };
    return sendJson<Transcribed>('/audio/transcriptions', body, call);
  },
  Fields: TranscriptionFields,
  Result: TranscriptionResult,
};

function TranscriptionFields({ draft, onChange }: FieldsProps<TranscriptionDraft>) {
  const { transcription: t } = benchKindMessages();
  return (
    <>
      <SoundField file={draft.file} onChange={(file) => onChange({ file })} />
      <LabelledInput
        label={t.language}
        hint={t.languageHint}
        maxLength={64}
        value={draft.language}
        onChange={(language) => onChange({ language })}
      />
    </>
  );
}

function TranscriptionResult({ draft: { file }, result }: { draft: TranscriptionDraft; result: Transcribed }) {
  const player = useRef<HTMLAudioElement>(null);
  const seek = (seconds: number): void => {
    if (player.current === null) return;
    player.current.currentTime = seconds;
    void player.current.play().catch(() => undefined);
  };
  return (
    <div className="flex flex-col gap-3">
      {file !== null && <SoundPlayer ref={player} file={file} label={file.name} />}
      <Transcript text={result.text} segments={result.segments ?? []} onSeek={seek} />
    </div>
  );
}
