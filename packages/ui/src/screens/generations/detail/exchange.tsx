import type { StoredRequestReport } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import type { GenerationContent } from '../../../api/types.ts';
import { requestQuery } from '../../../features/generations/content/request-query.ts';
import { DiffText } from '../../../features/playground/diff/diff-text.tsx';
import { Choice } from '../../../parts/controls/field.tsx';
import { Select } from '../../../parts/controls/select.tsx';
import { JsonTree } from '../../../parts/text/json-tree.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { detailMessages } from './messages.ts';

interface ExchangeProps {
  readonly id: string;
  readonly content: GenerationContent;
}

/** The request above the response, or beside it. */
export function Exchange({ id, content: { input, output, error } }: ExchangeProps) {
  const t = detailMessages().tabs;
  const { data: request, isPending } = useQuery(requestQuery(id));
  return (
    <div className="@container h-full">
      <div className="grid h-full grid-rows-2 divide-y divide-line @4xl:grid-cols-2 @4xl:grid-rows-1 @4xl:divide-x @4xl:divide-y-0">
        <section aria-label={t.request} className="flex min-h-0 min-w-0 flex-col">
          {request != null ? (
            <WholeRequest request={request} />
          ) : (
            // The prompt alone, of a call that was recorded before requests were stored.
            !isPending && <JsonTree value={input} label={t.request} title={<Heading>{t.request}</Heading>} />
          )}
        </section>
        <section aria-label={t.response} className="flex min-h-0 min-w-0 flex-col">
          <JsonTree
            value={error === null ? output : { output, error }}
            label={t.response}
            title={<Heading>{t.response}</Heading>}
          />
        </section>
      </div>
    </div>
  );
}

const Heading = ({ children }: { children: ReactNode }) => (
  <h2 className="text-sm font-semibold text-ink">{children}</h2>
);

type View = 'received' | 'sent' | 'changes';

/** The request as it came in, as it was sent to an endpoint, and what the gateway has changed on the way. */
function WholeRequest({ request: { format, body, attempts } }: { request: StoredRequestReport }) {
  const t = detailMessages().tabs;
  const [view, setView] = useState<View>('received');
  const [at, setAt] = useState(attempts.length - 1);
  const attempt = attempts[at];
  const shown = attempt === undefined ? 'received' : view;
  const title = (
    <div className="relative flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      {/* Three views and the button beside them fill a telephone. */}
      <span className={attempt === undefined ? '' : '@max-xl:sr-only'}>
        <Heading>{t.request}</Heading>
      </span>
      {attempt !== undefined && (
        <Choice
          label={t.requestView}
          value={shown}
          options={{ received: t.received, sent: t.sent, changes: t.changes }}
          onChange={setView}
        />
      )}
      {shown === 'received' ? (
        <span className="text-xs text-ink-faint @max-xl:sr-only">{t.format(format)}</span>
      ) : attempts.length > 1 ? (
        <Select
          label={t.attempt}
          value={String(at)}
          options={attempts.map(({ endpoint }, index): [string, string] => [
            String(index),
            `${index + 1}. ${showControls(endpoint)}`,
          ])}
          onChange={(next) => setAt(Number(next))}
        />
      ) : (
        <span className="min-w-0 truncate text-xs text-ink-faint">{showControls(attempt?.endpoint ?? '')}</span>
      )}
    </div>
  );
  if (shown === 'changes') return <Changes title={title} before={body} after={attempt?.body} />;
  return (
    <JsonTree key={`${shown} ${at}`} value={shown === 'sent' ? attempt?.body : body} label={t.request} title={title} />
  );
}

const toLines = (value: unknown): string => JSON.stringify(value, null, 2);

function Changes({ title, before, after }: { title: ReactNode; before: unknown; after: unknown }) {
  return (
    <>
      <div className="px-4 py-2">{title}</div>
      <div
        tabIndex={0}
        role="group"
        aria-label={detailMessages().tabs.changes}
        className="scroll-thin min-h-0 flex-1 overflow-auto px-4 pb-3 font-mono"
      >
        <DiffText before={toLines(before)} after={toLines(after)} than={detailMessages().tabs.theReceived} isPlain />
      </div>
    </>
  );
}
