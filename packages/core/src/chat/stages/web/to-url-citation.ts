/** A page that a completion may cite. */
export interface Source {
  readonly url: string;
  readonly title: string;
  readonly content?: string | undefined;
}

/** Converts a source to an annotation of the completion; it has no position in the text. */
export function toUrlCitation({ url, title, content }: Source): object {
  return {
    type: 'url_citation',
    url_citation: { url, title, ...(content !== undefined && { content }), start_index: 0, end_index: 0 },
  };
}
