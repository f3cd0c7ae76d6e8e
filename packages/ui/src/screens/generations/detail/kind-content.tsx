import type { Generation } from '@model-gateway/core/wire';
import { type ReactNode, useMemo } from 'react';

import { isObject } from '../../../api/is-object.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { MadeImages } from '../../../features/kinds/made-images.tsx';
import { type Ranked, Ranking } from '../../../features/kinds/ranking.tsx';
import { toPlayable } from '../../../features/kinds/sound-file.ts';
import { SoundPlayer } from '../../../features/kinds/sound-player.tsx';
import { Transcript } from '../../../features/kinds/transcript.tsx';
import { type Verdict, Verdicts } from '../../../features/kinds/verdicts.tsx';
import { MediaInputs } from '../../../parts/media-inputs.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { Output } from './conversation.tsx';
import { detailMessages } from './messages.ts';

type Shown = (content: GenerationContent) => ReactNode;

/** How the result of each kind is shown that is no conversation. */
const RESULTS: Partial<Readonly<Record<Generation['api_type'], Shown>>> = {
  speech: ({ output }) => <Sound output={output} />,
  image: ({ output }) => <MadeImages urls={(output.media ?? []).map(({ url }) => url)} />,
  transcription: ({ output }) => <Transcript text={output.completion ?? ''} segments={output.segments ?? []} />,
  rerank: ({ input, output }) => <Order prompt={input.prompt ?? ''} completion={output.completion ?? ''} />,
  moderation: ({ output }) => <Verdicts verdicts={toList(output.completion).filter(isVerdict)} />,
  embeddings: () => null,
};

export const hasKindContent = (kind: Generation['api_type']): boolean => RESULTS[kind] !== undefined;

interface KindContentProps {
  readonly kind: Generation['api_type'];
  readonly content: GenerationContent;
}

/** What went in and what came back, in the manner of the playground's workbench of that kind. */
export function KindContent({ kind, content }: KindContentProps) {
  const { kinds: t } = detailMessages();
  const { input, output, error } = content;
  const isStored = output.completion !== null || output.media !== undefined;
  return (
    <div className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto px-4 py-3">
      <Card title={t.input}>
        <Input kind={kind} prompt={input.prompt ?? ''} />
        <MediaInputs media={input.media ?? []} />
      </Card>
      {error === null && (
        <Card title={t.result}>
          {isStored ? RESULTS[kind]?.(content) : <p className="text-sm text-ink-faint">{t.notStored(kind)}</p>}
        </Card>
      )}
      <Output content={{ output: { completion: null, reasoning: null }, error }} />
    </div>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-lg border border-line p-3">
      <h3 className="mb-1.5 text-xs font-medium text-ink-faint">{title}</h3>
      {children}
    </section>
  );
}

function Input({ kind, prompt }: { kind: Generation['api_type']; prompt: string }) {
  if (kind === 'rerank') return <PlainText text={toOrdered(prompt).query} />;
  const list = kind === 'embeddings' || kind === 'moderation' ? toList(prompt) : [];
  if (list.length === 0) return <PlainText text={prompt} />;
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-6 text-sm">
      {list.map((item, at) => (
        <li key={at} className="break-words">
          {showControls(typeof item === 'string' ? item : JSON.stringify(item))}
        </li>
      ))}
    </ol>
  );
}

function Sound({ output: { media } }: Pick<GenerationContent, 'output'>) {
  const url = media?.[0]?.url ?? '';
  const sound = useMemo(() => toSound(url), [url]);
  return sound === undefined ? null : <SoundPlayer file={sound.file} saved={sound} />;
}

/** The endings of media types that are not called so. */
const FORMATS: Readonly<Record<string, string>> = { mpeg: 'mp3', ogg: 'opus', mp4: 'm4a' };

function toSound(url: string): { readonly name: string; readonly file: Blob } | undefined {
  const [, type = '', data = ''] = /^data:audio\/([\w-]+)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (type === '') return undefined;
  const format = FORMATS[type] ?? type;
  const file = toPlayable({ format, data });
  return { name: `speech.${format === 'pcm' ? 'wav' : format}`, file };
}

function Order({ prompt, completion }: { prompt: string; completion: string }) {
  return <Ranking documents={toOrdered(prompt).documents} results={toList(completion).filter(isRanked)} />;
}

function toOrdered(prompt: string): { readonly query: string; readonly documents: readonly string[] } {
  const value = toJson(prompt);
  if (!isObject(value)) return { query: prompt, documents: [] };
  const documents = Array.isArray(value['documents']) ? value['documents'] : [];
  return {
    query: String(value['query']),
    documents: documents.map(toDocumentText),
  };
}

/** An image has no text. */
const toDocumentText = (one: unknown): string => {
  const text = isObject(one) ? one['text'] : one;
  return typeof text === 'string' ? text : '';
};

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The items of a JSON list; none for any other text. */
function toList(text: string | null): readonly unknown[] {
  const value = toJson(text ?? '');
  return Array.isArray(value) ? value : [];
}

const isRanked = (value: unknown): value is Ranked =>
  isObject(value) && typeof value['index'] === 'number' && typeof value['relevance_score'] === 'number';

const isVerdict = (value: unknown): value is Verdict =>
  isObject(value) && isObject(value['categories']) && isObject(value['category_scores']);
