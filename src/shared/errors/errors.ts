import { ERROR_CODES, type ErrorCode } from './codes.ts';

/** What a failure looks like on every border: IPC, WebSocket, CLI `--json`, tool results. Never holds a secret. */
export interface ErrorInfo {
  readonly code: ErrorCode;
  /** One sentence for the reader: what went wrong, naming the server, address or file concerned. */
  readonly message: string;
  /** What the reader can do about it. */
  readonly hint: string;
  /** Plain values that tell this occurrence from another. Amounts as decimal strings. */
  readonly context: Readonly<Record<string, string>>;
}

export interface BursarErrorOptions {
  readonly context?: Readonly<Record<string, string>>;
  /** Replaces the code's standing hint where this occurrence allows a better one. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The one error class that Bursar throws on purpose. Callers branch on {@link BursarError.code}, never on the message. */
export class BursarError extends Error {
  override readonly name = 'BursarError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly context: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: BursarErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? ERROR_CODES[code];
    this.context = options.context ?? {};
  }
}

/** True for a {@link BursarError}, optionally of one given code. */
export const isBursarError = (error: unknown, code?: ErrorCode): error is BursarError =>
  error instanceof BursarError && (code === undefined || error.code === code);

/** How the system and SQLite say that nothing more can be written. */
const DISK_FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];

/** The error as one of ours: itself, or what is known of a failure of the system. Undefined for an unexpected one. */
export function knownError(error: unknown): BursarError | undefined {
  if (error instanceof BursarError) return error;
  const isFull = error instanceof Error && 'code' in error && DISK_FULL_CODES.includes(error.code);
  return isFull ? new BursarError('DISK_FULL', 'The disk is full, so Bursar could not write.', { cause: error }) : undefined;
}

/** The border form of any thrown value. An unexpected one becomes `INTERNAL` and keeps only its message. */
export function toErrorInfo(error: unknown): ErrorInfo {
  const known = knownError(error);
  if (known) return { code: known.code, message: known.message, hint: known.hint, context: known.context };
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INTERNAL', message, hint: ERROR_CODES.INTERNAL, context: {} };
}

/** What the agent reads: the sentence and the hint, as one text. */
export const errorText = (info: Pick<ErrorInfo, 'code' | 'message' | 'hint'>): string =>
  `${info.message} ${info.hint} (${info.code})`;
