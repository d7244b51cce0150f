import { childOf, OPEN_BRACE, textAt, type Span } from '../bridge/json-text.ts';
import { cutMembers } from '../bridge/cut.ts';
import { objectOf, setMembers, splice } from '../bridge/splice.ts';

/**
 * A tool's result as the result of `payment_resume`: its structured content goes below `result`, so that it fits this tool's output schema
 * whatever its own was. An error has none, because that would have to fit as well. All else stays byte for byte.
 */
export function resumedResult(resultText: string, about: Readonly<Record<'paymentId' | 'server' | 'tool', string>>): string {
  const whole: Span = { start: 0, end: resultText.length };
  if (resultText.charCodeAt(0) !== OPEN_BRACE) return resultText;
  const structured = childOf(resultText, whole, 'structuredContent');
  const isError = childOf(resultText, whole, 'isError');
  if (isError !== undefined && textAt(resultText, isError) === 'true') return splice(resultText, cutMembers(resultText, whole, new Set(['structuredContent'])));
  const members = Object.fromEntries(Object.entries(about).map(([key, value]) => [key, JSON.stringify(value)]));
  return splice(resultText, setMembers(resultText, whole, { structuredContent: objectOf({ ...members, ...(structured && { result: textAt(resultText, structured) }) }) }));
}
