import { toPlayableBytes } from '../../../features/kinds/sound-file.ts';
import { SoundPlayer } from '../../../features/kinds/sound-player.tsx';
import { LabelledInput, LabelledSelect, LabelledText } from '../../../parts/controls/labelled.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { FieldsProps, KindSpec } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';
import { sendKind } from './send-json.ts';

interface SpeechDraft {
  readonly text: string;
  readonly voice: string;
  readonly format: string;
  readonly speed: string;
  readonly instructions: string;
}

interface Spoken {
  /** As it came. */
  readonly file: Blob;
  /** As browsers may play it. */
  readonly playable: Blob;
}

/** Those that most browsers play come first. */
const FORMATS = ['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm'] as const;

function toBody({ text, voice, format, speed, instructions }: SpeechDraft) {
  return {
    input: text,
    ...(voice !== '' && { voice }),
    response_format: format,
    ...(Number(speed) > 0 && Number(speed) !== 1 && { speed: Number(speed) }),
    ...(instructions.trim() !== '' && { instructions: instructions.trim() }),
  };
}

/** Speech: a text, spoken with a voice. */
export const speechSpec: KindSpec<SpeechDraft, Spoken> = {
  kind: 'speech',
  path: '/audio/speech',
  firstDraft: () => ({ text: '', voice: '', format: 'mp3', speed: '', instructions: '' }),
  findProblem: ({ text }) => (text.trim() === '' ? benchKindMessages().speech.needsText : undefined),
  toBody,
  async send(model, draft, call) {
    const { response, generationId } = await sendKind('/audio/speech', { model, ...toBody(draft) }, call);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const file = new Blob([bytes], { type: response.headers.get('content-type') ?? '' });
    return { result: { file, playable: toPlayableBytes(draft.format, bytes) }, generationId };
  },
  Fields: SpeechFields,
  Result: SpeechResult,
};

function SpeechFields({ draft, model, onChange }: FieldsProps<SpeechDraft>) {
  const { speech: t } = benchKindMessages();
  const voices = model.supported_voices ?? [];
  return (
    <>
      <LabelledText
        label={t.text}
        data-first-focus
        rows={5}
        placeholder={t.example}
        value={draft.text}
        onChange={(text) => onChange({ text })}
      />
      <div className="grid grid-cols-2 gap-3">
        {voices.length > 0 ? (
          <LabelledSelect
            label={t.voice}
            value={voices.includes(draft.voice) ? draft.voice : ''}
            options={[['', t.anyVoice], ...voices]}
            onChange={(voice) => onChange({ voice })}
          />
        ) : (
          <LabelledInput
            label={t.voice}
            placeholder={t.anyVoice}
            title={t.voiceHint}
            value={draft.voice}
            onChange={(voice) => onChange({ voice })}
          />
        )}
        <LabelledSelect
          label={t.format}
          value={draft.format}
          options={FORMATS}
          onChange={(format) => onChange({ format })}
        />
        <LabelledInput
          label={t.speed}
          hint={t.speedHint}
          type="number"
          min={0.25}
          max={4}
          step={0.05}
          value={draft.speed}
          onChange={(speed) => onChange({ speed })}
        />
        <LabelledInput
          label={t.instructions}
          hint={t.instructionsHint}
          value={draft.instructions}
          onChange={(instructions) => onChange({ instructions })}
        />
      </div>
    </>
  );
}

function SpeechResult({ draft, result }: { draft: SpeechDraft; result: Spoken }) {
  const facts = [draft.voice, draft.format, draft.speed === '' ? '' : `× ${draft.speed}`].filter((fact) => fact !== '');
  return (
    <div className="flex flex-col gap-2">
      <p className="line-clamp-3 text-sm break-words text-ink-soft" title={draft.text}>
        {showControls(draft.text)}
      </p>
      <SoundPlayer
        file={result.playable}
        label={facts.join(', ')}
        saved={{ name: `speech.${draft.format}`, file: result.file }}
      />
      <p className="text-xs text-ink-faint">{showControls(facts.join(' · '))}</p>
    </div>
  );
}
