import type { Model } from '@model-gateway/core/wire';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';

import { formatTokenPrice } from '../../features/models/model-facts.ts';
import { formatCompact } from '../../format/quantity.ts';
import { useCombobox } from '../../parts/controls/use-combobox.ts';
import { useClickBeside, useModal } from '../../parts/dialogs/use-modal.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { playgroundMessages } from './messages.tsx';

interface ModelPickerProps {
  /** Label of the button, which names its column. */
  readonly label: string;
  readonly model: string;
  readonly models: readonly Model[];
  /** `isSent` when what is there is to be sent to it, too. */
  readonly onPick: (model: string, isSent: boolean) => void;
}

/** Beyond it typing finds a model sooner than scrolling. */
const MAX_SHOWN = 100;
const ITEM = 'flex cursor-pointer flex-wrap items-baseline gap-x-3 gap-y-0.5 rounded-md px-3 py-1.5 text-sm';

/** The model of a column, and the way to another. */
export function ModelPicker({ label, model, models, onPick }: ModelPickerProps) {
  const { picker: t } = playgroundMessages();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        data-model-picker
        aria-haspopup="dialog"
        aria-label={t.labelled(label, model)}
        title={t.another}
        className="flex min-h-8 min-w-0 flex-1 items-center gap-1 rounded-md px-1.5 text-left hover:bg-raised"
        onClick={() => setIsOpen(true)}
      >
        <span className="truncate font-mono text-xs">{showControls(model) || t.title}</span>
        <ChevronDown size={14} className="shrink-0 text-ink-faint" />
      </button>
      {isOpen && (
        <PickerDialog
          models={models}
          onClose={() => setIsOpen(false)}
          onPick={(picked, isSent) => {
            setIsOpen(false);
            onPick(picked, isSent);
          }}
        />
      )}
    </>
  );
}

interface PickerDialogProps extends Pick<ModelPickerProps, 'models' | 'onPick'> {
  readonly onClose: () => void;
}

export function PickerDialog({ models, onPick, onClose }: PickerDialogProps) {
  const { picker: t } = playgroundMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  useModal(dialog);
  const beside = useClickBeside(onClose);
  const found = useMemo(() => findModels(models.filter(isChat), text), [models, text]);
  const written = text.trim();
  const isUnknown = written !== '' && models.every(({ id }) => id !== written);
  const shown = found.slice(0, MAX_SHOWN);
  const ids = [...shown.map(({ id }) => id), ...(isUnknown ? [written] : [])];
  const combobox = useCombobox({
    count: ids.length,
    isOpen: true,
    startsActive: true,
    onTake: (place) => onPick(ids[place] ?? '', false),
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    // Escape closes the dialog alone; the page behind would stop what runs.
    if (event.key === 'Escape') return event.stopPropagation();
    const isStep = combobox.walk(event);
    if (!isStep && event.key !== 'Enter') return;
    event.preventDefault();
    // The page behind would send it, too.
    event.stopPropagation();
    const id = ids[combobox.active];
    if (!isStep && id !== undefined) onPick(id, event.ctrlKey || event.metaKey);
  };
  const optionAt = (place: number) => ({
    ...combobox.optionAt(place),
    'aria-selected': place === combobox.active,
    className: `${ITEM} ${place === combobox.active ? 'bg-accent-soft' : 'hover:bg-raised'}`,
  });
  return (
    <dialog
      ref={dialog}
      aria-label={t.title}
      className="mx-auto mt-[8vh] w-[calc(100%-2rem)] max-w-2xl rounded-xl border border-line bg-surface p-0 shadow-2xl"
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      {...beside}
    >
      <div className="flex max-h-[76vh] flex-col">
        <input
          {...combobox.input}
          aria-label={t.find}
          placeholder={t.findHint}
          className="w-full border-b border-line bg-transparent px-4 py-3 text-sm outline-none"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            combobox.reset();
          }}
        />
        <div {...combobox.list} aria-label={t.models} className="scroll-thin min-h-0 overflow-y-auto p-1.5">
          {shown.map((model, place) => (
            <div key={model.id} {...optionAt(place)}>
              <ModelRow model={model} />
            </div>
          ))}
          {isUnknown && (
            <div {...optionAt(shown.length)}>
              <span>{t.asWritten(<code className="font-mono text-xs break-all">{showControls(written)}</code>)}</span>
              <span className="text-xs text-ink-faint">{t.notInCatalog}</span>
            </div>
          )}
        </div>
        <p className="border-t border-line px-4 py-2 text-xs text-ink-faint">
          {found.length > MAX_SHOWN && t.more(MAX_SHOWN, found.length)}
          {t.hint}
        </p>
      </div>
    </dialog>
  );
}

/** Whether a model is called by chats: those that make films or embeddings are not. */
const isChat = ({ architecture }: Model): boolean =>
  architecture.output_modalities.some((one) => one === 'text' || one === 'image' || one === 'audio');

function ModelRow({ model }: { model: Model }) {
  const { name, id, pricing, context_length: context } = model;
  return (
    <>
      <span className="min-w-0 font-medium break-words">{showControls(name)}</span>
      <code className="min-w-0 flex-1 font-mono text-xs break-all text-ink-faint">{showControls(id)}</code>
      <span className="figures text-xs whitespace-nowrap text-ink-soft">
        {formatTokenPrice(pricing, 'prompt')} / {formatTokenPrice(pricing, 'completion')}
      </span>
      <span className="w-full text-xs text-ink-faint">
        {[context !== null && playgroundMessages().picker.context(formatCompact(context)), ...toAbilities(model)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  );
}

type Named = Pick<Model, 'id' | 'name'>;

/** The models whose id or name has every word of a text, those first that begin with it. */
export function findModels<Each extends Named>(models: readonly Each[], text: string): readonly Each[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models
    .map((model) => ({ model, rank: rankOf(model, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ model }) => model);
}

function rankOf({ id, name }: Named, words: readonly string[]): number {
  const texts = [id.toLowerCase(), name.toLowerCase()];
  if (!words.every((word) => texts.some((text) => text.includes(word)))) return 0;
  const [first = ''] = words;
  if (words.length === 1 && texts.includes(first)) return 4;
  if (texts.some((text) => text.startsWith(first))) return 3;
  // The beginning of a word: `gpt` in `openai/gpt-4o`.
  return texts.some((text) => text.split(/[^a-z0-9.]+/).some((part) => part.startsWith(first))) ? 2 : 1;
}

/** What a model can do beside texts, in the words of the picker. */
export function toAbilities({
  architecture,
  supported_parameters: parameters,
}: Pick<Model, 'architecture' | 'supported_parameters'>): readonly string[] {
  const { input_modalities: inputs, output_modalities: outputs } = architecture;
  const { abilities: t } = playgroundMessages().picker;
  const has = (name: string): boolean => parameters.includes(name);
  return [
    has('tools') && t.tools,
    has('structured_outputs') && t.schema,
    (has('reasoning') || has('reasoning_effort')) && t.reasoning,
    inputs.includes('image') && t.seesImages,
    inputs.includes('file') && t.readsFiles,
    inputs.includes('audio') && t.hearsAudio,
    outputs.includes('image') && t.makesImages,
    outputs.includes('audio') && t.speaks,
  ].filter((ability) => ability !== false);
}
