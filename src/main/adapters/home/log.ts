import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino, type Logger } from 'pino';
import type { Log } from '../../../core/ports.ts';
import { FILE_MODE, FOLDER_MODE } from './files.ts';
import { redact, redactText } from './redact.ts';

export interface LogOptions {
  /** File to append to; when it is full it moves to `….1`, and the one before that is dropped. */
  readonly path: string;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  /** Writes every line to stderr as well. Never stdout: that is the protocol's. */
  readonly stderr?: boolean;
  readonly maxBytes?: number;
}

export interface FileLog extends Log {
  close(): void;
}

const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;

/** A log of JSON lines in a file of the owner's alone. Messages and fields pass {@link redact} first (I6). */
export function createLog({ path, level = 'info', stderr = false, maxBytes = DEFAULT_MAX_BYTES }: LogOptions): FileLog {
  const file = openRotated(path, maxBytes);
  const write = (line: string): void => {
    if (stderr) process.stderr.write(line);
    try {
      file.write(line);
    } catch (error) {
      // A full disk must not stop a payment halfway because of its log line.
      process.stderr.write(`bursar: cannot write ${path}: ${String(error)}\n`);
    }
  };
  const logger: Logger = pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  const at = (method: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: Record<string, unknown>) => {
    if (!logger.isLevelEnabled(method)) return;
    // Kept apart, so that a field cannot pose as the line's time, level or message.
    logger[method](fields ? { fields: redact(fields) } : {}, redactText(message));
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), close: () => file.close() };
}

function openRotated(path: string, maxBytes: number) {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  const open = (): number => openSync(path, 'a', FILE_MODE);
  let file: number | undefined = open();
  let size = fstatSync(file).size;
  return {
    write(line: string): void {
      if (file === undefined) return;
      const bytes = Buffer.byteLength(line);
      if (size > 0 && size + bytes > maxBytes) {
        closeSync(file);
        renameSync(path, `${path}.1`);
        file = open();
        size = 0;
      }
      writeSync(file, line);
      size += bytes;
    },
    close(): void {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
