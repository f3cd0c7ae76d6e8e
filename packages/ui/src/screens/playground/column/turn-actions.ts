/** What can be done to the conversation of a column. The same object for as long as the experiment is open. */
export interface TurnActions {
  readonly edit: (turnId: string, text: string) => void;
  /** Drops what follows a message and sends the conversation again, in every column that has it. */
  readonly sendFrom: (turnId: string) => void;
  readonly remove: (turnId: string) => void;
  /** Sends results of tools on, by the ids of their calls. */
  readonly answerCalls: (columnId: string, results: ReadonlyMap<string, string>) => void;
}
