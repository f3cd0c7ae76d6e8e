import { ImagePlus, X } from 'lucide-react';
import { type ChangeEvent, useRef } from 'react';

import { formatBytes } from '../../format/quantity.ts';
import { Button } from '../../parts/button.tsx';
import { showToast } from '../../parts/toast-store.ts';
import type { AttachedImage } from './draft.ts';

/** With the others, and a third more for base64, still within what the gateway takes by default. */
const MAX_BYTES = 8 * 1024 * 1024;

interface AttachedImagesProps {
  readonly images: readonly AttachedImage[];
  readonly onChange: (images: readonly AttachedImage[]) => void;
}

/** Images from this machine that go with the prompt. */
export function AttachedImages({ images, onChange }: AttachedImagesProps) {
  const input = useRef<HTMLInputElement>(null);
  const add = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const files = [...(target.files ?? [])];
    // The same file can be chosen again after it was removed.
    target.value = '';
    const large = files.find(({ size }) => size > MAX_BYTES);
    if (large !== undefined) {
      return showToast({ tone: 'bad', title: `${large.name} is larger than ${formatBytes(MAX_BYTES)}` });
    }
    const read = await Promise.all(files.map(async (file) => ({ name: file.name, url: await readAsUrl(file) })));
    onChange([...images, ...read]);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        ref={input}
        type="file"
        multiple
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-label="Images to attach"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => void add(event)}
      />
      <Button look="quiet" icon={<ImagePlus size={15} aria-hidden />} onClick={() => input.current?.click()}>
        Image
      </Button>
      {images.map(({ name, url }, at) => (
        <span
          key={`${at} ${name}`}
          className="flex items-center gap-1.5 rounded-md border border-line bg-raised p-1 text-xs"
        >
          <img src={url} alt="" className="size-6 rounded object-cover" />
          <span className="max-w-32 truncate">{name}</span>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            className="grid size-6 place-items-center rounded text-ink-faint hover:text-ink"
            onClick={() => onChange(images.filter((_, other) => other !== at))}
          >
            <X size={14} aria-hidden />
          </button>
        </span>
      ))}
    </div>
  );
}

function readAsUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file could not be read')));
    reader.readAsDataURL(file);
  });
}
