import { InvalidArgumentError } from 'commander';

/** Collects a repeatable option of the form NAME=VALUE. */
export function pair(value: string, before: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It has to have the form NAME=VALUE.');
  return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
}
