import { Image as ImageIcon, Link as LinkIcon } from 'lucide-react';
import { memo, type ReactElement, type ReactNode, useDeferredValue, useState } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';

import { CopyButton } from '../controls/copy-button.tsx';
import { Dialog } from '../dialogs/dialog.tsx';
import { partMessages } from '../part-messages.ts';
import { Code } from './code.tsx';
import { toSafeLink, useOpenOutside } from './outside-link.tsx';
import { isReadableMarkdown, PlainText } from './plain-text.tsx';
import { showControls } from './show-controls.ts';
import { StreamedText } from './streamed-text.tsx';
import { toFinishedBlocks } from './to-finished-blocks.ts';

/** Above this it is shown as written first, and formatted when nothing else is waiting: many may come at once. */
const MAX_FORMATTED_AT_ONCE = 1000;

// Ids are the page's own, and two texts may use the same.
const attributes = Object.fromEntries(
  Object.entries(defaultSchema.attributes ?? {}).map(([tag, names]) => [
    tag,
    names.filter((name) => !/^(id|name|aria)/.test(typeof name === 'string' ? name : name[0])),
  ]),
);

const schema = {
  ...defaultSchema,
  attributes,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['input', 'picture', 'source'].includes(name)),
  protocols: { href: ['https'], src: ['https'] },
};

const PRE = 'scroll-thin my-2 overflow-x-auto rounded-lg bg-raised p-3 text-xs';

const components: Components = {
  // The page has headings of its own, and the text stands below them.
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  a: ({ href, children }) => <OutsideLink href={href}>{children}</OutsideLink>,
  // Loading an image tells its host that, and when, the text was read; so none is loaded.
  img: ({ src, alt }) => (
    <OutsideLink href={src}>
      <ImageIcon size={13} className="mr-1 inline" />
      {partMessages().text.image(alt ?? '')}
    </OutsideLink>
  ),
  pre: ({ node, children }) => {
    const code = node === undefined ? null : toCode(node);
    return (
      <pre className={PRE}>
        {code === null ? (
          children
        ) : (
          <code>
            <Code {...code} />
          </code>
        )}
      </pre>
    );
  },
  table: ({ children }) => (
    <div className="scroll-thin my-2 overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
};

/** The code of a block that is text alone: one with marks of differences keeps them instead of colours. */
function toCode(block: MarkdownNode): { readonly text: string; readonly language: string | undefined } | null {
  const [code, second] = block.children ?? [];
  const [text, other] = code?.children ?? [];
  if (code?.tagName !== 'code' || second !== undefined || text?.value === undefined || other !== undefined) return null;
  const classes = code.properties?.['className'];
  const names = Array.isArray(classes) ? classes.map(String) : [];
  const language = names.find((name) => name.startsWith('language-'))?.slice('language-'.length);
  return { text: text.value, language };
}

interface MarkdownProps {
  readonly text: string;
  /** It was on the screen before, formatted: a moment without would be a jump. */
  readonly isAtOnce?: boolean;
}

/**
 * Shows text of a model or a caller, which is hostile until shown otherwise: no HTML, no images, no addresses but https,
 * and those only after a question that shows them whole.
 */
export const Markdown = memo(function Markdown({ text, isAtOnce = false }: MarkdownProps) {
  const formatted = useDeferredValue(text, isAtOnce || text.length <= MAX_FORMATTED_AT_ONCE ? text : '');
  const isReadable = formatted === text && isReadableMarkdown(text);
  const read = isReadable ? readMarkdown(text) : null;
  return read === null ? <PlainText text={text} /> : <div className={PROSE}>{read}</div>;
});

const PROSE = 'prose-said text-sm break-words';

/**
 * Shows text of a model while it comes, as `Markdown` will show it: a block that is finished is read once, the one that
 * grows with every drawing.
 */
export function StreamedMarkdown({ text }: { text: string }) {
  const { finished, rest } = toFinishedBlocks(text);
  return (
    <div className={PROSE}>
      {finished.map((block, at) => (
        <FinishedBlock key={at} text={block} />
      ))}
      <GrowingBlock text={rest} />
    </div>
  );
}

const FinishedBlock = memo(function FinishedBlock({ text }: { text: string }) {
  return (isReadableMarkdown(text) ? readMarkdown(text) : null) ?? <StreamedText text={text} />;
});

/** Longer ones are not read with every drawing: there are ten a second, and more columns than one. */
const MAX_GROWING = 4000;
const OPEN_FENCE = /^(?:`{3,}|~{3,})[^\n]*\n/;

function GrowingBlock({ text }: { text: string }) {
  if (text.length <= MAX_GROWING && isReadableMarkdown(text)) return readMarkdown(text);
  if (!OPEN_FENCE.test(text)) return <StreamedText text={text} />;
  return (
    <pre className={PRE}>
      <StreamedText text={text.replace(OPEN_FENCE, '')} className="font-mono text-xs whitespace-pre" />
    </pre>
  );
}

/** Markup is shown, not left out: a text that is made of it would look empty. */
const showMarkup = (_state: unknown, { value }: { readonly value: string }) => ({
  type: 'element' as const,
  tagName: 'code',
  properties: {},
  children: [{ type: 'text' as const, value }],
});

/** Adds to what is shown, or looks at it, after it has been made safe. */
export type MarkdownPlugin = () => (tree: MarkdownNode) => void;

/** An element with what is in it, or a text. */
export interface MarkdownNode {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  children?: MarkdownNode[];
}

/** The elements of a text. Null where the parser gives up. */
export function readMarkdown(text: string, plugin?: MarkdownPlugin): ReactElement | null {
  try {
    // Called here, not by React: what a parser throws while React draws takes the whole screen with it.
    return ReactMarkdown({
      remarkPlugins: [remarkGfm],
      remarkRehypeOptions: { handlers: { html: showMarkup } },
      rehypePlugins: [[rehypeSanitize, schema], ...(plugin === undefined ? [] : [plugin])],
      components,
      urlTransform: (url) => toSafeLink(url)?.href ?? '',
      children: showControls(text),
    });
  } catch {
    return null;
  }
}

function OutsideLink({ href, children }: { href: unknown; children: ReactNode }) {
  const [isAsking, setIsAsking] = useState(false);
  const open = useOpenOutside();
  const t = partMessages().text;
  const url = toSafeLink(href);
  if (url === null) return <span className="underline decoration-dotted">{children}</span>;
  return (
    <>
      <button
        type="button"
        className="inline max-w-full cursor-pointer text-left wrap-anywhere text-accent underline underline-offset-2"
        onClick={() => setIsAsking(true)}
      >
        {children}
        <LinkIcon size={12} className="ml-0.5 inline" />
      </button>
      {isAsking && (
        <Dialog
          title={t.openLink}
          onClose={() => setIsAsking(false)}
          actions={
            <>
              <CopyButton label={t.copyAddress} text={url.href} />
              <a
                href={url.href}
                target="_blank"
                rel="noopener noreferrer nofollow"
                className="inline-flex min-h-8 items-center rounded-md bg-accent px-2.5 text-sm font-medium text-accent-ink"
                onClick={(event) => {
                  setIsAsking(false);
                  open(event, url);
                }}
              >
                {t.openHost(url.hostname)}
              </a>
            </>
          }
        >
          <p className="text-sm">{t.linkOrigin}</p>
          <p className="mt-2 rounded-lg bg-raised p-3 font-mono text-xs break-all">{url.href}</p>
        </Dialog>
      )}
    </>
  );
}
