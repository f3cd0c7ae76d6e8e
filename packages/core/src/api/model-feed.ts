import type { Model } from '../wire/models.ts';

interface FeedOptions {
  /** The public address of the mount, without a trailing slash. */
  readonly baseUrl: string;
  /** Items lead to the playground of the web UI, in place of the description of their model. */
  readonly linksToChat: boolean;
}

/** Lists models as an RSS 2.0 feed, for readers that tell of new ones. */
export function toModelFeed(models: readonly Model[], { baseUrl, linksToChat }: FeedOptions): string {
  const { origin } = new URL(baseUrl);
  const items = models.map((model) => {
    const link = linksToChat
      ? `${baseUrl}/playground?models=${encodeURIComponent(model.id)}`
      : origin + model.links.details;
    return [
      '<item>',
      toElement('title', model.name),
      toElement('link', link),
      toElement('description', model.description),
      `<guid isPermaLink="false">${escape(model.id)}</guid>`,
      // A model without a date is not one of 1970.
      ...(model.created > 0 ? [toElement('pubDate', new Date(model.created * 1000).toUTCString())] : []),
      '</item>',
    ].join('');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0"><channel>',
    toElement('title', 'Models of the gateway'),
    toElement('link', `${baseUrl}/api/v1/models`),
    toElement('description', 'The models that can be called here'),
    ...items,
    '</channel></rss>',
  ].join('\n');
}

const toElement = (name: string, text: string): string => `<${name}>${escape(text)}</${name}>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// Control characters are no part of XML, even as references.
const escape = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t\n\r]/gu, '').replaceAll(/[&<>"]/g, (mark) => ENTITIES[mark] ?? '');
