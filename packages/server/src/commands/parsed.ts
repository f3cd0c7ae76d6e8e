/** The help that was asked for. */
export interface Help {
  readonly type: 'help';
  readonly text: string;
}

/** A command that was understood, or its help where that was asked for. */
export type Parsed<Type extends string, Options> = Help | { readonly type: Type; readonly options: Options };

export const toHelp = (text: string): Help => ({ type: 'help', text });
