import type { VideoModel } from '@model-gateway/core/wire';

import { Checkbox, Field, issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { readDataUrl } from '../../parts/read-data-url.ts';
import { videosMessages } from './messages.tsx';
import type { VideoDraft } from './video-draft.ts';

interface VideoFieldsProps {
  readonly model: VideoModel;
  readonly draft: VideoDraft;
  readonly onChange: (change: Partial<VideoDraft>) => void;
  readonly error: unknown;
}

/** Fields of a video request: choices where the model states its abilities, free fields where it does not. */
export function VideoFields({ model, draft, onChange: set, error }: VideoFieldsProps) {
  const { form: t } = videosMessages();
  const hasFrames = model.supported_frame_images?.includes('first_frame') !== false;
  const choose = (
    label: string,
    name: 'duration' | 'size' | 'resolution' | 'aspectRatio',
    path: string,
    options: readonly string[] | null,
    placeholder?: string,
    cleared?: Partial<VideoDraft>,
  ) => (
    <Choose
      label={label}
      options={options}
      placeholder={placeholder}
      value={draft[name]}
      onChange={(value) => set({ ...cleared, [name]: value })}
      error={issueFor(error, path)}
    />
  );
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {choose(t.duration, 'duration', 'duration', model.supported_durations?.map(String) ?? null)}
        {choose(t.size, 'size', 'size', model.supported_sizes, '1280x720', { resolution: '', aspectRatio: '' })}
        {choose(t.resolution, 'resolution', 'resolution', model.supported_resolutions, '720p', { size: '' })}
        {choose(t.ratio, 'aspectRatio', 'aspect_ratio', model.supported_aspect_ratios, '16:9', { size: '' })}
      </div>
      {hasFrames && <FrameField draft={draft} onChange={set} error={issueFor(error, 'frame_images')} />}
      {model.generate_audio === true && (
        <Checkbox
          label={t.audio}
          checked={draft.hasAudio}
          onChange={(event) => set({ hasAudio: event.target.checked })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {model.seed !== false && (
          <Choose
            label={t.seed}
            options={null}
            placeholder={t.anySeed}
            value={draft.seed}
            onChange={(seed) => set({ seed: seed.replace(/\D/g, '') })}
            error={issueFor(error, 'seed')}
          />
        )}
        <LabelledInput
          label={t.callback}
          hint={t.callbackHint}
          error={issueFor(error, 'callback_url')}
          type="url"
          placeholder="https://…"
          value={draft.callbackUrl}
          onChange={(text) => set({ callbackUrl: text })}
        />
      </div>
    </>
  );
}

interface ChooseProps {
  readonly label: string;
  /** Null where the model does not say. */
  readonly options: readonly string[] | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly error: string | undefined;
}

function Choose({ options, placeholder, ...rest }: ChooseProps) {
  if (options === null) return <LabelledInput {...rest} placeholder={placeholder} />;
  return <LabelledSelect {...rest} options={[['', videosMessages().form.modelDefault], ...options]} />;
}

interface FrameFieldProps {
  readonly draft: VideoDraft;
  readonly onChange: (change: Partial<VideoDraft>) => void;
  readonly error: string | undefined;
}

function FrameField({ draft, onChange, error }: FrameFieldProps) {
  const { form: t } = videosMessages();
  const read = async (file: File | undefined): Promise<void> => {
    try {
      onChange({ firstFrame: file === undefined ? null : await readDataUrl(file) });
    } catch (error) {
      showFailure(t.fileNotRead, error);
    }
  };
  return (
    <div className="flex items-end gap-3">
      <Field label={t.firstFrame} error={error} className="flex-1">
        {(control) => (
          <input
            {...control}
            type="file"
            accept="image/png,image/jpeg,image/webp"
            className="field file:mr-3 file:rounded file:border-0 file:bg-raised file:px-2 file:py-0.5 file:text-ink"
            onChange={(event) => void read(event.target.files?.[0])}
          />
        )}
      </Field>
      {draft.firstFrame !== null && (
        <img src={draft.firstFrame} alt={t.firstFrameAlt} className="h-16 rounded-md border border-line object-cover" />
      )}
    </div>
  );
}
