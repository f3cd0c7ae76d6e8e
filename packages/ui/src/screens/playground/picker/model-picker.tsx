import type { Model } from '@model-gateway/core/wire';
import { Command } from 'cmdk';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';

import { formatCompact } from '../../../format/quantity.ts';
import { useModal } from '../../../parts/dialogs/use-modal.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { formatTokenPrice } from '../../models/price-facts.ts';
import { findModels, toAbilities } from './find-models.ts';

interface ModelPickerProps {
  /** Of the button: which column it is of. */
  readonly label: string;
  readonly model: string;
  readonly models: readonly Model[];
  /** `isSent` when what is there is to be sent to it, too. */
  readonly onPick: (model: string, isSent: boolean) => void;
}

/** Beyond it typing finds a model sooner than scrolling. */
const MAX_SHOWN = 100;
const AS_WRITTEN = 'as-written';
const CALLED_BY_CHATS = new Set(['text', 'image', 'audio']);
const ITEM =
  'flex cursor-pointer flex-wrap items-baseline gap-x-3 gap-y-0.5 rounded-md px-3 py-1.5 text-sm data-[selected=true]:bg-accent-soft';

/** The model of a column, and the way to another. */
export function ModelPicker({ label, model, models, onPick }: ModelPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        data-model-picker
        aria-haspopup="dialog"
        aria-label={`${label}: ${model || 'none yet'}`}
        title="Choose another model"
        className="flex min-h-8 min-w-0 flex-1 items-center gap-1 rounded-md px-1.5 text-left hover:bg-raised"
        onClick={() => setIsOpen(true)}
      >
        <span className="truncate font-mono text-xs">{showControls(model) || 'Choose a model'}</span>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-faint" />
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
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [selected, setSelected] = useState('');
  useModal(dialog);
  const found = useMemo(
    () =>
      findModels(
        models.filter(({ architecture }) => architecture.output_modalities.some((one) => CALLED_BY_CHATS.has(one))),
        text,
      ),
    [models, text],
  );
  const written = text.trim();
  const isUnknown = written !== '' && models.every(({ id }) => id !== written);
  const pick = (value: string, isSent: boolean): void => {
    const id = value === AS_WRITTEN ? written : value.replace(/^model:/, '');
    if (id !== '') onPick(id, isSent);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // The page behind would send it, too.
    event.preventDefault();
    event.stopPropagation();
    pick(selected, true);
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Choose a model"
      className="mx-auto mt-[8vh] w-[calc(100%-2rem)] max-w-2xl rounded-xl border border-line bg-surface p-0 shadow-2xl"
      onKeyDown={(event) => {
        // Escape closes the dialog alone; the page behind would stop what runs.
        if (event.key === 'Escape') event.stopPropagation();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <Command
        label="Choose a model"
        shouldFilter={false}
        value={selected}
        onValueChange={setSelected}
        onKeyDown={onKeyDown}
        className="flex max-h-[76vh] flex-col"
      >
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="A part of its name or id, such as sonnet"
          className="w-full border-b border-line bg-transparent px-4 py-3 text-sm outline-none"
        />
        <Command.List className="scroll-thin min-h-0 overflow-y-auto p-1.5">
          {found.slice(0, MAX_SHOWN).map((model) => (
            <Command.Item
              key={model.id}
              value={`model:${model.id}`}
              className={ITEM}
              onSelect={() => onPick(model.id, false)}
            >
              <ModelRow model={model} />
            </Command.Item>
          ))}
          {isUnknown && (
            <Command.Item value={AS_WRITTEN} className={ITEM} onSelect={() => onPick(written, false)}>
              <span>
                Use <code className="font-mono text-xs break-all">{showControls(written)}</code> as written
              </span>
              <span className="text-xs text-ink-faint">
                No model of the catalog has this id; the gateway may know it as an alias.
              </span>
            </Command.Item>
          )}
        </Command.List>
        <p className="border-t border-line px-4 py-2 text-xs text-ink-faint">
          {found.length > MAX_SHOWN && `${MAX_SHOWN} of ${found.length} are shown: type more. `}
          Prices are per million tokens, in and out. Enter chooses, Ctrl Enter sends to it, too.
        </p>
      </Command>
    </dialog>
  );
}

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
        {[context !== null && `${formatCompact(context)} context`, ...toAbilities(model)].filter(Boolean).join(' · ')}
      </span>
    </>
  );
}
