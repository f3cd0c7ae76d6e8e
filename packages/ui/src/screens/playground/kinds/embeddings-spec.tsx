import { SimilarityMap } from '../../../features/kinds/similarity-map.tsx';
import { LabelledInput, LabelledText } from '../../../parts/controls/labelled.tsx';
import { type FieldsProps, type KindSpec, toLines, toWhole } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';
import { sendJson } from './send-json.ts';

interface EmbeddingsDraft {
  readonly texts: string;
  readonly dimensions: string;
}

interface Vectors {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
}

function toBody({ texts, dimensions }: EmbeddingsDraft) {
  const length = toWhole(dimensions);
  return { input: toLines(texts), ...(length !== undefined && { dimensions: length }) };
}

/** Embeddings: texts, and how similar they are. */
export const embeddingsSpec: KindSpec<EmbeddingsDraft, Vectors> = {
  kind: 'embeddings',
  path: '/embeddings',
  firstDraft: () => ({ texts: '', dimensions: '' }),
  findProblem({ texts, dimensions }) {
    const { embeddings: t } = benchKindMessages();
    if (toLines(texts).length === 0) return t.needsInput;
    return Number.isNaN(toWhole(dimensions)) ? t.badDimensions : undefined;
  },
  toBody,
  send: (model, draft, call) =>
    sendJson<Vectors>('/embeddings', { model, ...toBody(draft), encoding_format: 'float' }, call),
  Fields: EmbeddingsFields,
  Result: EmbeddingsResult,
};

function EmbeddingsFields({ draft, onChange }: FieldsProps<EmbeddingsDraft>) {
  const { onePerLine, embeddings: t } = benchKindMessages();
  const count = toLines(draft.texts).length;
  return (
    <>
      <LabelledText
        label={t.inputs}
        hint={count > 0 ? t.count(count) : onePerLine}
        data-first-focus
        rows={8}
        value={draft.texts}
        onChange={(texts) => onChange({ texts })}
      />
      <LabelledInput
        label={t.dimensions}
        hint={t.dimensionsHint}
        type="number"
        min={1}
        step={1}
        value={draft.dimensions}
        onChange={(dimensions) => onChange({ dimensions })}
      />
    </>
  );
}

function EmbeddingsResult({ draft, result }: { draft: EmbeddingsDraft; result: Vectors }) {
  return <SimilarityMap inputs={toLines(draft.texts)} vectors={result.data.map(({ embedding }) => embedding)} />;
}
