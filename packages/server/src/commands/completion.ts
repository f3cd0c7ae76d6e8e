import { guess, type Parsed, readWordAndFlags, toHelp, UsageError } from '../process/flags.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const HELP = `Usage: model-gateway completion bash|zsh|fish

Prints a completion file for a shell. For example:

  bash    model-gateway completion bash > ~/.local/share/bash-completion/completions/model-gateway
  zsh     model-gateway completion zsh > "\${fpath[1]}/_model-gateway"
  fish    model-gateway completion fish > ~/.config/fish/completions/model-gateway.fish
`;

/** Reads the arguments after `completion`. Throws `UsageError`. */
export function parseCompletion(args: readonly string[]): Parsed<'completion', { readonly shell: Shell }> {
  const { values, word } = readWordAndFlags(args, {}, HELP);
  if (values.help === true) return toHelp(HELP);
  const shell = SHELLS.find((name) => name === word);
  if (shell !== undefined) return { type: 'completion', options: { shell } };
  const problem =
    word === undefined ? 'Missing the shell.' : `There is no completion for "${word}".${guess(word, SHELLS)}`;
  throw new UsageError(`${problem}\n\n${HELP}`);
}

/** A command as completion sees it: what may follow its name. */
export interface CompletedCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly flags: readonly string[];
}

/** What may follow a command, by its own help. */
export function readCompletions(name: string, help: string): CompletedCommand {
  const flags = [...new Set(help.match(/--[a-z][a-z-]*/g))];
  const isWithActions = /^Usage: model-gateway \S+ <action>/.test(help);
  const words = isWithActions ? Array.from(help.matchAll(/^ {2}([a-z]+) /gm), ([, word = '']) => word) : [];
  return { name, words, flags };
}

/** A completion file. */
export function toCompletion(shell: Shell, commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, words, flags }) => `    ${name}) echo "${[...words, ...flags].join(' ')}" ;;`);
  const words = `_model_gateway_words() {
  case "$1" in
${cases.join('\n')}
    *) echo "${names} --help --version" ;;
  esac
}`;
  switch (shell) {
    case 'bash':
      return `${words}
_model_gateway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command=""
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
  COMPREPLY=($(compgen -W "$(_model_gateway_words "$command")" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
  return 0
}
complete -F _model_gateway model-gateway
`;
    case 'zsh':
      return `#compdef model-gateway
${words}
_model_gateway() {
  local command=""
  (( CURRENT > 2 )) && command="\${words[2]}"
  compadd -- \${=$(_model_gateway_words "$command")}
  _files
}
compdef _model_gateway model-gateway
`;
    case 'fish':
      return [
        'complete -c model-gateway -n "__fish_use_subcommand" -f -a ' + `"${names}"`,
        ...commands.flatMap(({ name, words: actions, flags }) => [
          ...(actions.length === 0
            ? []
            : [`complete -c model-gateway -n "__fish_seen_subcommand_from ${name}" -f -a "${actions.join(' ')}"`]),
          ...flags.map(
            (flag) =>
              `complete -c model-gateway -n "__fish_seen_subcommand_from ${name}" -l ${flag.slice('--'.length)}`,
          ),
        ]),
        '',
      ].join('\n');
  }
}
