import { SNIPPETS, toOtherSnippet } from '../../app/base-url.ts';
import type { CallKind } from '../../app/call-kinds.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Code } from '../../parts/text/code.tsx';
import { modelsMessages } from './messages.tsx';

/** How programs call a model: ready to be pasted. */
export function ModelCode({ id, kind }: { id: string; kind: CallKind | null }) {
  const t = modelsMessages().page;
  const snippets = kind === null ? SNIPPETS.filter(({ label }) => /curl|SDK/.test(label)) : [toOtherSnippet(kind)];
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-ink-faint">{t.keyHint('GATEWAY_API_KEY')}</p>
      {snippets.map(({ label, language, toText }) => (
        <section key={label}>
          <div className="mb-1 flex items-center justify-between">
            <h3 className="text-sm font-semibold">{label}</h3>
            <CopyButton look="quiet" text={() => toText(id)} label={t.copy} />
          </div>
          <pre
            tabIndex={0}
            aria-label={label}
            className="scroll-thin overflow-x-auto rounded-lg bg-raised p-3 font-mono text-xs"
          >
            <Code text={toText(id)} language={language} />
          </pre>
        </section>
      ))}
    </div>
  );
}
