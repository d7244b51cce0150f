import { z } from 'zod';
import type { Scope } from '../../shared/access/scopes.ts';
import { BursarError, errorText, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { firstIssue, issueWords } from '../../shared/errors/issue-words.ts';
import type { OwnTool, OwnToolAnswer, OwnToolCall } from '../bridge/aggregate/own-tools.ts';

/** One of Bursar's own tools, with what a client has to be granted for it. */
export interface WalletTool extends OwnTool {
  readonly scope: Scope;
  /** The entry of `tools/list`, as JSON. */
  readonly entryText: string;
  /** True once the owner took the tool away from those as well who had it already. */
  readonly isWithdrawn?: () => boolean;
}

/** A result that fits the tool's output schema, and the same in words. */
export interface ToolSuccess<T> {
  readonly kind: 'success';
  readonly text: string;
  readonly structured: T;
  readonly delivered?: (written: boolean) => void;
}

export interface ToolDefinition<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly input: I;
  readonly output: O;
  readonly hints: { readonly readOnly: boolean; readonly destructive: boolean; readonly idempotent: boolean; readonly openWorld: boolean };
  /** A BursarError that is thrown becomes an error result: the agent reads its sentence and hint. */
  run(input: z.output<I>, call: OwnToolCall): Promise<ToolSuccess<z.input<O>> | OwnToolAnswer>;
  /** The text of an error result; without it the sentence, the hint and the code. */
  readonly failure?: (error: BursarError) => string;
}

/** A tool whose schemas, listing and checks all come of one definition. What an agent gives wrong is told to it as a result, which models can mend. */
export function defineTool<I extends z.ZodType, O extends z.ZodType>({ name, title, description, scope, input, output, hints, run, failure = errorText }: ToolDefinition<I, O>): WalletTool {
  const { readOnly, destructive, idempotent, openWorld } = hints;
  const entry = {
    name,
    title,
    description,
    inputSchema: jsonSchemaOf(input, 'input'),
    outputSchema: jsonSchemaOf(output, 'output'),
    annotations: { title, readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint: idempotent, openWorldHint: openWorld },
  };
  return {
    name,
    scope,
    entryText: JSON.stringify(entry),
    async run(call) {
      try {
        const answer = await run(parseInput(input, call.argumentsText), call);
        if (answer.kind !== 'success') return answer;
        const { text, structured, delivered } = answer;
        return { kind: 'result', resultText: JSON.stringify({ content: [{ type: 'text', text }], structuredContent: structured }), ...(delivered && { delivered }) };
      } catch (error) {
        return failed(failure(isBursarError(error) ? error : new BursarError('INTERNAL', toErrorInfo(error).message, { cause: error })));
      }
    },
  };
}

/** An error without structured content, which would have to fit the output schema. */
export const failed = (text: string): OwnToolAnswer => ({ kind: 'result', resultText: failedText(text) });

/** The JSON of such a result. */
export const failedText = (text: string): string => JSON.stringify({ content: [{ type: 'text', text }], isError: true });

function parseInput<I extends z.ZodType>(input: I, argumentsText: string): z.output<I> {
  const parsed = input.safeParse(JSON.parse(argumentsText), { error: issueWords });
  if (parsed.success) return parsed.data;
  const { field, words } = firstIssue(parsed.error);
  throw new BursarError('INPUT_INVALID', `The argument${field === '' ? 's are' : ` "${field}" is`} not as expected: ${words}.`, { hint: 'Call the tool again with arguments that fit its input schema.' });
}

/** JSON Schema 2020-12, which MCP takes for granted. */
function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
