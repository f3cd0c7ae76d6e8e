/** A page that an answer may rest on. */
export interface Source {
  readonly url: string;
  readonly title: string;
  readonly content?: string | undefined;
}

/** A source as an annotation of the answer; it belongs to no place in the text. */
export function toUrlCitation({ url, title, content }: Source): object {
  return {
    type: 'url_citation',
    url_citation: { url, title, ...(content !== undefined && { content }), start_index: 0, end_index: 0 },
  };
}
