import { type Ranked, Ranking } from '../../../features/kinds/ranking.tsx';
import { LabelledInput, LabelledText } from '../../../parts/controls/labelled.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { type FieldsProps, type KindSpec, toLines, toWhole } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';
import { sendJson } from './send-json.ts';

interface RerankDraft {
  readonly query: string;
  readonly documents: string;
  readonly limit: string;
}

interface Order {
  readonly results: readonly Ranked[];
}

function toBody({ query, documents, limit }: RerankDraft) {
  const most = toWhole(limit);
  return { query, documents: toLines(documents), ...(most !== undefined && { top_n: most }) };
}

/** Rerank: documents in the order of their relevance to a question. */
export const rerankSpec: KindSpec<RerankDraft, Order> = {
  kind: 'rerank',
  path: '/rerank',
  firstDraft: () => ({ query: '', documents: '', limit: '' }),
  findProblem({ query, documents, limit }) {
    const { rerank: t } = benchKindMessages();
    if (query.trim() === '') return t.needsQuery;
    if (toLines(documents).length === 0) return t.needsDocuments;
    return Number.isNaN(toWhole(limit)) ? t.badLimit : undefined;
  },
  toBody,
  send: (model, draft, call) => sendJson<Order>('/rerank', { model, ...toBody(draft) }, call),
  Fields: RerankFields,
  Result: RerankResult,
};

function RerankFields({ draft, onChange }: FieldsProps<RerankDraft>) {
  const { onePerLine, rerank: t } = benchKindMessages();
  return (
    <>
      <LabelledInput label={t.query} data-first-focus value={draft.query} onChange={(query) => onChange({ query })} />
      <LabelledText
        label={t.documents}
        hint={onePerLine}
        rows={8}
        value={draft.documents}
        onChange={(documents) => onChange({ documents })}
      />
      <LabelledInput
        label={t.limit}
        hint={t.limitHint}
        type="number"
        min={1}
        step={1}
        value={draft.limit}
        onChange={(limit) => onChange({ limit })}
      />
    </>
  );
}

function RerankResult({ draft, result }: { draft: RerankDraft; result: Order }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="line-clamp-2 text-sm break-words text-ink-soft" title={draft.query}>
        {showControls(draft.query)}
      </p>
      <Ranking documents={toLines(draft.documents)} results={result.results} />
    </div>
  );
}
