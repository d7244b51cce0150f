import type { ButtonHTMLAttributes } from 'react';

type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

const OFF = 'disabled:bg-inset disabled:text-muted disabled:border-line';

const KINDS: Record<ButtonKind, string> = {
  primary: `bg-accent text-on-accent border-accent hover:enabled:bg-accent-hover ${OFF}`,
  plain: `bg-surface border-control hover:enabled:bg-inset ${OFF}`,
  quiet: 'border-transparent hover:enabled:bg-inset disabled:text-muted disabled:opacity-50',
  danger: `bg-danger-soft text-danger border-danger hover:enabled:bg-danger hover:enabled:text-surface ${OFF}`,
};

/** Looks of a button, for links that act as one. */
export const buttonClass = (kind: ButtonKind = 'plain'): string =>
  `inline-flex items-center justify-center gap-2 min-h-9 px-3.5 py-1 rounded-lg border font-medium transition-colors sm:whitespace-nowrap ${KINDS[kind]}`;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
}

/** A button; `type` is `button` unless said otherwise. */
export function Button({ kind = 'plain', type = 'button', className = '', ...rest }: ButtonProps) {
  return <button type={type} className={`${buttonClass(kind)} ${className}`} {...rest} />;
}
