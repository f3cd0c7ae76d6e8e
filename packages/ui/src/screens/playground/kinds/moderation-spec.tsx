import { type Verdict, Verdicts } from '../../../features/kinds/verdicts.tsx';
import { LabelledText } from '../../../parts/controls/labelled.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { FieldsProps, KindSpec } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';
import { sendJson } from './send-json.ts';

interface ModerationDraft {
  readonly text: string;
}

interface Judged {
  readonly results: readonly Verdict[];
}

/** Moderation: what a model objects to in a text. */
export const moderationSpec: KindSpec<ModerationDraft, Judged> = {
  kind: 'moderation',
  path: '/moderations',
  firstDraft: () => ({ text: '' }),
  findProblem: ({ text }) => (text.trim() === '' ? benchKindMessages().moderation.needsText : undefined),
  toBody: ({ text }) => ({ input: text }),
  send: (model, { text }, call) => sendJson<Judged>('/moderations', { model, input: text }, call),
  Fields: ModerationFields,
  Result: ModerationResult,
};

function ModerationFields({ draft, onChange }: FieldsProps<ModerationDraft>) {
  const { moderation: t } = benchKindMessages();
  return (
    <LabelledText label={t.text} data-first-focus rows={6} value={draft.text} onChange={(text) => onChange({ text })} />
  );
}

function ModerationResult({ draft, result }: { draft: ModerationDraft; result: Judged }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="line-clamp-3 text-sm break-words text-ink-soft" title={draft.text}>
        {showControls(draft.text)}
      </p>
      <Verdicts verdicts={result.results} />
    </div>
  );
}
